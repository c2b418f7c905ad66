//! The report as JUnit XML in the dialect that every reader we know reads alike (`tests/schemas/junit-10.xsd`): two
//! levels, one suite for each lane and area, counts that add up.
//!
//! A failed should is a `failure` of type SHOULD, so that the counts are those of the other formats; what was blocked, or
//! broken by ourselves, is an `error`, so that a run that saw nothing is not green.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use super::model::{Checked, Report, TOOL};
use super::text::{head, host, iso_seconds, one_line, rfc3339, tidy_ms};
use super::verdict::{headline, incomplete};
use crate::engine::requirement::Level;
use crate::engine::take::whole;
use crate::engine::verdict::Outcome;

/// How many bytes of a text are kept.
const MAX_TEXT: usize = 64 * 1024;
/// How many characters of a message.
const MAX_MESSAGE: usize = 200;

/// The report as JUnit XML.
#[must_use]
pub fn write(report: &Report) -> String {
    let suites = suites(report);
    let sum = |part: fn(&Counts) -> usize| suites.iter().map(|suite| part(&suite.counts)).sum::<usize>();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    line(
        &mut out,
        0,
        format_args!(
            "<testsuites name=\"{TOOL}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{}\">",
            sum(|counts| counts.tests),
            sum(|counts| counts.failures),
            sum(|counts| counts.errors),
            seconds(report.duration_ms)
        ),
    );
    let properties = properties(report);
    for (id, suite) in suites.iter().enumerate() {
        suite.write(&mut out, id, report, &properties);
    }
    out.push_str("</testsuites>\n");
    out
}

struct Suite<'a> {
    classname: String,
    cases: Vec<Case<'a>>,
    counts: Counts,
}

struct Case<'a> {
    name: String,
    result: Option<&'a Checked>,
}

#[derive(Default)]
struct Counts {
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
    time_ms: f64,
}

fn suites(report: &Report) -> Vec<Suite<'_>> {
    let mut suites: Vec<Suite<'_>> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut names: HashSet<(String, String)> = HashSet::new();
    for result in &report.results {
        let classname = classname(result);
        let plain = one_line(&format!("{} {}", result.check, result.title), MAX_MESSAGE);
        let mut name = plain.clone();
        let mut twin = 1;
        // Readers drop the second case of a name.
        while !names.insert((classname.clone(), name.clone())) {
            twin += 1;
            name = format!("{plain} ({twin})");
        }
        let place = *places.entry(classname).or_insert_with_key(|classname| {
            suites.push(Suite { classname: classname.clone(), cases: Vec::new(), counts: Counts::default() });
            suites.len() - 1
        });
        let Some(suite) = suites.get_mut(place) else { continue };
        suite.counts.count(result);
        suite.cases.push(Case { name, result: Some(result) });
    }
    if suites.is_empty() {
        // A file without a test is green to some readers; nothing was seen, and that is not green.
        suites.push(Suite {
            classname: "a2a.run".to_owned(),
            cases: vec![Case { name: "run nothing was checked".to_owned(), result: None }],
            counts: Counts { tests: 1, errors: 1, ..Counts::default() },
        });
    }
    suites
}

/// `a2a.jsonrpc-1_0.tasks`; of checks of the card `a2a.agent.card`. Dots part packages, so a lane's own are replaced.
fn classname(result: &Checked) -> String {
    let lane = result.lane.as_deref().unwrap_or("agent");
    let lane: String = lane.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect();
    format!("a2a.{lane}.{}", result.area.as_str())
}

impl Counts {
    fn count(&mut self, result: &Checked) {
        self.tests += 1;
        match element(result.outcome) {
            Element::None => {}
            Element::Failure => self.failures += 1,
            Element::Error => self.errors += 1,
            Element::Skipped => self.skipped += 1,
        }
        self.time_ms += tidy_ms(result.duration_ms);
    }
}

enum Element {
    None,
    Failure,
    Error,
    Skipped,
}

const fn element(outcome: Outcome) -> Element {
    match outcome {
        Outcome::Pass | Outcome::Note => Element::None,
        Outcome::Fail => Element::Failure,
        Outcome::Blocked | Outcome::HarnessError => Element::Error,
        Outcome::NotApplicable | Outcome::NotObservable | Outcome::Inconclusive | Outcome::NotRun => Element::Skipped,
    }
}

