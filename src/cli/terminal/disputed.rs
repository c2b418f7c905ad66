//! Tests of a file that ran and do not count, because the specification contradicts them.

use super::findings::grouped;
use super::lines::{FAINT, Lines, PLAIN, STRONG, Span};
use crate::engine::event::Completion;
use crate::engine::plural::count_of;
use crate::engine::verdict::Outcome;
use crate::report::text::one_line;
use crate::report::{CheckedRow, Report};

/// The longest reason.
const LONGEST: usize = 400;

/// The disputed tests, each with the sentence that contradicts it. Of tests from files, those are what has evidence and yet does not
/// apply.
pub(super) fn disputed(lines: &mut Lines, report: &Report) {
    if report.completion != Some(Completion::Written) {
        return;
    }
    let is_disputed = |row: &&CheckedRow| row.outcome == Outcome::NotApplicable && !row.exchanges.is_empty();
    let tests = grouped(report.results.iter().filter(is_disputed), |row, first| row.check == first.check);
    if tests.is_empty() {
        return;
    }
    lines.gap();
    lines.say(0, STRONG, &format!("Disputed ({}, not counted)", count_of(tests.len(), "test")));
    for row in tests.iter().filter_map(|rows| rows.first()) {
        let name = Span::new(format!("{}: ", row.check), FAINT);
        lines.spans(2, 4, &[name, Span::new(one_line(&row.message, LONGEST), PLAIN)]);
    }
}
