//! Works out the conformance level of each lane and of the agent, from must-level results alone: which checks are the core, when
//! nothing is rated, and why it is not one higher.
//!
//! A level is never guessed: a run that was stopped or filtered, that saw nothing, or in which a check of ours broke is
//! *not rated*, with the reason.

use super::checked_row::CheckedRow;
use super::groups::grouped;
use super::level::{Assessment, ConformanceLevel, LaneReport, LevelReason, Rating};
use crate::engine::check::Category;
use crate::engine::event::{Completion, named_interfaces};
use crate::engine::lane_name::lane_name;
use crate::engine::plural::count_of;
use crate::engine::requirement::Level;
use crate::engine::verdict::Outcome;

/// The checks that show that a lane works at all: without a pass of one that sends, and with a failure of any, nothing
/// better than non-conformant can be said of it.
pub const CORE: [&str; 4] = [ACCEPTS_TEXT, TASK_OR_MESSAGE, "get.returns-task", "card.interface-accurate"];
/// The check that says that no task of the run completed. It is not an accusation, but too little was seen for the best level.
pub const COMPLETES: &str = "task.completes";
const ACCEPTS_TEXT: &str = "send.accepts-text";
const TASK_OR_MESSAGE: &str = "send.task-or-message";

/// Assesses every lane in place, and the agent, by every row and how the run ended (`None` while it runs); `silent` has the interfaces
/// that this build cannot talk to, with the reason.
#[must_use]
pub fn assess(
    lanes: &mut [LaneReport],
    results: &[CheckedRow],
    completion: Option<&Completion>,
    silent: &[(String, String)],
) -> Assessment {
    if let Some(why) = why_not_rated(results, completion) {
        for lane in lanes {
            lane.assessment = Assessment::unrated(&why);
        }
        return Assessment::unrated(&why);
    }
    for lane in lanes.iter_mut() {
        lane.assessment = of_lane(&rows(results, Some(&lane.id)));
    }
    of_agent(lanes, results, completion, silent)
}

/// Why nothing can be rated, whatever was seen.
fn why_not_rated(results: &[CheckedRow], completion: Option<&Completion>) -> Option<String> {
    let with = |outcome: Outcome| results.iter().filter(move |result| result.outcome == outcome);
    match completion {
        None => return Some("the run has not finished".to_owned()),
        Some(Completion::Stopped) => return Some("the run was stopped".to_owned()),
        Some(Completion::Incomplete(why)) if results.is_empty() => return Some(why.clone()),
        Some(completion) => {
            if let Some(part) = completion.part() {
                return Some(part.to_owned());
            }
        }
    }
    if results.is_empty() {
        return Some("nothing was checked".to_owned());
    }
    let broken: Vec<&str> = with(Outcome::HarnessError).map(|result| result.check).collect();
    if let Some(first) = broken.first() {
        return Some(format!(
            "{} failed because of a bug in this checker, {first} first",
            count_of(broken.len(), "check")
        ));
    }
    let missing: Vec<&str> = with(Outcome::NotRun).map(|result| result.check).collect();
    let first = missing.first()?;
    Some(format!("{} of the plan did not run, {first} first", count_of(missing.len(), "check")))
}

fn rows<'a>(results: &'a [CheckedRow], lane: Option<&str>) -> Vec<&'a CheckedRow> {
    results.iter().filter(|result| result.lane.as_deref() == lane).collect()
}

fn of_lane(rows: &[&CheckedRow]) -> Assessment {
    let level = rows.iter().filter_map(|row| cap(row, rows)).min().unwrap_or(ConformanceLevel::Full);
    if level > ConformanceLevel::NonConformant
        && let Some(why) = unseen(rows)
    {
        return Assessment::unrated(&why);
    }
    let holding: Vec<&CheckedRow> = rows.iter().filter(|row| cap(row, rows) == Some(level)).copied().collect();
    Assessment { rating: Rating::Rated(level), reasons: reasons(&holding) }
}

