//! AgentBin's tests of streams of `/spec`, and of a subscription. The list subscribes to a task that is complete by then; the
//! specification has such a subscription refused (1.0 §3.1.6), so the task is one that is still at work.

use super::applicability::spec_only;
use super::judging::{expect, test};
use crate::a2a::binding::ReplyKind;
use crate::a2a::dialect::write::Outgoing;
use crate::a2a::model::{StreamEvent, Task, TaskState};
use crate::engine::prelude::{
    Check, Driver, Judged, Scenario, Step, StreamControl, Transcript, Verdict, count_of, task_of,
};

pub(super) static SCENARIO: Scenario = Scenario {
    id: "agentbin-streams",
    title: "AgentBin: streams, and a subscription",
    messages: 4,
    streams: 1,
    rounds: 5,
    needs: spec_only,
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    test(
        "spec-streaming",
        "streaming streams artifacts and ends in a terminal state",
        "Answer SendStreamingMessage with text/event-stream: artifact updates with parts, then a terminal state.",
        &["streaming-missing", "stream-no-artifacts"],
        |t| streams_to_the_end(t, "streaming"),
    ),
    test(
        "stream-message-only",
        "message-only streams one message and no task",
        "Stream the message as the only event, and end the response.",
        &["stream-message-then-more"],
        message_alone,
    ),
    test(
        "stream-task-lifecycle",
        "task-lifecycle streams its updates and its artifact to the end",
        "Stream every status and every artifact of the task, and end the response after the terminal state.",
        &["stream-ends-early"],
        |t| streams_to_the_end(t, "lifecycle"),
    ),
    test(
        "subscribe-to-task",
        "A subscription begins with the task",
        "Answer SubscribeToTask for a task at work with a stream whose first event is the task.",
        &["subscribe-refused"],
        begins_with_task,
    ),
];

async fn drive(d: &Driver) {
    for (step, text) in [
        ("message", "message-only hello world"),
        ("lifecycle", "task-lifecycle process this data"),
        ("streaming", STREAMED),
    ] {
        d.open(step, &d.outgoing(text), |_| StreamControl::Continue).await;
    }
    for _ in 0..TRIES {
        let at_once = Outgoing { return_immediately: Some(true), ..d.outgoing("long-running start process") };
        let begun = d.send("begun", &at_once).await;
        let Some(id) = task_of(&begun.reply).and_then(|task| task.id.clone()) else { return };
        let subscribed = d.subscribe("subscription", &id, |_| StreamControl::HangUp).await;
        if !matches!(subscribed.reply.kind, ReplyKind::Error(_))
            || !task_of(&d.get(REFUSED, &id, None).await.reply).is_some_and(Task::is_over)
        {
            return;
        }
    }
}

/// How often a task is begun that is to be at work when the subscription comes.
const TRIES: usize = 3;
/// The step that reads the task of a subscription that was refused: one that is over is refused by right.
const REFUSED: &str = "refused";

/// The message of the list that is answered with several chunks.
pub(super) const STREAMED: &str = "streaming generate output";

/// The events of a stream, or that there was none.
fn events<'a>(t: &'a Transcript, name: &str) -> Result<(&'a Step, Vec<&'a StreamEvent>), Verdict> {
    let step = t.answered(name)?;
    let ReplyKind::Stream(items) = &step.reply.kind else {
        return Err(step.fail("a stream", step.reply.kind.describe()));
    };
    Ok((step, items.iter().filter_map(|item| item.kind.event()).collect()))
}

/// That a stream has artifacts with parts, and a terminal state in the end.
pub(super) fn streams_to_the_end(t: &Transcript, name: &str) -> Judged {
    let (step, events) = events(t, name)?;
    let has_artifact =
        events.iter().any(|event| matches!(event, StreamEvent::Artifact(update) if !update.artifact.parts.is_empty()));
    let is_over = events.iter().rev().find_map(|event| event.state()).is_some_and(TaskState::is_terminal);
    let actual = || format!("{} without one", count_of(events.len(), "event"));
    expect(
        step,
        &[
            (events.len() > 1, "several events", events.len().to_string()),
            (has_artifact, "an artifact update with parts", actual()),
            (is_over, "a terminal state in the end", actual()),
        ],
    )
}

fn message_alone(t: &Transcript) -> Judged {
    let (step, events) = events(t, "message")?;
    let alone = matches!(events.as_slice(), [StreamEvent::Message(_)]);
    expect(step, &[(alone, "one message and no task", count_of(events.len(), "event"))])
}

fn begins_with_task(t: &Transcript) -> Judged {
    let (_, begun) = super::judging::task(t, "begun")?;
    let read = t.step(REFUSED).ok().and_then(|read| task_of(&read.reply));
    if read.is_some_and(|task| task.is_over() && task.id == begun.id) {
        return Err(Verdict::inconclusive("each task was over when it was subscribed to"));
    }
    let (step, events) = events(t, "subscription")?;
    let same = matches!(events.first(), Some(StreamEvent::Task(task)) if task.id == begun.id);
    expect(step, &[(same, "the task as the first event", "another first event".to_owned())])
}
