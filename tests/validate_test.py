"""Each rule of tests/schemas/junit-10.xsd, and each sum, is seen to refuse what breaks it."""

import unittest

from validate import count_results, validate_junit

GOOD = """<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="a2a" tests="4" failures="1" errors="1" time="1.25">
  <testsuite id="0" name="Agent card" package="a2a" timestamp="2026-11-21T09:00:00" hostname="agent.example"
      tests="4" failures="1" errors="1" skipped="1" time="1.250">
    <properties><property name="a2a.target" value="https://agent.example/"/></properties>
    <testcase classname="a2a.card" name="CARD-001 found" time="0.1"><system-out>seen</system-out></testcase>
    <testcase classname="a2a.card" name="CARD-002 named" time="0">
      <failure type="MUST" message="no name">Expected: a name</failure>
    </testcase>
    <testcase classname="a2a.card" name="CARD-003 signed"><skipped message="not applicable: no signatures"/></testcase>
    <testcase classname="a2a.card" name="CARD-004 cached">
      <error type="blocked-by-browser" message="CORS">The browser hid the answer.</error>
    </testcase>
  </testsuite>
</testsuites>
"""

# What is put in place of what, and why no report may say it.
BREAKS = {
    'a fourth decimal': ('time="1.250"', 'time="1.2505"'),
    'an exponent': ('time="0.1"', 'time="1e-1"'),
    'a negative time': ('time="0.1"', 'time="-0.1"'),
    'a zone': ('T09:00:00"', 'T09:00:00Z"'),
    'milliseconds': ('T09:00:00"', 'T09:00:00.123"'),
    'a day that is none': ('2026-11-21T', '2026-13-41T'),
    'skipped at the root': ('time="1.25">', 'time="1.25" skipped="1">'),
    'a timestamp at the root': ('time="1.25">', 'time="1.25" timestamp="2026-11-21T09:00:00">'),
    'a file at a case': ('time="0.1">', 'time="0.1" file="card.json">'),
    'properties at a case': ('<system-out>', '<properties/><system-out>'),
    'two outcomes': ('<skipped ', '<failure type="MUST" message="x"/><skipped '),
    'a case without a class': ('classname="a2a.card" name="CARD-001', 'name="CARD-001'),
    'a case without a name': (' name="CARD-001 found"', ''),
    'a blank name': ('name="CARD-001 found"', 'name=" "'),
    'a suite without a name': (' name="Agent card"', ''),
    'a suite that does not count the skipped': (' skipped="1"', ''),
    'two cases of one name': ('CARD-002 named', 'CARD-001 found'),
    'a class with a space': ('classname="a2a.card" name="CARD-001', 'classname="a2a card" name="CARD-001'),
    'a failure without a type': ('type="MUST" ', ''),
    'a message of two lines': ('message="no name"', 'message="no&#10;name"'),
    'a message that is long': ('message="no name"', f'message="{"x" * 201}"'),
    'a text that is long': ('Expected: a name', 'x' * 66_000),
    'a suite in a suite': ('</properties>', '</properties><testsuite name="x" tests="0" failures="0" errors="0" skipped="0"/>'),
    'a suite that miscounts its tests': ('\n      tests="4"', ' tests="5"'),
    'a suite that miscounts its skipped': ('skipped="1"', 'skipped="0"'),
    'a root that miscounts its failures': ('failures="1" errors="1" time', 'failures="0" errors="1" time'),
    'a character that XML has not': ('>seen<', '>\x01<'),
    'a byte order mark': ('<?xml', '\ufeff<?xml'),
}


class JunitRules(unittest.TestCase):
    def test_the_sample_is_valid_and_counted(self):
        counts, problems = validate_junit(GOOD.encode())
        self.assertEqual(problems, [])
        self.assertEqual(counts, {'tests': 4, 'failures': 1, 'errors': 1, 'skipped': 1})

    def test_a_lone_suite_may_be_the_root(self):
        suite = GOOD[GOOD.index('<testsuite ') : GOOD.index('</testsuites>')]
        self.assertEqual(validate_junit(suite.encode())[1], [])

    def test_each_rule_refuses_what_breaks_it(self):
        for name, (old, new) in BREAKS.items():
            with self.subTest(name):
                self.assertEqual(GOOD.count(old), 1, 'the sample has it once')
                self.assertNotEqual(validate_junit(GOOD.replace(old, new).encode())[1], [])


class JsonCounts(unittest.TestCase):
    def test_results_count_as_junit_shows_them(self):
        def result(status, level='must', reason=None):
            return {'status': status, 'level': level, 'reason': reason}

        report = {
            'categories': {
                'agentCard': [result('pass'), result('fail'), result('fail', level='should')],
                'streaming': [result('skip', reason='not-applicable'), result('skip', reason='blocked')],
                'interop': [result('skip', reason='harness-error')],
            }
        }
        self.assertEqual(count_results(report), {'tests': 6, 'failures': 2, 'errors': 2, 'skipped': 1})


if __name__ == '__main__':
    unittest.main()
