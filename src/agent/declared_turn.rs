//! What the responses of a test case are once they were read: turns of events, in the shapes of 1.0, and how many events are kept.
//! `turn_reader` makes them, `play` plays them.

use std::cell::RefCell;
use std::rc::Rc;

use serde_json::Value;

use crate::wire::json::type_name;

/// How many events of a task are kept for streams that lag behind, and so how many a turn may have.
pub(super) const MAX_EVENTS: usize = 400;

/// Why declared responses cannot be played.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place} {description}")]
pub struct InvalidResponses {
    /// The place of the problem: `responses_json[0][2].status.state`.
    pub place: String,
    /// The problem, as the end of a sentence that begins with the place.
    pub description: String,
}

impl InvalidResponses {
    pub(super) fn at(place: impl Into<String>, description: impl Into<String>) -> Self {
        Self { place: place.into(), description: description.into() }
    }

    pub(super) fn mistyped(place: &str, wanted: &str, found: &Value) -> Self {
        Self::at(place, format!("must be {wanted}, not {}", type_name(found)))
    }
}

/// The responses of a test case, and how far its conversations without a task have come.
#[derive(Debug)]
pub(super) struct DeclaredCase {
    /// Empty for responses without a test case: they belong to one task.
    pub(super) id: String,
    /// The text that they were read from.
    pub(super) source: String,
    /// Whether a message that holds the id is one of this test case, without any directive.
    pub(super) is_known_by_contents: bool,
    pub(super) turns: Vec<Rc<DeclaredTurn>>,
    /// The contexts in which turns were answered without a task, and how many of them.
    pub(super) contexts: RefCell<Vec<(String, usize)>>,
}

/// The answer to one message.
#[derive(Debug, Clone, Default)]
pub(super) struct DeclaredTurn {
    /// The status of the HTTP answer, if it is not the usual one.
    pub(super) http_status: Option<u16>,
    pub(super) events: Vec<DeclaredEvent>,
}

#[derive(Debug, Clone)]
pub(super) struct DeclaredEvent {
    /// Milliseconds after the event before it.
    pub(super) delay_ms: f64,
    pub(super) content: EventContent,
}

/// What an event is. Tasks, updates and messages lack what the agent fills in: ids, times, and the task and context they are of.
#[derive(Debug, Clone)]
pub(super) enum EventContent {
    /// The task as it is from now on: whichever of status, artifacts, history and metadata it has.
    Task(Value),
    Status(Value),
    Artifact(Value),
    Message(Value),
    /// Text that is sent as it is.
    Raw(String),
    Drop,
}

impl DeclaredTurn {
    /// Whether the turn is about a task. One that is not is answered without making any.
    pub(super) fn has_task(&self) -> bool {
        self.events.iter().any(|event| {
            matches!(event.content, EventContent::Task(_) | EventContent::Status(_) | EventContent::Artifact(_))
        })
    }

    /// Whether a stream of the turn begins with the task as it was before: not where the turn has its own beginning.
    pub(super) fn begins_with_snapshot(&self) -> bool {
        let first = self.events.first().map(|event| &event.content);
        self.has_task() && !matches!(first, Some(EventContent::Task(_) | EventContent::Raw(_) | EventContent::Drop))
    }

    /// Whether the turn is an HTTP answer and nothing else, which is not a stream.
    pub(super) fn is_plain_answer(&self) -> bool {
        self.http_status.is_some() && self.events.iter().all(|event| matches!(event.content, EventContent::Raw(_)))
    }
}

/// A turn that a task plays, and what the turn makes of an answer that is not a stream.
#[derive(Debug)]
pub(super) struct PlayedTurn {
    pub(super) case: Rc<DeclaredCase>,
    /// How many turns of the test case came before the task's first message.
    pub(super) turns_before: usize,
    pub(super) declared: Rc<DeclaredTurn>,
    /// The message that is the answer, once it is due.
    pub(super) message: Option<Value>,
    /// The text that is the answer's body, once it is due.
    pub(super) raw: Option<String>,
    pub(super) dropped: bool,
}

impl PlayedTurn {
    pub(super) const fn new(case: Rc<DeclaredCase>, turns_before: usize, declared: Rc<DeclaredTurn>) -> Self {
        Self { case, turns_before, declared, message: None, raw: None, dropped: false }
    }
}
