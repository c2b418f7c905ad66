//! A task that asks for an authorisation: it says for which, and goes on listening.

use futures_util::future::LocalBoxFuture;

use crate::a2a::binding::Said;
use crate::a2a::dialect::write::Outgoing;
use crate::a2a::model::{Task, TaskState};
use crate::engine::check::anyone;
use crate::engine::drive::{Driver, task_of};
use crate::engine::prompt::Behaviour;
use crate::engine::take::Take;
use crate::engine::verdict::{Judged, Verdict};
use crate::scenario;

scenario! {
    "auth-required", "Bring a task to ask for an authorisation", in MultiTurn, scope: Lane,
    messages: 2, streams: 0, after: ["send"], needs: anyone, drive: drive,
    checks: {
        /// The person who is to authorise something has to know what.
        ///
        /// Fix: Say in status.message what authorisation is needed when the task asks for one.
        "auth-required.message", "A task that needs an authorisation says which",
        requires: ["auth-required.message", "auth-required.v03"], faults: ["auth-required-silent"], judge: asks;

        /// While the authorisation is on its way, the client may have something to add, or may want to call it off.
        ///
        /// Fix: Take messages for a task in AUTH_REQUIRED.
        "auth-required.accepts-messages", "Messages are taken meanwhile",
        requires: ["auth-required.accepts-messages"], faults: ["auth-required-deaf"], judge: listens;
    }
}

fn drive(d: &Driver) -> LocalBoxFuture<'_, ()> {
    Box::pin(async move {
        if d.facts.prompts.text(Behaviour::AuthRequired).is_none() {
            return d.stop(Verdict::not_applicable(
                "nothing says that the agent asks for authorisations; a prompt \"auth-required\" would show it",
            ));
        }
        let Some(message) = d.prompt(Behaviour::AuthRequired) else { return };
        let first = d.send("first", &message).await;
        let Some(task) = task_of(&first.reply).cloned() else { return };
        let Some(id) = task.id.clone() else { return };
        if task.state != Some(TaskState::AuthRequired) {
            return;
        }
        let more = d.outgoing("Please wait a moment.");
        if d.asks("auth-required.accepts-messages") {
            d.send("more", &Outgoing { task_id: Some(id.clone()), context_id: task.context_id, ..more }).await;
        }
        d.cancel("cancel", &id).await;
    })
}

/// The task that asked.
fn asked(t: &Take) -> Result<&Task, Verdict> {
    let (step, task) = t.task("first")?;
    if task.state == Some(TaskState::AuthRequired) {
        return Ok(task);
    }
    Err(Verdict::inconclusive("the task did not ask for an authorisation").seen_in(step.exchange.id))
}

fn asks(t: &Take) -> Judged {
    let task = asked(t)?;
    let (step, _) = t.task("first")?;
    let said = task.status_message.as_ref().is_some_and(|message| !message.parts.is_empty());
    let place = format!("{}/status/message", task.at);
    step.claim(said, "a status message that says what authorisation is needed", "none", place)
}

fn listens(t: &Take) -> Judged {
    asked(t)?;
    let step = t.answered("more")?;
    let refused = matches!(step.reply.said, Said::Error(_));
    step.claim(!refused, "the message to be taken", step.reply.said.describe(), "")
}
