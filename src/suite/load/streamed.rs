//! Whether a stream shows the artifacts of its task whole and in order.

use super::conversation::{LoadConversation, text_of};
use super::ids::{COMPLETE, ORDER};
use crate::a2a::binding::{StreamItem, StreamItemKind};
use crate::a2a::model::{StreamEvent, Task};
use crate::engine::plural::count_of;

/// An artifact as a stream put it together.
struct Assembled<'i> {
    id: &'i str,
    text: String,
}

/// Compares the artifacts that a stream brought by updates alone with those of the task. What a snapshot brought is left out (T-STR-4).
pub(super) fn compare_artifacts(
    c: &mut LoadConversation<'_>,
    (at, items, own): (usize, &[StreamItem], &str),
    (read_at, read): (usize, &Task),
) {
    for artifact in assembled(items, own) {
        c.seen(COMPLETE);
        c.seen(ORDER);
        let stored = read.artifacts.iter().flatten().find(|known| known.artifact_id.as_deref() == Some(artifact.id));
        let stored = stored.map(|stored| text_of(&stored.parts)).unwrap_or_default();
        if stored == artifact.text {
            continue;
        }
        let id = artifact.id;
        if sorted(&stored) == sorted(&artifact.text) {
            let expected = format!("the chunks of the artifact \"{id}\" in the order in which GetTask shows them");
            c.observe(ORDER, expected, "the same text in another order", "", &[at, read_at]);
        } else {
            let characters = |text: &str| count_of(text.chars().count(), "character");
            let expected = format!("the {} of the artifact \"{id}\" that GetTask shows", characters(&stored));
            let actual = if stored.len() == artifact.text.len() {
                "another text of that length".to_owned()
            } else {
                characters(&artifact.text)
            };
            c.observe(COMPLETE, expected, actual, "", &[at, read_at]);
        }
    }
}

/// The bytes of a text in order of size: two texts of the same pieces have the same.
fn sorted(text: &str) -> Vec<u8> {
    let mut bytes: Vec<u8> = text.bytes().collect();
    bytes.sort_unstable();
    bytes
}

fn assembled<'i>(items: &'i [StreamItem], own: &str) -> Vec<Assembled<'i>> {
    let mut artifacts: Vec<Assembled<'i>> = Vec::new();
    let mut in_snapshot: Vec<&str> = Vec::new();
    for item in items {
        match &item.kind {
            StreamItemKind::Event(StreamEvent::Task(task)) => {
                in_snapshot.extend(task.artifacts.iter().flatten().filter_map(|known| known.artifact_id.as_deref()));
            }
            StreamItemKind::Event(StreamEvent::Artifact(update))
                if update.task_id.as_deref().is_none_or(|id| id == own) =>
            {
                let Some(id) = update.artifact.artifact_id.as_deref() else { continue };
                let chunk = text_of(&update.artifact.parts);
                match artifacts.iter_mut().find(|known| known.id == id) {
                    Some(known) if update.append => known.text.push_str(&chunk),
                    Some(known) => known.text = chunk,
                    None => artifacts.push(Assembled { id, text: chunk }),
                }
            }
            _ => {}
        }
    }
    artifacts.retain(|artifact| !in_snapshot.contains(&artifact.id));
    artifacts
}
