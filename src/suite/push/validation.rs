//! Agents that ask a webhook to repeat a validation token before they notify it: whether they heed the answer. The guides of
//! 0.2 to 1.0 describe it; no agent has to do so.

use futures_util::future::join;

use super::applicability::{driven_natively, judged_natively, received};
use super::delivery;
use super::usual_task::{USUAL, UsualTask, is_over};
use super::webhooks::{KEPT, Webhook, create};
use crate::a2a::binding::ReplyKind;
use crate::a2a::dialect::write::Outgoing;
use crate::engine::prelude::{Behaviour, Check, Driver, Judged, Scenario, Transcript, Verdict, task_of};
use crate::host::webhooks::WebhookAnswer;
use crate::wire::json::Value;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "push-validation",
    title: "Work on a task whose webhook is not the client's",
    messages: 1,
    is_thorough: true,
    rounds: 9 + Driver::STRAY_ROUNDS,
    after: &[USUAL, delivery::SCENARIO.id],
    needs_task_at_work: true,
    needs: received,
    drive: driven_natively(|d| Box::pin(drive(d))),
    checks: &[Check {
        id: "push.validation",
        title: "A webhook that does not repeat its validation token is sent nothing",
        why: "Anybody could have the agent send requests, with what its tasks contain, to a server that did not ask for them.",
        fix: "Send notifications only after the webhook has answered the validation request with 2xx and the token.",
        judge: judged_natively(judge),
        ..Check::tripped_by(&["push-validation-ignored"])
    }],
    ..Scenario::DEFAULTS
};

/// Says that it is not the client's.
const DISOWNING: Webhook = Webhook { name: "disowning-webhook", registered: "register-disowning-webhook" };

/// The step that tells that the agent asked it for its token.
const ASKED: &str = "validation-asked";

const NOT_ASKED: &str = "the agent does not ask webhooks to repeat a validation token";

async fn drive(d: &Driver) {
    if let Err(why) = d.webhook_receiver() {
        return d.stop(why);
    }
    let Some(usual) = UsualTask::before(d) else { return };
    if !d.is_webhook_validated(KEPT.name) {
        return d.stop(Verdict::not_applicable(NOT_ASKED));
    }
    let Some(message) = d.prompt(Behaviour::LongRunning) else { return };
    let sent = d.send("send", &Outgoing { return_immediately: Some(true), ..message }).await;
    let Some(task) = task_of(&sent.reply) else { return };
    let Some(id) = task.id.as_deref().filter(|_| !is_over(&sent)) else { return };
    d.answer_webhook(DISOWNING.name, WebhookAnswer::Disown);
    let registered = async {
        let _hurry = d.hurry();
        create(d, &DISOWNING, id).await;
    };
    join(d.poll_while_it_moves("poll", id, Box::new(move || usual.patience_ms())), registered).await;
    d.pause(d.stray_notification_ms()).await;
    d.record_received(DISOWNING.name);
    if let Some(step) = d.last(DISOWNING.registered).filter(|_| d.is_webhook_validated(DISOWNING.name)) {
        d.record_finding(ASKED, &step, Value::Bool(true));
    }
}

fn judge(t: &Transcript) -> Judged {
    t.ran_to_its_end()?;
    t.task("send")?;
    let Some(registered) = t.every(DISOWNING.registered).next() else {
        return Err(Verdict::inconclusive("the task was over before a webhook could be registered"));
    };
    if !matches!(registered.reply.kind, ReplyKind::Result(_)) {
        return Ok(registered.pass_with("the agent refused the webhook"));
    }
    if t.every(ASKED).next().is_none() {
        return Err(registered.inconclusive("the agent did not ask this webhook for its token"));
    }
    let Some(notification) = t.every(DISOWNING.name).next() else { return Ok(registered.pass()) };
    let expected = "no notification to a webhook that answered the validation request with 404";
    Ok(notification.fail(expected, "a notification").seen_in(registered.exchange.id))
}
