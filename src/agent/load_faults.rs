//! The faults of an agent on which many tasks are at work at the same time. By itself each of its tasks is without fault.

use super::served_version::CURRENT;
use std::rc::Rc;

use serde_json::Value;

use super::fault::FaultId;
use super::json_values::{data, for_each_value, set_text, text};
use super::script::{TaskChange, TaskPlan};
use super::scripted_agent::ScriptedAgent;
use super::task::{StoredTask, TaskCell};
use crate::a2a::model::TaskState;

/// How many tasks have to be at work for the faults of a load: more than any other check of the suite brings about.
const LOADED: usize = 16;
/// Faults that would leave nothing to be seen of an agent befall one in so many.
const ONE_IN: u64 = 4;

/// A chunk of another task.
const LEAKED: &str = r#"{"artifact":{"artifactId":"leaked","parts":[{"text":"Of another task."}]},"lastChunk":true}"#;

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
        let is_at_work = |task: &StoredTask| task.is_at_work(now_ms) && fits(task);
        store.tasks.iter().filter(|task| task.try_borrow().is_ok_and(|task| is_at_work(&task))).cloned().collect()
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
            *value = other.borrow().to_value(super::task::TaskView::FULL);
        }
        if self.fails_under_load(FaultId::LoadReopensTasks)
            && let Some(status) = value.get_mut("status")
            && text(status, "state") == CURRENT.dialect.state_name(TaskState::Completed)
        {
            set_text(status, "state", CURRENT.dialect.state_name(TaskState::Working));
        }
    }

    /// The chunks that the stream of a send shows in the place of its chunk of that number.
    pub(super) fn chunks_under_load(
        &self,
        task: &TaskCell,
        number: u32,
        chunk: Value,
        held: &mut Option<Value>,
    ) -> Vec<Value> {
        match number {
            1 if self.fails_under_load(FaultId::LoadLeaksEvents) => {
                let own = task.borrow().number;
                let leaked = self.at_work(|other| other.number != own).first().map(Rc::clone);
                let leaked = leaked.map(|other| other.borrow().artifact_update(&data(LEAKED, &[])));
                [chunk].into_iter().chain(leaked).collect()
            }
            2 if self.fails_under_load(FaultId::LoadLosesUpdates) => Vec::new(),
            2 if self.fails_under_load(FaultId::LoadSwapsUpdates) => {
                *held = Some(chunk);
                Vec::new()
            }
            _ => vec![chunk],
        }
    }
}
