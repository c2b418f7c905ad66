//! What the messages of a client name: ids of their own, known tasks and their contexts, and no task that has finished.

use std::collections::HashMap;

use super::client_check::{ClientCheck, judge_places};
use super::conversation::{ClientCall, ClientConversation, text};
use super::message_form_checks::NO_MESSAGE;
use crate::a2a::binding::ReplyKind;
use crate::a2a::model::ErrorName;
use crate::engine::check::Check;
use crate::engine::verdict::{Judged, Verdict};
use crate::wire::json::{Pointer, Value};

/// For a rule about messages to tasks when there are none.
const NO_FOLLOW_UP: &str = "the client sent no message to a task; multi-turn begins a conversation that needs one";

pub(super) static CHECKS: &[ClientCheck] = &[
    Check {
        id: "client.message-id-unique",
        title: "Each message has its own messageId",
        why: "An agent may take a second message with the same id for a repetition, and ignore it.",
        fix: "Generate a messageId for each message; only a repetition of the same message keeps it.",
        ..Check::tripped_by(&["message-id-reused"])
    }
    .judging_clients_by(id_unique),
    Check {
        id: "client.known-task",
        title: "Messages name only tasks that the agent created",
        why: "The agent generates the ids of tasks, and refuses messages to tasks that it did not create.",
        fix: "Leave taskId out of the first message, and copy it from the returned task into the following ones.",
        ..Check::tripped_by(&["task-id-invented"])
    }
    .judging_clients_by(known_task),
    Check {
        id: "client.context-of-task",
        title: "A message to a task names the task's own context, or none",
        why: "An agent refuses a message whose context is not that of its task.",
        fix: "Copy contextId together with taskId from the task, or leave it out.",
        ..Check::tripped_by(&["context-of-another-task"])
    }
    .judging_clients_by(context_of_task),
    Check {
        id: "client.no-message-to-finished",
        title: "Messages do not go to tasks that have finished",
        why: "A task that has finished does not start again; the agent returns an error.",
        fix: "Send a new message with the contextId of the task, and name the task in referenceTaskIds.",
        ..Check::tripped_by(&["message-to-finished-task"])
    }
    .judging_clients_by(no_message_to_finished),
];

fn id_unique(c: &ClientConversation<'_>) -> Judged {
    let mut known: HashMap<&str, (&Value, u32)> = HashMap::new();
    let mut ends: Option<(u32, u32)> = None;
    for (call, (message, at)) in c.messages() {
        let Some(id) = text(message, "messageId") else { continue };
        match known.get(id) {
            // The same message again is a repetition, which keeps its id.
            Some((other, _)) if **other == *message => {}
            Some((_, first)) => {
                let verdict = call.fail("a messageId of its own", format!("{id:?}, as another message"));
                return Ok(verdict.at(at.key("messageId")).seen_in(*first));
            }
            None => {
                known.insert(id, (message, call.id()));
                ends = Some((ends.map_or_else(|| call.id(), |(first, _)| first), call.id()));
            }
        }
    }
    match ends {
        None => Err(Verdict::not_applicable(NO_MESSAGE)),
        Some(_) if known.len() == 1 => Err(Verdict::not_applicable(
            "the client sent one message; a second one would show whether it has an id of its own",
        )),
        Some((first, last)) => Ok(Verdict::pass().seen_in(first).seen_in(last)),
    }
}

fn known_task(c: &ClientConversation<'_>) -> Judged {
    judge_places(to_tasks(c), NO_FOLLOW_UP, |call, (task, at)| {
        let is_refused = matches!(&call.reply.kind, ReplyKind::Error(error) if error.name == Some(ErrorName::TaskNotFound)
            || (error.name.is_none() && error.may_be.contains(&ErrorName::TaskNotFound)));
        let is_unknown = is_refused && !c.session.knows_task(task);
        let actual = format!("{task:?}, which the agent has returned to nobody since it began");
        let expected = "no taskId, or that of a task which the agent returned";
        is_unknown.then(|| call.fail(expected, actual).at(at.key("taskId")))
    })
}

/// The messages to tasks, each with the task's id.
fn to_tasks<'a>(c: &ClientConversation<'a>) -> impl Iterator<Item = (&'a ClientCall, (&'a str, Pointer))> + use<'a> {
    c.messages().filter_map(|(call, (message, at))| Some((call, (text(message, "taskId")?, at))))
}

fn context_of_task(c: &ClientConversation<'_>) -> Judged {
    let named = c.messages().filter_map(|(call, (message, at))| {
        let context = c.session.context_of(text(message, "taskId")?)?;
        Some((call, (context, text(message, "contextId")?, at)))
    });
    judge_places(named, "the client sent no message that names a task and a context", |call, (expected, given, at)| {
        (expected != given).then(|| {
            call.fail(format!("{expected:?}, the context of the task"), format!("{given:?}")).at(at.key("contextId"))
        })
    })
}

fn no_message_to_finished(c: &ClientConversation<'_>) -> Judged {
    judge_places(to_tasks(c), NO_FOLLOW_UP, |call, (task, at)| {
        let told = c.session.told_finished(task, call)?;
        let actual = format!("one to {task:?}, which has");
        let verdict = call.fail("a message to a task that has not finished", actual);
        Some(verdict.at(at.key("taskId")).seen_in(told.id()))
    })
}
