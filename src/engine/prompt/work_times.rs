//! How long the tasks of an agent work, by the message that asked for them, and from when on a request is sure to find one at work.
//! Where that is not so, it comes too late now and then, so that a verdict would depend on the moment: checks of such requests ask
//! here first.

use std::cell::RefCell;

use crate::a2a::model::TaskState;
use crate::wire::{order, timestamp};

/// For how long a task has to work, in milliseconds, for a request about it to be sure to find it at work: several times what a
/// busy machine, a collection of garbage or a network hold up an answer now and then. A little less than a round number, of which
/// the times that agents sleep are made.
pub const LASTING_MS: f64 = 590.0;

/// How many usual answers are part of what is measured as work, or needed besides, where nothing else tells: an agent takes the time of about two
/// more to begin a task and to tell that it is over, and a client needs the way of its next request. On a busy machine they grow all alike.
const WAYS: f64 = 3.0;

/// How much longer than usual an answer takes of an agent, or a machine, that stands still, in milliseconds.
const STANDS_STILL_MS: f64 = LASTING_MS / 2.0;

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
    /// How long answers took that cost the agent no work, in order: the way of a request and its answer, and the agent's other conversations.
    answers_ms: RefCell<Vec<f64>>,
    /// When each of them was asked for, and when it came.
    answers: RefCell<Vec<(f64, f64)>>,
}

#[derive(Debug, Default)]
struct Work {
    task: String,
    text: String,
    begun_ms: f64,
    /// When it was last seen at work.
    at_work_ms: f64,
    /// When a stream first told of it.
    shown_ms: Option<f64>,
    /// When it was over, and how that was learned.
    over: Option<(f64, Sighting)>,
    /// When the agent says that it was first at work, and over: seconds since 1970, and nanoseconds.
    told_at_work: Option<(i64, u32)>,
    told_over: Option<(i64, u32)>,
}

impl Work {
    /// From its message until the agent told that it was over.
    fn seen_ms(&self) -> Option<f64> {
        self.over
            .filter(|(_, sighting)| *sighting == Sighting::AsItHappened)
            .map(|(over_ms, _)| over_ms - self.begun_ms)
    }

    /// How long it worked by the agent's own times: no longer than from its message until somebody saw that it was over. One moment for both,
    /// and times of whole seconds, tell nothing.
    fn told_ms(&self) -> Option<f64> {
        let (at_work, over) = (self.told_at_work?, self.told_over?);
        let most_ms = self.over.map(|(over_ms, _)| over_ms - self.begun_ms)?;
        let told_ms = (over.0 - at_work.0) as f64 * 1_000.0 + (f64::from(over.1) - f64::from(at_work.1)) / 1e6;
        // It may be written in whole milliseconds.
        let fits = told_ms > 0.0 && told_ms <= most_ms + 1.0;
        (fits && (at_work.1, over.1) != (0, 0)).then_some(told_ms)
    }

    /// How long it worked without what the way of its message and the agent's other work took: by the agent's own times, or as long as
    /// its stream told of it.
    fn known_ms(&self) -> Option<f64> {
        let streamed_ms = || Some(self.seen_ms()? + self.begun_ms - self.shown_ms?);
        self.told_ms().or_else(streamed_ms)
    }

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
    /// Notes when an answer was asked for that cost the agent no work, and when it came.
    pub fn note_answer(&self, sent_ms: f64, came_ms: f64) {
        let mut known = self.answers_ms.borrow_mut();
        let place = known.partition_point(|other| *other < came_ms - sent_ms);
        known.insert(place, came_ms - sent_ms);
        self.answers.borrow_mut().push((sent_ms, came_ms));
    }

