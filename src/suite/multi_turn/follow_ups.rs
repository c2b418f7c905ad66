//! Answers to a task that asks for input, streamed or without waiting, and a subscription meanwhile; and what the task refuses once
//! it is cancelled. It is cancelled at the end, which makes it a task that is over in a way that no other scenario leaves behind.

use super::turns::{LAST_TURN, SECOND_TURN, STREAMED, asked, continues};
use crate::a2a::binding::{ReplyKind, StreamItemKind};
use crate::a2a::dialect::write::Outgoing;
use crate::a2a::model::{ErrorName, Message, Payload, StreamEvent, Task, TaskState};
use crate::engine::prelude::{
    Behaviour, Check, Driver, Judged, Scenario, Step, StreamControl, Transcript, Verdict, task_of,
};
use crate::engine::transcript::NumberedEvents;
use crate::suite::completed_refusal::refused_when_completed;
use crate::wire::exchange::End;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "follow-ups",
    title: "Answer a task in other ways, and cancel it",
    messages: 4,
    streams: 1,
    rounds: 9,
    after: &["send"],
    judged_after: &["multi-turn", "finished", "stream", "subscribe"],
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    Check {
        id: "stream.follow-up-first",
        title: "A streamed follow-up begins with the task",
        why: "A client reads every stream in the same way: first the task as it is, then what changes.",
        fix: "Begin the response to a streamed message with the Task also when the message continues a task.",
        requirements: &["stream.first-event"],
        judge: first_event,
        ..Check::tripped_by(&["follow-up-stream-no-task"])
    },
    Check {
        id: "input-required.streamed",
        title: "A streamed follow-up continues the task",
        why: "A client that streams its first message streams its replies too.",
        fix: "Treat a streamed message with a taskId like a unary one: continue that task, and stream its events.",
        requirements: &["input-required.continue"],
        judge: streamed,
        ..Check::tripped_by(&["follow-up-stream-empty"])
    },
    Check {
        id: "input-required.not-blocking",
        title: "A follow-up that does not block is answered",
        why: "A client that must not wait gets the task as it is, whether its message made the task or continues it.",
        fix: "Answer a follow-up with returnImmediately, in 0.2 and 0.3 with blocking false, with the task as it is.",
        requirements: &["input-required.continue"],
        judge: not_blocking,
        ..Check::tripped_by(&["follow-up-early-refused"])
    },
    Check {
        id: "multi.status-message-ids",
        title: "Status messages name the task and context that they belong to",
        why: "A client files what the agent says by these ids.",
        fix: "Make status messages with the ids of the task whose status they are part of, or leave the ids out.",
        judge: status_messages,
        ..Check::tripped_by(&["status-message-other-task"])
    },
    Check {
        id: "subscribe.waiting",
        title: "A task that waits for somebody can be subscribed to",
        why: "A client that lost its stream while the agent waits wants to see how the task goes on.",
        fix: "Refuse subscriptions to tasks in a terminal state only; keep the stream of others open.",
        judge: subscription_while_waiting,
        ..Check::tripped_by(&["subscribe-waiting-refused"])
    },
    Check {
        id: "send.canceled-refused",
        title: "A message to a canceled task is refused",
        why: "Canceled promises that no more work is done.",
        fix: "Refuse messages to a task in any terminal state: completed, failed, canceled or rejected.",
        requirements: &["send.terminal-task", "send.v03.terminal-task"],
        judge: |t| {
            cancelled(t)?;
            refused_when_completed(t, "message", "a message to")?;
            t.refused_somehow("after-cancel", "a message to a canceled task")
        },
        ..Check::tripped_by(&["canceled-not-terminal"])
    },
    Check {
        id: "subscribe.canceled-refused",
        title: "Subscribing to a canceled task is refused",
        why: "The task is over, and a stream of it would never end.",
        fix: "Refuse to subscribe to a task in any terminal state.",
        requirements: &["subscribe.terminal"],
        judge: |t| {
            t.facts.declared("streaming", |card| card.streaming)?;
            cancelled(t)?;
            refused_when_completed(t, "subscribe", "subscribing to")?;
            t.refused_somehow("subscribe", "subscribing to a canceled task")
        },
        ..Check::tripped_by(&["canceled-not-terminal"])
    },
];

/// The step of the follow-up that does not wait.
const EARLY: &str = "early";

