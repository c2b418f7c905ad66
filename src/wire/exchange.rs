//! A recorded exchange: one request, what came back, when, and how it ended, or in words why there is no answer. Everything a check
//! sees is in here.

use super::http::{Headers, Request};
use super::mask::MASK;
use super::protobuf::ProtoFlaw;
use super::sse::{Frame, Oddity};

/// One request and its answer, redacted as it was recorded. Times are milliseconds since the run began.
#[derive(Debug, Clone, PartialEq)]
pub struct Exchange {
    /// Its number within the run, from 1.
    pub id: u32,
    /// The lane that it was sent on; `None` for the card.
    pub lane: Option<String>,
    /// The scenario that sent it.
    pub scenario: String,
    /// The step of that scenario, in its own words: `send`, `poll`, `cancel`.
    pub step: String,
    /// The request.
    pub request: Request,
    /// When the request left.
    pub sent_ms: f64,
    /// The response, if one came.
    pub response: Option<Response>,
    /// How it ended.
    pub end: End,
    /// When it ended.
    pub end_ms: f64,
}

/// The answer to a request, as far as it was read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Response {
    /// The status code.
    pub status: u16,
    /// The header fields that this host lets us see.
    pub headers: Headers,
    /// The URL that answered, after redirects.
    pub url: String,
    /// Whether a redirect was followed.
    pub redirected: bool,
    /// When the head arrived.
    pub head_ms: f64,
    /// The body of a plain answer, without content codings; of an event stream the frames are kept instead.
    pub body: Vec<u8>,
    /// How many body bytes arrived, kept or not; of a coded body, how many were decoded.
    pub bytes: usize,
    /// The events of an event stream, in order, with their arrival times.
    pub frames: Vec<TimedFrame>,
    /// Deviations of the stream from the letter of the SSE grammar.
    pub oddities: Vec<Oddity>,
    /// How many comment lines (keep-alives) the stream held.
    pub comments: u32,
    /// What only an answer over gRPC has. Its messages are recorded as JSON: one as the body, those of a stream as frames.
    pub grpc: Option<Box<GrpcAnswer>>,
}

/// The parts of an answer over gRPC that are not in its messages.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GrpcAnswer {
    /// Whether the method answers with a stream.
    pub streams: bool,
    /// The trailers, once they came.
    pub trailers: Option<Headers>,
    /// What is wrong with the bytes of the messages and their frames.
    pub flaws: Vec<MessageFlaw>,
}

/// A flaw in the bytes of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageFlaw {
    /// The number of the message in the answer, from 1.
    pub message: u32,
    /// The flaw.
    pub flaw: ProtoFlaw,
}

impl Response {
    /// Whether the answer is a stream of events: of server-sent ones by what it says of itself, over gRPC by its method.
    #[must_use]
    pub fn is_event_stream(&self) -> bool {
        self.grpc.as_ref().is_some_and(|grpc| grpc.streams) || self.is_sse()
    }

    /// Whether the answer says that it is a stream of server-sent events.
    #[must_use]
    pub fn is_sse(&self) -> bool {
        self.headers.media_type().as_deref() == Some("text/event-stream")
    }

    /// Why the body cannot be read, where it still has a content coding: a browser leaves those that it does not know (RFC 9110 §8.4), and
    /// a page sees the field only where the agent exposes it. What is text has no coding, whatever the field says.
    #[must_use]
    pub fn undecoded(&self) -> Option<String> {
        const DECODED: [&str; 5] = ["identity", "gzip", "x-gzip", "deflate", "br"];
        let values = self.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("content-encoding"));
        let mut names = values.flat_map(|(_, value)| value.split(',')).map(str::trim).filter(|name| !name.is_empty());
        let left = names.find(|name| !DECODED.iter().any(|known| known.eq_ignore_ascii_case(name)))?;
        let why = || format!("the body has the content coding {left:?}, which is not decoded here");
        std::str::from_utf8(&self.body).is_err().then(why)
    }
}

/// An event and when its last byte arrived.
#[derive(Debug, Clone, PartialEq)]
pub struct TimedFrame {
    /// Milliseconds since the run began.
    pub at_ms: f64,
    /// The event.
    pub frame: Frame,
}

