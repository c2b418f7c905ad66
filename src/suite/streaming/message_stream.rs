//! A stream that the agent answers with one message: whether that stands alone.

use super::events::declared;
use crate::a2a::model::StreamEvent;
use crate::engine::prelude::{Behaviour, Check, Driver, Judged, Scenario, StreamControl, Transcript, count_of};
use crate::wire::exchange::End;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "message-stream",
    title: "Stream an answer that is a single message",
    messages: 1,
    streams: 1,
    rounds: 1,
    after: &["send", "stream"],
    needs: declared,
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[Check {
    id: "stream.message-only",
    title: "A streamed message stands alone",
    why: "The message is the whole answer, and clients close the stream when they have it.",
    fix: "End the response right after a message event.",
    judge: alone,
    ..Check::tripped_by(&["stream-message-then-more", "stream-message-stays-open"])
}];

async fn drive(d: &Driver) {
    let Some(message) = d.prompt(Behaviour::MessageOnly) else { return };
    d.open("stream", &message, |_| StreamControl::Continue).await;
}

fn alone(t: &Transcript) -> Judged {
    // An ordinary agent may have answered the stream of another scenario with a message.
    let earlier = || stands_alone(t.earlier("stream").ok()?).ok();
    stands_alone(t).or_else(|why| earlier().ok_or(why))
}

fn stands_alone(t: &Transcript) -> Judged {
    let (step, events) = t.events("stream")?;
    match events.as_slice() {
        [(_, StreamEvent::Message(_))] if step.exchange.end == End::HungUp => {
            let actual = "a stream still open after the grace period of 5 s";
            Ok(step.fail("the end of the stream after the message", actual))
        }
        [(_, StreamEvent::Message(_))] => match step.exchange.end.cut() {
            Some(cut) => Err(step.blocked(cut)),
            None => Ok(step.pass()),
        },
        [(_, StreamEvent::Message(_)), (number, _), ..] => {
            let actual = count_of(events.len() - 1, "more event");
            Ok(step.fail("the end of the stream after the message", actual).at(format!("event {number}")))
        }
        _ => Err(step.inconclusive("the agent streamed a task")),
    }
}
