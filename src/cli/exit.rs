//! How a command ended, as a number, and which one a report deserves.

use std::process::ExitCode;
use std::rc::Rc;

use super::args::FailOn;
use crate::engine::event::Completion;
use crate::report::{ProfileTally, Rating, Report, VerdictWord};

/// How a command ended. The numbers are a contract with scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exit {
    /// Nothing that counts failed.
    Conformant = 0,
    /// Something that counts was observed to fail.
    Failures = 1,
    /// The command could not be understood or started.
    Usage = 2,
    /// The agent could not be reached, or the run did not see what it had to.
    Incomplete = 3,
}

impl Exit {
    /// The worst of several.
    pub(super) fn worst(exits: impl IntoIterator<Item = Self>) -> Self {
        let exits: Vec<Self> = exits.into_iter().collect();
        let worst = [Self::Failures, Self::Incomplete].into_iter().find(|worst| exits.contains(worst));
        worst.unwrap_or(Self::Conformant)
    }

    /// The same, unless the report could not be written and nothing worse is to be told.
    pub(super) const fn unless_unwritten(self, is_written: bool) -> Self {
        match self {
            Self::Conformant | Self::Incomplete if !is_written => Self::Usage,
            exit => exit,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// An observed failure decides; otherwise a run that did not see what it had to is incomplete, as its verdict says.
pub(super) fn exit(report: &Report, fail_on: FailOn) -> Exit {
    // What was asked for by name counts although it is only advice: the acceptance list of a profile, what a gateway changes, delegation.
    let asked_for = [ProfileTally::from_report, ProfileTally::of_gateway, ProfileTally::of_delegation];
    let [list, gateway, delegation] = asked_for.map(|of: fn(&Report) -> _| of(report).unwrap_or_default());
    let counted = match fail_on {
        FailOn::Must => report.tally.failed_required + list.failed + gateway.failed + delegation.failed,
        FailOn::Should => report.tally.failed_required + report.tally.failed_advisory,
        FailOn::Never => 0,
    };
    // A level is never given to a part of the suite; who asked for a part knows.
    let is_whole = match &report.completion {
        Some(Completion::Complete) => !matches!(report.assessment.rating, Rating::NotRated(_)),
        Some(completion) => completion.part().is_some(),
        None => false,
    };
    match (counted, is_whole && report.word != VerdictWord::Incomplete && list.open + delegation.open == 0) {
        (1.., _) => Exit::Failures,
        (0, true) => Exit::Conformant,
        (0, false) => Exit::Incomplete,
    }
}

/// The same, where what is seen of the agent's client counts too. How much was seen of it does not.
pub(super) fn exit_with_clients(report: &Report, fail_on: FailOn) -> Exit {
    let fails = |client: &Rc<Report>| exit(client, fail_on) == Exit::Failures;
    if report.clients.iter().any(fails) { Exit::Failures } else { exit(report, fail_on) }
}
