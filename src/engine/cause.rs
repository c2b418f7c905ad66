//! One sentence for a whole run when a single cause explains most of what went wrong: hardly any answers, a crash, a slow start,
//! the forms of an older version, one answer to everything.

use std::rc::Rc;

use super::credentials::CREDENTIALS;
use super::plural::count_of;
use super::transcript::{Step, Transcript, unavailable, whole_ms};
use super::user_waits::is_given_up;
use crate::a2a::binding::{ReplyKind, is_gateway_failure, unanswered_behind_gateway};
use crate::a2a::model::ErrorName;
use crate::a2a::rule::Rule;
use crate::wire::exchange::{End, Exchange, TransportErrorKind};
use crate::wire::json::{Value, brief, parse};

/// Fewer answers than this show no pattern.
const MIN_ANSWERS: usize = 4;

/// Whether so many of them are almost all.
#[must_use]
pub const fn are_most(part: usize, total: usize) -> bool {
    total > 0 && part * 10 >= total * 8
}

/// The one thing that explains most results of a lane, if there is one.
#[must_use]
pub fn lane_cause(transcripts: &[Rc<Transcript>]) -> Option<String> {
    let steps: Vec<&Rc<Step>> = transcripts.iter().flat_map(|transcript| &transcript.steps).collect();
    let total = steps.len();
    if total == 0 {
        return None;
    }
    let count = |is: &dyn Fn(&ReplyKind) -> bool| steps.iter().filter(|step| is(&step.reply.kind)).count();
    let mostly = |part: usize| are_most(part, total);
    if let Some(why) = mostly_unanswered(&steps).or_else(|| same_answer_to_everything(&steps)) {
        return Some(why);
    }
    if total >= MIN_ANSWERS && mostly(count(&|kind| matches!(kind, ReplyKind::Unreadable(_)))) {
        let first = steps.iter().find_map(|step| match &step.reply.kind {
            ReplyKind::Unreadable(what) => Some(what.clone()),
            _ => None,
        });
        let first = first.unwrap_or_default();
        // One answer in the binding is enough to see that it is spoken.
        let speaks =
            count(&|kind| matches!(kind, ReplyKind::Result(_) | ReplyKind::Error(_) | ReplyKind::Stream(_))) > 0;
        return Some(if speaks {
            format!("Almost every call was answered with {first}, which is no response of this binding.")
        } else {
            format!("The endpoint does not speak this binding: almost every call was answered with {first}.")
        });
    }
    if let Some(why) = older_forms(&steps) {
        return Some(why);
    }
    let of_error = [
        (
            ErrorName::MethodNotFound,
            "The agent knows none of the methods of the declared version: register them by the names of that version, or \
             declare the version whose names the agent has.",
        ),
        (
            ErrorName::VersionNotSupported,
            "The agent refuses the protocol version that its own card declares: almost every call was answered with \
             VersionNotSupportedError.",
        ),
    ];
    let is_it = |name| count(&|kind| matches!(kind, ReplyKind::Error(error) if error.name == Some(name)));
    let found = of_error.into_iter().find(|(name, _)| total >= MIN_ANSWERS && mostly(is_it(*name)));
    found.map(|(_, why)| why.to_owned())
}

/// Why almost no call got an answer from the agent itself.
fn mostly_unanswered(steps: &[&Rc<Step>]) -> Option<String> {
    let mostly = |is: &dyn Fn(&ReplyKind) -> bool| {
        are_most(steps.iter().filter(|step| is(&step.reply.kind)).count(), steps.len())
    };
    if mostly(&|kind| matches!(kind, ReplyKind::NoAnswer(_))) {
        let first = steps.iter().find_map(|step| match &step.reply.kind {
            ReplyKind::NoAnswer(why) => Some(why.clone()),
            _ => None,
        });
        return Some(format!("The agent's endpoint did not answer: {}.", first.unwrap_or_default()));
    }
    let refused =
        [401, 403, 429, 503].into_iter().find(|status| mostly(&|kind| *kind == ReplyKind::Unavailable(*status)));
    refused.map(|status| format!("Almost every call was refused: {}.", unavailable(status).message))
}

/// An agent whose first answer takes longer than this probably had to be started, in milliseconds.
const COLD_START_MS: f64 = 5000.0;

/// A remark on the first exchange of a run if its answer came late. That is not a fault.
#[must_use]
pub fn cold_start(first: &Exchange) -> Option<String> {
    let waited = first.response.as_ref()?.head_ms - first.sent_ms;
    let seconds = whole_ms(waited / 1000.0);
    (waited >= COLD_START_MS).then(|| format!("the first answer took {seconds} s, as if the agent had to start up"))
}

