//! A stream that breaks off, and subscriptions that take it up: how they begin, go on and end, two at once, and an unknown task;
//! how it is driven: `resubscribe_drive.rs`.

use super::resubscribe_drive::{ATTEMPTS, drive};
use super::two_subscribers::{Agreement, agreement, came_before, missed_end, updates as updates_of};
use crate::a2a::binding::ReplyKind;
use crate::a2a::model::{ErrorName, StreamEvent, TaskState};
use crate::engine::prelude::{Behaviour, Check, Judged, Scenario, Step, Transcript, Verdict, count_of, task_of};
use crate::engine::verdict::Outcome;
use crate::suite::streaming::{declared, shows_end};
use crate::wire::exchange::End;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "subscribe",
    title: "Drop a stream and subscribe to its task again",
    messages: 2,
    attempts: ATTEMPTS,
    streams: 2,
    rounds: 4,
    after: &["stream"],
    needs_task_at_work: true,
    needs: declared,
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    Check {
        id: "subscribe.task-survives-disconnect",
        title: "The task survives a lost stream",
        why: "Phones change networks and laptops sleep; the work must not depend on who is listening.",
        fix: "Run the task independently of the connection, and ignore the client's disconnect.",
        requirements: &["subscribe.task-survives-disconnect", "subscribe.v03.survives"],
        judge: survives,
        ..Check::tripped_by(&["disconnect-cancels"])
    },
    Check {
        id: "subscribe.first-event",
        title: "A subscription begins with the task",
        why: "A client that comes back needs the task's current state.",
        fix: "Send the current task as the first event of a subscription.",
        requirements: &["subscribe.first-event", "rest.subscribe-route"],
        judge: snapshot,
        ..Check::tripped_by(&["subscribe-no-snapshot", "subscribe-refused"])
    },
    Check {
        id: "subscribe.updates",
        title: "Subscribers receive later updates",
        why: "A client subscribes to learn what happens next.",
        fix: "Attach the subscriber to the task's event queue, and do not only send a snapshot.",
        judge: updates,
        ..Check::tripped_by(&["subscribe-silent"])
    },
    Check {
        id: "subscribe.reattaches",
        title: "Resubscribing resumes a stream",
        why: "Phones change networks; a client that comes back wants the rest.",
        fix: "Attach tasks/resubscribe to the running task and send its later events.",
        requirements: &["subscribe.v03.resubscribe"],
        judge: reattaches,
        ..Check::tripped_by(&["subscribe-silent", "subscribe-refused"])
    },
    Check {
        id: "subscribe.closes",
        title: "A subscription ends with the task",
        why: "A subscription to a finished task holds a connection for nothing.",
        fix: "End the response when the task reaches a terminal state.",
        judge: closes,
        ..Check::tripped_by(&["subscribe-stays-open"])
    },
    Check {
        id: "subscribe.multi-broadcast",
        title: "Two subscribers see the same events in the same order",
        why: "Two windows on one task must show the same events.",
        fix: "Send every event to every subscriber, in the order they were generated.",
        judge: broadcast,
        ..Check::tripped_by(&["subscribers-share-events"])
    },
    Check {
        id: "subscribe.close-independent",
        title: "Closing one stream leaves the other open",
        why: "A user who closes one window still wants the other to be updated.",
        fix: "End only the stream whose client disconnected.",
        judge: independent,
        ..Check::tripped_by(&["one-closes-all"])
    },
    Check {
        id: "subscribe.not-found",
        title: "Subscribing to an unknown task is refused",
        why: "A client that subscribes to a task that does not exist must be refused, or it waits for events forever.",
        fix: "Return TaskNotFoundError (-32001) when the task does not exist.",
        judge: not_found,
        ..Check::tripped_by(&["subscribe-unknown-streams", "unknown-task-remembered", "subscribe-missing"])
    },
    Check {
        id: "stream.unknown-task",
        title: "Streaming into an unknown task is refused",
        why: "A task that does not exist has no events to stream.",
        fix: "When message.taskId is unknown, return TaskNotFoundError (-32001) before the stream begins, or as its \
              only event.",
        judge: unknown_task,
        ..Check::tripped_by(&["stream-unknown-task-accepted"])
    },
];

