//! One root cause, one finding: what explains many findings of a lane and is known only when all of its calls are over:
//! messages that are refused, one error for every call, routes that are missing, tasks that are wrapped.

use std::rc::Rc;

use super::root_cause::{ACCEPTS_TEXT, BlockedFinding, FindingContext, is_must, is_nameless, shown, words};
use super::root_cause_ids::CANCELS;
use crate::a2a::binding::rest::REST;
use crate::a2a::binding::{ReplyKind, StreamItemKind};
use crate::a2a::model::{AgentError, Operation};
use crate::engine::event::Row;
use crate::engine::options::Options;
use crate::engine::requirement::Level;
use crate::engine::transcript::{Lane, Step, Transcript};
use crate::engine::verdict::{Verdict, VerdictBasis};
use crate::wire::json::Value;

/// One error in the place of so many others is a cause of its own.
const MIN_ERRORS: usize = 3;
/// The check that says best that errors have wrong codes.
const NOT_FOUND: &str = "get.not-found";
/// The check that compares the errors of two lanes.
const SAME_ERRORS: &str = "interop.same-errors";
/// The check that says best that the routes of tasks are missing.
const PATHS: &str = "rest.paths";
/// The check that says best that a task has something around it.
const READS: &str = "get.returns-task";

/// The operations whose routes are under that of the tasks.
const OF_TASKS: [Operation; 4] =
    [Operation::GetTask, Operation::ListTasks, Operation::CancelTask, Operation::SubscribeToTask];

/// A finding of a lane that waits until all of its calls are over.
pub(super) struct WaitingFinding<'a> {
    pub(super) row: &'a Row,
    pub(super) verdict: Verdict,
    pub(super) transcript: &'a Transcript,
}

/// What explains many findings of a lane.
pub(super) struct LaneCauses {
    pub(super) lane: Rc<Lane>,
    /// The error that the agent gives in the place of several others, and the check that says so.
    one_error: Option<(String, &'static str)>,
    /// The answer that all routes of tasks give, as if none of them existed.
    missing_routes: Option<(u16, String)>,
    /// The member that tasks are in, which should be the answer themselves.
    wrapper: Option<String>,
    /// The error that every message got, the plain one first.
    refusal: Option<String>,
}

impl LaneCauses {
    pub(super) fn new(
        lane: &Rc<Lane>,
        driven: &[Rc<Transcript>],
        waiting: &[WaitingFinding<'_>],
        options: &Options,
    ) -> Self {
        let steps = || driven.iter().flat_map(|transcript| &transcript.steps);
        let reads = steps().filter(|step| step.sent.operation == Some(Operation::GetTask));
        let is_read = waiting.iter().any(|finding| finding.row.check.id == READS) && options.wants(READS);
        Self {
            lane: Rc::clone(lane),
            one_error: one_error(waiting, options),
            missing_routes: missing_routes(lane, steps()),
            refusal: refusal_of_messages(steps()),
            wrapper: reads.filter(|_| is_read).find_map(|step| wrapper(step)).map(str::to_owned),
        }
    }

    /// The check that says what explains several others, if it is the one of this row: it is judged behind those.
    pub(super) fn is_told_by(&self, row: &Row) -> bool {
        let check = row.check.id;
        self.one_error.as_ref().is_some_and(|(_, by)| *by == check)
            || (self.wrapper.is_some() && check == READS)
            || (self.missing_routes.is_some() && check == CANCELS)
    }
}

impl FindingContext<'_> {
    /// The root cause of a finding that is one of many of its lane, or of the lane that it is compared with.
    pub(super) fn one_of_many(&self, causes: &LaneCauses) -> Option<BlockedFinding> {
        self.refused_message(causes)
            .or_else(|| self.one_error(causes))
            .or_else(|| self.missing_routes(causes))
            .or_else(|| self.wrapped(causes))
    }

    /// Whether a finding is of the lane itself.
    fn is_of(&self, causes: &LaneCauses) -> bool {
        self.row.lane.as_ref().is_some_and(|lane| lane.id == causes.lane.id)
    }

