//! The changes to a task that a test case declares, with what the author need not write: ids, times, and the task they are of.

use super::served_version::CURRENT;
use serde_json::Value;

use super::clock_reading::timestamp;
use super::declared_turn::EventContent;
use super::json_values::{elements, set, set_text, take, text, wrap};
use super::task::{StoredTask, TaskView};
use crate::host::IdSource;

impl StoredTask {
    /// Whether the task plays a declared turn and has come to its end.
    pub(super) fn turn_is_over(&self) -> bool {
        self.turn.as_ref().is_some_and(|turn| turn.dropped || self.next_due().is_none())
    }

    pub(super) fn apply_declared(&mut self, content: EventContent, at_ms: i64, ids: &dyn IdSource) {
        match content {
            EventContent::Task(mut task) => {
                if let Value::Array(mut artifacts) = take(&mut task, "artifacts") {
                    artifacts.iter_mut().for_each(|artifact| set_missing(artifact, "artifactId", ids));
                    self.artifacts = artifacts;
                }
                for message in elements(&mut task, "history") {
                    let message = self.own_message(message.take(), ids);
                    self.add_to_history(message);
                }
                let metadata = take(&mut task, "metadata");
                if !metadata.is_null() {
                    self.metadata = metadata;
                }
                self.set_declared_status(take(&mut task, "status"), at_ms, ids);
                self.record_event(wrap("task", self.to_value(TaskView::FULL)));
            }
            EventContent::Status(mut update) => {
                self.set_declared_status(take(&mut update, "status"), at_ms, ids);
                let mut event = self.status_update();
                if let Some(own) = event.get_mut("statusUpdate") {
                    set(own, "metadata", take(&mut update, "metadata"));
                }
                self.record_event(event);
            }
            EventContent::Artifact(mut update) => {
                let appends = update.get("append").is_some();
                let last = self.artifacts.last().and_then(|artifact| artifact.get("artifactId")).cloned();
                if let Some(artifact) = update.get_mut("artifact") {
                    if artifact.get("artifactId").is_none() && appends {
                        // A chunk that names no artifact goes to the one before.
                        set(artifact, "artifactId", last.unwrap_or_default());
                    }
                    set_missing(artifact, "artifactId", ids);
                }
                self.add_artifact(&update);
            }
            EventContent::Message(message) => {
                let message = self.own_message(message, ids);
                if !self.id.is_empty() {
                    self.add_to_history(message.clone());
                }
                self.record_event(wrap("message", message.clone()));
                if let Some(turn) = &mut self.turn {
                    turn.message = Some(message);
                }
            }
            EventContent::Raw(text) => {
                self.record_event(wrap("raw", text.as_str().into()));
                if let Some(turn) = &mut self.turn {
                    turn.raw.get_or_insert_default().push_str(&text);
                }
            }
            EventContent::Drop => {
                self.record_event(wrap("drop", true.into()));
                if let Some(turn) = &mut self.turn {
                    turn.dropped = true;
                }
            }
        }
    }

    /// Sets the status, unless it is null.
    fn set_declared_status(&mut self, mut status: Value, at_ms: i64, ids: &dyn IdSource) {
        let Some(state) = CURRENT.dialect.state(text(&status, "state")) else { return };
        self.state = state;
        self.at_ms = at_ms.max(self.at_ms);
        let message = take(&mut status, "message");
        if message.is_object() {
            let message = self.own_message(message, ids);
            self.add_to_history(message.clone());
            set(&mut status, "message", message);
        }
        if text(&status, "timestamp").is_empty() {
            set_text(&mut status, "timestamp", &timestamp(self.at_ms));
        }
        self.status = status;
    }

    /// A declared message as one of this task and its context; of the context only, where there is no task.
    fn own_message(&self, mut message: Value, ids: &dyn IdSource) -> Value {
        set_missing(&mut message, "messageId", ids);
        set_text(&mut message, "contextId", &self.context);
        if !self.id.is_empty() {
            set_text(&mut message, "taskId", &self.id);
        }
        message
    }
}

/// Sets a member to a fresh id if it is missing or empty.
fn set_missing(object: &mut Value, name: &str, ids: &dyn IdSource) {
    if text(object, name).is_empty() {
        set_text(object, name, &ids.fresh());
    }
}
