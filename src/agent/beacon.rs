//! The scripted agent as a beacon: an agent that others are told to call. It answers messages with a token as it was asked for, and
//! shows every request to whoever wants to know what arrived.

use std::rc::Rc;

use serde_json::{Value, json};

use super::declared_turn::InvalidResponses;
use super::scripted_agent::ScriptedAgent;
use crate::host::beacon::BeaconAnswer;
use crate::wire::http::Request;

impl ScriptedAgent {
    /// Answers messages with this token so from now on.
    ///
    /// # Errors
    /// [`InvalidResponses`] when the answer cannot be declared, which would be a bug.
    pub fn answer_as_beacon(&self, token: &str, answer: &BeaconAnswer) -> Result<(), InvalidResponses> {
        self.answer_messages_with(token, &responses(answer).to_string())
    }

    /// Shows every request to this function before it is answered, and to nobody else. Over gRPC the body is the message as JSON.
    pub fn note_requests_by(&self, note: impl Fn(&Request) + 'static) {
        *self.0.note_request.borrow_mut() = Some(Rc::new(move |_, request| note(request)));
    }
}

/// The responses that an answer is declared by. What a task brings stands in an artifact and in its status, as clients look in one or
/// the other.
fn responses(answer: &BeaconAnswer) -> Value {
    let working = json!({"statusUpdate": {"status": {"state": "TASK_STATE_WORKING"}}});
    let completed = |text: &str, delay_ms: u32| {
        let parts = json!([{"text": text, "mediaType": "text/plain"}]);
        let artifact = json!({"artifactUpdate": {"artifact": {"parts": parts}}, "delayMs": delay_ms});
        let status =
            json!({"statusUpdate": {"status": {"state": "TASK_STATE_COMPLETED", "message": {"parts": parts}}}});
        json!([[working, artifact, status]])
    };
    match answer {
        BeaconAnswer::Result(text) => completed(text, 0),
        BeaconAnswer::Late(text, delay_ms) => completed(text, *delay_ms),
        BeaconAnswer::Error => json!([[{"httpStatus": 500}]]),
    }
}
