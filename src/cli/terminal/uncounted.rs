//! Results that do not count: those that are not the same in each of several runs, and those of tests of a file that the specification
//! contradicts.

use super::lines::{FAINT, GUIDE, LONGEST, Lines, PLAIN, STRONG, Span, WARNED};
use crate::engine::event::Completion;
use crate::engine::plural::count_of;
use crate::engine::verdict::Outcome;
use crate::report::groups::grouped;
use crate::report::text::one_line;
use crate::report::{CheckedRow, Report};

/// The unsteady results, in the order of the plan: what each run concluded, with its exchanges.
pub(super) fn unsteady(lines: &mut Lines, report: &Report) {
    let number = report.unsteady().count();
    if number == 0 {
        return;
    }
    lines.gap();
    let runs = report.runs.unwrap_or_default();
    lines.say(0, STRONG, &format!("Unsteady ({}, not the same in each of {runs} runs)", count_of(number, "check")));
    for row in report.unsteady() {
        let lane = row.lane.as_deref().map(|lane| format!(" on {lane}")).unwrap_or_default();
        let name = Span::new(format!("{}{lane}", row.check), PLAIN);
        let level = Span::new(format!(" ({})", row.level.title()), PLAIN);
        lines.spans(2, 4, &[Span::new("unsteady ", WARNED), name, level]);
        for each in &row.of_runs {
            let exchanges: Vec<String> = each.verdict.exchanges.iter().map(u32::to_string).collect();
            let seen = match exchanges.len() {
                0 => String::new(),
                1 => format!(" (exchange {})", exchanges.join("")),
                _ => format!(" (exchanges {})", exchanges.join(", ")),
            };
            let said = format!("{}: {}", each.runs_in_words(), one_line(&each.said(), LONGEST));
            lines.spans(4, 8, &[Span::new("--> ", GUIDE), Span::new(said, PLAIN), Span::new(seen, GUIDE)]);
        }
        lines.pair(4, "fix", row.remediation.as_deref().unwrap_or_default());
    }
}

/// The disputed tests, each with the sentence that contradicts it: tests from files that have evidence and yet do not apply.
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
