//! The sentences about checks that are run again.

use super::format;

/// How what was run again ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RerunSummary {
    /// How many rows have a new result.
    pub judged: u32,
    /// How many were to have one.
    pub asked: u32,
    /// The event that came in between; empty for none.
    pub why: String,
}

/// While they are run.
#[must_use]
pub fn begun(checks: usize) -> String {
    format!("Running {} again", format::count_of(checks, "check"))
}

/// When that is over: how many results of how many are new, and how many of them are others than before.
#[must_use]
pub fn over(time: &str, (judged, asked): (u32, u32), changed: u32, why: &str) -> String {
    let because = if why.is_empty() { String::new() } else { format!(": {}", why.trim_end_matches('.')) };
    if judged == 0 {
        return format!("Nothing was run again{because}. The results are as they were.");
    }
    let what = match (judged, judged < asked) {
        (1, false) => "1 result was run again".to_owned(),
        (_, false) => format!("{judged} results were run again"),
        (_, true) => format!("{judged} of {asked} results were run again"),
    };
    let changed = match changed {
        0 => "none changed".to_owned(),
        count => format!("{count} changed"),
    };
    format!(
        "{what} at {time}; {changed}{because}. Verdict, findings and downloads are those of the whole run: run all again to \
         renew them."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_run_again_says_when_and_what_changed_and_what_did_not() {
        assert_eq!(begun(1), "Running 1 check again");
        let said = over("14:02", (3, 3), 1, "");
        assert!(said.starts_with("3 results were run again at 14:02; 1 changed. Verdict, findings"), "{said}");
        assert!(over("14:02", (1, 1), 0, "").starts_with("1 result was run again at 14:02; none changed."));
        let said = over("14:02", (1, 4), 1, "it was stopped");
        assert!(said.starts_with("1 of 4 results were run again at 14:02; 1 changed: it was stopped. "), "{said}");
        let said = over("14:02", (0, 4), 0, "the card could not be read.");
        assert_eq!(said, "Nothing was run again: the card could not be read. The results are as they were.");
    }
}
