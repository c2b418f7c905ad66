//! Whether events arrive as they happen, over all streams of messages that a lane recorded: what counts as all at once.

use std::rc::Rc;

use super::events::declared;
use crate::a2a::binding::{ReplyKind, StreamItem, StreamItemKind};
use crate::a2a::model::{Operation, StreamEvent};
use crate::engine::prelude::{Check, Driver, Judged, Scenario, Step, Transcript, Verdict, count_of};
use crate::engine::transcript::whole_ms;
use crate::wire::exchange::End;

pub(super) static SCENARIO: Scenario = Scenario {
    needs: declared,
    ..Scenario::of_traffic("stream-pace", "Look at when the events of this run's streams arrived", CHECKS)
};

const CHECKS: &[Check] = &[Check {
    id: "stream.incremental",
    title: "Events arrive as they happen",
    why: "The point of a stream is to learn of things as they happen.",
    fix: "Flush each event, and switch off buffering in proxies (X-Accel-Buffering: no, proxy_buffering off).",
    advisory: Some("a proxy on the way may be what holds the events back"),
    judge: incremental,
    ..Check::tripped_by(&["stream-burst"])
}];

/// Events that all arrive within this time say nothing about when they were made.
const BURST_MS: f64 = 50.0;
/// A task that took this long had time to tell what it was doing.
const SLOW_MS: f64 = 400.0;
/// Fewer events than these show nothing: the first may tell of the task, and the second of its end.
const FEW_EVENTS: usize = 3;

/// The events of a stream that shows a task.
fn task_stream(step: &Step) -> Option<&[StreamItem]> {
    let ReplyKind::Stream(items) = &step.reply.kind else { return None };
    let is_message = matches!(items.first()?.kind, StreamItemKind::Event(StreamEvent::Message(_)));
    (!is_message).then_some(items)
}

/// How long it takes the agent to answer a call for which it need not work, at a time when it is as busy as during this stream:
/// the slowest read of the same conversation, or where there is none the slowest of all.
fn latency_ms(t: &Transcript, stream: &Step) -> f64 {
    let reads = || t.steps.iter().filter(|step| step.sent.operation == Some(Operation::GetTask));
    let slowest =
        |reads: &mut dyn Iterator<Item = &Rc<Step>>| reads.map(|step| step.exchange.duration_ms()).reduce(f64::max);
    let own = slowest(&mut reads().filter(|step| step.exchange.scenario == stream.exchange.scenario));
    own.or_else(|| slowest(&mut reads())).unwrap_or_default()
}

/// When the events of a stream came.
struct Pace {
    events: usize,
    /// From the first to the last.
    spread_ms: f64,
    /// How long the task took, without the way of an answer.
    took_ms: f64,
}

impl Pace {
    /// Of a stream with enough events.
    fn from_step(step: &Step, latency_ms: f64) -> Option<Self> {
        let items @ [first, .., last] = task_stream(step)? else { return None };
        let (events, spread_ms) = (items.len(), last.at_ms - first.at_ms);
        let took_ms = step.exchange.duration_ms() - latency_ms;
        (events >= FEW_EVENTS).then_some(Self { events, spread_ms, took_ms })
    }

    /// Whether events were seen to come one after the other: that proves it, however long the task took, and whatever held up
    /// other streams.
    fn is_spread(&self) -> bool {
        self.spread_ms >= BURST_MS
    }

    /// Whether all came at once, of a task that had time to tell what it was doing.
    fn is_burst(&self) -> bool {
        !self.is_spread() && self.took_ms >= SLOW_MS
    }
}

/// Whether the events of a stream came all at once, and may come one after the other when we ask for nothing else meanwhile.
pub(super) fn may_be_our_fault(d: &Driver, stream: &Step, read: &Step) -> bool {
    let Some(pace) = Pace::from_step(stream, read.exchange.duration_ms()) else { return false };
    !d.takes_one_at_a_time()
        && !pace.is_spread()
        && (pace.is_burst() || d.was_delayed_by_other_requests(stream, stream))
}

