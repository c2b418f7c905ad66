//! How long the tasks of an agent work, by the message that asked for them. A request that should find a task at work comes too
//! late now and then where that is short, so that a verdict would depend on the moment: whoever judges such requests asks here first.

use std::cell::{Cell, RefCell};

use crate::a2a::model::TaskState;
use crate::wire::order;

/// For how long a task has to work, in milliseconds, for a request about it to be sure to find it at work: several times what a
/// busy machine, a collection of garbage or a network hold up an answer now and then.
pub const LASTING_MS: f64 = 600.0;

/// How a state of a task was learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sighting {
    /// The agent told when it came: an event of a stream, or the answer to the message that began the work.
    AsItHappened,
    /// Somebody looked: it may have come any time since the look before.
    OnALook,
}

/// The tasks of a run, and how long each worked. Times are in milliseconds since the run began.
#[derive(Debug, Default)]
pub struct WorkTimes {
    works: RefCell<Vec<Work>>,
    /// How long the quickest answer of all took: so long is the way of a request and its answer at least.
    quickest_answer_ms: Cell<Option<f64>>,
}

#[derive(Debug)]
struct Work {
    task: String,
    text: String,
    begun_ms: f64,
    /// When it was last seen at work.
    at_work_ms: f64,
    /// When it was over, and how that was learned.
    over: Option<(f64, Sighting)>,
}

impl Work {
    /// How long it worked, as far as looks at it tell: somewhere between two of them. Looks that are far apart tell only of work that was
    /// certainly long, or short.
    fn looked_at_ms(&self) -> Option<f64> {
        let least_ms = self.at_work_ms - self.begun_ms;
        let most_ms = self.over.map_or(f64::INFINITY, |(over_ms, _)| over_ms - self.begun_ms);
        match most_ms - least_ms {
            apart_ms if apart_ms <= LASTING_MS / 2.0 => Some((least_ms + most_ms) / 2.0),
            _ if least_ms >= LASTING_MS => Some(least_ms),
            _ => Some(most_ms).filter(|ms| *ms < LASTING_MS),
        }
    }
}

impl WorkTimes {
    /// Notes how long an answer took.
    pub fn note_answer(&self, ms: f64) {
        self.quickest_answer_ms.set(Some(self.quickest_answer_ms.get().map_or(ms, |known| known.min(ms))));
    }

    /// Notes that a message of this text, sent at that time, made a task.
    pub fn begin(&self, task: &str, text: &str, begun_ms: f64) {
        let mut works = self.works.borrow_mut();
        if !works.iter().any(|known| known.task == task) {
            let (task, text) = (task.to_owned(), text.to_owned());
            works.push(Work { task, text, begun_ms, at_work_ms: begun_ms, over: None });
        }
    }

    /// Forgets a task at work that a client wants cancelled: when it ends now says nothing of its work.
    pub fn forget(&self, task: &str) {
        self.works.borrow_mut().retain(|known| known.task != task || known.over.is_some());
    }

    /// Notes the state that a task was in at that time.
    pub fn see(&self, task: &str, state: TaskState, at_ms: f64, sighting: Sighting) {
        let mut works = self.works.borrow_mut();
        let Some(work) = works.iter_mut().find(|known| known.task == task && known.over.is_none()) else { return };
        if state.is_terminal() {
            work.over = Some((at_ms, sighting));
        } else {
            work.at_work_ms = work.at_work_ms.max(at_ms);
        }
    }

    /// Whether tasks of this text work for so long that a request about one is sure to find it at work. Nobody knows of a text whose
    /// tasks were never seen to end.
    #[must_use]
    pub fn last(&self, text: &str) -> bool {
        // The way is part of what was measured, and a client needs it once more, from the answer to its next request.
        let way_ms = self.quickest_answer_ms.get().unwrap_or_default();
        self.usual_ms(text).is_none_or(|ms| ms >= LASTING_MS + 2.0 * way_ms)
    }

