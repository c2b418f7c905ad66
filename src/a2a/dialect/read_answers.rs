//! Functions that the readers of results and events share, whatever the version.

use serde_json::Value;

use super::definition::{Dialect, Tags};
use super::read_objects::task;
use crate::a2a::cursor::Cursor;
use crate::a2a::model::{ArtifactUpdate, Payload, Role, StatusUpdate};
use crate::a2a::rule::{Notes, Rule};

/// Nothing, as google.protobuf.Empty is written; whatever else an agent adds there is no config.
pub(super) fn read_deleted(cursor: &Cursor<'_>, notes: &mut Notes) -> Payload {
    let config = |name| cursor.member(name).is_some_and(|member| !member.value.is_null());
    let empty =
        cursor.value.is_null() || (cursor.value.is_object() && !["id", "taskId", "url"].into_iter().any(config));
    let finding = ("null or {}".to_owned(), cursor.describe());
    notes.judge(Rule::PushDeleted, empty.then_some(()).ok_or(finding), &cursor.at);
    Payload::Nothing
}

/// 1.0 §9.4.3: the Task itself. One that stands in a wrapper is read all the same, so that other checks can go on.
pub(super) fn read_bare_task(dialect: &Dialect, cursor: &Cursor<'_>, notes: &mut Notes) -> Payload {
    let bare = cursor.has("id") || cursor.has("status");
    if bare {
        notes.holds(Rule::BareTask);
        return Payload::Task(task(dialect, cursor, notes));
    }
    notes.breaks(Rule::BareTask, &cursor.at, "the bare Task", cursor.describe());
    match cursor.member("task").filter(|inner| inner.value.is_object()) {
        Some(inner) => Payload::Task(task(dialect, &inner, notes)),
        None => Payload::Nothing,
    }
}

pub(super) fn from_agent(dialect: &Dialect, message: &crate::a2a::model::Message, notes: &mut Notes) {
    if let Some(role) = message.role {
        match role {
            Role::User => notes.breaks(
                Rule::AgentRole,
                &message.at.key("role"),
                format!("{} on a message from the agent", dialect.role_name(Role::Agent)),
                dialect.role_name(Role::User),
            ),
            Role::Agent | Role::Unspecified => notes.holds(Rule::AgentRole),
        }
    }
}

pub(super) fn read_status_update(dialect: &Dialect, cursor: &Cursor<'_>, notes: &mut Notes) -> StatusUpdate {
    // 0.1 §7.2.2: the task's id and no session.
    let (task, context) =
        if dialect.forms.tags == Tags::Type { ("id", None) } else { ("taskId", Some(dialect.forms.context)) };
    let task_id = cursor.required_text(task, Rule::StatusEvent, notes);
    let context_id = context.and_then(|context| cursor.required_text(context, Rule::StatusEvent, notes));
    if dialect.forms.tags == Tags::Kind {
        // 0.3 §7.2.2
        let last = cursor.member("final");
        let fits = last.as_ref().is_some_and(|last| last.value.is_boolean());
        let actual = last.map_or_else(|| "missing".to_owned(), |last| last.describe());
        let finding = ("final: true or false".to_owned(), actual);
        notes.judge(Rule::StatusEvent, fits.then_some(()).ok_or(finding), &cursor.at.key("final"));
    }
    let status = super::read_objects::status(dialect, cursor, Rule::StatusEvent, notes);
    StatusUpdate {
        task_id,
        context_id,
        state: status.state,
        timestamp: status.timestamp,
        message: status.message,
        last: cursor.member("final").and_then(|cursor| cursor.value.as_bool()),
        at: cursor.at.clone(),
    }
}

pub(super) fn read_artifact_update(dialect: &Dialect, cursor: &Cursor<'_>, notes: &mut Notes) -> ArtifactUpdate {
    let task_id = cursor.required_text("taskId", Rule::ArtifactEvent, notes);
    let context_id = cursor.required_text("contextId", Rule::ArtifactEvent, notes);
    let artifact = match cursor.member("artifact") {
        Some(member) if member.value.is_object() => {
            notes.holds(Rule::ArtifactEvent);
            super::read_objects::artifact(dialect, &member, notes)
        }
        Some(member) => {
            notes.breaks(Rule::ArtifactEvent, &member.at, "an artifact object", member.describe());
            Default::default()
        }
        None => {
            notes.breaks(Rule::ArtifactEvent, &cursor.at.key("artifact"), "an artifact object", "missing");
            Default::default()
        }
    };
    let mut flag = |name: &str| {
        cursor
            .optional(name, Rule::ArtifactEvent, "a boolean", Value::is_boolean, notes)
            .is_some_and(|cursor| cursor.value.as_bool() == Some(true))
    };
    let (append, last_chunk) = (flag("append"), flag("lastChunk"));
    ArtifactUpdate { task_id, context_id, artifact, append, last_chunk, at: cursor.at.clone() }
}
