//! The report for a terminal: the verdict, every failure with what to do about it, then everything else in one line each.

use std::fmt::Write;

use crate::engine::check::Category;
use crate::engine::plural::count;
use crate::engine::verdict::{Outcome, Status};
use crate::report::text::one_line;
use crate::report::{CheckedRow, Report, headline};

/// The longest value that is shown in full; an agent can make one as long as it likes.
const LONGEST: usize = 400;

/// The whole report, or its verdict and failures only.
pub(super) fn render(report: &Report, quiet: bool) -> String {
    let mut text = TextBuilder::default();
    text.line(0, &headline(report));
    text.line(0, "");
    about(&mut text, report);
    let breaches: Vec<_> = report.results.iter().filter(|result| result.is_breach()).collect();
    let advice: Vec<_> = report.results.iter().filter(|result| result.is_advice()).collect();
    failures(&mut text, report, "Failed", &breaches);
    failures(&mut text, report, "Advice", &advice);
    if let Some(upgrade) = report.upgrade.as_ref().filter(|_| !quiet) {
        text.line(0, &format!("From version {} to {} (not a failure):", upgrade.from, upgrade.to));
        for change in &upgrade.changes {
            text.line(2, &format!("{} ({})", change.what, change.section));
        }
        text.line(0, "");
    }
    if !quiet {
        rest(&mut text, report);
    }
    text.0
}

/// Lines of text; building one cannot fail.
#[derive(Default)]
struct TextBuilder(String);

impl TextBuilder {
    fn line(&mut self, indent: usize, line: &str) {
        // Writing to a string has no error to report.
        let _ = writeln!(self.0, "{:indent$}{line}", "");
    }

    /// `  expected  a Task`
    fn pair(&mut self, indent: usize, name: &str, value: &str) {
        if !value.is_empty() {
            self.line(indent, &format!("{name:<9} {}", one_line(value, LONGEST)));
        }
    }
}

fn about(text: &mut TextBuilder, report: &Report) {
    if let Some(agent) = &report.agent {
        text.pair(0, "agent", format!("{} {}", agent.name, agent.version).trim());
        text.pair(0, "card", &agent.card_url);
        text.pair(0, "speaks", &agent.speaks());
    } else {
        text.pair(0, "agent", &report.address);
    }
    text.pair(0, "note", &report.cold_start().unwrap_or_default());
    for lane in &report.lanes {
        text.pair(0, "lane", &format!("{} at {}: {}", lane.id, lane.url, lane.assessment.rating));
    }
    for (name, why) in report.agent.iter().flat_map(|agent| &agent.silent_interfaces) {
        text.pair(0, "unchecked", &format!("{name}: {why}"));
    }
    text.pair(0, "level", &report.level_sentence());
    if report.assessment.rating.level().is_some() {
        for reason in &report.assessment.reasons {
            text.pair(0, "", &format!("- {reason}"));
        }
    }
    let tally = &report.tally;
    let counts = [
        (tally.passed, "passed"),
        (tally.failed_required, "failed"),
        (tally.failed_advisory, "advisory"),
        (tally.skipped, "not judged"),
    ];
    let counts: Vec<_> = counts.iter().map(|(number, word)| format!("{number} {word}")).collect();
    text.pair(0, "checks", &format!("{} of {}", counts.join(", "), tally.total));
    let spent = count(tally.messages, "message");
    text.pair(0, "took", &format!("{:.1} s, {spent} to the agent", report.duration_ms / 1000.0));
}

fn failures(text: &mut TextBuilder, report: &Report, heading: &str, results: &[&CheckedRow]) {
    for (index, result) in results.iter().enumerate() {
        if index == 0 {
            text.line(0, "");
            text.line(0, &format!("{heading} ({})", results.len()));
        }
        text.line(0, "");
        text.line(2, &format!("{}: {}", name(report, result), result.title));
        if result.expected.is_none() {
            text.pair(4, "found", &result.message);
        }
        text.pair(4, "expected", result.expected.as_deref().unwrap_or_default());
        text.pair(4, "actual", result.actual.as_deref().unwrap_or_default());
        text.pair(4, "where", &place(result));
        let level = format!("{} ({})", result.spec, result.level.as_str());
        text.pair(4, "spec", &format!("{level} {}", result.spec_url.as_deref().unwrap_or_default()));
        text.pair(4, "fix", result.remediation.as_deref().unwrap_or_default());
    }
}

/// `/result/id, exchanges 3 and 4`
fn place(result: &CheckedRow) -> String {
    let numbers: Vec<_> = result.exchanges.iter().map(u32::to_string).collect();
    let exchanges = match numbers.as_slice() {
        [] => String::new(),
        [one] => format!("exchange {one}"),
        several => format!("exchanges {}", several.join(", ")),
    };
    let parts = [result.pointer.clone().unwrap_or_default(), exchanges];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" in ")
}

/// One line for each row, by category, what did not pass first. What was not run is only counted.
fn rest(text: &mut TextBuilder, report: &Report) {
    for category in Category::ALL {
        let rows = report.results.iter().filter(|result| result.category == category);
        let (left, mut rows): (Vec<_>, Vec<_>) = rows.partition(|result| result.outcome == Outcome::NotRun);
        if rows.is_empty() && left.is_empty() {
            continue;
        }
        rows.sort_by_key(|result| rank(result));
        text.line(0, "");
        text.line(0, category.title());
        let longest = rows.iter().map(|result| name(report, result).chars().count()).max().unwrap_or_default();
        for result in rows {
            let said = match result.outcome.status() {
                Status::Skip => format!("{} ({})", result.title, one_line(&result.message, LONGEST)),
                Status::Pass | Status::Fail => result.title.to_owned(),
            };
            text.line(2, &format!("{:<14} {:<longest$}  {said}", word(result), name(report, result)));
        }
        if let Some(first) = left.first() {
            let others = match left.len() {
                1 => name(report, first),
                number => format!("{number} checks"),
            };
            text.line(2, &format!("{:<14} {others} ({})", word(first), one_line(&first.message, LONGEST)));
        }
    }
}

/// The check, and the lane where there are several.
fn name(report: &Report, result: &CheckedRow) -> String {
    if report.lanes.len() > 1 { result.key() } else { result.check.to_owned() }
}

fn word(result: &CheckedRow) -> &'static str {
    match result.outcome {
        Outcome::Pass => "pass",
        Outcome::Note => "note",
        Outcome::Fail if result.is_breach() => "FAIL",
        Outcome::Fail => "advice",
        other => other.reason().unwrap_or("skip"),
    }
}

fn rank(result: &CheckedRow) -> u8 {
    match result.outcome {
        Outcome::Fail if result.is_breach() => 0,
        Outcome::Fail => 1,
        Outcome::HarnessError => 2,
        Outcome::Blocked => 3,
        Outcome::Inconclusive => 4,
        Outcome::NotRun => 5,
        Outcome::Note => 6,
        Outcome::Pass => 7,
        Outcome::NotObservable => 8,
        Outcome::NotApplicable => 9,
    }
}
