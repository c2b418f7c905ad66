//! Messages sent both ways, and their tasks: whether they arrive once and unchanged, with the same ids, content and query.

use std::rc::Rc;

use super::pairs::{self, Pair, lasting_differences, pair, shown_at};
use super::responses::{MEDIA_TYPES_KEPT, WHOLE_RESPONSES};
use super::steps::{GET, NO_HISTORY, PAGE, SEND, both, is_binding, read};
use crate::a2a::binding::{Call, ReplyKind};
use crate::a2a::dialect::write::{ListQuery, Outgoing};
use crate::a2a::model::{ErrorName, Message, Operation, Payload, Task};
use crate::engine::prelude::{
    Behaviour, Check, Driver, Judged, Scenario, Scope, Step, Transcript, Verdict, count_of, task_of,
};
use crate::wire::json::diff;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "gateway-tasks",
    title: "Create tasks directly and through the gateway",
    scope: Scope::Gateway,
    messages: 2,
    rounds: 6,
    after: &["probe"],
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    Check {
        id: "gateway.task-ids-kept",
        title: "A task that was created through the gateway has the same id at the agent",
        why: "Notifications, other bindings and other ways to the agent name tasks by the agent's ids.",
        fix: "At the gateway, pass ids of tasks and contexts on unchanged. If it leads to several instances of the agent, let them \
              share their tasks.",
        judge: task_ids,
        ..Check::tripped_by(&["gateway-changes-task-ids"])
    },
    Check {
        id: "gateway.messages-kept",
        title: "Messages reach the agent as they were sent",
        why: "An agent recognises a repeated message by its messageId, and answers the text that it got.",
        fix: "At the gateway, pass request bodies on unchanged: neither messageId nor parts may be rewritten.",
        judge: messages,
        ..Check::tripped_by(&["gateway-changes-messages", "gateway-changes-texts"])
    },
    Check {
        id: "gateway.tasks-kept",
        title: "A task looks the same through the gateway",
        why: "Clients behind the gateway miss what it takes away, and trust what it adds.",
        fix: "At the gateway, switch off what rewrites JSON bodies: filters, transformations and removal of empty members.",
        judge: same_task,
        ..Check::tripped_by(&["gateway-drops-artifacts"])
    },
    MEDIA_TYPES_KEPT,
    WHOLE_RESPONSES,
    Check {
        id: "gateway.query-kept",
        title: "The gateway passes the query on",
        why: "Over HTTP+JSON historyLength, pageSize and the filters of lists are in the query.",
        fix: "At the gateway, pass the query of a request on unchanged, with all parameters.",
        judge: query,
        ..Check::tripped_by(&["gateway-drops-query"])
    },
    Check {
        id: "gateway.delivered-once",
        title: "The gateway delivers a message once",
        why: "A message that arrives twice starts the work twice.",
        fix: "At the gateway, switch off retries and mirroring of POST requests (proxy_next_upstream without non_idempotent \
              in nginx).",
        judge: once,
        ..Check::tripped_by(&["gateway-delivers-twice"])
    },
];

/// Reads the task of the message that was sent directly.
const OWN: &str = "own";
/// Reads the task of the other message once more, since it may have changed.
const AGAIN: &str = "get-again";
/// Lists the context when it has only the task of the direct message, and when it has both.
const BEFORE: &str = "list-before";
const AFTER: &str = "list-after";

async fn drive(d: &Driver) {
    let Some(message) = d.prompt(Behaviour::Complete) else { return };
    let first = d.call(SEND.0, d.sending(Operation::SendMessage, &message)).await;
    let own = task_of(&first.reply).cloned();
    let own_id = own.as_ref().and_then(|task| task.id.clone());
    if let Some(id) = &own_id {
        d.poll_until_settled(OWN, id).await;
    }
    let lists = d.dialect().method(Operation::ListTasks).is_some() && d.dialect().version_header.is_some();
    let context = own.and_then(|task| task.context_id).filter(|_| lists);
    if let Some(context) = &context {
        d.call(BEFORE, list(d, context, None)).await;
    }
    let message = Outgoing { context_id: context.clone(), ..d.outgoing(message.text) };
    let second = d.call_on_peer(SEND.1, d.sending(Operation::SendMessage, &message)).await;
    let Some(id) = task_of(&second.reply).and_then(|task| task.id.clone()) else { return };
    d.poll_until_settled("settle", &id).await;
    let mut reads: Vec<_> = both(d, GET, || read(d, &id, None)).into();
    if is_binding(d, "rest") {
        reads.extend(both(d, NO_HISTORY, || read(d, &id, Some(0))));
    }
    if let Some(context) = &context {
        reads.push(d.call(AFTER, list(d, context, None)));
        if is_binding(d, "rest") {
            reads.extend(both(d, PAGE, || list(d, context, Some(1))));
        }
    }
    d.together(reads).await;
    d.call(AGAIN, read(d, &id, None)).await;
}

fn list(d: &Driver, context: &str, page_size: Option<i64>) -> Call {
    d.list_tasks(&ListQuery { context_id: Some(context.to_owned()), page_size, ..ListQuery::default() })
}

/// The message that was sent through the gateway, and the task that it made, or why there is none.
fn through(t: &Transcript) -> Result<(&Rc<Step>, &Task), Verdict> {
    t.task(SEND.0)?;
    pairs::through(t, SEND.1)?;
    t.task(SEND.1)
}

