//! The default time limits of a run, for cards, answers, streams, scenarios and the whole, and those that follow from what a user
//! set.

use super::transcript::whole_ms;

/// How long to wait for what, in milliseconds. Each kind of waiting has its own limit, because what is long for a card is
/// short for an agent that thinks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Timeouts {
    /// Until a card was read to its end. Long enough for an agent that first has to be started.
    pub reach_ms: f64,
    /// Until the answer to a call was read to its end.
    pub answer_ms: f64,
    /// Until the first event of a stream.
    pub first_event_ms: f64,
    /// Between two chunks of a stream; a comment counts as a sign of life.
    pub idle_ms: f64,
    /// For the whole run.
    pub run_ms: f64,
    /// For a call that costs the agent no work, at least, whatever its other answers took: an agent that hiccups is not slow. Infinite
    /// where the user said how long answers may take, since then those limits hold for every answer.
    pub least_ms: f64,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            reach_ms: 30_000.0,
            answer_ms: 45_000.0,
            first_event_ms: 45_000.0,
            idle_ms: 45_000.0,
            run_ms: 900_000.0,
            least_ms: 5_000.0,
        }
    }
}

/// How long a scenario may take by default.
pub(super) const SCENARIO_MS: f64 = 60_000.0;

/// The limits that a user set, in milliseconds. The others are derived from them.
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
    /// The limit of a scenario, and limits that go with it: more time for a scenario means more time for each answer, and
    /// more time for an answer means more time for its scenario.
    #[must_use]
    pub fn settle(self) -> (f64, Timeouts) {
        let usual = Timeouts::default();
        let (first_event, idle) = (self.first_event.or(self.answer), self.idle.or(self.answer));
        let longest = [self.reach, self.answer, first_event, idle].into_iter().flatten().fold(SCENARIO_MS, f64::max);
        let scenario_ms = self.scenario.unwrap_or(longest);
        let asked_ms = self.scenario.filter(|ms| *ms > SCENARIO_MS).unwrap_or_default();
        let is_said = [self.scenario, self.answer, self.first_event].iter().any(Option::is_some);
        let timeouts = Timeouts {
            reach_ms: self.reach.unwrap_or(usual.reach_ms),
            answer_ms: self.answer.unwrap_or(usual.answer_ms.max(asked_ms)),
            first_event_ms: first_event.unwrap_or(usual.first_event_ms.max(asked_ms)),
            idle_ms: idle.unwrap_or(usual.idle_ms.max(asked_ms)),
            run_ms: self.run.unwrap_or(usual.run_ms.max(scenario_ms * 10.0)),
            least_ms: if is_said { f64::INFINITY } else { usual.least_ms },
        };
        (scenario_ms, timeouts)
    }
}

/// A duration in words: `45 s`, `15 min`. Integers, because printing doubles costs the page more than a few lines.
#[must_use]
pub fn span(ms: f64) -> String {
    match whole_ms(ms) {
        ms if ms > 60_000 && ms % 60_000 == 0 => format!("{} min", ms / 60_000),
        ms if ms % 1000 == 0 => format!("{} s", ms / 1000),
        ms => format!("{ms} ms"),
    }
}

#[cfg(test)]
mod tests {
    use super::{TimeoutOverrides, Timeouts, span};

    #[test]
    fn a_longer_scenario_lengthens_what_is_in_it() {
        let scenario = |ms: f64| TimeoutOverrides { scenario: Some(ms), ..TimeoutOverrides::default() }.settle();
        assert_eq!(TimeoutOverrides::default().settle(), (60_000.0, Timeouts::default()));
        let said = Timeouts { least_ms: f64::INFINITY, ..Timeouts::default() };
        assert_eq!(scenario(2_000.0), (2_000.0, said), "what the user says holds for every answer");
        let (ms, longer) = scenario(300_000.0);
        assert_eq!((ms, longer.run_ms), (300_000.0, 3_000_000.0));
        assert_eq!((longer.answer_ms, longer.idle_ms, longer.reach_ms), (300_000.0, 300_000.0, 30_000.0));
    }

    #[test]
    fn a_longer_answer_lengthens_its_scenario() {
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
        assert_eq!(ms, 10_000.0, "an explicit limit wins");
    }

    #[test]
    fn durations_have_the_largest_unit_that_fits() {
        for (ms, text) in [(45_000.0, "45 s"), (900_000.0, "15 min"), (60_000.0, "60 s"), (1500.0, "1500 ms")] {
            assert_eq!(span(ms), text);
        }
    }
}
