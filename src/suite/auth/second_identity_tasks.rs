//! Tasks of one identity that another asks for: whether it can read, subscribe to, cancel or answer them, and whether the refusal
//! tells that they exist. Whoever gives two identities says by that that neither may see the other's tasks: the authorization model
//! is the agent's own (T-AUTH-5), and what it is cannot be seen from outside.

use super::access::required;
use super::second_identity_replies::{
    REFUSED, Refusal, Seen, asked, compared, hidden, separates_identities, shares_everything, shown_task, task_at,
};
use super::{second_identity_lists, second_identity_push};
use crate::a2a::binding::{Call, Credentials, ReplyKind};
use crate::a2a::dialect::write::Outgoing;
use crate::a2a::model::{ErrorName, Message, Operation, TaskState};
use crate::engine::prelude::{
    Behaviour, Check, Driver, Judged, RunFacts, Scenario, StreamControl, Transcript, Verdict, task_of,
};
use crate::suite::messaging::finished;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "auth-foreign-tasks",
    title: "Ask for tasks of another identity",
    messages: 2,
    streams: 1,
    rounds: 13,
    after: &["send"],
    needs: two_identities,
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

/// The advice for every finding of a task that another identity could use.
const FIX: &str = "Before every operation on a task, compare its owner with the caller, and return TaskNotFoundError for \
                   the tasks of others. If your authorization model lets these two identities share tasks, run again \
                   with two that must not.";

const CHECKS: &[Check] = &[
    Check {
        id: "auth.foreign-get",
        title: "Another identity cannot read a task",
        why: "Tasks contain what people told the agent, and everybody else with an account could read it.",
        fix: FIX,
        requirements: &["auth.task-scoping"],
        judge: get,
        ..Check::tripped_by(&["foreign-task-read", "users-not-told-apart"])
    },
    Check {
        id: "auth.foreign-subscribe",
        title: "Another identity cannot subscribe to a task",
        why: "A subscriber sees everything that the task produces from then on.",
        fix: FIX,
        requirements: &["auth.task-scoping"],
        judge: |t| {
            t.facts.declared("streaming", |card| card.streaming)?;
            separates_identities(t)?;
            unseen(t, "subscribe")
        },
        ..Check::tripped_by(&["foreign-task-subscribed"])
    },
    Check {
        id: "auth.foreign-cancel",
        title: "Another identity cannot cancel a task",
        why: "Anybody with an account could stop the work of others.",
        fix: FIX,
        requirements: &["auth.task-scoping"],
        judge: |t| untouched(t, "cancel", "after-cancel"),
        ..Check::tripped_by(&["foreign-task-cancelled", "foreign-cancel-done"])
    },
    Check {
        id: "auth.foreign-message",
        title: "Another identity cannot send messages to a task",
        why: "Anybody with an account could answer in the name of the person whom the agent asked.",
        fix: FIX,
        requirements: &["auth.task-scoping"],
        judge: |t| untouched(t, "message", "after-message"),
        ..Check::tripped_by(&["foreign-task-continued", "foreign-message-kept"])
    },
    Check {
        id: "auth.foreign-push",
        title: "Another identity cannot read or create push notification configs of a task",
        why: "A config contains a URL and a token, and a new one sends the task's results to whoever created it.",
        fix: FIX,
        requirements: &["auth.task-scoping"],
        judge: second_identity_push::shown_or_created,
        ..Check::tripped_by(&["foreign-push-read", "foreign-push-listed", "foreign-push-created"])
    },
    Check {
        id: "auth.foreign-push-delete",
        title: "Another identity cannot delete push notification configs of a task",
        why: "Anybody with an account could keep others from being notified about their own tasks.",
        fix: FIX,
        requirements: &["auth.push-scoping"],
        judge: second_identity_push::deleted,
        ..Check::tripped_by(&["foreign-push-deleted", "foreign-push-delete-done"])
    },
    Check {
        id: "list.scoped-to-caller",
        title: "A list contains only the caller's tasks",
        why: "A list that is not limited to the caller shows everybody everything at once.",
        fix: "Limit the query to what the caller may see before any filter is applied, contextId included. If your \
              authorization model lets these two identities share tasks, run again with two that must not.",
        judge: second_identity_lists::unlisted,
        ..Check::tripped_by(&["foreign-task-listed", "foreign-context-listed", "foreign-page-listed"])
    },
    Check {
        id: "auth.foreign-error",
        title: "A task of another identity is refused as not found or not allowed",
        why: "Other errors report on a task that the caller must not see, and lead clients to look for a mistake of \
              their own.",
        fix: "Return TaskNotFoundError, or an authorization error, before looking at anything else about the task.",
        requirements: &["auth.forbidden"],
        judge: right_error,
        ..Check::tripped_by(&["foreign-task-unsupported"])
    },
    Check {
        id: "auth.foreign-existence",
        title: "A task of another identity looks like one that does not exist",
        why: "A caller who may not see a task must not learn whether it exists, because ids can be guessed.",
        fix: "Return TaskNotFoundError in both cases.",
        requirements: &["auth.no-existence-leak"],
        judge: existence,
        ..Check::tripped_by(&["foreign-task-told"])
    },
];

