//! Holds what a step expects against its answer: status, error, files, and assertions; events of streams are in `streams.rs`.

use serde_json::Value;

use super::answer::{AnswerOutcome, StepAnswer};
use super::assertion::{Assertion, Operator};
use super::document::{ExpectBlock, ExpectError, NamedAssertion, Quantity};
use super::error_names;
use super::matching::{Met, Unmet, holds, judge, judge_given, mismatch, shown};
use super::reference::{self, Reference};
use super::scope::TestScope;
use super::sent_file::TestFile;
use super::tool_calls::tool_calls;
use crate::a2a::model::AgentError;

/// What `expect` says; of a step without it, that the operation succeeds.
pub(super) fn response(wanted: &ExpectBlock, answer: &StepAnswer, is_written: bool, scope: &TestScope<'_>) -> Met {
    let names_error = wanted.is_error || wanted.body.as_ref().is_some_and(names_error);
    let is_success = match &answer.kind {
        AnswerOutcome::Other(what) => return Err(mismatch("", "an answer", what.clone())),
        // What was written by hand is answered by whatever the file says.
        AnswerOutcome::Error(_) if is_written && (wanted.status.is_some() || names_error) => true,
        AnswerOutcome::Error(_) => false,
        _ => true,
    };
    if wanted.is_error && !matches!(answer.kind, AnswerOutcome::Error(_)) {
        return Err(mismatch("", "an error", answer.describe()));
    }
    if !is_success && !names_error {
        return Err(mismatch("", "a result", answer.describe()));
    }
    if let Some(status) = &wanted.status {
        judge_status(status, answer.status, is_written, scope)?;
    }
    for (name, wanted) in &wanted.headers {
        let value =
            answer.headers.iter().find(|(known, _)| known == name).map(|(_, value)| Value::from(value.as_str()));
        judge(wanted, value.as_ref(), &format!("the header {name}"), scope)?;
    }
    judge_given(wanted.body.as_ref(), Some(&answer.root), "", scope)?;
    if let Some(calls) = &wanted.tool_calls {
        judge(calls, Some(&tool_calls(&answer.root)), "x-tool-calls", scope)?;
    }
    match &wanted.bytes {
        Some(file) => body_is(scope.file(file).map_err(Unmet::Unresolved)?, answer),
        None => Ok(()),
    }
}

/// Whether the body of an answer is this file, byte for byte.
fn body_is(file: &TestFile, answer: &StepAnswer) -> Met {
    let body = answer.exchange.response.as_ref().map(|response| response.body.as_slice()).unwrap_or_default();
    let compared = file.compare(body);
    compared.map_err(|(expected, actual)| mismatch("the body", expected, actual))
}

/// What is said of the HTTP status. Of an operation 200 means that it succeeds: gRPC has no such number, and A2A leaves open which of
/// 200, 201 and 204 an agent returns over HTTP.
fn judge_status(wanted: &Assertion, status: Option<u16>, is_written: bool, scope: &TestScope<'_>) -> Met {
    let is_success = !is_written && status.is_some_and(|status| (200..300).contains(&status));
    if is_success && judge(wanted, Some(&Value::from(200)), "the HTTP status", scope).is_ok() {
        return Ok(());
    }
    judge(wanted, status.map(Value::from).as_ref(), "the HTTP status", scope)
}

/// Whether an assertion about the root speaks of its member `error`.
fn names_error(assertion: &Assertion) -> bool {
    let Assertion::Map { operators, members } = assertion else { return false };
    let within = operators.iter().any(|operator| match operator {
        Operator::AnyOf(of) | Operator::AllOf(of) => of.iter().any(names_error),
        _ => false,
    });
    within || members.iter().any(|(name, wanted)| name == "error" && !wanted.is_absent())
}

