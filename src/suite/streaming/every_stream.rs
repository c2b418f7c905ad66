//! Rules for every stream of a run, whichever call opened it: the form of its events, their order, and what they say about the
//! task.

use std::rc::Rc;

use super::at_once;
use super::events::{declared, is_end, is_older, streamed_task, task_events};
use super::stream_judgement::name;
use crate::a2a::binding::ReplyKind;
use crate::a2a::dialect::read_objects::utc_moment;
use crate::a2a::model::{Operation, StreamEvent};
use crate::a2a::rule::Rule;
use crate::engine::prelude::{Check, Judged, Scenario, Step, Transcript, Verdict, count_of};

pub(super) static SCENARIO: Scenario =
    Scenario { needs: declared, ..Scenario::of_traffic("every-stream", "Look at every stream of this run", CHECKS) };

const CHECKS: &[Check] = &[
    Check {
        id: "jsonrpc.sse-id",
        title: "Events carry the id of their request",
        why: "A client with several calls in progress matches each stream to its call by the id.",
        fix: "Use the id of the request that opened the stream in every event.",
        judge: |t| form(t, Rule::SseId),
        ..Check::tripped_by(&["stream-other-id", "subscribe-other-id"])
    },
    Check {
        id: "stream.task-lifecycle",
        title: "After the task only updates follow",
        why: "A message ends the exchange; in the middle of a task it has no place.",
        fix: "After the task, send only statusUpdate and artifactUpdate; put what the agent says into status.message.",
        judge: |t| each(t, only_updates),
        ..Check::tripped_by(&["stream-message-inside"])
    },
    Check {
        id: "stream.nothing-after-terminal",
        title: "No update follows a terminal status",
        why: "A client that stops at the terminal status misses everything after it.",
        fix: "Send artifacts before the terminal status.",
        judge: |t| each(t, nothing_after),
        ..Check::tripped_by(&["stream-update-after-terminal", "subscribe-after-terminal"])
    },
    Check {
        id: "stream.oneof",
        title: "Each event has exactly one payload",
        why: "Clients decide what an event is by the one member that is present.",
        fix: "Give every event exactly one of task, message, statusUpdate and artifactUpdate.",
        judge: |t| form(t, Rule::EventPayload),
        ..Check::tripped_by(&["stream-two-payloads"])
    },
    Check {
        id: "stream.status-event-fields",
        title: "Status updates name task, context and status",
        why: "A client cannot apply an update that does not identify its task.",
        fix: "Give every status update its taskId, contextId and status with a state, and in 0.2 and 0.3 also final.",
        requirements: &["stream.status-event-fields", "stream.v03.status-fields"],
        judge: |t| form(t, Rule::StatusEvent),
        ..Check::tripped_by(&["status-event-no-context", "subscribe-no-context"])
    },
    Check {
        id: "stream.artifact-event-fields",
        title: "Artifact updates name task, context and artifact",
        why: "A client cannot place a chunk that does not identify its task and artifact.",
        fix: "Give every artifact update its taskId, contextId and artifact; if present, append and lastChunk are \
              booleans.",
        requirements: &["stream.artifact-event-fields", "stream.v03.artifact-fields"],
        judge: |t| form(t, Rule::ArtifactEvent),
        ..Check::tripped_by(&["artifact-event-no-task-id"])
    },
    Check {
        id: "stream.no-legacy-members",
        title: "1.0 events have no final or kind",
        why: "1.0 clients do not look at final, and strict ones refuse it.",
        fix: "Leave final and kind out of 1.0 events; the end of the response is the end of the stream.",
        judge: |t| form(t, Rule::EventNoLegacy),
        ..Check::tripped_by(&["stream-final-member"])
    },
    Check {
        id: "stream.consistent-ids",
        title: "All events name the same task",
        why: "An update under another id belongs to another task.",
        fix: "Use the task's own id and contextId in all its events.",
        judge: consistent_ids,
        ..Check::tripped_by(&["stream-foreign-context", "subscribe-other-task"])
    },
    Check {
        id: "stream.order",
        title: "Events arrive in the order they were generated",
        why: "If events overtake each other, a task appears to go backwards.",
        fix: "Send a task's events through one queue, in the order they were generated.",
        judge: |t| each(t, order),
        ..Check::tripped_by(&["timestamps-go-back", "subscribe-time-back"])
    },
];

fn is_stream(step: &Step) -> bool {
    matches!(step.reply.kind, ReplyKind::Stream(_))
}

fn is_subscription(step: &Step) -> bool {
    step.sent.operation == Some(Operation::SubscribeToTask)
}

