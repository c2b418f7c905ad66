//! The sentences of the verdict banner: what is broken and what could not be judged in one of them, and the results in numbers behind
//! it; and the progress line before the verdict.

use super::findings::{Name, RootCause, findings};
use super::format;
use super::text_table::TextTable;
use crate::engine::event::Tally;
use crate::engine::upgrade::{Upgrade, UpgradeChange};
use crate::report::headline::{numbers_in_words, remarks_of_both, summary};
use crate::report::{CheckedRow, ConformanceLevel, Report, VerdictWord};
use crate::view_model::binary_encoding::binary_encoding;

/// The verdict banner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Banner {
    /// The level for style sheets and tests: `full`, `partial`, `minimal`, `non-conformant` or `not-rated`.
    pub id: String,
    /// The verdict.
    pub word: VerdictWord,
    /// The verdict for people: the largest words on the page.
    pub title: String,
    /// What is broken and what could not be judged, in one sentence, and behind it why a run is incomplete.
    pub reason: String,
    /// The results in numbers, what was left out, and the changes that the next version of the protocol would ask for: a paragraph each.
    pub details: Vec<String>,
    /// The root causes, with their advice.
    pub findings: Vec<RootCause>,
    /// What stands beside the results: figures of a load, or two agents each alone.
    pub tables: Vec<TextTable>,
}

binary_encoding! { struct Banner {
    id, word, title, reason, details, findings, tables,
} }

impl Banner {
    /// The banner of a report, whose rows are named so for people.
    #[must_use]
    pub fn from_report(report: &Report, name: &dyn Fn(&CheckedRow) -> Name) -> Self {
        let title = match report.is_of_client() {
            true => format!("Client: {}", report.word.title().to_ascii_lowercase()),
            false => report.verdict_title().to_owned(),
        };
        let mut details = vec![format!("Results: {}.", numbers_in_words(report))];
        details.extend(report.cold_start().map(|late| format!("Note: {late}.")));
        let left_out = report.left_out_in_words();
        if !left_out.is_empty() {
            details.push(format!("Left to a thorough run: {left_out}."));
        }
        details.extend(report.upgrade.iter().flat_map(upgrade_in_words));
        let findings = findings(report, name);
        // What each of two agents is alone stands in a table.
        let reason = std::iter::once(format::capitalised(&summary(report))).chain(remarks_of_both(report));
        let reason = reason.collect::<Vec<_>>().join(" ");
        Self {
            id: report.level().map_or("not-rated", ConformanceLevel::as_str).to_owned(),
            word: report.word,
            title,
            reason,
            details,
            findings,
            tables: TextTable::of_report(report),
        }
    }

    /// The message for screen readers at the end.
    #[must_use]
    pub fn spoken(&self) -> String {
        format!("{}. {}", self.title, self.reason)
    }
}

fn upgrade_in_words(upgrade: &Upgrade) -> Vec<String> {
    let Upgrade { from, to, changes } = upgrade;
    let in_words =
        |change: &UpgradeChange| format!("From version {from} to {to}: {} ({})", change.what, change.section);
    changes.iter().map(in_words).collect()
}

/// `12 of 143 · 8 s · 21 messages`.
#[must_use]
pub fn progress(tally: Tally, seconds: u64) -> String {
    let (took, messages) = (format::took(seconds), format::count(tally.messages, "message"));
    format!("{} of {} \u{b7} {took} \u{b7} {messages}", tally.judged, tally.total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_has_its_denominator() {
        let tally = Tally { judged: 12, total: 143, messages: 21, ..Tally::default() };
        assert_eq!(progress(tally, 8), "12 of 143 \u{b7} 8 s \u{b7} 21 messages");
        assert_eq!(progress(tally, 0), "12 of 143 \u{b7} less than 1 s \u{b7} 21 messages");
    }
}
