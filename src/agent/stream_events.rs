//! Reads and changes the events of streams, in the shapes of 1.0.

use super::served_version::CURRENT;
use serde_json::{Value, json};

use super::json_values::{set, set_text, take, text};
use super::task::{HistoryShown, status_update};
use crate::a2a::model::TaskState;

/// Leaves of a task's history what a client wants to see.
pub(super) fn cut_history(task: &mut Value, shown: HistoryShown) {
    if let Value::Array(all) = take(task, "history") {
        let shown = shown.cut(&all);
        set(task, "history", if shown.is_empty() { Value::Null } else { shown.to_vec().into() });
    }
}

/// A task as updates, for streams of 0.1, which have no tasks (0.1 §7.2.1).
pub(super) fn updates_of(task: &Value) -> Vec<Value> {
    let (id, context) = (text(task, "id"), text(task, "contextId"));
    let update = |artifact: &Value| json!({"artifactUpdate": {"artifact": artifact, "taskId": id}});
    let mut updates: Vec<_> =
        task.get("artifacts").and_then(Value::as_array).into_iter().flatten().map(update).collect();
    updates.push(status_update(id, context, task.get("status").cloned().unwrap_or_default()));
    updates
}

/// The state of a status update or a task; that of other events counts as submitted.
pub(super) fn state_of(event: &Value) -> TaskState {
    let status = event.pointer("/statusUpdate/status").or_else(|| event.pointer("/task/status"));
    let state = status.and_then(|status| status.get("state")).and_then(Value::as_str);
    state.and_then(|name| CURRENT.dialect.state(name)).unwrap_or(TaskState::Submitted)
}

/// Makes an event name another context.
pub(super) fn move_context(event: &mut Value) {
    for shape in ["task", "statusUpdate", "artifactUpdate"] {
        if let Some(named) = event.get_mut(shape) {
            set_text(named, "contextId", "another-context");
        }
    }
}
