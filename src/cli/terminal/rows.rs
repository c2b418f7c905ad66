//! How each area of the suite went, in numbers; and for those who want it all every row by itself, and the way to the next version.

use super::lines::{FAILED, FAINT, GOOD, LONGEST, Lines, PLAIN, STRONG, Span, WARNED};
use crate::engine::check::Category;
use crate::engine::requirement::Level;
use crate::engine::verdict::{Outcome, Status};
use crate::report::groups::distinct;
use crate::report::headline::is_open;
use crate::report::text::one_line;
use crate::report::{CheckedRow, Report};
use anstyle::Style;

/// The columns: a heading, its style, and which rows are counted.
type Column = (&'static str, Style, fn(&Report, &CheckedRow) -> bool);

const COLUMNS: [Column; 7] = [
    ("pass", GOOD, |_, row| row.outcome == Outcome::Pass),
    ("fail", FAILED, |_, row| row.is_breach()),
    ("suggestions", WARNED, |_, row| row.is_advice()),
    ("unsteady", WARNED, |_, row| row.outcome == Outcome::Unsteady),
    ("not judged", WARNED, is_open),
    ("note", PLAIN, |_, row| row.outcome == Outcome::Note),
    ("n/a", FAINT, |_, row| row.outcome == Outcome::NotApplicable),
];

fn width(name: &str) -> usize {
    name.len().max(6)
}

/// A line for each area. A column or an area in which nothing is counted is left out.
pub(super) fn areas(lines: &mut Lines, report: &Report) {
    let is_shown = |(.., is_counted): &&Column| report.results.iter().any(|row| is_counted(report, row));
    let shown: Vec<&Column> = COLUMNS.iter().filter(is_shown).collect();
    let counts = |row: &&CheckedRow| shown.iter().any(|(.., is_counted)| is_counted(report, row));
    let names = distinct(report.results.iter().filter(counts).map(|row| row.area.name));
    if names.is_empty() {
        return;
    }
    let longest = names.iter().map(|name| name.len()).max().unwrap_or_default();
    lines.gap();
    let mut heading = format!("{:<longest$}", "Area");
    for (name, ..) in &shown {
        heading.push_str(&format!("  {name:>width$}", width = width(name)));
    }
    lines.say(0, STRONG, &heading);
    for area in names {
        let mut spans = vec![Span::new(format!("{area:<longest$}"), PLAIN)];
        for (name, style, is_counted) in &shown {
            let rows = report.results.iter().filter(|row| row.area.name == area && is_counted(report, row));
            let number = rows.count();
            let (number, style) = if number == 0 { (".".to_owned(), FAINT) } else { (number.to_string(), *style) };
            spans.push(Span::new(format!("  {number:>width$}", width = width(name)), style));
        }
        lines.spans(0, 0, &spans);
    }
}

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
            let mut spans = vec![
                Span::new(format!("{:<16} ", row.in_words()), style(row)),
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

/// The check, and the interface where there are several.
fn name(report: &Report, row: &CheckedRow) -> String {
    if report.lanes.len() > 1 { row.key() } else { row.check.to_owned() }
}

const fn style(row: &CheckedRow) -> Style {
    match row.outcome {
        Outcome::Pass => GOOD,
        Outcome::Note => PLAIN,
        Outcome::Fail if matches!(row.level, Level::Must) => FAILED,
        Outcome::NotApplicable => FAINT,
        _ => WARNED,
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