/// The recording of the scenario `stream`: its stream is the one that is followed from its first event to its last, so it tells why
/// there is nothing to judge.
fn followed(t: &Transcript) -> Transcript {
    let steps = t.steps.iter().filter(|step| step.exchange.scenario == "stream");
    Transcript { steps: steps.cloned().collect(), ..t.clone() }
}

/// Judges a rule over the events of all streams.
fn form(t: &Transcript, rule: Rule) -> Judged {
    let mut is_none = false;
    let verdict = t.rule_in(rule, is_stream, || {
        is_none = true;
        Verdict::inconclusive("the stream contained no event of that kind")
    });
    if is_none {
        followed(t).stream("stream")?;
    }
    Ok(verdict)
}

/// Judges one stream after the other, as a transcript of nothing but its step, whose name comes with it.
fn each(t: &Transcript, judge: fn(&Transcript, &str) -> Judged) -> Judged {
    let nothing = Transcript { steps: Vec::new(), ..t.clone() };
    for step in t.steps.iter().filter(|step| is_stream(step)) {
        let alone = Transcript { steps: vec![Rc::clone(step)], ..nothing.clone() };
        // The reason why another stream was not judged is not repeated.
        if let Ok(verdict) = judge(&alone, step.name)
            && verdict.expected.is_some()
        {
            return Ok(verdict);
        }
    }
    judge(&followed(t), "stream")
}

fn consistent_ids(t: &Transcript) -> Judged {
    let verdict = each(t, same_ids)?;
    if verdict.expected.is_some() {
        return Ok(verdict);
    }
    Ok(subscribed_ids(t).unwrap_or(verdict))
}

/// The fault in the ids of a subscription, if there is one: they are those of the stream that made its task. A subscription to a task that
/// no stream of its scenario made is compared with nothing.
fn subscribed_ids(t: &Transcript) -> Option<Verdict> {
    for step in t.steps.iter().filter(|step| is_subscription(step)) {
        let ReplyKind::Stream(items) = &step.reply.kind else { continue };
        let task = step.sent.params.as_ref().and_then(|params| params.get("id")?.as_str().map(str::to_owned));
        let made = t.steps.iter().find(|made| {
            made.sent.operation == Some(Operation::SendStreamingMessage)
                && made.exchange.scenario == step.exchange.scenario
                && task.is_some()
                && made.addressed_task().is_none()
                && streamed_task(made) == task
        });
        let Some(made) = made else { continue };
        let ReplyKind::Stream(first) = &made.reply.kind else { continue };
        let context = first.iter().find_map(|item| item.kind.event()?.context_id());
        for (index, item) in items.iter().enumerate() {
            let Some(event) = item.kind.event() else { continue };
            if let Some((wanted, found)) = other_id((task.as_deref(), context), event) {
                let verdict = step.fail(format!("{wanted}, as in the stream that made the task"), found);
                return Some(verdict.at(format!("event {}", index + 1)).seen_in(made.exchange.id));
            }
        }
    }
    None
}

/// The first id of task and context in an event that is another than the wanted one, and that one with its name. Another check judges
/// missing ids.
fn other_id<'a>(wanted: (Option<&str>, Option<&str>), event: &'a StreamEvent) -> Option<(String, &'a str)> {
    let pairs = [("taskId", wanted.0, event.task_id()), ("contextId", wanted.1, event.context_id())];
    let mut both = pairs.into_iter().filter_map(|(name, wanted, found)| Some((name, wanted?, found?)));
    both.find(|(_, wanted, found)| wanted != found).map(|(name, wanted, found)| (format!("{name} {wanted}"), found))
}

fn same_ids(t: &Transcript, stream: &str) -> Judged {
    let (step, events) = task_events(t, stream)?;
    // Before 1.0 a stream may begin with an update.
    let is_first = |event: &StreamEvent| match event {
        StreamEvent::Task(_) => true,
        StreamEvent::Status(_) | StreamEvent::Artifact(_) => is_older(t),
        StreamEvent::Message(_) | StreamEvent::Other(_) => false,
    };
    let Some((_, first)) = events.first().filter(|(_, event)| is_first(event)) else {
        return Err(step.blocked("the stream does not begin with the task"));
    };
    let wanted = (first.task_id(), first.context_id());
    // Whose events a stream holds while others run is the claim of other checks.
    let is_at_once = at_once::SCENARIOS.contains(&step.exchange.scenario.as_str());
    let is_judged_elsewhere = |task: Option<&str>| is_at_once && task.is_some() && task != wanted.0;
    for (number, event) in events.iter().filter(|(_, event)| !is_judged_elsewhere(event.task_id())) {
        if let Some((wanted, found)) = other_id(wanted, event) {
            return Ok(step.fail(wanted, found).at(format!("event {number}")));
        }
    }
    Ok(step.pass())
}

