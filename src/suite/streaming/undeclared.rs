//! Streaming and subscribing where the card does not declare streaming: whether it is refused, and with the right error.

use crate::a2a::model::ErrorName;
use crate::engine::prelude::{Behaviour, Check, Driver, Scenario, StreamControl};
use crate::suite::messaging::finished;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "undeclared-streaming",
    title: "Request a stream that is not declared",
    messages: 1,
    streams: 1,
    rounds: 1,
    after: &["send"],
    needs: |facts| facts.undeclared("streaming", |card| card.streaming),
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    Check {
        id: "stream.unsupported",
        title: "Streaming without the capability returns UnsupportedOperationError",
        why: "A client that is not refused waits for events.",
        fix: "Return -32004 (UnsupportedOperationError) as an ordinary response, or declare capabilities.streaming.",
        requirements: &["stream.unsupported", "stream.error-form"],
        judge: |t| {
            t.refused_as("stream", "a streaming call without the capability", &[ErrorName::UnsupportedOperation])
        },
        ..Check::tripped_by(&["undeclared-streaming"])
    },
    Check {
        id: "stream.undeclared",
        title: "Streaming without the capability is refused",
        why: "A client that is not refused waits for events. Older versions do not define which error to return.",
        fix: "Return an error (-32004, or -32601 where the method does not exist), or declare capabilities.streaming.",
        requirements: &["stream.v03.unsupported", "stream.v01.unsupported", "stream.v03.error-form"],
        judge: |t| t.refused_somehow("stream", "a streaming call without the capability"),
        ..Check::tripped_by(&["undeclared-streaming"])
    },
    Check {
        id: "subscribe.unsupported",
        title: "Subscribing without the capability returns UnsupportedOperationError",
        why: "A client that is not refused waits for events.",
        fix: "Return -32004 (UnsupportedOperationError) for SubscribeToTask.",
        judge: |t| {
            finished(t.earlier("send")?)?;
            t.refused_as("subscribe", "subscribing without the capability", &[ErrorName::UnsupportedOperation])
        },
        ..Check::tripped_by(&["undeclared-subscribe"])
    },
];

async fn drive(d: &Driver) {
    let Some(message) = d.prompt(Behaviour::Complete) else { return };
    // The first event is proof enough.
    d.open("stream", &message, |_| StreamControl::HangUp).await;
    // With a real task only the missing capability can be the reason (T-ERR-6).
    if !d.has_check("subscribe.unsupported") {
        return;
    }
    if let Some(id) = d.earlier("send").and_then(|transcript| finished(transcript).ok()?.id.clone()) {
        d.subscribe("subscribe", &id, |_| StreamControl::HangUp).await;
    }
}
