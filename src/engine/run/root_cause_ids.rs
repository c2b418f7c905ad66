//! One root cause, one finding: ids that do not tell tasks apart, or an agent that refuses every request with the tenant of its card.

use std::rc::Rc;

use super::root_cause::{BlockedFinding, FindingContext, shown};
use crate::a2a::binding::ReplyKind;
use crate::a2a::model::Operation;
use crate::engine::drive::task_of;
use crate::engine::requirement;
use crate::engine::transcript::{Step, Transcript};
use crate::engine::verdict::{Verdict, VerdictBasis};

/// The check that says that two tasks have one id.
const UNIQUE_IDS_CHECK: &str = "send.task-ids-unique";

/// The check that says best that a task cannot be cancelled.
pub(super) const CANCELS: &str = "cancel.returns-task";

/// The checks that compare what two answers say of the task that an id names.
const RESTS_ON_ID: [&str; 54] = [
    "auth-required.accepts-messages",
    "cancel.at-end",
    "cancel.failed-refused",
    "cancel.matches-get",
    CANCELS,
    "cancel.terminal",
    "cancel.terminal-refused",
    "context.inferred-from-task",
    "context.new-task-in-context",
    "get.after-completion",
    "get.consistent-ids",
    "get.history-max",
    "get.history-recent",
    "get.idempotent",
    "get.read-only",
    "get.returns-task",
    "history.follow-ups",
    "input-required.continue",
    "input-required.third-turn",
    "interop.same-errors",
    "list.complete",
    "list.failed-included",
    "list.includes-created",
    "list.matches-get",
    "push.get",
    "push.list",
    "push.listed",
    "push.persists",
    "push.read",
    "send.at-end",
    "send.blocking-latest-state",
    "send.parallel-own-task",
    "send.push-config-inline",
    "send.terminal-code",
    "send.terminal-task",
    "stream.burst-complete",
    "stream.burst-order",
    "stream.consistent-ids",
    "stream.matches-get",
    "stream.parallel-complete",
    "stream.parallel-order",
    "subscribe.at-end",
    "subscribe.closes",
    "subscribe.failed-refused",
    "subscribe.matches-get",
    "subscribe.reattaches",
    "subscribe.task-survives-disconnect",
    "subscribe.terminal",
    "subscribe.terminal-code",
    "task.completes",
    "task.failed-stays",
    "task.no-way-back",
    "task.one-end",
    "task.terminal-immutable",
];

/// Whether a check rests on what an id names, so that its finding is judged when all ids of the lane are known.
pub(super) fn rests_on_id(check: &str) -> bool {
    RESTS_ON_ID.contains(&check)
}

fn returns_task(step: &Step, id: &str) -> bool {
    step.whole_tasks().iter().any(|task| task.id.as_deref() == Some(id))
}

/// The id of the task that a message made. One that names a task or its context may go on with an older task: that is judged by
/// checks of its own.
fn created(step: &Step) -> Option<&str> {
    let names = |place: &str| step.sent.params.as_ref().is_some_and(|params| params.pointer(place).is_some());
    let names_older = names("/message/taskId") || names("/message/contextId");
    step.whole_tasks().first().filter(|_| step.is_send() && !names_older)?.id.as_deref()
}

/// The ids that an agent gave to more than one task.
pub(super) fn reused_ids(transcripts: &[Rc<Transcript>]) -> Vec<String> {
    let mut made: Vec<(&str, u32)> = Vec::new();
    let mut reused = Vec::new();
    for step in transcripts.iter().flat_map(|transcript| &transcript.steps) {
        let Some(id) = created(step) else { continue };
        let is_other = |(known, exchange): &&(&str, u32)| *known == id && *exchange != step.exchange.id;
        if made.iter().find(is_other).is_some() && !reused.iter().any(|known| known == id) {
            reused.push(id.to_owned());
        }
        made.push((id, step.exchange.id));
    }
    reused
}

