//! The report as CTRF (Common Test Report Format), JSON that test dashboards read. Its schema is closed, so that what it has
//! no member for is in `extra`, under names of our own.

use super::checked_row::CheckedRow;
use super::headline::{headline, incomplete};
use super::json_writer::JsonWriter;
use super::model::Report;
use super::plain::{body, cut};
use super::text::{rfc3339, tidy_ms};
use super::tool::TOOL;
use crate::engine::transcript::whole_ms;
use crate::engine::verdict::Outcome;

/// The version of the format. It calls itself a draft until there is a 1.0.
const SPEC_VERSION: &str = "0.0.0";
/// The statuses of the format.
const STATUSES: [&str; 5] = ["passed", "failed", "skipped", "pending", "other"];

/// The report as CTRF.
#[must_use]
pub fn write(report: &Report) -> String {
    let start = whole(report.started_ms.unwrap_or_default());
    let stop = start + whole(report.duration_ms);
    let mut w = JsonWriter::default();
    w.open("", '{');
    w.text("reportFormat", "CTRF");
    w.text("specVersion", SPEC_VERSION);
    if let Some(started) = report.started_ms {
        w.text("timestamp", &rfc3339(started + tidy_ms(report.duration_ms)));
    }
    w.text("generatedBy", &format!("{TOOL} {}", report.environment.tool_version));
    w.open("results", '{');
    w.open("tool", '{');
    w.text("name", TOOL);
    w.text("version", &report.environment.tool_version);
    w.close('}');
    w.open("summary", '{');
    // Without a test a file is green to some readers: nothing was seen, and that is not green.
    let nothing = usize::from(report.results.is_empty());
    w.size("tests", report.results.len() + nothing);
    for name in STATUSES {
        let made_up = if name == "other" { nothing } else { 0 };
        let of_status = report.results.iter().filter(|result| status(result.outcome) == name);
        w.size(name, of_status.count() + made_up);
    }
    let flaky = report.results.iter().filter(|result| is_flaky(result)).count();
    if flaky > 0 {
        w.size("flaky", flaky);
    }
    w.number("start", start);
    w.number("stop", stop);
    w.close('}');
    w.open("tests", '[');
    if nothing > 0 {
        w.open("", '{');
        w.text("name", "nothing was checked");
        w.text("status", "other");
        w.number("duration", 0);
        w.text("message", &cut(&incomplete(report).unwrap_or_default()));
        w.text("rawStatus", "incomplete");
        w.close('}');
    }
    for result in &report.results {
        test(&mut w, result, report);
    }
    w.close(']');
    extra(&mut w, report);
    w.close('}');
    w.close('}');
    w.finish() + "\n"
}

/// A status that dashboards know. What was blocked or lost is neither passed nor skipped on purpose.
const fn status(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Pass | Outcome::Note => "passed",
        Outcome::Fail => "failed",
        Outcome::NotApplicable => "skipped",
        Outcome::NotRun => "pending",
        Outcome::NotObservable
        | Outcome::Inconclusive
        | Outcome::Unsteady
        | Outcome::Blocked
        | Outcome::HarnessError => "other",
    }
}

/// Whether it failed in some of several runs and passed in others, which is what dashboards call so.
fn is_flaky(result: &CheckedRow) -> bool {
    result.fails_in() > 0 && result.passed_once()
}

/// Our own word for it.
fn raw_status(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Note => "note",
        outcome => outcome.reason().unwrap_or(outcome.status().as_str()),
    }
}

fn test(w: &mut JsonWriter, result: &CheckedRow, report: &Report) {
    w.open("", '{');
    w.text("testId", &result.key());
    w.text("name", &format!("{} {}", result.check, result.title));
    w.text("status", status(result.outcome));
    w.number("duration", whole(result.duration_ms));
    w.open("suite", '[');
    w.text("", result.lane.as_deref().unwrap_or("agent"));
    w.text("", result.area.name);
    w.close(']');
    if !result.message.is_empty() {
        w.text("message", &cut(&result.message));
    }
    if result.outcome != Outcome::Pass {
        w.text("trace", &cut(&body(result, report)));
    }
    w.text("rawStatus", raw_status(result.outcome));
    if is_flaky(result) {
        w.flag("flaky", true);
    }
    w.open("tags", '[');
    w.text("", if result.good_practice { "good practice" } else { result.level.as_str() });
    w.text("", result.category.as_str());
    w.close(']');
    w.open("labels", '{');
    w.text("check", result.check);
    w.maybe("lane", result.lane.as_deref());
    w.text("specification", &result.spec);
    w.maybe("specificationUrl", result.spec_url.as_deref());
    w.close('}');
    w.text("type", "conformance");
    w.close('}');
}

fn extra(w: &mut JsonWriter, report: &Report) {
    w.open("extra", '{');
    for (name, value) in [
        ("a2a.conformance/verdict", report.word.as_str()),
        ("a2a.conformance/headline", &headline(report)),
        ("a2a.conformance/level", &report.level_sentence()),
        ("a2a.conformance/agent", &report.agent_name()),
        ("a2a.conformance/address", &report.address),
        ("a2a.conformance/protocolVersions", &report.versions().join(", ")),
        ("a2a.conformance/requirementSet", &report.suite),
        ("a2a.conformance/connection", &report.connection.remarks.join(" ")),
    ] {
        if !value.is_empty() {
            w.text(name, &cut(value));
        }
    }
    w.close('}');
}

/// Whole milliseconds of a span, or of a moment since 1970.
fn whole(ms: f64) -> u64 {
    whole_ms(tidy_ms(ms))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_outcome_has_a_status_of_the_format_and_a_word_of_ours() {
        for (outcome, expected, raw) in [
            (Outcome::Pass, "passed", "pass"),
            (Outcome::Note, "passed", "note"),
            (Outcome::Fail, "failed", "fail"),
            (Outcome::NotApplicable, "skipped", "not-applicable"),
            (Outcome::NotObservable, "other", "not-observable"),
            (Outcome::Inconclusive, "other", "inconclusive"),
            (Outcome::Unsteady, "other", "unsteady"),
            (Outcome::Blocked, "other", "blocked"),
            (Outcome::NotRun, "pending", "not-run"),
            (Outcome::HarnessError, "other", "harness-error"),
        ] {
            assert_eq!((status(outcome), raw_status(outcome)), (expected, raw));
            assert!(STATUSES.contains(&expected));
        }
    }
}
