//! The name of a run's wait, from when on it is worth a word, and the farthest that its progress bar may be meanwhile.

use super::format;
use crate::engine::event::Tally;
use crate::engine::user_waits::Waiting;

/// From when on a wait is worth a word, in milliseconds: most answers are there before.
const LONG_MS: f64 = 2_000.0;

/// Whether a wait is worth a word.
#[must_use]
pub fn is_long(wait: &Waiting) -> bool {
    wait.waited_ms >= LONG_MS
}

/// The name of a wait: who is waited for, and for which answer: `your agent: SendMessage`.
#[must_use]
pub fn whom(wait: &Waiting) -> String {
    match wait.what.as_str() {
        server @ "the authorisation server" => server.to_owned(),
        what => format!("your agent: {what}"),
    }
}

/// The longest wait in words, and how many others there are; empty if there is none.
#[must_use]
pub fn in_words(waits: &[Waiting]) -> String {
    let Some((first, others)) = waits.split_first() else { return String::new() };
    let others = match others.len() {
        0 => String::new(),
        count => format!(", and {}", format::count_of(count, "other call")),
    };
    let (waited, limit) = (seconds(first.waited_ms), seconds(first.limit_ms));
    format!("Waiting for {}, {waited} s of {limit} s{others}", whom(first))
}

/// Whole seconds, rounded: a run does not last a century.
fn seconds(ms: f64) -> u32 {
    (ms / 1000.0).round() as u32
}

/// How far a run is, in words. While it goes on and all that is planned is judged, more is to come: the plan grows with what
/// the agent answers.
#[must_use]
pub fn progress(tally: Tally) -> String {
    if tally.total == 0 {
        "Starting".to_owned()
    } else if tally.judged >= tally.total {
        format!("{} so far", format::count(tally.judged, "result"))
    } else {
        format!("{} of {}", tally.judged, tally.total)
    }
}

/// The end of the bar: a run that goes on is never at it.
#[must_use]
pub fn bar_end(tally: Tally) -> u32 {
    if tally.judged >= tally.total { tally.judged + tally.judged / 4 + 1 } else { tally.total }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(what: &str, waited_ms: f64) -> Waiting {
        Waiting { id: 1, what: what.to_owned(), waited_ms, limit_ms: 45_000.0 }
    }

    #[test]
    fn a_wait_is_told_with_its_name_its_time_and_its_limit() {
        let one = wait("SendMessage", 7_040.0);
        assert_eq!(in_words(std::slice::from_ref(&one)), "Waiting for your agent: SendMessage, 7 s of 45 s");
        let others = [one.clone(), wait("GetTask", 3_000.0), wait("GetTask", 2_000.0)];
        assert!(in_words(&others).ends_with("7 s of 45 s, and 2 other calls"));
        assert!(in_words(&others[..2]).ends_with(", and 1 other call"));
        assert_eq!(in_words(&[]), "");
        assert_eq!(whom(&wait("the authorisation server", 0.0)), "the authorisation server");
        assert!(is_long(&one) && !is_long(&wait("GetTask", 1_999.0)));
    }

    #[test]
    fn the_bar_of_a_run_that_goes_on_is_never_full() {
        for (judged, total) in [(0, 0), (0, 38), (37, 38), (38, 38), (445, 445)] {
            let tally = Tally { judged, total, ..Tally::default() };
            assert!(bar_end(tally) > judged, "{judged} of {total}");
        }
        assert_eq!(bar_end(Tally { judged: 10, total: 38, ..Tally::default() }), 38);
        let says = |judged, total| progress(Tally { judged, total, ..Tally::default() });
        assert_eq!(says(37, 38), "37 of 38");
        assert_eq!(says(38, 38), "38 results so far", "more come with what the agent answers");
    }
}
