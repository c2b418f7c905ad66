//! Several runs of one agent, told as one run: which results are unsteady, and the sentence that says so. The first run is told as
//! it happens, and of each further one what it shows that the runs before it did not show. Whoever folds the events of a run gets
//! the report on all of them.

use std::cell::RefCell;
use std::rc::Rc;

use futures_util::future::LocalBoxFuture;

use super::context::RunOutcome;
use crate::engine::event::{CheckResult, Completion, Emit, Event, Row, Tally};
use crate::engine::transcript::Lane;
use crate::engine::verdict::{Outcome, Verdict, VerdictOfRuns};
use crate::wire::exchange::Exchange;

/// What runs can conclude of a row, the gravest first. A note is a pass: it never counts.
const BY_GRAVITY: [Outcome; 8] = [
    Outcome::Fail,
    Outcome::HarnessError,
    Outcome::Blocked,
    Outcome::Inconclusive,
    Outcome::NotObservable,
    Outcome::NotApplicable,
    Outcome::NotRun,
    Outcome::Pass,
];

/// Checks an agent so many times; `run_once` begins a run.
pub(super) async fn run_repeatedly(runs: u32, emit: Emit, run_once: impl Fn(Emit) -> LocalBoxFuture<'static, ()>) {
    let repeated = Rc::new(RefCell::new(RepeatedRuns { runs, ..RepeatedRuns::default() }));
    for _ in 0..runs {
        let (repeated, emit) = (Rc::clone(&repeated), Rc::clone(&emit));
        run_once(Rc::new(move |event: Event| {
            // The listener may call back, so nothing is borrowed meanwhile.
            let told = repeated.borrow_mut().told_of(event);
            told.into_iter().for_each(|event| emit(event));
        }))
        .await;
    }
}

/// What is known of the runs so far.
#[derive(Default)]
struct RepeatedRuns {
    /// How many there are to be.
    runs: u32,
    /// The number of the one that goes on, from 1.
    run: u32,
    /// When the first began, in milliseconds since 1970.
    began_ms: f64,
    /// How much later the one that goes on began.
    later_ms: f64,
    rows: Vec<RowOfRuns>,
    lanes: Vec<Rc<Lane>>,
    has_agent: bool,
    /// The exchanges of the run that goes on, if it is not the first.
    exchanges: Vec<Rc<Exchange>>,
    /// The highest number that an exchange has, and that one had before the run that goes on.
    numbers: (u32, u32),
    /// The messages and the time of the runs that are over.
    messages: u32,
    duration_ms: f64,
    ended: Vec<RunOutcome>,
}

/// A row, with its results so far.
struct RowOfRuns {
    row: Row,
    /// Whether it was told that it is planned.
    is_planned: bool,
    /// The result of the run that goes on.
    now: Option<Rc<CheckResult>>,
    /// Those of the runs that are over; of a run that did not judge it `None`.
    results: Vec<Option<Rc<CheckResult>>>,
    /// What was told of it last.
    told: Option<Rc<CheckResult>>,
}

impl RepeatedRuns {
    /// What is told of an event of the run that goes on.
    fn told_of(&mut self, event: Event) -> Vec<Event> {
        match event {
            Event::Started { wall_ms, .. } => {
                self.run += 1;
                self.numbers.1 = self.numbers.0;
                if self.run == 1 {
                    self.began_ms = wall_ms;
                    return vec![event];
                }
                // A clock may have been set back.
                self.later_ms = (wall_ms - self.began_ms).max(0.0);
                vec![self.of_run(event)]
            }
            Event::Planned { rows, messages } => {
                for row in &rows {
                    self.place(row);
                }
                if self.run == 1 {
                    let messages = messages.saturating_mul(self.runs);
                    vec![Event::Planned { rows, messages }]
                } else {
                    vec![self.of_run(Event::Planned { rows, messages })]
                }
            }
            Event::Exchanged(exchange) => {
                let exchange = self.exchange(exchange);
                self.numbers.0 = self.numbers.0.max(exchange.id);
                if self.run == 1 {
                    return vec![Event::Exchanged(exchange)];
                }
                self.exchanges.push(Rc::clone(&exchange));
                vec![self.of_run(Event::Exchanged(exchange))]
            }
            Event::Judged { result, tally } => {
                let result = self.result(result);
                let (place, is_first) = (self.place(&result.row), self.run == 1);
                if let Some(row) = self.rows.get_mut(place) {
                    row.now = Some(Rc::clone(&result));
                    row.told = if is_first { row.now.clone() } else { row.told.take() };
                }
                if is_first {
                    return vec![Event::Judged { result, tally }];
                }
                let tally = Tally { messages: self.messages + tally.messages, ..tally };
                vec![self.of_run(Event::Judged { result, tally })]
            }
            Event::Lanes(lanes) => {
                let known = self.lanes.len();
                for lane in lanes {
                    if self.lanes.iter().all(|known| known.id != lane.id) {
                        self.lanes.push(lane);
                    }
                }
                let is_news = self.run == 1 || self.lanes.len() > known;
                is_news.then(|| Event::Lanes(self.lanes.clone())).into_iter().collect()
            }
            Event::Agent(_) if !self.has_agent => {
                self.has_agent = true;
                vec![event]
            }
            Event::Finished { completion, tally, cause, duration_ms } => {
                self.ended.push(RunOutcome { completion, cause });
                self.messages += tally.messages;
                self.duration_ms += duration_ms;
                self.end_of_run(tally)
            }
            // A person has to see it.
            Event::Confirm { .. } => vec![event],
            event if self.run == 1 => vec![event],
            event => vec![self.of_run(event)],
        }
    }

