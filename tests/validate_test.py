"""Each rule that a format has, and each sum, is seen to refuse what breaks it."""

import json
import unittest

from validate import (
    commands,
    count_results,
    steering,
    validate_any_json,
    validate_ctrf,
    validate_har,
    validate_html,
    validate_junit,
    validate_markdown,
    validate_prometheus,
    validate_svg,
    validate_terminal,
)

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


MARKDOWN = """### Verdict

| check | said |
| --- | --- |
| `a \\| @b` | got "1", at 12:30:45 [1.0 §3](https://a2a-protocol.org/v1/#3) |
"""

# What an agent may try in the place of what it says, and a word of the problem that is found.
MARKDOWN_BREAKS = {
    'a picture': ('![x](http://h/x.png)', '<img>'),
    'a link': ('[x](http://h/)', 'leads to'),
    'a bare address': ('http://h.example/', 'leads to'),
    'a script in a link': ('[x](javascript:a)', 'leads to'),
    'raw markup': ('<img src=x>', '<img>'),
    'a comment': ('<!-- x -->', 'comment'),
    'a heading': ('x |\n\n# x\n\n', '<h1>'),
    'a task': ('x |\n\n- [ ] x\n\n', '<input>'),
    'crossed out': ('~~x~~', '<del>'),
    'somebody': ('@team', 'reference'),
    'an issue': ('#12', 'reference'),
    'a picture by its name': (':tada:', 'reference'),
    'a formula': ("`=cmd|' /C x'!A0`".replace('|', '\\|'), 'spreadsheet'),
    'a footnote': ('x[^1] |\n\n[^1]: x\n\n', '<sup>'),
}


class MarkdownRules(unittest.TestCase):
    def test_the_sample_is_valid_and_counted(self):
        self.assertEqual(validate_markdown(MARKDOWN.encode()), ({'tables': 1, 'links': 1}, []))

    def test_each_break_is_refused(self):
        for name, (said, problem) in MARKDOWN_BREAKS.items():
            with self.subTest(name):
                _, problems = validate_markdown(MARKDOWN.replace('got "1"', said).encode())
                self.assertTrue(any(problem in found for found in problems), problems)


class PrometheusRules(unittest.TestCase):
    GOOD = '# HELP a2a_run_x Of a run.\n# TYPE a2a_run_x gauge\na2a_run_x{lane="a\\"\\n\\\\"} 1\n'

    def test_the_sample_is_valid_and_counted(self):
        self.assertEqual(validate_prometheus(self.GOOD.encode()), ({'samples': 1}, []))

    def test_what_an_agent_could_add_is_refused(self):
        for added in ('x 1\n', 'a2a_run_x{other="a"} 1\n', 'a2a_run_x{lane="a"b"} 1\n', 'a2a_run_x{lane="a\nb"} 1\n'):
            with self.subTest(added):
                self.assertNotEqual(validate_prometheus((self.GOOD + added).encode())[1], [])


class TerminalRules(unittest.TestCase):
    GOOD = '\r\x1b[2K1 of 2\r\x1b[2K\x1b[1m\x1b[31mfail\x1b[0m \x1b]8;;https://a2a-protocol.org/#a\x1b\\1.0\x1b]8;;\x1b\\ ü 漢\r\nmore\r\n'

    def test_the_sample_is_valid_and_counted(self):
        self.assertEqual(validate_terminal(self.GOOD.encode()), ({'lines': 3}, []))

    def test_what_an_agent_could_send_is_refused(self):
        for sent in (
            '\x1b]0;title\x07', '\x9d0;title\x9c', '\x1b]52;c;eA==\x07', '\x1b]8;;http://h/\x1b\\x\x1b]8;;\x1b\\', '\x1b[1;1Hx', '\x1b[2J',
            '\x1b[?1049h', '\x1b[31mx', '\rx', 'x\b', '\x07', '\u202ex', '\u2028', '##vso[task]', '\r\n::error::x\r\n',
        ):  # fmt: skip
            with self.subTest(sent):
                self.assertNotEqual(validate_terminal(self.GOOD.replace('more', f'more{sent}').encode())[1], [])


class RulesOfAll(unittest.TestCase):
    def test_what_steers_is_found(self):
        self.assertEqual(steering('plain\n\tü \U0001f468\u200d\U0001f469'), [])
        for character in '\0\x1b\x7f\x9b\x85\u061c\u200f\u2028\u202e\u2066\U000e0041':
            self.assertEqual(len(steering(f'a{character}b')), 1)

    def test_commands_are_found(self):
        self.assertEqual(commands('## a\n ::1 b\nstd::x: ::\n'), [])
        for command in ('a ##[error]x', 'a ##vso[x]', 'a ##TeamCity[x]', 'a\n  ::add-mask::x', '::set-output name=x::y'):
            self.assertEqual(len(commands(command)), 1)

    def test_a_member_stands_once(self):
        self.assertEqual(validate_any_json(b'{"a": {"a": 1}}'), ({}, []))
        for text in (b'{"a": 1, "a": 2}', b'{"a": 1'):
            self.assertNotEqual(validate_any_json(text)[1], [])


if __name__ == '__main__':
    unittest.main()
