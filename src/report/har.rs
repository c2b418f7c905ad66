//! The recorded exchanges as an HTTP archive (HAR 1.2), which browsers' developer tools and proxies open. It holds what was
//! recorded, secrets masked, and invents nothing: what a host does not show is left open, as the format provides for it.

use super::checked_row::CheckedRow;
use super::headline::counts;
use super::json_writer::JsonWriter;
use super::model::Report;
use super::text::{rfc3339, tidy_ms};
use super::tool::{program, suite};
use crate::wire::base64::STANDARD;
use crate::wire::exchange::{End, Exchange, Response};
use crate::wire::http::Request;
use crate::wire::order;
use crate::wire::sse;

/// The recording as a HAR file. Members that begin with `_` are ours.
#[must_use]
pub fn write(report: &Report) -> String {
    let cites = |result: &'_ CheckedRow| result.exchanges.iter().map(|id| (*id, result.key())).collect::<Vec<_>>();
    let mut checks: Vec<(u32, String)> = report.results.iter().flat_map(cites).collect();
    order::sort_by_key(&mut checks, |(id, _)| *id);
    let mut w = JsonWriter::whole();
    w.object("", |w| {
        w.object("log", |w| {
            w.text("version", "1.2");
            program(w, "creator", &report.environment.tool_version);
            w.objects("entries", &report.exchanges, |w, exchange| {
                let from = checks.partition_point(|(id, _)| *id < exchange.id);
                let to = checks.partition_point(|(id, _)| *id <= exchange.id);
                let about = checks.get(from..to).unwrap_or_default();
                entry(w, exchange, about, report.started_ms.unwrap_or_default());
            });
            w.text("comment", &comment(report));
        });
    });
    w.finish() + "\n"
}

fn comment(report: &Report) -> String {
    let hidden = match &report.environment.user_agent {
        Some(browser) => format!(
            " Recorded by a page in {browser}: headers that CORS hides, preflights and the headers that the browser adds are \
             not in it."
        ),
        None => String::new(),
    };
    let remarks: String = report.connection.remarks.iter().map(|remark| format!(" {remark}")).collect();
    format!("{} {} Judged by {}. Secrets are masked.{hidden}{remarks}", report.address, counts(report), suite())
}

fn entry(w: &mut JsonWriter, exchange: &Exchange, checks: &[(u32, String)], started_ms: f64) {
    let (sent, end) = (tidy_ms(exchange.sent_ms), tidy_ms(exchange.end_ms));
    let head = exchange.response.as_ref().map_or(end, |response| tidy_ms(response.head_ms));
    let (wait, receive) = (tidy_ms(head - sent), tidy_ms(end - head.max(sent)));
    w.text("startedDateTime", &rfc3339(started_ms + sent));
    w.decimal("time", wait + receive);
    w.object("request", |w| request(w, &exchange.request));
    // An answer that never came has a placeholder, as browsers write it.
    w.object("response", |w| response(w, exchange.response.as_ref().unwrap_or(&Response::default()), sent));
    w.object("cache", |_| {});
    w.object("timings", |w| {
        w.number("send", 0_u64);
        w.decimal("wait", wait);
        w.decimal("receive", receive);
        w.text("comment", "Connecting and sending were not measured apart; they are in wait.");
    });
    w.text("comment", &format!("{} of {}", exchange.step, exchange.scenario));
    w.number("_id", exchange.id);
    w.maybe("_lane", exchange.lane.as_deref());
    w.maybe("_error", error(&exchange.end).as_deref());
    w.texts("_checkIds", checks.iter().map(|(_, check)| check));
}

/// Why there is no answer, or no whole one.
fn error(end: &End) -> Option<String> {
    match end {
        End::Complete => None,
        End::HungUp => Some("we had seen enough and closed the connection".to_owned()),
        end => end.cut(),
    }
}

fn request(w: &mut JsonWriter, request: &Request) {
    w.text("method", request.method.as_str());
    w.text("url", &request.url);
    // No host tells it.
    w.text("httpVersion", "");
    pairs(w, "headers", request.headers.iter());
    let without_fragment = request.url.split('#').next().unwrap_or_default();
    let query = without_fragment.split_once('?').map_or("", |(_, query)| query);
    let fields = query.split('&').filter(|field| !field.is_empty());
    pairs(w, "queryString", fields.map(|field| field.split_once('=').unwrap_or((field, ""))));
    if let Some(body) = &request.body {
        w.object("postData", |w| {
            w.text("mimeType", request.headers.get("content-type").unwrap_or_default());
            // The format has no encoding for what is sent.
            w.text("text", &String::from_utf8_lossy(body));
        });
    }
    pairs(w, "cookies", []);
    w.minus_one("headersSize");
    w.size("bodySize", request.body.as_ref().map_or(0, Vec::len));
}

fn response(w: &mut JsonWriter, response: &Response, sent_ms: f64) {
    w.number("status", response.status);
    w.text("statusText", "");
    w.text("httpVersion", "");
    pairs(w, "headers", response.headers.iter());
    pairs(w, "cookies", []);
    w.object("content", |w| content(w, response));
    w.text("redirectURL", response.headers.get("location").unwrap_or_default());
    w.minus_one("headersSize");
    // How many bytes passed the network, which may have been compressed.
    w.minus_one("bodySize");
    if response.redirected {
        w.text("comment", &format!("A redirect was followed; {} answered.", response.url));
    }
    if !response.frames.is_empty() {
        w.objects("_events", &response.frames, |w, timed| {
            w.decimal("afterSending_ms", tidy_ms(timed.at_ms) - sent_ms);
            w.maybe("type", timed.frame.event.as_deref());
            w.maybe("id", timed.frame.id.as_deref());
            w.size("size", timed.frame.data.len());
        });
    }
}

/// The received content: the body, or the text of a stream's events.
fn content(w: &mut JsonWriter, response: &Response) {
    // Without content codings, as the format wants it.
    w.size("size", response.bytes);
    let unknown = if response.status == 0 { "x-unknown" } else { "" };
    w.text("mimeType", response.headers.get("content-type").unwrap_or(unknown));
    if response.body.is_empty() && !response.frames.is_empty() {
        let events: String = response.frames.iter().map(|timed| sse::write(&timed.frame)).collect();
        w.text("text", &events);
        w.text("comment", "The events that were read, written anew: without comments, with line feeds.");
    } else if !response.body.is_empty() {
        match std::str::from_utf8(&response.body) {
            Ok(text) => w.text("text", text),
            Err(_) => {
                w.text("text", &STANDARD.encode(&response.body));
                w.text("encoding", "base64");
            }
        }
        if response.body.len() < response.bytes {
            let (kept, all) = (response.body.len(), response.bytes);
            w.text("comment", &format!("The first {kept} of {all} bytes: the recording holds no more."));
        }
    }
}

fn pairs<'a>(w: &mut JsonWriter, list: &str, pairs: impl IntoIterator<Item = (&'a str, &'a str)>) {
    w.objects(list, pairs, |w, (name, value)| {
        w.text("name", name);
        w.text("value", value);
    });
}
