"""Each rule that a format has, and each sum, is seen to refuse what breaks it."""

import json
import unittest

from validate import count_results, validate_ctrf, validate_har, validate_html, validate_junit, validate_svg

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


CTRF = {
    'reportFormat': 'CTRF',
    'specVersion': '0.0.0',
    'results': {
        'tool': {'name': 'a2a'},
        'summary': {'tests': 2, 'passed': 1, 'failed': 0, 'skipped': 0, 'pending': 0, 'other': 1, 'start': 0, 'stop': 1},
        'tests': [
            {'name': 'x', 'status': 'passed', 'duration': 1, 'rawStatus': 'pass'},
            {'name': 'y', 'status': 'other', 'duration': 1, 'rawStatus': 'blocked'},
        ],
    },
}

HAR = {
    'log': {
        'version': '1.2',
        'creator': {'name': 'a2a', 'version': '1'},
        'entries': [
            {
                'startedDateTime': '2026-11-21T09:00:00.000Z',
                'time': 3,
                'request': {
                    'method': 'GET', 'url': 'https://h/', 'httpVersion': '', 'cookies': [], 'headers': [],
                    'queryString': [], 'headersSize': -1, 'bodySize': 0,
                },
                'response': {
                    'status': 200, 'statusText': '', 'httpVersion': '', 'cookies': [], 'headers': [],
                    'content': {'size': 0, 'mimeType': ''}, 'redirectURL': '', 'headersSize': -1, 'bodySize': -1,
                },
                'cache': {},
                'timings': {'send': 0, 'wait': 1, 'receive': 2},
            }
        ],
    }
}

HTML = """<!DOCTYPE html>
<html lang="en"><head><meta http-equiv="Content-Security-Policy" content="default-src 'none'; x"></head><body>
<li data-count="total"><b>1</b></li><li data-count="passed"><b>1</b></li>
<li data-count="failed"><b>0</b></li><li data-count="skipped"><b>0</b></li>
<a href="#r1">x</a><p id="r1">y</p><p data-status="pass">z</p></body></html>
"""

SVG = '<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="x"><title>x</title><text>x</text></svg>'


class OtherFormats(unittest.TestCase):
    def refuses(self, validate, good: str, breaks: dict):
        counts, problems = validate(good.encode())
        self.assertEqual(problems, [])
        for name, (old, new) in breaks.items():
            with self.subTest(name):
                self.assertEqual(good.count(old), 1, 'the sample has it once')
                self.assertNotEqual(validate(good.replace(old, new).encode())[1], [])
        return counts

    def test_ctrf(self):
        counts = self.refuses(
            validate_ctrf,
            json.dumps(CTRF),
            {
                'a test that is not counted': ('"passed": 1', '"passed": 2'),
                'a total that is wrong': ('"tests": 2', '"tests": 3'),
                'a status of our own': ('"status": "other"', '"status": "blocked"'),
                'another format': ('"CTRF"', '"ctrf"'),
                'a member that is not known': ('"name": "x"', '"name": "x", "colour": "x"'),
            },
        )
        self.assertEqual(counts, {'tests': 2, 'failures': 0, 'errors': 1, 'skipped': 0})

    def test_har(self):
        counts = self.refuses(
            validate_har,
            json.dumps(HAR),
            {
                'times that do not add up': ('"wait": 1', '"wait": 2'),
                'a negative time': ('"send": 0, "wait": 1', '"send": -1, "wait": 2'),
                'an entry without a cache': ('"cache": {}, ', ''),
                'a status that is text': ('"status": 200', '"status": "200"'),
            },
        )
        self.assertEqual(counts, {'entries': 1})

    def test_html(self):
        counts = self.refuses(
            validate_html,
            HTML,
            {
                'a script': ('<p data', '<script></script><p data'),
                'a handler': ('<p id', '<p onclick="x" id'),
                'a link that leads nowhere': ('href="#r1"', 'href="#r2"'),
                'a link to somebody else': ('href="#r1"', 'href="https://evil.example/"'),
                'an element left open': ('y</p>', 'y'),
                'a row that is not counted': ('data-status="pass"', 'data-status="fail"'),
                'no policy': ("default-src 'none';", ''),
                'two elements of one id': ('<p data', '<p id="r1" data'),
            },
        )
        self.assertEqual(counts, {'total': 1, 'passed': 1, 'failed': 0, 'skipped': 0})

    def test_svg(self):
        self.refuses(
            validate_svg,
            SVG,
            {
                'a script': ('<text>x</text>', '<script/>'),
                'a handler': ('<text>', '<text onload="x">'),
                'a link': ('<text>', '<text href="https://evil.example/">'),
                'another name': ('<title>x', '<title>y'),
                'a character that XML has not': ('<text>x', '<text>\x01'),
            },
        )


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
