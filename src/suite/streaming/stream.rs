//! One streamed task, from its first event to the end of the body, and the task read back.

use futures_util::future::LocalBoxFuture;

use super::events::{declared, state_of, task_events};
use crate::a2a::binding::ReplyKind;
use crate::a2a::dialect::read_objects::utc_moment;
use crate::a2a::model::{Content, ErrorName, Part, StreamEvent, TaskState};
use crate::a2a::rule::Rule;
use crate::engine::check::{Check, Scenario, Scope, tripped_by};
use crate::engine::drive::{Driver, GRACE_MS, task_of};
use crate::engine::plural::count_of;
use crate::engine::prompt::Behaviour;
use crate::engine::session::StreamControl;
use crate::engine::transcript::{Step, Transcript, whole_ms};
use crate::engine::verdict::{Judged, Verdict};
use crate::wire::exchange::End;

/// Events that all arrive within this time say nothing about when they were made.
const BURST_MS: f64 = 50.0;
/// How many times as long as the next call a stream had to end, where it is blamed for staying open.
const PROMPT_FACTOR: f64 = 3.0;
/// A task that took this long had time to tell what it was doing.
const SLOW_MS: f64 = 400.0;

/// The scenario of this file.
pub(super) static SCENARIO: Scenario = Scenario {
    id: "stream",
    title: "Stream a task to its end",
    scope: Scope::Lane,
    messages: 1,
    streams: 1,
    rounds: 2,
    after: &["probe", "examples"],
    needs: declared,
    drive,
    checks: CHECKS,
    ..Scenario::DEFAULTS
};

