//! How operations travel: a binding turns a call into an HTTP request and an exchange into a reply. No I/O.

pub mod jsonrpc;
pub mod rest;

mod reading;

use serde_json::Value;

use super::dialect::Dialect;
use super::model::{AgentError, Interface, Operation, Payload, StreamEvent};
use super::rule::Notes;
use crate::wire::exchange::Exchange;
use crate::wire::http::Request;

pub use reading::ERROR_INFO;

/// A way of carrying operations over HTTP.
pub struct Binding {
    /// As interfaces declare it: `JSONRPC`.
    pub id: &'static str,
    /// As lane ids spell it: `jsonrpc`.
    pub slug: &'static str,
    /// As people read it: `JSON-RPC`.
    pub title: &'static str,
    /// The media types that a unary answer may have.
    pub media_types: &'static [&'static str],
    /// What a unary answer holds, for a finding.
    pub one_document: &'static str,
    /// Makes the request of a call; the error says why the binding has no words for it.
    pub request: fn(&Dialect, &Interface, &Call) -> Result<Request, String>,
    /// Whether an answer of that status may have no body at all.
    pub may_be_empty: fn(&SentCall, u16) -> bool,
    /// Whether an answer of that status may be due to the verb, so that the other one should be tried.
    pub blames_verb: fn(&SentCall, u16) -> bool,
    /// What a refusal without a JSON document says, in a version that leaves the form of errors open: by its status alone.
    pub wordless: fn(&Dialect, u16) -> Option<AgentError>,
    /// Reads the document of a unary answer.
    pub read: fn(&Dialect, &SentCall, &Value, u16, &mut Notes) -> ReplyKind,
    /// Reads the data of one event of a stream.
    pub event: fn(&Dialect, &SentCall, &str, &mut Notes) -> StreamItemKind,
}

/// Every binding this build speaks.
pub static BINDINGS: &[&Binding] = &[&jsonrpc::JSONRPC, &rest::REST];

impl Binding {
    /// The binding that an interface declares.
    #[must_use]
    pub fn of(name: &str) -> Option<&'static Self> {
        BINDINGS.iter().copied().find(|binding| binding.id == name)
    }

    /// Reads the reply out of a recorded exchange: the same exchange always gives the same reply.
    #[must_use]
    pub fn reply(&self, dialect: &Dialect, sent: &SentCall, exchange: &Exchange) -> Reply {
        reading::reply(self, dialect, sent, exchange)
    }
}

impl std::fmt::Debug for Binding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Binding({})", self.id)
    }
}

/// Which version a request names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum VersionSelection {
    /// The one the interface declares.
    #[default]
    Declared,
    /// None at all.
    Absent,
    /// Some other.
    Other(String),
}

/// One call of an operation. The odd members make malformed requests on purpose; a plain call leaves them alone.
#[derive(Debug, Clone, Default)]
pub struct Call {
    /// The operation; `None` only together with a `method` or `body` that names none.
    pub operation: Option<Operation>,
    /// Its parameters in the dialect's words; `None` leaves the member out.
    pub params: Option<Value>,
    /// The request id.
    pub id: Value,
    /// Another method name (JSON-RPC) or path (HTTP) than the operation's.
    pub method: Option<String>,
    /// The other verb that the operation's route may have: `GET` instead of `POST` for a subscription (1.0 §11.3.2).
    pub other_verb: bool,
    /// Another media type for the body than the usual one.
    pub media_type: Option<&'static str>,
    /// These bytes instead of a request.
    pub body: Option<Vec<u8>>,
    /// Which version the request names.
    pub version: VersionSelection,
    /// The extensions it asks for; `None` for those that the card requires.
    pub extensions: Option<Vec<String>>,
    /// Which of the user's header fields go along.
    pub credentials: Credentials,
    /// More header fields.
    pub headers: Vec<(String, String)>,
}

/// Which credentials a call carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Credentials {
    /// The user's.
    #[default]
    Own,
    /// None.
    None,
    /// As the user's in form, and made up.
    Wrong,
    /// A token that says of itself that it ran out long ago; where the user's is no bearer token, as [`Self::Wrong`].
    Expired,
    /// Made up, and of another scheme than the user's.
    Foreign,
}

/// What a reply is read against: which operation was called and under which id.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SentCall {
    /// The operation, if the request was one.
    pub operation: Option<Operation>,
    /// The request's id; `None` when the request had none that could be echoed.
    pub id: Option<Value>,
    /// The parameters in the dialect's words, as they were before the binding packed them.
    pub params: Option<Value>,
}

impl Call {
    /// What the reply to this call is read against.
    #[must_use]
    pub fn sent(&self) -> SentCall {
        let id = self.body.is_none().then(|| self.id.clone());
        SentCall { operation: self.operation, id, params: self.params.clone() }
    }
}

/// What came back, read as far as it could be, with the notes of the reading.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reply {
    /// What it says.
    pub kind: ReplyKind,
    /// Rules met and broken.
    pub notes: Notes,
    /// The document of a unary answer.
    pub document: Option<Value>,
}

/// What a reply says.
#[derive(Debug, Clone, PartialEq)]
pub enum ReplyKind {
    /// A result.
    Result(Payload),
    /// An error of the protocol.
    Error(AgentError),
    /// A stream of events.
    Stream(Vec<StreamItem>),
    /// An HTTP status that bars us: 401, 403, 429 or 503.
    Unavailable(u16),
    /// Something that is no answer in this binding; the text says what.
    Unreadable(String),
    /// No HTTP answer; the text says why.
    NoAnswer(String),
    /// Nothing was sent, because the binding has no words for the call; the text says what it cannot say.
    NotExpressible(String),
}

impl Default for ReplyKind {
    fn default() -> Self {
        Self::NoAnswer("nothing was sent".to_owned())
    }
}

impl ReplyKind {
    /// In a few words, for a finding.
    #[must_use]
    pub fn describe(&self) -> String {
        match self {
            Self::Result(Payload::Sent { task: Some(task), .. }) => {
                format!("a Task in state {}", task.state_text.as_deref().unwrap_or("(none)"))
            }
            Self::Result(Payload::Sent { message: Some(_), .. }) => "a Message".to_owned(),
            Self::Result(Payload::Task(task)) => {
                format!("a Task in state {}", task.state_text.as_deref().unwrap_or("(none)"))
            }
            Self::Result(_) => "a successful result".to_owned(),
            Self::Error(error) => error.describe(),
            Self::Stream(items) => format!("a stream of {} events", items.len()),
            Self::Unavailable(status) => format!("HTTP {status}"),
            Self::Unreadable(what) | Self::NoAnswer(what) | Self::NotExpressible(what) => what.clone(),
        }
    }
}

/// One event of a stream.
#[derive(Debug, Clone, PartialEq)]
pub struct StreamItem {
    /// When its last byte arrived, in milliseconds since the run began.
    pub at_ms: f64,
    /// What it is.
    pub kind: StreamItemKind,
}

/// What an SSE frame held.
#[derive(Debug, Clone, PartialEq)]
pub enum StreamItemKind {
    /// An event.
    Event(StreamEvent),
    /// An error in mid-stream.
    Error(AgentError),
    /// Something that is neither; the text says what.
    Unreadable(String),
}