impl Suite<'_> {
    fn write(&self, out: &mut String, id: usize, report: &Report, properties: &[(&str, String)]) {
        let name = attribute(&self.classname);
        let timestamp = report.started_ms.map_or_else(String::new, |at| format!(" timestamp=\"{}\"", iso_seconds(at)));
        let counts = &self.counts;
        line(
            out,
            1,
            format_args!(
                "<testsuite id=\"{id}\" name=\"{name}\" package=\"{name}\"{timestamp} hostname=\"{}\" tests=\"{}\" failures=\"{}\" \
                 errors=\"{}\" skipped=\"{}\" time=\"{}\">",
                attribute(&host(&report.address)),
                counts.tests,
                counts.failures,
                counts.errors,
                counts.skipped,
                seconds(counts.time_ms)
            ),
        );
        line(out, 2, format_args!("<properties>"));
        for (name, value) in properties {
            line(out, 3, format_args!("<property name=\"{name}\" value=\"{}\"/>", attribute(value)));
        }
        line(out, 2, format_args!("</properties>"));
        for case in &self.cases {
            self.write_case(out, case, report);
        }
        line(out, 1, format_args!("</testsuite>"));
    }

    fn write_case(&self, out: &mut String, case: &Case<'_>, report: &Report) {
        let (classname, name) = (attribute(&self.classname), attribute(&case.name));
        let Some(result) = case.result else {
            line(out, 2, format_args!("<testcase classname=\"{classname}\" name=\"{name}\" time=\"0.000\">"));
            let why = incomplete(report).unwrap_or_default();
            problem(out, "error", "incomplete", &why, &headline(report));
            line(out, 2, format_args!("</testcase>"));
            return;
        };
        let time = seconds(result.duration_ms);
        let head = format!("<testcase classname=\"{classname}\" name=\"{name}\" time=\"{time}\"");
        let reason = result.outcome.reason().unwrap_or_default();
        match element(result.outcome) {
            Element::None if result.outcome == Outcome::Pass => return line(out, 2, format_args!("{head}/>")),
            Element::None => {
                line(out, 2, format_args!("{head}>"));
                let text = format!("NOTE ({})\n{}", level(result), body(result, report));
                line(out, 3, format_args!("<system-out>{}</system-out>", content(&text)));
            }
            Element::Failure => {
                line(out, 2, format_args!("{head}>"));
                problem(out, "failure", level(result), &result.message, &body(result, report));
            }
            Element::Error => {
                line(out, 2, format_args!("{head}>"));
                problem(out, "error", reason, &result.message, &body(result, report));
            }
            Element::Skipped => {
                line(out, 2, format_args!("{head}>"));
                let message = one_line(&format!("{reason}: {}", result.message), MAX_MESSAGE);
                line(out, 3, format_args!("<skipped message=\"{}\"/>", attribute(&message)));
            }
        }
        line(out, 2, format_args!("</testcase>"));
    }
}

fn problem(out: &mut String, element: &str, kind: &str, message: &str, body: &str) {
    let message = attribute(&one_line(message, MAX_MESSAGE));
    line(out, 3, format_args!("<{element} type=\"{kind}\" message=\"{message}\">{}</{element}>", content(body)));
}

const fn level(result: &Checked) -> &'static str {
    match result.level {
        Level::Must => "MUST",
        Level::Should => "SHOULD",
        Level::May => "MAY",
    }
}

