//! The report as JUnit XML in the dialect that every reader we know reads alike (`tests/schemas/junit-10.xsd`): one suite for each
//! lane and area, counts that add up, messages cut short.
//!
//! A failed should is a `failure` of type SHOULD, so that the counts are those of the other formats; what was blocked, or
//! broken by ourselves, is an `error`, so that a run that saw nothing is not green.

use super::checked_row::CheckedRow;
use super::headline::{headline, incomplete};
use super::model::Report;
use super::plain::{body, cut, level};
use super::text::{host, host_and_port, iso_seconds, one_line, rfc3339, tidy_ms};
use super::tool::TOOL;
use super::xml::{attribute, escape};
use crate::engine::transcript::whole_ms;
use crate::engine::verdict::Outcome;

/// How many characters of a message.
const MAX_MESSAGE: usize = 200;

/// The report as JUnit XML.
#[must_use]
pub fn write(report: &Report) -> String {
    let suites: Vec<_> = suites(report).into_iter().map(|suite| (suite, report)).collect();
    document(&suites, report.duration_ms)
}

/// The reports of several agents: one suite for each.
#[must_use]
pub fn write_several(reports: &[&Report]) -> String {
    let mut all: Vec<(Suite<'_>, &Report)> = Vec::new();
    for &report in reports {
        let mut name = format!("a2a.{}", as_name(&host_and_port(&report.address)));
        let twins = all
            .iter()
            .filter(|(suite, _)| suite.classname == name || suite.classname.starts_with(&format!("{name}_")))
            .count();
        if twins > 0 {
            name.push_str(&format!("_{}", twins + 1));
        }
        let mut whole = Suite { classname: name, cases: Vec::new(), counts: CaseCounts::default() };
        for suite in suites(report) {
            whole.counts.add(&suite.counts);
            for case in suite.cases {
                // Cases of one suite are told apart by their names alone.
                let lane = case.result.and_then(|result| result.lane.as_deref()).map(|lane| format!("{lane} "));
                whole.cases.push(Case { name: lane.unwrap_or_default() + &case.name, ..case });
            }
        }
        all.push((whole, report));
    }
    let duration_ms = reports.iter().map(|report| report.duration_ms).sum();
    document(&all, duration_ms)
}

fn document(suites: &[(Suite<'_>, &Report)], duration_ms: f64) -> String {
    let mut sum = CaseCounts::default();
    for (suite, _) in suites {
        sum.add(&suite.counts);
    }
    let mut xml = Xml { text: String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n") };
    xml.start(0, "testsuites", &[("name", TOOL)]);
    xml.counts(&sum);
    xml.attributes(&[("time", &seconds(duration_ms))]);
    xml.end(">");
    for (id, (suite, report)) in suites.iter().enumerate() {
        xml.suite(id, suite, report, &properties(report));
    }
    xml.close(0, "testsuites");
    xml.text
}

struct Suite<'a> {
    classname: String,
    cases: Vec<Case<'a>>,
    counts: CaseCounts,
}

struct Case<'a> {
    name: String,
    result: Option<&'a CheckedRow>,
}

#[derive(Default)]
struct CaseCounts {
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
    time_ms: f64,
}

fn suites(report: &Report) -> Vec<Suite<'_>> {
    let mut suites: Vec<Suite<'_>> = Vec::new();
    for result in &report.results {
        let classname = classname(result);
        let place = suites.iter().position(|suite| suite.classname == classname).unwrap_or_else(|| {
            suites.push(Suite { classname, cases: Vec::new(), counts: CaseCounts::default() });
            suites.len() - 1
        });
        let Some(suite) = suites.get_mut(place) else { continue };
        let plain = one_line(&format!("{} {}", result.check, result.title), MAX_MESSAGE);
        let mut name = plain.clone();
        let mut twin = 1;
        // Readers drop the second case of a name.
        while suite.cases.iter().any(|case| case.name == name) {
            twin += 1;
            name = format!("{plain} ({twin})");
        }
        suite.counts.count(result);
        suite.cases.push(Case { name, result: Some(result) });
    }
    if suites.is_empty() {
        // A file without a test is green to some readers; nothing was seen, and that is not green.
        suites.push(Suite {
            classname: "a2a.run".to_owned(),
            cases: vec![Case { name: "run nothing was checked".to_owned(), result: None }],
            counts: CaseCounts { tests: 1, errors: 1, ..CaseCounts::default() },
        });
    }
    suites
}

/// `a2a.jsonrpc-1_0.tasks`; of checks of the card `a2a.agent.card`. Dots part packages, so a lane's own are replaced.
fn classname(result: &CheckedRow) -> String {
    format!("a2a.{}.{}", as_name(result.lane.as_deref().unwrap_or("agent")), as_name(result.area.name))
}

fn as_name(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect()
}

impl CaseCounts {
    fn add(&mut self, other: &Self) {
        self.tests += other.tests;
        self.failures += other.failures;
        self.errors += other.errors;
        self.skipped += other.skipped;
        self.time_ms += other.time_ms;
    }

    fn count(&mut self, result: &CheckedRow) {
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
        Outcome::NotApplicable
        | Outcome::NotObservable
        | Outcome::Inconclusive
        | Outcome::Unsteady
        | Outcome::NotRun => Element::Skipped,
    }
}

/// The text of the file, a line at a time.
struct Xml {
    text: String,
}

impl Xml {
    fn attributes(&mut self, attributes: &[(&str, &str)]) {
        for (name, value) in attributes {
            self.text.push_str(&format!(" {name}=\"{}\"", attribute(value)));
        }
    }

    /// Begins a tag.
    fn start(&mut self, depth: usize, name: &str, attributes: &[(&str, &str)]) {
        self.text.extend(std::iter::repeat_n("  ", depth));
        self.text.push('<');
        self.text.push_str(name);
        self.attributes(attributes);
    }

    /// Ends a tag, and the line.
    fn end(&mut self, end: &str) {
        self.text.push_str(end);
        self.text.push('\n');
    }

    /// A tag on a line of its own.
    fn tag(&mut self, depth: usize, name: &str, attributes: &[(&str, &str)], end: &str) {
        self.start(depth, name, attributes);
        self.end(end);
    }

    /// The tag that ends an element of several lines.
    fn close(&mut self, depth: usize, name: &str) {
        self.start(depth, &format!("/{name}"), &[]);
        self.end(">");
    }

    fn suite(&mut self, id: usize, suite: &Suite<'_>, report: &Report, properties: &[(&str, String)]) {
        let Suite { classname, cases, counts } = suite;
        self.start(1, "testsuite", &[("id", &id.to_string()), ("name", classname), ("package", classname)]);
        if let Some(at) = report.started_ms {
            self.attributes(&[("timestamp", &iso_seconds(at))]);
        }
        self.attributes(&[("hostname", &host(&report.address))]);
        self.counts(counts);
        self.attributes(&[("skipped", &counts.skipped.to_string()), ("time", &seconds(counts.time_ms))]);
        self.end(">");
        self.tag(2, "properties", &[], ">");
        for (name, value) in properties {
            self.tag(3, "property", &[("name", name), ("value", value)], "/>");
        }
        self.close(2, "properties");
        cases.iter().for_each(|case| self.case(classname, case, report));
        self.close(1, "testsuite");
    }

    fn counts(&mut self, counts: &CaseCounts) {
        for (name, count) in [("tests", counts.tests), ("failures", counts.failures), ("errors", counts.errors)] {
            self.attributes(&[(name, &count.to_string())]);
        }
    }

    fn case(&mut self, classname: &str, case: &Case<'_>, report: &Report) {
        let time = seconds(case.result.map_or(0.0, |result| result.duration_ms));
        self.start(2, "testcase", &[("classname", classname), ("name", &case.name), ("time", &time)]);
        if case.result.is_some_and(|result| result.outcome == Outcome::Pass) {
            return self.end("/>");
        }
        self.end(">");
        match case.result {
            None => self.problem("error", "incomplete", &incomplete(report).unwrap_or_default(), &headline(report)),
            Some(result) => self.verdict(result, report),
        }
        self.close(2, "testcase");
    }

    /// The content of a case that did not simply pass.
    fn verdict(&mut self, result: &CheckedRow, report: &Report) {
        let reason = result.outcome.reason().unwrap_or_default();
        let body = body(result, report);
        match element(result.outcome) {
            Element::None => self.content("system-out", &[], &format!("NOTE ({})\n{body}", level(result))),
            Element::Failure => self.problem("failure", &level(result), &result.message, &body),
            Element::Error => self.problem("error", reason, &result.message, &body),
            Element::Skipped => {
                let message = one_line(&format!("{reason}: {}", result.message), MAX_MESSAGE);
                self.tag(3, "skipped", &[("message", &message)], "/>");
                // What each run saw.
                if result.outcome == Outcome::Unsteady {
                    self.content("system-out", &[], &format!("UNSTEADY ({})\n{body}", level(result)));
                }
            }
        }
    }

    fn problem(&mut self, element: &str, kind: &str, message: &str, body: &str) {
        self.content(element, &[("type", kind), ("message", &one_line(message, MAX_MESSAGE))], body);
    }

    /// An element with a text.
    fn content(&mut self, element: &str, attributes: &[(&str, &str)], text: &str) {
        self.start(3, element, attributes);
        self.text.push('>');
        self.text.push_str(&escape(&cut(text)));
        self.close(0, element);
    }
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
        ("a2a.runs", report.runs.map(|runs| runs.to_string())),
        ("a2a.unsteady", report.runs.map(|_| report.unsteady().count().to_string())),
        ("a2a.suite", Some(report.suite.clone())),
        ("a2a.checker", Some(format!("{TOOL} {} ({})", report.environment.tool_version, report.environment.host))),
        ("a2a.userAgent", report.environment.user_agent.clone()),
        ("a2a.connection", Some(report.connection.remarks.join(" ")).filter(|remarks| !remarks.is_empty())),
        ("a2a.startedAt", report.started_ms.map(rfc3339)),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name, one_line(&value?, 500))))
    .collect()
}

/// At most three decimals, no exponent, no sign.
fn seconds(ms: f64) -> String {
    let ms = whole_ms(tidy_ms(ms).min(1e12));
    format!("{}.{:03}", ms / 1000, ms % 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
