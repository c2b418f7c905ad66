//! Reads the results and events that are alike in all versions: bare tasks, status and artifact updates, deletions.

use super::definition::{Dialect, Tags};
use super::read_objects::{TaskStatus, artifact, status, task};
use crate::a2a::cursor::Cursor;
use crate::a2a::model::{ArtifactUpdate, Payload, StatusUpdate};
use crate::a2a::rule::{Notes, Rule};

/// Nothing, as google.protobuf.Empty is written; whatever else an agent adds there is no config.
pub(super) fn read_deleted(cursor: &Cursor<'_>, notes: &mut Notes) -> Payload {
    let config = |name| cursor.member(name).is_some_and(|member| !member.value.is_null());
    let empty =
        cursor.value.is_null() || (cursor.value.is_object() && !["id", "taskId", "url"].into_iter().any(config));
    notes.judge(Rule::PushDeleted, empty, &cursor.at, ("null or {}", cursor.describe()));
    Payload::Nothing
}

/// 1.0 §9.4.3: the Task itself. One that stands in a wrapper is read all the same, so that other checks can go on.
pub(super) fn read_bare_task(dialect: &Dialect, cursor: &Cursor<'_>, notes: &mut Notes) -> Payload {
    let bare = cursor.has("id") || cursor.has("status");
    notes.judge(Rule::BareTask, bare, &cursor.at, ("the bare Task", cursor.describe()));
    if bare {
        return Payload::Task(task(dialect, cursor, notes));
    }
    let inner = cursor.member("task").filter(|inner| inner.value.is_object());
    inner.map_or(Payload::Nothing, |inner| Payload::Task(task(dialect, &inner, notes)))
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
        notes.judge(Rule::StatusEvent, fits, &cursor.at.key("final"), ("final: true or false", actual));
    }
    let TaskStatus { state, timestamp, message, .. } = status(dialect, cursor, Rule::StatusEvent, notes);
    let last = cursor.member("final").and_then(|cursor| cursor.value.as_bool());
    StatusUpdate { task_id, context_id, state, timestamp, message, last, at: cursor.at.clone() }
}

pub(super) fn read_artifact_update(dialect: &Dialect, cursor: &Cursor<'_>, notes: &mut Notes) -> ArtifactUpdate {
    let task_id = cursor.required_text("taskId", Rule::ArtifactEvent, notes);
    let context_id = cursor.required_text("contextId", Rule::ArtifactEvent, notes);
    let member = cursor.member("artifact");
    let actual = member.as_ref().map_or_else(|| "missing".to_owned(), Cursor::describe);
    let member = member.filter(|member| member.value.is_object());
    notes.judge(Rule::ArtifactEvent, member.is_some(), &cursor.at.key("artifact"), ("an artifact object", actual));
    let artifact = member.map(|member| artifact(dialect, &member, notes)).unwrap_or_default();
    let append = cursor.optional_flag("append", Rule::ArtifactEvent, notes);
    let last_chunk = cursor.optional_flag("lastChunk", Rule::ArtifactEvent, notes);
    ArtifactUpdate { task_id, context_id, artifact, append, last_chunk, at: cursor.at.clone() }
}
