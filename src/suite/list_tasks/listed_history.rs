//! Judges of the scenario `list-filters`: the history of listed tasks, where one message of it was asked for.

use super::filtered_lists::{ours, unlisted};
use crate::a2a::model::Task;
use crate::engine::prelude::{Judged, Transcript, Verdict, count_of};
use crate::suite::multi_turn::keeps_newest;

/// The task of several messages, as a get showed it.
fn conversation(t: &Transcript) -> Option<&Task> {
    let (_, task) = t.earlier("multi-turn").ok()?.task("get").ok()?;
    task.history.as_ref().is_some_and(|history| history.len() > 1).then_some(task)
}

/// Judges `list.history-max`: no more messages than were asked for.
pub(super) fn bounded(t: &Transcript) -> Judged {
    ours(t)?;
    let long = conversation(t);
    let mut shown = 0;
    for name in ["full", "talk"] {
        let Ok((step, list)) = t.list(name) else { continue };
        for task in &list.tasks {
            shown = task.history.as_ref().map_or(0, Vec::len).max(shown);
            if shown > 1 {
                return step.claim(false, "at most 1 message", count_of(shown, "message"), task.at.key("history"));
            }
        }
    }
    let (step, list) = t.list("full")?;
    let listed =
        long.is_some_and(|long| t.list("talk").is_ok_and(|(_, list)| list.tasks.iter().any(|task| task.id == long.id)));
    match (list.tasks.is_empty(), listed, shown) {
        (true, ..) => Err(unlisted()),
        // A list without any history is within every bound.
        (_, true, _) | (_, _, 0) => Ok(step.pass()),
        _ => Err(Verdict::inconclusive("no task has two messages of history")),
    }
}

/// Judges `list.history-recent`. The conversation was read before the list, so that its first message is not the latest.
pub(super) fn newest_kept(t: &Transcript) -> Judged {
    ours(t)?;
    let talk = conversation(t).ok_or_else(|| Verdict::inconclusive("no task has two messages of history"))?;
    let (step, list) = t.list("talk")?;
    let listed = list.tasks.iter().find(|task| task.id == talk.id).ok_or_else(unlisted)?;
    keeps_newest(t, t.earlier("multi-turn")?, (step, listed), 2)
}
