//! The raw results, written when another writer panics: everything that was recorded, as plain JSON, so that a fault in a report
//! loses no run.

use super::checked_row::CheckedRow;
use super::json_writer::JsonWriter;
use super::model::Report;
use super::tool::TOOL;
use crate::engine::event::Completion;
use crate::wire::exchange::Exchange;

/// The value of the member `kind`, by which a reader tells a raw dump from a report.
pub const KIND: &str = "raw-results";

/// The results and the exchanges as JSON. It shares nothing with the formats but the writer of JSON, and computes nothing.
#[must_use]
pub fn write(report: &Report) -> String {
    let completion = match &report.completion {
        None => "running".to_owned(),
        Some(Completion::Complete) => "complete".to_owned(),
        Some(Completion::Filtered) => "filtered".to_owned(),
        Some(Completion::CardOnly) => "card only".to_owned(),
        Some(Completion::EndpointOnly) => "endpoint only".to_owned(),
        Some(Completion::Written) => "written tests".to_owned(),
        Some(Completion::Pair) => "two agents".to_owned(),
        Some(Completion::Watched) => "watched client".to_owned(),
        Some(Completion::Stopped) => "stopped".to_owned(),
        Some(Completion::Incomplete(why)) => format!("incomplete: {why}"),
    };
    let mut w = JsonWriter::default();
    w.object("", |w| {
        w.text("kind", KIND);
        w.text("tool", &format!("{TOOL} {}", report.environment.tool_version));
        w.text("agentUrl", &report.address);
        w.text("completion", &completion);
        w.or_null("cause", report.cause.as_deref());
        w.objects("results", &report.results, result);
        w.objects("exchanges", &report.exchanges, |w, each| exchange(w, each));
    });
    w.finish() + "\n"
}

fn result(w: &mut JsonWriter, result: &CheckedRow) {
    w.text("test", result.check);
    w.or_null("lane", result.lane.as_deref());
    w.text("level", result.level.as_str());
    w.text("status", result.outcome.status().as_str());
    w.or_null("reason", result.outcome.reason());
    w.text("message", &result.message);
    w.or_null("expected", result.expected.as_deref());
    w.or_null("actual", result.actual.as_deref());
    w.or_null("pointer", result.pointer.as_deref());
    w.numbers("exchanges", &result.exchanges);
    w.text("spec", &result.spec);
    w.or_null("remediation", result.remediation.as_deref());
}

fn exchange(w: &mut JsonWriter, exchange: &Exchange) {
    w.number("id", exchange.id);
    w.or_null("lane", exchange.lane.as_deref());
    w.text("scenario", &exchange.scenario);
    w.text("step", &exchange.step);
    w.text("method", exchange.request.method.as_str());
    w.text("url", &exchange.request.url);
    w.or_null("requestBody", exchange.request.body.as_deref().map(String::from_utf8_lossy).as_deref());
    match &exchange.response {
        Some(response) => {
            w.number("status", response.status);
            w.list("responseHeaders", response.headers.iter(), |w, (name, value)| w.texts("", [name, value]));
            w.text("responseBody", &String::from_utf8_lossy(&response.body));
            w.texts("events", response.frames.iter().map(|timed| &timed.frame.data));
        }
        None => {
            for name in ["status", "responseHeaders", "responseBody", "events"] {
                w.or_null(name, None);
            }
        }
    }
    w.text("end", &format!("{:?}", exchange.end));
}
