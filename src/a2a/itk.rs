//! The instructions of a2aproject/a2a-itk (`proto/itk.proto`), by which its agents are told to call others: a message of Protocol
//! Buffers, as base64 in a text or as a file.

use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::wire::base64::{STANDARD, decode_any};
use crate::wire::protobuf::{Schema, decode, encode};

/// The type of an instruction.
const INSTRUCTION: &str = "Instruction";

/// A call that an instruction asks for.
#[derive(Debug, Clone, Copy)]
pub struct InstructedCall<'a> {
    /// The binding as a card names it.
    pub transport: &'a str,
    /// Where the card is found.
    pub agent: &'a str,
    /// Whether the answer is streamed.
    pub streaming: bool,
    /// How the call is made.
    pub manner: CallManner<'a>,
}

/// How a call is made.
#[derive(Debug, Clone, Copy)]
pub enum CallManner<'a> {
    /// By a message.
    Plain,
    /// By a message that names this webhook.
    Push(&'a str),
    /// By a stream that is left and subscribed to again.
    Resubscribe,
}

static SCHEMA: LazyLock<Schema> = LazyLock::new(|| Schema::parse(include_str!("proto/itk.proto")));

/// The instruction to answer with this text.
#[must_use]
pub fn answer_with(text: &str) -> Value {
    json!({"returnResponse": {"response": text}})
}

/// The instruction to call an agent with another instruction.
#[must_use]
pub fn call_with(call: InstructedCall<'_>, instruction: Value) -> Value {
    let InstructedCall { transport, agent, streaming, manner } = call;
    let (name, behavior) = match manner {
        CallManner::Plain => ("sendMessage", json!({})),
        CallManner::Push(url) => ("pushNotification", json!({"url": url})),
        CallManner::Resubscribe => ("resubscribe", json!({})),
    };
    let call = json!({
        "transport": transport, "agentCardUri": agent, "instruction": instruction, "streaming": streaming, name: behavior,
    });
    json!({"callAgent": call})
}

/// An instruction as the text of a message; empty if it is not an instruction, which would be a bug.
#[must_use]
pub fn written(instruction: &Value) -> String {
    encode(&SCHEMA, INSTRUCTION, instruction).map(|bytes| STANDARD.encode(&bytes)).unwrap_or_default()
}

/// The instruction that a text is, or the base64 of a file.
#[must_use]
pub fn read(text: &str) -> Option<Value> {
    let bytes = decode_any(text).filter(|bytes| !bytes.is_empty())?;
    let decoded = decode(&SCHEMA, INSTRUCTION, &bytes);
    let is_instruction =
        decoded.flaws.is_empty() && decoded.value.as_object().is_some_and(|members| !members.is_empty());
    is_instruction.then_some(decoded.value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instruction_is_read_as_it_was_written() {
        let inner = answer_with("token-1");
        let push = CallManner::Push("http://hook");
        for manner in [CallManner::Plain, push, CallManner::Resubscribe] {
            let call = InstructedCall { transport: "JSONRPC", agent: "http://b", streaming: true, manner };
            let instruction = call_with(call, call_with(call, inner.clone()));
            assert_eq!(read(&written(&instruction)), Some(instruction));
        }
        for text in ["", "hello", "Please call the other agent.", "aGVsbG8="] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    /// The bytes that the format's own Python library writes.
    #[test]
    fn an_instruction_has_the_bytes_of_the_format() {
        assert_eq!(written(&answer_with("hi")), "EgQKAmhp");
        let call = InstructedCall { transport: "GRPC", agent: "u", streaming: true, manner: CallManner::Resubscribe };
        assert_eq!(written(&call_with(call, answer_with("hi"))), "ChUKBEdSUEMSAXUaBhIECgJoaSABOgA=");
    }
}
