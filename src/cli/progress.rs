//! The one line that shows how far a run is, written over and over on a terminal.

use crate::engine::event::{Event, Tally};
use crate::engine::user_waits::Waiting;
use crate::report::text::one_line;
use crate::view_model::waiting;

/// How far a run is, as its events tell.
#[derive(Debug, Default)]
pub(super) struct ProgressLine {
    tally: Tally,
    now: String,
    /// How many times the agent is checked, and the number of the run that goes on.
    runs: (u32, u32),
}

impl ProgressLine {
    /// The sequence that makes the line vanish.
    pub(super) const ERASED: &'static str = "\r\x1b[2K";

    /// Takes an event in; answers whether the line reads differently now.
    pub(super) fn apply(&mut self, event: &Event) -> bool {
        match event {
            Event::Activity(activity) => self.now = activity.to_string(),
            Event::ScenarioStarted { scenario, .. } => self.now = scenario.title.to_owned(),
            Event::Planned { rows, .. } => self.tally.total += u32::try_from(rows.len()).unwrap_or(u32::MAX),
            Event::Judged { tally, .. } => self.tally = *tally,
            Event::Started { settings, .. } => {
                let run = self.runs.1 + 1;
                *self = Self { runs: (settings.repeat, run), ..Self::default() };
            }
            // What comes of it is counted as the run goes on.
            Event::OfRun { event, .. } if matches!(**event, Event::Finished { .. }) => return false,
            Event::OfRun { event, .. } => return self.apply(event),
            _ => return false,
        }
        true
    }

    /// The line after so many milliseconds, in the place of the one before, at most so many characters long:
    /// `12 of 143 · 3 s · cancel a running task`, and of several runs `run 2 of 5` before it.
    /// Where something is waited for that takes long, that stands there instead: `waiting for your agent: GetTask, 3 s of 5 s`.
    pub(super) fn drawn(&self, elapsed_ms: f64, width: usize, waits: &[Waiting]) -> String {
        let Tally { judged, total, .. } = self.tally;
        let run = match self.runs {
            (0 | 1, _) => String::new(),
            (runs, run) => format!("run {run} of {runs} · "),
        };
        let long: Vec<Waiting> = waits.iter().filter(|wait| waiting::is_long(wait)).cloned().collect();
        let now = if long.is_empty() { self.now.clone() } else { waiting::in_words(&long) };
        let line = format!("{run}{judged} of {total} · {:.0} s · {now}", (elapsed_ms / 1000.0).floor());
        format!("{}{}", Self::ERASED, one_line(&line, width))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::event::Activity;

    #[test]
    fn the_line_says_how_far_it_is_and_fits_a_terminal() {
        let mut progress = ProgressLine::default();
        assert!(progress.apply(&Event::Activity(Activity::ReadingCard)));
        assert!(!progress.apply(&Event::Lanes(Vec::new())));
        assert_eq!(progress.drawn(3999.0, 78, &[]), "\r\x1b[2K0 of 0 · 3 s · Reading the agent card");
        progress.apply(&Event::Activity(Activity::Talking(vec!["word ".repeat(50)])));
        let wait = |waited_ms| Waiting { id: 1, what: "GetTask".to_owned(), waited_ms, limit_ms: 45_000.0 };
        let waits = [wait(7_040.0), wait(300.0)];
        assert_eq!(
            progress.drawn(3999.0, 78, &waits),
            "\r\x1b[2K0 of 0 · 3 s · Waiting for your agent: GetTask, 7 s of 45 s"
        );
        assert!(progress.drawn(3999.0, 78, &waits[1..]).contains("word word"), "it is not long");
        assert!(progress.drawn(0.0, 78, &[]).chars().count() <= 78 + ProgressLine::ERASED.len());
    }
}
