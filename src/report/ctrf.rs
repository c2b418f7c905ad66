//! The report as CTRF (Common Test Report Format), JSON that test dashboards read: its statuses, its flaky tests, and what goes
//! into `extra`. Its schema is closed, so that what it has no member for is in `extra`, under names of our own.

use super::checked_row::CheckedRow;
use super::headline::{headline, incomplete};
use super::json_writer::JsonWriter;
use super::model::Report;
use super::plain::{body, cut};
use super::text::{rfc3339, tidy_ms};
use super::tool::{TOOL, program};
use crate::engine::transcript::whole_ms;
use crate::engine::verdict::Outcome;

/// The version of the format. It calls itself a draft until there is a 1.0.
const SPEC_VERSION: &str = "0.0.0";
const STATUSES: [&str; 5] = ["passed", "failed", "skipped", "pending", "other"];

/// The report as CTRF.
#[must_use]
pub fn write(report: &Report) -> String {
    let mut w = JsonWriter::default();
    w.object("", |w| {
        w.text("reportFormat", "CTRF");
        w.text("specVersion", SPEC_VERSION);
        if let Some(started) = report.started_ms {
            w.text("timestamp", &rfc3339(started + tidy_ms(report.duration_ms)));
        }
        w.text("generatedBy", &format!("{TOOL} {}", report.environment.tool_version));
        w.object("results", |w| results(w, report));
    });
    w.finish() + "\n"
}

fn results(w: &mut JsonWriter, report: &Report) {
    let start = whole(report.started_ms.unwrap_or_default());
    // Without a test a file is green to some readers: nothing was seen, and that is not green.
    let nothing = usize::from(report.results.is_empty());
    program(w, "tool", &report.environment.tool_version);
    w.object("summary", |w| {
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
        w.number("stop", start + whole(report.duration_ms));
    });
    w.list("tests", report.results.iter().map(Some).chain((nothing > 0).then_some(None)), |w, result| {
        w.object("", |w| match result {
            Some(result) => test(w, result, report),
            None => {
                w.text("name", "nothing was checked");
                w.text("status", "other");
                w.number("duration", 0_u64);
                w.text("message", &cut(&incomplete(report).unwrap_or_default()));
                w.text("rawStatus", "incomplete");
            }
        });
    });
    w.object("extra", |w| extra(w, report));
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
    w.text("testId", &result.key());
    w.text("name", &format!("{} {}", result.check, result.title));
    w.text("status", status(result.outcome));
    w.number("duration", whole(result.duration_ms));
    w.texts("suite", [result.lane.as_deref().unwrap_or("agent"), result.area.name]);
    w.text_if_any("message", &cut(&result.message));
    if result.outcome != Outcome::Pass {
        w.text("trace", &cut(&body(result, report)));
    }
    w.text("rawStatus", raw_status(result.outcome));
    if is_flaky(result) {
        w.flag("flaky", true);
    }
    w.texts(
        "tags",
        [if result.good_practice { "good practice" } else { result.level.as_str() }, result.category.as_str()],
    );
    w.object("labels", |w| {
        w.text("check", result.check);
        w.maybe("lane", result.lane.as_deref());
        w.text("specification", &result.spec);
        w.maybe("specificationUrl", result.spec_url.as_deref());
    });
    w.text("type", "conformance");
}

fn extra(w: &mut JsonWriter, report: &Report) {
    for (name, value) in [
        ("verdict", report.word.as_str()),
        ("headline", &headline(report)),
        ("level", &report.level_sentence()),
        ("agent", &report.agent_name()),
        ("address", &report.address),
        ("protocolVersions", &report.versions().join(", ")),
        ("requirementSet", &report.suite),
        ("connection", &report.connection.remarks.join(" ")),
    ] {
        w.text_if_any(&format!("a2a.conformance/{name}"), &cut(value));
    }
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
