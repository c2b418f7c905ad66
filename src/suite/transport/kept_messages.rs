//! Judges whether the client's messages stand unchanged in the histories of its tasks, in any answer of a lane.

use crate::a2a::binding::ReplyKind;
use crate::a2a::comparable_task::{Member, member_at, message};
use crate::a2a::dialect::{Dialect, Tags};
use crate::a2a::model::{Message, Operation, Payload, Task, TaskState};
use crate::engine::prelude::{Judged, Step, Transcript, Verdict, count_of};
use crate::wire::json::{ChangeKind, Value, brief, diff};

/// The members of a message that are the client's. The agent adds the task and the context.
const OF_THE_CLIENT: [&str; 4] = ["parts", "metadata", "extensions", "referenceTaskIds"];

struct SentMessage<'t> {
    id: &'t str,
    raw: &'t Value,
    step: &'t Step,
}

/// The messages that the lane sent, but for those that are wrong on purpose.
fn sent_messages(t: &Transcript) -> Vec<SentMessage<'_>> {
    t.steps.iter().filter_map(|step| sent_message(step)).collect()
}

fn sent_message(step: &Step) -> Option<SentMessage<'_>> {
    let sends = matches!(step.sent.operation, Some(Operation::SendMessage | Operation::SendStreamingMessage));
    let raw = step.sent.params.as_ref().filter(|_| sends && step.sent.what.is_none())?.get("message")?;
    Some(SentMessage { id: raw.get("messageId")?.as_str()?, raw, step })
}

/// The tasks that an answer shows with a history.
fn shown_tasks(step: &Step) -> Vec<&Task> {
    match &step.reply.kind {
        ReplyKind::Result(Payload::Tasks(list)) => list.tasks.iter().collect(),
        _ => step.whole_tasks(),
    }
}

/// A message of a history, as it was received.
fn raw_of(task: &Task, place: usize) -> Option<&Value> {
    task.raw.get("history")?.get(place)
}

/// A message as it is written in a version.
pub(in crate::suite) type Written<'t> = (&'static Dialect, &'t Value);

/// Where a message of the client's is another one in a history: the place, and what it should be.
pub(in crate::suite) fn changed_member(sent: Written<'_>, kept: Written<'_>) -> Option<(String, ChangeKind)> {
    let of_the_client = |(dialect, raw): Written<'_>| -> Value {
        let Value::Object(members) = message(dialect, raw) else { return Value::Null };
        members.into_iter().filter(|(name, _)| OF_THE_CLIENT.contains(&name.as_str())).collect()
    };
    // T-03-11: the proto of 0.3.0 has no member for these.
    let has_place = |pointer: &str| {
        let is_of_part = member_at(&format!("/history/0{pointer}")) == Member::AboutPart;
        !(is_of_part && [sent, kept].iter().any(|(dialect, _)| dialect.forms.tags == Tags::Either))
    };
    let changes = diff(&of_the_client(sent), &of_the_client(kept));
    let mut lost =
        changes.into_iter().filter(|found| found.change != ChangeKind::Added && has_place(found.pointer.as_str()));
    lost.next().map(|found| (found.pointer.as_str().to_owned(), found.change))
}

/// The message that a step sent, and the same one in the history of a task.
pub(in crate::suite) fn kept_message<'t>(sent: &'t Step, task: &'t Task) -> Option<(&'t Value, &'t Value)> {
    let own = sent_message(sent)?;
    let place = task.history.as_ref()?.iter().position(|kept| kept.message_id.as_deref() == Some(own.id))?;
    Some((own.raw, raw_of(task, place)?))
}

/// Judges that messages of the client's stand in histories as they were sent.
pub(super) fn as_sent(t: &Transcript) -> Judged {
    let Some(lane) = &t.lane else { return Err(Verdict::inconclusive("there is no interface")) };
    let sent = sent_messages(t);
    let mut compared = 0;
    for step in &t.steps {
        for task in shown_tasks(step) {
            for (place, kept) in task.history.iter().flatten().enumerate() {
                let Some(own) = sent.iter().find(|own| Some(own.id) == kept.message_id.as_deref()) else { continue };
                let Some(raw) = raw_of(task, place) else { continue };
                compared += 1;
                if let Some((pointer, change)) = changed_member((lane.dialect, own.raw), (lane.dialect, raw)) {
                    let shown = |of: &Value| message(lane.dialect, of).pointer(&pointer).map(|value| brief(value, 80));
                    let came = Some(raw).filter(|_| change != ChangeKind::Removed).and_then(shown);
                    let said = shown(own.raw).unwrap_or_default();
                    let expected = format!("{said} at {pointer} of the message, as it was sent");
                    let verdict = step.fail(expected, came.unwrap_or_else(|| "nothing".to_owned()));
                    return Ok(verdict.at(kept.at.as_str()).seen_in(own.step.exchange.id));
                }
            }
        }
    }
    if compared == 0 {
        return Err(none_kept(t));
    }
    Ok(anonymous_message(t, &sent)
        .unwrap_or_else(|| Verdict::pass_with(format!("{} compared", count_of(compared, "message")))))
}

