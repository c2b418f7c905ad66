//! Client tests (`client_response`): what our own reading code, as the client, reads out of a payload.

use std::rc::Rc;

use serde_json::{Value, json};

use super::answer::unwrapped;
use super::document::ActsOperation;
use super::matching::{Unmet, mismatch};
use crate::a2a::binding::{ReplyKind, SentCall};
use crate::a2a::cursor::Cursor;
use crate::a2a::model::{Operation, Payload};
use crate::a2a::rule::Notes;
use crate::engine::transcript::Lane;

/// What a client reads out of a payload: the object of A2A, or `{"error": …}`. An error where it can read nothing.
pub(super) fn parsed(operation: ActsOperation, payload: &Value, lane: &Lane) -> Result<Value, Unmet> {
    let unreadable = |what: String| mismatch("wire_payload", "an answer that a client can read", what);
    let ActsOperation::Call(called) = operation else {
        let card = (lane.dialect.read_card)(&Cursor::root(payload));
        return if card.interfaces.is_empty() {
            Err(unreadable("a card without an interface".to_owned()))
        } else {
            Ok(payload.clone())
        };
    };
    if called == Operation::GetExtendedCard && payload.get("jsonrpc").is_none() {
        return parsed(ActsOperation::Card, payload, lane);
    }
    let sent = SentCall { operation: Some(called), id: payload.get("id").cloned(), ..SentCall::default() };
    match (lane.binding.read)(lane.dialect, &sent, &Rc::new(payload.clone()), 200, &mut Notes::default()) {
        ReplyKind::Error(error) => {
            let data = payload.pointer("/error/data").cloned().unwrap_or_default();
            Ok(json!({ "error": { "code": error.code, "message": error.message, "data": data } }))
        }
        ReplyKind::Result(Payload::Sent { task: None, message: None }) => {
            Err(unreadable("neither a task nor a message".to_owned()))
        }
        ReplyKind::Result(Payload::Task(task) | Payload::Sent { task: Some(task), .. }) if task.state.is_none() => {
            Err(unreadable(format!("a task in the state {}", task.state_text.as_deref().unwrap_or("(none)"))))
        }
        ReplyKind::Result(_) => Ok(unwrapped(payload.clone())),
        other => Err(unreadable(other.describe())),
    }
}

/// Whether a payload is one of this binding: JSON-RPC's have an envelope, and gRPC's are not JSON.
pub(super) fn is_of_binding(payload: &Value, lane: &Lane) -> bool {
    let is_card = payload.get("supportedInterfaces").is_some();
    is_card
        || match lane.binding.slug {
            "jsonrpc" => payload.get("jsonrpc").is_some(),
            "rest" => payload.get("jsonrpc").is_none(),
            _ => false,
        }
}
