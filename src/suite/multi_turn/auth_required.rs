//! A task that requires authorisation: it says for what, goes on listening, and can be cancelled.

use crate::a2a::binding::ReplyKind;
use crate::a2a::dialect::write::Outgoing;
use crate::a2a::model::{Task, TaskState};
use crate::engine::prelude::{Behaviour, Check, Driver, Judged, Scenario, Step, Transcript, Verdict, task_of};

pub(super) static SCENARIO: Scenario = Scenario {
    id: "auth-required",
    title: "Bring a task to require authorisation",
    messages: 2,
    rounds: 3,
    after: &["send"],
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    Check {
        id: "auth-required.message",
        title: "A task that requires authorisation explains what for",
        why: "The person who is to authorise something has to know what it is.",
        fix: "When a task requires authorisation, explain in status.message what is to be authorised.",
        requirements: &["auth-required.message", "auth-required.v03"],
        judge: asks,
        ..Check::tripped_by(&["auth-required-silent"])
    },
    Check {
        id: "auth-required.accepts-messages",
        title: "Messages are accepted meanwhile",
        why: "While the authorisation is pending, the client may want to add something or cancel.",
        fix: "Accept messages for a task in AUTH_REQUIRED.",
        judge: listens,
        ..Check::tripped_by(&["auth-required-deaf"])
    },
    Check {
        id: "cancel.waiting",
        title: "A task that waits can be cancelled",
        why: "A task that is cancelled and goes on waiting is never over: whoever polls it polls for ever.",
        fix: "Set the canceled state when a task without running work is cancelled, whatever the handler does.",
        judge: cancelled,
        ..Check::tripped_by(&["cancel-waiting-ignored"])
    },
];

async fn drive(d: &Driver) {
    if let Err(why) = d.facts().names_prompt(Behaviour::AuthRequired) {
        return d.stop(why);
    }
    let Some(message) = d.prompt(Behaviour::AuthRequired) else { return };
    let first = d.send("first", &message).await;
    let Some(task) = task_of(&first.reply).cloned() else { return };
    let Some(id) = task.id.clone() else { return };
    if task.state != Some(TaskState::AuthRequired) {
        return;
    }
    let more = d.outgoing("Please wait a moment.");
    if d.has_check("auth-required.accepts-messages") {
        d.send("more", &Outgoing { task_id: Some(id.clone()), context_id: task.context_id, ..more }).await;
    }
    let answer = d.cancel("cancel", &id).await;
    // T-TASK-6: the agent may need a moment.
    let is_over = |step: &Step| task_of(&step.reply).and_then(|task| task.state).is_none_or(TaskState::is_terminal);
    let mut pause = 100.0;
    for _ in 0..if is_over(&answer) { 0 } else { 5 } {
        let seen = d.get("after", &id, None).await;
        if is_over(&seen) {
            break;
        }
        d.pause(pause).await;
        pause *= 2.0;
    }
}

fn asked(t: &Transcript) -> Result<&Task, Verdict> {
    let (step, task) = t.task("first")?;
    if task.state == Some(TaskState::AuthRequired) {
        return Ok(task);
    }
    Err(step.inconclusive("the task did not require authorisation"))
}

fn asks(t: &Transcript) -> Judged {
    let task = asked(t)?;
    let (step, _) = t.task("first")?;
    let kind = task.status_message.as_ref().is_some_and(|message| !message.parts.is_empty());
    let place = task.at.key("status").key("message");
    step.claim(kind, "a status message that explains what to authorise", "none", place)
}

fn listens(t: &Transcript) -> Judged {
    asked(t)?;
    let step = t.answered("more")?;
    let refused = matches!(step.reply.kind, ReplyKind::Error(_));
    step.claim(!refused, "the message to be accepted", step.reply.kind.describe(), "")
}

fn cancelled(t: &Transcript) -> Judged {
    asked(t)?;
    // Whether it may refuse, and with which error, is judged where a task is at work.
    let (cancel, _) = t.succeeded("cancel")?;
    let (step, task) = t.task("after").or_else(|_| t.task("cancel"))?;
    let state = task.state_text.as_deref().unwrap_or("no state");
    let verdict = step.claim(task.is_over(), "the canceled state", state, task.place_of_state())?;
    Ok(verdict.seen_in(cancel.exchange.id))
}
