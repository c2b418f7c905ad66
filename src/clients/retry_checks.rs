//! Whether a client that repeats a message whose answer did not come keeps its messageId.

use std::collections::HashMap;

use super::client_check::{ClientCheck, judge_places};
use super::conversation::{ClientCall, ClientConversation, text};
use crate::engine::check::Check;
use crate::engine::verdict::Judged;
use crate::wire::exchange::End;
use crate::wire::json::Value;

pub(super) static CHECKS: &[ClientCheck] = &[Check {
    id: "client.retry-keeps-id",
    title: "A message that is repeated keeps its messageId",
    why: "The agent may have received the first one, and knows a repetition only by its messageId.",
    fix: "Generate the messageId once, before the first attempt, and repeat the same message.",
    ..Check::tripped_by(&["retry-with-new-id"])
}
.judging_clients_by(keeps_id)];

/// The members by which a message is the same as another, whatever its id.
const CONTENT: [&str; 4] = ["role", "parts", "taskId", "contextId"];

/// Whether the client saw no whole answer.
fn is_unanswered(call: &ClientCall) -> bool {
    let exchange = &call.received.exchange;
    match &exchange.end {
        End::NoAnswer(_) => true,
        End::HungUp | End::Broken(_) => exchange.response.as_ref().is_none_or(|response| response.bytes == 0),
        _ => false,
    }
}

fn is_same(one: &Value, other: &Value) -> bool {
    CONTENT.iter().all(|name| one.get(*name) == other.get(*name))
}

/// Messages with other texts, or to other tasks, are not the same: so many need not be compared.
fn likeness(message: &Value) -> (Option<&str>, Option<&str>) {
    (message.pointer("/parts/0/text").and_then(Value::as_str), text(message, "taskId"))
}

fn keeps_id(c: &ClientConversation<'_>) -> Judged {
    let sent: Vec<_> = c.messages().collect();
    let mut alike: HashMap<_, Vec<_>> = HashMap::new();
    for place in &sent {
        alike.entry(likeness(place.1.0)).or_default().push(place);
    }
    let unanswered = sent.iter().filter(|(call, _)| is_unanswered(call));
    let repeated = unanswered.filter_map(|(call, (message, _))| {
        let alike = alike.get(&likeness(message)).map(Vec::as_slice).unwrap_or_default();
        let later = alike.get(alike.partition_point(|(other, _)| other.id() <= call.id())..).unwrap_or_default();
        let mut later = later
            .iter()
            .filter(|(later, _)| later.operation == call.operation && later.received.is_client_of(&call.received));
        let (again, (other, at)) = later.find(|(_, (other, _))| is_same(message, other))?;
        Some((*again, (call.id(), text(message, "messageId")?, text(other, "messageId")?, at)))
    });
    let without = "the client repeated no message; --situation answers-lost keeps back answers";
    judge_places(repeated, without, |again, (first, id, other, at)| {
        let breach = || {
            again
                .fail(format!("the messageId {id:?} of the first attempt"), format!("{other:?}"))
                .at(at.key("messageId"))
                .seen_in(first)
                .as_note()
        };
        (id != other).then(breach)
    })
}
