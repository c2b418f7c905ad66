"""Validates a report and prints what it counts, as JSON on one line.

    python tests/validate.py report.junit.xml    against tests/schemas/junit-10.xsd, and that the counts add up
    python tests/validate.py report.json         against docs/report-v1.schema.json
    python tests/validate.py report.ctrf.json    against tests/schemas/ctrf-0.0.schema.json, and that the counts add up
    python tests/validate.py report.har          against tests/schemas/har-1.2.schema.json, and that the times add up
    python tests/validate.py report.html         that it is whole, loads and runs nothing, and that its links lead somewhere
    python tests/validate.py report.svg          that it is whole, loads and runs nothing, and has one name
    python tests/validate.py report.md           that GitHub makes headings, tables and code of it, and links to the specification only
    python tests/validate.py report.prom         that Prometheus reads our metrics with our labels, and no others
    python tests/validate.py report.ansi         that a terminal (tests/in_terminal.py) shows its lines, and is left as it was
    python tests/validate.py matrix.any.json     that it is JSON
    python tests/validate.py report.txt          nothing but what is held of all of them

Of all of them it holds that nothing steers a terminal that shows the file, and that no CI server finds a command in it. The first three
print `{"tests": …, "failures": …, "errors": …, "skipped": …}`, so that reports of one run can be compared; HAR prints `{"entries": …}`,
HTML `{"total": …, "passed": …, "failed": …, "skipped": …}`, Markdown `{"tables": …, "links": …}`, Prometheus `{"samples": …}` and a
terminal `{"lines": …}`. Problems go to standard error, one a line; the exit code is then 1.
"""

import json
import re
import sys
import unicodedata
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import jsonschema
import pyte
from cmarkgfm.cmark import Options, markdown_to_html_with_extensions
from lxml import etree, html
from prometheus_client.parser import text_string_to_metric_families

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
    parts = {
        'passed': ('pass', ('passed',)),
        'failed': ('fail', ('failed-required', 'failed-advisory')),
        'skipped': ('skip', ('unsteady', 'open', 'not-applicable', 'not-run')),
    }
    counts = {'total': said.get('total', -1)}
    for name, (status, names) in parts.items():
        counts[name] = sum(said.get(part, 0) for part in names)
        if counts[name] != page.rows[status]:
            problems.append(f'says {counts[name]} {name} and has {page.rows[status]}')
    return counts, problems


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


# What GitHub itself renders with, but for the filter of tags: without raw HTML of an agent's there is nothing to filter.
GITHUB = ['table', 'autolink', 'strikethrough', 'tasklist']
MARKDOWN_ELEMENTS = {
    'a', 'blockquote', 'br', 'code', 'details', 'div', 'em', 'h3', 'h4', 'h5', 'li', 'ol', 'p', 'pre', 'strong', 'summary', 'table',
    'tbody', 'td', 'th', 'thead', 'tr', 'ul',
}  # fmt: skip
# What GitHub makes links and notifications of, outside of code: names, issues, and addresses. It makes emoji and formulas, too.
REFERENCE = re.compile(r'@\w|#\d|\bGH-\d|\bwww\.|://|(?<!\w):[a-z+-][\w+-]*:|\$[^\s\d]', re.IGNORECASE)
# What a spreadsheet takes for a formula when a table is pasted into it. A sign with a number or nothing behind it is none.
FORMULA = re.compile(r'\s*(=|@|[+-](?![\d.]*(\s|$)))')


def validate_markdown(data: bytes) -> tuple[dict[str, int], list[str]]:
    """How many tables and links GitHub shows, and what it makes of the text that is not ours to say."""
    options = Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_FOOTNOTES
    rendered = markdown_to_html_with_extensions(data.decode(), options=options, extensions=GITHUB)
    root = html.fragment_fromstring(rendered, create_parent='div')
    problems = []
    for element in root.iter():
        if not isinstance(element.tag, str):
            if not element.text.strip().startswith('markdownlint-disable'):
                problems.append(f'has the comment {element.text!r}')
        elif element.tag not in MARKDOWN_ELEMENTS:
            problems.append(f'has <{element.tag}>')
        elif unknown := set(element.keys()) - {'a': {'href'}, 'code': {'class'}, 'ol': {'start'}, 'td': {'align'}}.get(element.tag, set()):
            problems.append(f'<{element.tag}> has {unknown}')
        if element.tag == 'a' and not element.get('href', '').startswith('https://a2a-protocol.org/'):
            problems.append(f'leads to {element.get("href")}')
        if element.tag == 'td' and FORMULA.match(element.text_content()):
            problems.append(f'has a cell that a spreadsheet runs: {element.text_content()!r}')
        inside = element.tag in ('code', 'a')
        for text in (None if inside or not isinstance(element.tag, str) else element.text, element.tail):
            if text and REFERENCE.search(text):
                problems.append(f'has a reference in {text[:200]!r}')
    return {'tables': len(list(root.iter('table'))), 'links': len(list(root.iter('a')))}, problems


LABELS = {'lane', 'test', 'step', 'quantile'}


