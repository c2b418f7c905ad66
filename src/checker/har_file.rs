//! Reads a HAR file (HTTP Archive 1.2) as recorded exchanges, whoever wrote it; how long it may be, and why it is refused. Of each
//! it is known whether the file holds the answer whole: browsers leave bodies out, or cut them, and nothing may be judged by what
//! was left out.

use crate::wire::base64::STANDARD;
use crate::wire::exchange::{End, Exchange, Response, TimedFrame, TransportError, TransportErrorKind};
use crate::wire::http::{Headers, Method, Request};
use crate::wire::json::{Value, parse};
use crate::wire::sse::{Item, Limits, Parser};
use crate::wire::timestamp;

/// The longest file that is read, in bytes.
const LONGEST: usize = 50_000_000;
/// The error in place of an answer that the file does not contain in full.
const NOT_HELD: &str = "the file does not hold the whole answer";

#[derive(Debug)]
pub(super) struct HarFile {
    /// The program that wrote it, with its version.
    pub(super) creator: String,
    /// When the first request left, in milliseconds since 1970; 0 if the file does not say.
    pub(super) started_ms: f64,
    /// From the first request to the last answer.
    pub(super) duration_ms: f64,
    /// The exchanges in the order of the file, numbered from 2: the first number is the card's.
    pub(super) exchanges: Vec<Exchange>,
}

/// Whether a text may be a HAR file: JSON with a member `log`.
pub(super) fn is_har(text: &str) -> bool {
    parse(text.as_bytes()).value.is_some_and(|value| value.get("log").is_some())
}

/// Reads a file. The error is one sentence on why it is not a HAR file.
pub(super) fn read(text: &str) -> Result<HarFile, String> {
    if text.len() > LONGEST {
        return Err("The HAR file is larger than 50 MB. Save the requests to the agent alone.".to_owned());
    }
    let value = parse(text.trim_start_matches('\u{feff}').as_bytes()).value.unwrap_or_default();
    let entries = value.pointer("/log/entries").and_then(Value::as_array).ok_or_else(|| {
        "This has the member log of a HAR file, but log.entries is not an array of requests and answers.".to_owned()
    })?;
    let text_at = |pointer: &str| value.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let creator = format!("{} {}", text_at("/log/creator/name"), text_at("/log/creator/version")).trim().to_owned();
    let starts: Vec<f64> = entries.iter().filter_map(started).collect();
    let started_ms = starts.iter().copied().reduce(f64::min).unwrap_or_default();
    let mut exchanges = Vec::new();
    for entry in entries {
        let id = u32::try_from(exchanges.len() + 2).unwrap_or(u32::MAX);
        exchanges.extend(exchange(entry, id, started(entry).map_or(0.0, |at| (at - started_ms).max(0.0))));
    }
    if exchanges.is_empty() {
        return Err("This HAR file holds no request that can be shown.".to_owned());
    }
    let duration_ms = exchanges.iter().map(|exchange| exchange.end_ms).fold(0.0, f64::max);
    let creator = if creator.is_empty() { "an unnamed program".to_owned() } else { creator };
    Ok(HarFile { creator, started_ms, duration_ms, exchanges })
}

/// When a request left, in milliseconds since 1970.
fn started(entry: &Value) -> Option<f64> {
    let (seconds, nanos) = timestamp::parse(entry.get("startedDateTime")?.as_str()?)?;
    // Dates of this age fit a double to the microsecond.
    Some(seconds as f64 * 1000.0 + f64::from(nanos / 1_000_000))
}

