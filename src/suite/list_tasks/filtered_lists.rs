//! What the checks of filters share: the answer to a list with a filter, and when the agent breaks at the filter; the checks are in
//! `pages_and_filters.rs`.

use std::rc::Rc;

use crate::a2a::binding::ReplyKind;
use crate::a2a::model::{AgentError, ErrorName, Task, TaskList};
use crate::engine::prelude::{Step, Transcript, Verdict};
use crate::suite::messaging::finished;

/// The list of a step that adds a filter to the context, as [`Transcript::list`]. Breaking at a filter, and at nothing else, is the finding of
/// the filter's check.
pub(super) fn filtered<'a>(t: &'a Transcript, name: &str) -> Result<(&'a Rc<Step>, &'a TaskList), Verdict> {
    let (base, _) = t.list("page")?;
    let step = t.step(name)?;
    let actual = match &step.reply.kind {
        ReplyKind::Error(error) if breaks_down(error) => error.describe(),
        kind @ ReplyKind::Unavailable(503) if is_filters_fault(t, name) => {
            format!("{}, and every list without this filter", kind.describe())
        }
        _ => return t.list(name),
    };
    Err(step.fail("a list of tasks, as without this filter", actual).seen_in(base.exchange.id))
}

/// Whether an error says that the agent broke at a request, and not what is wrong with that.
pub(in crate::suite) fn breaks_down(error: &AgentError) -> bool {
    error.name == Some(ErrorName::Internal) || (error.name.is_none() && error.status >= 500)
}

/// T-LIST-13: whether no list with this filter was answered, and every one without it.
fn is_filters_fault(t: &Transcript, name: &str) -> bool {
    let filters: [&[&str]; 2] = [&["state", "other-state"], &["since", "second", "future"]];
    let Some(own) = filters.into_iter().find(|names| names.contains(&name)) else { return false };
    let is_refused = |step: &Step| matches!(step.reply.kind, ReplyKind::Unavailable(503));
    let mut others = t.steps.iter().filter(|step| step.name != "both" && !own.contains(&step.name));
    let asked: Vec<_> = t.steps.iter().filter(|step| own.contains(&step.name)).collect();
    let all_refused = asked.len() > 1 && asked.iter().all(|step| is_refused(step));
    all_refused && others.all(|step| matches!(step.reply.kind, ReplyKind::Result(_)))
}

/// The task that all was asked about; *inconclusive* or *blocked* where there is none to be listed, or it has no context.
pub(super) fn ours(t: &Transcript) -> Result<&Task, Verdict> {
    let task = finished(t.earlier("send")?)?;
    match task.context_id {
        Some(_) => Ok(task),
        None => Err(Verdict::inconclusive("the task has no contextId to filter by")),
    }
}

/// The verdict when the context's tasks are not listed at all: another check says so.
pub(super) fn unlisted() -> Verdict {
    Verdict::inconclusive("the tasks of this run's context are not listed")
}
