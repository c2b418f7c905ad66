//! The conclusion of a check: its outcome and status, for a finding the expected and the actual value and where it was read, and
//! the words for several runs.

use std::ops::{Deref, DerefMut};

use crate::a2a::model::Operation;
use crate::engine::requirement::Level;
use crate::wire::named_enum::named_enum;

/// The outcome of a check. The words and their meaning are those of `docs/ARCHITECTURE.md`, "Outcomes".
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The requirement was observed to hold.
    Pass,
    /// It was observed to be broken.
    Fail,
    /// It was observed to be broken and never counts (level may, or good practice): a pass with a remark.
    Note,
    /// The agent never claimed the feature, or the version has no such rule.
    NotApplicable,
    /// This host hides what is needed.
    NotObservable,
    /// The agent never came into the state that the check needs.
    Inconclusive,
    /// Several runs came to conclusions that differ: neither held nor broken. Files call it inconclusive, and say what each run saw.
    Unsteady,
    /// Something before it stopped us.
    Blocked,
    /// Filtered out, or the user stopped the run.
    #[default]
    NotRun,
    /// A fault of this checker.
    HarnessError,
}

named_enum! {
    /// The three results that every report format knows.
    pub enum Status {
        /// Observed to hold.
        Pass = "pass",
        /// Observed to be broken.
        Fail = "fail",
        /// Not judged.
        Skip = "skip",
    }
}

impl Outcome {
    /// The status by which reports show it.
    #[must_use]
    pub const fn status(self) -> Status {
        match self {
            Self::Pass | Self::Note => Status::Pass,
            Self::Fail => Status::Fail,
            _ => Status::Skip,
        }
    }

    /// The result of a rule of that level in one word for people: `fail`, `suggestion`, `not judged`. Why it was not judged is its message.
    #[must_use]
    pub const fn in_words(self, level: Level) -> &'static str {
        match (self, level) {
            (Self::Pass, _) => "pass",
            (Self::Note, _) => "pass with a note",
            (Self::Fail, Level::Must) => "fail",
            (Self::Fail, _) => "suggestion",
            (Self::Unsteady, _) => "unsteady",
            (Self::NotApplicable, _) => "not applicable",
            (Self::NotObservable | Self::Inconclusive | Self::Blocked, _) => "not judged",
            (Self::NotRun, _) => "not run",
            (Self::HarnessError, _) => "checker error",
        }
    }

    /// The reason for a skip as files name it: `blocked`, `inconclusive`, ...
    #[must_use]
    pub const fn reason(self) -> Option<&'static str> {
        match self {
            Self::Pass | Self::Fail | Self::Note => None,
            Self::NotApplicable => Some("not-applicable"),
            Self::NotObservable => Some("not-observable"),
            Self::Inconclusive => Some("inconclusive"),
            Self::Unsteady => Some("unsteady"),
            Self::Blocked => Some("blocked"),
            Self::NotRun => Some("not-run"),
            Self::HarnessError => Some("harness-error"),
        }
    }

    /// The same as files have it. What differs between runs is one of the reasons that their readers know, with a member of its own beside it.
    #[must_use]
    pub(crate) const fn reason_in_files(self) -> Option<&'static str> {
        match self {
            Self::Unsteady => Self::Inconclusive.reason(),
            other => other.reason(),
        }
    }
}

/// The basis of a conclusion, where it changes how the result is reported.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum VerdictBasis {
    /// Observed answers.
    #[default]
    Observation,
    /// A declaration of the card, or the lack of one. It says nothing about an agent whose card is not there.
    Declaration,
    /// An answer where an error was expected, or might have come. Where it is an error in a form that nobody can read, that form is the
    /// root cause.
    Refusal,
}

/// The conclusion of a check, with its reason. Boxed, because every judgement returns one as its error.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub struct Verdict(Box<Conclusion>);