impl FindingContext<'_> {
    /// The root cause of a finding about a task whose id names several tasks.
    pub(super) fn reused_id(&self, id: &str) -> Option<BlockedFinding> {
        // In 0.1 the client chooses the ids.
        let holds = requirement::holds(UNIQUE_IDS_CHECK, self.row.version, None);
        let why = format!("the agent gave the id {id} to several tasks");
        let is_it = holds && rests_on_id(self.row.check.id) && is_about(self.finding, self.transcript, id);
        self.blocked_if(is_it, UNIQUE_IDS_CHECK, &why)
    }
}

fn is_about(finding: &Verdict, transcript: &Transcript, id: &str) -> bool {
    let says = |text: &Option<String>| text.as_deref().is_some_and(|text| text.contains(id));
    says(&finding.expected) || says(&finding.actual) || transcript.steps_behind(finding).any(|step| names(step, id))
}

fn names(step: &Step, id: &str) -> bool {
    requested_ids(step).any(|requested| requested == id) || returns_task(step, id)
}

/// What a call names: a task, or a config and its task.
fn requested_ids(step: &Step) -> impl Iterator<Item = &str> {
    let places = ["/id", "/taskId", "/message/taskId"].into_iter();
    places.filter_map(|place| step.sent.params.as_ref()?.pointer(place)?.as_str())
}

/// The ids of both tasks when a finding was read from another task than the requested one.
pub(super) fn other_task(finding: &Verdict, transcript: &Transcript) -> Option<String> {
    let is_known = |id: &str| {
        transcript
            .with_earlier_steps()
            .any(|step| step.sent.operation != Some(Operation::GetTask) && returns_task(step, id))
    };
    // That an unknown task is answered with another one is no more than that.
    let expects_refusal = finding.basis == VerdictBasis::Refusal
        && finding
            .expected
            .as_deref()
            .is_some_and(|due| due.starts_with("an error ") || due.starts_with("TaskNotFound"));
    let said = |step: &Rc<Step>| {
        let method = match step.sent.operation? {
            Operation::GetTask => "GetTask",
            Operation::CancelTask => "CancelTask",
            _ => return None,
        };
        let asked = requested_ids(step).next()?;
        let came = task_of(&step.reply)?.id.as_deref().filter(|id| *id != asked)?;
        (is_known(asked) || expects_refusal).then(|| (method, came.to_owned(), asked.to_owned()))
    };
    let what = |(method, came, asked)| format!("{method} returned another task, {came}, when asked for {asked}");
    let of_other = || transcript.steps_behind(finding).find_map(said);
    // The response about the right task may be the one that all get.
    let of_all = || {
        let read = transcript.steps_behind(finding).find(|step| step.sent.operation == Some(Operation::GetTask))?;
        let id = task_of(&read.reply)?.id.as_deref()?;
        transcript.with_earlier_steps().filter_map(said).find(|(_, came, _)| came == id)
    };
    of_other().or_else(of_all).map(what)
}

/// The error that every request of a lane with a tenant got, if none succeeded.
pub(super) fn tenant_refusal(transcripts: &[Rc<Transcript>]) -> Option<String> {
    let mut steps = transcripts.iter().flat_map(|transcript| &transcript.steps).peekable();
    let first = steps.peek()?;
    let has_tenant = transcripts
        .iter()
        .any(|transcript| transcript.lane.as_ref().is_some_and(|lane| lane.interface.tenant.is_some()));
    let refusal = matches!(first.reply.kind, ReplyKind::Error(_)).then(|| first.reply.kind.describe())?;
    let works = |step: &Rc<Step>| matches!(step.reply.kind, ReplyKind::Result(_) | ReplyKind::Stream(_));
    (has_tenant && !steps.any(works)).then_some(refusal)
}

/// The check that says that no request with the tenant works.
const TENANT_CHECK: &str = "interop.tenant-echo";

impl FindingContext<'_> {
    /// The root cause of a finding when its request was refused like every request with the tenant.
    pub(super) fn tenant_refused(&self, refusal: &str) -> Option<BlockedFinding> {
        let step = shown(self.finding, self.transcript)?;
        let is_same = matches!(step.reply.kind, ReplyKind::Error(_)) && step.reply.kind.describe() == refusal;
        self.blocked_if(is_same, TENANT_CHECK, "no request with the tenant of the card works")
    }
}
