//! The faults of an agent that works on several tasks at the same time or emits many updates at once, and from how many tasks on
//! they show. By itself each of its tasks is without fault.

use std::rc::Rc;

use serde_json::Value;

use super::fault::FaultId;
use super::json_values::{data, for_each_value, set_text, text};
use super::script::{BURST, STREAMING, TaskChange, TaskPlan, asks_for};
use super::scripted_agent::ScriptedAgent;
use super::served_version::CURRENT;
use super::task::{StoredTask, TaskCell, TaskView};
use crate::a2a::model::TaskState;

/// How many tasks that were made in the same words have to be at work for the faults of a crowd.
const CROWD: usize = 3;
/// How many tasks have to be at work for the faults of a load: more than any other check of the suite brings about.
const LOADED: usize = 16;
/// Faults that would leave nothing to be seen of an agent befall one in so many.
const ONE_IN: u64 = 4;

const LEAKED: &str = r#"{"artifact":{"artifactId":"leaked","parts":[{"text":"Of another task."}]},"lastChunk":true}"#;

/// What became of the chunks of a stream so far.
#[derive(Debug, Default)]
pub(super) struct Disturbed {
    chunks: u32,
    /// One that is kept back until the next has been sent.
    held: Option<Value>,
}

impl ScriptedAgent {
    /// Whether the agent has this fault of a load, and is under load.
    pub(super) fn fails_under_load(&self, fault: FaultId) -> bool {
        // No page puts its agent under load, and its module does without the code.
        !cfg!(target_arch = "wasm32") && self.has(fault) && self.at_work(|_| true).len() >= LOADED
    }

    /// The same for a fault that befalls some calls only.
    pub(super) fn fails_at_times_under_load(&self, fault: FaultId) -> bool {
        self.fails_under_load(fault) && self.0.ids.fresh().bytes().map(u64::from).sum::<u64>().is_multiple_of(ONE_IN)
    }

    /// The tasks at work that fit. One that is being changed just now is not among them.
    fn at_work(&self, fits: impl Fn(&StoredTask) -> bool) -> Vec<TaskCell> {
        let now_ms = self.reading().now_ms;
        let store = self.0.store.borrow();
        let is_at_work = |task: &&TaskCell| task.try_borrow().is_ok_and(|task| task.is_at_work(now_ms) && fits(&task));
        store.tasks.iter().filter(is_at_work).cloned().collect()
    }

    /// The id that a new task gets instead of one of its own: that of the oldest task that has ended.
    pub(super) fn reused_id(&self) -> Option<String> {
        if !self.fails_at_times_under_load(FaultId::LoadReusesIds) {
            return None;
        }
        let now_ms = self.reading().now_ms;
        let store = self.0.store.borrow();
        let has_ended = |task: &&TaskCell| task.try_borrow().is_ok_and(|task| !task.is_at_work(now_ms));
        store.tasks.iter().find(has_ended).map(|task| task.borrow().id.clone())
    }

    /// Changes the plan of a new task with this text.
    pub(super) fn disturb_plan(&self, plan: &mut TaskPlan, own: &str, streams: bool) {
        if streams && self.fails_at_times_under_load(FaultId::LoadNeverEnds) {
            plan.pop();
        }
        if self.fails_under_load(FaultId::LoadCrossesArtifacts)
            && let Some(other) = self.at_work(|task| task.first_text().trim() != own.trim()).first()
        {
            let (own, other) = (own.trim(), other.borrow().first_text().trim().to_owned());
            for step in plan {
                let TaskChange::Artifact(update) = &mut step.change else { continue };
                for_each_value(update, &mut |value| match value {
                    Value::String(text) if !own.is_empty() => *text = text.replace(own, &other),
                    _ => {}
                });
            }
        }
    }

    /// The answer that GetTask gives instead of the task: another task, or an older state of it.
    pub(super) fn disturb_read(&self, id: &str, value: &mut Value) {
        if self.fails_under_load(FaultId::LoadSwapsTasks)
            && let Some(other) = self.at_work(|task| task.id != id).first()
        {
            *value = other.borrow().to_value(TaskView::FULL);
        }
        if self.fails_under_load(FaultId::LoadReopensTasks)
            && let Some(status) = value.get_mut("status")
            && text(status, "state") == CURRENT.dialect.state_name(TaskState::Completed)
        {
            set_text(status, "state", CURRENT.dialect.state_name(TaskState::Working));
        }
    }

    /// The chunks that a stream shows in the place of one.
    pub(super) fn disturbed_chunks(&self, task: &TaskCell, chunk: Value, disturbed: &mut Disturbed) -> Vec<Value> {
        disturbed.chunks += 1;
        if let Some(held) = disturbed.held.take() {
            return vec![chunk, held];
        }
        let companions = self.at_work_with(task);
        let (own, is_burst, is_crowd) = {
            let task = task.borrow();
            let is_crowd = asks_for(STREAMING, task.first_text()) && companions.len() + 1 >= CROWD;
            (task.number, asks_for(BURST, task.first_text()), is_crowd)
        };
        let has = |of_load, of_burst, of_crowd| {
            self.fails_under_load(of_load) || is_burst && self.has(of_burst) || is_crowd && self.has(of_crowd)
        };
        let is_last = chunk.pointer("/artifactUpdate/lastChunk").is_some();
        match disturbed.chunks {
            1 if has(FaultId::LoadLeaksEvents, FaultId::BurstLeaksUpdate, FaultId::CrowdLeaksUpdate) => {
                let any = self.fails_under_load(FaultId::LoadLeaksEvents);
                let others = if any { self.at_work(|other| other.number != own) } else { companions };
                let leaked = others.first().map(|other| other.borrow().artifact_update(&data(LEAKED, &[])));
                [chunk].into_iter().chain(leaked).collect()
            }
            2 if has(FaultId::LoadLosesUpdates, FaultId::BurstLosesUpdate, FaultId::CrowdLosesUpdate) => Vec::new(),
            2 if has(FaultId::LoadSwapsUpdates, FaultId::BurstSwapsUpdates, FaultId::CrowdSwapsUpdates) => {
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
        if !asks_for(STREAMING, task.first_text()) {
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
        if !asks_for(STREAMING, task.first_text()) || !task.streamed {
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
