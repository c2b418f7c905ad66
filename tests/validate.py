"""Validates a report and prints what it counts, as JSON on one line.

    python tests/validate.py report.junit.xml    against tests/schemas/junit-10.xsd, and that the counts add up
    python tests/validate.py report.json         against docs/report-v1.schema.json
    python tests/validate.py report.ctrf.json    against tests/schemas/ctrf-0.0.schema.json, and that the counts add up
    python tests/validate.py report.har          against tests/schemas/har-1.2.schema.json, and that the times add up
    python tests/validate.py report.html         that it is whole, loads and runs nothing, and that its links lead somewhere
    python tests/validate.py report.svg          that it is whole, loads and runs nothing, and has one name

The first three print `{"tests": …, "failures": …, "errors": …, "skipped": …}`, so that reports of one run can be compared; HAR prints
`{"entries": …}`, and HTML `{"total": …, "passed": …, "failed": …, "skipped": …}`.
Problems go to standard error, one a line; the exit code is then 1.
"""

import json
import re
import sys
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import jsonschema
from lxml import etree

ROOT = Path(__file__).resolve().parent.parent
JUNIT_SCHEMA = ROOT / 'tests/schemas/junit-10.xsd'
JSON_SCHEMA = ROOT / 'docs/report-v1.schema.json'
CTRF_SCHEMA = ROOT / 'tests/schemas/ctrf-0.0.schema.json'
HAR_SCHEMA = ROOT / 'tests/schemas/har-1.2.schema.json'

# Skipped for one of these reasons, a result is an error in JUnit: a run that saw nothing must not be green.
ERROR_REASONS = ('blocked', 'harness-error')
PARTS = ('failures', 'errors', 'skipped')
ELEMENT = {'failures': 'failure', 'errors': 'error', 'skipped': 'skipped'}


def validate_junit(data: bytes) -> tuple[dict[str, int], list[str]]:
    """The counts of a JUnit report and what is wrong with it."""
    problems = []
    if data.startswith(b'\xef\xbb\xbf'):
        problems.append('starts with a byte order mark')
    try:
        # The report is hostile input's last stop: no entities, no network.
        root = etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True))
    except etree.XMLSyntaxError as error:
        return {}, [*problems, f'not XML: {error}']

    schema = etree.XMLSchema(etree.parse(JUNIT_SCHEMA))
    schema.validate(root)
    problems += [f'line {entry.line}: {entry.message}' for entry in schema.error_log]

    for element in root.iter('testsuites', 'testsuite'):
        for name, number in count_cases(element).items():
            said = element.get(name)
            if said is not None and said != str(number):
                problems.append(f'line {element.sourceline}: {element.tag} says {name}="{said}" and has {number}')
    return count_cases(root), problems


def count_cases(element) -> dict[str, int]:
    return {
        'tests': sum(1 for _ in element.iter('testcase')),
        **{name: len(element.findall(f'.//testcase/{ELEMENT[name]}')) for name in PARTS},
    }


def validate_json(data: bytes) -> tuple[dict[str, int], list[str]]:
    """The counts of a JSON report, as JUnit would show them, and what is wrong with it."""
    try:
        report = json.loads(data)
    except ValueError as error:
        return {}, [f'not JSON: {error}']
    problems = schema_problems(JSON_SCHEMA, report)
    return count_results(report) if not problems else {}, problems


def schema_problems(file: Path, value) -> list[str]:
    schema = json.loads(file.read_bytes())
    validator_class = jsonschema.validators.validator_for(schema)
    validator_class.check_schema(schema)
    validator = validator_class(schema, format_checker=validator_class.FORMAT_CHECKER)
    return [f'{error.json_path}: {error.message[:300]}' for error in validator.iter_errors(value)]


def count_results(report: dict) -> dict[str, int]:
    """Counts as our JUnit does: every failure is one, whatever its level."""
    results = [result for category in report['categories'].values() for result in category]
    shown = Counter(shown_as(result) for result in results)
    return {'tests': len(results), **{name: shown[name] for name in PARTS}}


def shown_as(result: dict) -> str:
    if result['status'] == 'skip':
        return 'errors' if result.get('reason') in ERROR_REASONS else 'skipped'
    return 'failures' if result['status'] == 'fail' else 'passed'


def validate_ctrf(data: bytes) -> tuple[dict[str, int], list[str]]:
    """The counts of a CTRF report, as JUnit would show them, and what is wrong with it."""
    try:
        report = json.loads(data)
    except ValueError as error:
        return {}, [f'not JSON: {error}']
    problems = schema_problems(CTRF_SCHEMA, report)
    if problems:
        return {}, problems
    summary, tests = report['results']['summary'], report['results']['tests']
    found = Counter(test['status'] for test in tests)
    for name in ('passed', 'failed', 'skipped', 'pending', 'other'):
        if summary[name] != found[name]:
            problems.append(f'the summary says {name} {summary[name]} and has {found[name]}')
    if summary['tests'] != len(tests):
        problems.append(f'the summary says {summary["tests"]} tests and has {len(tests)}')
    shown = Counter(
        {'passed': 'passed', 'failed': 'failures'}.get(
            test['status'], 'errors' if test['rawStatus'] in ERROR_REASONS else 'skipped'
        )
        for test in tests
    )
    return {'tests': len(tests), **{name: shown[name] for name in PARTS}}, problems


