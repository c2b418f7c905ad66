//! Whether a client accepts the streams that it asks for, and takes up one that ended early.

use super::client_check::{ClientCheck, judge_places};
use super::conversation::{ClientCall, ClientConversation, text};
use crate::a2a::model::{Operation, TaskState};
use crate::engine::check::Check;
use crate::engine::verdict::Judged;
use crate::wire::exchange::End;

const STREAMS: [Operation; 2] = [Operation::SendStreamingMessage, Operation::SubscribeToTask];

pub(super) static CHECKS: &[ClientCheck] = &[
    Check {
        id: "client.accepts-streams",
        title: "A streaming call accepts text/event-stream",
        why: "A server or a proxy may refuse a stream to a client that accepts only JSON.",
        fix: "Send Accept: text/event-stream with streaming calls, or no Accept at all.",
        ..Check::tripped_by(&["stream-accepts-json"])
    }
    .judging_clients_by(accepts_streams),
    Check {
        id: "client.stream-resumed",
        title: "After a stream ended early the client asks how the task went on",
        why: "A stream may break at any time, and its user would wait for a task that has long finished.",
        fix: "When a stream ends before the task does, subscribe to the task again or read it with GetTask.",
        ..Check::tripped_by(&["stream-not-resumed"])
    }
    .judging_clients_by(stream_resumed),
];

fn accepts_streams(c: &ClientConversation<'_>) -> Judged {
    let streaming = c.calls().filter(|call| call.is(&STREAMS));
    let accepting = streaming.filter_map(|call| Some((call, call.received.header("accept")?)));
    judge_places(accepting, "the client made no streaming call with Accept", |call, accept| {
        let fits = |range: &str| {
            let range = range.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
            matches!(range.as_str(), "text/event-stream" | "text/*" | "*/*")
        };
        (!accept.split(',').any(fits)).then(|| call.fail("text/event-stream", accept).at("Accept").as_note())
    })
}

/// The task of a stream which the agent ended while the task was at work.
fn left_unfinished(call: &ClientCall) -> Option<&str> {
    let is_agents_end = matches!(call.received.exchange.end, End::Complete | End::Broken(_));
    let last = call.news.iter().rev().find_map(|news| Some((news, news.state?)))?;
    let is_open = |state: TaskState| !state.is_terminal() && !state.is_interrupted();
    (call.is(&STREAMS) && is_agents_end && is_open(last.1)).then_some(last.0.id.as_str())
}

fn stream_resumed<'a>(c: &ClientConversation<'a>) -> Judged {
    let ended = c.calls().filter_map(|call| Some((call, left_unfinished(call)?)));
    let later = |call: &'a ClientCall| {
        c.session.calls_after(call.id()).iter().filter(move |later| {
            later.received.exchange.sent_ms >= call.received.exchange.end_ms
                && later.received.is_client_of(&call.received)
        })
    };
    let asks = |call: &ClientCall, task: &str| {
        let is_read =
            call.is(&[Operation::GetTask, Operation::SubscribeToTask]) && text(&call.params, "id") == Some(task);
        is_read || call.is(&[Operation::ListTasks, Operation::CancelTask])
    };
    let judged = ended.filter(|(call, _)| later(call).next().is_some());
    let without =
        "no stream ended before its task with another request after it; --fault stream-ends-early ends streams early";
    judge_places(judged, without, |call, task| {
        let has_asked = later(call).any(|later| asks(later, task));
        (!has_asked)
            .then(|| call.fail(format!("GetTask or a subscription for {task}"), "other requests only").as_note())
    })
}
