//! The behaviours that an ordinary agent showed, and the message that led to each: nobody had to describe them.

use std::cell::{Cell, RefCell};

use super::work_times::WorkTimes;
use crate::a2a::model::{Content, Task, TaskState};

/// How much longer than another answer one must take to count as slow, in milliseconds: as long as a client needs to
/// subscribe to a task, or to cancel it.
const SLOW_MS: f64 = 1000.0;

/// The outcome of one message.
#[derive(Debug, Clone, PartialEq)]
struct Observation {
    text: String,
    /// Where it led a task; `None` for a message instead of one.
    state: Option<TaskState>,
    /// Whether there were artifacts of other parts than text.
    has_data: bool,
    /// How long it took, until the agent needed nothing more to do.
    took_ms: f64,
}

/// The behaviours that answers of an agent showed, and the messages that are still to be tried.
#[derive(Debug, Default)]
pub struct Learned {
    observations: RefCell<Vec<Observation>>,
    /// How many messages may be sent only to see what they bring about.
    pub allowance: Cell<usize>,
    /// How long the agent's tasks work.
    pub work_times: WorkTimes,
}

impl Learned {
    /// Notes where a text led a task, or that it was answered with a message instead, and how long that took.
    pub fn note(&self, text: &str, task: Option<&Task>, took_ms: f64) {
        let state = task.and_then(|task| task.state);
        if task.is_none() || state.is_some() {
            let observation =
                Observation { text: text.to_owned(), state, has_data: task.is_some_and(has_data), took_ms };
            self.observations.borrow_mut().push(observation);
        }
    }

    /// A text that was answered with a message.
    #[must_use]
    pub fn message(&self) -> Option<String> {
        self.first(|seen| seen.state.is_none())
    }

    /// A text that brought a task into that state.
    #[must_use]
    pub fn reached(&self, state: TaskState) -> Option<String> {
        self.first(|seen| seen.state == Some(state))
    }

    /// A text that completed a task; one of those that did it quickly.
    #[must_use]
    pub fn completed(&self) -> Option<String> {
        let quickest_ms = self.quickest_ms();
        self.first(|seen| seen.completed() && seen.took_ms < quickest_ms + SLOW_MS)
    }

    /// The text that kept the agent busy longest, if that was clearly longer than another.
    #[must_use]
    pub fn slow(&self) -> Option<String> {
        let slow_ms = self.quickest_ms() + SLOW_MS;
        let observations = self.observations.borrow();
        let worked = |seen: &&Observation| {
            seen.took_ms >= slow_ms && (seen.completed() || seen.state == Some(TaskState::Working))
        };
        observations.iter().filter(worked).max_by(|a, b| a.took_ms.total_cmp(&b.took_ms)).map(|seen| seen.text.clone())
    }

    /// A text that produced artifacts of other parts than text.
    #[must_use]
    pub fn data(&self) -> Option<String> {
        self.first(|seen| seen.has_data)
    }

    /// How long the quickest answer of all took.
    fn quickest_ms(&self) -> f64 {
        self.observations.borrow().iter().map(|seen| seen.took_ms).fold(f64::INFINITY, f64::min)
    }

    fn first(&self, fits: impl Fn(&Observation) -> bool) -> Option<String> {
        self.observations.borrow().iter().find(|seen| fits(seen)).map(|seen| seen.text.clone())
    }
}

impl Observation {
    fn completed(&self) -> bool {
        self.state == Some(TaskState::Completed)
    }
}

fn has_data(task: &Task) -> bool {
    let mut parts = task.artifacts.iter().flatten().flat_map(|artifact| &artifact.parts);
    parts.any(|part| part.content.as_ref().is_some_and(|content| !matches!(content, Content::Text(_))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noted(seen: &[(&str, TaskState, f64)]) -> Learned {
        let learned = Learned::default();
        for (text, state, took_ms) in seen {
            let task = Task { state: Some(*state), ..Task::default() };
            learned.note(text, Some(&task), *took_ms);
        }
        learned
    }

    #[test]
    fn only_a_text_that_took_clearly_longer_than_another_is_slow() {
        let one = noted(&[("a", TaskState::Completed, 5_000.0)]);
        assert_eq!((one.slow(), one.completed().as_deref()), (None, Some("a")), "the agent may be slow at everything");
        let like = noted(&[("a", TaskState::Completed, 5_000.0), ("b", TaskState::Completed, 5_900.0)]);
        assert_eq!(like.slow(), None);
        let unlike = noted(&[
            ("a", TaskState::Completed, 6_000.0),
            ("b", TaskState::Failed, 1.0),
            ("c", TaskState::Completed, 9.0),
        ]);
        assert_eq!((unlike.slow().as_deref(), unlike.completed().as_deref()), (Some("a"), Some("c")));
        assert_eq!(unlike.reached(TaskState::Failed).as_deref(), Some("b"));
        assert_eq!((unlike.message(), unlike.data()), (None, None));
    }
}
