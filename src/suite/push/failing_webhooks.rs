//! Webhooks that refuse notifications or never answer: whether the task goes on, and whether a notification that failed is sent
//! again.

use futures_util::future::join;

use super::applicability::{driven_natively, judged_natively, received};
use super::usual_task::{USUAL, UsualTask, is_over, judge_end};
use super::webhooks::{Webhook, create, keeps_several};
use crate::a2a::binding::ReplyKind;
use crate::a2a::dialect::write::Outgoing;
use crate::a2a::model::TaskState;
use crate::engine::prelude::{Behaviour, Check, Driver, Judged, Scenario, Step, Transcript, Verdict, task_of};
use crate::host::webhooks::WebhookAnswer;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "push-failures",
    title: "Work on tasks whose webhooks fail",
    messages: 2,
    is_thorough: true,
    rounds: 9,
    after: &[USUAL],
    needs_task_at_work: true,
    needs: received,
    drive: driven_natively(|d| Box::pin(drive(d))),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    Check {
        id: "push.refused-webhook",
        title: "A webhook that refuses notifications does not stop its task",
        why: "One listener that is down would take the work of everybody else with it.",
        fix: "Go on with the task whatever a webhook answers.",
        requirements: &["push.task-goes-on"],
        judge: judged_natively(refused),
        ..Check::tripped_by(&["push-failure-stops"])
    },
    Check {
        id: "push.hanging-webhook",
        title: "A webhook that does not answer does not hold up its task",
        why: "A listener that hangs makes everybody else wait for the task.",
        fix: "Send notifications beside the work on the task, and give each of them up after some seconds.",
        judge: judged_natively(hanging),
        ..Check::tripped_by(&["push-holds-task"])
    },
    Check {
        id: "push.retry",
        title: "A notification that failed is sent again",
        why: "A listener that was restarting misses what was sent meanwhile.",
        fix: "Send a notification again, after growing pauses, when the webhook answered 500.",
        judge: judged_natively(retry),
        ..Check::tripped_by(&["push-not-retried"])
    },
];

/// Answers 500 once.
const FAILING: Webhook = Webhook { name: "failing-webhook", registered: "register-failing-webhook" };
/// Answers 401.
const DENYING: Webhook = Webhook { name: "denying-webhook", registered: "register-denying-webhook" };
/// Does not answer.
const HANGING: Webhook = Webhook { name: "hanging-webhook", registered: "register-hanging-webhook" };

/// How long to wait for a repetition after the last notification, in milliseconds.
const PATIENCE_MS: f64 = 5000.0;
const PAUSE_MS: f64 = 100.0;

struct FailingTask {
    send: &'static str,
    poll: &'static str,
    webhooks: &'static [(Webhook, WebhookAnswer)],
    /// Whether it is left when it took too long as a whole, and not only when it stands still.
    is_timed: bool,
}

const REFUSED: FailingTask = FailingTask {
    send: "send-refused",
    poll: "poll-refused",
    webhooks: &[(FAILING, WebhookAnswer::FailOnce), (DENYING, WebhookAnswer::Deny)],
    is_timed: false,
};
const HELD_UP: FailingTask = FailingTask {
    send: "send-hanging",
    poll: "poll-hanging",
    webhooks: &[(HANGING, WebhookAnswer::Hang)],
    is_timed: true,
};

async fn drive(d: &Driver) {
    if let Err(why) = d.webhook_receiver() {
        return d.stop(why);
    }
    let Some(usual) = UsualTask::before(d) else { return };
    let refused = async {
        follow(d, &REFUSED, usual).await;
        wait_for_repetition(d).await;
    };
    join(refused, follow(d, &HELD_UP, usual)).await;
    for webhook in [FAILING, DENYING, HANGING] {
        d.record_received(webhook.name);
    }
}