/// For whom there is something to ask.
fn two_identities(facts: &RunFacts) -> Result<(), Verdict> {
    if facts.second_identity {
        return Ok(());
    }
    required(facts)?;
    Err(Verdict::not_applicable(
        "only one identity was given; to run this check, give the credentials of a second one that must not see the \
         first one's tasks (on the command line: --second-bearer or another of the --second options)",
    ))
}

/// The message of the second identity to the task.
const TEXT: &str = "A message of somebody else's.";

async fn drive(d: &Driver) {
    let Some(Ok(task)) = d.earlier("send").map(|transcript| finished(transcript).cloned()) else { return };
    if !d.has_second() {
        let why = "the second identity has no credentials for this interface; to run this check, give some (on the \
                   command line: --second-lane-header)";
        d.stop(Verdict::not_applicable(why));
        return;
    }
    if let Some(why) = d.second_without_token() {
        d.stop(Verdict::blocked(format!("the second identity has no token: {why}")));
        return;
    }
    let id = task.id.unwrap_or_default();
    let streams = d.facts().declares(|card| card.streaming);
    let second = |call: Call| Call { credentials: Credentials::Second, ..call };
    let nobody = Call { credentials: Credentials::None, ..d.about_task(Operation::GetTask, &id) };
    let mut calls = vec![
        d.call("nobody", nobody),
        d.call("get-missing", second(d.about_task(Operation::GetTask, &d.fresh_id()))),
        d.call("get", second(d.about_task(Operation::GetTask, &id))),
        d.call("cancel-missing", second(d.about_task(Operation::CancelTask, &d.fresh_id()))),
    ];
    if streams {
        calls.push(d.call("subscribe-missing", second(d.about_task(Operation::SubscribeToTask, &d.fresh_id()))));
    }
    d.together(calls).await;
    let live = live_task(d).await;
    if d.has_check("list.scoped-to-caller") {
        second_identity_lists::read(d, task.context_id).await;
    }
    let target = live.unwrap_or(id);
    if d.facts().declares(|card| card.push_notifications) {
        second_identity_push::ask(d, &target).await;
    }
    if streams {
        // A stream that begins has told enough.
        let call = second(d.about_task(Operation::SubscribeToTask, &target));
        d.call_watching("subscribe", call, |_| StreamControl::HangUp).await;
    }
    d.call("cancel", second(d.about_task(Operation::CancelTask, &target))).await;
    d.get("after-cancel", &target, None).await;
    let message = Outgoing { task_id: Some(target.clone()), ..d.outgoing(TEXT) };
    d.call("message", second(d.sending(Operation::SendMessage, &message))).await;
    d.get("after-message", &target, None).await;
}

