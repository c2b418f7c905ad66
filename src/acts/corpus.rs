//! What is known of single tests of the format's own corpus (`corpus.txt`): which the specification contradicts, and what some
//! leave unsaid.

use super::document::ActsTest;
use crate::a2a::binding::Credentials;
use crate::engine::drive::Driver;
use crate::engine::verdict::{Outcome, Verdict};
use crate::wire::named_enum::named_enum;

/// What is known of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownTest {
    /// The test's id.
    pub id: &'static str,
    /// The digest of its text: another version of it may be right.
    pub digest: u64,
    /// What is known.
    pub kind: KnownKind,
    /// The section that it rests on: `1.0 §9.5`.
    pub section: &'static str,
    /// The sentence.
    pub why: &'static str,
}

named_enum! {
    /// What is known of a test.
    pub enum KnownKind {
        /// The section contradicts it: it runs and is shown, and does not count.
        Disputed = "disputed",
        /// It needs an agent that streams, and does not say so.
        Streaming = "streaming",
        /// Its requests are to carry no credentials, which its steps cannot say.
        Anonymous = "anonymous",
    }
}

const TABLE: &str = include_str!("corpus.txt");

/// The tests of which something is known.
pub fn known_tests() -> impl Iterator<Item = KnownTest> {
    let lines = TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.filter_map(|line| {
        let mut cells = line.split('\t');
        let (id, digest) = (cells.next()?, u64::from_str_radix(cells.next()?, 16).ok()?);
        let word = cells.next()?;
        let kind = KnownKind::ALL.into_iter().find(|kind| kind.as_str() == word)?;
        Some(KnownTest { id, digest, kind, section: cells.next()?, why: cells.next()? })
    })
}

/// What is known of this test as it stands.
fn known(test: &ActsTest) -> Option<KnownTest> {
    known_tests().find(|known| known.id == test.id && known.digest == test.digest)
}

/// Why a test is not run with an agent that lacks what the test does not say it needs.
pub(super) fn unsaid_precondition(test: &ActsTest, driver: &Driver) -> Option<Verdict> {
    let KnownTest { section, why, .. } = known(test).filter(|known| known.kind == KnownKind::Streaming)?;
    let streams = driver.facts().declares(|card| card.streaming);
    let message = format!(
        "precondition: the card does not declare streaming, and the test does not ask for it; {section}: {why}"
    );
    (!streams).then(|| Verdict::excluded_by_card(message))
}

/// The credentials of a test's requests, where its text does not say what it wants.
pub(super) fn credentials(test: &ActsTest) -> Credentials {
    match known(test) {
        Some(known) if known.kind == KnownKind::Anonymous => Credentials::None,
        _ => Credentials::Own,
    }
}

/// The verdict on a test whose steps pass.
pub(super) fn passed(test: &ActsTest) -> Verdict {
    if test.tags.iter().all(|tag| tag != "runner-special") {
        return Verdict::pass();
    }
    let said = "its steps pass; it is tagged runner-special, and what its description asks of the runner besides was not \
                done";
    Verdict::pass_with(said)
}

/// The verdict of a test, or if it is disputed what is told instead.
pub(super) fn settled(test: &ActsTest, verdict: Verdict) -> Verdict {
    let Some(dispute) = known(test).filter(|known| known.kind == KnownKind::Disputed) else { return verdict };
    let found = match verdict.outcome {
        Outcome::Pass => "the agent passes it".to_owned(),
        Outcome::Fail => format!("the agent fails it: {}", verdict.message),
        // A test that was not run for another reason keeps that reason.
        _ => return verdict,
    };
    let KnownTest { section, why, .. } = dispute;
    let message = format!("disputed by {section}: {why}; {found}");
    verdict.exchanges.iter().fold(Verdict::not_applicable(message), |told, exchange| told.seen_in(*exchange))
}
