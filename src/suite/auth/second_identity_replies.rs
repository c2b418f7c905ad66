//! How the calls of a second identity were answered: whether they were refused, in what way, and what they showed.

use super::access::let_in;
use crate::a2a::binding::{ReplyKind, StreamItemKind};
use crate::a2a::model::{AgentError, ErrorName, Payload, StreamEvent, Task};
use crate::engine::prelude::{Judged, Step, Transcript, Verdict};
use crate::suite::messaging::finished;

/// The expectation of every call about a task of the first identity.
pub(super) const REFUSED: &str = "the call to be refused, because the task is another identity's";

/// The calls about a task, each with the same call about a task that does not exist.
const PAIRS: [(&str, &str); 4] = [
    ("get", "get-missing"),
    ("configs", "configs-missing"),
    ("subscribe", "subscribe-missing"),
    ("cancel", "cancel-missing"),
];

/// The steps with the second identity's credentials that anybody who is let in may take.
const HARMLESS: [&str; 6] =
    ["get-missing", "list", "list-context", "configs-missing", "subscribe-missing", "cancel-missing"];

/// A call of the second identity that was answered.
pub(super) struct Seen<'a> {
    pub(super) step: &'a Step,
    pub(super) refused: Option<Refusal<'a>>,
}

/// How a call was refused.
#[derive(Clone, Copy)]
pub(super) enum Refusal<'a> {
    /// By status 401 or 403.
    Status(u16),
    Error(&'a AgentError),
}

impl Refusal<'_> {
    /// Whether there is no such task, for all that it tells.
    pub(super) fn is_not_found(self) -> bool {
        matches!(self, Self::Error(error) if error.is(ErrorName::TaskNotFound))
    }

    /// Whether it is one of the two refusals that 1.0 §3.3.2 has for what is not the caller's.
    pub(super) fn is_access_refusal(self) -> bool {
        match self {
            Self::Status(_) => true,
            Self::Error(error) => {
                let denied = [ErrorName::AuthorizationFailed, ErrorName::AuthenticationRequired];
                self.is_not_found() || denied.into_iter().any(|name| error.is(name))
            }
        }
    }

    /// Whether nothing but the text differs, which may contain the task's id.
    pub(super) fn is_like(self, other: Self) -> bool {
        let key = |refusal: Self| match refusal {
            Self::Status(status) => (None, None, status),
            Self::Error(error) => (error.name, error.code, error.status),
        };
        key(self) == key(other)
    }

    pub(super) fn describe(self) -> String {
        match self {
            Self::Status(status) => format!("HTTP {status}"),
            Self::Error(error) => error.describe(),
        }
    }
}

/// How a call was refused, if it was.
pub(super) fn refusal(step: &Step) -> Option<Refusal<'_>> {
    match &step.reply.kind {
        ReplyKind::Unavailable(status) => Some(Refusal::Status(*status)),
        ReplyKind::Error(error) => Some(Refusal::Error(error)),
        ReplyKind::Stream(items) => items.first().and_then(|item| match &item.kind {
            StreamItemKind::Error(error) => Some(Refusal::Error(error)),
            _ => None,
        }),
        _ => None,
    }
}

/// Whether the second identity was seen to be somebody for the agent. Else a refusal proves nothing (T-AUTH-9).
fn is_known(t: &Transcript, nobody: &Step) -> bool {
    // Some agents hide their tasks from strangers, too.
    let is_telling = !refusal(nobody).is_some_and(Refusal::is_not_found);
    t.steps.iter().filter(|step| HARMLESS.contains(&step.name)).any(|step| match refusal(step) {
        Some(refusal) => is_telling && refusal.is_not_found(),
        None => let_in(step),
    })
}

/// A call of the second identity; *not applicable* when the agent does not tell callers apart, *inconclusive* when it may not know this one.
pub(super) fn asked<'a>(t: &'a Transcript, name: &str) -> Result<Seen<'a>, Verdict> {
    let step = t.answered_or_unauthorized(name)?;
    let nobody = t.answered_or_unauthorized("nobody")?;
    if let_in(nobody) {
        let why = "the agent shows this task to callers without credentials, so that identities make no difference";
        return Err(Verdict::not_applicable(why).seen_in(nobody.exchange.id));
    }
    let refused = refusal(step);
    if refused.is_some() && !is_known(t, nobody) {
        let why = "no call with the second identity was accepted; its credentials may be wrong";
        return Err(step.inconclusive(why));
    }
    Ok(Seen { step, refused })
}

/// That the agent tells the two identities apart somewhere. One that shows the second everything of the first is one finding
/// and not six, and may take the two for one user: *inconclusive*.
pub(super) fn separates_identities(t: &Transcript) -> Result<(), Verdict> {
    asked(t, "get")?;
    if shares_everything(t) {
        return Err(Verdict::inconclusive("the agent does not tell the two identities apart, see auth.foreign-get"));
    }
    Ok(())
}