/// This many requests without an answer are hardly an accident.
const MIN_UNANSWERED: usize = 3;

/// A request that timed out sooner than this shows nothing, in milliseconds.
const MIN_WAIT_MS: f64 = 1000.0;

/// Whether the agent answered and then never again, and at which request that began. Takes all exchanges of the run, in any
/// order.
#[must_use]
pub fn crash(exchanges: &[Rc<Exchange>]) -> Option<String> {
    // Tokens do not come from the agent.
    let exchanges: Vec<_> = exchanges.iter().filter(|exchange| exchange.scenario != CREDENTIALS).collect();
    let answered = |exchange: &Exchange| {
        let status = exchange.status();
        status.is_some_and(|status| !is_gateway_failure(status)) && !matches!(exchange.end, End::Broken(_))
    };
    let answers: Vec<_> = exchanges.iter().filter(|exchange| answered(exchange)).collect();
    // By when the requests were sent: an answer that is under way can arrive after the agent's end.
    let last_ms = answers.iter().map(|exchange| exchange.sent_ms).reduce(f64::max)?;
    // A wait that the user gave up shows nothing either.
    let waited = |exchange: &Exchange| {
        !is_given_up(&exchange.end)
            && (!matches!(exchange.end, End::Deadline(_)) || exchange.duration_ms() >= MIN_WAIT_MS)
    };
    let is_unanswered = |exchange: &Exchange| !answered(exchange) && waited(exchange) && exchange.end_ms >= last_ms;
    let unanswered: Vec<_> = exchanges.iter().filter(|exchange| is_unanswered(exchange)).collect();
    let first = unanswered.iter().copied().reduce(|a, b| if b.end_ms < a.end_ms { b } else { a })?;
    // A request that was cut off says more about the cause than one whose connection was refused.
    let refused = |exchange: &Exchange| matches!(&exchange.end, End::NoAnswer(trouble) if trouble.kind == TransportErrorKind::Unreachable);
    // A process that dies cuts off all that is under way; most likely the last of these requests was its end.
    let died_ms = first.end_ms;
    let under_way = unanswered.iter().copied().filter(|exchange| exchange.sent_ms < died_ms && !refused(exchange));
    let first = under_way.reduce(|a, b| if b.sent_ms >= a.sent_ms { b } else { a }).unwrap_or(first);
    let after = unanswered.iter().filter(|exchange| exchange.sent_ms >= died_ms && exchange.id != first.id);
    let after: Vec<_> = after.collect();
    if after.len() < MIN_UNANSWERED {
        return None;
    }
    let others: Vec<_> = unanswered
        .iter()
        .filter(|exchange| exchange.sent_ms < died_ms && exchange.id != first.id)
        .map(|exchange| exchange.id.to_string())
        .collect();
    let beside = match others.as_slice() {
        [] => String::new(),
        [one] => format!("; exchange {one} was in progress too"),
        several => format!("; the exchanges {} were in progress too", several.join(", ")),
    };
    let status = first.status().unwrap_or_default();
    let how = first.end.cut().unwrap_or_else(|| unanswered_behind_gateway(status).describe());
    Some(format!(
        "The agent answered {} and then stopped, as if it had crashed. This began with exchange {} ({}, \
         scenario {}): {how}{beside}. {} later requests were not answered.",
        count_of(answers.len(), "request"),
        first.id,
        asked(first),
        first.scenario,
        after.len(),
    ))
}

/// The operation that an exchange called: the method of JSON-RPC, or the HTTP method and the URL.
fn asked(exchange: &Exchange) -> String {
    let request = &exchange.request;
    let document = request.body.as_deref().and_then(|body| parse(body).value);
    match document.as_ref().and_then(|document| document.get("method")).and_then(Value::as_str) {
        Some(method) => method.to_owned(),
        None => format!("{} {}", request.method, request.url),
    }
}

/// An agent that answers in the forms of an older version throughout.
fn older_forms(steps: &[&Rc<Step>]) -> Option<String> {
    let answers: Vec<_> =
        steps.iter().filter(|step| matches!(step.reply.kind, ReplyKind::Result(_) | ReplyKind::Stream(_))).collect();
    let with = |rule| answers.iter().filter(|step| step.reply.notes.broken(rule).is_some()).count();
    let kinds = with(Rule::NoKind);
    let names = with(Rule::TaskState).max(with(Rule::Role));
    (answers.len() >= MIN_ANSWERS && kinds * 2 >= answers.len() && names * 2 >= answers.len()).then(|| {
        "The interface declares 1.0 but uses the format of 0.3 (members named kind, states and roles in lower case), \
         which explains most findings."
            .to_owned()
    })
}