const CHECKS: &[Check] = &[
    Check {
        id: "jsonrpc.sse-content-type",
        title: "A streaming call returns an event stream",
        why: "Browsers and SDKs choose the parser by this media type.",
        fix: "Respond to a streaming call with status 200 and Content-Type: text/event-stream.",
        faults: tripped_by(&["stream-as-json", "streaming-missing"]),
        judge: content_type,
        ..Check::DEFAULTS
    },
    Check {
        id: "jsonrpc.sse-envelope",
        title: "Each event is a complete JSON-RPC response",
        why: "Over JSON-RPC every event is a complete response, so that one parser handles both.",
        fix: "Wrap each event in {\"jsonrpc\": \"2.0\", \"id\": ..., \"result\": {...}}.",
        faults: tripped_by(&["stream-bare-events"]),
        judge: |t| rule(t, Rule::SseEnvelope),
        ..Check::DEFAULTS
    },
    Check {
        id: "jsonrpc.sse-id",
        title: "Events carry the id of their request",
        why: "A client with several calls in progress matches each stream to its call by the id.",
        fix: "Use the id of the request that opened the stream in every event.",
        faults: tripped_by(&["stream-other-id"]),
        judge: |t| rule(t, Rule::SseId),
        ..Check::DEFAULTS
    },
    Check {
        id: "stream.first-event",
        title: "A stream begins with a task or a message",
        why: "Updates are meaningless to a client that does not have the task yet.",
        fix: "Send the task (or the one message) as the first event.",
        faults: tripped_by(&["stream-starts-with-status"]),
        judge: first_event,
        ..Check::DEFAULTS
    },
    Check {
        id: "stream.task-lifecycle",
        title: "After the task only updates follow",
        why: "A message ends the exchange; in the middle of a task it has no place.",
        fix: "After the task, send only statusUpdate and artifactUpdate; put what the agent says into status.message.",
        faults: tripped_by(&["stream-message-inside"]),
        judge: only_updates,
        ..Check::DEFAULTS
    },
    Check {
        id: "stream.closes-on-terminal",
        title: "The stream closes when the task reaches a terminal state",
        why: "Otherwise a client waits forever, and a browser allows only six connections per host.",
        fix: "End the response when the task reaches a terminal state.",
        faults: tripped_by(&["stream-stays-open"]),
        judge: closes,
        ..Check::DEFAULTS
    },
    Check {
        id: "stream.nothing-after-terminal",
        title: "No update follows a terminal status",
        why: "A client that stops at the terminal status misses everything after it.",
        fix: "Send artifacts before the terminal status.",
        faults: tripped_by(&["stream-update-after-terminal"]),
        judge: nothing_after,
        ..Check::DEFAULTS
    },
    Check {
        id: "rest.sse",
        title: "A stream is SSE with bare events",
        why: "Over HTTP+JSON an event is the bare object; an envelope hides it from typed clients.",
        fix: "Return text/event-stream, with {\"statusUpdate\": {...}} itself as data.",
        requirements: &["rest.sse", "rest.v03.sse"],
        faults: tripped_by(&["stream-as-json", "sse-enveloped"]),
        judge: bare_events,
        ..Check::DEFAULTS
    },
    Check {
        id: "stream.oneof",
        title: "Each event has exactly one payload",
        why: "Clients decide what an event is by the one member that is present.",
        fix: "Give every event exactly one of task, message, statusUpdate and artifactUpdate.",
        faults: tripped_by(&["stream-two-payloads"]),
        judge: |t| rule(t, Rule::EventPayload),
        ..Check::DEFAULTS
    },
    Check {
        id: "stream.status-event-fields",
        title: "Status updates name task, context and status",
        why: "A client cannot apply an update that does not identify its task.",
        fix: "Give every status update its taskId, contextId and status with a state, and in 0.2 and 0.3 also final.",
        requirements: &["stream.status-event-fields", "stream.v03.status-fields"],
        faults: tripped_by(&["status-event-no-context"]),
        judge: |t| rule(t, Rule::StatusEvent),
        ..Check::DEFAULTS
    },
    Check {
        id: "stream.artifact-event-fields",
        title: "Artifact updates name task, context and artifact",
        why: "A client cannot place a chunk that does not identify its task and artifact.",
        fix: "Give every artifact update its taskId, contextId and artifact; if present, append and lastChunk are \
              booleans.",
        requirements: &["stream.artifact-event-fields", "stream.v03.artifact-fields"],
        faults: tripped_by(&["artifact-event-no-task-id"]),
        judge: |t| rule(t, Rule::ArtifactEvent),
        ..Check::DEFAULTS
    },
    Check {
        id: "stream.kinds",
        title: "Each event identifies its type",
        why: "Clients decide what an event is by its kind, or in 0.1 by whether it has status or artifact.",
        fix: "Give every event the kind task, message, status-update or artifact-update (0.2, 0.3), or in 0.1 the \
              task's id and either status or artifact.",
        requirements: &["stream.v03.result-kinds", "stream.v01.event-shape"],
        faults: tripped_by(&["event-no-kind", "task-in-stream"]),
        judge: kinds,
        ..Check::DEFAULTS
    },
    Check {
        id: "stream.final-ends",
        title: "final true ends the stream",
        why: "Clients stop listening at final and miss everything after it.",
        fix: "Send everything else before the event with final true, and end the response right after it.",
        requirements: &["stream.v03.final-ends", "stream.v01.final-ends"],
        faults: tripped_by(&["stream-after-final"]),
        judge: final_ends,
        ..Check::DEFAULTS
    },
    Check {
        id: "stream.final-marked",
        title: "The last status update is marked final",
        why: "A client that waits for the event with final true waits forever.",
        fix: "Set final to true on the status update that ends the task.",
        requirements: &["stream.v03.final-ends", "stream.v01.final-ends"],
        faults: tripped_by(&["stream-no-final"]),
        advisory: Some("the text shows it only in its examples, and the end of the response also marks the end"),
        judge: final_marked,
    },
    Check {
        id: "stream.first-status",
        title: "The first event is a status, submitted or working",
        why: "The first status shows a client where the task stands.",
        fix: "Begin the stream with a status update: submitted or working.",
        requirements: &["stream.v01.first-event"],
        faults: tripped_by(&["stream-starts-with-artifact"]),
        judge: first_status,
        ..Check::DEFAULTS
    },
    Check {
        id: "stream.no-legacy-members",
        title: "1.0 events have no final or kind",
        why: "1.0 clients do not look at final, and strict ones refuse it.",
        fix: "Leave final and kind out of 1.0 events; the end of the response is the end of the stream.",
        faults: tripped_by(&["stream-final-member"]),
        judge: |t| rule(t, Rule::EventNoLegacy),
        ..Check::DEFAULTS
    },
    Check {
        id: "stream.consistent-ids",
        title: "All events name the same task",
        why: "An update under another id belongs to another task.",
        fix: "Use the task's own id and contextId in all its events.",
        faults: tripped_by(&["stream-foreign-context"]),
        judge: same_ids,
        ..Check::DEFAULTS
    },
    Check {
        id: "stream.append-known-artifact",
        title: "Chunks are appended to existing artifacts",
        why: "A client cannot append to an artifact it has not received.",
        fix: "Send the first chunk of an artifact with append false, or without append.",
        faults: tripped_by(&["append-unknown-artifact"]),
        judge: append_known,
        ..Check::DEFAULTS
    },
    Check {
        id: "stream.last-chunk",
        title: "Nothing is appended after lastChunk",
        why: "A client closes the file when it sees lastChunk.",
        fix: "Set lastChunk on the last chunk only.",
        faults: tripped_by(&["chunk-after-last"]),
        judge: last_chunk,
        ..Check::DEFAULTS
    },
    Check {
        id: "stream.matches-get",
        title: "The stored task matches the stream",
        why: "A client must learn the same whether it streams or polls.",
        fix: "Write every event to the stored task before sending it.",
        faults: tripped_by(&["stream-get-differ"]),
        judge: matches_get,
        ..Check::DEFAULTS
    },
    Check {
        id: "stream.order",
        title: "Events arrive in the order they were generated",
        why: "If events overtake each other, a task appears to go backwards.",
        fix: "Send a task's events through one queue, in the order they were generated.",
        faults: tripped_by(&["timestamps-go-back"]),
        judge: order,
        ..Check::DEFAULTS
    },
    Check {
        id: "stream.incremental",
        title: "Events arrive as they happen",
        why: "The point of a stream is to learn of things as they happen.",
        fix: "Flush each event, and switch off buffering in proxies (X-Accel-Buffering: no, proxy_buffering off).",
        faults: tripped_by(&["stream-burst"]),
        advisory: Some("a proxy on the way may be what holds the events back"),
        judge: incremental,
        ..Check::DEFAULTS
    },
    Check {
        id: "sse.framing",
        title: "The stream follows the SSE grammar",
        why: "Parsers discard an event that does not end with an empty line.",
        fix: "End every event with an empty line, including the last, and encode the stream as UTF-8.",
        faults: tripped_by(&["sse-unterminated"]),
        judge: |t| rule(t, Rule::SseFraming),
        ..Check::DEFAULTS
    },
    Check {
        id: "sse.data-json",
        title: "Each event's data is one JSON value",
        why: "A client that cannot parse an event loses it, or the whole stream.",
        fix: "Serialise each event as one JSON value; if it spans several lines, start each with data:.",
        faults: tripped_by(&["sse-broken-json"]),
        judge: |t| rule(t, Rule::SseJson),
        ..Check::DEFAULTS
    },
];

