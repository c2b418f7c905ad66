//! One streamed task to its end, and the task read back: the conversation and the texts of its checks; judges are in
//! `stream_judgement.rs` (course) and `contents.rs` (content).

use std::rc::Rc;

use super::contents::{append_known, last_chunk, matches_get, shows_artifacts};
use super::events::{declared, streamed_task};
use super::stream_judgement::{
    bare_events, closes, content_type, final_ends, final_marked, first_event, first_status, kinds, rule,
};
use super::timing::may_be_our_fault;
use crate::a2a::dialect::write::Outgoing;
use crate::a2a::rule::Rule;
use crate::engine::prelude::{Behaviour, Check, Driver, Scenario, Step, StreamControl};

pub(super) static SCENARIO: Scenario = Scenario {
    id: "stream",
    title: "Stream a task to its end",
    messages: 1,
    streams: 1,
    rounds: 2,
    after: &["probe", "examples"],
    // It shows whether the operations have other names.
    judged_after: &["send"],
    needs: declared,
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    Check {
        id: "jsonrpc.sse-content-type",
        title: "A streaming call returns an event stream",
        why: "Browsers and SDKs choose the parser by this media type.",
        fix: "Respond to a streaming call with status 200 and Content-Type: text/event-stream.",
        judge: content_type,
        ..Check::tripped_by(&["stream-as-json", "streaming-missing"])
    },
    Check {
        id: "jsonrpc.sse-envelope",
        title: "Each event is a complete JSON-RPC response",
        why: "Over JSON-RPC every event is a complete response, so that one parser handles both.",
        fix: "Wrap each event in {\"jsonrpc\": \"2.0\", \"id\": ..., \"result\": {...}}.",
        judge: |t| rule(t, Rule::SseEnvelope),
        ..Check::tripped_by(&["stream-bare-events"])
    },
    Check {
        id: "stream.first-event",
        title: "A stream begins with a task or a message",
        why: "Updates are meaningless to a client that does not have the task yet.",
        fix: "Send the task (or the one message) as the first event.",
        judge: first_event,
        ..Check::tripped_by(&["stream-starts-with-status"])
    },
    Check {
        id: "stream.closes-on-terminal",
        title: "The stream closes when the task reaches a terminal state",
        why: "Otherwise a client waits forever, and a browser allows only six connections per host.",
        fix: "End the response when the task reaches a terminal state.",
        judge: closes,
        ..Check::tripped_by(&["stream-stays-open"])
    },
    Check {
        id: "rest.sse",
        title: "A stream is SSE with bare events",
        why: "Over HTTP+JSON an event is the bare object; an envelope hides it from typed clients.",
        fix: "Return text/event-stream, with {\"statusUpdate\": {...}} itself as data.",
        requirements: &["rest.sse", "rest.v03.sse"],
        judge: bare_events,
        ..Check::tripped_by(&["stream-as-json", "sse-enveloped"])
    },
    Check {
        id: "stream.kinds",
        title: "Each event identifies its type",
        why: "Clients decide what an event is by its kind, or in 0.1 by whether it has status or artifact.",
        fix: "Give every event the kind task, message, status-update or artifact-update (0.2, 0.3), over HTTP+JSON put it \
              into a member of that name in camelCase (0.3), or in 0.1 give it the task's id and either status or artifact.",
        requirements: &["stream.v03.result-kinds", "stream.v03.rest-wrapper", "stream.v01.event-shape"],
        judge: kinds,
        ..Check::tripped_by(&["event-no-kind", "task-in-stream", "events-unwrapped"])
    },
    Check {
        id: "stream.final-ends",
        title: "final true ends the stream",
        why: "Clients stop listening at final and miss everything after it.",
        fix: "Send everything else before the event with final true, and end the response right after it.",
        requirements: &["stream.v03.final-ends", "stream.v01.final-ends"],
        judge: final_ends,
        ..Check::tripped_by(&["stream-after-final"])
    },
    Check {
        id: "stream.final-marked",
        title: "The last status update is marked final",
        why: "A client that waits for the event with final true waits forever.",
        fix: "Set final to true on the status update that ends the task.",
        requirements: &["stream.v03.final-ends", "stream.v01.final-ends"],
        advisory: Some("the text shows it only in its examples, and the end of the response also marks the end"),
        judge: final_marked,
        ..Check::tripped_by(&["stream-no-final"])
    },
    Check {
        id: "stream.first-status",
        title: "The first event is a status, submitted or working",
        why: "The first status shows a client where the task stands.",
        fix: "Begin the stream with a status update: submitted or working.",
        requirements: &["stream.v01.first-event"],
        judge: first_status,
        ..Check::tripped_by(&["stream-starts-with-artifact"])
    },
    Check {
        id: "stream.append-known-artifact",
        title: "Chunks are appended to existing artifacts",
        why: "A client cannot append to an artifact it has not received.",
        fix: "Send the first chunk of an artifact with append false, or without append.",
        judge: append_known,
        ..Check::tripped_by(&["append-unknown-artifact"])
    },
    Check {
        id: "stream.last-chunk",
        title: "Nothing is appended after lastChunk",
        why: "A client closes the file when it sees lastChunk.",
        fix: "Set lastChunk on the last chunk only.",
        judge: last_chunk,
        ..Check::tripped_by(&["chunk-after-last"])
    },
    Check {
        id: "stream.matches-get",
        title: "The stored task matches the stream",
        why: "A client must learn the same whether it streams or polls.",
        fix: "Write every event to the stored task before sending it.",
        requirements: &["stream.matches-get", "stream.v03.matches-get"],
        judge: matches_get,
        ..Check::tripped_by(&["stream-get-differ"])
    },
    Check {
        id: "stream.shows-artifacts",
        title: "A stream shows the artifacts of its task",
        why: "A client that listens sees a task finish without the result, and has to ask for what it waited for.",
        fix: "Send an artifactUpdate for every artifact before the terminal status, and do not only store it.",
        requirements: &["stream.matches-get"],
        advisory: Some("a stream has zero or more updates (1.0 §3.1.2), and no sentence names those of artifacts"),
        judge: shows_artifacts,
        ..Check::tripped_by(&["stream-no-artifacts"])
    },
    Check {
        id: "sse.framing",
        title: "The stream follows the SSE grammar",
        why: "Parsers discard an event that does not end with an empty line.",
        fix: "End every event with an empty line, including the last, and encode the stream as UTF-8.",
        judge: |t| rule(t, Rule::SseFraming),
        ..Check::tripped_by(&["sse-unterminated"])
    },
    Check {
        id: "sse.data-json",
        title: "Each event's data is one JSON value",
        why: "A client that cannot parse an event loses it, or the whole stream.",
        fix: "Serialise each event as one JSON value; if it spans several lines, start each with data:.",
        judge: |t| rule(t, Rule::SseJson),
        ..Check::tripped_by(&["sse-broken-json"])
    },
];

async fn drive(d: &Driver) {
    let Some(message) = d.prompt(Behaviour::Stream) else { return };
    if attempt(d, &message).await.is_none_or(|(stream, read)| !may_be_our_fault(d, &stream, &read)) {
        return;
    }
    let _alone = d.without_other_requests(&["stream", "get"]).await;
    attempt(d, &d.outgoing(message.text)).await;
}

/// Streams a task to its end, and reads it.
async fn attempt(d: &Driver, message: &Outgoing) -> Option<(Rc<Step>, Rc<Step>)> {
    let stream = d.open("stream", message, |_| StreamControl::Continue).await;
    let id = streamed_task(&stream)?;
    let read = d.get("get", &id, None).await;
    Some((stream, read))
}