/// Whether nothing of the first identity's was hidden from the second.
pub(super) fn shares_everything(t: &Transcript) -> bool {
    let is_open = |step: &Step| match &step.reply.kind {
        ReplyKind::Result(Payload::Tasks(list)) => list.tasks.iter().any(|task| is_first(t, task)),
        // The errors of a task that is too old for the call show it, too.
        _ => refusal(step).is_none_or(|refusal| !refusal.is_access_refusal()),
    };
    let asked = ["get", "list", "list-context", "config", "subscribe", "cancel"];
    t.steps.iter().filter(|step| asked.contains(&step.name)).all(|step| is_open(step))
}

/// Whether a task is that of the first identity which the scenario `send` made.
fn is_first(t: &Transcript, task: &Task) -> bool {
    let first = t.earlier("send").ok().and_then(|send| send.task("send").ok());
    first.is_some_and(|(_, first)| first.id.is_some() && first.id == task.id)
}

/// Judges each refusal of a task by that of a task that does not exist.
pub(super) fn compared(t: &Transcript, breach: impl Fn(&Step, Refusal<'_>, Refusal<'_>) -> Option<Verdict>) -> Judged {
    if asked(t, "get")?.refused.is_none() {
        return Err(Verdict::inconclusive("the task was not refused, see auth.foreign-get"));
    }
    let mut verdict = Verdict::pass();
    for (name, missing) in PAIRS {
        let (Ok(there), Ok(missing)) = (asked(t, name), asked(t, missing)) else { continue };
        let (Some(refused), Some(absent)) = (there.refused, missing.refused) else { continue };
        if let Some(breach) = breach(there.step, refused, absent) {
            return Ok(breach.seen_in(missing.step.exchange.id));
        }
        verdict = verdict.seen_in(there.step.exchange.id).seen_in(missing.step.exchange.id);
    }
    if verdict.exchanges.is_empty() {
        return Err(Verdict::inconclusive("no call about a task that does not exist was refused, to compare with"));
    }
    Ok(verdict)
}

/// The task of the first identity that the second one asks for at that step.
pub(super) fn task_at<'a>(t: &'a Transcript, name: &str) -> Result<&'a Task, Verdict> {
    let done = finished(t.earlier("send")?)?;
    let live = t.task("send").ok().map(|(_, task)| task);
    let live = live.filter(|task| task.id.is_some() && task.state.is_some() && !task.is_over());
    Ok(live.filter(|_| name != "get").unwrap_or(done))
}

/// A call that did not show or change the task: whether that is because of who called.
pub(super) fn hidden(t: &Transcript, step: &Step, refused: Option<Refusal<'_>>, task: &Task) -> Judged {
    match refused {
        Some(refusal) if refusal.is_access_refusal() => Ok(step.pass()),
        // T-AUTH-9: what a finished task cannot do is refused to its owner, too.
        Some(_)
            if step.name != "get"
                && (task.is_over() || t.task("after-cancel").is_ok_and(|(_, task)| task.is_over())) =>
        {
            let why = "the task had finished, so that the call may be refused to everybody; to run this check, set the \
                       prompt \"input-required\"";
            Err(step.inconclusive(why))
        }
        Some(_) => Ok(step.pass()),
        None => {
            let why = format!("the call was answered with {}, without the task", step.reply.kind.describe());
            Err(step.inconclusive(why))
        }
    }
}

/// The ids of a task that an answer is about.
pub(super) struct Shown<'a> {
    id: Option<&'a str>,
    context: Option<&'a str>,
}

impl Shown<'_> {
    /// Whether it is that task. The id alone does not tell where clients choose it (T-AUTH-10).
    pub(super) fn is(&self, task: &Task) -> bool {
        let context = task.context_id.as_deref();
        let same_context = self.context.is_none() || context.is_none() || self.context == context;
        self.id.is_some() && self.id == task.id.as_deref() && same_context
    }
}

/// The task that an answer is about, if it is about one.
pub(super) fn shown_task(step: &Step) -> Option<Shown<'_>> {
    match &step.reply.kind {
        ReplyKind::Result(Payload::Task(task) | Payload::Sent { task: Some(task), .. }) => {
            Some(Shown { id: task.id.as_deref(), context: task.context_id.as_deref() })
        }
        ReplyKind::Result(Payload::Sent { message: Some(message), .. }) => {
            Some(Shown { id: message.task_id.as_deref(), context: message.context_id.as_deref() })
        }
        ReplyKind::Stream(items) => {
            let mut events = items.iter().filter_map(|item| item.kind.event());
            let event = events.find(|event| !matches!(event, StreamEvent::Message(_) | StreamEvent::Other(_)))?;
            Some(Shown { id: event.task_id(), context: event.context_id() })
        }
        _ => None,
    }
}
