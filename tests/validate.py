"""Validates a report and prints what it counts, as JSON on one line.

    python tests/validate.py report.junit.xml    against tests/schemas/junit-10.xsd, and that the counts add up
    python tests/validate.py report.json         against docs/report-v1.schema.json

Both print `{"tests": …, "failures": …, "errors": …, "skipped": …}`, so that reports of one run can be compared.
Problems go to standard error, one a line; the exit code is then 1.
"""

import json
import sys
from collections import Counter
from pathlib import Path

import jsonschema
from lxml import etree

ROOT = Path(__file__).resolve().parent.parent
JUNIT_SCHEMA = ROOT / 'tests/schemas/junit-10.xsd'
JSON_SCHEMA = ROOT / 'docs/report-v1.schema.json'

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
    schema = json.loads(JSON_SCHEMA.read_bytes())
    validator_class = jsonschema.validators.validator_for(schema)
    validator_class.check_schema(schema)
    validator = validator_class(schema, format_checker=validator_class.FORMAT_CHECKER)
    problems = [f'{error.json_path}: {error.message[:300]}' for error in validator.iter_errors(report)]

    return count_results(report) if not problems else {}, problems


def count_results(report: dict) -> dict[str, int]:
    """Counts as our JUnit does: every failure is one, whatever its level."""
    results = [result for category in report['categories'].values() for result in category]
    shown = Counter(shown_as(result) for result in results)
    return {'tests': len(results), **{name: shown[name] for name in PARTS}}


def shown_as(result: dict) -> str:
    if result['status'] == 'skip':
        return 'errors' if result.get('reason') in ERROR_REASONS else 'skipped'
    return 'failures' if result['status'] == 'fail' else 'passed'


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    file = Path(sys.argv[1])
    validate = validate_json if file.suffix == '.json' else validate_junit
    counts, problems = validate(file.read_bytes())
    for problem in problems:
        print(f'{file}: {problem}', file=sys.stderr)
    print(json.dumps(counts))
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
