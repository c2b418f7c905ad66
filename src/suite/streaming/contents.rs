//! Compares what the events of a stream say of the task with each other, and whether the stored task says the same.

use super::events::{state_of, task_events};
use crate::a2a::model::{Content, Part, StreamEvent, TaskState};
use crate::engine::plural::count_of;
use crate::engine::transcript::Transcript;
use crate::engine::verdict::{Judged, Verdict};

pub(super) fn append_known(t: &Transcript) -> Judged {
    let (step, events) = task_events(t, "stream")?;
    let mut known: Vec<&str> = Vec::new();
    let mut chunks = 0;
    for (number, event) in &events {
        match event {
            StreamEvent::Task(task) => {
                known.extend(task.artifacts.iter().flatten().filter_map(|artifact| artifact.artifact_id.as_deref()));
            }
            StreamEvent::Artifact(update) => {
                let Some(id) = update.artifact.artifact_id.as_deref() else { continue };
                chunks += 1;
                if update.append && !known.contains(&id) {
                    let actual = format!("append to \"{id}\", which was not sent before");
                    return Ok(Verdict::fail(step.exchange.id, "append to an artifact sent before", actual)
                        .at(format!("event {number}")));
                }
                known.push(id);
            }
            _ => {}
        }
    }
    if chunks == 0 {
        Err(Verdict::inconclusive("the stream contained no artifact"))
    } else {
        Ok(Verdict::pass().seen_in(step.exchange.id))
    }
}

pub(super) fn last_chunk(t: &Transcript) -> Judged {
    let (step, events) = task_events(t, "stream")?;
    let mut closed: Vec<&str> = Vec::new();
    let mut chunks = 0;
    for (number, event) in &events {
        let StreamEvent::Artifact(update) = event else { continue };
        let Some(id) = update.artifact.artifact_id.as_deref() else { continue };
        chunks += 1;
        if update.append && closed.contains(&id) {
            let actual = format!("another chunk of \"{id}\"");
            return Ok(
                Verdict::fail(step.exchange.id, "no chunk after lastChunk", actual).at(format!("event {number}"))
            );
        }
        if update.last_chunk {
            closed.push(id);
        }
    }
    if chunks == 0 {
        Err(Verdict::inconclusive("the stream contained no artifact"))
    } else {
        Ok(Verdict::pass().seen_in(step.exchange.id))
    }
}

/// All text of an artifact's parts, one after the other: how chunks join is the client's business, that they are the
/// same text in the end is not.
pub(super) fn text(parts: &[Part]) -> String {
    parts
        .iter()
        .filter_map(|part| match &part.content {
            Some(Content::Text(text)) => Some(text.as_str()),
            _ => None,
        })
        .collect()
}

/// An artifact as the chunks of a stream make it.
struct StreamedArtifact<'t> {
    id: &'t str,
    text: String,
    /// The text of all chunks, those included that were replaced.
    all: String,
    /// The number of the last event that began the artifact again.
    replaced_by: Option<usize>,
}

impl StreamedArtifact<'_> {
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

pub(in crate::suite) fn matches_get(t: &Transcript) -> Judged {
    let (step, events) = task_events(t, "stream")?;
    let Some(last) = events.iter().rev().find_map(|(_, event)| state_of(event)) else {
        return Err(Verdict::inconclusive("the stream contained no state").seen_in(step.exchange.id));
    };
    if !last.is_terminal() {
        return Err(Verdict::inconclusive("the stream did not reach the end of the task").seen_in(step.exchange.id));
    }
    let (got, task) = t.task("get")?;
    if task.state != Some(last) {
        let dialect = t.lane.as_ref().map(|lane| lane.dialect.state_name(last)).unwrap_or_default();
        let actual = task.state_text.clone().unwrap_or_else(|| "no state".to_owned());
        let place = format!("{}/status/state", task.at);
        return Ok(Verdict::fail(got.exchange.id, format!("{dialect}, the last state in the stream"), actual)
            .at(place)
            .seen_in(step.exchange.id));
    }
    let mut streamed: Vec<StreamedArtifact<'_>> = Vec::new();
    for (number, event) in &events {
        let StreamEvent::Artifact(update) = event else { continue };
        let Some(id) = update.artifact.artifact_id.as_deref() else { continue };
        let chunk = text(&update.artifact.parts);
        match streamed.iter_mut().find(|known| known.id == id) {
            Some(known) => {
                known.all.push_str(&chunk);
                if update.append {
                    known.text.push_str(&chunk);
                } else {
                    known.text = chunk;
                    known.replaced_by = Some(*number);
                }
            }
            None => streamed.push(StreamedArtifact { id, text: chunk.clone(), all: chunk, replaced_by: None }),
        }
    }
    for artifact in &streamed {
        let id = &artifact.id;
        let stored = task.artifacts.iter().flatten().find(|artifact| artifact.artifact_id.as_deref() == Some(id));
        let Some(stored) = stored else {
            let actual = format!("no artifact \"{id}\"");
            return Ok(Verdict::fail(got.exchange.id, format!("the artifact \"{id}\" that was streamed"), actual)
                .at(task.at.key("artifacts").as_str())
                .seen_in(step.exchange.id));
        };
        // T-STR-4: a snapshot may have brought the beginning of it, or all of it.
        let in_snapshot = |(_, event): &(usize, &StreamEvent)| match event {
            StreamEvent::Task(task) => {
                task.artifacts.iter().flatten().any(|artifact| artifact.artifact_id.as_deref() == Some(id))
            }
            _ => false,
        };
        let found = text(&stored.parts);
        if found != artifact.text && !events.iter().any(in_snapshot) {
            let (expected, actual) = artifact.differs_from(&found);
            return Ok(Verdict::fail(got.exchange.id, expected, actual)
                .at(stored.at.key("parts").as_str())
                .seen_in(step.exchange.id));
        }
    }
    Ok(Verdict::pass().seen_in(step.exchange.id).seen_in(got.exchange.id))
}

/// `matches_get` compares artifacts of which only a part is missing.
pub(super) fn shows_artifacts(t: &Transcript) -> Judged {
    let (step, events) = task_events(t, "stream")?;
    let (_, items) = t.stream("stream")?;
    if events.len() < items.len() || events.iter().any(|(_, event)| matches!(event, StreamEvent::Other(_))) {
        return Err(Verdict::blocked("not all events of the stream can be read").seen_in(step.exchange.id));
    }
    if !events.iter().rev().find_map(|(_, event)| state_of(event)).is_some_and(TaskState::is_terminal) {
        return Err(Verdict::inconclusive("the stream did not reach the end of the task").seen_in(step.exchange.id));
    }
    let (got, task) = t.task("get")?;
    let Some(stored) = task.artifacts.iter().flatten().next() else {
        return Err(Verdict::inconclusive("the task has no artifacts").seen_in(got.exchange.id));
    };
    // T-STR-4: a task may be sent again, with all that it has.
    let shows = |event: &StreamEvent| match event {
        StreamEvent::Artifact(_) => true,
        StreamEvent::Task(task) => task.artifacts.as_ref().is_some_and(|artifacts| !artifacts.is_empty()),
        _ => false,
    };
    let expected =
        format!("the artifact \"{}\", as GetTask shows it", stored.artifact_id.as_deref().unwrap_or_default());
    let shown = events.iter().any(|(_, event)| shows(event));
    let actual = format!("{} without any artifact", count_of(events.len(), "event"));
    Ok(step.claim(shown, &expected, actual, "")?.seen_in(got.exchange.id))
}