fn drive(d: &Driver) -> LocalBoxFuture<'_, ()> {
    Box::pin(async move {
        let Some(message) = d.prompt(Behaviour::Stream) else { return };
        let stream = d.open("stream", &message, |_| StreamControl::Continue).await;
        let Some(id) = streamed_task(&stream) else { return };
        d.get("get", &id, None).await;
    })
}

/// The id of the task that a stream showed.
pub(in crate::suite) fn streamed_task(step: &Step) -> Option<String> {
    let ReplyKind::Stream(items) = &step.reply.kind else { return task_of(&step.reply)?.id.clone() };
    items.iter().find_map(|item| match &item.kind {
        crate::a2a::binding::StreamItemKind::Event(event) => match event {
            StreamEvent::Task(task) => task.id.clone(),
            StreamEvent::Status(update) => update.task_id.clone(),
            StreamEvent::Artifact(update) => update.task_id.clone(),
            _ => None,
        },
        _ => None,
    })
}

fn content_type(t: &Transcript) -> Judged {
    let step = t.answered("stream")?;
    let id = step.exchange.id;
    let Some(response) = &step.exchange.response else { return Err(Verdict::blocked("there was no response")) };
    if response.is_event_stream() && response.status == 200 {
        return Ok(Verdict::pass().seen_in(id));
    }
    match &step.reply.kind {
        // Declared, and yet refused as if it were not there.
        ReplyKind::Error(error)
            if matches!(error.name, Some(ErrorName::UnsupportedOperation | ErrorName::MethodNotFound)) =>
        {
            let expected = "an event stream, since the card declares streaming";
            Ok(Verdict::fail(id, expected, error.describe()).at(error.at.as_str()))
        }
        ReplyKind::Error(error) => {
            Err(Verdict::blocked(format!("the stream was refused with {}", error.describe())).seen_in(id))
        }
        _ => {
            let media = response.headers.media_type().unwrap_or_else(|| "no Content-Type".to_owned());
            let actual = format!("HTTP {} with {media}", response.status);
            Ok(Verdict::fail(id, "HTTP 200 with text/event-stream", actual).at("header Content-Type"))
        }
    }
}

