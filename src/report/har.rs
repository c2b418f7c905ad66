//! The recorded exchanges as an HTTP archive (HAR 1.2), which browsers' developer tools and proxies open. It holds what was
//! recorded, secrets masked, and invents nothing: what a host does not show is left open, as the format provides for it.

use super::checked_row::CheckedRow;
use super::headline::counts;
use super::json_writer::JsonWriter;
use super::model::Report;
use super::text::{rfc3339, tidy_ms};
use super::tool::{TOOL, suite};
use crate::wire::base64::STANDARD;
use crate::wire::exchange::{End, Exchange, Response};
use crate::wire::http::{Headers, Request};
use crate::wire::order;
use crate::wire::sse;

/// The recording as a HAR file. Members that begin with `_` are ours.
#[must_use]
pub fn write(report: &Report) -> String {
    let cites = |result: &'_ CheckedRow| result.exchanges.iter().map(|id| (*id, result.key())).collect::<Vec<_>>();
    let mut checks: Vec<(u32, String)> = report.results.iter().flat_map(cites).collect();
    order::sort_by_key(&mut checks, |(id, _)| *id);
    let mut w = JsonWriter::whole();
    w.open("", '{');
    w.open("log", '{');
    w.text("version", "1.2");
    w.open("creator", '{');
    w.text("name", TOOL);
    w.text("version", &report.environment.tool_version);
    w.close('}');
    w.open("entries", '[');
    for exchange in &report.exchanges {
        let from = checks.partition_point(|(id, _)| *id < exchange.id);
        let to = checks.partition_point(|(id, _)| *id <= exchange.id);
        let about = checks.get(from..to).unwrap_or_default();
        entry(&mut w, exchange, about, report.started_ms.unwrap_or_default());
    }
    w.close(']');
    w.text("comment", &comment(report));
    w.close('}');
    w.close('}');
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
    w.open("", '{');
    w.text("startedDateTime", &rfc3339(started_ms + sent));
    w.ms("time", wait + receive);
    request(w, &exchange.request);
    match &exchange.response {
        Some(answer) => response(w, answer, sent),
        None => no_response(w),
    }
    w.open("cache", '{');
    w.close('}');
    w.open("timings", '{');
    w.number("send", 0);
    w.ms("wait", wait);
    w.ms("receive", receive);
    w.text("comment", "Connecting and sending were not measured apart; they are in wait.");
    w.close('}');
    w.text("comment", &format!("{} of {}", exchange.step, exchange.scenario));
    w.number("_id", exchange.id.into());
    w.maybe("_lane", exchange.lane.as_deref());
    w.maybe("_error", error(&exchange.end).as_deref());
    w.open("_checkIds", '[');
    for (_, check) in checks {
        w.text("", check);
    }
    w.close(']');
    w.close('}');
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
    w.open("request", '{');
    w.text("method", request.method.as_str());
    w.text("url", &request.url);
    unknown_version(w);
    headers(w, &request.headers);
    w.open("queryString", '[');
    let without_fragment = request.url.split('#').next().unwrap_or_default();
    let query = without_fragment.split_once('?').map_or("", |(_, query)| query);
    for field in query.split('&').filter(|field| !field.is_empty()) {
        let (name, value) = field.split_once('=').unwrap_or((field, ""));
        pair(w, name, value);
    }
    w.close(']');
    if let Some(body) = &request.body {
        w.open("postData", '{');
        w.text("mimeType", request.headers.get("content-type").unwrap_or_default());
        // The format has no encoding for what is sent.
        w.text("text", &String::from_utf8_lossy(body));
        w.close('}');
    }
    w.open("cookies", '[');
    w.close(']');
    size(w, "headersSize", None);
    size(w, "bodySize", Some(request.body.as_ref().map_or(0, Vec::len)));
    w.close('}');
}

fn response(w: &mut JsonWriter, response: &Response, sent_ms: f64) {
    w.open("response", '{');
    w.number("status", response.status.into());
    w.text("statusText", "");
    unknown_version(w);
    headers(w, &response.headers);
    w.open("cookies", '[');
    w.close(']');
    content(w, response);
    w.text("redirectURL", response.headers.get("location").unwrap_or_default());
    size(w, "headersSize", None);
    // How many bytes passed the network, which may have been compressed.
    size(w, "bodySize", None);
    if response.redirected {
        w.text("comment", &format!("A redirect was followed; {} answered.", response.url));
    }
    if !response.frames.is_empty() {
        w.open("_events", '[');
        for timed in &response.frames {
            w.open("", '{');
            w.ms("afterSending_ms", tidy_ms(timed.at_ms) - sent_ms);
            w.maybe("type", timed.frame.event.as_deref());
            w.maybe("id", timed.frame.id.as_deref());
            w.size("size", timed.frame.data.len());
            w.close('}');
        }
        w.close(']');
    }
    w.close('}');
}

/// The received content: the body, or the text of a stream's events.
fn content(w: &mut JsonWriter, response: &Response) {
    w.open("content", '{');
    w.size("size", response.bytes);
    w.text("mimeType", response.headers.get("content-type").unwrap_or_default());
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
    w.close('}');
}

/// The placeholder for an answer that never came, as browsers write it.
fn no_response(w: &mut JsonWriter) {
    w.open("response", '{');
    w.number("status", 0);
    w.text("statusText", "");
    unknown_version(w);
    for list in ["headers", "cookies"] {
        w.open(list, '[');
        w.close(']');
    }
    w.open("content", '{');
    w.number("size", 0);
    w.text("mimeType", "x-unknown");
    w.close('}');
    w.text("redirectURL", "");
    size(w, "headersSize", None);
    size(w, "bodySize", None);
    w.close('}');
}

/// No host tells it.
fn unknown_version(w: &mut JsonWriter) {
    w.text("httpVersion", "");
}

fn headers(w: &mut JsonWriter, headers: &Headers) {
    w.open("headers", '[');
    for (name, value) in headers.iter() {
        pair(w, name, value);
    }
    w.close(']');
}

fn pair(w: &mut JsonWriter, name: &str, value: &str) {
    w.open("", '{');
    w.text("name", name);
    w.text("value", value);
    w.close('}');
}

/// A size in bytes; -1 for what is not known.
fn size(w: &mut JsonWriter, name: &str, bytes: Option<usize>) {
    match bytes {
        Some(bytes) => w.size(name, bytes),
        None => w.minus_one(name),
    }
}
