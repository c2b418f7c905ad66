//! Tests that the specification contradicts. They run and are shown, and do not count.

use super::document::ActsTest;
use crate::engine::verdict::{Outcome, Verdict};

/// A test that is disputed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dispute {
    /// The test's id.
    pub id: &'static str,
    /// The digest of its text: another version of it may be right.
    pub digest: u64,
    /// The section that contradicts it: `1.0 §9.5`.
    pub section: &'static str,
    /// How.
    pub why: &'static str,
}

/// The disputed tests, a line for each: id, digest, section and sentence, with tabs in between.
const TABLE: &str = include_str!("disputed.txt");

/// The disputed tests.
pub fn disputes() -> impl Iterator<Item = Dispute> {
    let lines = TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.filter_map(|line| {
        let mut cells = line.split('\t');
        let (id, digest) = (cells.next()?, u64::from_str_radix(cells.next()?, 16).ok()?);
        Some(Dispute { id, digest, section: cells.next()?, why: cells.next()? })
    })
}

/// The verdict of a test, or if it is disputed what is told instead.
pub(super) fn settled(test: &ActsTest, verdict: Verdict) -> Verdict {
    let Some(dispute) = disputes().find(|dispute| dispute.id == test.id && dispute.digest == test.digest) else {
        return verdict;
    };
    let found = match verdict.outcome {
        Outcome::Pass => "the agent passes it".to_owned(),
        Outcome::Fail => format!("the agent fails it: {}", verdict.message),
        // What was not run for another reason tells that reason.
        _ => return verdict,
    };
    let Dispute { section, why, .. } = dispute;
    let message = format!("disputed by {section}: {why}; {found}");
    verdict.exchanges.iter().fold(Verdict::not_applicable(message), |told, exchange| told.seen_in(*exchange))
}