fn only_updates(t: &Transcript, stream: &str) -> Judged {
    let (step, events) = task_events(t, stream)?;
    match events.iter().find(|(_, event)| matches!(event, StreamEvent::Message(_))) {
        Some((number, _)) => Ok(step.fail("updates of the task", "a message").at(format!("event {number}"))),
        None => Ok(step.pass_with(count_of(events.len(), "event"))),
    }
}

fn nothing_after(t: &Transcript, stream: &str) -> Judged {
    let (step, events) = task_events(t, stream)?;
    let is_subscription = is_subscription(step);
    // T-STR-15: a subscriber may be told first where things stand, and then what led there.
    let late = usize::from(is_subscription);
    let is_end = |event: &StreamEvent| is_end(event) && !(is_subscription && matches!(event, StreamEvent::Task(_)));
    let Some(end) = events.iter().skip(late).position(|(_, event)| is_end(event)).map(|end| end + late) else {
        return Err(step.inconclusive("the stream contained no terminal status"));
    };
    // 1.0 §11.7: a snapshot of the finished task may follow.
    let is_repeated =
        |event: &StreamEvent| is_subscription && events.iter().take(end + 1).any(|(_, told)| *told == event);
    let mut later = events.iter().skip(end + 1);
    match later.find(|(_, event)| !matches!(event, StreamEvent::Task(_)) && !is_repeated(event)) {
        Some((number, event)) => {
            Ok(step.fail("nothing after the terminal status", name(event)).at(format!("event {number}")))
        }
        None => Ok(step.pass()),
    }
}

fn order(t: &Transcript, stream: &str) -> Judged {
    let (step, events) = task_events(t, stream)?;
    let is_subscription = is_subscription(step);
    let mut told = Vec::new();
    let mut latest = None;
    let mut seen = 0;
    for (number, event) in &events {
        let stamp = match event {
            // T-STR-15: what follows the snapshot of a subscription may be older than it is.
            StreamEvent::Task(_) if is_subscription => &None,
            StreamEvent::Task(task) => &task.timestamp,
            StreamEvent::Status(update) => &update.timestamp,
            _ => &None,
        };
        // Another check judges timestamps that are malformed or not in UTC.
        let Some((stamp, moment)) = stamp.as_ref().and_then(|stamp| Some((stamp, utc_moment(stamp)?))) else {
            continue;
        };
        seen += 1;
        let what = (event.state(), stamp);
        if is_subscription && told.contains(&what) {
            continue;
        }
        told.push(what);
        if let Some((earlier, before, latest)) = latest
            && moment < latest
        {
            let expected = format!("a time not before {before}, the time of event {earlier}");
            return Ok(step.fail(expected, stamp.as_str()).at(format!("event {number}")));
        }
        latest = Some((*number, stamp, moment));
    }
    if seen < 2 {
        return Err(step.inconclusive("fewer than two events have a time"));
    }
    Ok(step.pass_with(format!("{} compared", count_of(seen, "time"))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::a2a::binding::{StreamItem, StreamItemKind};
    use crate::a2a::model::{Operation, StatusUpdate, Task, TaskState};
    use crate::engine::transcript::examples::{call, recorded};

    #[test]
    fn behind_the_end_a_snapshot_may_follow_and_to_a_subscriber_what_he_was_told() {
        let status = |state| StreamEvent::Status(StatusUpdate { state: Some(state), ..StatusUpdate::default() });
        let (working, end) = (|| status(TaskState::Working), || status(TaskState::Completed));
        let snapshot = || StreamEvent::Task(Task { state: Some(TaskState::Completed), ..Task::default() });
        let (message, subscription) = (Operation::SendStreamingMessage, Operation::SubscribeToTask);
        for (operation, events, is_finding) in [
            (message, vec![working(), end(), snapshot()], false),
            (message, vec![working(), end(), working()], true),
            (subscription, vec![snapshot(), working(), end(), working()], false),
            (subscription, vec![working(), working(), end(), status(TaskState::InputRequired)], true),
        ] {
            let items =
                events.iter().map(|event| StreamItem { at_ms: 0.0, kind: StreamItemKind::Event(event.clone()) });
            let step = call("stream", 1, operation, ReplyKind::Stream(items.collect()));
            let found = nothing_after(&recorded("stream", [step]), "stream").unwrap();
            assert_eq!(found.expected.is_some(), is_finding, "{events:?}");
        }
    }
}
