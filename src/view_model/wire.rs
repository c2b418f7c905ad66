//! A recorded exchange as two sheets, request and answer, with the place that a finding is about, and how much of bodies and
//! streams is shown. Everything in here is text, never markup.

mod command;
mod stream;
mod whole;

use super::format;
use crate::a2a::headers::{EXPOSED, SAFELISTED_IN_RESPONSES, is_exposed};
use crate::view_model::binary_encoding::binary_encoding;
use crate::wire::exchange::{End, Exchange, Response, TimedFrame, TransportErrorKind};
use crate::wire::http::Headers;
use crate::wire::json::{self, Line};
use crate::wire::url::Url;
pub use command::{bash, power_shell};
pub use stream::event_summary;
pub use whole::{FullBody, MessageSide, laid_out, whole};

/// How much of a body is shown, in bytes.
pub const SHOWN: usize = 10_000;

const SHOWN_EVENTS: usize = 200;

/// The place that a finding is about.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Mark {
    /// The event of a stream, from 1.
    pub event: Option<usize>,
    /// A JSON pointer.
    pub pointer: Option<String>,
    /// The place in other words: a header's name, a frame.
    pub words: String,
}

impl Mark {
    /// Reads a verdict's pointer: a JSON pointer, `event 3 /status`, a header's name, or any words.
    #[must_use]
    pub fn parse(place: &str) -> Self {
        let (before, after) = place.split_at(place.find('/').unwrap_or(place.len()));
        // `application/json` contains a slash as well, and is not a pointer.
        let is_pointer = !after.is_empty() && (before.is_empty() || before.ends_with([' ', '#']));
        let (before, pointer) = if is_pointer { (before, Some(after)) } else { (place, None) };
        let words = before.trim_end_matches('#').trim().to_ascii_lowercase();
        let number = words.strip_prefix("event ").or_else(|| words.strip_prefix("frame "));
        let event = number.and_then(|rest| rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok());
        Self { event, pointer: pointer.map(|text| text.trim_end().to_owned()), words }
    }

    fn is_header(&self, name: &str) -> bool {
        let mut words = self.words.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
        self.pointer.is_none() && words.any(|word| word.eq_ignore_ascii_case(name))
    }

    fn is_line(&self, line: &Line) -> bool {
        matches!((&self.pointer, &line.pointer), (Some(mark), Some(here)) if !mark.is_empty() && mark == here.as_str())
    }
}

/// A request or an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct HttpMessage {
    /// The first line: method and URL, or status.
    pub line: String,
    /// The header fields.
    pub headers: Vec<HeaderField>,
    /// A sentence on the header fields that this host may have hidden from us; empty where it shows all.
    pub hidden: String,
    /// The body.
    pub body: ShownBody,
}

binary_encoding! { struct HttpMessage { line, headers, hidden, body } }

/// A header field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeaderField {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// Whether a finding is about it.
    pub marked: bool,
}

binary_encoding! { struct HeaderField { name, value, marked } }

/// A body as it is shown.
#[derive(Debug, Clone, PartialEq)]
pub enum ShownBody {
    /// None.
    Empty,
    /// Lines of text; a note on what was left out.
    Text {
        /// The lines.
        lines: Vec<TextLine>,
        /// A note on what was left out, if anything was.
        cut: Option<String>,
    },
    /// The events of a stream.
    Timeline {
        /// The events.
        events: Vec<ShownEvent>,
        /// A note on what was left out, if anything was.
        cut: Option<String>,
    },
}

binary_encoding! { enum ShownBody { Empty, Text { lines, cut }, Timeline { events, cut } } }

/// How a piece of a line is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// As it came.
    Raw,
    /// The name of a member.
    Key,
    /// A string.
    String,
    /// A number.
    Number,
    /// `true`, `false` or `null`.
    Literal,
    /// Brackets, commas, colons.
    Punctuation,
}

binary_encoding! { enum Style { Raw, Key, String, Number, Literal, Punctuation } }

impl Style {
    /// Its name in style sheets.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Raw => "raw",
            Self::Key => "key",
            Self::String => "str",
            Self::Number => "num",
            Self::Literal => "lit",
            Self::Punctuation => "pun",
        }
    }
}

/// A line of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextLine {
    /// The line in pieces.
    pub spans: Vec<(Style, String)>,
    /// Whether a finding is about it.
    pub marked: bool,
}

binary_encoding! { struct TextLine { spans, marked } }

