//! Holds what a step expects of a stream against its events: how many, how soon, in which order, and what each is.

use serde_json::{Map, Value};

use super::answer::{AnswerOutcome, StepAnswer, unwrapped};
use super::document::ExpectStream;
use super::matching::{Met, holds, judge, judge_given, mismatch};
use super::read_expect::EVENT_KINDS;
use super::scope::TestScope;
use crate::a2a::dialect::Dialect;
use crate::a2a::model::TaskState;
use crate::engine::transcript::whole_ms;

/// What `expect_stream` says.
pub(super) fn stream(wanted: &ExpectStream, answer: &StepAnswer, dialect: &Dialect, scope: &TestScope<'_>) -> Met {
    let AnswerOutcome::Stream(events) = &answer.kind else {
        return Err(mismatch("", "a stream of events", answer.describe()));
    };
    let count = events.len() as u64;
    let events_in_words = |count: u64| if count == 1 { "1 event".to_owned() } else { format!("{count} events") };
    if let Some(least) = wanted.min_count.filter(|least| count < *least) {
        return Err(mismatch("", format!("at least {}", events_in_words(least)), events_in_words(count)));
    }
    if let Some(most) = wanted.max_count.filter(|most| count > *most) {
        return Err(mismatch("", format!("at most {}", events_in_words(most)), events_in_words(count)));
    }
    if let Some(limit) = wanted.timeout_ms.filter(|limit| answer.duration_ms > *limit as f64) {
        let actual = format!("{} ms", whole_ms(answer.duration_ms));
        return Err(mismatch("", format!("the end of the stream within {limit} ms"), actual));
    }
    if let (Some(cut), true) = (&answer.cut, wanted.final_event.is_some() || wanted.timeout_ms.is_some()) {
        return Err(mismatch("", "a stream that ends", cut.clone()));
    }
    if wanted.is_monotonic {
        monotonic(events, dialect)?;
    }
    let views: Vec<Value> = events.iter().map(view).collect();
    for (place, view) in views.iter().enumerate() {
        judge_given(wanted.each_event.as_ref(), Some(view), &format!("events[{place}]"), scope)?;
    }
    for expected in &wanted.events {
        let about =
            if expected.description.is_empty() { expected.assertion.describe() } else { expected.description.clone() };
        if let Some(index) = expected.index {
            judge(&expected.assertion, views.get(index), &format!("events[{index}]"), scope)?;
            continue;
        }
        let mut is_met = false;
        for view in &views {
            is_met |= holds(judge(&expected.assertion, Some(view), "", scope))?;
        }
        if !is_met {
            let actual = format!("none of {}", events_in_words(count));
            return Err(mismatch("events", format!("an event: {about}"), actual));
        }
    }
    let place = format!("events[{}]", views.len().saturating_sub(1));
    judge_given(wanted.final_event.as_ref(), views.last(), &place, scope)
}

/// An event as assertions look at it: its own members, and those of its payload.
fn view(event: &Value) -> Value {
    let mut members = event.as_object().cloned().unwrap_or_default();
    // Before 1.0 an event is its payload, and names its kind.
    if let Some(kind) = event.get("kind").and_then(Value::as_str).map(|kind| kind.replace('-', "_"))
        && let Some((_, wire)) = EVENT_KINDS.iter().find(|(written, _)| *written == kind)
    {
        members.insert((*wire).to_owned(), event.clone());
    }
    let payload: Map<String, Value> = EVENT_KINDS
        .iter()
        .filter_map(|(_, wire)| event.get(*wire)?.as_object())
        .flatten()
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    for (name, value) in payload {
        members.entry(name).or_insert(value);
    }
    Value::Object(members)
}

/// Whether no state follows one that it must not follow: none a terminal one but itself, and submitted only itself.
fn monotonic(events: &[Value], dialect: &Dialect) -> Met {
    let mut last: Option<(TaskState, String)> = None;
    for (place, event) in events.iter().enumerate() {
        // The answer to a request that was written by hand still has its envelope.
        let view = view(&unwrapped(event.clone()));
        let name = view.pointer("/status/state").and_then(Value::as_str).unwrap_or_default();
        let Some(state) = dialect.state(name) else { continue };
        if let Some((before, before_name)) = &last
            && *before != state
            && (before.is_terminal() || state == TaskState::Submitted)
        {
            let expected = format!("a state that may follow {before_name}");
            return Err(mismatch(&format!("events[{place}].status.state"), expected, name));
        }
        last = Some((state, name.to_owned()));
    }
    Ok(())
}
