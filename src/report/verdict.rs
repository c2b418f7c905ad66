//! The verdict of a run in one word and in one sentence. Every format and the screen use these, so that none is rosier
//! than another.

use std::fmt;

use super::level::Rating;
use super::model::{CheckedRow, Report, count};
use super::text::one_line;
use crate::engine::event::{Completion, Tally};
use crate::engine::requirement::Level;
use crate::engine::verdict::Outcome;

/// The verdict in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VerdictWord {
    /// Every must that could be judged passes, and nothing was in the way.
    Conformant,
    /// The same, and there is advice.
    ConformantWithAdvice,
    /// A must was seen broken.
    NotConformant,
    /// Too little was seen to say.
    Incomplete,
}

impl VerdictWord {
    /// Chooses the word: an observed breach decides; otherwise a run that did not see what it had to is incomplete.
    #[must_use]
    pub fn of(musts: &MustCounts, tally: &Tally, rating: &Rating) -> Self {
        let unseen = musts.blocked + musts.not_run + musts.harness_error > 0 || musts.passed == 0;
        if musts.failed > 0 {
            Self::NotConformant
        } else if unseen || matches!(rating, Rating::NotRated(_)) {
            Self::Incomplete
        } else if tally.failed_advisory > 0 {
            Self::ConformantWithAdvice
        } else {
            Self::Conformant
        }
    }

    /// For machines: `conformant-with-advice`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Conformant => "conformant",
            Self::ConformantWithAdvice => "conformant-with-advice",
            Self::NotConformant => "not-conformant",
            Self::Incomplete => "incomplete",
        }
    }

    /// For people: `Conformant with advice`.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Conformant => "Conformant",
            Self::ConformantWithAdvice => "Conformant with advice",
            Self::NotConformant => "Not conformant",
            Self::Incomplete => "Incomplete",
        }
    }
}

impl fmt::Display for VerdictWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What became of the musts: the denominator of every number that is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MustCounts {
    /// Observed to hold.
    pub passed: u32,
    /// Observed to be broken.
    pub failed: u32,
    /// The agent never came into the state that was needed.
    pub inconclusive: u32,
    /// Something was in the way.
    pub blocked: u32,
    /// This host hides what is needed.
    pub not_observable: u32,
    /// Filtered out, or the run ended first.
    pub not_run: u32,
    /// Our own fault.
    pub harness_error: u32,
    /// Not claimed by the agent, or no rule of its version; not part of the denominator.
    pub not_applicable: u32,
}

impl MustCounts {
    /// Over these results.
    #[must_use]
    pub fn of(results: &[CheckedRow]) -> Self {
        let mut musts = Self::default();
        for result in results.iter().filter(|result| result.level == Level::Must) {
            *match result.outcome {
                Outcome::Pass | Outcome::Note => &mut musts.passed,
                Outcome::Fail => &mut musts.failed,
                Outcome::Inconclusive => &mut musts.inconclusive,
                Outcome::Blocked => &mut musts.blocked,
                Outcome::NotObservable => &mut musts.not_observable,
                Outcome::NotRun => &mut musts.not_run,
                Outcome::HarnessError => &mut musts.harness_error,
                Outcome::NotApplicable => &mut musts.not_applicable,
            } += 1;
        }
        musts
    }

    /// How many musts apply to this agent: everything but what does not.
    #[must_use]
    pub const fn applicable(&self) -> u32 {
        self.passed
            + self.failed
            + self.inconclusive
            + self.blocked
            + self.not_observable
            + self.not_run
            + self.harness_error
    }
}

/// The banner's sentence: [`counts`], and [`remarks`] behind it.
#[must_use]
pub fn headline(report: &Report) -> String {
    let mut sentence = counts(report);
    for remark in remarks(report) {
        sentence.push(' ');
        sentence.push_str(&remark);
    }
    sentence
}

/// The word, the musts with their denominator and version, and what of them was not seen: our own words throughout.
#[must_use]
pub fn counts(report: &Report) -> String {
    let musts = &report.musts;
    let applicable = musts.applicable();
    let versions = report.versions().join(" and ");
    let versions = if versions.is_empty() { String::new() } else { format!(" (A2A {versions})") };
    let mut parts = Vec::new();
    if applicable == 0 {
        parts.push(format!("no must was checked{versions}"));
    } else {
        let verb = if applicable == 1 { "must passes" } else { "musts pass" };
        parts.push(format!("{} of {applicable} {verb}{versions}", musts.passed));
    }
    let mut say = |number: u32, words: &str| {
        if number > 0 {
            parts.push(format!("{number} {words}"));
        }
    };
    say(musts.failed, if musts.failed == 1 { "fails" } else { "fail" });
    say(musts.blocked, "blocked");
    say(musts.inconclusive, "inconclusive");
    say(musts.not_observable, "not observable here");
    say(musts.not_run, "not run");
    say(musts.harness_error, "lost to a bug in this checker");
    if report.tally.failed_advisory > 0 {
        parts.push(count(report.tally.failed_advisory, "advisory finding"));
    }
    format!("{}: {}.", report.word.title(), parts.join(", "))
}

/// What else the banner says, a sentence each: why the run is not a whole one, and the cause. May quote the agent.
#[must_use]
pub fn remarks(report: &Report) -> Vec<String> {
    let key = |text: &str| text.trim_end_matches('.').to_ascii_lowercase();
    let mut remarks: Vec<String> = Vec::new();
    for text in [incomplete(report), report.cause.clone()].into_iter().flatten() {
        let text = capitalised(&one_line(&text, 300));
        // One often says what the other does, and more.
        if text.is_empty() || remarks.iter().any(|known| key(known).contains(&key(&text))) {
            continue;
        }
        remarks.retain(|known| !key(&text).contains(&key(known)));
        remarks.push(if text.ends_with(['.', '!', '?', '…']) { text } else { format!("{text}.") });
    }
    remarks
}

/// Why a run is not a whole one, if it is not.
#[must_use]
pub fn incomplete(report: &Report) -> Option<String> {
    match &report.completion {
        Some(Completion::Complete) => match &report.assessment.rating {
            Rating::NotRated(why) if report.word == VerdictWord::Incomplete => Some(why.clone()),
            _ => None,
        },
        Some(Completion::Incomplete(why)) => Some(why.clone()),
        Some(Completion::Filtered) => Some("only part of the suite was selected".to_owned()),
        Some(Completion::Stopped) => Some("the run was stopped".to_owned()),
        None => Some("the run has not finished".to_owned()),
    }
}

fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters
        .next()
        .map_or_else(String::new, |first| std::iter::once(first.to_ascii_uppercase()).chain(characters).collect())
}