/// An event of a stream.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownEvent {
    /// Its number, from 1.
    pub number: usize,
    /// When it came, after the request left.
    pub at: String,
    /// How long the stream was silent before it.
    pub gap: String,
    /// The gap on a scale from 0 to 6, logarithmic.
    pub scale: u8,
    /// Its type, if it is not the default.
    pub name: String,
    /// A summary of its data: `statusUpdate · WORKING`; the data on one line where there is none.
    pub brief: String,
    /// Its data.
    pub lines: Vec<TextLine>,
    /// A note on what was left out of it, if anything was.
    pub cut: Option<String>,
    /// Whether a finding is about it.
    pub marked: bool,
}

binary_encoding! { struct ShownEvent { number, at, gap, scale, name, brief, lines, cut, marked } }

/// The request's sheet.
#[must_use]
pub fn request(exchange: &Exchange) -> HttpMessage {
    let request = &exchange.request;
    HttpMessage {
        line: format!("{} {}", request.method, request.url),
        headers: fields(&request.headers, &Mark::default()),
        hidden: String::new(),
        body: match &request.body {
            Some(bytes) if !bytes.is_empty() => body(bytes, bytes.len(), &Mark::default()),
            _ => ShownBody::Empty,
        },
    }
}

/// The answer's sheet; `None` when no answer came. `hides_from` is the origin of the page from which a browser hides what other
/// origins do not expose; `None` where all is seen.
#[must_use]
pub fn response(exchange: &Exchange, mark: &Mark, hides_from: Option<&str>) -> Option<HttpMessage> {
    let response = exchange.response.as_ref()?;
    let is_other = |home: &&str| Url::parse(&response.url).is_ok_and(|url| url.origin() != *home);
    let hidden = hides_from.filter(is_other).map(|_| hidden(&response.headers)).unwrap_or_default();
    let redirected = if response.redirected { format!(" (redirected to {})", response.url) } else { String::new() };
    Some(HttpMessage {
        line: format!("HTTP {}{}{redirected}", response.status, response.headers.decoded_from()),
        headers: fields(&response.headers, mark),
        hidden,
        body: if !response.frames.is_empty() {
            timeline(exchange.sent_ms, response, mark)
        } else if response.body.is_empty() {
            ShownBody::Empty
        } else {
            body(&response.body, response.bytes.max(response.body.len()), mark)
        },
    })
}

/// How the exchange ended, if not simply with its last byte.
#[must_use]
pub fn ending(end: &End) -> Option<String> {
    Some(match end {
        End::Complete => return None,
        End::HungUp => "This checker had seen enough and closed the connection.".to_owned(),
        End::Deadline(budget) => format!("No more came within {budget}, so this checker stopped waiting."),
        End::TooLarge(what) => format!("This checker stopped reading: {what}."),
        End::Broken(detail) => format!("The answer broke off: {detail}"),
        End::NoAnswer(trouble) => {
            let what = match trouble.kind {
                TransportErrorKind::Opaque => {
                    "No answer that this page may read. The agent may be down, or it may not allow other origins (CORS); the \
                     browser does not tell a page which."
                }
                TransportErrorKind::BadUrl => "The URL cannot be requested.",
                TransportErrorKind::Unreachable => "Nothing could be reached there.",
                TransportErrorKind::Tls => "The secure connection failed.",
                TransportErrorKind::Closed => "The connection was closed without an answer.",
                TransportErrorKind::Redirect => "The agent redirected, and the redirect was not followed.",
                TransportErrorKind::Other => "No answer came.",
            };
            // A browser's own text is the same for every cause, and names none.
            let is_opaque = trouble.kind == TransportErrorKind::Opaque;
            if is_opaque { what.to_owned() } else { format!("{what} ({})", trouble.detail) }
        }
    })
}

/// A sentence on the response headers that the browser hides from a page because the agent does not expose them. A page cannot
/// see their names either, so the sentence names those that would matter.
fn hidden(headers: &Headers) -> String {
    let is_hidden = |name: &&str| headers.get(name).is_none() && !is_exposed(headers, name);
    let wanted: Vec<&str> = EXPOSED.into_iter().filter(is_hidden).collect();
    if wanted.is_empty() {
        return String::new();
    }
    format!(
        "The browser hides from this page whatever the agent does not list in Access-Control-Expose-Headers, except {}. \
         Hidden, if the agent sent them: {}.",
        SAFELISTED_IN_RESPONSES.join(", "),
        wanted.join(", ")
    )
}

fn fields(headers: &Headers, mark: &Mark) -> Vec<HeaderField> {
    let field = |(name, value): (&str, &str)| HeaderField {
        name: name.to_owned(),
        value: value.to_owned(),
        marked: mark.is_header(name),
    };
    headers.iter().map(field).collect()
}

