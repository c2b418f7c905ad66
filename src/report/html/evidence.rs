//! The exchanges that findings were read from in the HTML report: how many, and how much of a body or stream is shown.

use std::fmt::Write as _;

use super::tags::HtmlWriter;
use crate::engine::plural::count_of;
use crate::engine::transcript::whole_ms;
use crate::engine::verdict::Outcome;
use crate::report::model::Report;
use crate::report::text::{head, tidy_ms};
use crate::wire::exchange::{Exchange, Response};
use crate::wire::http::Headers;
use crate::wire::numbers::Numbers;

/// How many bytes of a body or of an event are shown.
const MAX_SHOWN: usize = 1024;
/// How many events of a stream.
const MAX_EVENTS: usize = 20;
/// How many exchanges: an agent that breaks everything would make a file that no browser shows well.
const MAX_EXCHANGES: usize = 200;

/// The exchanges that findings name, in their order.
pub(super) fn cited(report: &Report) -> Vec<&Exchange> {
    let findings = report
        .results
        .iter()
        .filter(|result| matches!(result.outcome, Outcome::Fail | Outcome::Note | Outcome::Unsteady));
    let mut ids = Numbers::default();
    for id in findings.flat_map(|result| &result.exchanges) {
        ids.insert(*id);
    }
    report.exchanges.iter().map(|exchange| &**exchange).filter(|exchange| ids.contains(exchange.id)).collect()
}

pub(super) fn exchanges(page: &mut HtmlWriter, report: &Report) {
    page.raw("<p>Secrets are masked, and long texts cut. The JSON report and the HAR file have all exchanges.</p>\n");
    for (place, exchange) in cited(report).into_iter().enumerate() {
        page.raw(&format!("<article id=\"x{}\">\n", exchange.id));
        let request = &exchange.request;
        let answer = exchange.status().map_or_else(|| exchange.end.no_answer(), |status| format!("HTTP {status}"));
        page.element("h3", "", &format!("#{} {} {}: {answer}", exchange.id, request.method, request.url));
        let ms = whole_ms(tidy_ms(tidy_ms(exchange.end_ms) - tidy_ms(exchange.sent_ms)));
        let lane = exchange.lane.as_deref().unwrap_or("agent card");
        page.element("p", "dim", &format!("{} of {} · {lane} · {ms} ms", exchange.step, exchange.scenario));
        // Every link has its target; only what it shows is less.
        if place < MAX_EXCHANGES {
            page.element("h4", "", "Request");
            page.element("pre", "", &message(&request.headers, request.body.as_deref().unwrap_or_default()));
            if let Some(response) = &exchange.response {
                page.element("h4", "", &format!("Response{}", response.headers.decoded_from()));
                page.element("pre", "", &answered(response));
            }
            if let Some(cut) = exchange.end.cut() {
                page.element("p", "", &cut);
            }
        }
        page.raw("</article>\n");
    }
}

fn message(headers: &Headers, body: &[u8]) -> String {
    let mut text = String::new();
    for (name, value) in headers.iter() {
        let _ = writeln!(text, "{name}: {}", shown(value));
    }
    if !body.is_empty() {
        let _ = write!(text, "\n{}", shown(&String::from_utf8_lossy(body)));
    }
    text
}

fn answered(response: &Response) -> String {
    let mut text = message(&response.headers, &response.body);
    for timed in response.frames.iter().take(MAX_EVENTS) {
        let ms = whole_ms(tidy_ms(tidy_ms(timed.at_ms) - tidy_ms(response.head_ms)));
        let _ = write!(text, "\n+{ms} ms: {}", shown(&timed.frame.data));
    }
    if response.frames.len() > MAX_EVENTS {
        let _ = write!(text, "\n… {} in all", count_of(response.frames.len(), "event"));
    }
    text
}

/// The beginning of a text, and how long it is if that is not all.
fn shown(text: &str) -> String {
    let kept = head(text, MAX_SHOWN);
    if kept.len() < text.len() { format!("{kept} … {} bytes", text.len()) } else { kept.to_owned() }
}
