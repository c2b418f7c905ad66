//! Streaming calls to an agent that does not declare streaming.

use futures_util::future::LocalBoxFuture;

use crate::a2a::model::ErrorName;
use crate::engine::drive::Driver;
use crate::engine::prompt::Behaviour;
use crate::engine::record::Flow;
use crate::engine::take::{Facts, Take};
use crate::engine::verdict::{Judged, Verdict};
use crate::scenario;
use crate::suite::messaging::send::finished;

scenario! {
    "undeclared-streaming", "Ask for a stream that is not declared", in Streaming, scope: Lane,
    messages: 1, streams: 1, after: ["send"], needs: undeclared, drive: drive,
    checks: {
        /// A client that was not refused waits for events.
        ///
        /// Fix: Answer -32004 (UnsupportedOperationError) as a plain response, or declare capabilities.streaming.
        "stream.unsupported", "Streaming without the capability is refused as such",
        requires: ["stream.unsupported", "stream.error-form"], faults: ["undeclared-streaming"], judge: refused;

        /// A client that was not refused waits for events. Which error it is, older versions leave open.
        ///
        /// Fix: Answer an error (-32004, or -32601 where the method is not there), or declare capabilities.streaming.
        "stream.undeclared", "Streaming without the capability is refused",
        requires: ["stream.v03.unsupported", "stream.v01.unsupported", "stream.v03.error-form"],
        faults: ["undeclared-streaming"], judge: refused_older;

        /// The same holds for coming back to a stream.
        ///
        /// Fix: Answer -32004 (UnsupportedOperationError) to SubscribeToTask.
        "subscribe.unsupported", "Subscribing without the capability is refused as such",
        requires: ["subscribe.unsupported"], faults: ["undeclared-subscribe"], judge: subscribe_refused;
    }
}

fn undeclared(facts: &Facts) -> Result<(), Verdict> {
    if facts.declares(|card| card.streaming) {
        Err(Verdict::not_applicable("the card declares streaming"))
    } else {
        Ok(())
    }
}

fn drive(d: &Driver) -> LocalBoxFuture<'_, ()> {
    Box::pin(async move {
        let Some(message) = d.prompt(Behaviour::Complete) else { return };
        // The first event is proof enough.
        d.open("stream", &message, |_| Flow::HangUp).await;
        // With a real task only the missing capability can be the reason (T-ERR-6).
        if !d.asks("subscribe.unsupported") {
            return;
        }
        let task = d.earlier("send").and_then(|take| finished(take).ok()).and_then(|task| task.id.clone());
        if let Some(id) = task {
            d.subscribe("subscribe", &id, |_| Flow::HangUp).await;
        }
    })
}

fn subscribe_refused(t: &Take) -> Judged {
    finished(t.earlier("send")?)?;
    t.refused_as("subscribe", "subscribing without the capability", &[ErrorName::UnsupportedOperation])
}

fn refused_older(t: &Take) -> Judged {
    t.refused_somehow("stream", "a streaming call without the capability")
}

fn refused(t: &Take) -> Judged {
    t.refused_as("stream", "a streaming call without the capability", &[ErrorName::UnsupportedOperation])
}