    fn of_run(&self, event: Event) -> Event {
        Event::OfRun { run: self.run, event: Box::new(event) }
    }

    /// The place of the row, which is added if it is new.
    fn place(&mut self, row: &Row) -> usize {
        let known = self.rows.iter().position(|known| known.row.is(row));
        known.unwrap_or_else(|| {
            let results = vec![None; self.ended.len()];
            let is_planned = self.run == 1;
            self.rows.push(RowOfRuns { row: row.clone(), is_planned, now: None, results, told: None });
            self.rows.len() - 1
        })
    }

    /// An exchange with a number and times that no exchange of another run has.
    fn exchange(&self, exchange: Rc<Exchange>) -> Rc<Exchange> {
        if self.run == 1 {
            return exchange;
        }
        let mut exchange = Exchange::clone(&exchange);
        exchange.id += self.numbers.1;
        exchange.step = format!("{} (run {})", exchange.step, self.run);
        for ms in [&mut exchange.sent_ms, &mut exchange.end_ms] {
            *ms += self.later_ms;
        }
        if let Some(response) = &mut exchange.response {
            response.head_ms += self.later_ms;
            response.frames.iter_mut().for_each(|frame| frame.at_ms += self.later_ms);
        }
        Rc::new(exchange)
    }

    /// A result with the numbers that its exchanges have here.
    fn result(&self, result: Rc<CheckResult>) -> Rc<CheckResult> {
        if self.run == 1 {
            return result;
        }
        let mut result = CheckResult::clone(&result);
        result.verdict.exchanges.iter_mut().for_each(|id| *id += self.numbers.1);
        Rc::new(result)
    }

    /// What the run that has just ended shows besides those before it; after the last one also the end.
    fn end_of_run(&mut self, tally: Tally) -> Vec<Event> {
        let mut rows = Vec::new();
        let mut verdicts = Vec::new();
        let mut exchanges: Vec<Rc<Exchange>> = Vec::new();
        for of_runs in &mut self.rows {
            of_runs.results.push(of_runs.now.take());
            let Some(result) = folded(&of_runs.results) else { continue };
            if of_runs.told.as_ref().is_some_and(|told| Rc::ptr_eq(told, &result)) {
                continue;
            }
            if !of_runs.is_planned {
                of_runs.is_planned = true;
                rows.push(of_runs.row.clone());
            }
            let is_shown = |exchange: &&Rc<Exchange>| result.verdict.exchanges.contains(&exchange.id);
            for exchange in self.exchanges.iter().filter(is_shown) {
                if exchanges.iter().all(|known| known.id != exchange.id) {
                    exchanges.push(Rc::clone(exchange));
                }
            }
            of_runs.told = Some(Rc::clone(&result));
            verdicts.push(result);
        }
        self.exchanges.clear();
        let counts = self.tally();
        let planned = (!rows.is_empty()).then_some(Event::Planned { rows, messages: 0 });
        let mut told: Vec<Event> = planned.into_iter().chain(exchanges.into_iter().map(Event::Exchanged)).collect();
        told.extend(verdicts.into_iter().map(|result| Event::Judged { result, tally: counts }));
        told.push(self.of_run(self.finished(tally)));
        if self.run == self.runs {
            told.push(self.finished(counts));
        }
        told
    }

    /// The counts over what was told last.
    fn tally(&self) -> Tally {
        let mut tally = Tally { messages: self.messages, ..Tally::default() };
        for result in self.rows.iter().filter_map(|row| row.told.as_ref()) {
            tally.count(result.verdict.outcome, result.level);
        }
        tally.total = u32::try_from(self.rows.len()).unwrap_or(u32::MAX);
        tally
    }

