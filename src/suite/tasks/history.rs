//! The length of history in a get, on the task that has the most of it: how many messages, and the most recent ones.

use std::rc::Rc;

use crate::a2a::model::{Message, Task};
use crate::engine::prelude::{Check, Driver, Judged, Scenario, Step, Transcript, Verdict, count_of, task_of};

pub(super) static SCENARIO: Scenario = Scenario {
    id: "history",
    title: "Read parts of a task's history",
    rounds: 3,
    after: &["send", "multi-turn"],
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    Check {
        id: "get.history-max",
        title: "historyLength limits the history",
        why: "A client that asks for two messages may have room for two only.",
        fix: "Cut history to historyLength before answering.",
        requirements: &["get.history-max", "get.v03.history-max"],
        judge: bounded,
        ..Check::tripped_by(&["history-unbounded"])
    },
    Check {
        id: "get.history-recent",
        title: "historyLength keeps the most recent messages",
        why: "The latest messages are the ones a client does not have yet.",
        fix: "Keep the last historyLength messages, not the first ones.",
        judge: recent,
        ..Check::tripped_by(&["history-oldest"])
    },
    Check {
        id: "get.read-only",
        title: "Reading a part of the history leaves the whole",
        why: "One client that reads few messages must not take the others from everybody else.",
        fix: "Cut a copy of the history for the response, not the stored task.",
        requirements: &["get.idempotent"],
        judge: read_only,
        ..Check::tripped_by(&["history-cut"])
    },
    Check {
        id: "get.state-history",
        title: "A declared history is available",
        why: "Clients request the history of an agent that declares it.",
        fix: "Return the history when tasks/get asks for it with historyLength, or leave out \
              capabilities.stateTransitionHistory.",
        requirements: &["get.v01.state-history"],
        judge: declared_history,
        ..Check::tripped_by(&["state-history-missing"])
    },
];

async fn drive(d: &Driver) {
    let latest = |name: &str| {
        let transcript = d.earlier(name)?;
        transcript.steps.iter().rev().find_map(|step| task_of(&step.reply)).and_then(|task| task.id.clone())
    };
    let Some(id) = latest("multi-turn").or_else(|| latest("send")) else {
        return d.stop(Verdict::inconclusive("no earlier scenario left a task to read"));
    };
    // The conversation was read at its end, in the same words.
    let read = d.earlier("multi-turn").and_then(|transcript| transcript.step("get").ok());
    let mut whole = match read.filter(|step| task_of(&step.reply).is_some_and(|task| task.id.as_ref() == Some(&id))) {
        Some(step) => {
            d.record_as("whole", step);
            Rc::clone(step)
        }
        None => d.get("whole", &id, None).await,
    };
    // Older agents show what they are asked for and no more (0.1 §7.3.1).
    let hidden = task_of(&whole.reply).is_some_and(|task| task.history.as_ref().is_none_or(Vec::is_empty));
    if hidden && d.has_check("get.state-history") {
        whole = d.get("whole", &id, Some(100)).await;
    }
    let length = task_of(&whole.reply).and_then(|task| task.history.as_ref()).map_or(0, Vec::len);
    if length < 2 {
        return d.stop(Verdict::inconclusive("the agent keeps no history of several messages that could be cut"));
    }
    d.together([d.get("one", &id, Some(1)), d.get("two", &id, Some(2))]).await;
    if d.has_check("get.read-only") {
        d.get("whole-again", &id, None).await;
    }
}

fn declared_history(t: &Transcript) -> Judged {
    t.facts.declared("stateTransitionHistory", |card| card.state_history)?;
    let (step, task) = t.task("whole")?;
    let length = task.history.as_ref().map_or(0, Vec::len);
    let place = task.at.key("history");
    let actual = if length == 1 { "one entry".to_owned() } else { format!("{length} entries") };
    step.claim(length >= 2, "a history of at least two entries", actual, place.as_str())
}

fn read_only(t: &Transcript) -> Judged {
    t.task("one")?;
    let (first, before) = t.task("whole")?;
    let (step, after) = t.task("whole-again")?;
    // A task that goes on may get another history meanwhile.
    if after.state != before.state || after.timestamp != before.timestamp {
        return Err(step.inconclusive("the task changed meanwhile"));
    }
    let length = |task: &Task| task.history.as_ref().map_or(0, Vec::len);
    let (had, has) = (length(before), length(after));
    let expected = format!("{}, as before a read with historyLength", count_of(had, "message"));
    let place = after.at.key("history");
    Ok(step.claim(has >= had, &expected, count_of(has, "message"), place.as_str())?.seen_in(first.exchange.id))
}

fn history<'a>(t: &'a Transcript, name: &str) -> Result<(&'a Rc<Step>, &'a [Message]), Verdict> {
    let (step, task) = t.task(name)?;
    Ok((step, task.history.as_deref().unwrap_or_default()))
}

fn bounded(t: &Transcript) -> Judged {
    t.task("one")?;
    for (name, most) in [("one", 1), ("two", 2)] {
        let (step, list) = history(t, name)?;
        if list.len() > most {
            let expected = format!("at most {}", count_of(most, "message"));
            return Ok(step.fail(expected, count_of(list.len(), "message")).at("/result/history"));
        }
    }
    Ok(Verdict::pass())
}

fn recent(t: &Transcript) -> Judged {
    let (whole_step, whole) = history(t, "whole")?;
    let (step, one) = history(t, "one")?;
    let (Some(last), [only]) = (whole.last(), one) else {
        return Err(Verdict::inconclusive(
            "the response does not contain exactly one message, which is allowed or reported by another check",
        ));
    };
    let parts = |step: &Step, message: &Message| {
        step.reply.document.as_deref()?.pointer(message.at.as_str())?.get("parts").cloned()
    };
    // T-HIST-6: it may be the same message under an id that was made anew.
    let is_same = || parts(whole_step, last).is_some_and(|said| parts(step, only) == Some(said));
    match (&last.message_id, &only.message_id) {
        (Some(last), Some(only)) if last == only => Ok(step.pass()),
        _ if is_same() => Ok(step.pass()),
        (Some(last), Some(only)) => {
            Ok(step.fail(format!("the latest message, {last}"), only.as_str()).at("/result/history/0/messageId"))
        }
        _ => Err(Verdict::blocked("the messages have no ids to compare")),
    }
}
