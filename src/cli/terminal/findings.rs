//! The findings: one block for each check, with its interfaces together; required rules first, then suggestions, in the order of the plan.

use anstyle::Style;

use super::evidence::evidence;
use super::lines::{FAILED, FAINT, GUIDE, LONGEST, Lines, PLAIN, STRONG, Span, WARNED};
use crate::engine::verdict::Outcome;
use crate::report::groups::grouped;
use crate::report::headline::causes;
use crate::report::text::one_line;
use crate::report::{CheckedRow, Report};

/// What each kind of finding is called, and which rows are of it.
type FindingKind = (&'static str, Style, fn(&CheckedRow) -> bool);

/// The required rules that are broken, then the suggestions; with `notes` what never counts, too. A block for each check, in the order of the plan.
pub(super) fn findings(lines: &mut Lines, report: &Report, notes: bool) {
    let note: FindingKind = ("note", GUIDE, |row| row.outcome == Outcome::Note);
    let counted: [FindingKind; 2] =
        [("fail", FAILED, CheckedRow::is_breach), ("suggestion", WARNED, CheckedRow::is_advice)];
    for (word, style, is_of_kind) in counted.into_iter().chain(notes.then_some(note)) {
        for block in causes(report, is_of_kind) {
            finding(lines, report, &block, Span::new(word, style));
        }
    }
}

fn finding(lines: &mut Lines, report: &Report, rows: &[&CheckedRow], kind: Span<'_>) {
    let Some(first) = rows.first() else { return };
    lines.gap();
    let name = Span::new(format!("[{}]", first.check), STRONG);
    lines.spans(0, 2, &[kind, name, Span::new(format!(": {}", first.title), STRONG)]);
    let same = |row: &&CheckedRow, first: &&CheckedRow| {
        (&row.expected, &row.actual, &row.message) == (&first.expected, &first.actual, &first.message)
    };
    // The same words on several interfaces stand once.
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

/// `1.0 §9.5 (required) https://…`, for each version that the finding is about.
fn specification(lines: &mut Lines, rows: &[&CheckedRow]) {
    for group in grouped(rows.iter().copied(), |row, first| row.spec == first.spec) {
        let Some(row) = group.first() else { continue };
        let cited = Span::new(row.spec.as_str(), PLAIN);
        let level = Span::new(format!(" ({})", row.level_in_words()), PLAIN);
        match row.spec_url.as_deref() {
            Some(url) if lines.hides_links() => lines.named(2, "spec", &[cited.linked(url), level]),
            Some(url) => lines.named(2, "spec", &[cited, level, Span::new(format!(" {url}"), FAINT)]),
            None => lines.named(2, "spec", &[cited, level]),
        }
    }
}