    fn refused_message(&self, causes: &LaneCauses) -> Option<BlockedFinding> {
        let refusal = causes.refusal.as_deref()?;
        let is_it = |step: &Rc<Step>| step.is_send() && step.reply.kind.describe() == refusal;
        let is_same = self.finding.basis == VerdictBasis::Refusal && self.steps().next().is_some_and(is_it);
        self.blocked_if(self.is_of(causes) && is_same, ACCEPTS_TEXT, "no message is accepted")
    }

    fn one_error(&self, causes: &LaneCauses) -> Option<BlockedFinding> {
        let (error, by) = causes.one_error.as_ref()?;
        let is_it = if self.row.check.id == SAME_ERRORS {
            self.steps().any(|step| error_of(step).is_some_and(|other| code(other) == *error))
        } else {
            self.is_of(causes) && wrong_error(self.finding, self.transcript).is_some_and(|(other, _)| other == *error)
        };
        let why = format!("the agent gives {error} where other errors are due");
        self.blocked_if(is_it, by, &why)
    }

    fn missing_routes(&self, causes: &LaneCauses) -> Option<BlockedFinding> {
        let refusal = causes.missing_routes.as_ref()?;
        let lane = &causes.lane;
        let says_it = |check: &str| self.options.wants(check) && is_must(check, lane.dialect.version, lane);
        let by = [PATHS, CANCELS].into_iter().find(|check| says_it(check))?;
        let is_it = |step: &Rc<Step>| is_of_tasks(step) && words(step).as_ref() == Some(refusal);
        let why =
            format!("every call under /tasks was answered with HTTP {}, as if there were no such routes", refusal.0);
        self.blocked_if(self.steps().any(is_it), by, &why)
    }

    fn wrapped(&self, causes: &LaneCauses) -> Option<BlockedFinding> {
        let member = causes.wrapper.as_deref()?;
        let is_it = self.is_of(causes) && self.steps().next().and_then(|step| wrapper(step)) == Some(member);
        let why = format!("the task is in a member {member}, where the answer itself should be the task");
        self.blocked_if(is_it, READS, &why)
    }

    /// The steps that a finding rests on, whatever recorded them.
    fn steps(&self) -> impl Iterator<Item = &Rc<Step>> {
        self.finding.exchanges.iter().filter_map(|id| self.all_steps().find(|step| step.exchange.id == *id))
    }
}

/// Whether a finding may be one of many: it was read from an error, or from something that is not an answer of the binding.
pub(super) fn may_be_of_many(finding: &Verdict, transcript: &Transcript) -> bool {
    shown(finding, transcript).is_some_and(is_no_result)
}

/// Whether an answer is an error, or is not an answer of the binding.
pub(super) fn is_no_result(step: &Step) -> bool {
    matches!(step.reply.kind, ReplyKind::Error(_) | ReplyKind::Unreadable(_))
}

/// The error in the place of several others, and the finding of a must that tells of it.
fn one_error(waiting: &[WaitingFinding<'_>], options: &Options) -> Option<(String, &'static str)> {
    let found = |finding: &WaitingFinding<'_>| {
        let (came, expected) = wrong_error(&finding.verdict, finding.transcript)?;
        options.wants(finding.row.check.id).then_some((came, expected, finding.row.level(), finding.row.check.id))
    };
    let found: Vec<_> = waiting.iter().filter_map(found).collect();
    found.iter().find_map(|(came, ..)| {
        let same = || found.iter().filter(|(other, ..)| other == came);
        let mut expected: Vec<&str> = Vec::new();
        for (_, due, ..) in same() {
            if !expected.contains(&due.as_str()) {
                expected.push(due);
            }
        }
        let musts = || same().filter(|(_, _, level, _)| *level == Level::Must).map(|(.., check)| *check);
        let by = musts().find(|check| *check == NOT_FOUND).or_else(|| musts().next())?;
        (expected.len() >= MIN_ERRORS).then(|| (came.clone(), by))
    })
}

/// The error that a finding was read from, where another was due, and that other.
fn wrong_error(finding: &Verdict, transcript: &Transcript) -> Option<(String, String)> {
    let read_from = shown(finding, transcript)?;
    let (due, _) = finding.expected.as_deref()?.split_once(" for ")?;
    let error = error_of(read_from).filter(|_| finding.basis == VerdictBasis::Refusal)?;
    // Over HTTP+JSON a status below 500 means something by itself.
    if error.code.is_none() && error.grpc_code.is_none() && error.status < 500 {
        return None;
    }
    Some((code(error), due.to_owned()))
}

fn error_of(step: &Step) -> Option<&AgentError> {
    match &step.reply.kind {
        ReplyKind::Error(error) => Some(error),
        _ => None,
    }
}

/// An error without its message.
fn code(error: &AgentError) -> String {
    AgentError { message: None, ..error.clone() }.describe()
}

fn is_of_tasks(step: &Step) -> bool {
    step.sent.operation.is_some_and(|operation| OF_TASKS.contains(&operation))
}

/// The error of the plain message, where none was accepted.
fn refusal_of_messages<'a>(steps: impl Iterator<Item = &'a Rc<Step>>) -> Option<String> {
    // A request that is odd on purpose may be refused or accepted for reasons of its own.
    let sends: Vec<_> = steps.filter(|step| step.is_send() && step.sent.what.is_none()).collect();
    let plain = sends.iter().find(|step| step.name == "send")?;
    let is_accepted = |step: &&Rc<Step>| match &step.reply.kind {
        ReplyKind::Result(_) => true,
        ReplyKind::Stream(items) => items.iter().any(|item| matches!(item.kind, StreamItemKind::Event(_))),
        _ => false,
    };
    let refusal = error_of(plain)?;
    (!sends.iter().any(is_accepted)).then(|| ReplyKind::Error(refusal.clone()).describe())
}

