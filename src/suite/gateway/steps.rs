//! The steps that the scenarios of a gateway share, and how a call is made both ways.

use super::pairs::Names;
use crate::a2a::binding::Call;
use crate::a2a::model::Operation;
use crate::engine::drive::{Driver, StepFuture};

/// Reads a task that does not exist, with the extensions that the card declares.
pub(super) const UNKNOWN: Names = ("unknown", "unknown-through");
/// Reads a task that exists.
pub(super) const KNOWN: Names = ("known", "known-through");
/// Cancels the one that does not.
pub(super) const CANCEL: Names = ("cancel", "cancel-through");
/// Reads another one, whose id has characters that a path encodes.
pub(super) const ENCODED: Names = ("encoded", "encoded-through");
/// Reads the first in a version that nobody speaks.
pub(super) const VERSION: Names = ("version", "version-through");
/// Reads it without credentials.
pub(super) const ANONYMOUS: Names = ("anonymous", "anonymous-through");
/// Sends a body that is not JSON.
pub(super) const MALFORMED: Names = ("malformed", "malformed-through");
/// Cancels the first with much metadata.
pub(super) const LARGE: Names = ("large", "large-through");
/// Sends a message; the one through the gateway is another message of the same context.
pub(super) const SEND: Names = ("send", "send-through");
/// Reads the task that the message through the gateway made.
pub(super) const GET: Names = ("get", "get-through");
/// Reads it without its history.
pub(super) const NO_HISTORY: Names = ("no-history", "no-history-through");
/// Lists one task of the context.
pub(super) const PAGE: Names = ("page", "page-through");
/// Sends a message and streams.
pub(super) const STREAM: Names = ("stream", "stream-through");

/// Makes a call both ways.
pub(super) fn both<'a>(d: &'a Driver, names: Names, call: impl Fn() -> Call) -> [StepFuture<'a>; 2] {
    [d.call(names.0, call()), d.call_on_peer(names.1, call())]
}

/// A call that reads a task.
pub(super) fn read(d: &Driver, task: &str, history: Option<i64>) -> Call {
    d.operation(Operation::GetTask, (d.dialect().task_params)(task, history))
}

/// Whether the lane has this binding.
pub(super) fn is_binding(d: &Driver, slug: &str) -> bool {
    d.lane().is_some_and(|lane| lane.binding.slug == slug)
}
