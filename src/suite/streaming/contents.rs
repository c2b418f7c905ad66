//! Judges of the scenario `stream` about its content: chunks of artifacts, and whether the stored task says the same as the stream.

use super::events::task_events;
use crate::a2a::model::{Artifact, ArtifactUpdate, Content, StreamEvent, Task, TaskState};
use crate::engine::prelude::{Judged, Transcript, Verdict, count_of};
use crate::engine::transcript::NumberedEvents;

/// The chunk of an artifact that an event brings, with the artifact's id.
fn chunk(event: &StreamEvent) -> Option<(&str, &ArtifactUpdate)> {
    let StreamEvent::Artifact(update) = event else { return None };
    Some((update.artifact.artifact_id.as_deref()?, update))
}

/// The ids of the artifacts that an event brings with the whole task.
pub(super) fn snapshot(event: &StreamEvent) -> impl Iterator<Item = &str> {
    let artifacts = match event {
        StreamEvent::Task(task) => task.artifacts.as_deref().unwrap_or_default(),
        _ => &[],
    };
    artifacts.iter().filter_map(|artifact| artifact.artifact_id.as_deref())
}

/// Passes a stream whose chunks are right, if it has any.
fn with_chunks((step, events): &NumberedEvents<'_>) -> Judged {
    if events.iter().any(|(_, event)| chunk(event).is_some()) {
        return Ok(step.pass());
    }
    Err(Verdict::inconclusive("the stream contained no artifact"))
}

pub(super) fn append_known(t: &Transcript) -> Judged {
    let stream = task_events(t, "stream")?;
    let mut known: Vec<&str> = Vec::new();
    for (number, event) in &stream.1 {
        known.extend(snapshot(event));
        let Some((id, update)) = chunk(event) else { continue };
        if update.append && !known.contains(&id) {
            let actual = format!("append to \"{id}\", which was not sent before");
            return Ok(stream.0.fail("append to an artifact sent before", actual).at(format!("event {number}")));
        }
        known.push(id);
    }
    with_chunks(&stream)
}

pub(super) fn last_chunk(t: &Transcript) -> Judged {
    let stream = task_events(t, "stream")?;
    let mut closed: Vec<&str> = Vec::new();
    for (number, event) in &stream.1 {
        let Some((id, update)) = chunk(event) else { continue };
        if update.append && closed.contains(&id) {
            let actual = format!("another chunk of \"{id}\"");
            return Ok(stream.0.fail("no chunk after lastChunk", actual).at(format!("event {number}")));
        }
        if update.last_chunk {
            closed.push(id);
        }
    }
    with_chunks(&stream)
}

