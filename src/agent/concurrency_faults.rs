//! The faults of an agent that works on several tasks at the same time or emits many updates at once, and the skill by which the
//! variant `bursting` does the latter.

use std::rc::Rc;

use serde_json::Value;

use super::fault::FaultId;
use super::json_values::data;
use super::script::{bursts, streams_chunks};
use super::scripted_agent::ScriptedAgent;
use super::task::{StoredTask, TaskCell, TaskView};

/// How many tasks that were made in the same words have to be at work for the faults of a crowd.
const CROWD: usize = 3;

/// A chunk of another task.
const LEAKED: &str = r#"{"artifact":{"artifactId":"leaked","parts":[{"text":"Of another task."}]},"lastChunk":true}"#;

/// What became of the chunks of a stream so far.
#[derive(Debug, Default)]
pub(super) struct Disturbed {
    /// How many there were.
    chunks: u32,
    /// One that is kept back until the next has been sent.
    held: Option<Value>,
}

impl ScriptedAgent {
    /// The chunks that a stream shows in the place of one.
    pub(super) fn disturbed_chunks(&self, task: &TaskCell, chunk: Value, disturbed: &mut Disturbed) -> Vec<Value> {
        disturbed.chunks += 1;
        if let Some(held) = disturbed.held.take() {
            return vec![chunk, held];
        }
        let mut chunks = self.chunks_under_load(task, disturbed.chunks, chunk, &mut disturbed.held);
        let chunk = match chunks.pop() {
            Some(chunk) if chunks.is_empty() => chunk,
            Some(last) => {
                chunks.push(last);
                return chunks;
            }
            None => return chunks,
        };
        let companions = self.at_work_with(task);
        let (is_burst, is_crowd) = {
            let task = task.borrow();
            (bursts(task.first_text()), streams_chunks(task.first_text()) && companions.len() + 1 >= CROWD)
        };
        let has = |of_burst, of_crowd| is_burst && self.has(of_burst) || is_crowd && self.has(of_crowd);
        let is_last = chunk.pointer("/artifactUpdate/lastChunk").is_some();
        match (disturbed.chunks, companions.first()) {
            (1, Some(other)) if has(FaultId::BurstLeaksUpdate, FaultId::CrowdLeaksUpdate) => {
                vec![chunk, other.borrow().artifact_update(&data(LEAKED, &[]))]
            }
            (2, _) if has(FaultId::BurstLosesUpdate, FaultId::CrowdLosesUpdate) => Vec::new(),
            (2, _) if has(FaultId::BurstSwapsUpdates, FaultId::CrowdSwapsUpdates) => {
                disturbed.held = Some(chunk);
                Vec::new()
            }
            _ if is_last && is_burst && self.has(FaultId::BurstLosesLast) => Vec::new(),
            _ => vec![chunk],
        }
    }

    /// The other tasks at work that were made in the same words over the same binding, and that are streamed.
    fn at_work_with(&self, task: &TaskCell) -> Vec<TaskCell> {
        let mut others = self.made_in_same_words(&task.borrow());
        others.retain(|other| {
            self.advance(other);
            other.borrow().streamed && !other.borrow().state.is_terminal()
        });
        others
    }

    /// Of the tasks that were made in the words of a stream, but by messages that wait for their answer, the one after this; after
    /// the last one the first.
    pub(super) fn next_of_crowd(&self, task: &StoredTask) -> Option<TaskCell> {
        if !streams_chunks(task.first_text()) {
            return None;
        }
        let mut others = self.made_in_same_words(task);
        others.retain(|other| !other.borrow().streamed);
        let next = others.iter().find(|other| other.borrow().number > task.number).or_else(|| others.first())?;
        self.advance(next);
        Some(Rc::clone(next))
    }

    /// Adds the first message of another streamed task to the history of this one, which was made in the same words.
    pub(super) fn share_history(&self, task: &StoredTask, value: &mut Value) {
        if !streams_chunks(task.first_text()) || !task.streamed {
            return;
        }
        let mut others = self.made_in_same_words(task);
        others.retain(|other| other.borrow().streamed);
        let Some(other) = others.last().map(|other| other.borrow().to_value(TaskView::FULL)) else { return };
        let message = other.pointer("/history/0").cloned();
        if let (Some(Value::Array(history)), Some(message)) = (value.get_mut("history"), message) {
            history.push(message);
        }
    }

    /// The other tasks that were made in the same words over the same binding, oldest first.
    fn made_in_same_words(&self, task: &StoredTask) -> Vec<TaskCell> {
        let is_alike = |other: &StoredTask| {
            other.number != task.number && other.over_rpc == task.over_rpc && other.first_text() == task.first_text()
        };
        let store = self.0.store.borrow();
        // The task itself may be being changed.
        let others = store.tasks.iter().filter(|other| other.try_borrow().is_ok_and(|other| is_alike(&other)));
        others.cloned().collect()
    }
}
