//! Judges of the scenario `stream` about its course: media type, first event, kinds of events, the mark of the last one, and
//! closing in time.

use super::events::{shows_end, task_events};
use crate::a2a::binding::ReplyKind;
use crate::a2a::model::{ErrorName, StreamEvent, TaskState};
use crate::a2a::rule::Rule;
use crate::engine::drive::GRACE_MS;
use crate::engine::transcript::{Transcript, whole_ms};
use crate::engine::verdict::{Judged, Verdict};
use crate::wire::exchange::End;

/// How many times as long as the next call a stream had to end, where it is blamed for staying open.
const PROMPT_FACTOR: f64 = 3.0;

pub(super) fn content_type(t: &Transcript) -> Judged {
    let step = t.answered("stream")?;
    let Some(response) = &step.exchange.response else { return Err(Verdict::blocked("there was no response")) };
    if response.is_event_stream() && response.status == 200 {
        return Ok(step.pass());
    }
    match &step.reply.kind {
        // Declared, and yet refused as if it were not there.
        ReplyKind::Error(error)
            if matches!(error.name, Some(ErrorName::UnsupportedOperation | ErrorName::MethodNotFound)) =>
        {
            let expected = "an event stream, since the card declares streaming";
            Ok(step.fail(expected, error.describe()).at(error.at.as_str()))
        }
        ReplyKind::Error(error) => Err(step.blocked(format!("the stream was refused with {}", error.describe()))),
        _ => {
            let media = response.headers.media_type().unwrap_or_else(|| "no Content-Type".to_owned());
            let actual = format!("HTTP {} with {media}", response.status);
            Ok(step.fail("HTTP 200 with text/event-stream", actual).at("header Content-Type"))
        }
    }
}

/// Judges a rule over the events of the stream.
pub(super) fn rule(t: &Transcript, rule: Rule) -> Judged {
    t.stream("stream")?;
    // Streams of other steps would be judged where they are opened; the rule is the stream's own.
    Ok(t.rule(rule, || Verdict::inconclusive("the stream contained no event of that kind")))
}

pub(super) fn bare_events(t: &Transcript) -> Judged {
    let verdict = content_type(t)?;
    if verdict.expected.is_some() { Ok(verdict) } else { rule(t, Rule::SseEnvelope) }
}

pub(super) fn first_event(t: &Transcript) -> Judged {
    let (step, events) = t.events("stream")?;
    let Some((number, event)) = events.first() else { return Err(Verdict::blocked("the stream contained no event")) };
    let begins = matches!(event, StreamEvent::Task(_) | StreamEvent::Message(_));
    step.claim(begins, "a task or a message first", name(event), format!("event {number}"))
}

pub(super) const fn name(event: &StreamEvent) -> &'static str {
    match event {
        StreamEvent::Task(_) => "a task",
        StreamEvent::Message(_) => "a message",
        StreamEvent::Status(_) => "a statusUpdate",
        StreamEvent::Artifact(_) => "an artifactUpdate",
        StreamEvent::Other(_) => "something else",
    }
}

/// Whether the agent answers calls in much less time than a stream has to end. One that is busy may be late with everything, and
/// nothing follows from a stream that is late as well (T-STR-12).
fn is_prompt(t: &Transcript) -> Result<(), Verdict> {
    let Ok(step) = t.answered("get") else {
        return Err(Verdict::inconclusive("the stream did not end in time, and the next call got no answer either"));
    };
    if step.exchange.duration_ms() * PROMPT_FACTOR > GRACE_MS {
        let took = whole_ms(step.exchange.duration_ms());
        let why =
            format!("the stream did not end within 5 s, but the next call took {took} ms, so the agent may be busy");
        return Err(step.inconclusive(why));
    }
    Ok(())
}

pub(super) fn closes(t: &Transcript) -> Judged {
    let (step, events) = task_events(t, "stream")?;
    match (&step.exchange.end, shows_end(&events)) {
        (End::Complete, true) => Ok(step.pass()),
        (End::Complete, false) => {
            Err(step.inconclusive("the stream ended before the task did, which is allowed at an interrupted state"))
        }
        (End::HungUp, true) => {
            is_prompt(t)?;
            let actual = "a stream still open after the grace period of 5 s";
            Ok(step.fail("the end of the stream after the terminal status", actual))
        }
        // A client that stopped reading early, or lost the connection, has not seen it stay open.
        (end, true) | (end @ End::Broken(_), false) => Err(step.blocked(end.cut().unwrap_or_default())),
        (_, false) => Err(step.inconclusive("the task was still running when the listening time ended")),
    }
}

pub(super) fn kinds(t: &Transcript) -> Judged {
    let payload = rule(t, Rule::EventPayload)?;
    let kind = rule(t, Rule::Kind)?;
    Ok(if payload.expected.is_none() && kind.expected.is_some() { kind } else { payload })
}

/// Where the first event stands that is marked as the last.
fn marked(events: &[(usize, &StreamEvent)]) -> Option<usize> {
    events.iter().position(|(_, event)| matches!(event, StreamEvent::Status(update) if update.last == Some(true)))
}

pub(super) fn final_ends(t: &Transcript) -> Judged {
    let (step, events) = task_events(t, "stream")?;
    let Some(end) = marked(&events) else {
        return Err(Verdict::not_applicable("no event is marked final"));
    };
    if let Some((number, event)) = events.get(end + 1) {
        let verdict = step.fail("nothing after the event with final true", name(event));
        return Ok(verdict.at(format!("event {number}")));
    }
    if let Some(cut) = step.exchange.end.cut() {
        return Err(step.blocked(cut));
    }
    if step.exchange.end != End::Complete {
        is_prompt(t)?;
    }
    let actual = "a stream still open after the grace period of 5 s";
    step.claim(step.exchange.end == End::Complete, "the end of the stream after final true", actual, "")
}

pub(super) fn final_marked(t: &Transcript) -> Judged {
    let (step, events) = task_events(t, "stream")?;
    if marked(&events).is_some() {
        return Ok(step.pass());
    }
    if !shows_end(&events) {
        return Err(step.inconclusive("the stream does not reach the end of the task"));
    }
    step.claim(false, "final true on the last status update", "no event with final true", "")
}

pub(super) fn first_status(t: &Transcript) -> Judged {
    let (step, events) = task_events(t, "stream")?;
    let Some((number, event)) = events.first() else { return Err(Verdict::blocked("the stream contained no event")) };
    let begins = matches!(event.state(), Some(TaskState::Submitted | TaskState::Working));
    step.claim(begins, "a status update, submitted or working", name(event), format!("event {number}"))
}