/// The stream that we cut off in the middle of its task.
fn cut(t: &Transcript) -> Result<u32, Verdict> {
    let (step, events) = t.events("stream")?;
    if let Some((_, StreamEvent::Message(_))) = events.first() {
        return Err(Verdict::inconclusive("the agent streamed a message, which is allowed"));
    }
    t.lasts(step, Behaviour::LongRunning)?;
    if begins_with_end(&events) {
        return Err(Verdict::inconclusive(
            "the task finished with its first event; to run this check, use a prompt \"long-running\" that works for \
             some seconds",
        ));
    }
    Ok(step.exchange.id)
}

fn begins_with_end(events: &[(usize, &StreamEvent)]) -> bool {
    shows_end(events.get(..1).unwrap_or_default())
}

/// Whether the task whose stream was dropped was read at its end.
fn has_ended(t: &Transcript) -> bool {
    t.task("settled").is_ok_and(|(_, task)| task.is_over())
}

fn survives(t: &Transcript) -> Judged {
    let stream = cut(t);
    let (step, task) = match (t.task("settled").or_else(|_| t.task("get")), &stream) {
        (Ok(read), _) => read,
        (Err(_), Err(why)) => return Err(why.clone()),
        (Err(why), Ok(_)) => return Err(why),
    };
    match task.state {
        // Nobody asked for that, whenever the stream was dropped.
        Some(TaskState::Canceled) => {
            let stream = t.events("stream")?.0.exchange.id;
            let actual = "a task canceled after its stream was dropped";
            Ok(step.fail("the task to continue", actual).at(task.place_of_state()).seen_in(stream))
        }
        Some(_) => stream.map(|_| step.pass()),
        None => Err(Verdict::blocked("the task's state is not one that this version defines")),
    }
}

/// A subscription that was taken; the agent is not blamed for a race with the end of the task (T-STR-6).
fn taken(t: &Transcript) -> Result<(), Verdict> {
    // Whether the operation exists does not depend on when the request came.
    if let Ok(step) = t.answered("subscription") {
        exists(t, step, "unknown")?;
    }
    cut(t)?;
    let step = t.answered("subscription")?;
    if let ReplyKind::Error(error) = &step.reply.kind
        && !(error.name == Some(ErrorName::MethodNotFound) && t.step("unknown").is_err())
    {
        let ran = t.task("refused-at").is_ok_and(|(_, task)| task.state.is_some_and(|state| !state.is_terminal()));
        if !ran {
            return Err(step.inconclusive(
                "the task finished before the subscription; to run this check, use a prompt \"long-running\" that \
                 works for some seconds",
            ));
        }
    }
    Ok(())
}

fn snapshot(t: &Transcript) -> Judged {
    taken(t)?;
    let step = t.answered("subscription")?;
    if let ReplyKind::Error(error) = &step.reply.kind {
        return Ok(step.fail("a stream that begins with the task", error.describe()));
    }
    let (_, events) = t.events("subscription")?;
    match events.first() {
        Some((_, StreamEvent::Task(_))) => Ok(step.pass()),
        Some((number, _)) => Ok(step.fail("the task first", "something else").at(format!("event {number}"))),
        None => Err(Verdict::blocked("the subscription contained no event")),
    }
}

pub(in crate::suite) fn updates(t: &Transcript) -> Judged {
    taken(t)?;
    unbroken(t)?;
    let (step, events) = t.events("subscription")?;
    if begins_with_end(&events) {
        return Err(Verdict::inconclusive("the task finished with the first event"));
    }
    let later = events.iter().skip(1).any(|(_, event)| !matches!(event, StreamEvent::Other(_)));
    match (later, has_ended(t)) {
        (true, _) => Ok(step.pass_with(count_of(events.len(), "event"))),
        (false, true) => Ok(step.fail("updates until the task finished", "none after the first event")),
        (false, false) => Err(Verdict::inconclusive("nothing happened to the task while this check listened")),
    }
}