    /// How the runs ended, and what explains most of what went wrong. What only some of them met is said to be so.
    fn finished(&self, tally: Tally) -> Event {
        let incomplete = self.met(|run| match &run.completion {
            Completion::Incomplete(why) => Some(why),
            _ => None,
        });
        let first = self.ended.first().map(|run| run.completion.clone());
        let completion = incomplete.map(Completion::Incomplete).or(first).unwrap_or(Completion::Complete);
        Event::Finished { completion, tally, cause: self.met(|run| run.cause.as_ref()), duration_ms: self.duration_ms }
    }

    /// What runs met, as the first of them says it, and how many they are where it was not all.
    fn met(&self, of: fn(&RunOutcome) -> Option<&String>) -> Option<String> {
        let all = self.ended.len();
        let mut met = (1..).zip(&self.ended).filter_map(|(run, ended)| Some((run, of(ended)?)));
        let (first, why): (usize, &String) = met.next()?;
        Some(match met.count() + 1 {
            some if some == all => why.clone(),
            1 => format!("run {first} of {all}: {why}"),
            some => format!("{some} of {all} runs, run {first} first: {why}"),
        })
    }
}

/// The result that stands for those of several runs; `None` where no run judged the row.
fn folded(results: &[Option<Rc<CheckResult>>]) -> Option<Rc<CheckResult>> {
    let judged = || results.iter().flatten();
    let first = judged().next()?;
    // A fault of ours is to be reported, whatever the other runs saw.
    if let Some(broken) = judged().find(|result| result.verdict.outcome == Outcome::HarnessError) {
        return Some(Rc::clone(broken));
    }
    let of_runs: Vec<VerdictOfRuns> = BY_GRAVITY.iter().filter_map(|outcome| of_outcome(*outcome, results)).collect();
    if of_runs.len() > 1 {
        let verdict = Verdict::unsteady(sentence(&of_runs, results.len()), of_runs);
        return Some(Rc::new(CheckResult { verdict, ..CheckResult::clone(first) }));
    }
    // All say the same. A note says more than a pass, and who failed as advice once did not always break a must.
    let noted = judged().find(|result| result.verdict.outcome == Outcome::Note);
    Some(Rc::clone(noted.or_else(|| judged().min_by_key(|result| result.level)).unwrap_or(first)))
}

/// The runs that came to that conclusion, with that of the first of them.
fn of_outcome(outcome: Outcome, results: &[Option<Rc<CheckResult>>]) -> Option<VerdictOfRuns> {
    let mut of_runs: Option<VerdictOfRuns> = None;
    for (run, result) in (1..).zip(results) {
        let is_it = match result {
            Some(result) if result.verdict.outcome == Outcome::Note => outcome == Outcome::Pass,
            Some(result) => outcome == result.verdict.outcome,
            None => outcome == Outcome::NotRun,
        };
        if is_it {
            let of_this = || match result {
                Some(result) => result.verdict.clone(),
                None => Verdict::not_run("the run did not come to it"),
            };
            let known = of_runs.get_or_insert_with(|| VerdictOfRuns { runs: Vec::new(), verdict: of_this() });
            known.runs.push(run);
        }
    }
    of_runs
}

/// `failed in 2 of 5 runs, passed in 3: expected completed, got canceled`: how often what was concluded, and why in the gravest case.
fn sentence(of_runs: &[VerdictOfRuns], runs: usize) -> String {
    let mut sentence = String::new();
    for (place, each) in of_runs.iter().enumerate() {
        let word = each.word();
        sentence.push_str(&match place {
            0 => format!("{word} in {} of {runs} runs", each.runs.len()),
            _ => format!(", {word} in {}", each.runs.len()),
        });
    }
    let why = of_runs.iter().map(|each| each.verdict.message.as_str()).find(|why| !why.is_empty());
    why.map_or_else(|| sentence.clone(), |why| format!("{sentence}: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::check::{Area, Check, Scenario};
    use crate::engine::event::Row;
    use crate::engine::requirement::Level;

    static AREA: Area = Area { name: "a", ..Area::EMPTY };
    static SCENARIO: Scenario = Scenario::judged_by(&[]);
    static CHECK: Check = Check::tripped_by(&["a"]);

    #[test]
    fn a_note_of_one_run_is_kept_among_passes_of_others() {
        let result = |verdict| {
            let row = Row { check: &CHECK, scenario: &SCENARIO, area: &AREA, lane: None, version: "1.0" };
            Some(Rc::new(CheckResult { row, verdict, level: Level::Must, duration_ms: 0.0 }))
        };
        let note = || Verdict::fail(2, "a", "b").as_note();
        for results in [[Verdict::pass(), note(), Verdict::pass()], [note(), Verdict::pass(), Verdict::pass()]] {
            let told = folded(&results.map(result)).unwrap();
            assert_eq!((told.verdict.outcome, told.verdict.actual.as_deref()), (Outcome::Note, Some("b")));
        }
    }
}