    /// How long tasks of this text usually work: the mean of the second quarter from the quickest, so that no lucky moment decides, nor a machine
    /// that is so busy that half of the tasks are slow. `None` when none was seen to its end.
    #[must_use]
    pub fn usual_ms(&self, text: &str) -> Option<f64> {
        let works = self.works.borrow();
        let of_text = || works.iter().filter(|work| work.text == text);
        let told = of_text().filter_map(|work| match work.over? {
            (over_ms, Sighting::AsItHappened) => Some(over_ms - work.begun_ms),
            (_, Sighting::OnALook) => None,
        });
        let mut times: Vec<f64> = told.collect();
        if times.is_empty() {
            times = of_text().filter_map(Work::looked_at_ms).collect();
        }
        order::sort_by(&mut times, f64::total_cmp);
        let quarter = times.len() / 4;
        let middle = times.get(quarter..(times.len() / 2).max(quarter + 1)).filter(|middle| !middle.is_empty())?;
        let count = u32::try_from(middle.len()).ok()?;
        Some(middle.iter().sum::<f64>() / f64::from(count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The times of tasks that were over after so many milliseconds, as they were told.
    fn told(times: &[f64]) -> WorkTimes {
        let known = WorkTimes::default();
        for (number, ms) in times.iter().enumerate() {
            let task = number.to_string();
            known.begin(&task, "a", 1_000.0);
            known.see(&task, TaskState::Working, 1_001.0, Sighting::AsItHappened);
            known.see(&task, TaskState::Completed, 1_000.0 + ms, Sighting::AsItHappened);
        }
        known
    }

    #[test]
    fn a_stumble_does_not_make_a_short_task_a_long_one_nor_a_lucky_moment_the_other_way_round() {
        assert_eq!(told(&[100.0, 105.0, 5_000.0, 103.0]).usual_ms("a"), Some(103.0));
        assert!(!told(&[100.0, 105.0, 5_000.0, 103.0]).last("a"));
        assert!(told(&[1_000.0, 1_005.0, 1.0, 1_003.0]).last("a"));
        assert!(!told(&[LASTING_MS - 1.0]).last("a"));
        assert!(told(&[LASTING_MS]).last("a"));
    }

    #[test]
    fn the_way_of_a_request_is_no_work() {
        let known = told(&[1_000.0]);
        known.note_answer(500.0);
        assert!(!known.last("a"));
        known.note_answer(2.0);
        known.note_answer(800.0);
        assert!(known.last("a"));
    }

    #[test]
    fn a_text_whose_tasks_were_not_seen_to_end_is_not_called_short() {
        let known = told(&[]);
        assert!(known.last("a"));
        known.begin("left", "a", 0.0);
        known.see("left", TaskState::Working, 50.0, Sighting::OnALook);
        known.begin("canceled", "a", 0.0);
        known.forget("canceled");
        known.see("canceled", TaskState::Canceled, 5.0, Sighting::AsItHappened);
        assert_eq!((known.usual_ms("a"), known.last("a")), (None, true));
        known.see("left", TaskState::Working, 2_000.0, Sighting::OnALook);
        assert_eq!(known.usual_ms("a"), Some(2_000.0));
    }

    #[test]
    fn looks_count_only_where_nothing_was_told() {
        let known = WorkTimes::default();
        known.begin("looked", "a", 0.0);
        known.see("looked", TaskState::Working, 400.0, Sighting::OnALook);
        known.see("looked", TaskState::Completed, 600.0, Sighting::OnALook);
        // Once over, a task stays so.
        known.see("looked", TaskState::Completed, 9_000.0, Sighting::AsItHappened);
        assert_eq!((known.usual_ms("a"), known.usual_ms("b")), (Some(500.0), None));
        known.begin("told", "a", 0.0);
        known.see("told", TaskState::Completed, 700.0, Sighting::AsItHappened);
        assert_eq!(known.usual_ms("a"), Some(700.0));
    }
}
