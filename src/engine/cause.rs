//! One sentence for one cause: when a single thing explains most of what went wrong, it is said once.

use std::rc::Rc;

use super::credentials::CREDENTIALS;
use super::transcript::{Step, Transcript, unavailable, whole_ms};
use crate::a2a::binding::ReplyKind;
use crate::a2a::model::ErrorName;
use crate::a2a::rule::Rule;
use crate::wire::exchange::{End, Exchange, TransportErrorKind};
use crate::wire::json::{Value, brief, parse};

/// Fewer answers than this prove nothing about an agent that answers everything alike.
const ENOUGH: usize = 4;

/// What explains most of a lane, if one thing does.
#[must_use]
pub fn of_lane(transcripts: &[Rc<Transcript>]) -> Option<String> {
    let steps: Vec<&Rc<Step>> = transcripts.iter().flat_map(|transcript| &transcript.steps).collect();
    let total = steps.len();
    if total == 0 {
        return None;
    }
    let count = |is: &dyn Fn(&ReplyKind) -> bool| steps.iter().filter(|step| is(&step.reply.kind)).count();
    let mostly = |part: usize| part * 10 >= total * 8;
    if mostly(count(&|kind| matches!(kind, ReplyKind::NoAnswer(_)))) {
        let first = steps.iter().find_map(|step| match &step.reply.kind {
            ReplyKind::NoAnswer(why) => Some(why.clone()),
            _ => None,
        });
        return Some(format!("The agent's endpoint did not answer: {}.", first.unwrap_or_default()));
    }
    for status in [401, 403, 429, 503] {
        if mostly(count(&|kind| *kind == ReplyKind::Unavailable(status))) {
            return Some(format!("Almost every call was refused: {}.", unavailable(status).message));
        }
    }
    if let Some(why) = alike(&steps) {
        return Some(why);
    }
    if total >= ENOUGH && mostly(count(&|kind| matches!(kind, ReplyKind::Unreadable(_)))) {
        let first = steps.iter().find_map(|step| match &step.reply.kind {
            ReplyKind::Unreadable(what) => Some(what.clone()),
            _ => None,
        });
        return Some(format!(
            "The endpoint does not speak this binding: almost every call was answered with {}.",
            first.unwrap_or_default()
        ));
    }
    if let Some(why) = older_forms(&steps) {
        return Some(why);
    }
    let refused_version =
        count(&|kind| matches!(kind, ReplyKind::Error(error) if error.name == Some(ErrorName::VersionNotSupported)));
    if total >= ENOUGH && mostly(refused_version) {
        return Some(
            "The agent refuses the protocol version that its own card declares: almost every call was answered with \
             VersionNotSupportedError."
                .to_owned(),
        );
    }
    None
}

/// An answer to a GET of a document that takes longer than this tells of an agent that was being started.
const COLD_MS: f64 = 5000.0;

/// What is to be said of the first exchange of a run when its answer came late. It is no fault.
#[must_use]
pub fn cold_start(first: &Exchange) -> Option<String> {
    let waited = first.response.as_ref()?.head_ms - first.sent_ms;
    let seconds = whole_ms(waited / 1000.0);
    (waited >= COLD_MS).then(|| format!("the first answer took {seconds} s, as if the agent had to start up"))
}

/// So many requests in a row without an answer are no accident.
const SILENCES: usize = 3;

/// Who waited less than this for an answer knows nothing, in milliseconds.
const WAITED_MS: f64 = 1000.0;

