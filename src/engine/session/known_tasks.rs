//! The tasks that the agent told of in this run, and whether they were over when it did.

use std::cell::RefCell;

use crate::a2a::binding::{Reply, ReplyKind, StreamItemKind};
use crate::a2a::model::{Payload, StreamEvent, Task, TaskState};
use crate::wire::place_index::PlaceIndex;

/// Tasks by their ids, each with the state that the agent told last.
#[derive(Debug, Default)]
pub struct KnownTasks(RefCell<ToldTasks>);

/// The states of tasks. Lists tell of a great many.
#[derive(Debug, Default)]
struct ToldTasks {
    places: PlaceIndex,
    states: Vec<Option<TaskState>>,
}

impl ToldTasks {
    /// The state of a task that was told of.
    fn state(&self, id: &str) -> Option<&Option<TaskState>> {
        self.states.get(self.places.find(&[id])?)
    }
}

impl KnownTasks {
    /// Whether something may still happen to that task: the agent told of it, and not that it is over.
    #[must_use]
    pub fn is_open(&self, id: &str) -> bool {
        self.0.borrow().state(id).is_some_and(|state| !state.is_some_and(TaskState::is_terminal))
    }

    /// Notes what a reply tells of tasks.
    pub fn note(&self, reply: &Reply) {
        match &reply.kind {
            ReplyKind::Result(Payload::Task(task) | Payload::Sent { task: Some(task), .. }) => self.note_task(task),
            ReplyKind::Result(Payload::Tasks(list)) => list.tasks.iter().for_each(|task| self.note_task(task)),
            _ => {}
        }
    }

    /// Notes what an event tells of a task.
    pub fn note_event(&self, item: &StreamItemKind) {
        match item {
            StreamItemKind::Event(StreamEvent::Task(task)) => self.note_task(task),
            StreamItemKind::Event(StreamEvent::Status(update)) => {
                self.note_state(update.task_id.as_deref(), update.state);
            }
            _ => {}
        }
    }

    /// Notes that a client asked for a task of that id, which is the client's own in 0.1. Answers whether the agent may have to work for it.
    pub fn note_asked(&self, id: &str) -> bool {
        let is_known = self.0.borrow().state(id).is_some();
        if !is_known {
            self.note_state(Some(id), None);
        }
        self.is_open(id)
    }

    fn note_task(&self, task: &Task) {
        self.note_state(task.id.as_deref(), task.state);
    }

    fn note_state(&self, id: Option<&str>, state: Option<TaskState>) {
        let Some(id) = id else { return };
        let ToldTasks { places, states } = &mut *self.0.borrow_mut();
        match places.find(&[id]).and_then(|place| states.get_mut(place)) {
            Some(known) => *known = state,
            None => {
                places.insert(&[id], states.len());
                states.push(state);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_is_open_until_the_agent_says_that_it_is_over() {
        let tasks = KnownTasks::default();
        let tell = |state| {
            let task = Task { id: Some("t".to_owned()), state: Some(state), ..Task::default() };
            tasks.note(&Reply { kind: ReplyKind::Result(Payload::Task(task)), ..Reply::default() });
        };
        assert!(!tasks.is_open("t"), "nobody told of it");
        tell(TaskState::Working);
        assert!(tasks.is_open("t") && !tasks.is_open("u"));
        tell(TaskState::Completed);
        assert!(!tasks.is_open("t"));
    }
}
