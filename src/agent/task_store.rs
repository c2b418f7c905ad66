//! The tasks that the agent keeps, a thousand at most, the newest ones.

use std::cell::RefCell;
use std::rc::Rc;

use super::task::{StoredTask, TaskCell};

const MAX_TASKS: usize = 1000;

/// All tasks, oldest first.
#[derive(Debug, Default)]
pub(super) struct Store {
    pub(super) tasks: Vec<TaskCell>,
    added: u64,
}

impl Store {
    /// Adds a task. One of its owner with the same id is dropped, or else, when the store is full, the oldest that has finished.
    pub(super) fn add(&mut self, mut task: StoredTask) -> TaskCell {
        self.added += 1;
        task.number = self.added;
        let is_same = |known: &StoredTask| known.id == task.id && known.owner == task.owner;
        let dropped = self.tasks.iter().position(|known| is_same(&known.borrow())).or_else(|| {
            let finished = || self.tasks.iter().position(|task| task.borrow().state.is_terminal());
            (self.tasks.len() >= MAX_TASKS).then(|| finished().unwrap_or(0))
        });
        if let Some(position) = dropped {
            self.tasks.remove(position);
        }
        let cell = Rc::new(RefCell::new(task));
        self.tasks.push(Rc::clone(&cell));
        cell
    }

    /// The task with this id among those that fit.
    pub(super) fn get(&self, id: &str, fits: impl Fn(&StoredTask) -> bool) -> Option<TaskCell> {
        let mut tasks = self.tasks.iter();
        tasks.find(|task| task.borrow().id == id && fits(&task.borrow())).cloned()
    }
}

#[cfg(test)]
mod tests {
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
    }
}
