//! Reads cards, results and events of the versions before 1.0: bare results, nested push configs, cards with one `url`. Their
//! differences are in their tables.

use super::card::{self, strings};
use super::definition::{Dialect, Tags};
use super::read_answers::{read_artifact_update, read_bare_task, read_deleted, read_status_update};
use super::read_objects::{agent_message, artifact, kind, task};
use crate::a2a::cursor::Cursor;
use crate::a2a::model::{ArtifactUpdate, Card, Interface, Operation, Payload, PushConfig, StreamEvent, TaskList};
use crate::a2a::rule::{Notes, Rule};
use crate::wire::place_index::IdentitySet;

/// Reads a card of 0.1, 0.2 or 0.3 (0.3 §5.5; 0.1 §5.5). Its interfaces have the version that it declares, if it does.
pub(super) fn read_card(card: &Cursor<'_>) -> Card {
    let version = card.text("protocolVersion").unwrap_or_default();
    let mut interfaces: Vec<Interface> = Vec::new();
    let mut listed = IdentitySet::default();
    let mut add = |url: Option<String>, binding: Option<String>| {
        let Some(url) = url.filter(|url| !url.is_empty()) else { return };
        let binding = binding.unwrap_or_default();
        if listed.add(&[&url, &binding]) {
            interfaces.push(Interface { url, binding, version: version.clone(), tenant: None });
        }
    };
    // 0.3 §5.6.1: the card's url speaks the preferred transport, which is JSON-RPC where none is named.
    let preferred = card.text("preferredTransport").filter(|name| !name.is_empty());
    add(card.text("url"), Some(preferred.unwrap_or_else(|| "JSONRPC".to_owned())));
    for entry in card.elements_of("additionalInterfaces") {
        add(entry.text("url"), entry.text("transport"));
    }
    // 0.1 §5.5.3: the schemes of `authentication` are what the endpoint wants to see.
    let schemes = card.member("authentication").map_or_else(Vec::new, |cursor| strings(&cursor, "schemes"));
    let open = schemes.iter().all(|scheme| matches!(scheme.to_ascii_lowercase().as_str(), "none" | "public"));
    let keeps_history = card.member("capabilities").is_some_and(|cursor| cursor.flag("stateTransitionHistory"));
    let common = card::common(card);
    Card {
        interfaces,
        extended_card: card.flag("supportsAuthenticatedExtendedCard"),
        state_history: keeps_history,
        requires_auth: common.requires_auth || !open,
        ..common
    }
}

/// Reads a result of 0.2 or 0.3: the object itself over JSON-RPC, in a wrapper where HTTP has one (0.3 §7).
pub(super) fn read_result(dialect: &Dialect, operation: Operation, cursor: &Cursor<'_>, notes: &mut Notes) -> Payload {
    match operation {
        Operation::SendMessage | Operation::SendStreamingMessage => read_sent(dialect, cursor, notes),
        Operation::GetTask | Operation::CancelTask | Operation::SubscribeToTask => {
            read_bare_task(dialect, cursor, notes)
        }
        Operation::ListTasks => {
            let list = cursor.member("tasks").unwrap_or_else(|| cursor.clone());
            let tasks = list.elements().map(|element| task(dialect, &element, notes)).collect();
            Payload::Tasks(TaskList { tasks, at: cursor.at.clone(), ..TaskList::default() })
        }
        Operation::CreatePushConfig | Operation::GetPushConfig => {
            Payload::PushConfig(read_push_config(cursor, "taskId", dialect, notes))
        }
        Operation::ListPushConfigs => {
            let configs = cursor.member("configs").filter(|_| dialect.forms.tags == Tags::Either);
            // The proto leaves an empty list out.
            let empty = dialect.forms.tags == Tags::Either && cursor.value.is_object() && configs.is_none();
            let list = configs.unwrap_or_else(|| cursor.clone());
            let finding = ("an array of configs", cursor.describe());
            notes.judge(Rule::PushList, list.value.is_array() || empty, &cursor.at, finding);
            // The wrapper of 1.0 is read all the same.
            let list = cursor.member("configs").unwrap_or(list);
            let configs = list.elements().map(|config| read_push_config(&config, "taskId", dialect, notes));
            Payload::PushConfigs(configs.collect())
        }
        Operation::DeletePushConfig => read_deleted(cursor, notes),
        Operation::GetExtendedCard => Payload::Card(cursor.value.clone()),
    }
}