async fn drive(d: &Driver) {
    let Some(message) = d.prompt(Behaviour::InputRequired) else { return };
    let first = d.send("first", &message).await;
    let Some(task) = task_of(&first.reply).filter(|task| waits(task)).cloned() else { return };
    let Some(id) = task.id.clone() else { return };
    let text = |behaviour| d.facts().prompts.text(behaviour);
    let more = text(Behaviour::More).or_else(|| text(Behaviour::Done)).unwrap_or_else(|| "Please go on.".to_owned());
    // Where it need not follow from the task, the context is named too.
    let context_id = task.context_id.clone().filter(|_| !d.has_check("stream.follow-up-first"));
    let follow_up =
        || Outgoing { task_id: Some(id.clone()), context_id: context_id.clone(), ..d.outgoing(more.clone()) };
    let mut is_waiting = true;
    if d.facts().declares(|card| card.streaming) {
        let stream = d.open(STREAMED, &follow_up(), |_| StreamControl::Continue).await;
        is_waiting =
            ends_waiting(&stream) || d.poll_until_settled("settled", &id).await.is_some_and(|task| waits(&task));
    }
    if is_waiting && d.has_check("input-required.not-blocking") {
        d.send(EARLY, &Outgoing { return_immediately: Some(true), ..follow_up() }).await;
        // While the agent works on it, a cancel could meet the end of that work.
        is_waiting = d.poll_until_settled("settled-early", &id).await.is_some_and(|task| waits(&task));
    }
    if is_waiting {
        // Not before the follow-ups: agents lose the context of a task that somebody subscribed to.
        if d.has_check("subscribe.waiting") && d.facts().declares(|card| card.streaming) {
            // One event is proof enough that it was not refused.
            d.subscribe(WAITING, &id, |_| StreamControl::HangUp).await;
        }
        let answer = d.cancel("cancel", &id).await;
        if !is_canceled(Some(&answer)) {
            // T-TASK-6: the agent may need a moment.
            d.poll_while_it_moves("canceled", &id, Box::new(|| PATIENCE_MS)).await;
        }
        if is_canceled(Some(&answer)) || is_canceled(d.last("canceled").as_deref()) {
            let message = follow_up();
            let mut attempts = vec![d.send("after-cancel", &message)];
            if d.has_check("subscribe.canceled-refused") && d.facts().declares(|card| card.streaming) {
                // One event is proof enough that it was not refused.
                attempts.push(d.subscribe("subscribe", &id, |_| StreamControl::HangUp));
            }
            d.together(attempts).await;
        }
    }
}

/// The step that subscribes to the task while it waits.
const WAITING: &str = "waiting";

fn subscription_while_waiting(t: &Transcript) -> Judged {
    t.facts.declared("streaming", |card| card.streaming)?;
    asked(t)?;
    if t.every(WAITING).next().is_none() {
        return Err(Verdict::inconclusive("a follow-up finished the task, so that none was left to subscribe to"));
    }
    let step = t.step(WAITING)?;
    // A stream without an event shows nothing to the client that came back (1.0 §3.1.6: the task comes first). One that broke, or an agent
    // that answers nothing any more, says so elsewhere.
    let silent = match (&step.reply.kind, &step.exchange.end) {
        (ReplyKind::Stream(items), End::Complete) if items.is_empty() => {
            Some("the end of the stream without an event".to_owned())
        }
        (ReplyKind::NoAnswer(_), End::Deadline(limit))
            if step.exchange.response.is_some() && t.is_answered_after(step.exchange.end_ms) =>
        {
            Some(format!("a stream without an event within {limit}"))
        }
        _ => None,
    };
    if let Some(actual) = silent {
        return step.claim(false, "the task, with which a subscription begins", actual, "");
    }
    let step = t.answered(WAITING)?;
    let ReplyKind::Error(error) = &step.reply.kind else { return Ok(step.pass()) };
    // A task at work may be over before somebody subscribes to it; what is refused in the same way there has another reason.
    let at_work = t.earlier("subscribe").ok().and_then(|other| other.every("subscription").last().cloned());
    let is_same =
        at_work.is_some_and(|other| matches!(&other.reply.kind, ReplyKind::Error(other) if other.name == error.name));
    if is_same || error.is(ErrorName::MethodNotFound) {
        return Err(step.blocked("other subscriptions are refused too: see subscribe.reattaches"));
    }
    step.claim(false, "a stream of the task, which is not over", error.describe(), &error.at)
}

/// For how long a cancelled task may stay as it is, in milliseconds.
const PATIENCE_MS: f64 = 2_000.0;

pub(super) fn waits(task: &Task) -> bool {
    task.state == Some(TaskState::InputRequired)
}

/// Whether the last state of which a stream tells is that the task asks for input.
fn ends_waiting(step: &Step) -> bool {
    let ReplyKind::Stream(items) = &step.reply.kind else { return false };
    let states = items.iter().rev().filter_map(|item| item.kind.event()?.state());
    states.take(1).any(|state| state == TaskState::InputRequired)
}