fn reattaches(t: &Transcript) -> Judged {
    taken(t)?;
    let step = t.answered("subscription")?;
    if let ReplyKind::Error(error) = &step.reply.kind {
        return step.claim(false, "the stream of the running task", error.describe(), error.at.as_str());
    }
    let (step, events) = t.events("subscription")?;
    // Where things stand may come first, and is no later event.
    let snapshot = usize::from(matches!(events.first(), Some((_, StreamEvent::Task(_)))) && !begins_with_end(&events));
    let later = events.iter().skip(snapshot).any(|(_, event)| !matches!(event, StreamEvent::Other(_)));
    if !later && !has_ended(t) {
        return Err(step.inconclusive("nothing happened to the task while this check listened"));
    }
    step.claim(later, "later events of the task", "none", "")
}

fn closes(t: &Transcript) -> Judged {
    taken(t)?;
    unbroken(t)?;
    let (step, events) = t.events("subscription")?;
    // The stream itself may tell of the end where the task cannot be read afterwards.
    match (&step.exchange.end, shows_end(&events) || has_ended(t)) {
        (End::Complete, true) => Ok(step.pass()),
        (_, false) => Err(Verdict::inconclusive("the task was not seen to end while this check listened")),
        (_, true) => Ok(step.fail("the end of the subscription", "a stream still open after the grace period of 5 s")),
    }
}

/// Blocked where the connection broke, or where our own patience gave out: a proxy on the way cuts streams too, and the
/// task may have ended right after we stopped waiting.
fn unbroken(t: &Transcript) -> Result<(), Verdict> {
    let step = t.answered("subscription")?;
    step.exchange.end.cut().map_or(Ok(()), |cut| Err(step.blocked(cut)))
}

/// The second subscription, if the agent allows one at all (T-STR-8).
fn second(t: &Transcript) -> Result<u32, Verdict> {
    taken(t)?;
    unbroken(t)?;
    t.events("subscription")?;
    let step = t.answered("second")?;
    match step.reply.kind {
        ReplyKind::Stream(_) => Ok(step.exchange.id),
        _ => Err(step.inconclusive("the agent allows one subscription at a time, which is permitted")),
    }
}

fn broadcast(t: &Transcript) -> Judged {
    let id = second(t)?;
    let (first, other) = (t.answered("subscription")?, t.answered("second")?);
    let (all, some) = (updates_of(first), updates_of(other));
    if some.is_empty() {
        if missed_end(first, other) {
            let actual = "none, although its stream was open when the first subscriber saw the end of the task";
            let verdict = Verdict::fail(id, "the events that the first subscriber saw", actual);
            return Ok(verdict.seen_in(first.exchange.id));
        }
        return Err(Verdict::inconclusive("the second subscriber saw no update before it disconnected").seen_in(id));
    }
    match agreement(&all, &some) {
        Agreement::Same => Ok(Verdict::pass().seen_in(id)),
        Agreement::Different(seen, instead) => {
            Ok(Verdict::fail(id, format!("{seen}, as the first subscriber saw"), instead))
        }
        Agreement::NothingShared if came_before(first, other) => {
            Ok(Verdict::fail(id, "the events that the first subscriber saw", "none of them").seen_in(first.exchange.id))
        }
        Agreement::NothingShared => {
            Err(Verdict::inconclusive("the two subscriptions may not have been open at the same time").seen_in(id))
        }
    }
}