/// The content of a [`Verdict`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conclusion {
    /// The conclusion.
    pub outcome: Outcome,
    /// Its basis.
    pub basis: VerdictBasis,
    /// Why, in one sentence; may be empty for a plain pass.
    pub message: String,
    /// For a finding: what was expected.
    pub expected: Option<String>,
    /// For a finding: what came.
    pub actual: Option<String>,
    /// For a finding: the JSON pointer, header or frame it is about.
    pub pointer: Option<String>,
    /// For a finding about an operation that the agent does not have: that operation. It is implemented before anything else.
    pub missing: Option<Operation>,
    /// The exchanges it was read from.
    pub exchanges: Vec<u32>,
    /// What a test that a user wrote has earned; `None` where it is worth nothing, or was not judged.
    pub reward: Option<Reward>,
    /// What each of several runs concluded where they differ, the gravest first; else empty.
    pub of_runs: Vec<VerdictOfRuns>,
}

/// A conclusion that some of several runs came to, as the first of them did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerdictOfRuns {
    /// The numbers of these runs, from 1.
    pub runs: Vec<u32>,
    /// The conclusion.
    pub verdict: Verdict,
}

impl VerdictOfRuns {
    /// Which runs: `Run 3`, `Runs 1, 2 and 4`, or of many the first: `5 runs, run 2 first`.
    #[must_use]
    pub fn runs_in_words(&self) -> String {
        let numbers: Vec<String> = self.runs.iter().map(u32::to_string).collect();
        match numbers.as_slice() {
            [] => String::new(),
            [one] => format!("Run {one}"),
            [others @ .., last] if others.len() < 5 => format!("Runs {} and {last}", others.join(", ")),
            [first, ..] => format!("{} runs, run {first} first", numbers.len()),
        }
    }

    /// What they concluded, and why: `failed: expected a task, got nothing`.
    #[must_use]
    pub fn said(&self) -> String {
        let word = self.word();
        if self.verdict.message.is_empty() { word } else { format!("{word}: {}", self.verdict.message) }
    }

    /// What they concluded, as a verb of the check: `failed`, `passed`, `blocked`.
    #[must_use]
    pub fn word(&self) -> String {
        match self.verdict.outcome {
            Outcome::Fail => "failed".to_owned(),
            Outcome::Pass | Outcome::Note => "passed".to_owned(),
            other => other.reason().unwrap_or_default().replace('-', " "),
        }
    }
}

/// The reward of a test that a user wrote.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reward {
    /// What it has earned.
    pub earned: f64,
    /// What it would earn at most.
    pub worth: f64,
}

// Both are finite, whoever reads them.
impl Eq for Reward {}

/// The result of a judge function. Both sides are verdicts, so that `?` returns early with one.
pub type Judged = Result<Verdict, Verdict>;

/// The first of some judgements that found something or could not be made; a pass where there is none.
pub fn first_finding(judgements: impl IntoIterator<Item = Judged>) -> Judged {
    let passes = |judged: &Judged| judged.as_ref().is_ok_and(|verdict| verdict.expected.is_none());
    judgements.into_iter().find(|judged| !passes(judged)).unwrap_or_else(|| Ok(Verdict::pass()))
}

impl Deref for Verdict {
    type Target = Conclusion;

    fn deref(&self) -> &Conclusion {
        &self.0
    }
}

impl DerefMut for Verdict {
    fn deref_mut(&mut self) -> &mut Conclusion {
        &mut self.0
    }
}

impl Verdict {
    fn plain(outcome: Outcome, message: impl Into<String>) -> Self {
        Self(Box::new(Conclusion { outcome, message: message.into(), ..Conclusion::default() }))
    }

    /// The requirement holds.
    pub fn pass() -> Self {
        Self::plain(Outcome::Pass, "")
    }

    /// The requirement holds; the message says on how much that rests.
    pub fn pass_with(message: impl Into<String>) -> Self {
        Self::plain(Outcome::Pass, message)
    }

    /// The requirement is broken: what was expected, what came, and the exchange that shows it. There is no finding
    /// without a place.
    pub fn fail(exchange: u32, expected: impl Into<String>, actual: impl Into<String>) -> Self {
        Self::found(exchange, expected.into(), actual.into())
    }

