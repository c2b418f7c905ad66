//! Compares what the events of a stream say of the task with each other, and whether the stored task says the same.

use super::events::{is_older, state_of, task_events};
use crate::a2a::dialect::read_objects::utc_moment;
use crate::a2a::model::{Content, Part, StreamEvent};
use crate::engine::plural::count_of;
use crate::engine::transcript::Transcript;
use crate::engine::verdict::{Judged, Verdict};

pub(super) fn same_ids(t: &Transcript) -> Judged {
    let (step, events) = task_events(t, "stream")?;
    let (first_task, first_context) = match events.first() {
        Some((_, StreamEvent::Task(task))) => (&task.id, &task.context_id),
        // Before 1.0 a stream may begin with an update.
        Some((_, StreamEvent::Status(update))) if is_older(t) => (&update.task_id, &update.context_id),
        Some((_, StreamEvent::Artifact(update))) if is_older(t) => (&update.task_id, &update.context_id),
        _ => return Err(Verdict::blocked("the stream does not begin with the task").seen_in(step.exchange.id)),
    };
    for (number, event) in &events {
        let (task, context) = match event {
            StreamEvent::Task(task) => (&task.id, &task.context_id),
            StreamEvent::Status(update) => (&update.task_id, &update.context_id),
            StreamEvent::Artifact(update) => (&update.task_id, &update.context_id),
            _ => continue,
        };
        for (name, wanted, found) in [("taskId", first_task, task), ("contextId", first_context, context)] {
            // A missing id is another check's.
            if let (Some(wanted), Some(found)) = (wanted, found)
                && wanted != found
            {
                return Ok(Verdict::fail(step.exchange.id, format!("{name} {wanted}"), found.as_str())
                    .at(format!("event {number}")));
            }
        }
    }
    Ok(Verdict::pass().seen_in(step.exchange.id))
}

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
fn text(parts: &[Part]) -> String {
    parts
        .iter()
        .filter_map(|part| match &part.content {
            Some(Content::Text(text)) => Some(text.as_str()),
            _ => None,
        })
        .collect()
}

pub(super) fn matches_get(t: &Transcript) -> Judged {
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
    let mut streamed: Vec<(&str, String)> = Vec::new();
    for (_, event) in &events {
        let StreamEvent::Artifact(update) = event else { continue };
        let Some(id) = update.artifact.artifact_id.as_deref() else { continue };
        let chunk = text(&update.artifact.parts);
        match streamed.iter_mut().find(|(known, _)| *known == id) {
            Some((_, whole_ms)) if update.append => whole_ms.push_str(&chunk),
            Some((_, whole_ms)) => *whole_ms = chunk,
            None => streamed.push((id, chunk)),
        }
    }
    for (id, whole_ms) in &streamed {
        let stored = task.artifacts.iter().flatten().find(|artifact| artifact.artifact_id.as_deref() == Some(id));
        let Some(stored) = stored else {
            let actual = format!("no artifact \"{id}\"");
            return Ok(Verdict::fail(got.exchange.id, format!("the artifact \"{id}\" that was streamed"), actual)
                .at(task.at.key("artifacts").as_str())
                .seen_in(step.exchange.id));
        };
        if text(&stored.parts) != *whole_ms {
            return Ok(Verdict::fail(got.exchange.id, "the text that was streamed", "different text")
                .at(stored.at.key("parts").as_str())
                .seen_in(step.exchange.id));
        }
    }
    Ok(Verdict::pass().seen_in(step.exchange.id).seen_in(got.exchange.id))
}

pub(super) fn order(t: &Transcript) -> Judged {
    let (step, events) = task_events(t, "stream")?;
    let mut latest = None;
    let mut seen = 0;
    for (number, event) in &events {
        let stamp = match event {
            StreamEvent::Task(task) => &task.timestamp,
            StreamEvent::Status(update) => &update.timestamp,
            _ => &None,
        };
        // Timestamps that are malformed or not in UTC are another check's.
        let Some((stamp, moment)) = stamp.as_ref().and_then(|stamp| Some((stamp, utc_moment(stamp)?))) else {
            continue;
        };
        seen += 1;
        if let Some((earlier, before, latest)) = latest
            && moment < latest
        {
            let expected = format!("a time not before {before}, the time of event {earlier}");
            return Ok(Verdict::fail(step.exchange.id, expected, stamp.as_str()).at(format!("event {number}")));
        }
        latest = Some((*number, stamp, moment));
    }
    if seen < 2 {
        return Err(Verdict::inconclusive("fewer than two events have a time").seen_in(step.exchange.id));
    }
    Ok(Verdict::pass_with(format!("{} compared", count_of(seen, "time"))).seen_in(step.exchange.id))
}