/// Judges a rule over the events of the stream.
fn rule(t: &Transcript, rule: Rule) -> Judged {
    t.stream("stream")?;
    // Streams of other steps would be judged where they are opened; the rule is the stream's own.
    Ok(t.rule(rule, || Verdict::inconclusive("the stream contained no event of that kind")))
}

fn bare_events(t: &Transcript) -> Judged {
    let verdict = content_type(t)?;
    if verdict.expected.is_some() { Ok(verdict) } else { rule(t, Rule::SseEnvelope) }
}

fn first_event(t: &Transcript) -> Judged {
    let (step, events) = t.events("stream")?;
    match events.first() {
        Some((_, StreamEvent::Task(_) | StreamEvent::Message(_))) => Ok(Verdict::pass().seen_in(step.exchange.id)),
        Some((number, event)) => {
            Ok(Verdict::fail(step.exchange.id, "a task or a message first", name(event)).at(format!("event {number}")))
        }
        None => Err(Verdict::blocked("the stream contained no event")),
    }
}

const fn name(event: &StreamEvent) -> &'static str {
    match event {
        StreamEvent::Task(_) => "a task",
        StreamEvent::Message(_) => "a message",
        StreamEvent::Status(_) => "a statusUpdate",
        StreamEvent::Artifact(_) => "an artifactUpdate",
        StreamEvent::Other(_) => "something else",
    }
}

fn only_updates(t: &Transcript) -> Judged {
    let (step, events) = task_events(t, "stream")?;
    match events.iter().find(|(_, event)| matches!(event, StreamEvent::Message(_))) {
        Some((number, _)) => {
            Ok(Verdict::fail(step.exchange.id, "updates of the task", "a message").at(format!("event {number}")))
        }
        None => Ok(Verdict::pass_with(count_of(events.len(), "event")).seen_in(step.exchange.id)),
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
        return Err(Verdict::inconclusive(why).seen_in(step.exchange.id));
    }
    Ok(())
}

fn closes(t: &Transcript) -> Judged {
    let (step, events) = task_events(t, "stream")?;
    let id = step.exchange.id;
    let over = events.iter().any(|(_, event)| state_of(event).is_some_and(TaskState::is_terminal));
    match (&step.exchange.end, over) {
        (End::Complete, true) => Ok(Verdict::pass().seen_in(id)),
        (End::Complete, false) => {
            Err(Verdict::inconclusive("the stream ended before the task did, which is allowed at an interrupted state")
                .seen_in(id))
        }
        (End::HungUp, true) => {
            is_prompt(t)?;
            let actual = "a stream still open after the grace period of 5 s";
            Ok(Verdict::fail(id, "the end of the stream after the terminal status", actual))
        }
        // Whoever stopped reading early, or lost the connection, has not seen it stay open.
        (end, true) | (end @ End::Broken(_), false) => Err(Verdict::blocked(end.cut().unwrap_or_default()).seen_in(id)),
        (_, false) => {
            Err(Verdict::inconclusive("the task was still running when the listening time ended").seen_in(id))
        }
    }
}