/// Why too little was seen of a lane to rate it.
fn unseen(rows: &[&CheckedRow]) -> Option<String> {
    let with = |outcome: Outcome| rows.iter().filter(move |row| row.level == Level::Must && row.outcome == outcome);
    let blocked = with(Outcome::Blocked).count();
    let judged = with(Outcome::Pass).count() + with(Outcome::Fail).count();
    let open = judged + with(Outcome::Inconclusive).count() + with(Outcome::Unsteady).count();
    if blocked > open || (judged == 0 && blocked > 0) {
        let why = commonest(with(Outcome::Blocked).map(|row| row.message.as_str()));
        return Some(format!(
            "{blocked} of {} could not be judged: {why}",
            count_of(blocked + open, "required result")
        ));
    }
    if let Some(core) = with(Outcome::Blocked).find(|row| CORE.contains(&row.check)) {
        return Some(format!("{} could not be judged: {}", core.check, core.message));
    }
    let sends = |row: &CheckedRow| row.level == Level::Must && matches!(row.check, ACCEPTS_TEXT | TASK_OR_MESSAGE);
    let sent = rows.iter().any(|row| sends(row) && row.passed_once());
    (!sent).then(|| "no message was sent and answered".to_owned())
}

fn of_agent(
    lanes: &[LaneReport],
    results: &[CheckedRow],
    completion: Option<&Completion>,
    silent: &[(String, String)],
) -> Assessment {
    let card: Vec<&CheckedRow> = rows(results, None);
    let rated: Vec<(&LaneReport, ConformanceLevel)> =
        lanes.iter().filter_map(|lane| lane.assessment.rating.level().map(|level| (lane, level))).collect();
    let weakest = rated.iter().map(|(_, level)| *level).chain(card.iter().filter_map(|row| cap(row, &card))).min();
    if weakest != Some(ConformanceLevel::NonConformant) {
        if let Some(why) = card_unseen(&card) {
            return Assessment::unrated(&why);
        }
        if lanes.is_empty() {
            return Assessment::unrated(&no_lane(silent));
        }
        if rated.is_empty() {
            return Assessment::unrated(&reasons_unrated(lanes));
        }
    }
    // Musts stay open where a lane was not rated or the run did not reach its end.
    let mut more: Vec<LevelReason> = lanes
        .iter()
        .filter(|lane| lane.assessment.rating.level().is_none())
        .map(|lane| LevelReason {
            check: None,
            lanes: vec![lane.id.clone()],
            sentence: format!("not rated: {}", reason_unrated(lane)),
        })
        .collect();
    if let Some(Completion::Incomplete(why)) = completion {
        more.push(LevelReason { check: None, lanes: Vec::new(), sentence: format!("the run is incomplete: {why}") });
    }
    let ceiling = if more.is_empty() { ConformanceLevel::Full } else { ConformanceLevel::Partial };
    let level = weakest.unwrap_or(ConformanceLevel::Full).min(ceiling);
    let holds = |id: &str| rated.iter().any(|(lane, rated)| lane.id == id && *rated == level);
    let all: Vec<&CheckedRow> = results.iter().collect();
    let in_rated = |row: &&CheckedRow| row.lane.as_deref().is_none_or(holds);
    let holding: Vec<&CheckedRow> =
        all.iter().filter(|row| in_rated(row)).filter(|row| cap(row, &all) == Some(level)).copied().collect();
    let mut reasons = reasons(&holding);
    if level == ConformanceLevel::Partial {
        reasons.extend(more);
    }
    Assessment { rating: Rating::Rated(level), reasons }
}

/// Why none of the interfaces was rated; interfaces with the same reason are named together.
fn reasons_unrated(lanes: &[LaneReport]) -> String {
    let groups = grouped(lanes, |lane, first| reason_unrated(lane) == reason_unrated(first));
    let each = groups.iter().filter_map(|lanes| {
        let names: Vec<String> = lanes.iter().map(|lane| lane_name(&lane.id)).collect();
        Some(format!("{}: {}", names.join(", "), reason_unrated(lanes.first()?)))
    });
    each.collect::<Vec<_>>().join("; ")
}

fn reason_unrated(lane: &LaneReport) -> &str {
    match &lane.assessment.rating {
        Rating::NotRated(why) => why,
        Rating::Rated(level) => level.as_str(),
    }
}