/// The answer that all routes of tasks give over HTTP+JSON, where it is one that names no error of A2A, as where there is no route.
fn missing_routes<'a>(lane: &Lane, steps: impl Iterator<Item = &'a Rc<Step>> + Clone) -> Option<(u16, String)> {
    // Where nothing works, nothing is there at all.
    let works =
        |step: &Rc<Step>| !is_of_tasks(step) && matches!(step.reply.kind, ReplyKind::Result(_) | ReplyKind::Stream(_));
    if lane.binding.id != REST.id || !steps.clone().any(works) {
        return None;
    }
    let mut first: Option<(u16, String)> = None;
    let mut called = Vec::new();
    for step in steps.filter(|step| is_of_tasks(step)) {
        // A call that this binding does not have, or that was never answered, shows nothing.
        let Some(answer) = words(step) else { continue };
        if !is_nameless(&step.reply.kind)
            || !matches!(answer.0, 404 | 405 | 501)
            || first.as_ref().is_some_and(|first| *first != answer)
        {
            return None;
        }
        first.get_or_insert(answer);
        if !called.contains(&step.sent.operation) {
            called.push(step.sent.operation);
        }
    }
    first.filter(|_| called.len() > 1)
}

/// The only member of an answer where it holds a task.
fn wrapper(step: &Step) -> Option<&str> {
    let is_bare = matches!(step.sent.operation, Some(Operation::GetTask | Operation::CancelTask));
    let document = step.reply.document.as_deref().filter(|_| is_bare)?;
    let answer = document.get("result").unwrap_or(document).as_object().filter(|answer| answer.len() == 1)?;
    let (member, inner) = answer.iter().next()?;
    let is_task = inner.get("id").is_some_and(Value::is_string) && inner.get("status").is_some_and(Value::is_object);
    is_task.then_some(member.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::a2a::binding::StreamItem;
    use crate::a2a::model::{ErrorName, Operation, Payload, StreamEvent};
    use crate::engine::transcript::examples::{call, error};

    #[test]
    fn a_message_that_was_accepted_anywhere_shows_that_they_are_not_all_refused() {
        let send = |name, kind| Rc::new(call(name, 1, Operation::SendMessage, kind));
        let refused = send("send", error(ErrorName::InvalidParams));
        let event = |kind| ReplyKind::Stream(vec![StreamItem { at_ms: 0.0, kind }]);
        for (other, is_refusal) in [
            (error(ErrorName::InvalidParams), true),
            (event(StreamItemKind::Unreadable("no".to_owned())), true),
            (event(StreamItemKind::Event(StreamEvent::Other(Default::default()))), false),
            (ReplyKind::Result(Payload::Nothing), false),
        ] {
            let steps = [Rc::clone(&refused), send("stream", other.clone())];
            assert_eq!(refusal_of_messages(steps.iter()).is_some(), is_refusal, "{other:?}");
        }
    }
}