fn is_canceled(step: Option<&Step>) -> bool {
    step.and_then(|step| task_of(&step.reply)).is_some_and(|task| task.state == Some(TaskState::Canceled))
}

/// Proof that the task was cancelled.
fn cancelled(t: &Transcript) -> Result<(), Verdict> {
    asked(t)?;
    if ["cancel", "canceled"].iter().any(|name| is_canceled(t.every(name).last().map(|step| &**step))) {
        return Ok(());
    }
    Err(Verdict::inconclusive(match t.step("cancel") {
        Ok(_) => "the task that waited for input could not be cancelled",
        Err(_) => "a follow-up finished the task, so that there was none left to cancel",
    }))
}

/// Whether a follow-up continues the task at all, those that waited have shown. After the streamed one it is the third message.
fn continued(t: &Transcript, step: &str) -> Result<(), Verdict> {
    let turns = t.earlier("multi-turn")?;
    let is_third = step != STREAMED && t.step(STREAMED).is_ok();
    let fails_third = || is_third && continues(turns, LAST_TURN).is_ok_and(|verdict| verdict.expected.is_some());
    if continues(turns, SECOND_TURN)?.expected.is_some() || fails_third() {
        return Err(Verdict::blocked("a follow-up that waits does not continue the task either"));
    }
    Ok(())
}

/// The events of a streamed follow-up, with their numbers; none where it was answered by a message.
fn follow_up_events<'t>(t: &'t Transcript, turn: &str) -> Result<NumberedEvents<'t>, Verdict> {
    t.facts.declared("streaming", |card| card.streaming)?;
    asked(t)?;
    let (step, events) = t.events(turn)?;
    if matches!(events.first(), Some((_, StreamEvent::Message(_)))) {
        return Err(step.inconclusive("the agent answered the follow-up with a Message"));
    }
    Ok((step, events))
}

fn first_event(t: &Transcript) -> Judged {
    let (step, events) = follow_up_events(t, STREAMED)?;
    // An agent that begins no stream with the task has one finding, and that of another check.
    let general = t.earlier("stream").and_then(|stream| stream.events("stream"));
    let begins = |events: &[(usize, &StreamEvent)]| matches!(events.first(), Some((_, StreamEvent::Task(_))));
    if general
        .is_ok_and(|(_, events)| !begins(&events) && !matches!(events.first(), Some((_, StreamEvent::Message(_)))))
    {
        return Err(Verdict::blocked("the stream of a new task does not begin with the task either"));
    }
    step.claim(begins(&events), "the task first", "an update", "event 1")
}

fn streamed(t: &Transcript) -> Judged {
    t.facts.declared("streaming", |card| card.streaming)?;
    asked(t)?;
    continued(t, STREAMED)?;
    if t.earlier("stream").is_ok_and(|stream| stream.stream("stream").is_err()) {
        return Err(Verdict::blocked("a message that makes a new task cannot be streamed either"));
    }
    tells_of_task(t, STREAMED)
}

/// Whether the stream of a follow-up tells of the task that asked for it.
pub(super) fn tells_of_task(t: &Transcript, turn: &str) -> Judged {
    let task = asked(t)?;
    let step = t.answered(turn)?;
    let expected = "events of the task that waited for input";
    match &step.reply.kind {
        ReplyKind::Error(error) => Ok(step.fail(expected, error.describe()).at(&error.at)),
        ReplyKind::Stream(items) if items.is_empty() && step.exchange.end == End::Complete => {
            Ok(step.fail(expected, "the end of the stream without an event"))
        }
        _ => {
            let (_, events) = follow_up_events(t, turn)?;
            // That the events agree with each other, and in which context they are, are other checks' claims.
            let named = events.iter().find_map(|(number, event)| Some((*number, event.task_id()?)));
            match (named, task.id.as_deref()) {
                (Some((number, found)), Some(wanted)) if found != wanted => {
                    let verdict = step.fail(format!("the task {wanted}"), format!("the task {found}"));
                    Ok(verdict.at(format!("event {number}")))
                }
                _ => Ok(step.pass()),
            }
        }
    }
}

/// Whether a task still waited when a follow-up to it was refused that came some time after it was seen to: whoever sees it as over next cannot
/// tell whether it was over before, which makes the refusal right. A message that comes right behind such an answer meets no such end.
fn was_waiting(t: &Transcript, refused: &Step, task: &Task) -> Result<(), Verdict> {
    let later = t.steps.iter().filter(|step| step.exchange.sent_ms >= refused.exchange.end_ms);
    let mut next = later.filter_map(|step| {
        let shown = step.shown_tasks().into_iter().find(|shown| shown.id == task.id.as_deref())?;
        Some((step.exchange.id, shown.state?))
    });
    match next.next() {
        Some((exchange, state)) if state.is_terminal() => {
            let why = "the task was over when it was read after the refusal, and may have been before it";
            Err(Verdict::inconclusive(why).seen_in(exchange).seen_in(refused.exchange.id))
        }
        _ => Ok(()),
    }
}

