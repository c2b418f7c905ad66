//! Which root causes the list of what to fix has, musts before shoulds, whatever lanes and areas they are in, and the results that
//! each left open.

use super::format::count_of;
use crate::engine::verdict::Outcome;
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
    /// The message.
    pub message: String,
    /// The advice.
    pub fix: String,
    /// The rows that failed: the lane for people, and the row's key.
    pub rows: Vec<(String, String)>,
    /// The rows that could not be judged because of it: the title with its lane, and the row's key.
    pub follows: Vec<(String, String)>,
}

binary_encoding! { struct RootCause { check, title, is_must, message, fix, rows, follows } }

/// How a row is named for people: its title, and its lane (empty for checks of the card).
pub type Name = (String, String);

/// The findings of a report.
#[must_use]
pub fn findings(report: &Report, name: &dyn Fn(&CheckedRow) -> Name) -> Vec<RootCause> {
    let broken = report.results.iter().filter(|row| row.is_breach());
    let advice = report.results.iter().filter(|row| row.is_advice());
    let mut findings: Vec<RootCause> = Vec::new();
    for row in broken.chain(advice) {
        let is_must = row.is_breach();
        let (title, lane) = name(row);
        match findings.iter_mut().find(|known| known.check == row.check && known.is_must == is_must) {
            Some(known) => known.rows.push((lane, row.key())),
            None => findings.push(RootCause {
                check: row.check.to_owned(),
                title,
                is_must,
                message: row.message.clone(),
                fix: row.remediation.clone().unwrap_or_default(),
                rows: vec![(lane, row.key())],
                follows: Vec::new(),
            }),
        }
    }
    for row in report.results.iter().filter(|row| matches!(row.outcome, Outcome::Blocked | Outcome::Inconclusive)) {
        if let Some(finding) = findings.iter_mut().find(|finding| names(&row.message, &finding.check)) {
            let (title, lane) = name(row);
            finding.follows.push((if lane.is_empty() { title } else { format!("{title} ({lane})") }, row.key()));
        }
    }
    findings
}

impl RootCause {
    /// The number of results that it left open, in words: `16 more could not be judged because of this`; empty for none.
    #[must_use]
    pub fn follows_in_words(&self) -> String {
        match self.follows.len() {
            0 => String::new(),
            more => format!("{} could not be judged because of this", count_of(more, "more check")),
        }
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

    #[test]
    fn a_message_names_a_whole_check_and_no_part_of_one() {
        assert!(names("the task was not refused, see auth.foreign-get", "auth.foreign-get"));
        assert!(names("nothing to read (see stream.oneof).", "stream.oneof"));
        assert!(!names("see auth.foreign-get-task", "auth.foreign-get"));
        assert!(!names("see x.stream.oneof", "stream.oneof"));
        assert!(!names("no name at all", "stream.oneof"));
    }
}