/// Whether an object is a task or a message, by what it says or by its members.
fn name_of(cursor: &Cursor<'_>) -> Option<&'static str> {
    match cursor.text("kind").as_deref() {
        Some("task") => Some("task"),
        Some("message") => Some("message"),
        Some("status-update") => Some("status-update"),
        Some("artifact-update") => Some("artifact-update"),
        _ if cursor.has("status") && (cursor.has("taskId") || cursor.has("final")) => Some("status-update"),
        _ if cursor.has("artifact") => Some("artifact-update"),
        _ if cursor.has("id") && cursor.has("status") => Some("task"),
        _ if cursor.has("role") || cursor.has("messageId") => Some("message"),
        _ => None,
    }
}

/// The one wrapped object that HTTP has in answers and events, by the names of its members.
fn wrapped<'a>(cursor: &Cursor<'a>) -> Option<(&'static str, Cursor<'a>)> {
    let names = [
        ("task", "task"),
        ("message", "message"),
        // The name that the proto of 0.3 has, for who prints it as it stands.
        ("msg", "message"),
        ("statusUpdate", "status-update"),
        ("artifactUpdate", "artifact-update"),
    ];
    let mut found = names.into_iter().filter_map(|(member, name)| Some((name, cursor.member(member)?)));
    found.next().filter(|(_, inner)| inner.value.is_object())
}

/// Finds the object of an answer or an event. One that is wrapped where it should not be, or the reverse, is found all the
/// same after the finding.
fn object<'a>(
    dialect: &Dialect,
    cursor: &Cursor<'a>,
    rule: Rule,
    notes: &mut Notes,
) -> Option<(&'static str, Cursor<'a>)> {
    let bare = name_of(cursor).map(|name| (name, cursor.clone()));
    let inside = if bare.is_none() || !cursor.has("kind") { wrapped(cursor) } else { None };
    let (right, wrong, expected) = if dialect.forms.tags == Tags::Either {
        (inside, bare, "one of the members task, message, statusUpdate and artifactUpdate")
    } else if inside.is_some() && !cursor.has("kind") && !cursor.has("status") && !cursor.has("parts") {
        (None, inside, "the object itself, with its kind")
    } else {
        (bare, None, "an object with its kind")
    };
    notes.judge(rule, right.is_some(), &cursor.at, (expected, cursor.describe()));
    right.or(wrong)
}

/// 0.3 §7.1: a Task or a Message.
fn read_sent(dialect: &Dialect, cursor: &Cursor<'_>, notes: &mut Notes) -> Payload {
    match object(dialect, cursor, Rule::SendPayload, notes) {
        Some(("task", cursor)) => Payload::Sent { task: Some(task(dialect, &cursor, notes)), message: None },
        Some(("message", cursor)) => {
            Payload::Sent { task: None, message: Some(agent_message(dialect, &cursor, notes)) }
        }
        _ => Payload::Sent { task: None, message: None },
    }
}

/// Reads a nested config: of which task, and what (0.3 §6.10; 0.1 §6.10).
fn read_push_config(cursor: &Cursor<'_>, task: &str, dialect: &Dialect, notes: &mut Notes) -> PushConfig {
    // The proto of 0.3 names both in one path.
    let path = cursor.text("name").filter(|_| dialect.forms.tags == Tags::Either);
    let part = |number: usize| path.as_ref().and_then(|path| path.split('/').nth(number).map(str::to_owned));
    let task_id = match part(1) {
        Some(id) => Some(id),
        // Over gRPC the path is all that names the task.
        None => cursor.required_text(if dialect.grpc.is_some() { "name" } else { task }, Rule::PushConfig, notes),
    };
    let Some(config) = cursor.member("pushNotificationConfig") else {
        let at = cursor.at.key("pushNotificationConfig");
        notes.breaks(Rule::PushConfig, &at, "pushNotificationConfig: the config", "missing");
        return PushConfig { id: None, task_id, url: cursor.text("url"), at: cursor.at.clone() };
    };
    PushConfig {
        id: config.text("id").or_else(|| part(3)),
        task_id,
        url: config.required_text("url", Rule::PushConfig, notes),
        at: cursor.at.clone(),
    }
}