fn task_ids(t: &Transcript) -> Judged {
    let (step, task) = through(t)?;
    let pair = pair(t, GET)?;
    let id = task.id.clone().unwrap_or_default();
    match (&pair.direct.reply.kind, &pair.through.reply.kind) {
        (ReplyKind::Result(_), _) => Ok(pair.holds()),
        (ReplyKind::Error(error), ReplyKind::Result(_)) if error.is(ErrorName::TaskNotFound) => {
            let found =
                pair.differs(t, "a task that the agent knows", format!("the task {id}, which it does not know,"));
            Ok(found.at(task.at.key("id")).seen_in(step.exchange.id))
        }
        _ => Err(Verdict::inconclusive("the agent does not keep tasks")),
    }
}

/// The user's messages in a task's history, as texts in which ids and parts can be found.
fn history(task: &Task) -> Vec<String> {
    let raw = task.raw.get("history").and_then(serde_json::Value::as_array);
    raw.into_iter().flatten().map(ToString::to_string).collect()
}

/// The id and the text of the message that a step sent.
fn sent(step: &Step) -> Option<(String, String)> {
    let message = step.sent.params.as_ref()?.get("message")?;
    let id = message.get("messageId").and_then(serde_json::Value::as_str).map(str::to_owned);
    // The proto of 0.3 calls them content.
    let text = message.get("parts").or_else(|| message.get("content"))?.get(0)?.get("text")?.as_str()?.to_owned();
    Some((id.unwrap_or_default(), text))
}

fn messages(t: &Transcript) -> Judged {
    let (step, _) = through(t)?;
    let direct = t.step(SEND.0)?;
    let (Some(own), Some(other)) = (sent(direct), sent(step)) else {
        return Err(Verdict::inconclusive("the message cannot be told apart from others"));
    };
    let (own_step, own_task) = t.task(OWN)?;
    let (reading, task) = t.task(AGAIN)?;
    let pair = Pair { direct: own_step, through: step };
    let holds =
        |texts: &[String], part: &str| !part.is_empty() && texts.iter().any(|text| text.contains(&quoted(part)));
    let (kept, arrived) = (history(own_task), history(task));
    let mut compared = false;
    for (name, own, other) in [("messageId", &own.0, &other.0), ("text", &own.1, &other.1)] {
        // Agents need not keep messages, and may keep them in other words.
        if !holds(&kept, own) || arrived.is_empty() {
            continue;
        }
        compared = true;
        if !holds(&arrived, other) {
            let actual = format!("a task whose history does not have the {name} that was sent");
            let expected = format!("the {name} {}", quoted(other));
            return Ok(pair.differs(t, expected, actual).at("/history").seen_in(reading.exchange.id));
        }
    }
    if !compared {
        return Err(Verdict::inconclusive("the agent does not show the messages that it received"));
    }
    Ok(pair.holds().seen_in(reading.exchange.id))
}

/// A text as it stands in JSON.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn same_task(t: &Transcript) -> Judged {
    through(t)?;
    let pair = pair(t, GET)?;
    let (_, direct) = t.task(GET.0)?;
    let (_, again) = t.task(AGAIN)?;
    let ReplyKind::Result(Payload::Task(shown)) = &pair.through.reply.kind else { return Err(pair.blocked()) };
    // T-GW-1: a task may change by itself.
    let moving = diff(&direct.raw, &again.raw);
    match lasting_differences(&direct.raw, &shown.raw, &moving).first() {
        None => Ok(pair.holds()),
        Some(change) => {
            let [expected, actual] = [direct, shown].map(|task| shown_at(change, &task.raw, 80));
            Ok(pair.differs(t, expected, actual).at(format!("{}{}", shown.at, change.pointer)))
        }
    }
}

fn messages_of(task: &Task) -> usize {
    task.history.as_deref().map_or(0, <[Message]>::len)
}

fn query(t: &Transcript) -> Judged {
    through(t)?;
    let (_, whole) = t.task(GET.0)?;
    if let (Ok((direct, none)), Ok((step, some))) = (t.task(NO_HISTORY.0), t.task(NO_HISTORY.1))
        && messages_of(whole) > 0
        && messages_of(none) == 0
    {
        let pair = Pair { direct, through: step };
        let actual = format!("{} for historyLength=0", count_of(messages_of(some), "message"));
        let found = pair.differs(t, "no history for historyLength=0", actual);
        return Ok(if messages_of(some) > 0 { found.at(step.exchange.asked_url()) } else { pair.holds() });
    }
    let (direct, one) = t.list(PAGE.0).map_err(|_| Verdict::inconclusive("the agent does not use the query itself"))?;
    let (_, all) = t.list(AFTER)?;
    pairs::through(t, PAGE.1)?;
    let (step, shown) = t.list(PAGE.1)?;
    let pair = Pair { direct, through: step };
    if all.tasks.len() < 2 || one.tasks.len() != 1 {
        return Err(Verdict::inconclusive("the agent does not use the query itself"));
    }
    let actual = format!("{} for pageSize=1", count_of(shown.tasks.len(), "task"));
    let found = pair.differs(t, "1 task for pageSize=1", actual).at(step.exchange.asked_url());
    Ok(if shown.tasks.len() > 1 { found } else { pair.holds() })
}

fn once(t: &Transcript) -> Judged {
    let (step, _) = through(t)?;
    let (_, before) = t.list(BEFORE)?;
    let (reading, after) = t.list(AFTER)?;
    let made = after.tasks.len().saturating_sub(before.tasks.len());
    if before.tasks.is_empty() || made == 0 {
        return Err(Verdict::inconclusive("the agent does not list the tasks of the context"));
    }
    let pair = Pair { direct: t.step(SEND.0)?, through: step };
    // An agent may make several tasks of a message; the one that was sent directly shows how many.
    if made <= before.tasks.len() {
        return Ok(pair.holds().seen_in(reading.exchange.id));
    }
    let expected = format!("{} for a message", count_of(before.tasks.len(), "new task"));
    Ok(pair.differs(t, expected, count_of(made, "new task")).seen_in(reading.exchange.id))
}
