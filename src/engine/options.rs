//! What the user decides about a run.

use super::credentials::{FixedCredentials, OAuthClient};
use super::prompt::{Profile, Texts};
use super::transcript::whole_ms;

/// The settings of a run. `Default` is what a first-time visitor gets.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// What the user typed: an origin, a base path or a card URL.
    pub address: String,
    /// Header fields to send with every request to the agent: credentials.
    pub headers: Vec<(String, String)>,
    /// Parameters to add to the query of every request to the agent: credentials.
    pub query: Vec<(String, String)>,
    /// What is sent to single lanes instead of those two, by the lane's id: an interface may have its own credentials.
    pub lanes: Vec<(String, FixedCredentials)>,
    /// With what a token is fetched, instead of being given.
    pub client: Option<OAuthClient>,
    /// Other origins than the address's that credentials may go to.
    pub origins: Vec<String>,
    /// How long a scenario may take, in milliseconds.
    pub timeout_ms: f64,
    /// How long the parts of it are waited for, and the whole run.
    pub timeouts: Timeouts,
    /// The user's own prompts.
    pub prompts: Texts,
    /// The convention by which the agent is asked for a behaviour; `None` goes by the card.
    pub profile: Option<Profile>,
    /// The version to judge by, whatever the card declares; `None` goes by the card.
    pub version: Option<String>,
    /// Only checks whose id matches one of these patterns (`*` stands for anything); empty means all.
    pub only: Vec<String>,
    /// How many scenarios may talk to the agent at once.
    pub concurrency: usize,
}

/// How long is waited for what, in milliseconds. Each has a time of its own, because what is long for a card is short for
/// an agent that thinks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Timeouts {
    /// To the end of a card: also the time in which an agent that was put to sleep can wake up.
    pub reach_ms: f64,
    /// To the end of the answer to a call.
    pub answer_ms: f64,
    /// To the first event of a stream.
    pub first_event_ms: f64,
    /// From one byte of a stream to the next; a comment counts as a sign of life.
    pub idle_ms: f64,
    /// For everything.
    pub run_ms: f64,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { reach_ms: 30_000.0, answer_ms: 45_000.0, first_event_ms: 45_000.0, idle_ms: 45_000.0, run_ms: 900_000.0 }
    }
}

/// How long a scenario may take unless somebody says otherwise.
const SCENARIO_MS: f64 = 60_000.0;

/// The times that a user gave, in milliseconds; the others go by them.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct TimeoutOverrides {
    /// For a scenario.
    pub scenario: Option<f64>,
    /// [`Timeouts::reach_ms`].
    pub reach: Option<f64>,
    /// [`Timeouts::answer_ms`].
    pub answer: Option<f64>,
    /// [`Timeouts::first_event_ms`].
    pub first_event: Option<f64>,
    /// [`Timeouts::idle_ms`].
    pub idle: Option<f64>,
    /// [`Timeouts::run_ms`].
    pub run: Option<f64>,
}

impl TimeoutOverrides {
    /// The time of a scenario, and what suits it: who gives scenarios more time wants to wait for slow answers, and who
    /// waits long for an answer gives its scenario that time.
    #[must_use]
    pub fn settle(self) -> (f64, Timeouts) {
        let usual = Timeouts::default();
        let (first_event, idle) = (self.first_event.or(self.answer), self.idle.or(self.answer));
        let longest = [self.reach, self.answer, first_event, idle].into_iter().flatten().fold(SCENARIO_MS, f64::max);
        let scenario_ms = self.scenario.unwrap_or(longest);
        let asked_ms = self.scenario.filter(|ms| *ms > SCENARIO_MS).unwrap_or_default();
        let timeouts = Timeouts {
            reach_ms: self.reach.unwrap_or(usual.reach_ms),
            answer_ms: self.answer.unwrap_or(usual.answer_ms.max(asked_ms)),
            first_event_ms: first_event.unwrap_or(usual.first_event_ms.max(asked_ms)),
            idle_ms: idle.unwrap_or(usual.idle_ms.max(asked_ms)),
            run_ms: self.run.unwrap_or(usual.run_ms.max(scenario_ms * 10.0)),
        };
        (scenario_ms, timeouts)
    }
}

