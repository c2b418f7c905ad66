//! The sentences of the verdict banner: what is broken and what could not be judged in one of them, and the counts of the report with
//! the level and what it means behind it; and the progress line before the verdict.

use super::findings::{Name, RootCause, findings};
use super::format;
use super::text_table::TextTable;
use crate::engine::event::{Completion, Tally};
use crate::engine::upgrade::{Upgrade, UpgradeChange};
use crate::engine::verdict::Outcome;
use crate::report::headline::{counts, no_task_completed, remarks_of_both};
use crate::report::{CheckedRow, ConformanceLevel, Rating, Report, VerdictWord};
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
    /// What is broken and what could not be judged, in one sentence, and behind it why a run is incomplete.
    pub reason: String,
    /// The counts, out of how many, the level with its meaning, why not the next one up, and the changes that the next version of the
    /// protocol would ask for: a paragraph each.
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
        // The title stands above them.
        let counts = counts(report);
        let rest = counts.strip_prefix(&title).and_then(|rest| rest.strip_prefix(": ").or(rest.strip_prefix(", ")));
        let mut details = vec![format::capitalised(rest.unwrap_or(&counts)), denominator(report)];
        if !matches!(report.completion, Some(Completion::Pair | Completion::Watched)) {
            let meaning = if only_declared { ONLY_DECLARED } else { meaning(level) };
            details.push(format!("Level: {in_words}. {meaning}"));
        }
        let left_out = report.left_out_in_words();
        if !left_out.is_empty() {
            details.push(format!("Left to a thorough run: {left_out}."));
        }
        let why = if level.is_none() { "Why there is no level" } else { "Why not the next level" };
        details.extend(report.assessment.reasons.iter().map(|reason| format!("{why}: {}.", reason.in_words())));
        details.extend(report.upgrade.iter().flat_map(upgrade_in_words));
        let findings = findings(report, name);
        // What each of two agents is alone stands in a table.
        let reason = std::iter::once(summary(report, &findings)).chain(remarks_of_both(report));
        let reason = reason.collect::<Vec<_>>().join(" ");
        Self {
            id: level.map_or("not-rated", ConformanceLevel::as_str).to_owned(),
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

/// `2 required rules broken, 1 suggestion. 30 of 296 results could not be judged.`
fn summary(report: &Report, findings: &[RootCause]) -> String {
    let broken = findings.iter().filter(|finding| finding.is_must).count();
    let suggestions = format::count_of(findings.len() - broken, "suggestion");
    let mut said = match (broken, findings.len()) {
        (0, 0) if report.musts.applicable() == 0 => "No required rule could be judged".to_owned(),
        (0, 0) => "Every required rule that could be judged is kept".to_owned(),
        (0, _) => format!("No required rule broken, {suggestions}"),
        (_, all) => {
            let rules = format::count_of(broken, "required rule");
            if all == broken { format!("{rules} broken") } else { format!("{rules} broken, {suggestions}") }
        }
    };
    if no_task_completed(report) {
        said.push_str(", and no task completed");
    }
    let is_open = |outcome: Outcome| {
        use Outcome::{Blocked, HarnessError, Inconclusive, NotObservable, Unsteady};
        matches!(outcome, Blocked | HarnessError | Inconclusive | NotObservable | Unsteady)
    };
    let open = report.results.iter().filter(|row| is_open(row.outcome)).count();
    if open > 0 {
        said = format!("{said}. {open} of {} results could not be judged", report.results.len());
    }
    said + "."
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
    match format::count(all, "result") {
        results if report.lanes.len() > 1 => format!("{checks}{lanes} make {results}. {counts}"),
        results => format!("{results}{lanes}. {counts}"),
    }
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
