//! The same stream directly and through the gateway: whether all of its events come, and as they happen; from when on a gateway
//! holds them back.

use std::rc::Rc;

use super::arrival::arrived;
use super::pairs::pair;
use super::steps::STREAM;
use crate::a2a::binding::{ReplyKind, StreamItem, StreamItemKind};
use crate::a2a::dialect::write::Outgoing;
use crate::a2a::model::{Operation, StreamEvent, TaskState};
use crate::engine::prelude::{Behaviour, Check, Driver, Judged, Scenario, Scope, Step, Transcript, Verdict, count_of};
use crate::engine::transcript::whole_ms;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "gateway-stream",
    title: "Stream from the agent and through the gateway",
    scope: Scope::Gateway,
    messages: 3,
    rounds: 3,
    streams: 1,
    after: &["probe", "gateway-requests"],
    needs: |facts| facts.declared("streaming", |card| card.streaming),
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    Check {
        id: "gateway.streams-kept",
        title: "Streams pass the gateway from the first event to the last",
        why: "A client that streams gets no events, or waits for an end that never comes.",
        fix: "At the gateway, pass responses of the type text/event-stream on as they are, and let a stream last as long as a \
              task does (proxy_read_timeout in nginx).",
        judge: kept,
        ..Check::tripped_by(&["gateway-cuts-streams"])
    },
    Check {
        id: "gateway.streams-unbuffered",
        title: "The gateway passes the events of a stream on as they happen",
        why: "A client sees nothing of a task at work until it is over.",
        fix: "At the gateway, switch off buffering and compression of text/event-stream (proxy_buffering off in nginx), or let \
              the agent send X-Accel-Buffering: no.",
        judge: unbuffered,
        ..Check::tripped_by(&["gateway-buffers-streams"])
    },
];

/// T-GW-2: a second stream through the gateway, where the first came all at once: an agent may be as sudden once.
const SECOND: &str = "stream-through-again";

/// Events that all arrive within this time came at once.
const BURST_MS: f64 = 50.0;
/// A stream of events that spread over this time shows that the agent sends them as they happen.
const SPREAD_MS: f64 = 200.0;
/// Fewer events show nothing: the first may tell of the task, and the second of its end.
const FEW_EVENTS: usize = 3;

async fn drive(d: &Driver) {
    let Some(message) = d.prompt(Behaviour::Stream) else { return };
    let open = |message: &Outgoing| d.sending(Operation::SendStreamingMessage, message);
    let direct = d.stream(STREAM.0, open(&message)).await;
    let through = d.stream_on_peer(STREAM.1, open(&d.outgoing(message.text.as_str()))).await;
    if is_spread(&direct) && came_at_once(&through) {
        d.stream_on_peer(SECOND, open(&d.outgoing(message.text))).await;
    }
}

/// The events of a stream, with enough of them to tell their pace.
fn events(step: &Step) -> Option<&[StreamItem]> {
    let ReplyKind::Stream(items) = &step.reply.kind else { return None };
    (items.len() >= FEW_EVENTS).then_some(items.as_slice())
}

fn spread_ms(items: &[StreamItem]) -> f64 {
    items.first().zip(items.last()).map_or(0.0, |(first, last)| last.at_ms - first.at_ms)
}

fn is_spread(step: &Step) -> bool {
    events(step).is_some_and(|items| spread_ms(items) >= SPREAD_MS)
}

/// Whether all events of a stream came at its end, after a time in which the first could have come long ago.
fn came_at_once(step: &Step) -> bool {
    events(step).is_some_and(|items| {
        let waited_ms = items.first().map_or(0.0, |first| first.at_ms - step.exchange.sent_ms);
        spread_ms(items) < BURST_MS && waited_ms >= SPREAD_MS
    })
}

fn unbuffered(t: &Transcript) -> Judged {
    let pair = pair(t, STREAM)?;
    let Some(direct) = events(pair.direct).filter(|_| is_spread(pair.direct)) else {
        let why = "the agent's stream is too short to tell; to run this check, use a prompt \"stream\" that streams for some time";
        return Err(Verdict::inconclusive(why));
    };
    let Some(_) = events(pair.through) else {
        return Err(Verdict::blocked("no such stream comes through the gateway; see gateway.streams-kept"));
    };
    if !came_at_once(pair.through) {
        return Ok(pair.holds());
    }
    let again = t.step(SECOND)?;
    let (Some(items), true) = (events(again), came_at_once(again)) else {
        return Ok(pair.holds().seen_in(again.exchange.id));
    };
    let waited_ms = items.first().map_or(0.0, |first| first.at_ms - again.exchange.sent_ms);
    let expected = format!("{} over {} ms", count_of(direct.len(), "event"), whole_ms(spread_ms(direct)));
    let (count, ms) = (count_of(items.len(), "event"), whole_ms(spread_ms(items)));
    let actual = format!("{count} within {ms} ms, after {} ms and in two streams,", whole_ms(waited_ms));
    Ok(pair.differs(t, expected, actual).seen_in(again.exchange.id))
}

/// The end that a stream tells of: a state in which it may end, or a message instead of a task.
fn ending(step: &Rc<Step>) -> Option<&'static str> {
    let ReplyKind::Stream(items) = &step.reply.kind else { return None };
    let is_over = |state: TaskState| state.is_terminal() || state.is_interrupted();
    items.iter().find_map(|item| match &item.kind {
        StreamItemKind::Event(StreamEvent::Message(_)) => Some("a stream with a Message"),
        StreamItemKind::Event(event) if event.state().is_some_and(is_over) => Some("a stream to the end of its task"),
        _ => None,
    })
}

fn kept(t: &Transcript) -> Judged {
    let pair = pair(t, STREAM)?;
    arrived(t.earlier("gateway-requests")?)?;
    let Some(expected) = ending(pair.direct) else {
        return Err(Verdict::inconclusive("the agent's stream does not reach its end directly either"));
    };
    pair.unexplained()?;
    if matches!(pair.through.reply.kind, ReplyKind::Error(_)) {
        return Err(pair.blocked());
    }
    if ending(pair.through).is_some() {
        return Ok(pair.holds());
    }
    let cut = pair.through.exchange.end.cut().map(|why| format!(" ({why})")).unwrap_or_default();
    Ok(pair.differs(t, expected, format!("{} without that end{cut}", pair.through.reply.kind.describe())))
}
