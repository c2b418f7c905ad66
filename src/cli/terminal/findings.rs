//! The findings: one block for each check, with its lanes together.

use super::evidence::evidence;
use super::lines::{FAILED, FAINT, GUIDE, Lines, PLAIN, STRONG, Span, WARNED};
use crate::engine::verdict::Outcome;
use crate::report::text::one_line;
use crate::report::{CheckedRow, Report};

/// The longest line of evidence.
const LONGEST: usize = 400;

/// The musts that fail, then the advice; with `notes` what never counts, too.
pub(super) fn findings(lines: &mut Lines, report: &Report, notes: bool) {
    for block in blocks(report.results.iter().filter(|row| row.is_breach())) {
        finding(lines, report, &block, Span::new("fail", FAILED));
    }
    for block in blocks(report.results.iter().filter(|row| row.is_advice())) {
        finding(lines, report, &block, Span::new("advice", WARNED));
    }
    if notes {
        for block in blocks(report.results.iter().filter(|row| row.outcome == Outcome::Note)) {
            finding(lines, report, &block, Span::new("note", GUIDE));
        }
    }
}

/// The rows of each check, in the order of the plan.
fn blocks<'a>(rows: impl Iterator<Item = &'a CheckedRow>) -> Vec<Vec<&'a CheckedRow>> {
    grouped(rows, |row, first| row.check == first.check)
}

/// Rows that belong together, in the order in which each group begins.
pub(super) fn grouped<'a>(
    rows: impl Iterator<Item = &'a CheckedRow>,
    same: impl Fn(&CheckedRow, &CheckedRow) -> bool,
) -> Vec<Vec<&'a CheckedRow>> {
    let mut groups: Vec<Vec<&CheckedRow>> = Vec::new();
    for row in rows {
        match groups.iter_mut().find(|group| group.first().is_some_and(|first| same(row, first))) {
            Some(group) => group.push(row),
            None => groups.push(vec![row]),
        }
    }
    groups
}

fn finding(lines: &mut Lines, report: &Report, rows: &[&CheckedRow], kind: Span<'_>) {
    let Some(first) = rows.first() else { return };
    lines.gap();
    let name = Span::new(format!("[{}]", first.check), STRONG);
    lines.spans(0, 2, &[kind, name, Span::new(format!(": {}", first.title), STRONG)]);
    let same = |row: &CheckedRow, first: &CheckedRow| {
        (&row.expected, &row.actual, &row.message) == (&first.expected, &first.actual, &first.message)
    };
    // The same words on several lanes stand once.
    let groups = grouped(rows.iter().copied(), same);
    let shares_expectation = groups.len() > 1 && rows.iter().all(|row| row.expected == first.expected);
    if shares_expectation {
        lines.pair(2, "expected", text(&first.expected));
    }
    for group in groups {
        for row in &group {
            let lane = row.lane.as_deref().unwrap_or("agent card");
            let seen = one_line(&evidence(report, row), LONGEST);
            let seen = if seen.is_empty() { seen } else { format!(": {seen}") };
            lines.spans(2, 6, &[Span::new("--> ", GUIDE), Span::new(lane, PLAIN), Span::new(seen, PLAIN)]);
        }
        if let Some(row) = group.first() {
            // A message of its own says more than what was expected and what came.
            let own = format!("expected {}, got {}", text(&row.expected), text(&row.actual));
            if row.expected.is_none() || !row.message.starts_with(&own) {
                lines.pair(2, "found", &row.message);
            }
            if row.message != text(&row.actual) {
                if !shares_expectation {
                    lines.pair(2, "expected", text(&row.expected));
                }
                lines.pair(2, "actual", text(&row.actual));
            }
        }
    }
    specification(lines, rows);
    for group in grouped(rows.iter().copied(), |row, first| row.remediation == first.remediation) {
        lines.pair(2, "fix", group.first().map(|row| text(&row.remediation)).unwrap_or_default());
    }
}

fn text(value: &Option<String>) -> &str {
    value.as_deref().unwrap_or_default()
}

/// `1.0 §9.5 (must) https://…`, for each version that the finding is about.
fn specification(lines: &mut Lines, rows: &[&CheckedRow]) {
    for group in grouped(rows.iter().copied(), |row, first| row.spec == first.spec) {
        let Some(row) = group.first() else { continue };
        let level = if row.good_practice { "good practice" } else { row.level.as_str() };
        let cited = Span::new(row.spec.as_str(), PLAIN);
        let level = Span::new(format!(" ({level})"), PLAIN);
        match row.spec_url.as_deref() {
            Some(url) if lines.hides_links() => lines.named(2, "spec", &[cited.linked(url), level]),
            Some(url) => lines.named(2, "spec", &[cited, level, Span::new(format!(" {url}"), FAINT)]),
            None => lines.named(2, "spec", &[cited, level]),
        }
    }
}