/// A time in words: `45 s`, `15 min`. Integers, because printing doubles costs the page more than a few lines.
#[must_use]
pub fn span(ms: f64) -> String {
    match whole_ms(ms) {
        ms if ms > 60_000 && ms % 60_000 == 0 => format!("{} min", ms / 60_000),
        ms if ms % 1000 == 0 => format!("{} s", ms / 1000),
        ms => format!("{ms} ms"),
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            address: String::new(),
            headers: Vec::new(),
            query: Vec::new(),
            lanes: Vec::new(),
            client: None,
            origins: Vec::new(),
            timeout_ms: SCENARIO_MS,
            timeouts: Timeouts::default(),
            prompts: Texts::default(),
            profile: None,
            version: None,
            only: Vec::new(),
            concurrency: 4,
        }
    }
}

impl Options {
    /// Whether a check is asked for.
    #[must_use]
    pub fn wants(&self, check: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|pattern| matches(pattern, check))
    }
}

/// Whether a text fits a pattern in which `*` stands for any characters.
#[must_use]
pub fn matches(pattern: &str, text: &str) -> bool {
    let mut pieces = pattern.split('*');
    let Some(first) = pieces.next() else { return false };
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut pieces = pieces.peekable();
    if pieces.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(piece) = pieces.next() {
        if pieces.peek().is_none() {
            return rest.ends_with(piece);
        }
        let Some(found) = rest.find(piece) else { return false };
        rest = rest.get(found + piece.len()..).unwrap_or_default();
    }
    true
}

#[cfg(test)]
mod tests {
    use super::{TimeoutOverrides, Timeouts, matches, span};

    #[test]
    fn a_longer_scenario_lengthens_what_is_in_it() {
        let scenario = |ms: f64| TimeoutOverrides { scenario: Some(ms), ..TimeoutOverrides::default() }.settle();
        assert_eq!(TimeoutOverrides::default().settle(), (60_000.0, Timeouts::default()));
        assert_eq!(scenario(2_000.0), (2_000.0, Timeouts::default()));
        let (ms, longer) = scenario(300_000.0);
        assert_eq!((ms, longer.run_ms), (300_000.0, 3_000_000.0));
        assert_eq!((longer.answer_ms, longer.idle_ms, longer.reach_ms), (300_000.0, 300_000.0, 30_000.0));
    }

    #[test]
    fn who_waits_long_for_an_answer_gives_its_scenario_that_time() {
        let (ms, timeouts) =
            TimeoutOverrides { answer: Some(300_000.0), idle: Some(5_000.0), ..TimeoutOverrides::default() }.settle();
        assert_eq!((ms, timeouts.run_ms, timeouts.reach_ms), (300_000.0, 3_000_000.0, 30_000.0));
        assert_eq!((timeouts.answer_ms, timeouts.first_event_ms, timeouts.idle_ms), (300_000.0, 300_000.0, 5_000.0));
        let (ms, timeouts) =
            TimeoutOverrides { reach: Some(90_000.0), run: Some(1_000.0), ..TimeoutOverrides::default() }.settle();
        assert_eq!((ms, timeouts.reach_ms, timeouts.answer_ms), (90_000.0, 90_000.0, 45_000.0));
        assert_eq!(timeouts.run_ms, 1_000.0);
        let (ms, _) =
            TimeoutOverrides { scenario: Some(10_000.0), answer: Some(30_000.0), ..TimeoutOverrides::default() }
                .settle();
        assert_eq!(ms, 10_000.0, "what was said of the scenario holds");
    }

    #[test]
    fn times_are_read_easily() {
        for (ms, text) in [(45_000.0, "45 s"), (900_000.0, "15 min"), (60_000.0, "60 s"), (1500.0, "1500 ms")] {
            assert_eq!(span(ms), text);
        }
    }

    #[test]
    fn patterns_take_stars_anywhere() {
        for (pattern, text, fits) in [
            ("card.*", "card.skills", true),
            ("card.*", "discovery.card", false),
            ("*", "anything", true),
            ("*.id", "send.task-id", false),
            ("*-id", "send.task-id", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c", false),
            ("send", "send", true),
            ("send", "send.x", false),
            ("", "x", false),
        ] {
            assert_eq!(matches(pattern, text), fits, "{pattern} {text}");
        }
    }
}
