//! Judges of the scenario `agents-together`: whether a history, a list or an answer of one context or agent holds what is of
//! another.

use super::busy_tasks::{LISTS, all_hold, readings};
use crate::engine::prelude::{Judged, Transcript, Verdict, task_of};
use crate::suite::delegation::holds;

/// A shorter id may be a number that two agents count up to, each for itself.
const SHORTEST_ID: usize = 16;

/// A history that holds a message of another context. An agent need not return a history (T-HIST-1), and may keep one for each
/// context.
pub(super) fn own_history(t: &Transcript) -> Judged {
    let readings = readings(t)?;
    let mut found = None;
    let mut has_history = false;
    for reading in &readings {
        let (step, task) = reading.read;
        has_history |= task.history.as_ref().is_some_and(|history| !history.is_empty());
        let others = readings.iter().filter(|other| {
            let context = &other.read.1.context_id;
            other.message_id() != reading.message_id() && context.is_some() && *context != task.context_id
        });
        for other in others {
            let id = other.message_id();
            let is_held = task.history.iter().flatten().any(|message| message.message_id.as_deref() == Some(id));
            if is_held && found.is_none() {
                let own = task.context_id.as_deref().unwrap_or("none");
                let actual = format!("the message {id} of another context");
                let verdict = step.fail(format!("messages of the context {own}"), actual);
                found = Some(verdict.at(task.at.key("history")).seen_in(other.sent.exchange.id));
            }
        }
    }
    if !has_history {
        return Err(Verdict::not_applicable("the agent returns no history, which is allowed"));
    }
    all_hold(found, readings.iter().map(|reading| reading.read.0.exchange.id))
}

/// A list of one context that holds a task of another.
pub(super) fn lists(t: &Transcript) -> Judged {
    let readings = readings(t)?;
    let mut found = None;
    let mut seen = Vec::new();
    for (reading, name) in readings.iter().zip(LISTS) {
        let (step, list) = t.list(name)?;
        seen.push(step.exchange.id);
        let context = &reading.read.1.context_id;
        let strange = readings.iter().filter(|other| other.read.1.context_id != *context).find_map(|other| {
            let id = other.read.1.id.as_ref()?;
            list.tasks.iter().find(|task| task.id.as_ref() == Some(id))
        });
        if let Some(task) = strange.filter(|_| found.is_none()) {
            let expected = format!("tasks of the context {}", context.as_deref().unwrap_or("none"));
            let actual = format!("the task {} of another context", task.id.as_deref().unwrap_or_default());
            found = Some(step.fail(expected, actual).at(&task.at));
        }
    }
    all_hold(found, seen.into_iter())
}

/// An answer that names a message or a task of the other agent.
pub(super) fn apart(t: &Transcript) -> Judged {
    t.ran_to_its_end()?;
    let Some(other) = t.peer.as_ref().and_then(|peer| peer.transcripts.first()) else {
        return Err(Verdict::inconclusive("there is no other agent"));
    };
    let own = ids(t);
    let foreign: Vec<(u32, String)> = ids(other)
        .into_iter()
        .filter(|(_, id)| id.len() >= SHORTEST_ID && own.iter().all(|(_, known)| known != id))
        .collect();
    if foreign.is_empty() || t.steps.is_empty() {
        return Err(Verdict::inconclusive("the other agent was sent no message"));
    }
    let found = t.steps.iter().find_map(|step| {
        let (from, id) = foreign.iter().find(|(_, id)| holds(step, id))?;
        Some(step.fail("ids of this agent only", format!("{id}, which is of the other agent")).seen_in(*from))
    });
    all_hold(found, t.steps.iter().map(|step| step.exchange.id).take(5))
}

/// The ids of the messages that were sent to an agent, and of the tasks that it read out, each with the exchange.
fn ids(t: &Transcript) -> Vec<(u32, String)> {
    let messages = t.steps.iter().map(|step| (step, step.sent.message_id()));
    let tasks = t.steps.iter().map(|step| (step, task_of(&step.reply).and_then(|task| task.id.as_deref())));
    messages.chain(tasks).filter_map(|(step, id)| Some((step.exchange.id, id?.to_owned()))).collect()
}
