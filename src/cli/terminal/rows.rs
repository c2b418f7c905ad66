//! Every row by itself, and the way to the next version: for those who want it all.

use super::lines::{FAILED, FAINT, GOOD, Lines, PLAIN, STRONG, Span, WARNED};
use crate::engine::check::Category;
use crate::engine::verdict::{Outcome, Status};
use crate::report::text::one_line;
use crate::report::{CheckedRow, Report};
use anstyle::Style;

/// The longest reason of a row.
const LONGEST: usize = 400;

/// The changes that the next version of the protocol would require.
pub(super) fn upgrade(lines: &mut Lines, report: &Report) {
    let Some(upgrade) = &report.upgrade else { return };
    lines.gap();
    lines.say(0, STRONG, &format!("From version {} to {} (not a failure)", upgrade.from, upgrade.to));
    for change in &upgrade.changes {
        lines.say(2, PLAIN, &format!("{} ({})", one_line(&change.what, LONGEST), change.section));
    }
}

/// One line for each row, by category, what did not pass first.
pub(super) fn rows(lines: &mut Lines, report: &Report) {
    for category in Category::ALL {
        let mut rows: Vec<_> = report.results.iter().filter(|row| row.category == category).collect();
        if rows.is_empty() {
            continue;
        }
        rows.sort_by_key(|row| rank(row));
        lines.gap();
        lines.say(0, STRONG, category.title());
        let longest = rows.iter().map(|row| name(report, row).chars().count()).max().unwrap_or_default();
        for row in rows {
            let (word, style) = word(row);
            let mut spans = vec![
                Span::new(format!("{word:<14} "), style),
                Span::new(format!("{:<longest$}  ", name(report, row)), PLAIN),
                Span::new(row.title, PLAIN),
            ];
            if row.outcome.status() == Status::Skip {
                spans.push(Span::new(format!(" ({})", one_line(&row.message, LONGEST)), FAINT));
            }
            lines.spans(2, 4, &spans);
        }
    }
}

/// The check, and the lane where there are several.
fn name(report: &Report, row: &CheckedRow) -> String {
    if report.lanes.len() > 1 { row.key() } else { row.check.to_owned() }
}

fn word(row: &CheckedRow) -> (&'static str, Style) {
    match row.outcome {
        Outcome::Pass => ("pass", GOOD),
        Outcome::Note => ("note", PLAIN),
        Outcome::Fail if row.is_breach() => ("fail", FAILED),
        Outcome::Fail => ("advice", WARNED),
        Outcome::NotApplicable => ("not-applicable", FAINT),
        other => (other.reason().unwrap_or("skip"), WARNED),
    }
}

fn rank(row: &CheckedRow) -> u8 {
    match row.outcome {
        Outcome::Fail if row.is_breach() => 0,
        Outcome::Fail => 1,
        Outcome::HarnessError => 2,
        Outcome::Blocked => 3,
        Outcome::Unsteady => 4,
        Outcome::Inconclusive => 5,
        Outcome::NotObservable => 6,
        Outcome::NotRun => 7,
        Outcome::Note => 8,
        Outcome::Pass => 9,
        Outcome::NotApplicable => 10,
    }
}
