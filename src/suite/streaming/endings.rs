//! How streams end, over everything that a lane recorded: too early, or by a broken connection.

use std::rc::Rc;

use super::events::{declared, streamed_task};
use crate::a2a::binding::{ReplyKind, StreamItem, StreamItemKind};
use crate::a2a::model::{Operation, StreamEvent, TaskState};
use crate::engine::prelude::{Check, Judged, Scenario, Step, Transcript, Verdict, count_of, task_of};
use crate::wire::exchange::End;

pub(super) static SCENARIO: Scenario = Scenario {
    needs: declared,
    ..Scenario::of_traffic("stream-endings", "Look at how the streams of this run ended", CHECKS)
};

const CHECKS: &[Check] = &[
    Check {
        id: "stream.lasts",
        title: "A stream lasts until its task has finished or waits",
        why: "A client whose stream ends takes what it has for everything; it never sees the rest.",
        fix: "Keep the response open until the task is terminal or interrupted, and send that state before you end it.",
        judge: lasts,
        ..Check::tripped_by(&["stream-ends-early", "subscribe-ends-early"])
    },
    Check {
        id: "stream.connection",
        title: "Streams do not break off",
        why: "A client whose connection breaks on every stream never sees a task end.",
        fix: "End the response normally. Look for an exception in the code that writes events, and for a proxy or a \
              server timeout that closes the connection.",
        advisory: Some("something between the checker and the agent may be what breaks the connections"),
        judge: unbroken,
        ..Check::tripped_by(&["streams-break"])
    },
];

/// The last state that a stream of a task shows; `None` when it is not such a stream, or cannot all be read.
fn last_state(items: &[StreamItem]) -> Option<TaskState> {
    let mut last = None;
    for item in items {
        // An event that cannot be read may be the one with the end; another check reports it.
        let StreamItemKind::Event(event) = &item.kind else { return None };
        match event {
            // Events after the end are the finding of another check, too.
            StreamEvent::Task(_) | StreamEvent::Status(_) if last.is_some_and(TaskState::is_terminal) => {}
            StreamEvent::Task(_) | StreamEvent::Status(_) => last = Some(event.state()?),
            StreamEvent::Artifact(_) => {}
            StreamEvent::Message(_) | StreamEvent::Other(_) => return None,
        }
    }
    last
}

/// The first reading of a task after the end of its stream.
fn next_reading<'a>(t: &'a Transcript, id: &str, stream: &Step) -> Option<(&'a Rc<Step>, TaskState, &'a str)> {
    let later =
        |step: &&Rc<Step>| step.exchange.id > stream.exchange.id && step.exchange.sent_ms >= stream.exchange.end_ms;
    let looks = t.steps.iter().filter(later).filter_map(|step| {
        let task = task_of(&step.reply).filter(|task| task.id.as_deref() == Some(id))?;
        Some((step, task.state?, task.state_text.as_deref().unwrap_or_default()))
    });
    looks.min_by(|(one, ..), (other, ..)| one.exchange.sent_ms.total_cmp(&other.exchange.sent_ms))
}

/// How soon after we left another stream the end of this one may be the consequence.
const CONSEQUENCE_MS: f64 = 1_000.0;

/// Whether this stream ended because we left another of the scenario: another check judges that it must not. A stream that
/// brought an event afterwards, or lasted much longer, had another reason.
fn ended_with_another(t: &Transcript, stream: &Step, items: &[StreamItem]) -> bool {
    let open = stream.exchange.sent_ms..=stream.exchange.end_ms;
    let last_ms = items.last().map_or(stream.exchange.sent_ms, |item| item.at_ms);
    t.steps.iter().any(|step| {
        let left_ms = step.exchange.end_ms;
        step.exchange.end == End::HungUp
            && step.exchange.scenario == stream.exchange.scenario
            && step.exchange.id > stream.exchange.id
            && open.contains(&left_ms)
            && last_ms <= left_ms
            && stream.exchange.end_ms - left_ms < CONSEQUENCE_MS
    })
}

/// T-STR-11: a stream that ended early is blamed only with what was seen of its task afterwards.
fn lasts(t: &Transcript) -> Judged {
    let mut seen: Option<&Rc<Step>> = None;
    for step in t.steps.iter().filter(|step| step.exchange.end == End::Complete) {
        let ReplyKind::Stream(items) = &step.reply.kind else { continue };
        // A subscription that tells nothing after its first event is a finding of the subscription's own checks.
        if step.sent.operation == Some(Operation::SubscribeToTask) && items.len() < 2 {
            continue;
        }
        let Some(state) = last_state(items).filter(|_| !ended_with_another(t, step, items)) else { continue };
        if state.is_terminal() || state.is_interrupted() {
            seen.get_or_insert(step);
            continue;
        }
        let Some(id) = streamed_task(step) else { continue };
        let Some((look, now, text)) = next_reading(t, &id, step) else { continue };
        // T-STR-2: a stream may end where the task waits. Whether the stream showed that is left to the checks of turns.
        if now.is_interrupted() {
            continue;
        }
        // A subscription that comes as its task ends may miss the end once, which is chance; the stream of a message owes it always.
        if now.is_terminal() && t.raced_with_end(step) {
            continue;
        }
        let actual = format!("an end after {}; the next read of the task shows {text}", t.state_name(state));
        return Ok(step.fail("a stream that lasts until the task has finished", actual).seen_in(look.exchange.id));
    }
    match seen {
        Some(step) => Ok(step.pass()),
        None => Err(none_followed(t)),
    }
}

/// Whether a step streamed a task that had not finished: one answer that ends at once shows nothing of a connection that lasts.
fn follows_task(step: &Step) -> bool {
    let ReplyKind::Stream(items) = &step.reply.kind else { return false };
    items.first().is_some_and(|item| match &item.kind {
        StreamItemKind::Event(event @ (StreamEvent::Task(_) | StreamEvent::Status(_))) => {
            event.state().is_some_and(|state| !state.is_terminal())
        }
        StreamItemKind::Event(StreamEvent::Artifact(_)) => true,
        _ => false,
    })
}

fn unbroken(t: &Transcript) -> Judged {
    let (mut whole, mut broken) = (None, Vec::new());
    for step in t.steps.iter().filter(|step| follows_task(step)) {
        match &step.exchange.end {
            End::Complete => whole = Some(step),
            End::Broken(_) => broken.push(step),
            _ => {}
        }
    }
    match (whole, broken.as_slice()) {
        (Some(step), _) => Ok(step.pass()),
        // An agent that is gone breaks all of its streams, which is not a fault of the streams.
        (None, [first, _, ..]) => {
            if let Some(why) = t.cut_short() {
                return Err(why);
            }
            let actual = format!("{} that broke off, and none that did not", count_of(broken.len(), "stream"));
            first.claim(false, "streams that end normally", actual, "")
        }
        (None, _) => Err(none_followed(t)),
    }
}

fn none_followed(t: &Transcript) -> Verdict {
    t.stopped_or(|| Verdict::inconclusive("no stream was followed to its end"))
}