def validate_prometheus(data: bytes) -> tuple[dict[str, int], list[str]]:
    """How many samples Prometheus reads, and what is wrong with them."""
    try:
        families = list(text_string_to_metric_families(data.decode()))
    except ValueError as error:
        return {}, [f'not read: {error}']
    samples = [sample for family in families for sample in family.samples]
    problems = [f'has the metric {family.name}' for family in families if not re.fullmatch('a2a_[a-z_]+', family.name)]
    problems += [f'{family.name} has no type or help' for family in families if family.type == 'unknown' or not family.documentation]
    problems += [f'{sample.name} has {set(sample.labels) - LABELS}' for sample in samples if not LABELS.issuperset(sample.labels)]
    return {'samples': len(samples)}, problems


# What our own lines do to a terminal: colours, links to the specification, line breaks, and a line that is written over.
STEERED_BY_US = re.compile(r'\x1b\[[\d;]*m|\x1b\]8;;(https://a2a-protocol\.org/[!-~]*?)?\x1b\\|\r?\n|\r\x1b\[2K')
LONGEST_LINE = 4000
WITHOUT_WIDTH = ('Cf', 'Cn', 'Mn', 'Me')


def validate_terminal(data: bytes) -> tuple[dict[str, int], list[str]]:
    """How many lines a terminal shows, and what else than our own lines it was told."""
    text = data.decode()
    problems = steering(STEERED_BY_US.sub('', text))
    # What is written over is seen for a moment only.
    lines = [line.rsplit('\x1b[2K', 1)[-1] for line in re.split('\r?\n', text)]
    problems += commands('\n'.join(STEERED_BY_US.sub('', line) for line in lines))
    screen = pyte.Screen(LONGEST_LINE, len(lines) + 1)
    modes = set(screen.mode)
    stream = pyte.Stream(screen)
    for number, line in enumerate(lines):
        # The emulator leaves out what is behind a character of no width.
        stream.feed(''.join(c for c in line if unicodedata.category(c) not in WITHOUT_WIDTH))
        # Ours go back to usual letters at their end.
        if line and screen.cursor.attrs != screen.default_char:
            problems.append(f'line {number + 1} leaves the terminal with {screen.cursor.attrs}')
        row = screen.buffer[screen.cursor.y]
        seen = ''.join(row[column].data for column in range(screen.cursor.x))
        if screen.cursor.y != number or wide_as_one(STEERED_BY_US.sub('', line)) != wide_as_one(seen):
            problems.append(f'line {number + 1} is shown as {seen[:200]!r}')
        stream.feed('\r\n')
    if screen.title or screen.icon_name or set(screen.mode) != modes or screen.margins:
        problems.append(f'the terminal has the title {screen.title!r}, the modes {screen.mode}, the margins {screen.margins}')
    return {'lines': len(lines)}, problems


def wide_as_one(line: str) -> str:
    """Without blanks, and without what takes no place of its own."""
    return ''.join(c for c in line if not c.isspace() and unicodedata.category(c) not in WITHOUT_WIDTH)


def validate_text(_: bytes) -> tuple[dict[str, int], list[str]]:
    return {}, []


def validate_any_json(data: bytes) -> tuple[dict[str, int], list[str]]:
    """Whether a document is JSON, and has no member twice."""
    problems = []

    def members(pairs):
        problems.extend(f'has the member {name!r} twice' for name, number in Counter(name for name, _ in pairs).items() if number > 1)
        return dict(pairs)

    try:
        json.loads(data, object_pairs_hook=members)
    except ValueError as error:
        problems.append(f'not JSON: {error}')
    return {}, problems


# Controls, characters that turn the direction of writing (UAX #9), separators of lines that few know, and tags, which hide a text.
STEERING = re.compile('[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\U000e0000-\U000e007f]')
# Of GitHub, Azure and TeamCity. Those of GitLab and Jenkins have an escape in them.
COMMAND = re.compile(r'##(vso)?\[|##teamcity\[|^\s*::[a-z][\w-]*[: ]', re.MULTILINE | re.IGNORECASE)


def steering(text: str) -> list[str]:
    return [f'has {found!r} in it' for found in sorted(set(STEERING.findall(text)))]


def commands(text: str) -> list[str]:
    return [f'has a command for a CI server: {text[found.start() :][:80]!r}' for found in COMMAND.finditer(text)]


VALIDATORS = {
    '.ansi': validate_terminal,
    '.any.json': validate_any_json,
    '.ctrf.json': validate_ctrf,
    '.json': validate_json,
    '.har': validate_har,
    '.html': validate_html,
    '.md': validate_markdown,
    '.prom': validate_prometheus,
    '.svg': validate_svg,
    '.txt': validate_text,
    '.xml': validate_junit,
}


def main() -> int:
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    # Each is validated, also behind one that is wrong.
    return max([validate_file(Path(name)) for name in sys.argv[1:]])


def validate_file(file: Path) -> int:
    validate = next(validate for end, validate in VALIDATORS.items() if file.name.endswith(end))
    data = file.read_bytes()
    counts, problems = validate(data)
    if validate is not validate_terminal:
        text = data.decode()
        problems = [*problems, *steering(text), *commands(text)]
    for problem in problems:
        print(f'{file}: {problem}', file=sys.stderr)
    print(json.dumps(counts))
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
