//! The tasks that the agent keeps.

use std::cell::RefCell;
use std::rc::Rc;

use super::task::{Task, TaskCell};

/// How many tasks are kept.
const MAX_TASKS: usize = 1000;

/// All tasks, oldest first.
#[derive(Debug, Default)]
pub(super) struct Store {
    pub(super) tasks: Vec<TaskCell>,
    /// The number of tasks ever added.
    added: u64,
}

impl Store {
    /// Adds a task. One with the same id is dropped, or else, when the store is full, the oldest that has finished.
    pub(super) fn add(&mut self, mut task: Task) -> TaskCell {
        self.added += 1;
        task.number = self.added;
        let dropped = self.tasks.iter().position(|known| known.borrow().id == task.id).or_else(|| {
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

    pub(super) fn get(&self, id: &str) -> Option<TaskCell> {
        self.tasks.iter().find(|task| task.borrow().id == id).cloned()
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
        let reading = ClockReading::of(&clock);
        let mut store = Store::default();
        for n in 0..MAX_TASKS {
            store.add(Task::new(format!("t{n}"), "c".into(), reading));
        }
        store.get("t3").unwrap().borrow_mut().set_status_now(TaskState::Completed, "", reading, &ids);
        store.add(Task::new("new".into(), "c".into(), reading));
        assert!(store.get("t3").is_none() && store.get("t0").is_some());
        assert_eq!(store.tasks.len(), MAX_TASKS);
    }
}
