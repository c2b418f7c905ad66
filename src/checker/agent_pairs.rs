//! Every two of several agents together, as the checker keeps them: what is planned, and what was found.

use crate::engine::rounds::{RoundRun, rounds};
use crate::report::Report;
use crate::report::pair_matrix::MatrixPair;

/// The pairs of a list of agents.
#[derive(Debug, Default)]
pub(super) struct AgentPairs {
    planned: usize,
    over: Vec<MatrixPair>,
}

impl AgentPairs {
    /// Plans every two of so many agents of which both can be checked: the places of those that may run at the same time, round by
    /// round. What was found before is forgotten.
    pub(super) fn plan(&mut self, count: usize, can_run: impl Fn(usize) -> bool) -> Vec<Vec<(usize, usize)>> {
        let both = |run: RoundRun| match run {
            RoundRun::Both(first, second) if can_run(first) && can_run(second) => Some((first, second)),
            _ => None,
        };
        let planned: Vec<Vec<_>> =
            rounds(count).into_iter().map(|round| round.into_iter().filter_map(both).collect()).collect();
        *self = Self { planned: planned.iter().map(Vec::len).sum(), over: Vec::new() };
        planned
    }

    pub(super) fn keep(&mut self, first: usize, second: usize, report: &Report) {
        self.over.push(MatrixPair::new(first, second, Some(report)));
    }

    /// Plans no more than what is over.
    pub(super) fn stop(&mut self) {
        self.planned = self.over.len();
    }

    /// How many are over, and of how many.
    pub(super) fn progress(&self) -> (u32, u32) {
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        (number(self.over.len()), number(self.planned))
    }

    /// What was found of the agents at two places.
    pub(super) fn found(&self, first: usize, second: usize) -> Option<MatrixPair> {
        self.over.iter().find(|pair| (pair.first, pair.second) == (first, second)).cloned()
    }
}
