//! The verdict of a run in one sentence, what was counted, the versions that it was judged by, and the remarks behind it, in the words
//! of every format and of the screen, so that none is rosier than another.

use std::rc::Rc;

use super::assess::COMPLETES;
use super::checked_row::CheckedRow;
use super::level::Rating;
use super::model::Report;
use super::profile::ProfileTally;
use super::text::one_line;
use super::verdict::VerdictWord;
use crate::engine::event::Completion;
use crate::engine::lane_name::lane_name;
use crate::engine::plural::count;
use crate::engine::verdict::Outcome;

/// How many unsteady results the headline names.
const NAMED: usize = 3;

/// The banner's sentence: [`counts`], and [`remarks`] behind it.
#[must_use]
pub fn headline(report: &Report) -> String {
    [vec![counts(report)], remarks(report)].concat().join(" ")
}

/// The word, the musts with their denominator and version, and how many were not judged. It never quotes the agent.
#[must_use]
pub fn counts(report: &Report) -> String {
    let musts = &report.musts;
    let applicable = musts.applicable();
    let versions = report.versions().join(" and ");
    let versions = if versions.is_empty() { String::new() } else { format!(" (A2A {versions})") };
    let mut parts = Vec::new();
    if applicable == 0 {
        parts.push(format!("no must was checked{versions}"));
    } else {
        let verb = if applicable == 1 { "must passes" } else { "musts pass" };
        let each = report.runs.filter(|runs| *runs > 1);
        let each = each.map_or_else(String::new, |runs| format!(" in each of {runs} runs"));
        parts.push(format!("{} of {applicable} {verb}{each}{versions}", musts.passed));
    }
    let mut say = |number: u32, words: &str| {
        if number > 0 {
            parts.push(format!("{number} {words}"));
        }
    };
    say(musts.failed, if musts.failed == 1 { "fails" } else { "fail" });
    say(musts.unsteady, "unsteady");
    say(musts.blocked, "blocked");
    say(musts.inconclusive, "inconclusive");
    say(musts.not_observable, "not observable here");
    say(musts.not_run, "not run");
    say(musts.harness_error, "lost to a bug in this checker");
    if report.tally.failed_advisory > 0 {
        parts.push(count(report.tally.failed_advisory, "advisory finding"));
    }
    if no_task_completed(report) {
        parts.push("no task completed".to_owned());
    }
    if report.is_of_client() {
        return format!("Client: {}, {}.", report.word.title().to_ascii_lowercase(), parts.join(", "));
    }
    format!("{}: {}.", report.verdict_title(), parts.join(", "))
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
            nothing.then(|| "the client sent nothing by which a must could be judged".to_owned())
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