/// What `expect_error` says.
pub(super) fn error(wanted: &ExpectError, answer: &StepAnswer, scope: &TestScope<'_>) -> Met {
    let AnswerOutcome::Error(error) = &answer.kind else {
        return Err(mismatch("", "an error", answer.describe()));
    };
    if let Some(name) = &wanted.error_type {
        error_name(name, error, scope)?;
    }
    let message = error.message.as_deref().map(Value::from);
    judge_given(wanted.message.as_ref(), message.as_ref(), "error.message", scope)?;
    judge_given(wanted.data.as_ref(), answer.error_data(), "error.data", scope)?;
    match &wanted.details {
        Some(details) => error_details(details, answer.error_data(), scope),
        None => Ok(()),
    }
}

/// Whether an error has the name, or one of the names, that a file gives it.
fn error_name(wanted: &Assertion, error: &AgentError, scope: &TestScope<'_>) -> Met {
    let is_named = |name: &str| error_names::find(name).unwrap_or_default().iter().any(|known| error.is(*known));
    let names: Vec<&Assertion> = match wanted {
        Assertion::Map { operators, .. } => operators
            .iter()
            .flat_map(|operator| match operator {
                Operator::AnyOf(of) => of.iter().collect(),
                _ => Vec::new(),
            })
            .collect(),
        other => vec![other],
    };
    for name in &names {
        if let Assertion::Equals(Value::String(name)) = name
            && is_named(&scope.text(name).map_err(Unmet::Unresolved)?)
        {
            return Ok(());
        }
    }
    Err(mismatch("error", wanted.describe().replace('"', ""), error.describe()))
}

/// Whether the details of an error, or one of them, or the metadata of one, are so.
fn error_details(wanted: &Assertion, data: Option<&Value>, scope: &TestScope<'_>) -> Met {
    let objects: Vec<&Value> = match data {
        Some(Value::Array(details)) => {
            details.iter().chain(details.iter().filter_map(|detail| detail.get("metadata"))).collect()
        }
        Some(other) => vec![other],
        None => Vec::new(),
    };
    for object in objects {
        if holds(judge(wanted, Some(object), "error.details", scope))? {
            return Ok(());
        }
    }
    Err(mismatch("error.details", wanted.describe(), shown(data)))
}

/// What an assertion about an earlier response says.
pub(super) fn named(wanted: &NamedAssertion, scope: &TestScope<'_>) -> Met {
    let text = wanted.source.trim();
    let text = text.strip_prefix("{{").and_then(|text| text.strip_suffix("}}")).unwrap_or(text).trim();
    let filled = scope.fill(&Value::String(format!("{{{{{text}}}}}")));
    let source = match reference::reference(text).map_err(Unmet::Unresolved)? {
        Reference::OfStep { .. } => filled.ok(),
        _ => Some(filled.map_err(Unmet::Unresolved)?),
    };
    let value = match (&wanted.path, &source) {
        (Some(path), Some(source)) => path.value(source),
        (None, source) => source.as_ref(),
        (Some(_), None) => None,
    };
    judge_given(wanted.matches.as_ref(), value, text, scope)?;
    for (quantity, path, assertion) in &wanted.of_elements {
        let found = value.map(|value| path.values(value)).unwrap_or_default();
        let mut meeting = 0;
        for (place, element) in &found {
            match judge(assertion, Some(element), place, scope) {
                Ok(()) if *quantity == Quantity::Zero => {
                    let expected = format!("no element that is {}", assertion.describe());
                    return Err(mismatch(place, expected, shown(Some(element))));
                }
                Ok(()) => meeting += 1,
                Err(Unmet::Mismatch { .. }) if *quantity != Quantity::All => {}
                Err(unmet) => return Err(unmet),
            }
        }
        if *quantity == Quantity::Any && meeting == 0 {
            let expected = format!("an element that is {}", assertion.describe());
            let actual = match found.len() {
                0 => "no element".to_owned(),
                1 => "1 element, which is not".to_owned(),
                count => format!("{count} elements, none of which is"),
            };
            return Err(mismatch(text, expected, actual));
        }
    }
    Ok(())
}
