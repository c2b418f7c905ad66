//! How each area of the suite went, in numbers.

use super::lines::{FAILED, FAINT, GOOD, Lines, PLAIN, STRONG, Span, WARNED};
use super::open::is_open;
use crate::engine::verdict::Outcome;
use crate::report::{CheckedRow, Report};
use anstyle::Style;

/// The columns: a heading, its style, and which rows are counted.
type Column = (&'static str, Style, fn(&Report, &CheckedRow) -> bool);

const COLUMNS: [Column; 6] = [
    ("pass", GOOD, |_, row| row.outcome == Outcome::Pass),
    ("fail", FAILED, |_, row| row.is_breach()),
    ("advice", WARNED, |_, row| row.is_advice()),
    ("open", WARNED, is_open),
    ("note", PLAIN, |_, row| row.outcome == Outcome::Note),
    ("n/a", FAINT, |_, row| row.outcome == Outcome::NotApplicable),
];

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
        heading.push_str(&format!("  {name:>6}"));
    }
    lines.say(0, STRONG, &heading);
    for name in names {
        let mut spans = vec![Span::new(format!("{name:<longest$}"), PLAIN)];
        for (_, style, is_counted) in &shown {
            let rows = report.results.iter().filter(|row| row.area.name == name && is_counted(report, row));
            let number = rows.count();
            let (number, style) = if number == 0 { (".".to_owned(), FAINT) } else { (number.to_string(), *style) };
            spans.push(Span::new(format!("  {number:>6}"), style));
        }
        lines.spans(0, 0, &spans);
    }
}