/// A body's bytes: laid out if they are JSON, else as they came.
#[must_use]
pub fn body(bytes: &[u8], total: usize, mark: &Mark) -> ShownBody {
    // A body that is far too long to be shown is not read either.
    if bytes.len() > 100 * SHOWN {
        return plain(bytes, total);
    }
    let Some(value) = json::read(bytes) else { return plain(bytes, total) };
    let (lines, cut) = json_lines(&value, total, mark);
    ShownBody::Text { lines, cut }
}

fn plain(bytes: &[u8], total: usize) -> ShownBody {
    let shown = bytes.get(..SHOWN.min(bytes.len())).unwrap_or_default();
    let text = String::from_utf8_lossy(shown);
    let line = |line: &str| TextLine { spans: vec![(Style::Raw, line.to_owned())], marked: false };
    ShownBody::Text { lines: text.lines().map(line).collect(), cut: cut(shown.len(), total) }
}

fn cut(shown: usize, total: usize) -> Option<String> {
    (shown < total).then(|| format!("Cut: {} of {} are shown.", format::bytes(shown), format::bytes(total)))
}

/// A window of about [`SHOWN`] bytes: from the start, or around the marked line if that would be cut off.
fn json_lines(value: &json::Value, total: usize, mark: &Mark) -> (Vec<TextLine>, Option<String>) {
    const BEFORE: usize = 20;
    let all = json::tokens(value);
    let size = |line: &Line| line.indent * 2 + 1 + line.spans.iter().map(|span| span.text.len()).sum::<usize>();
    let fits = |from: usize| {
        let mut room = SHOWN;
        all.iter().skip(from).take_while(move |line| {
            let fits = room > 0;
            room = room.saturating_sub(size(line));
            fits
        })
    };
    let marked = all.iter().position(|line| mark.is_line(line)).unwrap_or(0);
    let from = if marked >= fits(0).count() { marked.saturating_sub(BEFORE) } else { 0 };
    let count = fits(from).count();
    let lines = fits(from).map(|line| text_line(line, mark.is_line(line), SHOWN)).collect();
    let cut = (count < all.len()).then(|| {
        let (first, last, whole) = (from + 1, from + count, format::bytes(total));
        format!("Cut: lines {first} to {last} of {} are shown; the whole is {whole}.", all.len())
    });
    (lines, cut)
}

/// A line of JSON. Of each piece no more than so many characters are shown: one enormous string would fill the page.
pub(super) fn text_line(line: &Line, marked: bool, longest: usize) -> TextLine {
    let mut spans = Vec::with_capacity(line.spans.len() + 1);
    if line.indent > 0 {
        spans.push((Style::Raw, "  ".repeat(line.indent.min(40))));
    }
    for span in &line.spans {
        let style = match span.kind {
            json::SpanKind::Key => Style::Key,
            json::SpanKind::String => Style::String,
            json::SpanKind::Number => Style::Number,
            json::SpanKind::Literal => Style::Literal,
            json::SpanKind::Punctuation => Style::Punctuation,
        };
        spans.push((style, json::clip(&span.text, longest)));
    }
    TextLine { spans, marked }
}

fn timeline(sent_ms: f64, response: &Response, mark: &Mark) -> ShownBody {
    let mut before = sent_ms;
    let mut events = Vec::new();
    for (index, timed) in response.frames.iter().take(SHOWN_EVENTS).enumerate() {
        events.push(event(index + 1, timed, sent_ms, before, mark));
        before = timed.at_ms;
    }
    let left_out = response.frames.len() - events.len();
    let cut = (left_out > 0).then(|| format!("Cut: {left_out} more events are not shown."));
    ShownBody::Timeline { events, cut }
}

fn event(number: usize, timed: &TimedFrame, sent_ms: f64, before: f64, mark: &Mark) -> ShownEvent {
    let data = &timed.frame.data;
    let is_marked = mark.event == Some(number);
    let here = if is_marked || mark.event.is_none() { mark.clone() } else { Mark::default() };
    let (lines, cut) = match body(data.as_bytes(), data.len(), &here) {
        ShownBody::Text { lines, cut } => (lines, cut),
        _ => (Vec::new(), None),
    };
    let gap = (timed.at_ms - before).max(0.0);
    ShownEvent {
        number,
        at: format::duration(timed.at_ms - sent_ms),
        gap: format::duration(gap),
        scale: scale(gap),
        name: timed.frame.event.clone().unwrap_or_default(),
        brief: event_summary(data),
        lines,
        cut,
        marked: is_marked,
    }
}

/// 0 below 3 ms, then one step per half an order of magnitude.
const fn scale(ms: f64) -> u8 {
    match ms {
        ..3.0 => 0,
        ..10.0 => 1,
        ..30.0 => 2,
        ..100.0 => 3,
        ..1_000.0 => 4,
        ..10_000.0 => 5,
        _ => 6,
    }
}

#[cfg(test)]
mod tests;
