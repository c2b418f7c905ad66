//! The sentences of the verdict banner, read from the report and never counted again: the level and what it means; and the progress
//! line before it.

use super::findings::{Name, RootCause, findings};
use super::format;
use super::text_table::TextTable;
use crate::engine::event::{Completion, Tally};
use crate::engine::upgrade::Upgrade;
use crate::report::headline::headline_of_both;
use crate::report::{CheckedRow, ConformanceLevel, LevelReason, Rating, Report, VerdictWord};
use crate::view_model::binary_encoding::binary_encoding;
use crate::wire::order;

/// The verdict banner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Banner {
    /// The level for style sheets and tests: `full`, `partial`, `minimal`, `non-conformant` or `not-rated`.
    pub id: String,
    /// The verdict.
    pub word: VerdictWord,
    /// The verdict for people: the largest words on the page.
    pub title: String,
    /// The level as a label: `Level: partial`; empty for a client and for two agents, which have none.
    pub level: String,
    /// The meaning of that level.
    pub level_meaning: String,
    /// One sentence of reason.
    pub reason: String,
    /// The counts, and out of how many.
    pub denominator: String,
    /// What a thorough run would do besides; empty if this was one.
    pub left_out: String,
    /// Why not the next level up.
    pub reasons: Vec<String>,
    /// The root causes, with their advice.
    pub findings: Vec<RootCause>,
    /// The changes that the next version of the protocol would ask for.
    pub upgrade: Option<Upgrade>,
    /// What stands beside the results: figures of a load, or two agents each alone.
    pub tables: Vec<TextTable>,
}

binary_encoding! { struct Banner {
    id, word, title, level, level_meaning, reason, denominator, left_out, reasons, findings, upgrade, tables,
} }

impl Banner {
    /// The banner of a report, whose rows are named so for people.
    #[must_use]
    pub fn from_report(report: &Report, name: &dyn Fn(&CheckedRow) -> Name) -> Self {
        let level = report.level();
        let only_declared = level == Some(ConformanceLevel::Full) && report.declares_neither();
        let in_words = match &report.assessment.rating {
            Rating::Rated(_) => report.rating_in_words(&report.assessment.rating),
            Rating::NotRated(_) => "not given".to_owned(),
        };
        let title = match report.is_of_client() {
            true => format!("Client: {}", report.word.title().to_ascii_lowercase()),
            false => report.verdict_title().to_owned(),
        };
        // The title stands above it, and what each of two agents is alone in a table.
        let reason = headline_of_both(report);
        let rest = reason.strip_prefix(&title).and_then(|rest| rest.strip_prefix(": ").or(rest.strip_prefix(", ")));
        let reason = rest.unwrap_or(&reason);
        let has_level = !matches!(report.completion, Some(Completion::Pair | Completion::Watched));
        Self {
            id: level.map_or("not-rated", ConformanceLevel::as_str).to_owned(),
            word: report.word,
            title,
            level: if has_level { format!("Level: {in_words}") } else { String::new() },
            level_meaning: if only_declared { ONLY_DECLARED } else { meaning(level) }.to_owned(),
            reason: format::capitalised(reason),
            denominator: denominator(report),
            left_out: report.left_out_in_words(),
            reasons: report.assessment.reasons.iter().map(LevelReason::in_words).collect(),
            findings: findings(report, name),
            upgrade: report.upgrade.clone(),
            tables: TextTable::of_report(report),
        }
    }

    /// The message for screen readers at the end.
    #[must_use]
    pub fn spoken(&self) -> String {
        let level = if self.level.is_empty() { String::new() } else { format!(" {}.", self.level) };
        format!("{}. {}{level} {}", self.title, self.reason, self.denominator)
    }
}

/// Of an agent that has the highest level without streaming and push notifications.
const ONLY_DECLARED: &str = "Every must that applies passes. The agent declares neither streaming nor push notifications, so the \
     musts about these do not apply to it.";

/// The meaning of a level. It is about musts, and says how much works; the verdict says whether all does.
const fn meaning(level: Option<ConformanceLevel>) -> &'static str {
    match level {
        Some(ConformanceLevel::Full) => "Every must that applies to this agent passes.",
        Some(ConformanceLevel::Partial) => {
            "Sending, reading and error handling work as they must; a must of an optional feature fails, or could not be \
             judged."
        }
        Some(ConformanceLevel::Minimal) => {
            "Messages can be sent and tasks read; another must of the task lifecycle or of error handling fails."
        }
        Some(ConformanceLevel::NonConformant) => {
            "The card is not valid, or sending a message or reading a task does not work."
        }
        None => "A level is given when the whole suite was run and the agent could be seen.",
    }
}

fn denominator(report: &Report) -> String {
    let (counted, all) = (report.musts.applicable(), report.tally.total);
    let apply = if counted == 1 { "applies" } else { "apply" };
    let late = report.cold_start().map(|late| format!(" Note: {late}.")).unwrap_or_default();
    let mut checks: Vec<&str> = report.results.iter().map(|row| row.check).collect();
    order::sort_by(&mut checks, |one, other| one.cmp(other));
    checks.dedup();
    let lanes = match report.lanes.len() {
        0 => String::new(),
        1 => " on one lane".to_owned(),
        lanes => format!(" on {lanes} lanes"),
    };
    let checks = format::count_of(checks.len(), "check");
    let musts = if counted == 1 { "the one must".to_owned() } else { format!("the {counted} musts") };
    let counts = match report.completion {
        Some(Completion::Watched) => format!("The verdict rests on {musts} that this client could break."),
        Some(Completion::Pair) => format!("The verdict rests on {musts} about both agents."),
        _ => format!("The level counts {musts} that {apply} to this agent.{late}"),
    };
    format!("{checks}{lanes} make {}. {counts}", format::count(all, "result"))
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
