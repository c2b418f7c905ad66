//! A stream that the agent answers with one message.

use futures_util::future::LocalBoxFuture;

use super::declared;
use crate::a2a::model::StreamEvent;
use crate::engine::drive::Driver;
use crate::engine::prompt::Behaviour;
use crate::engine::record::Flow;
use crate::engine::take::Take;
use crate::engine::verdict::{Judged, Verdict};
use crate::scenario;

scenario! {
    "message-stream", "Stream an answer that is one message", in Streaming, scope: Lane,
    messages: 1, streams: 1, after: ["probe"], needs: declared, drive: drive,
    checks: {
        /// The message is the whole answer; clients close when they have it.
        ///
        /// Fix: After a message event end the stream.
        "stream.message-only", "A streamed message stands alone",
        requires: ["stream.message-only"], faults: ["stream-message-then-more"], judge: alone;
    }
}

fn drive(d: &Driver) -> LocalBoxFuture<'_, ()> {
    Box::pin(async move {
        let Some(message) = d.prompt(Behaviour::MessageOnly) else { return };
        d.open("stream", &message, |_| Flow::Continue).await;
    })
}

fn alone(t: &Take) -> Judged {
    let (step, events) = t.events("stream")?;
    match events.as_slice() {
        [(_, StreamEvent::Message(_))] => Ok(Verdict::pass().seen_in(step.exchange.id)),
        [(_, StreamEvent::Message(_)), (number, _), ..] => {
            let actual = format!("{} more events", events.len() - 1);
            Ok(Verdict::fail(step.exchange.id, "the end of the stream after the message", actual)
                .at(format!("event {number}")))
        }
        _ => Err(Verdict::inconclusive("the agent streamed a task").seen_in(step.exchange.id)),
    }
}
