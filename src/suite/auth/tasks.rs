//! A task of ours, asked for by somebody without credentials.

use futures_util::future::LocalBoxFuture;

use super::access::{let_in, required};
use crate::a2a::binding::{Call, Credentials, ReplyKind};
use crate::a2a::model::{ErrorName, Operation};
use crate::engine::check::{Check, Scenario, Scope, tripped_by};
use crate::engine::drive::Driver;
use crate::engine::transcript::{Step, Transcript};
use crate::engine::verdict::{Judged, Verdict};
use crate::suite::messaging::finished;

/// The scenario of this file.
pub(super) static SCENARIO: Scenario = Scenario {
    id: "auth-tasks",
    title: "Ask for a task without credentials",
    scope: Scope::Lane,
    after: &["send"],
    needs: required,
    drive,
    checks: CHECKS,
    ..Scenario::DEFAULTS
};

const CHECKS: &[Check] = &[
    Check {
        id: "auth.task-without-credentials",
        title: "A task is not shown without credentials",
        why: "Tasks hold what people told the agent.",
        fix: "Check credentials, and that the task belongs to the caller, before every operation on a task.",
        requirements: &["auth.missing-credentials"],
        faults: tripped_by(&["auth-tasks-open"]),
        judge: shown,
        ..Check::DEFAULTS
    },
    Check {
        id: "auth.existence-hidden",
        title: "Strangers cannot find out whether a task exists",
        why: "Who may not see a task need not know either whether it is there: ids can be tried out.",
        fix: "Check credentials before looking for the task, and answer every stranger the same.",
        requirements: &["auth.no-existence-leak"],
        faults: tripped_by(&["auth-tells-missing"]),
        judge: hidden,
        ..Check::DEFAULTS
    },
];

fn drive(d: &Driver) -> LocalBoxFuture<'_, ()> {
    Box::pin(async move {
        let Some(Ok(task)) = d.earlier("send").map(|transcript| finished(transcript).cloned()) else { return };
        let params = (d.dialect().task_params)(&task.id.unwrap_or_default(), None);
        d.call("get", Call { credentials: Credentials::None, ..d.operation(Operation::GetTask, params) }).await;
        if d.asks("auth.existence-hidden") {
            let params = (d.dialect().task_params)(&d.fresh(), None);
            d.call("missing", Call { credentials: Credentials::None, ..d.operation(Operation::GetTask, params) }).await;
        }
    })
}

/// 1.0 §3.3.2. What counts is what tells the two apart: that a task is not found, or who is turned away with which status.
fn hidden(t: &Transcript) -> Judged {
    finished(t.earlier("send")?)?;
    let nothing = |_| Verdict::blocked("nothing came back");
    let (there, missing) =
        (t.answered_or_unauthorized("get").map_err(nothing)?, t.answered_or_unauthorized("missing").map_err(nothing)?);
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
        return Err(Verdict::inconclusive("the refusals do not say whether it is the caller or the task"));
    };
    let described = |step: &Step| match &step.reply.kind {
        ReplyKind::Unavailable(status) => format!("HTTP {status}"),
        kind => kind.describe(),
    };
    let expected = format!("{}, as for a task that is there", described(there));
    missing.claim(one == other, &expected, described(missing), "")
}

fn shown(t: &Transcript) -> Judged {
    finished(t.earlier("send")?)?;
    let step = t.answered_or_unauthorized("get").map_err(|_| Verdict::blocked("nothing came back"))?;
    step.claim(!let_in(step), "the task not to be shown", step.reply.kind.describe(), "")
}