fn not_blocking(t: &Transcript) -> Judged {
    let task = asked(t)?;
    continued(t, EARLY)?;
    let step = t.step(EARLY).map_err(|_| Verdict::inconclusive("the task did not ask for input again"))?;
    let expected = format!("the task {}", task.id.as_deref().unwrap_or_default());
    match &step.reply.kind {
        ReplyKind::Result(Payload::Sent { message: Some(_), .. }) => {
            Err(step.inconclusive("the agent answered the follow-up with a Message"))
        }
        ReplyKind::Result(Payload::Sent { task: Some(answer), .. }) => {
            let actual = format!("the task {}", answer.id.as_deref().unwrap_or("without an id"));
            step.claim(answer.id == task.id, &expected, actual, answer.at.key("id"))
        }
        // A time that runs out is a finding here, since the message asked not to wait; not of an agent that answers nothing any more.
        ReplyKind::NoAnswer(why)
            if matches!(step.exchange.end, End::Deadline(_)) && t.is_answered_after(step.exchange.end_ms) =>
        {
            Ok(step.fail(expected, why.as_str()))
        }
        ReplyKind::Error(error) => {
            was_waiting(t, step, task)?;
            Ok(step.fail(expected, error.describe()).at(&error.at))
        }
        _ => t.answered(EARLY).and_then(|step| {
            Err(step.blocked(format!("the follow-up was answered with {}", step.reply.kind.describe())))
        }),
    }
}

/// The status messages of a step, each with the ids of the task or event that it is part of.
fn messages_in(step: &Step) -> Vec<(&Message, &Option<String>, &Option<String>)> {
    if let ReplyKind::Stream(items) = &step.reply.kind {
        let events = items.iter().filter_map(|item| match &item.kind {
            StreamItemKind::Event(StreamEvent::Task(task)) => {
                Some((task.status_message.as_ref()?, &task.id, &task.context_id))
            }
            StreamItemKind::Event(StreamEvent::Status(update)) => {
                Some((update.message.as_ref()?, &update.task_id, &update.context_id))
            }
            _ => None,
        });
        return events.collect();
    }
    let task = task_of(&step.reply);
    task.and_then(|task| Some((task.status_message.as_ref()?, &task.id, &task.context_id))).into_iter().collect()
}

fn status_messages(t: &Transcript) -> Judged {
    let turns = t.earlier("multi-turn")?;
    asked(turns)?;
    let mut seen = None;
    for (of, step) in turns.steps.iter().map(|step| (&**turns, step)).chain(t.steps.iter().map(|step| (t, step))) {
        // The enclosing object may have a wrong id itself, which another check reports.
        let Ok(first) = asked(of) else { continue };
        for (message, task, context) in messages_in(step) {
            seen = Some(step);
            for (name, first, wanted, found) in [
                ("taskId", &first.id, task, &message.task_id),
                ("contextId", &first.context_id, context, &message.context_id),
            ] {
                if let (Some(wanted), Some(found)) = (wanted, found)
                    && wanted != found
                    && first.as_ref() != Some(found)
                {
                    let expected = format!("{name} {wanted}, as the status belongs to it");
                    let verdict = step.fail(expected, found.as_str());
                    return Ok(verdict.at(message.at.key(name)));
                }
            }
        }
    }
    seen.map(|step| step.pass()).ok_or_else(|| Verdict::inconclusive("no status has a message"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::a2a::binding::{StreamItem, StreamItemKind};
    use crate::a2a::model::{ArtifactUpdate, StatusUpdate, StreamEvent};
    use crate::engine::transcript::examples::step;

    #[test]
    fn a_stream_ends_with_a_question_if_the_last_state_is_one() {
        let status = |state| StreamEvent::Status(StatusUpdate { state: Some(state), ..StatusUpdate::default() });
        let artifact = || StreamEvent::Artifact(ArtifactUpdate::default());
        for (events, waits) in [
            (vec![status(TaskState::Working), status(TaskState::InputRequired)], true),
            (vec![status(TaskState::InputRequired), artifact()], true),
            (vec![status(TaskState::InputRequired), status(TaskState::Working)], false),
            (vec![artifact()], false),
        ] {
            let items =
                events.iter().map(|event| StreamItem { at_ms: 0.0, kind: StreamItemKind::Event(event.clone()) });
            assert_eq!(ends_waiting(&step("ask", 1, ReplyKind::Stream(items.collect()))), waits, "{events:?}");
        }
    }
}