fn incremental(t: &Transcript) -> Judged {
    let mut slowest: Option<(&Rc<Step>, Pace)> = None;
    let mut quick = None;
    // A subscription may be as live as can be where the stream of a message is not.
    for step in t.steps.iter().filter(|step| step.sent.operation == Some(Operation::SendStreamingMessage)) {
        quick = quick.or(task_stream(step).map(|_| step));
        // A stumble of the machine can hold back one event of a quick task, as if it had come later.
        let text = step.sent.message_text().unwrap_or_default();
        if !t.facts.prompts.learned.work_times.outlast_stumbles(text) {
            continue;
        }
        let Some(pace) = Pace::from_step(step, latency_ms(t, step)) else { continue };
        if pace.is_spread() {
            let message = format!("{} over {} ms", count_of(pace.events, "event"), whole_ms(pace.spread_ms));
            return Ok(step.pass_with(message));
        }
        let is_slowest = slowest.as_ref().is_none_or(|(_, other)| pace.took_ms > other.took_ms);
        if step.exchange.end == End::Complete && pace.is_burst() && is_slowest {
            slowest = Some((step, pace));
        }
    }
    match (slowest, quick) {
        (Some((step, Pace { events, spread_ms, took_ms })), _) => {
            let events = count_of(events, "event");
            let actual = format!("{events} within {} ms, after {} ms", whole_ms(spread_ms), whole_ms(took_ms));
            step.claim(false, "events spread over the duration of the task", actual, "")
        }
        (None, Some(step)) => {
            t.ran_to_its_end()?;
            let why = "the task finished too quickly to check this; to run this check, use a prompt \"stream\" that works \
                       for some seconds";
            Err(step.inconclusive(why))
        }
        (None, None) => Err(t.stopped_or(|| Verdict::inconclusive("no stream of a task was followed"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::a2a::model::{StatusUpdate, TaskState};
    use crate::engine::transcript::examples::{call, recorded};
    use crate::wire::exchange::Exchange;

    /// A stream of that number whose events came at these times after its beginning, and which ended like this after so many milliseconds.
    fn stream(number: u32, events: [f64; 3], end: End, took_ms: f64) -> Step {
        let event = StreamEvent::Status(StatusUpdate { state: Some(TaskState::Working), ..StatusUpdate::default() });
        let begun_ms = f64::from(number) * 1000.0;
        let items = events.map(|ms| StreamItem { at_ms: begun_ms + ms, kind: StreamItemKind::Event(event.clone()) });
        let step = call("stream", number, Operation::SendStreamingMessage, ReplyKind::Stream(items.to_vec()));
        let exchange = Exchange { end, end_ms: begun_ms + took_ms, ..Exchange::clone(&step.exchange) };
        Step { exchange: Rc::new(exchange), ..step }
    }

    #[test]
    fn only_a_whole_stream_of_a_slow_task_whose_events_came_at_once_is_a_finding() {
        let (at_once, spread) = ([900.0, 901.0, 902.0], [100.0, 500.0, 902.0]);
        for (events, end, took_ms, is_finding) in [
            (at_once, End::Complete, 903.0, true),
            (at_once, End::HungUp, 903.0, false),
            ([300.0, 301.0, 302.0], End::Complete, SLOW_MS - 1.0, false),
            (spread, End::Complete, 903.0, false),
        ] {
            let verdict = incremental(&recorded("stream", [stream(1, events, end.clone(), took_ms)]));
            let found = verdict.is_ok_and(|verdict| verdict.expected.is_some());
            assert_eq!(found, is_finding, "{events:?} {end:?} {took_ms}");
        }
        assert!(!Pace { events: 3, spread_ms: 1.0, took_ms: SLOW_MS - 1.0 }.is_burst());
    }
}
