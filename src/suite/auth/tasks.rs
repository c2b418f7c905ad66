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
    title: "Read a task without credentials",
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
        title: "A task cannot be read without credentials",
        why: "Tasks contain what people told the agent.",
        fix: "Before every operation on a task, check the credentials and that the task belongs to the caller.",
        requirements: &["auth.missing-credentials"],
        faults: tripped_by(&["auth-tasks-open"]),
        judge: shown,
        ..Check::DEFAULTS
    },
    Check {
        id: "auth.existence-hidden",
        title: "Strangers cannot find out whether a task exists",
        why: "A caller who may not see a task must not learn whether it exists, because ids can be guessed.",
        fix: "Check credentials before looking the task up, and return the same error in both cases.",
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
        if d.has_check("auth.existence-hidden") {
            let params = (d.dialect().task_params)(&d.fresh_id(), None);
            d.call("missing", Call { credentials: Credentials::None, ..d.operation(Operation::GetTask, params) }).await;
        }
    })
}

/// 1.0 §3.3.2. What counts is what tells the two apart: that a task is not found, or who is turned away with which status.
fn hidden(t: &Transcript) -> Judged {
    finished(t.earlier("send")?)?;
    let nothing = |_| Verdict::blocked("there was no response");
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
        return Err(Verdict::inconclusive("the errors do not show whether the caller or the task is refused"));
    };
    let described = |step: &Step| match &step.reply.kind {
        ReplyKind::Unavailable(status) => format!("HTTP {status}"),
        kind => kind.describe(),
    };
    let expected = format!("{}, as for a task that exists", described(there));
    missing.claim(one == other, &expected, described(missing), "")
}

fn shown(t: &Transcript) -> Judged {
    finished(t.earlier("send")?)?;
    let step = t.answered_or_unauthorized("get").map_err(|_| Verdict::blocked("there was no response"))?;
    step.claim(!let_in(step), "the call to be refused", step.reply.kind.describe(), "")
}
