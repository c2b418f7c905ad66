//! The conversation that waits for notifications at webhooks of ours, for how long, and the texts of its checks; judges are in
//! `delivery_judgement.rs`.

use std::rc::Rc;

use futures_util::future::join;

use super::applicability::{driven_natively, judged_natively, received};
use super::delivery_judgement as judge;
use super::notification::state_of_body;
use super::signed_tokens;
use super::usual_task::{USUAL, UsualTask, is_over};
use super::webhooks::{
    ALL, DELETED, DELETION, GIVEN, KEPT, REACHABLE, SECOND, STREAMED, Webhook, is_at_work_after, register, with_message,
};
use crate::a2a::binding::ReplyKind;
use crate::a2a::dialect::write::Outgoing;
use crate::a2a::model::TaskState;
use crate::engine::prelude::{Behaviour, Check, Driver, Scenario, Step, StreamControl, task_of};
use crate::host::webhooks::ReceivedRequest;
use crate::wire::json::Value;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "push-delivery",
    title: "Receive the push notifications of a task",
    // One more where the config that comes with it is refused, and one where nothing arrives.
    messages: 3,
    attempts: 3,
    // The last of them are the time in which what should not come may come.
    rounds: 9 + Driver::STRAY_ROUNDS,
    after: &[USUAL],
    needs_task_at_work: true,
    needs: received,
    drive: driven_natively(|d| Box::pin(drive(d))),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    Check {
        id: "push.delivery",
        title: "A webhook is notified of its task",
        why: "A client that waits for notifications does not ask for the task any more.",
        fix: "Send a POST to the webhook of each config when its task changes.",
        requirements: &["push.delivery", "push.v03.delivery"],
        judge: judged_natively(|t| judge::delivery(t, &KEPT)),
        ..Check::tripped_by(&["push-nothing-sent", "push-streamed-only"])
    },
    Check {
        id: "push.delivery-each",
        title: "Each webhook of a task is notified",
        why: "Two listeners mean two configs; each waits for its own notifications.",
        fix: "Send each notification to every config of the task.",
        requirements: &["push.delivery"],
        judge: judged_natively(|t| judge::arrived(t, &KEPT).and_then(|_| judge::delivery(t, &SECOND))),
        ..Check::tripped_by(&["push-first-served"])
    },
    Check {
        id: "push.terminal-state",
        title: "The end of a task is notified",
        why: "A client that waits for the end of its task is never told of it.",
        fix: "Send a notification when a task reaches a terminal state.",
        requirements: &["push.terminal-state"],
        judge: judged_natively(judge::terminal_state),
        ..Check::tripped_by(&["push-end-unsent"])
    },
    Check {
        id: "push.task-goes-on",
        title: "A task with webhooks ends as one without does",
        why: "A client that asks for notifications waits for a task that nobody works on any more.",
        fix: "Go on with the task whatever becomes of its notifications: one that cannot be sent is not the task's problem.",
        judge: judged_natively(judge::task_goes_on),
        ..Check::tripped_by(&["push-stops-task"])
    },
    Check {
        id: "push.payload",
        title: "A notification is a StreamResponse",
        why: "Clients read notifications by the code that reads the events of streams.",
        fix: "Send an object with one of task, message, statusUpdate and artifactUpdate.",
        judge: judged_natively(judge::payload),
        ..Check::tripped_by(&["push-bare-task"])
    },
    Check {
        id: "push.notified-task",
        title: "Notifications name the task",
        why: "A client with several tasks does not know which one a notification is about.",
        fix: "Send the id of the task that the config was created for.",
        requirements: &["push.payload", "push.v03.payload"],
        judge: judged_natively(judge::notified_task),
        ..Check::tripped_by(&["push-other-task"])
    },
    Check {
        id: "push.content-type",
        title: "Notifications have a JSON media type",
        why: "Web frameworks hand on a body as JSON only when its media type says so.",
        fix: "Send Content-Type: application/a2a+json.",
        judge: judged_natively(judge::content_type),
        ..Check::tripped_by(&["push-sent-as-text"])
    },
    Check {
        id: "push.authentication",
        title: "Notifications carry the configured credentials",
        why: "A webhook refuses notifications from somebody that it does not know.",
        fix: "Send Authorization with the scheme and the credentials of the config.",
        judge: judged_natively(judge::authentication),
        ..Check::tripped_by(&["push-sent-openly"])
    },
    Check {
        id: "push.signed-token",
        title: "The signed token of a notification verifies",
        why: "A webhook that verifies tokens refuses a notification whose token is not the agent's, or has expired.",
        fix: "Sign a new token for each notification, with a key that the agent publishes at /.well-known/jwks.json.",
        judge: judged_natively(|t| signed_tokens::signed_token(t, &KEPT)),
        ..Check::tripped_by(&["push-signature-foreign", "push-signature-expired"])
    },
    Check {
        id: "push.token",
        title: "Notifications carry the configured token",
        why: "By its token a client knows that a notification is for it.",
        fix: "Send the token of the config in X-A2A-Notification-Token.",
        judge: judged_natively(judge::token),
        ..Check::tripped_by(&["push-token-unsent"])
    },
    Check {
        id: "push.stops-after-delete",
        title: "No notification follows the deletion of a config",
        why: "A client that deletes a config no longer wants notifications.",
        fix: "Look the config up before each notification, and send none when it was deleted.",
        judge: judged_natively(judge::stops_after_delete),
        ..Check::tripped_by(&["push-sent-after-delete", "push-delete-keeps"])
    },
    Check {
        id: "push.order",
        title: "Notifications arrive in order",
        why: "A client takes the state that it is told last for the task's.",
        fix: "Send the next notification of a task to a webhook when the one before it was answered.",
        judge: judged_natively(judge::order),
        ..Check::tripped_by(&["push-sent-late"])
    },
    Check {
        id: "push.once",
        title: "Each notification is sent once",
        why: "A client that is told everything twice does everything twice, unless it takes care.",
        fix: "Send a notification again only when the webhook did not answer with 2xx.",
        judge: judged_natively(judge::once),
        ..Check::tripped_by(&["push-sent-twice"])
    },
];