def validate_har(data: bytes) -> tuple[dict[str, int], list[str]]:
    """How many exchanges a HAR file has, and what is wrong with it."""
    try:
        archive = json.loads(data)
    except ValueError as error:
        return {}, [f'not JSON: {error}']
    problems = schema_problems(HAR_SCHEMA, archive)
    if problems:
        return {}, problems
    entries = archive['log']['entries']
    for number, entry in enumerate(entries):
        parts = [entry['timings'][name] for name in ('send', 'wait', 'receive')]
        if min(parts) < 0 or abs(sum(parts) - entry['time']) > 0.01:
            problems.append(f'entry {number}: {parts} do not make {entry["time"]} ms')
    return {'entries': len(entries)}, problems


class Markup(HTMLParser):
    """Reads a page that must be whole, and notes what in it would load, run or lead nowhere."""

    VOID = ('meta',)
    FORBIDDEN = ('script', 'link', 'img', 'iframe', 'object', 'embed', 'form', 'base', 'svg', 'video', 'audio')

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.targets, self.problems = [], Counter(), [], []
        self.policy, self.rows = '', Counter()

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag in self.FORBIDDEN:
            self.problems.append(f'has <{tag}>')
        self.problems += [f'<{tag}> has {name}' for name in attributes if name.startswith('on') or name in ('src', 'style')]
        if 'id' in attributes:
            self.ids[attributes['id']] += 1
        if 'href' in attributes:
            self.targets.append(attributes['href'])
        if attributes.get('http-equiv') == 'Content-Security-Policy':
            self.policy = attributes['content']
        if 'data-status' in attributes:
            self.rows[attributes['data-status']] += 1
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.problems.append(f'</{tag}> closes something else, line {self.getpos()[0]}')


def validate_html(data: bytes) -> tuple[dict[str, int], list[str]]:
    """How many results a page shows of each status, and what is wrong with it."""
    text = data.decode()
    page = Markup()
    page.feed(text)
    page.close()
    problems = page.problems
    problems += [f'<{tag}> is left open' for tag in page.open]
    problems += [f'two elements have the id {name}' for name, number in page.ids.items() if number > 1]
    for target in page.targets:
        if target.startswith('#') and target[1:] not in page.ids:
            problems.append(f'{target} leads nowhere')
        elif not target.startswith(('#', 'https://a2a-protocol.org/')):
            problems.append(f'leads to {target}')
    if not page.policy.startswith("default-src 'none';"):
        problems.append(f'its policy is {page.policy!r}')
    said = {name: int(number) for name, number in re.findall(r'data-count="([a-z-]+)"><b>(\d+)<', text)}
    for status, name in (('pass', 'passed'), ('fail', 'failed'), ('skip', 'skipped')):
        if said.get(name) != page.rows[status]:
            problems.append(f'says {said.get(name)} {name} and has {page.rows[status]}')
    return {name: said.get(name, -1) for name in ('total', 'passed', 'failed', 'skipped')}, problems


def validate_svg(data: bytes) -> tuple[dict[str, int], list[str]]:
    """What is wrong with a badge."""
    try:
        root = etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True))
    except etree.XMLSyntaxError as error:
        return {}, [f'not XML: {error}']
    space = '{http://www.w3.org/2000/svg}'
    problems = []
    known = {space + name for name in ('svg', 'title', 'clipPath', 'rect', 'g', 'text')}
    for element in root.iter():
        if element.tag not in known:
            problems.append(f'has {element.tag}')
        problems += [f'{element.tag} has {name}' for name in element.keys() if name.startswith('on') or 'href' in name]
    if root.get('role') != 'img' or root.get('aria-label') != root.findtext(space + 'title'):
        problems.append('a screen reader would not be told its title')
    return {}, problems


VALIDATORS = {
    '.ctrf.json': validate_ctrf,
    '.json': validate_json,
    '.har': validate_har,
    '.html': validate_html,
    '.svg': validate_svg,
    '.xml': validate_junit,
}


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    file = Path(sys.argv[1])
    validate = next(validate for end, validate in VALIDATORS.items() if file.name.endswith(end))
    counts, problems = validate(file.read_bytes())
    for problem in problems:
        print(f'{file}: {problem}', file=sys.stderr)
    print(json.dumps(counts))
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
