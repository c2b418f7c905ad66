//! Opens and judges streams of several tasks at the same time for `burst.rs` and `streams_at_once.rs`: whose events they hold, and
//! whether artifacts come whole and in order.

use std::rc::Rc;

use super::contents::{StreamedArtifact, matches_get, snapshot, text};
use super::events::{streamed_task, task_events};
use crate::a2a::binding::StreamItemKind;
use crate::a2a::model::{StreamEvent, Task, TaskState};
use crate::engine::prelude::{Driver, Judged, Step, StreamControl, Transcript, Verdict, count_of};
use crate::engine::transcript::NumberedEvents;

/// The scenarios whose streams run at the same time. Whose events these hold is the claim of their own checks.
pub(super) const SCENARIOS: [&str; 2] = [STREAMS_AT_ONCE, BURST];
pub(super) const STREAMS_AT_ONCE: &str = "streams-at-once";
pub(super) const BURST: &str = "burst";

/// For how long a slow reader reads nothing, in milliseconds: longer than a burst takes.
const PAUSE_MS: f64 = 1500.0;

/// The steps of a scenario: each stream, and the reading of its task afterwards.
pub(in crate::suite) type Steps<'a> = &'a [(&'static str, &'static str)];

/// A stream that reached the end of its task, and the task as it was read afterwards.
struct Followed<'t> {
    stream: NumberedEvents<'t>,
    /// The id of its task.
    own: String,
    read: &'t Rc<Step>,
    task: &'t Task,
}

/// How a stream shows an artifact that its task has in the end.
enum StreamedText {
    Whole,
    OtherOrder,
    /// The number of characters in the stream, and in the task.
    Other(usize, usize),
}