/// An agent that answered and then never again: at which request that began. All exchanges of the run, in any order.
#[must_use]
pub fn crash(exchanges: &[Rc<Exchange>]) -> Option<String> {
    // Tokens come from somebody else.
    let exchanges: Vec<_> = exchanges.iter().filter(|exchange| exchange.scenario != CREDENTIALS).collect();
    let answered = |exchange: &Exchange| exchange.response.is_some() && !matches!(exchange.end, End::Broken(_));
    let answered_or_unauthorized: Vec<_> = exchanges.iter().filter(|exchange| answered(exchange)).collect();
    // By when they were sent: an answer that was under way may outlive whoever sent it.
    let last_ms = answered_or_unauthorized.iter().map(|exchange| exchange.sent_ms).reduce(f64::max)?;
    // One that found no time left was hardly sent.
    let waited = |exchange: &Exchange| !matches!(exchange.end, End::Deadline(_)) || exchange.duration_ms() >= WAITED_MS;
    let silent = |exchange: &Exchange| !answered(exchange) && waited(exchange) && exchange.end_ms >= last_ms;
    let silent: Vec<_> = exchanges.iter().filter(|exchange| silent(exchange)).collect();
    let first = silent.iter().copied().reduce(|a, b| if b.end_ms < a.end_ms { b } else { a })?;
    // Of those that were under way, the one that was cut off tells more than one that no longer found anybody.
    let refused = |exchange: &Exchange| matches!(&exchange.end, End::NoAnswer(trouble) if trouble.kind == TransportErrorKind::Unreachable);
    // A process that dies takes all of them along; what it was asked last is what it most likely died of.
    let died_ms = first.end_ms;
    let under_way = silent.iter().copied().filter(|exchange| exchange.sent_ms < died_ms && !refused(exchange));
    let first = under_way.reduce(|a, b| if b.sent_ms >= a.sent_ms { b } else { a }).unwrap_or(first);
    let after = silent.iter().filter(|exchange| exchange.sent_ms >= died_ms && exchange.id != first.id);
    let after: Vec<_> = after.collect();
    if after.len() < SILENCES {
        return None;
    }
    let others: Vec<_> = silent
        .iter()
        .filter(|exchange| exchange.sent_ms < died_ms && exchange.id != first.id)
        .map(|exchange| exchange.id.to_string())
        .collect();
    let beside = match others.as_slice() {
        [] => String::new(),
        [one] => format!("; exchange {one} was in progress too"),
        several => format!("; the exchanges {} were in progress too", several.join(", ")),
    };
    let how = first.end.cut().unwrap_or_default();
    Some(format!(
        "The agent answered {} requests and then stopped, as if it had crashed. This began with exchange {} ({}, \
         scenario {}): {how}{beside}. {} later requests were not answered.",
        answered_or_unauthorized.len(),
        first.id,
        asked(first),
        first.scenario,
        after.len(),
    ))
}

/// What an exchange asked for: the method of JSON-RPC, or that of HTTP and the URL.
fn asked(exchange: &Exchange) -> String {
    let request = &exchange.request;
    let document = request.body.as_deref().and_then(|body| parse(body).value);
    match document.as_ref().and_then(|document| document.get("method")).and_then(Value::as_str) {
        Some(method) => method.to_owned(),
        None => format!("{} {}", request.method, request.url),
    }
}

/// An agent that answers in the forms of an older version: not one slip but the whole vocabulary.
fn older_forms(steps: &[&Rc<Step>]) -> Option<String> {
    let told: Vec<_> =
        steps.iter().filter(|step| matches!(step.reply.kind, ReplyKind::Result(_) | ReplyKind::Stream(_))).collect();
    let with = |rule| told.iter().filter(|step| step.reply.notes.broken(rule).is_some()).count();
    let kinds = with(Rule::NoKind);
    let names = with(Rule::TaskState).max(with(Rule::Role));
    (told.len() >= ENOUGH && kinds * 2 >= told.len() && names * 2 >= told.len()).then(|| {
        "The interface declares 1.0 but uses the format of 0.3 (members named kind, states and roles in lower case), \
         which explains most findings."
            .to_owned()
    })
}

/// An agent that gives the same answer whatever it is asked.
fn alike(steps: &[&Rc<Step>]) -> Option<String> {
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
    let shown = if matches!(&body, Value::String(text) if text.trim_start().starts_with('<')) {
        "an HTML page".to_owned()
    } else {
        brief(&body, 120)
    };
    (count >= ENOUGH && operations.len() >= 3).then(|| {
        format!(
            "The endpoint returned the same response to all {count} calls, whatever was requested: HTTP {status} with \
             {shown}."
        )
    })
}

/// A response without its id, and without the ids that differ from one message to the next.
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