/// Lets a task work that has failing webhooks.
async fn follow(d: &Driver, failing: &FailingTask, usual: UsualTask) {
    let Some(message) = d.prompt(Behaviour::LongRunning) else { return };
    let sent = d.send(failing.send, &Outgoing { return_immediately: Some(true), ..message }).await;
    let Some(task) = task_of(&sent.reply) else { return };
    let Some(id) = task.id.as_deref().filter(|_| !is_over(&sent)) else { return };
    let begun_ms = d.now_ms();
    let patience = move || match failing.is_timed {
        true if d.now_ms() - begun_ms < usual.patience_ms() => f64::INFINITY,
        true => 0.0,
        false => usual.patience_ms(),
    };
    let registered = async {
        let _hurry = d.hurry();
        let several = if keeps_several(d) { failing.webhooks.len() } else { 1 };
        for (webhook, answer) in failing.webhooks.iter().take(several) {
            d.answer_webhook(webhook.name, *answer);
            create(d, webhook, id).await;
        }
    };
    join(d.poll_while_it_moves(failing.poll, id, Box::new(patience)), registered).await;
}

/// Waits for a notification that failed to be sent again, for as long as something still comes.
async fn wait_for_repetition(d: &Driver) {
    let (mut seen, mut since_ms) = (0, d.now_ms());
    loop {
        let received = d.received(FAILING.name);
        let Some(first) = received.first() else { return };
        let is_repeated = received.iter().skip(1).any(|later| later.request.body == first.request.body);
        if received.len() != seen {
            (seen, since_ms) = (received.len(), d.now_ms());
        }
        if is_repeated || d.now_ms() - since_ms >= PATIENCE_MS || !d.has_time() {
            return;
        }
        d.pause(PAUSE_MS).await;
    }
}

/// The notifications that arrived at webhooks which fail, and the registration of the first of them.
fn failed<'a>(t: &'a Transcript, task: &'a FailingTask) -> Result<(Vec<&'a Step>, &'a Step), Verdict> {
    t.ran_to_its_end()?;
    t.task(task.send)?;
    let webhooks = || task.webhooks.iter().map(|(webhook, _)| webhook);
    let mut accepted = webhooks().flat_map(|webhook| t.every(webhook.registered));
    let Some(registration) = accepted.find(|step| matches!(step.reply.kind, ReplyKind::Result(_))) else {
        return Err(Verdict::blocked("the agent accepted no webhook: see push.delivery"));
    };
    let arrived: Vec<_> = webhooks().flat_map(|webhook| t.every(webhook.name)).map(|step| &**step).collect();
    if arrived.is_empty() {
        return Err(registration.blocked("no notification arrived: see push.delivery"));
    }
    Ok((arrived, registration))
}

fn refused(t: &Transcript) -> Judged {
    let (arrived, registration) = failed(t, &REFUSED)?;
    let verdict = judge_end(t, REFUSED.poll, registration.exchange.id)?;
    Ok(arrived.iter().fold(verdict, |verdict, step| verdict.seen_in(step.exchange.id)))
}

fn hanging(t: &Transcript) -> Judged {
    let (arrived, registration) = failed(t, &HELD_UP)?;
    let usual = UsualTask::from_transcript(t.earlier(USUAL)?)?;
    let last = t.every(HELD_UP.poll).last().and_then(|read| Some((read, task_of(&read.reply)?)));
    let Some((read, task)) = last else { return Err(Verdict::blocked("the task was not read")) };
    let of_arrived = |verdict: Verdict| arrived.iter().fold(verdict, |verdict, step| verdict.seen_in(step.exchange.id));
    if task.is_over() {
        return Ok(of_arrived(read.pass()));
    }
    let waited_ms = read.exchange.sent_ms - registration.exchange.end_ms;
    if task.state.is_some_and(TaskState::is_interrupted) || waited_ms < usual.took_ms {
        return Err(read.inconclusive("the task did not come to its end for another reason"));
    }
    let state = task.state_text.as_deref().unwrap_or_default();
    Ok(of_arrived(read.fail(usual.expected(), format!("{state} after {:.1} s", waited_ms / 1000.0))))
}

fn retry(t: &Transcript) -> Judged {
    failed(t, &REFUSED)?;
    let mut arrived = t.every(FAILING.name);
    let Some(first) = arrived.next() else {
        return Err(Verdict::blocked("no notification arrived at this webhook: see push.delivery-each"));
    };
    let Some(again) = arrived.find(|later| later.exchange.request.body == first.exchange.request.body) else {
        return Ok(first.fail("the notification again, which was answered 500", "it was sent once"));
    };
    let after_s = (again.exchange.sent_ms - first.exchange.sent_ms) / 1000.0;
    let passed = Verdict::pass_with(format!("sent again after {after_s:.1} s"));
    Ok(passed.seen_in(first.exchange.id).seen_in(again.exchange.id))
}