fn independent(t: &Transcript) -> Judged {
    let id = second(t)?;
    if t.answered("second")?.exchange.end != End::HungUp {
        return Err(Verdict::inconclusive("the task finished before one of the streams could be closed"));
    }
    let (step, events) = t.events("subscription")?;
    let left_ms = t.answered("second")?.exchange.end_ms;
    if shows_end(&events) {
        return Ok(step.pass().seen_in(id));
    }
    // The end of the task may have gone unread: only a task that ran on when it was read right afterwards proves anything.
    let after = t.every("settled").next().and_then(|step| task_of(&step.reply)?.state);
    let ran_on = after.is_some_and(|state| !state.is_terminal());
    if ran_on && step.exchange.end_ms - left_ms < 1000.0 && step.exchange.end == End::Complete {
        let actual = "an end of the other stream as well, before the end of the task";
        return Ok(step.fail("the other stream to continue", actual).seen_in(id));
    }
    let why = match step.exchange.end {
        End::Complete => "the other stream ended before it showed the end of the task: see stream.lasts",
        _ => "the task was still running when the listening time ended",
    };
    Err(Verdict::inconclusive(why))
}

/// An agent that refuses every stream has said so once, in `jsonrpc.sse-content-type`.
fn streams(t: &Transcript) -> Result<(), Verdict> {
    match &t.earlier("stream")?.answered("stream")?.reply.kind {
        ReplyKind::Error(error)
            if matches!(error.name, Some(ErrorName::UnsupportedOperation | ErrorName::MethodNotFound)) =>
        {
            Err(Verdict::blocked(format!("every streaming call is refused: {}", error.describe())))
        }
        _ => Ok(()),
    }
}

/// Whether the operation exists. Where it does not, for an unknown task either, one check says so.
pub(in crate::suite) fn exists(t: &Transcript, step: &Step, unknown: &str) -> Result<(), Verdict> {
    let is_missing = |step: &Step| step.reply.kind.is_surely_error(ErrorName::MethodNotFound);
    if is_missing(step) && t.step(unknown).is_ok_and(|unknown| is_missing(unknown)) {
        return Err(step.blocked(format!("{} does not exist: see subscribe.not-found", t.request_name(step))));
    }
    Ok(())
}

fn not_found(t: &Transcript) -> Judged {
    streams(t)?;
    let alone = t.refused_as("unknown", "subscribing to a task that does not exist", &[ErrorName::TaskNotFound])?;
    Ok(t.misled_at_once("unknown-at-once").filter(|_| alone.outcome == Outcome::Pass).unwrap_or(alone))
}

fn unknown_task(t: &Transcript) -> Judged {
    streams(t)?;
    let verdict =
        t.refused_as("stray", "a streamed message to a task that does not exist", &[ErrorName::TaskNotFound])?;
    if verdict.outcome != Outcome::Pass {
        return Ok(verdict);
    }
    let step = t.answered("stray")?;
    let frames = step.exchange.response.as_ref().map(|response| response.frames.as_slice()).unwrap_or_default();
    if frames.iter().any(|known| known.frame.event.as_deref() == Some("error")) {
        let actual = "an event of the type \"error\", which clients do not see that listen for messages";
        return Ok(step.fail("the error instead of a stream, or as an event without a type", actual).as_note());
    }
    Ok(verdict)
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::engine::transcript::examples::{error, recorded, step};

    #[test]
    fn where_every_stream_is_refused_another_check_says_so() {
        for (kind, is_blocked) in [
            (error(ErrorName::UnsupportedOperation), true),
            (error(ErrorName::MethodNotFound), true),
            (error(ErrorName::Internal), false),
            (ReplyKind::Stream(Vec::new()), false),
        ] {
            let before = vec![Rc::new(recorded("stream", [step("stream", 1, kind.clone())]))];
            let found = streams(&Transcript { before, ..recorded("subscribe", []) });
            let blocked = found.is_err_and(|verdict| verdict.message.starts_with("every streaming call is refused"));
            assert_eq!(blocked, is_blocked, "{kind:?}");
        }
    }
}