/// Reads an event of 0.2 or 0.3 (0.3 §7.2).
pub(super) fn read_event(dialect: &Dialect, cursor: &Cursor<'_>, notes: &mut Notes) -> StreamEvent {
    match object(dialect, cursor, Rule::EventPayload, notes) {
        Some(("task", cursor)) => StreamEvent::Task(task(dialect, &cursor, notes)),
        Some(("message", cursor)) => StreamEvent::Message(agent_message(dialect, &cursor, notes)),
        Some((name @ "status-update", cursor)) => {
            kind(dialect, &cursor, name, notes);
            StreamEvent::Status(read_status_update(dialect, &cursor, notes))
        }
        Some((name, cursor)) => {
            kind(dialect, &cursor, name, notes);
            StreamEvent::Artifact(read_artifact_update(dialect, &cursor, notes))
        }
        None => StreamEvent::Other(cursor.value.clone()),
    }
}

/// Reads a result of 0.1: a Task, or a config (0.1 §7).
pub(super) fn read_result_0_1(
    dialect: &Dialect,
    operation: Operation,
    cursor: &Cursor<'_>,
    notes: &mut Notes,
) -> Payload {
    match operation {
        Operation::SendMessage | Operation::SendStreamingMessage => {
            let fits = cursor.has("id") && cursor.has("status");
            notes.judge(Rule::SendPayload, fits, &cursor.at, ("a Task", cursor.describe()));
            let inner = wrapped(cursor).filter(|_| !fits).map_or_else(|| cursor.clone(), |(_, inner)| inner);
            let is_task = inner.has("id") || inner.has("status");
            Payload::Sent { task: is_task.then(|| task(dialect, &inner, notes)), message: None }
        }
        Operation::CreatePushConfig | Operation::GetPushConfig => {
            Payload::PushConfig(read_push_config(cursor, "id", dialect, notes))
        }
        _ => read_result(dialect, operation, cursor, notes),
    }
}

/// Reads an event of 0.1: a status or an artifact of the task with that id (0.1 §7.2.2, §7.2.3).
pub(super) fn read_event_0_1(dialect: &Dialect, cursor: &Cursor<'_>, notes: &mut Notes) -> StreamEvent {
    match (cursor.member("status"), cursor.member("artifact")) {
        (Some(_), None) if ["artifacts", "history", "sessionId"].iter().any(|name| cursor.member(name).is_some()) => {
            notes.breaks(Rule::EventPayload, &cursor.at, "an update: a status or an artifact", "a whole task");
            StreamEvent::Task(task(dialect, cursor, notes))
        }
        (Some(_), None) => {
            notes.holds(Rule::EventPayload);
            StreamEvent::Status(read_status_update(dialect, cursor, notes))
        }
        (None, Some(inner)) => {
            notes.holds(Rule::EventPayload);
            let task_id = cursor.required_text("id", Rule::ArtifactEvent, notes);
            // Here the artifact itself says whether it goes on.
            let append = inner.optional_flag("append", Rule::ArtifactEvent, notes);
            let last_chunk = inner.optional_flag("lastChunk", Rule::ArtifactEvent, notes);
            let artifact = artifact(dialect, &inner, notes);
            let at = cursor.at.clone();
            StreamEvent::Artifact(ArtifactUpdate { task_id, context_id: None, artifact, append, last_chunk, at })
        }
        _ => {
            notes.breaks(Rule::EventPayload, &cursor.at, "either a status or an artifact", cursor.describe());
            StreamEvent::Other(cursor.value.clone())
        }
    }
}