/// What a reader shows who shows the text only: expected, actual, fix, specification, exchanges.
fn body(result: &Checked, report: &Report) -> String {
    let mut text = String::new();
    let mut say = |name: &str, value: &str| {
        if !value.is_empty() {
            let _ = writeln!(text, "{name}: {value}");
        }
    };
    if result.expected.is_none() {
        say("Reason", &result.message);
    }
    say("Expected", result.expected.as_deref().unwrap_or_default());
    say("Actual", result.actual.as_deref().unwrap_or_default());
    say("Where", result.pointer.as_deref().unwrap_or_default());
    say("Fix", result.remediation.as_deref().unwrap_or_default());
    say("Spec", format!("{} {}", result.spec, result.spec_url.as_deref().unwrap_or_default()).trim());
    say("Requirement", &result.requirements.join(", "));
    for id in &result.exchanges {
        let Some(exchange) = report.exchanges.iter().find(|exchange| exchange.id == *id) else { continue };
        let answer = exchange.status().map_or_else(|| "no answer".to_owned(), |status| format!("HTTP {status}"));
        let request = &exchange.request;
        let step = format!("{} of {}", exchange.step, exchange.scenario);
        say("Exchange", &format!("#{id} {} {} -> {answer} ({step})", request.method, request.url));
    }
    text
}

fn properties(report: &Report) -> Vec<(&'static str, String)> {
    let agent = report.agent.as_ref();
    let bindings: Vec<&str> = report.lanes.iter().map(|lane| lane.id.as_str()).collect();
    [
        ("a2a.target", Some(report.address.clone())),
        ("a2a.agent", agent.map(|agent| format!("{} {}", agent.name, agent.version))),
        ("a2a.protocolVersion", Some(report.versions().join(", "))),
        ("a2a.lanes", Some(bindings.join(", "))),
        ("a2a.verdict", Some(report.word.as_str().to_owned())),
        ("a2a.level", Some(report.level_sentence())),
        ("a2a.headline", Some(headline(report))),
        ("a2a.suite", Some(report.suite.clone())),
        ("a2a.checker", Some(format!("{TOOL} {} ({})", report.environment.tool_version, report.environment.host))),
        ("a2a.userAgent", report.environment.user_agent.clone()),
        ("a2a.startedAt", report.started_ms.map(rfc3339)),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name, one_line(&value?, 500))))
    .collect()
}

/// At most three decimals, no exponent, no sign.
fn seconds(ms: f64) -> String {
    let ms = whole(tidy_ms(ms).min(1e12));
    format!("{}.{:03}", ms / 1000, ms % 1000)
}

fn line(out: &mut String, depth: usize, text: std::fmt::Arguments<'_>) {
    for _ in 0..depth {
        out.push_str("  ");
    }
    let _ = writeln!(out, "{text}");
}

/// The text as character data: nothing that XML 1.0 forbids, cut at [`MAX_TEXT`] with a note that says so.
fn content(text: &str) -> String {
    let kept = head(text, MAX_TEXT);
    let mut escaped = escape(kept);
    if kept.len() < text.len() {
        let _ = write!(escaped, "\n… truncated, {} bytes", text.len());
    }
    escaped
}

fn attribute(text: &str) -> String {
    escape(text).replace('\n', "&#10;").replace('\t', "&#9;")
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // A reader would turn it into a line feed.
            '\r' => out.push_str("&#13;"),
            '\t' | '\n' => out.push(c),
            // XML 1.0 §2.2: not even as references.
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => {}
            // Allowed, discouraged there, and of use to nobody.
            '\u{7f}'..='\u{84}' | '\u{86}'..='\u{9f}' => {}
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_forbids_is_dropped_and_the_rest_escaped() {
        assert_eq!(escape("a\0\u{1b}\u{fffe}]]>&<\"'\u{1f600}"), "a]]&gt;&amp;&lt;&quot;'\u{1f600}");
        assert_eq!(attribute("a\nb\tc\rd"), "a&#10;b&#9;c&#13;d");
    }

    #[test]
    fn seconds_have_three_decimals_at_most_and_neither_sign_nor_exponent() {
        for (ms, expected) in [
            (1234.56, "1.235"),
            (0.0, "0.000"),
            (-0.0, "0.000"),
            (-5.0, "0.000"),
            (f64::NAN, "0.000"),
            (1e300, "1000000000.000"),
        ] {
            assert_eq!(seconds(ms), expected);
        }
    }

    #[test]
    fn a_long_text_is_cut_with_a_note() {
        let text = content(&"é".repeat(MAX_TEXT));
        assert!(text.ends_with(&format!("… truncated, {} bytes", 2 * MAX_TEXT)));
        assert!(text.len() < MAX_TEXT + 100);
    }
}
