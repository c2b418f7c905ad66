//! What the record of an order shows: what was agreed on, what arrived at the beacon, and what the agent said in the end.

use std::rc::Rc;

use super::orders::{ARRIVED, DelegationOrder};
use crate::a2a::binding::ReplyKind;
use crate::a2a::model::{Message, Part, Payload, Task, TaskState};
use crate::engine::prelude::{Step, Transcript, Verdict, task_of};
use crate::wire::json::Value;

/// The longest quotation of an agent's words.
const LONGEST_QUOTATION: usize = 120;

/// What was agreed on for an order.
pub(super) struct Agreed<'t> {
    /// The message with the order.
    pub(super) told: &'t Rc<Step>,
    /// What the call has to carry.
    pub(super) token: &'t str,
    /// What only the call brings.
    pub(super) result: &'t str,
    /// The address of the beacon.
    pub(super) url: &'t str,
}

/// How the work on an order ended.
pub(in crate::suite) enum Ending {
    /// With a message, or a task that completed.
    Done,
    /// With a task in this state, which says itself that the work was not done.
    Undone(&'static str),
    /// Not yet: this is the state that the task was last seen in.
    Open(&'static str),
}

/// What was agreed on, or why the order was not given.
pub(super) fn agreed<'t>(t: &'t Transcript, order: &DelegationOrder) -> Result<Agreed<'t>, Verdict> {
    let told = t.step(order.told)?;
    let step = t.step(order.agreed)?;
    let member = |name: &str| {
        let document = step.reply.document.as_deref();
        document.and_then(|document| document.get(name)).and_then(Value::as_str).unwrap_or_default()
    };
    Ok(Agreed { told, token: member("token"), result: member("result"), url: member("url") })
}

/// The requests to the beacon that carry a token.
pub(super) fn calls_with<'t>(t: &'t Transcript, token: &'t str) -> impl Iterator<Item = &'t Rc<Step>> {
    t.every(ARRIVED).filter(move |step| tokens_of(step).any(|carried| carried == token))
}

/// The tokens that a request to the beacon carries.
pub(super) fn tokens_of(step: &Step) -> impl Iterator<Item = &str> {
    let tokens = step.reply.document.as_deref().and_then(|document| document.get("tokens")).and_then(Value::as_array);
    tokens.into_iter().flatten().filter_map(Value::as_str)
}

/// Whether a request to the beacon is a call, and not a fetch of the card.
pub(super) fn is_call(step: &Step) -> bool {
    step.reply.document.as_deref().and_then(|document| document.get("isCall")).and_then(Value::as_bool) == Some(true)
}

/// The last that was seen of an order: a reading of its task, or the answer to its message.
pub(super) fn last_seen<'t>(t: &'t Transcript, order: &DelegationOrder) -> Result<&'t Rc<Step>, Verdict> {
    t.succeeded(order.told)?;
    let reading = t.every(order.read).filter(|step| task_of(&step.reply).is_some()).last();
    reading.map_or_else(|| t.step(order.told), Ok)
}

/// How the work on an order ended, by the last that was seen of it.
pub(in crate::suite) fn ending(t: &Transcript, step: &Step) -> Ending {
    let name = |state: TaskState| t.lane.as_ref().map_or("", |lane| lane.dialect.state_name(state));
    match task_of(&step.reply).and_then(|task| task.state) {
        None | Some(TaskState::Completed) => Ending::Done,
        Some(state) if state.is_terminal() || state.is_interrupted() => Ending::Undone(name(state)),
        Some(state) => Ending::Open(name(state)),
    }
}

/// The agent's words in an answer, short enough for a sentence; empty if there are none.
pub(in crate::suite) fn words(step: &Step) -> String {
    let said = match &step.reply.kind {
        ReplyKind::Result(Payload::Sent { message: Some(message), .. }) => of_message(message),
        _ => task_of(&step.reply).map(of_task).unwrap_or_default(),
    };
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    match said.char_indices().nth(LONGEST_QUOTATION) {
        Some((end, _)) => format!("{}…", said.get(..end).unwrap_or_default()),
        None => said,
    }
}

fn of_task(task: &Task) -> String {
    let status = task.status_message.as_ref().map(of_message).unwrap_or_default();
    let artifacts = task.artifacts.iter().flatten().map(|artifact| of_parts(&artifact.parts));
    [status].into_iter().chain(artifacts).filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ")
}

fn of_message(message: &Message) -> String {
    of_parts(&message.parts)
}

fn of_parts(parts: &[Part]) -> String {
    parts.iter().filter_map(Part::text).collect::<Vec<_>>().join(" ")
}

/// Whether an answer holds this text.
pub(in crate::suite) fn holds(step: &Step, text: &str) -> bool {
    let Some(response) = &step.exchange.response else { return false };
    let in_body = response.body.windows(text.len()).any(|window| window == text.as_bytes());
    in_body || response.frames.iter().any(|timed| timed.frame.data.contains(text))
}