fn nothing_after(t: &Transcript) -> Judged {
    let (step, events) = task_events(t, "stream")?;
    let id = step.exchange.id;
    let Some(end) = events.iter().position(|(_, event)| state_of(event).is_some_and(TaskState::is_terminal)) else {
        return Err(Verdict::inconclusive("the stream contained no terminal status").seen_in(id));
    };
    // 1.0 §11.7: a snapshot of the finished task may follow.
    match events.iter().skip(end + 1).find(|(_, event)| !matches!(event, StreamEvent::Task(_))) {
        Some((number, event)) => {
            Ok(Verdict::fail(id, "nothing after the terminal status", name(event)).at(format!("event {number}")))
        }
        None => Ok(Verdict::pass().seen_in(id)),
    }
}

/// Whether the lane's version marks the last event, and lets a stream begin with any.
fn is_older(t: &Transcript) -> bool {
    t.lane.as_ref().is_some_and(|lane| lane.dialect.forms.marks_last)
}

fn kinds(t: &Transcript) -> Judged {
    for kind in [Rule::EventPayload, Rule::Kind] {
        let verdict = rule(t, kind)?;
        if verdict.expected.is_some() {
            return Ok(verdict);
        }
    }
    rule(t, Rule::EventPayload)
}

/// Where the first event stands that is marked as the last.
fn marked(events: &[(usize, &StreamEvent)]) -> Option<usize> {
    events.iter().position(|(_, event)| matches!(event, StreamEvent::Status(update) if update.last == Some(true)))
}

fn final_ends(t: &Transcript) -> Judged {
    let (step, events) = task_events(t, "stream")?;
    let Some(end) = marked(&events) else {
        return Err(Verdict::not_applicable("no event is marked final"));
    };
    if let Some((number, event)) = events.get(end + 1) {
        let verdict = Verdict::fail(step.exchange.id, "nothing after the event with final true", name(event));
        return Ok(verdict.at(format!("event {number}")));
    }
    if let Some(cut) = step.exchange.end.cut() {
        return Err(Verdict::blocked(cut).seen_in(step.exchange.id));
    }
    if step.exchange.end != End::Complete {
        is_prompt(t)?;
    }
    let actual = "a stream still open after the grace period of 5 s";
    step.claim(step.exchange.end == End::Complete, "the end of the stream after final true", actual, "")
}

fn final_marked(t: &Transcript) -> Judged {
    let (step, events) = task_events(t, "stream")?;
    if marked(&events).is_some() {
        return step.claim(true, "", "", "");
    }
    let over = events.iter().any(|(_, event)| state_of(event).is_some_and(TaskState::is_terminal));
    if !over {
        return Err(Verdict::inconclusive("the stream does not reach the end of the task").seen_in(step.exchange.id));
    }
    step.claim(false, "final true on the last status update", "no event with final true", "")
}

fn first_status(t: &Transcript) -> Judged {
    let (step, events) = task_events(t, "stream")?;
    let Some((number, event)) = events.first() else { return Err(Verdict::blocked("the stream contained no event")) };
    let begins = matches!(state_of(event), Some(TaskState::Submitted | TaskState::Working));
    step.claim(begins, "a status update, submitted or working", name(event), format!("event {number}"))
}

