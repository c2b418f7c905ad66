//! The serialised form of a recorded exchange, and the way back: a recording out of a file can be judged again. It is
//! written as it was recorded, that is redacted.

mod base64;
mod restore;

pub use restore::RestoreError;

use serde::{Deserialize, Serialize};

use super::text::{head, tidy_ms};
use crate::wire::exchange::{End, Exchange, Response, TimedFrame, TroubleKind};
use crate::wire::http::Headers;
use crate::wire::sse::Oddity;

/// How many bytes of a body, or of one event's data, are written.
pub const MAX_BODY: usize = 64 * 1024;

/// One request and what came of it. Times are milliseconds since the run began.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JsonExchange {
    /// Its number, from 1: what `exchanges` of a result points at.
    pub id: u32,
    /// The lane; absent for the card.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lane: Option<String>,
    /// The scenario that sent it.
    pub scenario: String,
    /// The step of that scenario.
    pub step: String,
    /// When the request left.
    #[serde(rename = "sent_ms")]
    pub sent_ms: f64,
    /// When it ended.
    #[serde(rename = "end_ms")]
    pub end_ms: f64,
    /// How it ended.
    pub end: JsonEnd,
    /// What was sent.
    pub request: JsonRequest,
    /// What came back; absent when no HTTP answer came.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response: Option<JsonResponse>,
}

/// How an exchange ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JsonEnd {
    /// The kind of end.
    pub kind: EndKind,
    /// The kind of trouble when no answer came.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trouble: Option<JsonTrouble>,
    /// The host's own words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// The kinds of end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the variants are those of `wire::exchange::End`")]
pub enum EndKind {
    Complete,
    HungUp,
    Deadline,
    TooLarge,
    Broken,
    NoAnswer,
}

/// The kinds of trouble.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the variants are those of `wire::exchange::TroubleKind`")]
pub enum JsonTrouble {
    Opaque,
    BadUrl,
    Unreachable,
    Tls,
    Closed,
    Redirect,
    Other,
}

/// A header field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JsonHeader {
    /// Its name as it was written.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// A request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JsonRequest {
    /// The method.
    pub method: String,
    /// The absolute URL.
    pub url: String,
    /// The fields that we set.
    pub headers: Vec<JsonHeader>,
    /// The body, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<JsonBody>,
}

/// A response, as far as it was read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JsonResponse {
    /// The status code.
    pub status: u16,
    /// The URL that answered, after redirects.
    pub url: String,
    /// Whether a redirect was followed.
    pub redirected: bool,
    /// When the head arrived.
    #[serde(rename = "head_ms")]
    pub head_ms: f64,
    /// The fields that the host showed us.
    pub headers: Vec<JsonHeader>,
    /// The body of a plain answer; absent when it is empty or an event stream.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<JsonBody>,
    /// How many bytes arrived, kept or not.
    pub bytes: usize,
    /// The events of an event stream.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<JsonFrame>,
    /// What the stream did that most do not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub oddities: Vec<JsonOddity>,
    /// How many comment lines the stream held.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub comments: u32,
}

/// The bytes of a body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JsonBody {
    /// How `content` holds them.
    pub encoding: Encoding,
    /// The bytes, at most [`MAX_BODY`] of them.
    pub content: String,
    /// How many there are in truth.
    pub size: usize,
    /// Whether `content` holds only the first of them.
    #[serde(default, skip_serializing_if = "is_false")]
    pub truncated: bool,
}

/// How bytes are written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Encoding {
    /// As the text they are.
    #[serde(rename = "utf-8")]
    Utf8,
    /// RFC 4648 §4, with padding: they are no UTF-8.
    Base64,
}

/// An event of a stream.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JsonFrame {
    /// When its last byte arrived.
    pub at_ms: f64,
    /// Its type, if it names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// Its id, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Its reconnection time in milliseconds, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry: Option<u64>,
    /// Its data, at most [`MAX_BODY`] bytes of it.
    pub data: String,
    /// How many bytes its data has in truth; only where `data` is cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<usize>,
    /// Whether an empty line ended it.
    pub terminated: bool,
}

/// Something in a stream that most streams do not have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JsonOddity {
    /// Its kind: `invalid-utf8`.
    pub kind: String,
    /// The name or value it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The limit in bytes that was passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
}

// serde hands these two a reference.
const fn is_zero(number: &u32) -> bool {
    *number == 0
}

const fn is_false(flag: &bool) -> bool {
    !*flag
}

