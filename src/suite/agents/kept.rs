//! Whether a relayed message is found again in the receiver's history as it was sent: the judges of parts and members for
//! `relay.rs`.

use std::rc::Rc;

use super::relayed::nothing_relayed;
use crate::a2a::comparable_task::{self, Member, member_at};
use crate::a2a::dialect::Tags;
use crate::a2a::model::Task;
use crate::engine::prelude::{Judged, Step, Transcript, Verdict, task_of};
use crate::engine::transcript::Lane;
use crate::suite::task_differences::{CONTENT, named};
use crate::wire::json::{ChangeKind, Value, ValueDifference, diff};

/// How many places a finding names.
const NAMED: usize = 8;

/// Judges whether the members of these kinds are found again. What an agent adds is its own.
///
/// Which messages are kept is up to the agent (1.0 §3.7, T-HIST-1, T-HIST-3): only one that is shown can be shown wrongly.
pub(super) fn kept(t: &Transcript, kinds: &[Member]) -> Judged {
    if t.every("received").next().is_none() {
        return Err(nothing_relayed(t));
    }
    let (sending, _) = t.succeeded("received")?;
    let (Some(lane), Some(message)) = (&t.lane, sending.sent.message()) else {
        return Err(Verdict::inconclusive("no message was relayed"));
    };
    let sent = comparable_task::message(lane.request_dialect(), message);
    let id = message.get("messageId").and_then(Value::as_str).unwrap_or_default();
    let Some((step, shown, place)) = shown(t, lane, id, &sent) else {
        let why = "the agent does not show the message in the task's history, which is allowed";
        return Err(Verdict::not_applicable(why).seen_in(sending.exchange.id));
    };
    let has_place = |own: &ValueDifference| {
        // T-03-11: the proto of 0.3.0 has no member for these.
        member_at(own.pointer.as_str()) != Member::AboutPart || lane.dialect.forms.tags != Tags::Either
    };
    let count = |message: &Value| message.get("parts").and_then(Value::as_array).map(Vec::len);
    if kinds != CONTENT && count(&sent) != count(&shown) {
        return Err(Verdict::blocked("there are other parts than were sent: see pair.relay-parts"));
    }
    let mut lost = diff(&parts(&sent), &parts(&shown));
    lost.retain(|own| {
        own.change != ChangeKind::Added && kinds.contains(&member_at(own.pointer.as_str())) && has_place(own)
    });
    if lost.is_empty() {
        return Ok(sending.pass().seen_in(step.exchange.id));
    }
    let actual = named(lost.iter().map(describe).collect(), NAMED);
    let verdict = step.fail("the parts of the relayed message as they were sent", actual);
    Ok(verdict.at(place).seen_in(sending.exchange.id))
}

fn describe(difference: &ValueDifference) -> String {
    let what = if difference.change == ChangeKind::Removed { "no" } else { "another" };
    format!("{what} {}", difference.pointer)
}

/// A message with its parts only, so that places begin with them.
fn parts(message: &Value) -> Value {
    let parts = message.get("parts").cloned().unwrap_or_else(|| Value::Array(Vec::new()));
    std::iter::once(("parts".to_owned(), parts)).collect()
}

/// The message as the latest reading shows it: by its id, or where ids are made anew (T-HIST-6) by its first part.
fn shown<'t>(t: &'t Transcript, lane: &Lane, id: &str, sent: &Value) -> Option<(&'t Rc<Step>, Value, String)> {
    let answers = t.every("reading").chain(t.every("received")).filter_map(|step| Some((step, task_of(&step.reply)?)));
    let own: Option<&str> = t.step("received").ok().and_then(|step| task_of(&step.reply)?.id.as_deref());
    let mut found = None;
    for (step, task) in answers.filter(|(_, task)| task.id.as_deref() == own) {
        found = in_history(lane, task, id, sent).map(|(message, place)| (step, message, place)).or(found);
    }
    found
}

fn in_history(lane: &Lane, task: &Task, id: &str, sent: &Value) -> Option<(Value, String)> {
    let history = task.raw.get("history")?.as_array()?;
    let form = |raw: &Value| comparable_task::message(lane.dialect, raw);
    let by_id = history.iter().position(|raw| raw.get("messageId").and_then(Value::as_str) == Some(id));
    let first = |message: &Value| message.pointer("/parts/0/text").cloned();
    let by_text = || {
        let wanted = first(sent)?;
        history.iter().position(|raw| first(&form(raw)).is_some_and(|text| text == wanted))
    };
    let place = by_id.or_else(by_text)?;
    Some((form(history.get(place)?), format!("{}/history/{place}", task.at)))
}