fn same_ids(t: &Transcript) -> Judged {
    let (step, events) = task_events(t, "stream")?;
    let (first_task, first_context) = match events.first() {
        Some((_, StreamEvent::Task(task))) => (&task.id, &task.context_id),
        // Before 1.0 a stream may begin with an update.
        Some((_, StreamEvent::Status(update))) if is_older(t) => (&update.task_id, &update.context_id),
        Some((_, StreamEvent::Artifact(update))) if is_older(t) => (&update.task_id, &update.context_id),
        _ => return Err(Verdict::blocked("the stream does not begin with the task").seen_in(step.exchange.id)),
    };
    for (number, event) in &events {
        let (task, context) = match event {
            StreamEvent::Task(task) => (&task.id, &task.context_id),
            StreamEvent::Status(update) => (&update.task_id, &update.context_id),
            StreamEvent::Artifact(update) => (&update.task_id, &update.context_id),
            _ => continue,
        };
        for (name, wanted, found) in [("taskId", first_task, task), ("contextId", first_context, context)] {
            // A missing id is another check's.
            if let (Some(wanted), Some(found)) = (wanted, found)
                && wanted != found
            {
                return Ok(Verdict::fail(step.exchange.id, format!("{name} {wanted}"), found.as_str())
                    .at(format!("event {number}")));
            }
        }
    }
    Ok(Verdict::pass().seen_in(step.exchange.id))
}

fn append_known(t: &Transcript) -> Judged {
    let (step, events) = task_events(t, "stream")?;
    let mut known: Vec<&str> = Vec::new();
    let mut chunks = 0;
    for (number, event) in &events {
        match event {
            StreamEvent::Task(task) => {
                known.extend(task.artifacts.iter().flatten().filter_map(|artifact| artifact.artifact_id.as_deref()));
            }
            StreamEvent::Artifact(update) => {
                let Some(id) = update.artifact.artifact_id.as_deref() else { continue };
                chunks += 1;
                if update.append && !known.contains(&id) {
                    let actual = format!("append to \"{id}\", which was not sent before");
                    return Ok(Verdict::fail(step.exchange.id, "append to an artifact sent before", actual)
                        .at(format!("event {number}")));
                }
                known.push(id);
            }
            _ => {}
        }
    }
    if chunks == 0 {
        Err(Verdict::inconclusive("the stream contained no artifact"))
    } else {
        Ok(Verdict::pass().seen_in(step.exchange.id))
    }
}

fn last_chunk(t: &Transcript) -> Judged {
    let (step, events) = task_events(t, "stream")?;
    let mut closed: Vec<&str> = Vec::new();
    let mut chunks = 0;
    for (number, event) in &events {
        let StreamEvent::Artifact(update) = event else { continue };
        let Some(id) = update.artifact.artifact_id.as_deref() else { continue };
        chunks += 1;
        if update.append && closed.contains(&id) {
            let actual = format!("another chunk of \"{id}\"");
            return Ok(
                Verdict::fail(step.exchange.id, "no chunk after lastChunk", actual).at(format!("event {number}"))
            );
        }
        if update.last_chunk {
            closed.push(id);
        }
    }
    if chunks == 0 {
        Err(Verdict::inconclusive("the stream contained no artifact"))
    } else {
        Ok(Verdict::pass().seen_in(step.exchange.id))
    }
}

/// All text of an artifact's parts, one after the other: how chunks join is the client's business, that they are the
/// same text in the end is not.
fn text(parts: &[Part]) -> String {
    parts
        .iter()
        .filter_map(|part| match &part.content {
            Some(Content::Text(text)) => Some(text.as_str()),
            _ => None,
        })
        .collect()
}

