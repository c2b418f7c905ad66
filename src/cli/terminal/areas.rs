//! How each area of the suite went, in numbers.

use super::lines::{FAILED, FAINT, GOOD, Lines, PLAIN, STRONG, Span, WARNED};
use super::open::is_open;
use crate::engine::verdict::Outcome;
use crate::report::{CheckedRow, Report};
use anstyle::Style;

/// The columns: a heading, its style, and which rows are counted.
type Column = (&'static str, Style, fn(&Report, &CheckedRow) -> bool);

const COLUMNS: [Column; 7] = [
    ("pass", GOOD, |_, row| row.outcome == Outcome::Pass),
    ("fail", FAILED, |_, row| row.is_breach()),
    ("advice", WARNED, |_, row| row.is_advice()),
    ("unsteady", WARNED, |_, row| row.outcome == Outcome::Unsteady),
    ("open", WARNED, is_open),
    ("note", PLAIN, |_, row| row.outcome == Outcome::Note),
    ("n/a", FAINT, |_, row| row.outcome == Outcome::NotApplicable),
];

/// How wide a column is.
fn width(name: &str) -> usize {
    name.len().max(6)
}

/// A line for each area. A column or an area in which nothing is counted is left out.
pub(super) fn areas(lines: &mut Lines, report: &Report) {
    let is_shown = |(.., is_counted): &&Column| report.results.iter().any(|row| is_counted(report, row));
    let shown: Vec<&Column> = COLUMNS.iter().filter(is_shown).collect();
    let mut names: Vec<&str> = Vec::new();
    for row in &report.results {
        let counts = shown.iter().any(|(.., is_counted)| is_counted(report, row));
        if counts && !names.contains(&row.area.name) {
            names.push(row.area.name);
        }
    }
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