/// All text of an artifact's parts, one after the other: how chunks join is the client's business, that they are the
/// same text in the end is not.
pub(in crate::suite) fn text(artifact: &Artifact) -> String {
    let texts = artifact.parts.iter().filter_map(|part| match &part.content {
        Some(Content::Text(text)) => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

/// An artifact as the chunks of a stream make it.
pub(super) struct StreamedArtifact<'t> {
    pub(super) id: &'t str,
    pub(super) text: String,
    pub(super) chunks: usize,
    /// The text of all chunks, those included that were replaced.
    all: String,
    /// The number of the last event that began the artifact again.
    replaced_by: Option<usize>,
}

impl<'t> StreamedArtifact<'t> {
    /// Puts together the chunks that these events bring.
    pub(super) fn assembled(events: impl Iterator<Item = (usize, &'t StreamEvent)>) -> Vec<Self> {
        let mut artifacts: Vec<Self> = Vec::new();
        for (number, event) in events {
            let Some((id, update)) = chunk(event) else { continue };
            let chunk = text(&update.artifact);
            let Some(known) = artifacts.iter_mut().find(|known| known.id == id) else {
                artifacts.push(Self { id, text: chunk.clone(), chunks: 1, all: chunk, replaced_by: None });
                continue;
            };
            known.chunks += 1;
            known.all.push_str(&chunk);
            if !update.append {
                known.text.clear();
                known.replaced_by = Some(number);
            }
            known.text.push_str(&chunk);
        }
        artifacts
    }

    /// The artifact that the task has in its place.
    pub(super) fn in_task<'a>(&self, task: &'a Task) -> Option<&'a Artifact> {
        task.artifacts.iter().flatten().find(|artifact| artifact.artifact_id.as_deref() == Some(self.id))
    }

    /// What was to be stored and what was, from where they part.
    fn differs_from(&self, stored: &str) -> (String, String) {
        if let Some(number) = self.replaced_by.filter(|_| self.all == stored) {
            let expected =
                format!("the text of event {number} alone: it has append false, and replaces what came before");
            return (expected, "the texts of all events, joined".to_owned());
        }
        let same = self.text.chars().zip(stored.chars()).take_while(|(one, other)| one == other).count();
        let rest = |text: &str| match text.chars().skip(same).take(SHOWN).collect::<String>() {
            rest if rest.is_empty() => "the end of the text".to_owned(),
            rest => format!("{rest:?}"),
        };
        let place = if same > 0 { format!(" after the first {}", count_of(same, "character")) } else { String::new() };
        (format!("the text that was streamed: {}{place}", rest(&self.text)), rest(stored))
    }
}

/// How many characters of two texts that differ are shown.
const SHOWN: usize = 40;

const NOT_TO_END: &str = "the stream did not reach the end of the task";

fn last_state(events: &[(usize, &StreamEvent)]) -> Option<TaskState> {
    events.iter().rev().find_map(|(_, event)| event.state())
}

pub(in crate::suite) fn matches_get(t: &Transcript) -> Judged {
    let (step, events) = task_events(t, "stream")?;
    let last = last_state(&events).ok_or_else(|| step.inconclusive("the stream contained no state"))?;
    if !last.is_terminal() {
        return Err(step.inconclusive(NOT_TO_END));
    }
    let (got, task) = t.task("get")?;
    if task.state != Some(last) {
        let expected = format!("{}, the last state in the stream", t.state_name(last));
        let actual = task.state_text.clone().unwrap_or_else(|| "no state".to_owned());
        return Ok(got.fail(expected, actual).at(task.place_of_state()).seen_in(step.exchange.id));
    }
    for artifact in StreamedArtifact::assembled(events.iter().copied()) {
        let id = artifact.id;
        let Some(stored) = artifact.in_task(task) else {
            let verdict = got.fail(format!("the artifact \"{id}\" that was streamed"), format!("no artifact \"{id}\""));
            return Ok(verdict.at(task.at.key("artifacts").as_str()).seen_in(step.exchange.id));
        };
        // T-STR-4: a snapshot may have brought the beginning of it, or all of it.
        let is_in_snapshot = || events.iter().any(|(_, event)| snapshot(event).any(|known| known == id));
        let found = text(stored);
        if found != artifact.text && !is_in_snapshot() {
            let (expected, actual) = artifact.differs_from(&found);
            return Ok(got.fail(expected, actual).at(stored.at.key("parts").as_str()).seen_in(step.exchange.id));
        }
    }
    Ok(step.pass().seen_in(got.exchange.id))
}

/// `matches_get` compares artifacts of which only a part is missing.
pub(super) fn shows_artifacts(t: &Transcript) -> Judged {
    let (step, events) = task_events(t, "stream")?;
    let (_, items) = t.stream("stream")?;
    if events.len() < items.len() || events.iter().any(|(_, event)| matches!(event, StreamEvent::Other(_))) {
        return Err(step.blocked("not all events of the stream can be read"));
    }
    if !last_state(&events).is_some_and(TaskState::is_terminal) {
        return Err(step.inconclusive(NOT_TO_END));
    }
    let (got, task) = t.task("get")?;
    let Some(stored) = task.artifacts.iter().flatten().next() else {
        return Err(got.inconclusive("the task has no artifacts"));
    };
    // T-STR-4: a task may be sent again, with all that it has.
    let shows = |event: &StreamEvent| match event {
        StreamEvent::Artifact(_) => true,
        StreamEvent::Task(task) => task.artifacts.as_ref().is_some_and(|artifacts| !artifacts.is_empty()),
        _ => false,
    };
    let id = stored.artifact_id.as_deref().unwrap_or_default();
    let expected = format!("the artifact \"{id}\", as GetTask shows it");
    let shown = events.iter().any(|(_, event)| shows(event));
    let actual = format!("{} without any artifact", count_of(events.len(), "event"));
    Ok(step.claim(shown, &expected, actual, "")?.seen_in(got.exchange.id))
}