fn matches_get(t: &Transcript) -> Judged {
    let (step, events) = task_events(t, "stream")?;
    let Some(last) = events.iter().rev().find_map(|(_, event)| state_of(event)) else {
        return Err(Verdict::inconclusive("the stream contained no state").seen_in(step.exchange.id));
    };
    if !last.is_terminal() {
        return Err(Verdict::inconclusive("the stream did not reach the end of the task").seen_in(step.exchange.id));
    }
    let (got, task) = t.task("get")?;
    if task.state != Some(last) {
        let dialect = t.lane.as_ref().map(|lane| lane.dialect.state_name(last)).unwrap_or_default();
        let actual = task.state_text.clone().unwrap_or_else(|| "no state".to_owned());
        let place = format!("{}/status/state", task.at);
        return Ok(Verdict::fail(got.exchange.id, format!("{dialect}, the last state in the stream"), actual)
            .at(place)
            .seen_in(step.exchange.id));
    }
    let mut streamed: Vec<(&str, String)> = Vec::new();
    for (_, event) in &events {
        let StreamEvent::Artifact(update) = event else { continue };
        let Some(id) = update.artifact.artifact_id.as_deref() else { continue };
        let chunk = text(&update.artifact.parts);
        match streamed.iter_mut().find(|(known, _)| *known == id) {
            Some((_, whole_ms)) if update.append => whole_ms.push_str(&chunk),
            Some((_, whole_ms)) => *whole_ms = chunk,
            None => streamed.push((id, chunk)),
        }
    }
    for (id, whole_ms) in &streamed {
        let stored = task.artifacts.iter().flatten().find(|artifact| artifact.artifact_id.as_deref() == Some(id));
        let Some(stored) = stored else {
            let actual = format!("no artifact \"{id}\"");
            return Ok(Verdict::fail(got.exchange.id, format!("the artifact \"{id}\" that was streamed"), actual)
                .at(task.at.key("artifacts").as_str())
                .seen_in(step.exchange.id));
        };
        if text(&stored.parts) != *whole_ms {
            return Ok(Verdict::fail(got.exchange.id, "the text that was streamed", "different text")
                .at(stored.at.key("parts").as_str())
                .seen_in(step.exchange.id));
        }
    }
    Ok(Verdict::pass().seen_in(step.exchange.id).seen_in(got.exchange.id))
}

fn order(t: &Transcript) -> Judged {
    let (step, events) = task_events(t, "stream")?;
    let mut latest = None;
    let mut seen = 0;
    for (number, event) in &events {
        let stamp = match event {
            StreamEvent::Task(task) => &task.timestamp,
            StreamEvent::Status(update) => &update.timestamp,
            _ => &None,
        };
        // Timestamps that are malformed or not in UTC are another check's.
        let Some((stamp, moment)) = stamp.as_ref().and_then(|stamp| Some((stamp, utc_moment(stamp)?))) else {
            continue;
        };
        seen += 1;
        if let Some((earlier, before, latest)) = latest
            && moment < latest
        {
            let expected = format!("a time not before {before}, the time of event {earlier}");
            return Ok(Verdict::fail(step.exchange.id, expected, stamp.as_str()).at(format!("event {number}")));
        }
        latest = Some((*number, stamp, moment));
    }
    if seen < 2 {
        return Err(Verdict::inconclusive("fewer than two events have a time").seen_in(step.exchange.id));
    }
    Ok(Verdict::pass_with(format!("{} compared", count_of(seen, "time"))).seen_in(step.exchange.id))
}

/// How long the answer took to a call for which the agent need not work: the one of this conversation, which was made by a
/// machine as busy as it was during the stream.
fn latency_ms(t: &Transcript) -> f64 {
    let probe = t.earlier("probe").and_then(|probe| probe.step("get"));
    t.step("get").or(probe).map_or(0.0, |step| step.exchange.duration_ms())
}

fn incremental(t: &Transcript) -> Judged {
    let (step, items) = t.stream("stream")?;
    task_events(t, "stream")?;
    let (Some(first), Some(last)) = (items.first(), items.last()) else {
        return Err(Verdict::inconclusive("the stream contained no events"));
    };
    let spread = last.at_ms - first.at_ms;
    // What the way there and back takes is not the task's time.
    let took = step.exchange.duration_ms() - latency_ms(t);
    // Events that were seen to arrive one after the other prove it, however long the task took.
    if items.len() < 3 || (spread < BURST_MS && took < SLOW_MS) {
        return Err(Verdict::inconclusive("the task finished too quickly to check this").seen_in(step.exchange.id));
    }
    if spread < BURST_MS {
        let actual =
            format!("{} within {} ms, after {} ms", count_of(items.len(), "event"), whole_ms(spread), whole_ms(took));
        return Ok(Verdict::fail(step.exchange.id, "events spread over the duration of the task", actual));
    }
    Ok(Verdict::pass_with(format!("{} over {} ms", count_of(items.len(), "event"), whole_ms(spread)))
        .seen_in(step.exchange.id))
}