    /// The tasks of a text that tell how long such tasks work: those that were over before the agent, or the machine, stood still, or begun
    /// after it; all where that is so of fewer than half, because long tasks meet such a moment more often than short ones.
    fn telling<'w>(&self, works: &'w [Work], text: &str) -> Vec<&'w Work> {
        let of_text = || works.iter().filter(|work| work.text == text);
        let undisturbed: Vec<_> = of_text().filter(|work| !self.is_held_up(work)).collect();
        let ended = |work: &&Work| work.over.is_some();
        let known = undisturbed.iter().copied().filter(ended).count();
        if known == 0 || known * 2 < of_text().filter(ended).count() { of_text().collect() } else { undisturbed }
    }

    /// Whether a task was seen to end, and an answer that costs no work took far longer than usual meanwhile.
    fn is_held_up(&self, work: &Work) -> bool {
        let late_ms = self.usual_answer_ms() + STANDS_STILL_MS;
        let is_late = |(sent_ms, came_ms): &(f64, f64)| came_ms - sent_ms >= late_ms;
        work.over.is_some_and(|(over_ms, _)| {
            let meets = |(sent_ms, came_ms): &(f64, f64)| *sent_ms < over_ms && *came_ms > work.begun_ms;
            self.answers.borrow().iter().any(|answer| is_late(answer) && meets(answer))
        })
    }

    /// Notes that a message of this text, sent at that time, made a task.
    pub fn begin(&self, task: &str, text: &str, begun_ms: f64) {
        let mut works = self.works.borrow_mut();
        if !works.iter().any(|known| known.task == task) {
            let (task, text) = (task.to_owned(), text.to_owned());
            works.push(Work { task, text, begun_ms, at_work_ms: begun_ms, ..Work::default() });
        }
    }

    /// Forgets a task at work that a client wants cancelled: when it ends now says nothing of its work.
    pub fn forget(&self, task: &str) {
        self.works.borrow_mut().retain(|known| known.task != task || known.over.is_some());
    }

    /// Notes the state that a task was in at that time.
    pub fn see(&self, task: &str, state: TaskState, at_ms: f64, sighting: Sighting) {
        if state == TaskState::Canceled {
            // It was stopped, perhaps by the agent because its client hung up, so that its end says nothing about the time of its work.
            self.forget(task);
        }
        let mut works = self.works.borrow_mut();
        let Some(work) = works.iter_mut().find(|known| known.task == task && known.over.is_none()) else { return };
        if state.is_terminal() {
            work.over = Some((at_ms, sighting));
        } else {
            work.at_work_ms = work.at_work_ms.max(at_ms);
            // A task that an answer shows at work was at work when the message came.
            if sighting == Sighting::AsItHappened && at_ms > work.begun_ms {
                work.shown_ms.get_or_insert(at_ms);
            }
        }
    }

    /// Notes since when a task was in a state, as the agent says.
    pub fn note_timestamp(&self, task: &str, state: TaskState, timestamp: &str) {
        let mut works = self.works.borrow_mut();
        let Some(work) = works.iter_mut().find(|known| known.task == task) else { return };
        let Some(moment) = timestamp::parse(timestamp) else { return };
        let told = if state.is_terminal() { &mut work.told_over } else { &mut work.told_at_work };
        told.get_or_insert(moment);
    }

    /// Whether tasks of this text work for so long that a request about one is sure to find it at work. Nobody knows of a text whose
    /// tasks were never seen to end.
    #[must_use]
    pub fn last(&self, text: &str) -> bool {
        // A client needs the way once more, from the answer that shows the task to its next request.
        self.works_for(text, LASTING_MS + self.quickest_answer_ms())
    }

    /// Whether they work for so long that a stumble of the machine tells nothing of when their events came.
    #[must_use]
    pub fn outlast_stumbles(&self, text: &str) -> bool {
        let works = self.works.borrow();
        // A stream tells its own time: how long the others took beside it says nothing of when its events came.
        let known = self.telling(&works, text).into_iter().filter_map(Work::known_ms).collect();
        mean_of_middle(known).map_or_else(|| self.works_for(text, LASTING_MS), |ms| ms >= LASTING_MS)
    }

    fn works_for(&self, text: &str, least_ms: f64) -> bool {
        self.worked_ms(text).is_none_or(|ms| ms >= least_ms)
    }

    /// Whether tasks of this text may be found at work by a client who has the agent for itself, whatever held up those that were seen.
    #[must_use]
    pub fn may_last(&self, text: &str) -> bool {
        self.usual_ms(text).is_none_or(|ms| ms >= LASTING_MS + 2.0 * self.quickest_answer_ms())
    }

    /// How long tasks of this text work without what the way of their message and the agent's other work take: how long that is, the tasks
    /// show of which both are known. `None` when none was seen to its end.
    fn worked_ms(&self, text: &str) -> Option<f64> {
        let works = self.works.borrow();
        let telling = self.telling(&works, text);
        let of_text = || telling.iter().copied();
        let lags = of_text().filter_map(|work| Some(work.seen_ms()? - work.known_ms()?)).collect();
        let lag_ms = mean_of_middle(lags);
        let way_ms = lag_ms.unwrap_or_else(|| WAYS * self.usual_answer_ms());
        let worked = of_text().filter_map(|work| work.known_ms().or_else(|| Some(work.seen_ms()? - way_ms)));
        // Looks at a task show how it was when they came: only its message was under way.
        let worked_ms =
            mean_of_middle(worked.collect()).or_else(|| Some(self.usual_ms(text)? - self.usual_answer_ms()))?;
        if lag_ms.is_some() {
            return Some(worked_ms);
        }
        // None of them tells its own time, but one that was left out may: what stands still makes that longer, not shorter.
        let left_out = works.iter().filter(|work| work.text == text).filter_map(Work::known_ms).collect();
        Some(mean_of_middle(left_out).map_or(worked_ms, |most_ms| worked_ms.min(most_ms)))
    }

    /// How long the quickest answer took that cost no work: so long is the way of a request and its answer at most.
    #[must_use]
    pub fn quickest_answer_ms(&self) -> f64 {
        self.answers_ms.borrow().first().copied().unwrap_or_default()
    }

    /// The median of the answers that cost no work, 0 before the first.
    fn usual_answer_ms(&self) -> f64 {
        let known = self.answers_ms.borrow();
        known.get(known.len() / 2).copied().unwrap_or_default()
    }

    /// How long tasks of this text usually work: the mean without the quickest and the slowest quarter, so that neither a stumble
    /// nor a lucky moment decides. Tasks that were not seen to end count only where none was. `None` when nothing tells.
    #[must_use]
    pub fn usual_ms(&self, text: &str) -> Option<f64> {
        let works = self.works.borrow();
        let telling = self.telling(&works, text);
        let mean = |time: fn(&Work) -> Option<f64>| mean_of_middle(telling.iter().copied().filter_map(time).collect());
        // One that stands still was watched for as long as somebody had the patience to.
        let seen_over_ms = |work: &Work| work.over.and_then(|_| work.looked_at_ms());
        mean(Work::seen_ms).or_else(|| mean(seen_over_ms)).or_else(|| mean(Work::looked_at_ms))
    }

    /// How long the quickest task of this text worked that was seen to end, in milliseconds. On a machine that is starved of time, tasks that
    /// are usually short take long, and one of them is as short as ever.
    #[must_use]
    pub fn least_ms(&self, text: &str) -> Option<f64> {
        let works = self.works.borrow();
        let ended = works.iter().filter(|work| work.text == text);
        let times = ended.filter_map(|work| {
            let seen_ms = work.over?.0 - work.begun_ms;
            Some(work.known_ms().map_or(seen_ms, |known_ms| known_ms.min(seen_ms)))
        });
        times.reduce(f64::min)
    }
}