/// What is wrong with a stream that shows the artifact of that id so.
type StreamedTextJudge = fn(&Followed<'_>, &str, StreamedText) -> Option<Verdict>;

/// Sends the same text once for each of the steps, streams all answers at the same time, and then reads the tasks. The stream of the
/// step `slow` is not read for a while after its first chunk.
pub(super) async fn stream_at_once(d: &Driver, text: &str, steps: Steps<'_>, slow: Option<&str>) {
    if !d.lets_tasks_overlap() {
        return;
    }
    let messages: Vec<_> = steps.iter().map(|_| d.outgoing(text)).collect();
    let streams = steps.iter().zip(&messages).map(|((stream, _), message)| {
        let mut pauses = slow == Some(*stream);
        d.open(stream, message, move |item| {
            if pauses && matches!(item, StreamItemKind::Event(StreamEvent::Artifact(_))) {
                pauses = false;
                return StreamControl::Pause(PAUSE_MS);
            }
            StreamControl::Continue
        })
    });
    let tasks: Vec<_> = d.together(streams).await.iter().map(|stream| streamed_task(stream)).collect();
    let reads = steps.iter().zip(&tasks).filter_map(|((_, read), task)| Some(d.get(read, task.as_deref()?, None)));
    d.together(reads).await;
}

/// The task that a stream is of: an update of another one may have come before it.
fn own_task(events: &[(usize, &StreamEvent)]) -> Option<String> {
    let whole = events.iter().find(|(_, event)| matches!(event, StreamEvent::Task(_)));
    whole
        .and_then(|(_, event)| event.task_id())
        .or_else(|| events.iter().find_map(|(_, event)| event.task_id()))
        .map(str::to_owned)
}

/// Judges whether each stream holds events of its own task only. An id that belongs to none of them is the finding of the check
/// of all streams.
pub(in crate::suite) fn own_events(t: &Transcript, steps: Steps<'_>) -> Judged {
    t.ran_to_its_end()?;
    let mut streams = Vec::new();
    for (stream, _) in steps {
        let (step, events) = task_events(t, stream)?;
        let own = own_task(&events).ok_or_else(|| step.blocked("a stream names no task"))?;
        streams.push((step, events, own));
    }
    for (step, events, own) in &streams {
        let others = || streams.iter().filter(|(.., other)| other != own);
        for (number, event) in events {
            let named = event.task_id().filter(|id| *id != own);
            if let Some((other, ..)) = named.and_then(|id| others().find(|(.., other)| other == id)) {
                let actual = format!("{}, the task of another stream", named.unwrap_or_default());
                let verdict = step.fail(format!("events of the task {own}"), actual);
                return Ok(verdict.at(format!("event {number}")).seen_in(other.exchange.id));
            }
        }
    }
    Ok(streams.iter().fold(Verdict::pass(), |verdict, (step, ..)| verdict.seen_in(step.exchange.id)))
}

/// Judges whether each stream shows all that its task has in the end, with at least so many chunks.
pub(super) fn complete(t: &Transcript, steps: Steps<'_>, fewest: usize) -> Judged {
    each(t, steps, fewest, |followed, id, shown| {
        let StreamedText::Other(streamed, stored) = shown else { return None };
        let letters = |number: usize| count_of(number, "character");
        let expected = format!("the {} of the artifact \"{id}\" that GetTask shows", letters(stored));
        Some(followed.stream.0.fail(expected, letters(streamed)))
    })
}

/// Judges whether each stream shows the chunks of its task in the order that the task has in the end.
pub(super) fn in_order(t: &Transcript, steps: Steps<'_>, fewest: usize) -> Judged {
    each(t, steps, fewest, out_of_order)
}

/// The same of streams in a run that has seen no stream alone.
pub(in crate::suite) fn in_order_beside(t: &Transcript, steps: Steps<'_>) -> Judged {
    t.ran_to_its_end()?;
    each_beside(t, steps, 1, out_of_order)
}

fn out_of_order(followed: &Followed<'_>, id: &str, shown: StreamedText) -> Option<Verdict> {
    let StreamedText::OtherOrder = shown else { return None };
    let expected = format!("the chunks of the artifact \"{id}\" in the order in which GetTask shows them");
    Some(followed.stream.0.fail(expected, "the same text in another order"))
}

/// Judges each artifact that a stream shows, one stream after the other, where a stream that runs alone is right.
fn each(t: &Transcript, steps: Steps<'_>, fewest: usize, finding: StreamedTextJudge) -> Judged {
    t.ran_to_its_end()?;
    if matches_get(t.earlier("stream")?).is_ok_and(|verdict| verdict.expected.is_some()) {
        return Err(Verdict::blocked("a stream that runs alone differs from its task, too"));
    }
    each_beside(t, steps, fewest, finding)
}

/// The same, whatever a stream does that runs alone.
fn each_beside(t: &Transcript, steps: Steps<'_>, fewest: usize, finding: StreamedTextJudge) -> Judged {
    let mut seen = Verdict::pass();
    for names in steps {
        let followed = follow(t, names)?;
        let artifacts = assembled(&followed);
        let chunks: usize = artifacts.iter().map(|artifact| artifact.chunks).sum();
        let (stream, read) = (followed.stream.0.exchange.id, followed.read.exchange.id);
        if chunks < fewest {
            return Err(too_few(followed.task, chunks, fewest).seen_in(stream));
        }
        for artifact in &artifacts {
            if let Some(verdict) = finding(&followed, artifact.id, shown(followed.task, artifact)) {
                return Ok(verdict.seen_in(read));
            }
        }
        seen = seen.seen_in(stream).seen_in(read);
    }
    Ok(seen)
}

/// Why nothing follows from a stream with so few chunks. An agent need not make artifacts (1.0 §3.7).
fn too_few(task: &Task, chunks: usize, fewest: usize) -> Verdict {
    if fewest > 1 {
        let chunks = count_of(chunks, "chunk");
        return Verdict::inconclusive(format!("the stream had {chunks}, and a burst has {fewest} or more"));
    }
    match task.artifacts.as_deref() {
        None | Some([]) => Verdict::not_applicable("the task has no artifacts whose chunks could be compared"),
        Some(_) => Verdict::inconclusive("the stream showed no chunk of the task's artifacts"),
    }
}

/// A stream that was read to the end of its task.
fn follow<'t>(t: &'t Transcript, (stream, read): &(&str, &str)) -> Result<Followed<'t>, Verdict> {
    let (step, events) = task_events(t, stream)?;
    let own = own_task(&events).ok_or_else(|| step.blocked("a stream names no task"))?;
    let is_own = |event: &StreamEvent| event.task_id().is_none_or(|id| id == own);
    let last = events.iter().rev().find_map(|(_, event)| event.state().filter(|_| is_own(event)));
    if !last.is_some_and(TaskState::is_terminal) {
        return Err(step.inconclusive("the stream did not reach the end of the task"));
    }
    let (read, task) = t.task(read)?;
    Ok(Followed { stream: (step, events), own, read, task })
}

/// The artifacts that a stream brings by updates alone. What a snapshot brought is left out (T-STR-4).
fn assembled<'t>(followed: &Followed<'t>) -> Vec<StreamedArtifact<'t>> {
    let events = &followed.stream.1;
    let is_own = |(_, event): &(usize, &StreamEvent)| event.task_id().is_none_or(|id| id == followed.own);
    let mut artifacts = StreamedArtifact::assembled(events.iter().copied().filter(is_own));
    artifacts.retain(|artifact| !events.iter().any(|(_, event)| snapshot(event).any(|id| id == artifact.id)));
    artifacts
}

/// How the text that was streamed goes with the artifact of the task.
fn shown(task: &Task, artifact: &StreamedArtifact<'_>) -> StreamedText {
    let streamed = artifact.text.as_str();
    let stored = artifact.in_task(task).map(text).unwrap_or_default();
    let letters = |text: &str| {
        let mut letters: Vec<u8> = text.bytes().collect();
        letters.sort_unstable();
        letters
    };
    if stored == streamed {
        StreamedText::Whole
    } else if letters(&stored) == letters(streamed) {
        StreamedText::OtherOrder
    } else {
        StreamedText::Other(streamed.chars().count(), stored.chars().count())
    }
}