    /// As [`Verdict::fail`], where an error was expected.
    pub fn not_refused(exchange: u32, expected: impl Into<String>, actual: impl Into<String>) -> Self {
        let mut verdict = Self::fail(exchange, expected, actual);
        verdict.basis = VerdictBasis::Refusal;
        verdict
    }

    fn found(exchange: u32, expected: String, actual: String) -> Self {
        let mut verdict = Self::plain(Outcome::Fail, format!("expected {expected}, got {actual}"));
        verdict.expected = Some(expected);
        verdict.actual = Some(actual);
        verdict.exchanges.push(exchange);
        verdict
    }

    /// The same finding as a remark, for a wish that the specification leaves open.
    pub fn as_note(mut self) -> Self {
        if self.outcome == Outcome::Fail {
            self.outcome = Outcome::Note;
        }
        self
    }

    /// The agent never claimed it.
    pub fn not_applicable(why: impl Into<String>) -> Self {
        Self::plain(Outcome::NotApplicable, why)
    }

    /// Not applicable because of what the card declares, or does not declare.
    pub fn excluded_by_card(why: impl Into<String>) -> Self {
        let mut verdict = Self::not_applicable(why);
        verdict.basis = VerdictBasis::Declaration;
        verdict
    }

    /// This host hides it; the message names what would have to be exposed.
    pub fn not_observable(why: impl Into<String>) -> Self {
        Self::plain(Outcome::NotObservable, why)
    }

    /// The state needed never came.
    pub fn inconclusive(why: impl Into<String>) -> Self {
        Self::plain(Outcome::Inconclusive, why)
    }

    /// Several runs concluded this, and they differ.
    pub fn unsteady(why: impl Into<String>, of_runs: Vec<VerdictOfRuns>) -> Self {
        let mut verdict = Self::plain(Outcome::Unsteady, why);
        verdict.exchanges = of_runs.iter().flat_map(|each| each.verdict.exchanges.iter().copied()).collect();
        verdict.of_runs = of_runs;
        verdict
    }

    /// Something stopped us before.
    pub fn blocked(why: impl Into<String>) -> Self {
        Self::plain(Outcome::Blocked, why)
    }

    /// It was not asked for, or the run ended first.
    pub fn not_run(why: impl Into<String>) -> Self {
        Self::plain(Outcome::NotRun, why)
    }

    /// Our own fault.
    pub fn harness_error(why: impl Into<String>) -> Self {
        Self::plain(Outcome::HarnessError, why)
    }

    /// Names the place within the exchange: a JSON pointer, a header, an event of a stream.
    pub fn at(mut self, pointer: impl Into<String>) -> Self {
        self.pointer = Some(pointer.into());
        self
    }

    /// Says which operation the agent does not have, where that is what the finding shows.
    pub fn lacking(mut self, operation: Option<Operation>) -> Self {
        self.missing = operation;
        self
    }

    /// Replaces the message "expected ..., got ...".
    pub fn because(mut self, message: impl Into<String>) -> Self {
        self.message = message.into();
        self
    }

    /// Adds to what was left open, because only chance decides what is seen, a finding that this run made all the same.
    pub fn met_by_chance(mut self, finding: Judged) -> Self {
        let (Ok(found) | Err(found)) = finding;
        if self.outcome == Outcome::Inconclusive && found.outcome == Outcome::Fail {
            self.message = format!("{}; {}", self.message, found.as_met_once());
            return found.exchanges.iter().fold(self, |verdict, exchange| verdict.seen_in(*exchange));
        }
        self
    }

    /// A finding in the words of what only chance shows.
    #[must_use]
    pub fn as_met_once(&self) -> String {
        format!("met once in this run: {}; a thorough run measures how often", self.message)
    }

    /// Gives it a reward: this share of what the test is worth.
    pub fn rewarded(mut self, share: f64, worth: Option<f64>) -> Self {
        self.reward = worth.map(|worth| Reward { earned: share * worth, worth });
        self
    }

    /// Adds an exchange that it was read from.
    pub fn seen_in(mut self, exchange: u32) -> Self {
        if !self.exchanges.contains(&exchange) {
            self.exchanges.push(exchange);
        }
        self
    }
}