impl From<&Exchange> for JsonExchange {
    fn from(exchange: &Exchange) -> Self {
        let request = &exchange.request;
        Self {
            id: exchange.id,
            lane: exchange.lane.clone(),
            scenario: exchange.scenario.clone(),
            step: exchange.step.clone(),
            sent_ms: tidy_ms(exchange.sent_ms),
            end_ms: tidy_ms(exchange.end_ms),
            end: JsonEnd::from(&exchange.end),
            request: JsonRequest {
                method: request.method.as_str().to_owned(),
                url: request.url.clone(),
                headers: headers(&request.headers),
                body: request.body.as_deref().map(JsonBody::of),
            },
            response: exchange.response.as_ref().map(JsonResponse::from),
        }
    }
}

impl From<&End> for JsonEnd {
    fn from(end: &End) -> Self {
        let plain = |kind| Self { kind, trouble: None, detail: None };
        match end {
            End::Complete => plain(EndKind::Complete),
            End::HungUp => plain(EndKind::HungUp),
            End::Deadline => plain(EndKind::Deadline),
            End::TooLarge => plain(EndKind::TooLarge),
            End::Broken(detail) => Self { detail: Some(detail.clone()), ..plain(EndKind::Broken) },
            End::NoAnswer(trouble) => Self {
                trouble: Some(JsonTrouble::from(trouble.kind)),
                detail: Some(trouble.detail.clone()),
                ..plain(EndKind::NoAnswer)
            },
        }
    }
}

impl From<TroubleKind> for JsonTrouble {
    fn from(kind: TroubleKind) -> Self {
        match kind {
            TroubleKind::Opaque => Self::Opaque,
            TroubleKind::BadUrl => Self::BadUrl,
            TroubleKind::Unreachable => Self::Unreachable,
            TroubleKind::Tls => Self::Tls,
            TroubleKind::Closed => Self::Closed,
            TroubleKind::Redirect => Self::Redirect,
            TroubleKind::Other => Self::Other,
        }
    }
}

impl From<&Response> for JsonResponse {
    fn from(response: &Response) -> Self {
        Self {
            status: response.status,
            url: response.url.clone(),
            redirected: response.redirected,
            head_ms: tidy_ms(response.head_ms),
            headers: headers(&response.headers),
            body: (!response.body.is_empty()).then(|| JsonBody::of(&response.body)),
            bytes: response.bytes,
            frames: response.frames.iter().map(JsonFrame::from).collect(),
            oddities: response.oddities.iter().map(JsonOddity::from).collect(),
            comments: response.comments,
        }
    }
}

impl From<&TimedFrame> for JsonFrame {
    fn from(timed: &TimedFrame) -> Self {
        let frame = &timed.frame;
        let data = head(&frame.data, MAX_BODY);
        Self {
            at_ms: tidy_ms(timed.at_ms),
            event: frame.event.clone(),
            id: frame.id.clone(),
            retry: frame.retry,
            data: data.to_owned(),
            size: (data.len() < frame.data.len()).then_some(frame.data.len()),
            terminated: frame.terminated,
        }
    }
}

impl From<&Oddity> for JsonOddity {
    fn from(oddity: &Oddity) -> Self {
        let (kind, detail, limit) = match oddity {
            Oddity::ByteOrderMark => ("byte-order-mark", None, None),
            Oddity::InvalidUtf8 => ("invalid-utf8", None, None),
            Oddity::UnknownField(name) => ("unknown-field", Some(name.clone()), None),
            Oddity::BadRetry(value) => ("bad-retry", Some(value.clone()), None),
            Oddity::NulInId => ("nul-in-id", None, None),
            Oddity::LineTooLong { limit } => ("line-too-long", None, Some(*limit)),
            Oddity::EventTooLarge { limit } => ("event-too-large", None, Some(*limit)),
            Oddity::Unterminated => ("unterminated", None, None),
        };
        Self { kind: kind.to_owned(), detail, limit }
    }
}

impl JsonBody {
    /// These bytes as text if they are text, the first [`MAX_BODY`] of them.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        let size = bytes.len();
        let (encoding, content, kept) = match std::str::from_utf8(bytes) {
            Ok(text) => {
                let kept = head(text, MAX_BODY);
                (Encoding::Utf8, kept.to_owned(), kept.len())
            }
            Err(_) => {
                let kept = bytes.get(..MAX_BODY).unwrap_or(bytes);
                (Encoding::Base64, base64::encode(kept), kept.len())
            }
        };
        Self { encoding, content, size, truncated: kept < size }
    }
}

fn headers(headers: &Headers) -> Vec<JsonHeader> {
    headers.iter().map(|(name, value)| JsonHeader { name: name.to_owned(), value: value.to_owned() }).collect()
}

#[cfg(test)]
mod tests;