/// A task of the first identity that is still alive, if the agent can be brought to keep one: best of all one that waits.
async fn live_task(d: &Driver) -> Option<String> {
    let asks = [Behaviour::InputRequired, Behaviour::Cancel, Behaviour::LongRunning];
    let behaviour = asks.into_iter().find(|behaviour| d.facts().prompts.text(*behaviour).is_some())?;
    let at_once = (behaviour != Behaviour::InputRequired).then_some(true);
    let sent = d.send("send", &Outgoing { return_immediately: at_once, ..d.prompt(behaviour)? }).await;
    let task = task_of(&sent.reply)?;
    task.id.clone().filter(|_| task.state.is_some() && !task.is_over())
}

fn get(t: &Transcript) -> Judged {
    let verdict = unseen(t, "get")?;
    match &verdict.actual {
        Some(actual) if shares_everything(t) => {
            let actual = format!(
                "{actual}, and access to all else that was asked for: the agent may take both identities for one"
            );
            t.step("get")?.claim(false, REFUSED, actual, "")
        }
        _ => Ok(verdict),
    }
}

/// That the second identity does not get to see a task, as it is or as it goes on.
fn unseen(t: &Transcript, name: &str) -> Judged {
    let task = task_at(t, name)?;
    let Seen { step, refused } = asked(t, name)?;
    if shown_task(step).is_some_and(|shown| shown.is(task)) {
        return step.claim(false, REFUSED, step.reply.kind.describe(), "");
    }
    hidden(t, step, refused, task)
}

/// That what the second identity asked for did not happen to the task, by the answer and by what its owner sees next.
fn untouched(t: &Transcript, name: &str, after: &str) -> Judged {
    let task = task_at(t, name)?;
    let Seen { step, refused } = asked(t, name)?;
    separates_identities(t)?;
    if name == "message" && t.task("after-cancel").is_ok_and(|(_, task)| task.state == Some(TaskState::Canceled)) {
        return Err(Verdict::inconclusive("the task had been cancelled, see auth.foreign-cancel"));
    }
    if shown_task(step).is_some_and(|shown| shown.is(task)) {
        return step.claim(false, REFUSED, step.reply.kind.describe(), "");
    }
    let (reading, now) = t.task(after)?;
    let changed = match name {
        "cancel" => now.state == Some(TaskState::Canceled) && task.state != now.state,
        _ => now.history.iter().flatten().any(is_foreign),
    };
    if changed {
        let actual = format!("{}, and it happened all the same", step.reply.kind.describe());
        return Ok(reading.fail(REFUSED, actual).at(&now.at).seen_in(step.exchange.id));
    }
    if name == "message" && refused.is_none() && matches!(step.reply.kind, ReplyKind::Result(_)) {
        // Another check judges whether an unknown taskId is refused.
        return Ok(step.pass_with("the message was accepted, but not for this task"));
    }
    hidden(t, step, refused, task)
}

/// Whether a message is that of the second identity.
fn is_foreign(message: &Message) -> bool {
    message.parts.iter().any(|part| part.text() == Some(TEXT))
}

/// T-AUTH-11: 1.0 §3.3.2 has two errors for this, and an example for each. An agent that answers so whatever the task, says nothing
/// about this one.
fn right_error(t: &Transcript) -> Judged {
    let other = [
        ErrorName::Internal,
        ErrorName::TaskNotCancelable,
        ErrorName::UnsupportedOperation,
        ErrorName::PushNotificationNotSupported,
        ErrorName::InvalidAgentResponse,
        ErrorName::ContentTypeNotSupported,
    ];
    compared(t, |step, refused, missing| {
        let Refusal::Error(error) = refused else { return None };
        let named = error.name.is_some_and(|name| other.contains(&name));
        let breach = named && !refused.is_access_refusal() && !refused.is_like(missing);
        breach.then(|| step.fail("TaskNotFoundError or an authorization error", error.describe()).at(&error.at))
    })
}

fn existence(t: &Transcript) -> Judged {
    compared(t, |step, refused, missing| {
        // An id that is malformed for the agent may be refused before anybody looks who asks.
        if !missing.is_access_refusal() || refused.is_not_found() || refused.is_like(missing) {
            return None;
        }
        Some(step.fail(format!("{}, as for a task that does not exist", missing.describe()), refused.describe()))
    })
}