const STEPS: [&str; 6] = ["send", "poll", KEPT.registered, SECOND.registered, DELETED.registered, DELETION];

/// How long to wait for the next notification, in milliseconds.
const PATIENCE_MS: f64 = 5000.0;
/// How long nothing may come before a streamed message asks for notifications too, in milliseconds.
const SOON_MS: f64 = 1000.0;
const PAUSE_MS: f64 = 100.0;

async fn drive(d: &Driver) {
    let is_reachable = match d.webhook_receiver() {
        Ok(receiver) => receiver.is_reachable(),
        Err(why) => return d.stop(why),
    };
    let Some(usual) = UsualTask::before(d) else { return };
    let Some(message) = d.prompt(Behaviour::LongRunning) else { return };
    let mut is_in_time = attempt(d, &message, usual).await;
    for _ in 1..SCENARIO.attempts {
        if is_in_time || !d.may_try_again(&message.text) {
            break;
        }
        let _alone = d.without_other_requests(&STEPS).await;
        d.renew_webhooks();
        is_in_time = attempt(d, &d.outgoing(message.text.clone()), usual).await;
    }
    if let Some(step) = d.last(KEPT.registered).or_else(|| d.last(GIVEN.registered)) {
        d.record_finding(REACHABLE, &step, Value::Bool(is_reachable));
    }
    let waited = d.last(GIVEN.registered).filter(|sent| is_over(sent) && d.last(KEPT.registered).is_none());
    let mut awaited: Vec<_> = match waited {
        Some(_) => vec![&GIVEN],
        None => [&KEPT, &SECOND].into_iter().filter(|webhook| will_be_notified(d, webhook)).collect(),
    };
    if !awaited.is_empty() {
        wait_for_ends(d, &awaited, SOON_MS).await;
        let nothing_came = ALL.iter().all(|known| d.received(known.name).is_empty());
        if nothing_came && !is_reachable && d.facts().declares(|card| card.streaming) {
            let config = with_message(d, &STREAMED).await;
            let streamed = Outgoing { push_config: config, ..d.outgoing(message.text.clone()) };
            d.open(STREAMED.registered, &streamed, |_| StreamControl::Continue).await;
            awaited.push(&STREAMED);
        }
        wait_for_ends(d, &awaited, PATIENCE_MS).await;
        wait_for_strays(d).await;
    }
    for webhook in ALL {
        d.record_received(webhook.name);
    }
    signed_tokens::record(d, &KEPT).await;
}

