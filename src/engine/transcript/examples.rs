//! Steps and transcripts for unit tests of judges.

use std::rc::Rc;

use super::{RunFacts, Step, Transcript};
use crate::a2a::binding::{ReplyKind, SentCall};
use crate::a2a::model::{AgentError, ErrorName, Operation};
use crate::wire::exchange::{End, Exchange, Response};
use crate::wire::http::Request;

/// A step with this reply; its exchange has that number, begins a second after the one before and takes half of one.
pub(crate) fn step(name: &'static str, number: u32, kind: ReplyKind) -> Step {
    let sent_ms = f64::from(number) * 1000.0;
    let begun = Exchange::begun(number, Request::get("https://a.test/"), sent_ms);
    let exchange = Exchange { end: End::Complete, end_ms: sent_ms + 500.0, ..begun };
    Step::without_call(name, Rc::new(exchange), kind, None)
}

/// The same of a call of that operation.
pub(crate) fn call(name: &'static str, number: u32, operation: Operation, kind: ReplyKind) -> Step {
    Step { sent: SentCall { operation: Some(operation), ..SentCall::default() }, ..step(name, number, kind) }
}

/// The same step with that status and body.
pub(crate) fn answered(step: Step, status: u16, body: &str) -> Step {
    let response = Response { status, body: body.as_bytes().to_vec(), ..Response::default() };
    let exchange = Exchange { response: Some(response), ..Exchange::clone(&step.exchange) };
    Step { exchange: Rc::new(exchange), ..step }
}

/// The reply that is this error.
pub(crate) fn error(name: ErrorName) -> ReplyKind {
    ReplyKind::Error(AgentError { name: Some(name), ..AgentError::default() })
}

/// What a scenario recorded.
pub(crate) fn recorded(scenario: &'static str, steps: impl IntoIterator<Item = Step>) -> Transcript {
    let steps = steps.into_iter().map(Rc::new).collect();
    Transcript { steps, ..Transcript::without_steps(scenario, None, &Rc::new(RunFacts::default())) }
}
