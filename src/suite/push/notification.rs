//! A notification as it arrived: the event in it, and the task and the state that it names.

use std::rc::Rc;

use crate::a2a::cursor::Cursor;
use crate::a2a::dialect::{DIALECTS, Dialect};
use crate::a2a::model::{StreamEvent, TaskState};
use crate::a2a::rule::Notes;
use crate::engine::transcript::Step;
use crate::wire::json::{FlawKind, Value, parse};

pub(super) struct Notification<'a> {
    /// The step that recorded it.
    pub(super) step: &'a Rc<Step>,
    /// Its body, if that is JSON.
    pub(super) body: Option<&'a Value>,
    /// Its body as the version's events are read.
    pub(super) event: Option<StreamEvent>,
}

impl<'a> Notification<'a> {
    pub(super) fn from_step(step: &'a Rc<Step>, dialect: &Dialect) -> Self {
        let body = step.reply.document.as_deref().and_then(|document| document.get("body"));
        let body = body.filter(|body| !body.is_null());
        Self { step, body, event: body.map(|body| read(dialect, body)) }
    }

    /// Whether its body is nested deeper than we read, so that it may be JSON all the same.
    pub(super) fn is_too_deep(&self) -> bool {
        let body = self.step.exchange.request.body.as_deref().unwrap_or_default();
        self.body.is_none() && parse(body).flaws.iter().any(|flaw| flaw.kind == FlawKind::TooDeep)
    }

    /// A header field that is masked in the exchange.
    pub(super) fn field(&self, name: &str) -> Option<&'a str> {
        self.step.reply.document.as_deref()?.get(name)?.as_str()
    }

    pub(super) fn task_id(&self) -> Option<&str> {
        match self.event.as_ref()? {
            StreamEvent::Message(message) => message.task_id.as_deref(),
            event => event.task_id(),
        }
    }

    /// The state that it names. Where the version leaves the form open, it may stand anywhere.
    pub(super) fn state(&self) -> Option<TaskState> {
        state_in(self.body?, self.event.as_ref())
    }
}

pub(super) fn state_of_body(body: &Value, dialect: &Dialect) -> Option<TaskState> {
    state_in(body, Some(&read(dialect, body)))
}

fn state_in(body: &Value, event: Option<&StreamEvent>) -> Option<TaskState> {
    event.and_then(StreamEvent::state).or_else(|| {
        let is_state = |name: &str, value: &Value| match name {
            // T-PUSH-12: an agent of several versions may notify in the form of another.
            "state" => value.as_str().and_then(|text| DIALECTS.iter().find_map(|dialect| dialect.state(text))),
            _ => None,
        };
        find(body, &is_state)
    })
}

/// Whether a text stands anywhere in a body.
pub(super) fn names(body: &Value, wanted: &str) -> bool {
    find(body, &|_, value| (value.as_str() == Some(wanted)).then_some(())).is_some()
}

fn read(dialect: &Dialect, body: &Value) -> StreamEvent {
    (dialect.read_event)(dialect, &Cursor::root(body), &mut Notes::default())
}

/// The first member or element, outermost first, of which something is known.
fn find<T>(value: &Value, of: &impl Fn(&str, &Value) -> Option<T>) -> Option<T> {
    match value {
        Value::Object(members) => members
            .iter()
            .find_map(|(name, member)| of(name, member))
            .or_else(|| members.values().find_map(|member| find(member, of))),
        Value::Array(elements) => elements.iter().find_map(|element| of("", element).or_else(|| find(element, of))),
        _ => None,
    }
}