/// The mean without the smallest and the largest quarter; `None` of nothing.
fn mean_of_middle(mut times: Vec<f64>) -> Option<f64> {
    order::sort_by(&mut times, f64::total_cmp);
    let quarter = times.len() / 4;
    let middle = times.get(quarter..times.len() - quarter).filter(|middle| !middle.is_empty())?;
    Some(middle.iter().sum::<f64>() / f64::from(u32::try_from(middle.len()).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tasks that were over after so many milliseconds, as the answers to their messages told.
    fn told(times: &[f64]) -> WorkTimes {
        let known = WorkTimes::default();
        for (number, ms) in times.iter().enumerate() {
            let task = number.to_string();
            known.begin(&task, "a", 1_000.0);
            known.see(&task, TaskState::Completed, 1_000.0 + ms, Sighting::AsItHappened);
        }
        known
    }

    /// One more, which a stream told of.
    fn stream(known: &WorkTimes, shown_ms: f64, over_ms: f64) {
        known.begin("streamed", "a", 0.0);
        known.see("streamed", TaskState::Submitted, shown_ms, Sighting::AsItHappened);
        known.see("streamed", TaskState::Working, shown_ms + 1.0, Sighting::AsItHappened);
        known.see("streamed", TaskState::Completed, over_ms, Sighting::AsItHappened);
    }

    /// The agent's own times of a task.
    fn tell(known: &WorkTimes, task: &str, at_work: &str, over: &str) {
        known.note_timestamp(task, TaskState::Working, &format!("2026-11-26T{at_work}"));
        known.note_timestamp(task, TaskState::Completed, &format!("2026-11-26T{over}"));
    }

    #[test]
    fn a_stumble_does_not_make_a_short_task_a_long_one_nor_a_lucky_moment_the_other_way_round() {
        assert_eq!(told(&[100.0, 105.0, 5_000.0, 103.0]).usual_ms("a"), Some(104.0));
        assert!(!told(&[100.0, 105.0, 5_000.0, 103.0]).last("a"));
        assert!(told(&[1_000.0, 1_005.0, 1.0, 1_003.0]).last("a"));
        assert!(!told(&[LASTING_MS - 1.0]).last("a"));
        assert!(told(&[LASTING_MS]).last("a"));
    }

    #[test]
    fn the_quickest_task_that_ended_is_the_least() {
        let known = told(&[1_000.0, 900.0, 2_000.0]);
        known.begin("at work", "a", 0.0);
        assert_eq!((known.least_ms("a"), known.least_ms("b")), (Some(900.0), None));
        stream(&known, 100.0, 700.0);
        assert_eq!(known.least_ms("a"), Some(600.0));
        tell(&known, "2", "10:00:00.000Z", "10:00:00.150Z");
        assert_eq!(known.least_ms("a"), Some(150.0));
    }

    #[test]
    fn the_way_of_a_request_is_no_work() {
        let known = told(&[1_000.0]);
        known.note_answer(0.0, 150.0);
        assert!(!known.last("a"));
        known.note_answer(0.0, 2.0);
        known.note_answer(0.0, 3.0);
        assert!(known.last("a"));
    }

    /// As they were measured on an agent on an SDK, alone and beside other work on the same processors.
    #[test]
    fn a_busy_machine_makes_no_short_tasks_long_nor_long_ones_short() {
        for (usual_ms, answer_ms, last) in [
            (77.0, 28.0, false),
            (838.0, 166.0, false),
            (920.0, 191.0, false),
            (1_024.0, 20.0, true),
            (1_380.0, 184.0, true),
        ] {
            let known = told(&[usual_ms]);
            known.note_answer(0.0, answer_ms);
            assert_eq!(known.last("a"), last, "{usual_ms}");
        }
    }

    #[test]
    fn one_task_of_which_both_are_known_tells_how_long_the_others_were_on_their_way() {
        let known = told(&[1_100.0, 1_300.0]);
        assert_eq!(known.worked_ms("a"), Some(1_200.0));
        stream(&known, 900.0, 1_200.0);
        assert_eq!((known.worked_ms("a"), known.last("a")), (Some(300.0), false));
        tell(&known, "streamed", "10:00:00.100Z", "10:00:00.940Z");
        assert_eq!((known.worked_ms("a"), known.last("a")), (Some(840.0), true));
    }

    /// A stream that a busy machine held up says nothing about the lag of answers, and would make tasks known only from answers seem short.
    #[test]
    fn a_stream_tells_its_own_time_whatever_the_others_took() {
        let known = told(&[620.0, 620.0]);
        stream(&known, 5.0, 700.0);
        tell(&known, "streamed", "10:00:00.100Z", "10:00:00.704Z");
        assert!(!known.last("a"));
        assert!(known.outlast_stumbles("a"));
        let known = told(&[1_000.0]);
        stream(&known, 5.0, 105.0);
        assert!(!known.outlast_stumbles("a"));
    }

    #[test]
    fn what_the_agent_says_of_its_own_work_counts_within_what_was_seen() {
        let known = told(&[1_400.0, 1_400.0]);
        known.note_timestamp("0", TaskState::Working, "2026-11-26T10:00:00.100Z");
        tell(&known, "0", "10:00:00.600Z", "11:00:00.940+01:00");
        assert_eq!(known.worked_ms("a"), Some(840.0));
        for (at_work, over) in [
            ("10:00:00Z", "10:00:01Z"),
            ("10:00:00.5Z", "10:00:00.5Z"),
            ("10:00:00.5Z", "10:00:00.4Z"),
            ("10:00:00.5Z", "10:00:01.95Z"),
            ("soon", ""),
        ] {
            let known = told(&[1_400.0, 1_400.0]);
            tell(&known, "0", at_work, over);
            assert_eq!(known.worked_ms("a"), Some(1_400.0), "{at_work}");
        }
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

    /// As it was measured: beside too much other work the machine stood still for 0.7 s, in which six tasks of 400 ms were at work.
    #[test]
    fn tasks_that_were_at_work_while_the_machine_stood_still_tell_nothing_where_others_do() {
        let known = told(&[450.0, 460.0, 470.0, 1_120.0, 1_270.0, 1_290.0]);
        assert!(known.last("a"));
        known.note_answer(100.0, 190.0);
        known.note_answer(300.0, 390.0);
        // Three were over by then.
        known.note_answer(1_700.0, 2_400.0);
        assert_eq!((known.usual_ms("a"), known.last("a")), (Some(460.0), false));
        let known = told(&[100.0, 1_120.0, 1_270.0]);
        known.note_answer(1_700.0, 2_400.0);
        assert_eq!(known.usual_ms("a"), Some(830.0));
    }

    /// As it was measured beside too much other work, on an agent with tasks of 50 ms: the only one that told how long it worked was left out.
    #[test]
    fn a_task_that_was_short_although_the_machine_stood_still_shows_that_the_others_are() {
        let known = told(&[782.0, 813.0, 804.0, 912.0]);
        for (sent_ms, came_ms) in [(0.0, 38.0), (0.0, 40.0), (0.0, 50.0), (0.0, 50.0), (0.0, 80.0), (300.0, 800.0)] {
            known.note_answer(sent_ms, came_ms);
        }
        assert!(known.last("a"));
        stream(&known, 577.0, 700.0);
        assert_eq!((known.worked_ms("a"), known.last("a")), (Some(123.0), false));
        // A long one says that it was long, or was longer than usual.
        let known = told(&[1_050.0, 1_060.0, 1_070.0, 1_080.0]);
        for (sent_ms, came_ms) in [(0.0, 50.0), (0.0, 60.0), (300.0, 900.0)] {
            known.note_answer(sent_ms, came_ms);
        }
        stream(&known, 600.0, 1_650.0);
        assert!(known.last("a"));
    }

    #[test]
    fn a_task_that_its_agent_cancelled_because_nobody_listened_was_not_short() {
        let known = WorkTimes::default();
        for (task, over_ms, end) in [("left", 40.0, TaskState::Canceled), ("watched", 1_500.0, TaskState::Completed)] {
            known.begin(task, "a", 0.0);
            known.see(task, TaskState::Working, 10.0, Sighting::AsItHappened);
            known.see(task, end, over_ms, Sighting::OnALook);
        }
        assert!(known.last("a"));
    }

    #[test]
    fn a_task_that_stands_still_does_not_make_the_others_long() {
        let known = WorkTimes::default();
        for (task, at_work_ms, over_ms) in [("over", 300.0, Some(400.0)), ("still", 45_000.0, None)] {
            known.begin(task, "a", 0.0);
            known.see(task, TaskState::Working, at_work_ms, Sighting::OnALook);
            if let Some(over_ms) = over_ms {
                known.see(task, TaskState::Completed, over_ms, Sighting::OnALook);
            }
        }
        assert_eq!((known.usual_ms("a"), known.last("a")), (Some(350.0), false));
    }

    #[test]
    fn looks_count_only_where_nothing_was_told() {
        let known = WorkTimes::default();
        known.begin("looked", "a", 0.0);
        known.see("looked", TaskState::Working, 400.0, Sighting::OnALook);
        known.see("looked", TaskState::Completed, 600.0, Sighting::OnALook);
        // Once over, a task stays so.
        known.see("looked", TaskState::Completed, 9_000.0, Sighting::AsItHappened);
        known.note_answer(0.0, 50.0);
        assert_eq!((known.usual_ms("a"), known.worked_ms("a"), known.usual_ms("b")), (Some(500.0), Some(450.0), None));
        known.begin("told", "a", 0.0);
        known.see("told", TaskState::Completed, 700.0, Sighting::AsItHappened);
        assert_eq!(known.usual_ms("a"), Some(700.0));
    }

    #[test]
    fn a_look_at_a_task_and_the_answer_that_began_it_do_not_tell_when_its_stream_began() {
        let known = WorkTimes::default();
        known.begin("looked at", "a", 0.0);
        known.see("looked at", TaskState::Working, 100.0, Sighting::OnALook);
        known.see("looked at", TaskState::Completed, 700.0, Sighting::AsItHappened);
        known.begin("streamed", "b", 0.0);
        known.see("streamed", TaskState::Working, 0.0, Sighting::AsItHappened);
        known.see("streamed", TaskState::Working, 100.0, Sighting::AsItHappened);
        known.see("streamed", TaskState::Completed, 700.0, Sighting::AsItHappened);
        assert_eq!((known.least_ms("a"), known.least_ms("b")), (Some(700.0), Some(600.0)));
    }
}