/// The note of a history in which a message of the client's names no task, although others there do. It may.
fn anonymous_message(t: &Transcript, sent: &[SentMessage<'_>]) -> Option<Verdict> {
    let names_none =
        |kept: &Message| kept.task_id.is_none() && sent.iter().any(|own| kept.message_id.as_deref() == Some(own.id));
    t.steps.iter().find_map(|step| {
        let mut histories = shown_tasks(step).into_iter().filter_map(|task| task.history.as_ref());
        let others_do = |history: &&Vec<Message>| history.iter().any(|kept| kept.task_id.is_some());
        let kept =
            histories.find_map(|history| Some(history).filter(others_do)?.iter().find(|kept| names_none(kept)))?;
        let actual = "none in a message of the client's, while others of the same history have it";
        let verdict = step.fail("the taskId in each message of a history", actual);
        Some(verdict.at(kept.at.as_str()).as_note())
    })
}

fn none_kept(t: &Transcript) -> Verdict {
    t.stopped_or(|| Verdict::not_applicable("no task has a message of this run in its history, which is allowed"))
}

/// Whether a task waited for the client, as the last answer before that time showed it: what comes to a task at work may meet its end.
fn waited(t: &Transcript, task: &str, sent_ms: f64) -> bool {
    let mut before = t.steps.iter().rev().filter(|step| step.exchange.end_ms <= sent_ms);
    let is_it = |shown: &&Task| shown.id.as_deref() == Some(task);
    let shown = before.find_map(|step| shown_tasks(step).into_iter().find(is_it));
    shown.and_then(|shown| shown.state).is_some_and(TaskState::is_interrupted)
}

/// Judges that a history that keeps messages of the client's keeps each that went on with the task.
pub(super) fn has_follow_ups(t: &Transcript) -> Judged {
    let sent = sent_messages(t);
    let follow_ups: Vec<_> = sent
        .iter()
        .filter_map(|own| {
            let task = own.raw.get("taskId")?.as_str()?;
            let accepted = shown_tasks(own.step).iter().any(|shown| shown.id.as_deref() == Some(task));
            (accepted && waited(t, task, own.step.exchange.sent_ms)).then_some((task, own))
        })
        .collect();
    let mut seen = None;
    for step in &t.steps {
        // A history that was asked to be short says nothing.
        let limits = ["/historyLength", "/configuration/historyLength"];
        if step.sent.params.as_ref().is_some_and(|params| limits.iter().any(|place| params.pointer(place).is_some())) {
            continue;
        }
        for task in shown_tasks(step) {
            // T-HIST-6: a server that keeps no ids of messages makes them anew.
            let is_kept = |kept: &Message| sent.iter().any(|own| kept.message_id.as_deref() == Some(own.id));
            let Some(history) = task.history.as_ref().filter(|history| history.iter().any(is_kept)) else { continue };
            // The answer to the message itself counts where the agent has done with it.
            let has_settled = task.state.is_some_and(|state| state.is_terminal() || state.is_interrupted());
            let due = follow_ups.iter().filter(|(of, own)| {
                let is_before = own.step.exchange.end_ms < step.exchange.sent_ms;
                let is_answer = own.step.exchange.id == step.exchange.id && has_settled;
                task.id.as_deref() == Some(*of) && (is_before || is_answer)
            });
            for (_, own) in due {
                seen = Some(step.exchange.id);
                if !history.iter().any(|kept| kept.message_id.as_deref() == Some(own.id)) {
                    let expected = format!("the message {}, with which the client went on with the task", own.id);
                    let actual = format!("a history of {} without it", count_of(history.len(), "message"));
                    let verdict = step.fail(expected, actual).at(task.at.key("history").as_str());
                    return Ok(verdict.seen_in(own.step.exchange.id));
                }
            }
        }
    }
    match seen {
        Some(exchange) => Ok(Verdict::pass().seen_in(exchange)),
        None if follow_ups.is_empty() => Err(Verdict::inconclusive("no task was gone on with")),
        None => Err(none_kept(t)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::a2a::dialect::DIALECTS;

    #[test]
    fn what_is_said_about_a_part_may_be_lost_only_where_the_form_has_no_place_for_it() {
        let dialect = |version: &str| DIALECTS.iter().find(|dialect| dialect.version == version).unwrap();
        let (newest, tagged, untagged) = (dialect("1.0"), dialect("0.3"), dialect("0.3").over("HTTP+JSON"));
        let sent = json!({ "messageId": "m", "role": "ROLE_USER", "parts": [{ "text": "a", "metadata": { "b": 1 } }] });
        let kept = json!({ "messageId": "m", "role": "ROLE_USER", "parts": [{ "text": "a" }] });
        let other = json!({ "messageId": "m", "role": "ROLE_USER", "parts": [{ "text": "b" }] });
        let place = |sent: Written<'_>, kept: Written<'_>| changed_member(sent, kept).map(|(place, _)| place);
        assert_eq!(place((newest, &sent), (newest, &kept)).as_deref(), Some("/parts/0/metadata"));
        assert_eq!(place((newest, &sent), (newest, &sent)), None);
        assert_eq!(untagged.forms.tags, Tags::Either);
        assert_eq!(place((newest, &sent), (untagged, &kept)), None);
        assert_eq!(place((newest, &kept), (untagged, &other)).as_deref(), Some("/parts/0/text"));
        assert_ne!(tagged.forms.tags, Tags::Either);
    }
}