/// Why the card cannot be called valid although none of its checks failed.
fn card_unseen(card: &[&CheckedRow]) -> Option<String> {
    let musts = || card.iter().filter(|row| row.level == Level::Must && row.category == Category::AgentCard);
    if musts().any(|row| row.passed_once()) {
        return None;
    }
    let blocked = musts().filter(|row| row.outcome == Outcome::Blocked).map(|row| row.message.as_str());
    let why = commonest(blocked);
    Some(if why.is_empty() {
        "the card was not checked".to_owned()
    } else {
        format!("the card could not be checked: {why}")
    })
}

fn no_lane(silent: &[(String, String)]) -> String {
    if silent.is_empty() {
        return "the card declares no interface to call".to_owned();
    }
    let each = named_interfaces(silent).into_iter().map(|(name, reason)| format!("{name}: {reason}"));
    format!("no declared interface can be called: {}", each.collect::<Vec<_>>().join("; "))
}

/// The area of what is checked under load.
const UNDER_LOAD: &str = "load";

/// The best level that is still possible with this result, one of these; `None` when it limits nothing.
fn cap(row: &CheckedRow, all: &[&CheckedRow]) -> Option<ConformanceLevel> {
    if row.check == COMPLETES && row.outcome == Outcome::Fail {
        return Some(ConformanceLevel::Partial);
    }
    if row.level != Level::Must {
        return None;
    }
    match row.outcome {
        Outcome::Fail if CORE.contains(&row.check) => Some(ConformanceLevel::NonConformant),
        Outcome::Fail if is_optional(row) => Some(ConformanceLevel::Partial),
        Outcome::Fail => Some(match row.category {
            Category::AgentCard => ConformanceLevel::NonConformant,
            Category::Lifecycle | Category::ErrorHandling => ConformanceLevel::Minimal,
            Category::Streaming | Category::Interop => ConformanceLevel::Partial,
        }),
        Outcome::Blocked if CORE.contains(&row.check) && is_explained(row, all) => {
            Some(ConformanceLevel::NonConformant)
        }
        // An agent that turns a load away has done nothing wrong, and without a load nobody would have asked.
        Outcome::Inconclusive | Outcome::Blocked if row.area.name == UNDER_LOAD => None,
        // A requirement that holds only in some runs was not observed to hold.
        Outcome::Inconclusive | Outcome::Unsteady | Outcome::Blocked => Some(ConformanceLevel::Partial),
        // A level is only computed without these two; were it not so, they would leave musts open.
        Outcome::NotRun | Outcome::HarnessError => Some(ConformanceLevel::Partial),
        Outcome::Pass | Outcome::Note | Outcome::NotApplicable | Outcome::NotObservable => None,
    }
}

/// Whether a check would fail, did not another say as much: it names that one, which has failed.
fn is_explained(row: &CheckedRow, all: &[&CheckedRow]) -> bool {
    let by = row.message.rsplit_once(": see ").map(|(_, by)| by);
    all.iter().any(|other| Some(other.check) == by && other.lane == row.lane && other.outcome == Outcome::Fail)
}

/// Whether a result is about a feature that an agent may leave out.
fn is_optional(row: &CheckedRow) -> bool {
    row.area.is_optional
        || row.check.starts_with("extended.")
        || row.requirements.first().is_some_and(|id| id.starts_with("extended."))
}

/// One reason for each check and sentence, whatever the number of lanes.
fn reasons(holding: &[&CheckedRow]) -> Vec<LevelReason> {
    let mut reasons: Vec<LevelReason> = Vec::new();
    for row in holding {
        let sentence = match row.outcome.reason() {
            Some(reason) => format!("{reason}: {}", row.message),
            None => row.message.clone(),
        };
        let lane = row.lane.clone();
        match reasons.iter_mut().find(|known| known.check == Some(row.check) && known.sentence == sentence) {
            Some(known) => known.lanes.extend(lane),
            None => reasons.push(LevelReason { check: Some(row.check), lanes: lane.into_iter().collect(), sentence }),
        }
    }
    reasons
}

/// The text that comes most often, the first of them if there are several; empty if there is none.
fn commonest<'a>(texts: impl Iterator<Item = &'a str>) -> &'a str {
    // Of several that come as often `max_by_key` takes the last.
    let most = grouped(texts, |text, first| text == first).into_iter().rev().max_by_key(Vec::len);
    most.and_then(|texts| texts.first().copied()).unwrap_or_default()
}
