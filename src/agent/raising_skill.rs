//! What an agent of the variant `raising` has besides others: a skill, and the memory of where its handler has raised.

use std::cell::Cell;

use serde_json::Value;

use super::json_values::data;

/// The bindings over which a handler has raised.
#[derive(Debug, Default)]
pub(super) struct Raised {
    /// Whether the call that is being answered came over JSON-RPC.
    pub(super) over_rpc: Cell<bool>,
    /// Over HTTP+JSON, and over JSON-RPC.
    pub(super) over: Cell<[bool; 2]>,
}

/// The skill that the card of such an agent has besides the others.
pub(super) fn skill() -> Value {
    data(
        r#"{"id":"raise","name":"Raise","description":"Raises an exception, so that the task fails.","tags":["task"],"examples":["raise an exception"]}"#,
        &[],
    )
}
