//! The verdict of a run in one sentence, what was counted, the versions that it was judged by, and the remarks behind it, in the words
//! of every format and of the screen, so that none is rosier than another.

use std::fmt::Write as _;
use std::rc::Rc;

use super::assess::COMPLETES;
use super::checked_row::CheckedRow;
use super::groups::grouped;
use super::level::Rating;
use super::model::Report;
use super::profile::ProfileTally;
use super::text::one_line;
use super::verdict::VerdictWord;
use crate::engine::event::Completion;
use crate::engine::lane_name::lane_name;
use crate::engine::plural::count_of;
use crate::engine::verdict::{Outcome, Status};

/// How many unsteady results the headline names.
const NAMED: usize = 3;

/// The banner's sentence: [`counts`], and [`remarks`] behind it.
#[must_use]
pub fn headline(report: &Report) -> String {
    [vec![counts(report)], remarks(report)].concat().join(" ")
}

/// The verdict and the [`summary`] with the versions that it is about. It never quotes the agent.
#[must_use]
pub fn counts(report: &Report) -> String {
    let versions = report.versions().join(" and ");
    let versions = if versions.is_empty() { String::new() } else { format!(" (A2A {versions})") };
    let summary = summary_by(report, &versions);
    match report.is_of_client() {
        true => format!("Client: {}, {summary}", report.word.title().to_ascii_lowercase()),
        false => format!("{}: {summary}", report.verdict_title()),
    }
}

/// What is broken, each rule counted once whatever interfaces break it, and how many results could not be judged:
/// `2 required rules broken, 1 suggestion. 30 of 296 results could not be judged.`
#[must_use]
pub fn summary(report: &Report) -> String {
    summary_by(report, "")
}

fn summary_by(report: &Report, versions: &str) -> String {
    let (broken, suggestions) = broken(report);
    let mut said = match (broken, suggestions) {
        (0, _) if report.musts.applicable() == 0 => "no required rule could be judged".to_owned(),
        (0, _) if matches!(report.word, VerdictWord::Incomplete | VerdictWord::PartlyChecked) => {
            "no required rule was seen to be broken".to_owned()
        }
        (0, _) => "every required rule that could be judged is kept".to_owned(),
        _ => format!("{} broken", count_of(broken, "required rule")),
    };
    if let Some(runs) = report.runs.filter(|runs| *runs > 1) {
        let _ = write!(said, " in each of {runs} runs");
    }
    said.push_str(versions);
    if suggestions > 0 {
        let _ = write!(said, ", {}", count_of(suggestions, "suggestion"));
    }
    if no_task_completed(report) {
        said.push_str(", and no task completed");
    }
    let open = report.results.iter().filter(|row| is_open(report, row)).count();
    if open > 0 {
        let _ = write!(said, ". {open} of {} could not be judged", count_of(report.results.len(), "result"));
    }
    let lost = report.results.iter().filter(|row| row.outcome == Outcome::HarnessError).count();
    if lost > 0 {
        let _ = write!(said, ", {lost} of them because of a bug in this checker");
    }
    said + "."
}

/// How many required rules are broken, and how many suggestions there are, each counted once whatever interfaces it is on.
#[must_use]
pub fn broken(report: &Report) -> (usize, usize) {
    (causes(report, CheckedRow::is_breach).len(), causes(report, CheckedRow::is_advice).len())
}

/// The same in words: `2 required rules broken, 1 suggestion`; empty for neither.
#[must_use]
pub fn broken_in_words((broken, suggestions): (usize, usize)) -> String {
    let broken = (broken > 0).then(|| format!("{} broken", count_of(broken, "required rule")));
    let suggestions = (suggestions > 0).then(|| count_of(suggestions, "suggestion"));
    broken.into_iter().chain(suggestions).collect::<Vec<_>>().join(", ")
}

/// The results in numbers, each with its name for programs and its words; those that are none are left out but for what passed.
#[must_use]
pub fn numbers(report: &Report) -> Vec<(&'static str, usize, &'static str)> {
    let number = |wanted: &dyn Fn(&CheckedRow) -> bool| report.results.iter().filter(|row| wanted(row)).count();
    let is = |outcome| move |row: &CheckedRow| row.outcome == outcome;
    let open = number(&|row| is_open(report, row));
    let is_left = |row: &CheckedRow| row.outcome == Outcome::NotRun && !is_open(report, row);
    let mut numbers = vec![
        ("passed", number(&|row| row.outcome.status() == Status::Pass), "passed"),
        ("failed-required", number(&CheckedRow::is_breach), "failed"),
        ("failed-advisory", number(&CheckedRow::is_advice), "with a suggestion"),
        ("unsteady", number(&is(Outcome::Unsteady)), "unsteady"),
        ("open", open, "could not be judged"),
        ("not-applicable", number(&is(Outcome::NotApplicable)), "not applicable"),
        ("not-run", number(&is_left), "not asked for"),
    ];
    numbers.retain(|(name, number, _)| *number > 0 || *name == "passed");
    numbers
}

/// The same in a line: `590: 465 passed, 2 failed, 18 could not be judged, 105 not applicable`.
#[must_use]
pub fn numbers_in_words(report: &Report) -> String {
    let parts: Vec<String> = numbers(report).iter().map(|(_, number, words)| format!("{number} {words}")).collect();
    format!("{}: {}", report.results.len(), parts.join(", "))
}

