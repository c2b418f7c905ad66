//! The history of listed tasks, where one message of it was asked for.

use super::filters::{ours, unlisted};
use crate::a2a::model::Task;
use crate::engine::plural::count_of;
use crate::engine::transcript::Transcript;
use crate::engine::verdict::{Judged, Verdict};

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
                let actual = count_of(shown, "message");
                return step.claim(false, "at most 1 message", actual, task.at.key("history").as_str());
            }
        }
    }
    let (step, list) = t.list("full")?;
    let listed =
        long.is_some_and(|long| t.list("talk").is_ok_and(|(_, list)| list.tasks.iter().any(|task| task.id == long.id)));
    match (list.tasks.is_empty(), listed, shown) {
        (true, ..) => Err(unlisted()),
        // A list without any history is within every bound.
        (_, true, _) | (_, _, 0) => step.claim(true, "", "", ""),
        _ => Err(Verdict::inconclusive("no task has two messages of history")),
    }
}

/// Judges `list.history-recent`. Which message is the latest may have changed since, but it is not the first of several (1.0 §3.2.4).
pub(super) fn newest_kept(t: &Transcript) -> Judged {
    ours(t)?;
    let undecided =
        || Verdict::inconclusive("no task with several messages of history is listed with exactly one of them");
    let talk = conversation(t).ok_or_else(undecided)?;
    let oldest = talk.history.iter().flatten().next().and_then(|message| message.message_id.as_deref());
    // A history that begins with another message may have the newest first.
    let first = t.earlier("multi-turn")?.step("first")?;
    let said = first.sent.params.as_ref().and_then(|params| params.pointer("/message/messageId")?.as_str());
    if said.is_none() || said != oldest {
        return Err(Verdict::inconclusive("the history does not begin with the message that made the task"));
    }
    // An agent that cuts every history like this has one finding, and that of another check.
    let cut = t.earlier("history").ok().and_then(|history| history.task("one").ok());
    if cut.and_then(|(_, task)| task.history.as_ref()?.first()?.message_id.as_deref()) == oldest {
        return Err(Verdict::blocked("a get keeps the oldest messages too"));
    }
    let (step, list) = t.list("talk")?;
    let listed = list.tasks.iter().find(|task| task.id == talk.id).ok_or_else(unlisted)?;
    let Some([only]) = listed.history.as_deref() else { return Err(undecided().seen_in(step.exchange.id)) };
    if only.message_id.is_none() {
        return Err(Verdict::blocked("the messages have no ids to compare"));
    }
    let actual = format!("the oldest, {}", oldest.unwrap_or_default());
    step.claim(only.message_id.as_deref() != oldest, "the latest message", actual, only.at.key("messageId").as_str())
}
