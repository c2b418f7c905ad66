//! Which root causes the list of what to fix has, required rules first, whatever interfaces and areas they are in, what came instead of
//! what, and how many results each left open.

use super::format::{count, sentence};
use crate::engine::verdict::Outcome;
use crate::report::headline::causes;
use crate::report::text::one_line;
use crate::report::{CheckedRow, Report};
use crate::view_model::binary_encoding::binary_encoding;

/// A root cause: a check that failed, on one lane or on several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootCause {
    /// The check's id.
    pub check: String,
    /// The title of the check.
    pub title: String,
    /// Whether a must is broken; else it is advice.
    pub is_must: bool,
    /// What came instead of what, in a sentence.
    pub message: String,
    /// The advice.
    pub fix: String,
    /// The rows that failed: the lane for people, and the row's key.
    pub rows: Vec<(String, String)>,
    /// How many rows could not be judged because of it.
    pub follows: u32,
}

binary_encoding! { struct RootCause { check, title, is_must, message, fix, rows, follows } }

/// How many are shown before somebody asks for the others.
pub const FIRST: usize = 6;

/// How much is shown of what came; the detail has the whole.
const SHOWN: usize = 100;

/// How a row is named for people: its title, and its lane (empty for checks of the card).
pub type Name = (String, String);

/// The findings of a report.
#[must_use]
pub fn findings(report: &Report, name: &dyn Fn(&CheckedRow) -> Name) -> Vec<RootCause> {
    let finding = |is_must: bool, rows: &[&CheckedRow]| {
        let first = rows.first()?;
        Some(RootCause {
            check: first.check.to_owned(),
            title: name(first).0,
            is_must,
            message: what_came(first),
            fix: first.remediation.clone().unwrap_or_default(),
            rows: rows.iter().map(|row| (name(row).1, row.key())).collect(),
            follows: 0,
        })
    };
    let broken = causes(report, CheckedRow::is_breach).into_iter().map(|rows| (true, rows));
    let advice = causes(report, CheckedRow::is_advice).into_iter().map(|rows| (false, rows));
    let mut findings: Vec<RootCause> =
        broken.chain(advice).filter_map(|(is_must, rows)| finding(is_must, &rows)).collect();
    for row in report.results.iter().filter(|row| matches!(row.outcome, Outcome::Blocked | Outcome::Inconclusive)) {
        if let Some(finding) = findings.iter_mut().find(|finding| names(&row.message, &finding.check)) {
            finding.follows += 1;
        }
    }
    findings
}

impl RootCause {
    /// The number of results that it left open, in words: `16 more could not be judged because of this`; empty for none.
    #[must_use]
    pub fn follows_in_words(&self) -> String {
        match self.follows {
            0 => String::new(),
            more => format!("{} could not be judged because of this", count(more, "more result")),
        }
    }

    /// The rule that it breaks, and where: `Required rule: A task has an id. On JSON-RPC 1.0 and HTTP+JSON 1.0`.
    #[must_use]
    pub fn rule_in_words(&self) -> String {
        let rule = if self.is_must { "Required rule" } else { "Recommended rule" };
        let lanes: Vec<&str> =
            self.rows.iter().map(|(lane, _)| lane.as_str()).filter(|lane| !lane.is_empty()).collect();
        let lanes =
            if lanes.is_empty() { "in the agent card".to_owned() } else { format!("on {}", lanes.join(" and ")) };
        format!("{rule}: {} \u{b7} {lanes}", self.title)
    }
}

/// The id of the button that opens the finding at that place.
#[must_use]
pub fn entry_id(at: usize) -> String {
    format!("finding-{at}")
}

/// The finding that a row belongs to, by the row's key.
#[must_use]
pub fn place_of(findings: &[RootCause], key: &str) -> Option<usize> {
    findings.iter().position(|finding| finding.rows.iter().any(|(_, known)| known == key))
}

/// What is said when the finding of that row is shown: `Finding 2 of 5: A task has an id`; `None` where it is none.
#[must_use]
pub fn said_of(findings: &[RootCause], key: &str) -> Option<String> {
    let at = place_of(findings, key)?;
    Some(format!("Finding {} of {}: {}", at + 1, findings.len(), findings.get(at)?.title))
}

/// What the agent did, in a sentence: `Got a Task instead of an error for a get without an id.`
fn what_came(row: &CheckedRow) -> String {
    match (&row.expected, &row.actual) {
        (Some(expected), Some(actual)) if row.message.starts_with("expected ") => {
            let at = row.pointer.as_ref().filter(|pointer| pointer.starts_with('/'));
            let at = at.map(|pointer| format!(" at {pointer}")).unwrap_or_default();
            format!("Got {} instead of {expected}{at}.", one_line(actual, SHOWN))
        }
        _ => sentence(&one_line(&row.message, 3 * SHOWN)),
    }
}

/// Whether a message sends its reader to that check: `..., see stream.oneof`.
fn names(message: &str, check: &str) -> bool {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '.';
    message.match_indices(check).any(|(at, _)| {
        let before = message.get(..at).unwrap_or_default();
        let behind = message.get(at + check.len()..).unwrap_or_default();
        let goes_on = behind.starts_with(|letter: char| letter.is_ascii_alphanumeric() || letter == '-');
        !before.ends_with(is_part) && !goes_on
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(is_must: bool, rows: &[(&str, &str)]) -> RootCause {
        RootCause {
            check: "send.task-id".to_owned(),
            title: "A task has an id".to_owned(),
            is_must,
            message: String::new(),
            fix: String::new(),
            rows: rows.iter().map(|(lane, key)| ((*lane).to_owned(), (*key).to_owned())).collect(),
            follows: 2,
        }
    }

    #[test]
    fn a_finding_names_its_rule_and_its_interfaces_and_is_found_by_any_of_its_rows() {
        let both = finding(true, &[("JSON-RPC 1.0", "a@jsonrpc-1.0"), ("HTTP+JSON 1.0", "a@rest-1.0")]);
        assert_eq!(both.rule_in_words(), "Required rule: A task has an id \u{b7} on JSON-RPC 1.0 and HTTP+JSON 1.0");
        assert_eq!(both.follows_in_words(), "2 more results could not be judged because of this");
        let card = finding(false, &[("", "b")]);
        assert_eq!(card.rule_in_words(), "Recommended rule: A task has an id \u{b7} in the agent card");
        let all = [both, card];
        assert_eq!(said_of(&all, "b").as_deref(), Some("Finding 2 of 2: A task has an id"));
        assert_eq!((place_of(&all, "a@rest-1.0"), place_of(&all, "b"), place_of(&all, "c")), (Some(0), Some(1), None));
    }

    #[test]
    fn a_message_names_a_whole_check_and_no_part_of_one() {
        assert!(names("the task was not refused, see auth.foreign-get", "auth.foreign-get"));
        assert!(names("nothing to read (see stream.oneof).", "stream.oneof"));
        assert!(!names("see auth.foreign-get-task", "auth.foreign-get"));
        assert!(!names("see x.stream.oneof", "stream.oneof"));
        assert!(!names("no name at all", "stream.oneof"));
    }
}