/// Lets a task work that has webhooks. Whether it was at work until they were registered, and one of them was deleted.
async fn attempt(d: &Driver, message: &Outgoing, usual: UsualTask) -> bool {
    let plain = || Outgoing { return_immediately: Some(true), ..message.clone() };
    let mut sent = d.send("send", &Outgoing { push_config: with_message(d, &GIVEN).await, ..plain() }).await;
    if matches!(sent.reply.kind, ReplyKind::Error(_)) {
        sent = d.send("send", &plain()).await;
    }
    let Some(task) = task_of(&sent.reply) else { return true };
    if is_over(&sent) {
        // An agent that never answers before would not do so next time.
        return d.earlier(USUAL).is_none_or(|usual| usual.every("send").all(|sent| is_over(sent)));
    }
    let Some(id) = task.id.as_deref() else { return true };
    let followed = d.poll_while_it_moves("poll", id, Box::new(move || usual.patience_ms()));
    join(followed, register(d, id)).await;
    let ends = STEPS.iter().filter_map(|step| d.last(step)).filter(|step| step.name != "poll");
    let ready_ms = ends.map(|step| step.exchange.end_ms).fold(0.0, f64::max);
    d.every("poll").iter().any(|reading| is_at_work_after(reading, ready_ms))
}

/// Whether a webhook was registered before the task had finished, as a reading shows, or what has arrived there.
fn will_be_notified(d: &Driver, webhook: &Webhook) -> bool {
    let registered = d.last(webhook.registered).filter(|step| matches!(step.reply.kind, ReplyKind::Result(_)));
    registered.is_some_and(|registered| {
        let is_at_work = |reading: &Rc<Step>| is_at_work_after(reading, registered.exchange.end_ms);
        d.every("poll").iter().any(is_at_work) || !d.received(webhook.name).is_empty()
    })
}

/// Waits for what should not come, until nothing has come for as long as that may take.
async fn wait_for_strays(d: &Driver) {
    // Webhooks go by the host's clock, which may have begun long before the run.
    let begun_ms = d.host_now_ms() - d.now_ms();
    let last_ms = || {
        let received = ALL.iter().flat_map(|webhook| d.received(webhook.name));
        let deleted_ms = d.last(DELETION).map(|step| step.exchange.end_ms);
        received.map(|request| request.arrived_ms - begun_ms).chain(deleted_ms).reduce(f64::max)
    };
    while let Some(last_ms) = last_ms().filter(|_| d.has_time()) {
        let left_ms = last_ms + d.stray_notification_ms() - d.now_ms();
        if left_ms <= 0.0 {
            break;
        }
        d.pause(left_ms).await;
    }
}

/// Waits until each webhook was told of the end, or until nothing has come for so many milliseconds.
async fn wait_for_ends(d: &Driver, webhooks: &[&Webhook], patience_ms: f64) {
    let is_told = |webhook: &&Webhook| {
        d.received(webhook.name)
            .iter()
            .filter_map(ReceivedRequest::document)
            .any(|body| state_of_body(&body, d.dialect()).is_some_and(TaskState::is_terminal))
    };
    let count = || webhooks.iter().map(|webhook| d.received(webhook.name).len()).sum::<usize>();
    let (mut seen, mut since_ms) = (count(), d.now_ms());
    while !webhooks.iter().all(is_told) && d.now_ms() - since_ms < patience_ms && d.has_time() {
        d.pause(PAUSE_MS).await;
        let now = count();
        if now != seen {
            (seen, since_ms) = (now, d.now_ms());
        }
    }
}