fn exchange(entry: &Value, id: u32, sent_ms: f64) -> Option<Exchange> {
    let asked = entry.get("request")?;
    let url = asked.get("url").and_then(Value::as_str).filter(|url| url.starts_with("http"))?;
    let url = url.split('#').next().unwrap_or(url).to_owned();
    let body = asked.pointer("/postData/text").and_then(Value::as_str).map(|text| text.as_bytes().to_vec());
    // The answer to HEAD has no body, so that it says nothing of what an agent answers.
    let method = Method::parse(asked.get("method")?.as_str()?).filter(|method| *method != Method::Head)?;
    let request = Request { method, url: url.clone(), headers: headers(asked), body };
    let took_ms =
        entry.get("time").and_then(Value::as_f64).filter(|ms| ms.is_finite() && *ms > 0.0).unwrap_or_default();
    let end_ms = sent_ms + took_ms;
    let (response, end) = match entry.get("response") {
        Some(response) if status(response) > 0 => answer(response, url, entry, end_ms),
        _ => {
            let detail = entry.get("_error").and_then(Value::as_str).unwrap_or("the file shows no answer").to_owned();
            (None, End::NoAnswer(TransportError { kind: TransportErrorKind::Other, detail }))
        }
    };
    let (scenario, step) = ("recorded".to_owned(), String::new());
    Some(Exchange { id, lane: None, scenario, step, request, sent_ms, response, end, end_ms })
}

fn status(response: &Value) -> u16 {
    response.get("status").and_then(Value::as_u64).and_then(|status| u16::try_from(status).ok()).unwrap_or_default()
}

fn headers(message: &Value) -> Headers {
    let list = message.get("headers").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let field =
        |field: &Value| Some((field.get("name")?.as_str()?.to_owned(), field.get("value")?.as_str()?.to_owned()));
    let mut headers = Headers::default();
    // The pseudo-header fields of HTTP/2 are not headers.
    for (name, value) in list.iter().filter_map(field).filter(|(name, _)| !name.starts_with(':')) {
        headers.push(name, value);
    }
    headers
}

/// The answer as far as the file holds it, and its end: complete only where nothing was left out.
fn answer(response: &Value, url: String, entry: &Value, end_ms: f64) -> (Option<Response>, End) {
    let content = response.get("content");
    let of = |name: &str| content.and_then(|content| content.get(name));
    let mut fields = headers(response);
    let media = of("mimeType").and_then(Value::as_str).filter(|media| media.contains('/'));
    let names_media = fields.get("content-type").is_some();
    // Some writers leave all header fields out, and still say what the body was.
    if let (false, Some(media)) = (names_media, media) {
        fields.push("content-type", media);
    }
    let text = of("text").and_then(Value::as_str);
    let body = match (text, of("encoding").and_then(Value::as_str)) {
        (Some(text), Some(encoding)) if encoding.eq_ignore_ascii_case("base64") => STANDARD.decode(text),
        (text, None | Some("")) => text.map(|text| text.as_bytes().to_vec()),
        _ => None,
    };
    let size = of("size").and_then(Value::as_u64).and_then(|size| usize::try_from(size).ok()).unwrap_or_default();
    let is_whole = body.as_ref().is_some_and(|body| !body.is_empty() && body.len() >= size);
    let is_cached = entry.get("_fromCache").is_some();
    let body = body.unwrap_or_default();
    let mut answer = Response {
        status: status(response),
        headers: fields,
        url,
        head_ms: end_ms,
        bytes: body.len().max(size),
        ..Response::default()
    };
    let has_media = answer.headers.media_type().is_some();
    let mut end = if is_whole && has_media && !is_cached { End::Complete } else { End::TooLarge(NOT_HELD.to_owned()) };
    if answer.is_event_stream() {
        // An event that the end cut off is left out, and that the stream ended says nothing: the recording may have been stopped.
        if is_whole {
            end = End::HungUp;
        }
        answer.frames = frames(&body, end_ms);
    } else {
        answer.body = body;
    }
    (Some(answer), end)
}

fn frames(body: &[u8], at_ms: f64) -> Vec<TimedFrame> {
    let mut parser = Parser::new(Limits::default());
    let mut items = parser.push(body);
    items.extend(parser.finish());
    let frame = |item| match item {
        Item::Event(frame) if frame.terminated => Some(TimedFrame { at_ms, frame }),
        _ => None,
    };
    items.into_iter().filter_map(frame).collect()
}
