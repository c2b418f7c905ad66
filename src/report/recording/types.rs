//! The members of a recorded exchange in a file, and how much of one is written.

/// How many bytes of a body, or of one event's data, are written.
pub const MAX_BODY: usize = 64 * 1024;
/// How many are written once the report is longer than [`LONG`].
pub const MAX_BODY_OF_LONG: usize = 1024;
/// A report that is longer than this, in bytes, opens slowly everywhere, and costs the page its memory.
pub const LONG: usize = 8 * 1024 * 1024;

/// One request and what came of it. Times are milliseconds since the run began.
#[derive(Debug, Clone, PartialEq)]
pub struct JsonExchange {
    /// Its number, from 1: what `exchanges` of a result points at.
    pub id: u32,
    /// The lane; absent for the card.
    pub lane: Option<String>,
    /// The scenario that sent it.
    pub scenario: String,
    /// The step of that scenario.
    pub step: String,
    /// When the request left.
    pub sent_ms: f64,
    /// When it ended.
    pub end_ms: f64,
    /// How it ended.
    pub end: JsonEnd,
    /// The request.
    pub request: JsonRequest,
    /// The response; absent when none came.
    pub response: Option<JsonResponse>,
}

/// How an exchange ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonEnd {
    /// The kind of end.
    pub kind: EndKind,
    /// The kind of error when no answer came.
    pub trouble: Option<JsonTransportErrorKind>,
    /// The host's own words.
    pub detail: Option<String>,
}

/// The kinds of end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the variants are those of `wire::exchange::End`")]
pub enum EndKind {
    Complete,
    HungUp,
    Deadline,
    TooLarge,
    Broken,
    NoAnswer,
}

/// The kinds of transport error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the variants are those of `wire::exchange::TroubleKind`")]
pub enum JsonTransportErrorKind {
    Opaque,
    BadUrl,
    Unreachable,
    Tls,
    Closed,
    Redirect,
    Other,
}

/// A header field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonHeader {
    /// Its name as it was written.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// A request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonRequest {
    /// The method.
    pub method: String,
    /// The absolute URL.
    pub url: String,
    /// The fields that we set.
    pub headers: Vec<JsonHeader>,
    /// The body, if there was one.
    pub body: Option<JsonBody>,
}

/// A response, as far as it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct JsonResponse {
    /// The status code.
    pub status: u16,
    /// The URL that answered, after redirects.
    pub url: String,
    /// Whether a redirect was followed.
    pub redirected: bool,
    /// When the head arrived.
    pub head_ms: f64,
    /// The fields that the host showed us.
    pub headers: Vec<JsonHeader>,
    /// The body of a plain answer; absent when it is empty or an event stream.
    pub body: Option<JsonBody>,
    /// How many bytes arrived, kept or not.
    pub bytes: usize,
    /// The events of an event stream.
    pub frames: Vec<JsonFrame>,
    /// Unusual things in the stream.
    pub oddities: Vec<JsonOddity>,
    /// How many comment lines the stream held.
    pub comments: u32,
    /// What only an answer over gRPC has.
    pub grpc: Option<JsonGrpc>,
}

/// The parts of an answer over gRPC that are not in its messages, which are written as JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonGrpc {
    /// Whether the method answers with a stream.
    pub streams: bool,
    /// The trailers; absent when none came.
    pub trailers: Option<Vec<JsonHeader>>,
    /// What is wrong with the bytes of messages.
    pub flaws: Vec<JsonFlaw>,
}

/// A flaw in the bytes of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonFlaw {
    /// The number of the message, from 1.
    pub message: u32,
    /// Its kind: `malformed`, `not-utf8` or `too-deep`.
    pub kind: String,
    /// The place in the message, as a JSON pointer.
    pub at: String,
    /// What should be there.
    pub expected: String,
    /// What is there.
    pub actual: String,
}

/// The bytes of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonBody {
    /// How `content` holds them.
    pub encoding: Encoding,
    /// The bytes, at most [`MAX_BODY`] of them.
    pub content: String,
    /// The size of the whole body, in bytes.
    pub size: usize,
    /// Whether `content` holds only the first of them.
    pub truncated: bool,
}

/// How bytes are written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// As the text they are.
    Utf8,
    /// RFC 4648 §4, with padding: they are not UTF-8.
    Base64,
}

/// An event of a stream.
#[derive(Debug, Clone, PartialEq)]
pub struct JsonFrame {
    /// When its last byte arrived.
    pub at_ms: f64,
    /// Its type, if it names one.
    pub event: Option<String>,
    /// Its id, if it has one.
    pub id: Option<String>,
    /// Its reconnection time in milliseconds, if it has one.
    pub retry: Option<u64>,
    /// Its data, at most [`MAX_BODY`] bytes of it.
    pub data: String,
    /// The size of the whole data, in bytes; present only where `data` is cut.
    pub size: Option<usize>,
    /// Whether an empty line ended it.
    pub terminated: bool,
}

/// Something unusual in a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonOddity {
    /// Its kind: `invalid-utf8`.
    pub kind: String,
    /// The name or value it is about.
    pub detail: Option<String>,
    /// The limit in bytes that was passed.
    pub limit: Option<usize>,
}
