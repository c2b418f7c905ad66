//! A task of ours, asked for by somebody without credentials.

use futures_util::future::LocalBoxFuture;

use super::{let_in, required};
use crate::a2a::binding::{Call, Credentials};
use crate::a2a::model::Operation;
use crate::engine::drive::Driver;
use crate::engine::take::Take;
use crate::engine::verdict::{Judged, Verdict};
use crate::scenario;
use crate::suite::messaging::send::finished;

scenario! {
    "auth-tasks", "Ask for a task without credentials", in Auth, scope: Lane,
    messages: 0, streams: 0, after: ["send"], needs: required, drive: drive,
    checks: {
        /// Tasks hold what people told the agent.
        ///
        /// Fix: Check credentials, and that the task belongs to the caller, before every operation on a task.
        "auth.task-without-credentials", "A task is not shown without credentials",
        requires: ["auth.missing-credentials"], faults: ["auth-tasks-open"], judge: shown;
    }
}

fn drive(d: &Driver) -> LocalBoxFuture<'_, ()> {
    Box::pin(async move {
        let Some(Ok(task)) = d.earlier("send").map(|take| finished(take).cloned()) else { return };
        let params = (d.dialect().task_params)(&task.id.unwrap_or_default(), None);
        d.call("get", Call { credentials: Credentials::None, ..d.operation(Operation::GetTask, params) }).await;
    })
}

fn shown(t: &Take) -> Judged {
    finished(t.earlier("send")?)?;
    let step = t.heard("get").map_err(|_| Verdict::blocked("nothing came back"))?;
    step.claim(!let_in(step), "the task not to be shown", step.reply.said.describe(), "")
}
