//! The reply to a call after a binding has read it: a result, an error, a stream or no answer, with the notes of the reading.

use std::rc::Rc;

use serde_json::Value;

use crate::a2a::model::{AgentError, ErrorName, Payload, StreamEvent};
use crate::a2a::rule::Notes;

/// The reply to a call, read as far as it could be, with the notes of the reading.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reply {
    /// Its content.
    pub kind: ReplyKind,
    /// Rules met and broken.
    pub notes: Notes,
    /// The document of a unary answer.
    pub document: Option<Rc<Value>>,
}

/// The content of a reply.
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
    /// Something that is not an answer in this binding; the text says what.
    Unreadable(String),
    /// No HTTP answer; the text says why.
    NoAnswer(String),
    /// Nothing was sent, because the binding has no words for the call; the text says what it cannot say.
    NotExpressible(String),
}

/// Whether an HTTP status bars us, whatever comes with it: [`ReplyKind::Unavailable`].
#[must_use]
pub const fn bars(status: u16) -> bool {
    matches!(status, 401 | 403 | 429 | 503)
}

impl Default for ReplyKind {
    fn default() -> Self {
        Self::NoAnswer("nothing was sent".to_owned())
    }
}

impl ReplyKind {
    /// Whether it is this error.
    #[must_use]
    pub fn is_error(&self, name: ErrorName) -> bool {
        matches!(self, Self::Error(error) if error.is(name))
    }

    /// Whether it is surely this error, and not one that only may be.
    #[must_use]
    pub fn is_surely_error(&self, name: ErrorName) -> bool {
        matches!(self, Self::Error(error) if error.name == Some(name))
    }

    /// In a few words, for a finding.
    #[must_use]
    pub fn describe(&self) -> String {
        match self {
            Self::Result(Payload::Sent { task: Some(task), .. } | Payload::Task(task)) => {
                format!("a Task in state {}", task.state_text.as_deref().unwrap_or("(none)"))
            }
            Self::Result(Payload::Sent { message: Some(_), .. }) => "a Message".to_owned(),
            Self::Result(_) => "a successful result".to_owned(),
            Self::Error(error) => error.describe(),
            Self::Stream(items) if items.len() == 1 => "a stream of 1 event".to_owned(),
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
    /// Its content.
    pub kind: StreamItemKind,
}

/// The content of an SSE frame.
#[derive(Debug, Clone, PartialEq)]
pub enum StreamItemKind {
    /// An event.
    Event(StreamEvent),
    /// An error in mid-stream.
    Error(AgentError),
    /// Something that is neither; the text says what.
    Unreadable(String),
}

impl StreamItemKind {
    /// The event, if it is one.
    #[must_use]
    pub const fn event(&self) -> Option<&StreamEvent> {
        match self {
            Self::Event(event) => Some(event),
            Self::Error(_) | Self::Unreadable(_) => None,
        }
    }
}