/// How an exchange ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// The answer was read to its end.
    Complete,
    /// We had seen enough and hung up (a stream probed for disconnects, an endless stream after its terminal state).
    HungUp,
    /// One of our time limits ran out; the text names it: `the 45 s for an answer`.
    Deadline(String),
    /// The answer was more than we are willing to read; the text says what of it: `the body is longer than 5 MB`.
    TooLarge(String),
    /// The answer broke off after it had begun: the connection did, or its content coding is damaged.
    Broken(String),
    /// No HTTP answer came.
    NoAnswer(TransportError),
}

impl End {
    /// Why the answer may be shorter than the agent meant it, in a phrase; `None` where we read all we wanted.
    #[must_use]
    pub fn cut(&self) -> Option<String> {
        match self {
            Self::Complete | Self::HungUp => None,
            Self::Deadline(budget) => Some(format!("the answer did not end within {budget}")),
            Self::TooLarge(what) => Some(format!("{what}: reading stopped")),
            Self::Broken(detail) => Some(format!("the answer broke off in the middle ({detail})")),
            Self::NoAnswer(_) => Some(self.no_answer()),
        }
    }

    /// Why there is no response, in a phrase for a finding.
    #[must_use]
    pub fn no_answer(&self) -> String {
        match self {
            Self::Deadline(budget) => format!("no answer within {budget}"),
            // The engine's own words are the same for every cause, and name none.
            Self::NoAnswer(trouble) if trouble.kind == TransportErrorKind::Opaque => {
                "no answer that this page may read".to_owned()
            }
            Self::NoAnswer(trouble) => format!("no HTTP answer ({})", trouble.detail),
            _ => "no HTTP answer".to_owned(),
        }
    }
}

/// Why there was no HTTP answer at all: something between us and the agent, or the agent hung up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransportError {
    /// The kind of error, as far as this host can tell.
    pub kind: TransportErrorKind,
    /// The host's own words, for the evidence.
    pub detail: String,
}

/// The kinds of error that a host can tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TransportErrorKind {
    /// A browser's opaque network error: CORS, DNS, TLS, refused and more look the same (no cause is given to script).
    Opaque,
    /// The URL cannot be requested.
    BadUrl,
    /// Nothing listens there, or the name does not resolve.
    Unreachable,
    /// The secure connection failed.
    Tls,
    /// The connection was accepted and closed without an HTTP answer.
    Closed,
    /// Redirects without end, or to a place that is not followed.
    Redirect,
    /// Anything else.
    Other,
}

impl Exchange {
    /// An exchange outside of any lane and scenario, of which only the request is known so far.
    #[must_use]
    pub const fn begun(id: u32, request: Request, sent_ms: f64) -> Self {
        Self {
            id,
            lane: None,
            scenario: String::new(),
            step: String::new(),
            request,
            sent_ms,
            response: None,
            end: End::HungUp,
            end_ms: sent_ms,
        }
    }

    /// The URL that was asked for, without the credentials that its query carried.
    #[must_use]
    pub fn asked_url(&self) -> String {
        let Some((path, query)) = self.request.url.split_once('?') else { return self.request.url.clone() };
        let kept: Vec<&str> = query.split('&').filter(|pair| !pair.contains(MASK)).collect();
        if kept.is_empty() { path.to_owned() } else { format!("{path}?{}", kept.join("&")) }
    }

    /// How long it took, in milliseconds.
    #[must_use]
    pub fn duration_ms(&self) -> f64 {
        (self.end_ms - self.sent_ms).max(0.0)
    }

    /// The status code, if an answer came.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        self.response.as_ref().map(|response| response.status)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_url_that_is_told_has_what_the_query_says_and_no_credentials() {
        for (query, told) in [("x=1&key=@", "?x=1"), ("key=@", ""), ("x=1&y=2", "?x=1&y=2")] {
            let asked = Request::get(format!("http://a.test/{}", format!("?{query}").replace('@', MASK)));
            assert_eq!(Exchange::begun(1, asked, 0.0).asked_url(), format!("http://a.test/{told}"));
        }
    }
}