/// The one answer that an agent gives.
struct SingleAnswer {
    status: u16,
    body: Value,
    /// How often it came.
    count: usize,
    /// To how many operations.
    operations: usize,
}

fn single_answer<'a>(steps: impl IntoIterator<Item = &'a Rc<Step>>) -> Option<SingleAnswer> {
    let mut first: Option<(u16, Value)> = None;
    let mut count = 0;
    let mut operations = Vec::new();
    for step in steps {
        let Some(response) = &step.exchange.response else { continue };
        let body = match &step.reply.document {
            Some(document) => without_id(document),
            None => Value::from(String::from_utf8_lossy(&response.body).into_owned()),
        };
        let answer = (response.status, body);
        match &first {
            None => first = Some(answer),
            Some(first) if *first == answer => {}
            Some(_) => return None,
        }
        count += 1;
        if !operations.contains(&step.sent.operation) {
            operations.push(step.sent.operation);
        }
    }
    let (status, body) = first?;
    Some(SingleAnswer { status, body, count, operations: operations.len() })
}

impl SingleAnswer {
    /// Whether there were so many requests that it is not an accident.
    const fn is_to_everything(&self) -> bool {
        self.count >= MIN_ANSWERS && self.operations >= 3
    }
}

/// An agent that gives the same answer whatever it is asked.
fn same_answer_to_everything(steps: &[&Rc<Step>]) -> Option<String> {
    let single = single_answer(steps.iter().copied()).filter(SingleAnswer::is_to_everything)?;
    let SingleAnswer { status, body, count, .. } = single;
    let shown = if matches!(&body, Value::String(text) if text.trim_start().starts_with('<')) {
        "an HTML page".to_owned()
    } else {
        brief(&body, 120)
    };
    Some(format!(
        "The endpoint returned the same response to all {count} calls, whatever was requested: HTTP {status} with {shown}."
    ))
}

/// Whether a lane's answers are alike so far, and the first is one that a task that does not exist should not get.
pub(super) fn may_give_single_answer(transcripts: &[Rc<Transcript>]) -> bool {
    let steps = || transcripts.iter().flat_map(|transcript| &transcript.steps);
    let is_odd = |step: &Rc<Step>| match &step.reply.kind {
        ReplyKind::Result(_) => true,
        ReplyKind::Error(error) => {
            let usual = [ErrorName::TaskNotFound, ErrorName::MethodNotFound, ErrorName::VersionNotSupported];
            !usual.iter().any(|name| error.is(*name))
        }
        _ => false,
    };
    steps().next().is_some_and(is_odd) && single_answer(steps()).is_some()
}

/// Whether the agent gave a lane the same answer to everything.
pub(super) fn gives_single_answer(transcripts: &[Rc<Transcript>]) -> bool {
    let steps = transcripts.iter().flat_map(|transcript| &transcript.steps);
    may_give_single_answer(transcripts) && single_answer(steps).is_some_and(|single| single.is_to_everything())
}

/// A response without ids and timestamps, which differ from one answer to the next.
fn without_id(document: &Value) -> Value {
    match document {
        Value::Object(map) => map
            .iter()
            .filter(|(name, _)| !matches!(name.as_str(), "id" | "messageId" | "contextId" | "taskId" | "timestamp"))
            .map(|(name, value)| (name.clone(), without_id(value)))
            .collect(),
        Value::Array(list) => list.iter().map(without_id).collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::exchange::{Response, TransportError};
    use crate::wire::http::Request;

    #[test]
    fn of_what_was_under_way_when_an_agent_ended_the_last_request_is_named() {
        let unreachable =
            || TransportError { kind: TransportErrorKind::Unreachable, detail: "connection refused".to_owned() };
        let of = |id: u32, (sent_ms, end_ms): (f64, f64), end: End| {
            let response = (end == End::Complete).then(|| Response { status: 200, ..Response::default() });
            Rc::new(Exchange { response, end, end_ms, ..Exchange::begun(id, Request::get("https://a.test/"), sent_ms) })
        };
        let broken = || End::Broken("reset".to_owned());
        let mut exchanges = vec![
            of(1, (0.0, 50.0), End::Complete),
            of(2, (100.0, 1000.0), broken()),
            of(3, (500.0, 1000.0), broken()),
            of(4, (300.0, 1000.0), broken()),
        ];
        let later = (5..8).map(|id| of(id, (1000.0 + f64::from(id), 1100.0), End::NoAnswer(unreachable())));
        exchanges.extend(later);
        let told = crash(&exchanges).unwrap();
        assert!(told.contains("This began with exchange 3 "), "{told}");
        assert!(told.contains("the exchanges 2, 4 were in progress too. 3 later requests"), "{told}");
        exchanges.pop();
        assert_eq!(crash(&exchanges), None);
    }
}
