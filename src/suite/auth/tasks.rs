//! A task of ours, asked for without credentials: whether it is shown, whether any operation works, and whether strangers learn
//! that it exists.

use super::access::{let_in, required, send};
use crate::a2a::binding::{Call, Credentials, ReplyKind};
use crate::a2a::model::{ErrorName, Operation};
use crate::engine::prelude::{Behaviour, Check, Driver, Judged, Scenario, Step, Transcript, Verdict};
use crate::suite::messaging::finished;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "auth-tasks",
    title: "Read a task without credentials",
    streams: 1,
    after: &["send"],
    judged_after: &["auth"],
    needs: required,
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    Check {
        id: "auth.task-without-credentials",
        title: "A task cannot be read without credentials",
        why: "Tasks contain what people told the agent.",
        fix: "Before every operation on a task, check the credentials and that the task belongs to the caller.",
        requirements: &["auth.missing-credentials"],
        judge: shown,
        ..Check::tripped_by(&["auth-tasks-open"])
    },
    Check {
        id: "auth.every-operation",
        title: "No operation works without credentials",
        why: "One operation that nobody protects is enough to read, cancel or start work for a stranger.",
        fix: "Check the credentials in one place that every operation passes, before anything else is looked at.",
        requirements: &["auth.missing-credentials"],
        judge: every_operation,
        ..Check::tripped_by(&["auth-cancel-open", "auth-subscribe-open"])
    },
    Check {
        id: "auth.existence-hidden",
        title: "Strangers cannot find out whether a task exists",
        why: "A caller who may not see a task must not learn whether it exists, because ids can be guessed.",
        fix: "Check credentials before looking the task up, and return the same error in both cases.",
        requirements: &["auth.no-existence-leak"],
        judge: hidden,
        ..Check::tripped_by(&["auth-tells-missing"])
    },
];

async fn drive(d: &Driver) {
    let Some(Ok(task)) = d.earlier("send").map(|transcript| finished(transcript).cloned()) else { return };
    let id = task.id.unwrap_or_default();
    let none = |call: Call| Call { credentials: Credentials::None, ..call };
    let mut calls = vec![
        d.call("get", none(d.about_task(Operation::GetTask, &id))),
        d.call("cancel", none(d.about_task(Operation::CancelTask, &id))),
    ];
    if d.facts().declares(|card| card.push_notifications) {
        calls.push(d.call("push-list", none(d.about_push_configs(Operation::ListPushConfigs, &id, None))));
    }
    if d.facts().declares(|card| card.streaming) {
        calls.push(d.call("subscribe", none(d.about_task(Operation::SubscribeToTask, &id))));
        let unknown = d.fresh_id();
        calls.push(d.call("subscribe-missing", none(d.about_task(Operation::SubscribeToTask, &unknown))));
        let text = d.facts().prompts.text(Behaviour::Complete).unwrap_or_default();
        let message = (d.dialect().send_params)(d.dialect(), &d.outgoing(text));
        calls.push(send(d, "stream", none(d.operation(Operation::SendStreamingMessage, message))));
    }
    if d.has_check("auth.existence-hidden") {
        calls.push(d.call("missing", none(d.about_task(Operation::GetTask, &d.fresh_id()))));
    }
    d.together(calls).await;
}

/// 1.0 §3.3.2. What counts is what tells the two apart: that a task is not found, or who is turned away with which status.
fn hidden(t: &Transcript) -> Judged {
    finished(t.earlier("send")?)?;
    let answer = |name| t.answered_or_unauthorized(name).map_err(|_| Verdict::blocked("there was no response"));
    let (there, missing) = (answer("get")?, answer("missing")?);
    if let_in(there) || let_in(missing) {
        return Err(Verdict::blocked("calls without credentials are not refused"));
    }
    // An id that is malformed for the agent may be refused before anybody looks who asks: that tells nothing.
    let known = |step: &Step| match &step.reply.kind {
        ReplyKind::Unavailable(status) => Some(*status),
        ReplyKind::Error(error) if error.is(ErrorName::TaskNotFound) => Some(404),
        _ => None,
    };
    let (Some(one), Some(other)) = (known(there), known(missing)) else {
        return Err(Verdict::inconclusive("the errors do not show whether the caller or the task is refused"));
    };
    let described = |step: &Step| match &step.reply.kind {
        ReplyKind::Unavailable(status) => format!("HTTP {status}"),
        kind => kind.describe(),
    };
    let expected = format!("{}, as for a task that exists", described(there));
    missing.claim(one == other, &expected, described(missing), "")
}

/// Whether a subscription told a stranger's finished task from one that does not exist: then it looked at both. An agent that
/// refuses every subscription as unsupported answers both alike.
fn subscription_looked(t: &Transcript, finished: &Step) -> bool {
    let is = |step: &Step, name| matches!(&step.reply.kind, ReplyKind::Error(error) if error.name == Some(name));
    is(finished, ErrorName::UnsupportedOperation)
        && t.answered("subscribe-missing").is_ok_and(|missing| is(missing, ErrorName::TaskNotFound))
}

fn every_operation(t: &Transcript) -> Judged {
    finished(t.earlier("send")?)?;
    if t.answered_or_unauthorized("get").is_ok_and(|step| let_in(step)) {
        return Err(Verdict::blocked("tasks can be read without credentials, too"));
    }
    let mut last = None;
    for name in ["cancel", "push-list", "subscribe", "stream"] {
        let Ok(step) = t.answered_or_unauthorized(name) else { continue };
        // T-AUTH-8: that the task has finished already, only those know who looked at it for a stranger.
        let looked =
            matches!(&step.reply.kind, ReplyKind::Error(error) if error.name == Some(ErrorName::TaskNotCancelable));
        if let_in(step) || looked || (name == "subscribe" && subscription_looked(t, step)) {
            let operation = t.lane.as_ref().zip(step.sent.operation);
            let operation = operation.and_then(|(lane, operation)| lane.dialect.method(operation)).unwrap_or(name);
            let expected = format!("{operation} without credentials to be refused for the lack of them");
            return step.claim(false, &expected, step.reply.kind.describe(), "");
        }
        last = Some(step);
    }
    match last {
        Some(step) => Ok(step.pass()),
        None => t.answered_or_unauthorized("cancel").map(|_| Verdict::pass()),
    }
}

fn shown(t: &Transcript) -> Judged {
    finished(t.earlier("send")?)?;
    let step = t.answered_or_unauthorized("get").map_err(|_| Verdict::blocked("there was no response"))?;
    step.claim(!let_in(step), "the call to be refused", step.reply.kind.describe(), "")
}
