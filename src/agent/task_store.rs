//! The tasks that the agent keeps, a thousand at most, the newest ones.

use std::cell::RefCell;
use std::rc::Rc;

use super::task::{StoredTask, TaskCell};

const MAX_TASKS: usize = 1000;
/// How many bytes of messages, events and artifacts all tasks together keep, the newest task whatever it has.
const MAX_BYTES: usize = 128 << 20;

/// All tasks, oldest first.
#[derive(Debug, Default)]
pub(super) struct Store {
    pub(super) tasks: Vec<TaskCell>,
    added: u64,
    /// How many were forgotten to make room.
    forgotten: u64,
}

impl Store {
    /// Adds a task. One of its owner with the same id is dropped, or else, when the store is full, the oldest that has finished.
    pub(super) fn add(&mut self, mut task: StoredTask) -> TaskCell {
        self.added += 1;
        task.number = self.added;
        let is_same = |known: &StoredTask| known.id == task.id && known.owner == task.owner;
        let replaced = self.tasks.iter().position(|known| is_same(&known.borrow()));
        if let Some(position) = replaced {
            self.tasks.remove(position);
        }
        let bytes = |tasks: &[TaskCell]| tasks.iter().map(|task| task.borrow().bytes()).sum::<usize>();
        let mut excess = (bytes(&self.tasks) + task.bytes()).saturating_sub(MAX_BYTES);
        while !self.tasks.is_empty() && (self.tasks.len() >= MAX_TASKS || excess > 0) {
            let finished = self.tasks.iter().position(|task| task.borrow().state.is_terminal());
            let forgotten = self.tasks.remove(finished.unwrap_or(0));
            excess = excess.saturating_sub(forgotten.borrow().bytes());
            forgotten.borrow_mut().forget();
            self.forgotten += 1;
        }
        let cell = Rc::new(RefCell::new(task));
        self.tasks.push(Rc::clone(&cell));
        cell
    }

    /// What to tell who asks for a task that is not there; empty as long as none was forgotten.
    pub(super) fn told_of_forgotten(&self) -> String {
        match self.forgotten {
            0 => String::new(),
            count => format!(
                "; this agent has forgotten {count} older tasks: it keeps {MAX_TASKS} at most, and {} MiB of them",
                MAX_BYTES >> 20
            ),
        }
    }

    /// The task with this id among those that fit.
    pub(super) fn get(&self, id: &str, fits: impl Fn(&StoredTask) -> bool) -> Option<TaskCell> {
        let mut tasks = self.tasks.iter();
        tasks.find(|task| task.borrow().id == id && fits(&task.borrow())).cloned()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::a2a::model::TaskState;
    use crate::agent::clock_reading::ClockReading;
    use crate::agent::tests::{CountedIds, ManualClock};

    #[test]
    fn the_oldest_finished_task_makes_room() {
        let (clock, ids) = (ManualClock::default(), CountedIds::default());
        let reading = ClockReading::from_clock(&clock);
        let mut store = Store::default();
        for n in 0..MAX_TASKS {
            store.add(StoredTask::new(format!("t{n}"), "c".into(), reading));
        }
        store.get("t3", |_| true).unwrap().borrow_mut().set_status_now(TaskState::Completed, "", reading, &ids);
        store.add(StoredTask::new("new".into(), "c".into(), reading));
        assert!(store.get("t3", |_| true).is_none() && store.get("t0", |_| true).is_some());
        assert_eq!(store.tasks.len(), MAX_TASKS);
        assert!(store.told_of_forgotten().contains("has forgotten 1 older tasks"), "{}", store.told_of_forgotten());
    }

    #[test]
    fn great_tasks_make_room_for_others_and_a_forgotten_one_sends_nothing_more() {
        let clock = ManualClock::default();
        let reading = ClockReading::from_clock(&clock);
        let mut store = Store::default();
        let great = |id: &str, length: usize| {
            let mut task = StoredTask::new(id.into(), "c".into(), reading);
            task.add_to_history(json!({ "parts": [{ "text": "x".repeat(length) }] }));
            task
        };
        let first = store.add(great("first", MAX_BYTES / 2));
        first.borrow_mut().push_configs.push(json!({ "id": "hook" }));
        assert_eq!(store.told_of_forgotten(), "");
        store.add(great("second", MAX_BYTES / 2 + 1));
        assert!(store.get("first", |_| true).is_none() && store.get("second", |_| true).is_some());
        assert!(first.borrow().push_configs.is_empty(), "its webhook waits for ever");
        // The newest one is kept, whatever it has.
        store.add(great("third", 2 * MAX_BYTES));
        assert_eq!(store.tasks.len(), 1);
        // Nor do its own messages fill the memory.
        let third = store.get("third", |_| true).unwrap();
        for _ in 0..5 {
            third.borrow_mut().add_to_history(json!({ "parts": [{ "text": "x".repeat(MAX_BYTES / 3) }] }));
        }
        assert!(third.borrow().bytes() < 2 * MAX_BYTES, "{}", third.borrow().bytes());
    }
}
