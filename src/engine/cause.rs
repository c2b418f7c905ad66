//! One sentence for one cause: when a single thing explains most of what went wrong, it is said once.

use std::rc::Rc;

use super::take::{Step, Take, barred};
use crate::a2a::binding::Said;
use crate::a2a::model::ErrorName;
use crate::a2a::rule::Rule;
use crate::wire::json::{Value, brief};

/// Fewer answers than this prove nothing about an agent that answers everything alike.
const ENOUGH: usize = 4;

/// What explains most of a lane, if one thing does.
#[must_use]
pub fn of_lane(takes: &[Rc<Take>]) -> Option<String> {
    let steps: Vec<&Rc<Step>> = takes.iter().flat_map(|take| &take.steps).collect();
    let total = steps.len();
    if total == 0 {
        return None;
    }
    let count = |is: &dyn Fn(&Said) -> bool| steps.iter().filter(|step| is(&step.reply.said)).count();
    let mostly = |part: usize| part * 10 >= total * 8;
    if mostly(count(&|said| matches!(said, Said::Nothing(_)))) {
        let first = steps.iter().find_map(|step| match &step.reply.said {
            Said::Nothing(why) => Some(why.clone()),
            _ => None,
        });
        return Some(format!("The agent's endpoint gave no answer: {}.", first.unwrap_or_default()));
    }
    for status in [401, 403, 429, 503] {
        if mostly(count(&|said| *said == Said::Barred(status))) {
            return Some(format!("Almost every call was turned away: {}.", barred(status).message));
        }
    }
    if let Some(why) = alike(&steps) {
        return Some(why);
    }
    if total >= ENOUGH && mostly(count(&|said| matches!(said, Said::Unreadable(_)))) {
        let first = steps.iter().find_map(|step| match &step.reply.said {
            Said::Unreadable(what) => Some(what.clone()),
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
        count(&|said| matches!(said, Said::Error(error) if error.name == Some(ErrorName::VersionNotSupported)));
    if total >= ENOUGH && mostly(refused_version) {
        return Some(
            "The agent refuses the protocol version that its own card declares: almost every call was answered with \
             VersionNotSupportedError."
                .to_owned(),
        );
    }
    None
}

/// An agent that answers in the forms of an older version: not one slip but the whole vocabulary.
fn older_forms(steps: &[&Rc<Step>]) -> Option<String> {
    let told: Vec<_> =
        steps.iter().filter(|step| matches!(step.reply.said, Said::Result(_) | Said::Stream(_))).collect();
    let with = |rule| told.iter().filter(|step| step.reply.notes.broken(rule).is_some()).count();
    let kinds = with(Rule::NoKind);
    let names = with(Rule::TaskState).max(with(Rule::Role));
    (told.len() >= ENOUGH && kinds * 2 >= told.len() && names * 2 >= told.len()).then(|| {
        "The interface declares 1.0 and answers in the forms of 0.3 (members named kind, states and roles in lower \
         case): most findings are this one."
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
            "The endpoint gave the same answer to all {count} calls, whatever was asked: HTTP {status} with {shown}."
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