/// The results of a kind, those of one check together, whatever interfaces they are on.
#[must_use]
pub fn causes(report: &Report, is_wanted: fn(&CheckedRow) -> bool) -> Vec<Vec<&CheckedRow>> {
    grouped(report.results.iter().filter(|row| is_wanted(row)), |row, first| row.check == first.check)
}

/// Whether a row could not be judged although it applies. What was not asked for is not open.
#[must_use]
pub fn is_open(report: &Report, row: &CheckedRow) -> bool {
    match row.outcome {
        Outcome::HarnessError | Outcome::Blocked | Outcome::Inconclusive | Outcome::NotObservable => true,
        Outcome::NotRun => report.completion.as_ref().is_none_or(|completion| completion.part().is_none()),
        Outcome::Pass | Outcome::Fail | Outcome::Note | Outcome::Unsteady | Outcome::NotApplicable => false,
    }
}

/// Whether tasks were seen and none completed. It breaks nothing, and yet a reader should know how little was seen.
#[must_use]
pub fn no_task_completed(report: &Report) -> bool {
    let outcomes = || report.results.iter().filter(|row| row.check == COMPLETES).map(|row| row.outcome);
    outcomes().any(|outcome| outcome == Outcome::Fail) && outcomes().all(|outcome| outcome != Outcome::Pass)
}

/// The banner's other sentences: why the run is incomplete, and the cause. They may quote the agent.
#[must_use]
pub fn remarks(report: &Report) -> Vec<String> {
    remarks_with(report, &report.agents)
}

/// The same without what each of two agents is alone.
#[must_use]
pub fn remarks_of_both(report: &Report) -> Vec<String> {
    remarks_with(report, &[])
}

/// The same with these reports of two agents, each of them alone.
fn remarks_with(report: &Report, alone: &[Rc<Report>]) -> Vec<String> {
    let key = |text: &str| text.trim_end_matches('.').to_ascii_lowercase();
    let mut remarks: Vec<String> = Vec::new();
    for text in [incomplete(report), report.cause.clone()].into_iter().flatten() {
        let text = capitalised(&one_line(&text, 300));
        // One of them often contains the other.
        if text.is_empty() || remarks.iter().any(|known| key(known).contains(&key(&text))) {
            continue;
        }
        remarks.retain(|known| !key(&text).contains(&key(known)));
        remarks.push(if text.ends_with(['.', '!', '?', '…']) { text } else { format!("{text}.") });
    }
    remarks.extend(unsteady(report));
    remarks.extend(ProfileTally::from_report(report).map(ProfileTally::sentence));
    for (name, agent) in ["A", "B"].into_iter().zip(alone) {
        remarks.push(one_line(&format!("Agent {name} alone, {}: {}", agent.address, counts(agent)), 300));
    }
    remarks.extend(ProfileTally::of_delegation(report).map(ProfileTally::delegation_sentence));
    for client in &report.clients {
        remarks.push(one_line(&format!("Its calls of another agent, judged: {}", counts(client)), 300));
    }
    remarks.extend(ProfileTally::of_gateway(report).map(ProfileTally::gateway_sentence));
    remarks
}

/// The results that are not the same in each of several runs: `Unsteady: cancel.ends on JSON-RPC 1.0 (failed in 2 of 5 runs).`
fn unsteady(report: &Report) -> Option<String> {
    let rows: Vec<&CheckedRow> = report.unsteady().collect();
    let named = rows.iter().take(NAMED).map(|row| {
        let lane = row.lane.as_deref().map(|lane| format!(" on {}", lane_name(lane))).unwrap_or_default();
        // Before the reason, which may quote the agent: how often what was concluded.
        let often = row.message.split_once(": ").map_or(row.message.as_str(), |(often, _)| often);
        format!("{}{lane} ({often})", row.check)
    });
    let named: Vec<String> = named.collect();
    let more = match rows.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!named.is_empty()).then(|| format!("Unsteady: {}{more}.", named.join("; ")))
}

/// Why a run is incomplete, if it is.
#[must_use]
pub fn incomplete(report: &Report) -> Option<String> {
    match &report.completion {
        Some(Completion::Complete) => match &report.assessment.rating {
            Rating::NotRated(why) if report.word == VerdictWord::Incomplete => Some(why.clone()),
            _ => None,
        },
        Some(Completion::Incomplete(why)) => Some(why.clone()),
        Some(part @ (Completion::Filtered | Completion::CardOnly | Completion::EndpointOnly | Completion::Written)) => {
            part.part().map(str::to_owned)
        }
        Some(Completion::Pair) => None,
        Some(Completion::Watched) => {
            let nothing = report.word == VerdictWord::Incomplete;
            nothing.then(|| "the client sent nothing by which a required rule could be judged".to_owned())
        }
        Some(Completion::Stopped) => Some(match report.runs {
            None | Some(0) => "the run was stopped".to_owned(),
            Some(runs) => format!("it was stopped after {runs} of {} runs", report.settings.repeat),
        }),
        None => Some("the run has not finished".to_owned()),
    }
}

/// A text as the beginning of a sentence: with a capital letter, but for an address.
#[must_use]
pub fn capitalised(text: &str) -> String {
    let mut capital = text.to_owned();
    if let Some(first) = capital.get_mut(..1).filter(|_| !text.starts_with("http")) {
        first.make_ascii_uppercase();
    }
    capital
}
