//! What came instead of an answer under load, in words, and whether it is the agent's trouble or ours.

use crate::a2a::binding::{ReplyKind, StreamItemKind};
use crate::a2a::model::{AgentError, ErrorName};
use crate::engine::drive::UnrecordedAnswer;
use crate::wire::exchange::{End, TransportErrorKind};

/// What came instead of an answer, in few words that are the same each time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum AnswerTrouble {
    /// The agent has no room for the request now, and says so.
    TurnedAway(String),
    /// An HTTP status by which a server says that it broke.
    Broke(String),
    /// Something that is not an answer in this binding; and what exactly.
    Unreadable(&'static str, String),
    /// Another error of the protocol, or a status that keeps us out.
    Refused(String),
    /// No answer, or not all of it.
    Missing(String),
}

impl AnswerTrouble {
    /// What came instead of an answer of the binding, if something else came.
    pub(super) fn from_answer(answer: &UnrecordedAnswer) -> Option<Self> {
        match answer.status() {
            // JSON-RPC has no other way to say it, and 1.0 §3.3.2 names it for both (T-LOAD-2).
            Some(status @ (429 | 503)) => return Some(Self::TurnedAway(format!("HTTP {status}"))),
            Some(status @ 500..) => return Some(Self::Broke(format!("HTTP {status}"))),
            _ => {}
        }
        let cut = answer.end().cut().map(|_| Self::Missing(cut_short(answer.end()).to_owned()));
        match &answer.reply.kind {
            ReplyKind::Result(_) => cut,
            ReplyKind::Stream(items) => cut.or_else(|| {
                items.iter().find_map(|item| match &item.kind {
                    StreamItemKind::Error(error) => Some(Self::refused(error)),
                    StreamItemKind::Unreadable(what) => Some(Self::Unreadable("an unreadable event", what.clone())),
                    StreamItemKind::Event(_) => None,
                })
            }),
            ReplyKind::Error(error) => Some(Self::refused(error)),
            ReplyKind::Unavailable(status @ (429 | 503)) => Some(Self::TurnedAway(format!("HTTP {status}"))),
            ReplyKind::Unavailable(status) => Some(Self::Refused(format!("HTTP {status}"))),
            ReplyKind::Unreadable(what) => cut.or_else(|| Some(Self::Unreadable("an unreadable answer", what.clone()))),
            ReplyKind::NoAnswer(_) => Some(Self::Missing(cut_short(answer.end()).to_owned())),
            ReplyKind::NotExpressible(_) => None,
        }
    }

    fn refused(error: &AgentError) -> Self {
        match error.name {
            Some(name @ (ErrorName::RateLimitExceeded | ErrorName::ResourceUnavailable)) => {
                Self::TurnedAway(name.as_str().to_owned())
            }
            Some(name) => Self::Refused(name.as_str().to_owned()),
            // The codes of a server's own choice are not told apart: there may be as many as there are answers.
            None => Self::Refused("another error".to_owned()),
        }
    }

    /// The kind of the trouble, as it is counted.
    pub(super) fn kind(&self) -> &str {
        match self {
            Self::Unreadable(kind, _) => kind,
            Self::TurnedAway(kind) | Self::Broke(kind) | Self::Refused(kind) | Self::Missing(kind) => kind,
        }
    }
}

/// Why there is no answer, or only a part of one.
const fn cut_short(end: &End) -> &'static str {
    match end {
        End::NoAnswer(error) => match error.kind {
            TransportErrorKind::Unreachable => "no connection",
            TransportErrorKind::Closed => "connection closed without an answer",
            TransportErrorKind::Tls => "no secure connection",
            _ => "no answer",
        },
        End::Deadline(_) => "no end in time",
        End::TooLarge(_) => "an answer that is too large",
        End::Broken(_) => "connection broken within an answer",
        End::Complete | End::HungUp => "no answer",
    }
}
