//! The steps of a test that a user wrote, each with its result and its exchanges; of a check that came out differently in several runs, what
//! each of these concluded.

use std::rc::Rc;

use super::evidence::Evidence;
use super::wire::Mark;
use crate::engine::event::CheckResult;
use crate::engine::verdict::{Outcome, Verdict, VerdictOfRuns};
use crate::view_model::binary_encoding::binary_encoding;
use crate::wire::exchange::Exchange;

/// A step of a test.
#[derive(Debug, Clone, PartialEq)]
pub struct TestStep {
    /// Its id, or which runs: `Runs 2 and 4`.
    pub id: String,
    /// What it does: the operation, or verb and path. Of runs, why they concluded so.
    pub action: String,
    /// Its shape: `pass`, `fail`, `blocked`, `skip`.
    pub shape: String,
    /// The word beside the shape.
    pub word: String,
    /// Its exchanges.
    pub evidence: Vec<Evidence>,
}

binary_encoding! { struct TestStep { id, action, shape, word, evidence } }

impl TestStep {
    /// The steps of the test that was judged, in order; none for a check of ours.
    #[must_use]
    pub fn list(result: &CheckResult, run: &[Rc<Exchange>], hides_from: Option<&str>) -> Vec<Self> {
        let Some(test) = result.row.scenario.written else { return Vec::new() };
        let lane = result.row.lane.as_ref().map(|lane| lane.id.as_str());
        let of_test =
            |exchange: &&Rc<Exchange>| exchange.scenario == result.row.scenario.id && exchange.lane.as_deref() == lane;
        let exchanges: Vec<&Rc<Exchange>> = run.iter().filter(of_test).collect();
        let steps = test.steps();
        let ids: Vec<&str> = steps.iter().map(|(id, _)| id.as_str()).collect();
        let ended = ended_at(&result.verdict, &ids);
        let mark = Mark::parse(result.verdict.pointer.as_deref().unwrap_or_default());
        let is_whole = matches!(result.verdict.outcome, Outcome::Pass);
        let step = |(place, (id, action)): (usize, (String, String))| {
            let own = || exchanges.iter().filter(|exchange| exchange.step == id);
            let (shape, word) = match ended {
                Some(end) if place == end => word_of(result.verdict.outcome),
                Some(end) if place < end => ("pass", "pass"),
                None if is_whole => ("pass", "pass"),
                // A test that is disputed, or was run several times, names no step.
                None if own().next().is_some() => ("skip", "not judged"),
                _ => ("skip", "not run"),
            };
            let mark = if shape == "fail" { mark.clone() } else { Mark::default() };
            let evidence = own().map(|exchange| Evidence::new(exchange, &mark, hides_from)).collect();
            Self { id, action, shape: shape.to_owned(), word: word.to_owned(), evidence }
        };
        steps.into_iter().enumerate().map(step).collect()
    }

    /// What some of several runs concluded, with the exchanges of the first of them.
    #[must_use]
    pub fn of_runs(each: &VerdictOfRuns, run: &[Rc<Exchange>], hides_from: Option<&str>) -> Self {
        let mark = Mark::parse(each.verdict.pointer.as_deref().unwrap_or_default());
        let exchanges = each.verdict.exchanges.iter().filter_map(|id| run.iter().find(|exchange| exchange.id == *id));
        let shape = match each.verdict.outcome {
            // A note is a pass: it never counts.
            Outcome::Pass | Outcome::Note => "pass",
            outcome => word_of(outcome).0,
        };
        Self {
            id: each.runs_in_words(),
            action: each.verdict.message.clone(),
            shape: shape.to_owned(),
            word: each.word(),
            evidence: exchanges.map(|exchange| Evidence::new(exchange, &mark, hides_from)).collect(),
        }
    }
}

/// The step at which the test ended early, as its verdict names it.
fn ended_at(verdict: &Verdict, ids: &[&str]) -> Option<usize> {
    let named = verdict.pointer.as_deref().or_else(|| verdict.message.strip_prefix("step "))?;
    let id = named.split_once(':').map_or(named, |(id, _)| id);
    ids.iter().position(|known| *known == id)
}

/// The shape and the word of the step that decided the result.
const fn word_of(outcome: Outcome) -> (&'static str, &'static str) {
    match outcome {
        Outcome::Fail | Outcome::Note => ("fail", "fail"),
        Outcome::Blocked | Outcome::HarnessError => ("blocked", "blocked"),
        _ => ("skip", "not judged"),
    }
}
