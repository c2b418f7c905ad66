//! Reads tasks, messages, parts, artifacts and timestamps of any version, and notes which rules of their form are broken. Names
//! come from the dialect's tables.

use serde_json::Value;

use super::definition::{Dialect, Tags};
use crate::a2a::cursor::Cursor;
use crate::a2a::model::{Artifact, Content, Message, Part, Role, Task, TaskState};
use crate::a2a::rule::{Notes, Rule};
use crate::wire::base64::is_base64;
use crate::wire::place_index::IdentitySet;
use crate::wire::timestamp;

/// A status, wherever it stands.
#[derive(Debug, Default)]
pub(super) struct TaskStatus {
    pub(super) state: Option<TaskState>,
    pub(super) state_text: Option<String>,
    pub(super) timestamp: Option<String>,
    pub(super) message: Option<Message>,
}

/// Reads a task (1.0 §4.1.1).
pub(super) fn task(dialect: &Dialect, cursor: &Cursor<'_>, notes: &mut Notes) -> Task {
    let id = cursor.required_text("id", Rule::TaskId, notes);
    let status = status(dialect, cursor, Rule::TaskStatus, notes);
    let context_id = if dialect.forms.task_has_context {
        cursor.required_text(dialect.forms.context, Rule::TaskMembers, notes)
    } else {
        cursor
            .optional(dialect.forms.context, Rule::TaskMembers, "a string", Value::is_string, notes)
            .and_then(|cursor| cursor.value.as_str().map(str::to_owned))
    };
    let artifacts = cursor
        .optional("artifacts", Rule::TaskMembers, "an array", Value::is_array, notes)
        .map(|list| list.elements().map(|element| artifact(dialect, &element, notes)).collect::<Vec<_>>());
    unique_artifacts(artifacts.as_deref().unwrap_or_default(), notes);
    let history = cursor.optional("history", Rule::TaskMembers, "an array", Value::is_array, notes);
    let history = history.map(|list| list.elements().map(|element| remembered(dialect, &element, notes)).collect());
    cursor.optional("metadata", Rule::TaskMembers, "an object", Value::is_object, notes);
    kind(dialect, cursor, "task", notes);
    Task {
        id,
        context_id,
        state: status.state,
        state_text: status.state_text,
        status_message: status.message,
        timestamp: status.timestamp,
        artifacts,
        history,
        at: cursor.at.clone(),
        raw: cursor.shared(),
    }
}

/// Reads the `status` member of a task or an event; its absence breaks `rule`.
pub(super) fn status(dialect: &Dialect, holder: &Cursor<'_>, rule: Rule, notes: &mut Notes) -> TaskStatus {
    let Some(cursor) = holder.member("status") else {
        notes.breaks(rule, &holder.at.key("status"), "a status object with a state", "missing");
        return TaskStatus::default();
    };
    if !cursor.value.is_object() {
        notes.breaks(rule, &cursor.at, "a status object with a state", cursor.describe());
        return TaskStatus::default();
    }
    let state_text = cursor.required_text("state", rule, notes);
    let state = state_text.as_deref().and_then(|text| dialect.state(text));
    if let Some(text) = &state_text {
        let at = cursor.at.key("state");
        match state {
            Some(TaskState::Unspecified) => notes.breaks(Rule::Unspecified, &at, "a specified state", text.clone()),
            Some(_) => {
                notes.holds(Rule::TaskState);
                notes.holds(Rule::Unspecified);
            }
            None => {
                let specified = dialect.states.iter().filter(|(state, _)| *state != TaskState::Unspecified);
                let names: Vec<_> = specified.map(|(_, name)| *name).collect();
                notes.breaks(Rule::TaskState, &at, format!("one of {}", names.join(", ")), format!("\"{text}\""));
            }
        }
    }
    let timestamp = timestamp(dialect, &cursor, notes);
    // 1.0 §4.1.5: a status message is the agent's.
    let message = cursor.member("message").map(|cursor| agent_message(dialect, &cursor, notes));
    TaskStatus { state, state_text, timestamp, message }
}

/// 1.0 §5.6.1: ISO 8601, UTC, ending in `Z`; milliseconds are recommended. Before, ISO 8601 of any zone or none.
fn timestamp(dialect: &Dialect, status: &Cursor<'_>, notes: &mut Notes) -> Option<String> {
    let cursor = status.member("timestamp")?;
    let Some(text) = cursor.value.as_str() else {
        notes.breaks(Rule::Timestamp, &cursor.at, "a timestamp string", cursor.describe());
        return None;
    };
    let quoted = || format!("\"{text}\"");
    if dialect.forms.utc {
        let fits = is_utc_timestamp(text);
        notes.judge(Rule::Timestamp, fits, &cursor.at, ("YYYY-MM-DDTHH:mm:ss.sssZ, in UTC with Z", quoted()));
        if fits {
            let digits = text.split_once('.').map_or(0, |(_, fraction)| fraction.len().saturating_sub(1));
            notes.judge(Rule::TimestampMillis, digits == 3, &cursor.at, ("three fractional digits", quoted()));
        }
    } else {
        notes.judge(Rule::Timestamp, is_timestamp(text), &cursor.at, ("an ISO 8601 timestamp", quoted()));
    }
    Some(text.to_owned())
}

/// Whether a text is `YYYY-MM-DDTHH:mm:ss(.fraction)?Z` with 0 to 9 fraction digits and names a real moment.
#[must_use]
pub fn is_utc_timestamp(text: &str) -> bool {
    let Some(body) = text.strip_suffix('Z') else { return false };
    let fraction_fits = body
        .split_once('.')
        .is_none_or(|(_, fraction)| (1..=9).contains(&fraction.len()) && fraction.bytes().all(|b| b.is_ascii_digit()));
    let shape_fits = body.len() >= 19 && body.as_bytes().get(10) == Some(&b'T');
    shape_fits && fraction_fits && timestamp::parse(text).is_some()
}

/// Whether a text is ISO 8601 with a date and a time, in any zone or in none (0.3 §6.2, whose examples have none).
#[must_use]
pub fn is_timestamp(text: &str) -> bool {
    let joined = matches!(text.as_bytes().get(10), Some(b'T' | b't'));
    joined && (timestamp::parse(text).is_some() || timestamp::parse(&format!("{text}Z")).is_some())
}

/// Reads a message of a history. The agent is not to blame for messages that it did not write: a checker that sends odd parts,
/// no role or an unknown role would find them again.
fn remembered(dialect: &Dialect, cursor: &Cursor<'_>, notes: &mut Notes) -> Message {
    let mut aside = notes.aside();
    let message = message(dialect, cursor, &mut aside);
    let agents = message.role == Some(Role::Agent);
    // Made like the names of the proto, so repeated from the request; an agent that names roles its own way is blamed.
    let repeated = message.role.is_none() && cursor.text("role").is_some_and(|role| role.starts_with("ROLE_"));
    notes.absorb(aside, |rule| match rule {
        Rule::PartContent | Rule::PartRaw | Rule::PartFile | Rule::MessageMembers | Rule::NoKind | Rule::Kind => agents,
        Rule::Role => !repeated,
        _ => true,
    });
    message
}

/// The moment that a UTC timestamp names, in seconds since 1970 and nanoseconds; `None` for any other timestamp.
#[must_use]
pub fn utc_moment(text: &str) -> Option<(i64, u32)> {
    is_utc_timestamp(text).then(|| timestamp::parse(text))?
}

/// Reads a message (1.0 §4.1.4).
pub(super) fn message(dialect: &Dialect, cursor: &Cursor<'_>, notes: &mut Notes) -> Message {
    let message_id =
        dialect.forms.ids.then(|| cursor.required_text("messageId", Rule::MessageMembers, notes)).flatten();
    let role = role(dialect, cursor, notes);
    let parts = parts(dialect, cursor, dialect.forms.message_parts, Rule::MessageMembers, notes);
    kind(dialect, cursor, "message", notes);
    let (context_id, task_id) = (cursor.text(dialect.forms.context), cursor.text("taskId"));
    Message { message_id, context_id, task_id, role, parts, at: cursor.at.clone() }
}

/// Reads a message that only the agent can have made.
pub(super) fn agent_message(dialect: &Dialect, cursor: &Cursor<'_>, notes: &mut Notes) -> Message {
    let message = message(dialect, cursor, notes);
    if let Some(role) = message.role {
        let (agent, user) = (dialect.role_name(Role::Agent), dialect.role_name(Role::User));
        let finding = (format!("{agent} on a message from the agent"), user);
        notes.judge(Rule::AgentRole, role != Role::User, &cursor.at.key("role"), finding);
    }
    message
}

/// Reads the parts of a message or an artifact, under the first of these names that is there.
fn parts(dialect: &Dialect, cursor: &Cursor<'_>, names: &[&str], rule: Rule, notes: &mut Notes) -> Vec<Part> {
    let expected = if dialect.needs_parts { "parts: an array with at least one part" } else { "parts: an array" };
    match names.iter().find_map(|name| cursor.member(name)) {
        Some(list) if list.value.as_array().is_some_and(|parts| !parts.is_empty() || !dialect.needs_parts) => {
            notes.holds(rule);
            list.elements().map(|element| part(dialect, &element, notes)).collect()
        }
        Some(list) => {
            notes.breaks(rule, &list.at, expected, list.describe());
            Vec::new()
        }
        // T-GRPC-2: an empty list is absent from the bytes.
        None if dialect.grpc.is_some() && !dialect.needs_parts => Vec::new(),
        None => {
            let name = names.first().copied().unwrap_or("parts");
            notes.breaks(rule, &cursor.at.key(name), expected, cursor.absence(name));
            Vec::new()
        }
    }
}

fn role(dialect: &Dialect, message: &Cursor<'_>, notes: &mut Notes) -> Option<Role> {
    let names = format!("{} or {}", dialect.role_name(Role::User), dialect.role_name(Role::Agent));
    let Some(cursor) = message.member("role") else {
        notes.breaks(Rule::MessageMembers, &message.at.key("role"), format!("a role: {names}"), "missing");
        return None;
    };
    let role = cursor.value.as_str().and_then(|text| dialect.role(text));
    match role {
        Some(Role::Unspecified) => notes.breaks(Rule::Unspecified, &cursor.at, names, cursor.describe()),
        Some(_) => {
            notes.holds(Rule::Role);
            notes.holds(Rule::Unspecified);
        }
        None => notes.breaks(Rule::Role, &cursor.at, names, cursor.describe()),
    }
    role
}

/// Reads a part in the form of the version.
fn part(dialect: &Dialect, cursor: &Cursor<'_>, notes: &mut Notes) -> Part {
    match dialect.forms.tags {
        Tags::Members => part_of_members(cursor, notes),
        Tags::Kind => tagged_part(cursor, Some("kind"), notes),
        Tags::Type => tagged_part(cursor, Some("type"), notes),
        Tags::Either => tagged_part(cursor, cursor.has("kind").then_some("kind"), notes),
    }
}

/// Reads a part that says what it is (0.3 §6.5; 0.1 §6.5), or the same without a tag, as the proto of 0.3 writes it.
fn tagged_part(cursor: &Cursor<'_>, tag: Option<&str>, notes: &mut Notes) -> Part {
    let names = ["text", "file", "data"];
    let said = tag.and_then(|tag| cursor.text(tag));
    let seen = names.into_iter().find(|name| cursor.member(name).is_some());
    let known = names.into_iter().find(|name| said.as_deref() == Some(name));
    if let (Some(tag), None) = (tag, known) {
        let actual = said.map_or_else(|| "missing".to_owned(), |said| format!("\"{said}\""));
        notes.breaks(Rule::PartContent, &cursor.at.key(tag), "text, file or data", actual);
    }
    let Some(name) = known.or(seen) else {
        if tag.is_none() {
            notes.breaks(Rule::PartContent, &cursor.at, "one of text, file and data", cursor.describe());
        }
        return Part::default();
    };
    let Some(member) = cursor.member(name) else {
        notes.breaks(Rule::PartContent, &cursor.at.key(name), format!("{name}, to match the part's tag"), "missing");
        return Part::default();
    };
    let (content, media_type) = match (name, member.value) {
        ("text", Value::String(text)) => (Some(Content::Text(text.clone())), None),
        ("file", Value::Object(_)) => (file(&member, notes), member.text("mimeType")),
        // The proto of 0.3 wraps the data once more.
        ("data", Value::Object(map)) if tag.is_none() => {
            (Some(Content::Data(map.get("data").unwrap_or(member.value).clone())), None)
        }
        // 0.1 has arrays here too.
        ("data", Value::Object(_)) => (Some(Content::Data(member.value.clone())), None),
        ("data", Value::Array(_)) if tag == Some("type") => (Some(Content::Data(member.value.clone())), None),
        _ => {
            let what = if name == "text" { "a string" } else { "an object" };
            notes.breaks(Rule::PartContent, &member.at, format!("{name} to be {what}"), member.describe());
            return Part::default();
        }
    };
    if tag.is_none() || known.is_some() {
        notes.holds(Rule::PartContent);
    }
    Part { content, media_type }
}

/// Reads a file: its bytes or where it is (0.3 §6.6.1, §6.6.2), under the names of the text or of the proto.
fn file(cursor: &Cursor<'_>, notes: &mut Notes) -> Option<Content> {
    let text = |names: [&str; 2]| names.into_iter().find_map(|name| cursor.text(name));
    let (bytes, uri) = (text(["bytes", "fileWithBytes"]), text(["uri", "fileWithUri"]));
    match (bytes, uri) {
        (Some(bytes), None) => {
            notes.judge(Rule::PartFile, is_base64(&bytes), &cursor.at, ("bytes in base64", "text that is not base64"));
            Some(Content::Raw(bytes.len()))
        }
        (None, Some(uri)) => {
            notes.holds(Rule::PartFile);
            Some(Content::Url(uri))
        }
        (bytes, uri) => {
            let actual = if bytes.is_some() { "both".to_owned() } else { cursor.describe() };
            notes.breaks(Rule::PartFile, &cursor.at, "exactly one of bytes and uri", actual);
            bytes.map(|bytes| Content::Raw(bytes.len())).or_else(|| uri.map(Content::Url))
        }
    }
}

/// Reads a part: exactly one of `text`, `raw`, `url`, `data` (1.0 §4.1.6).
fn part_of_members(cursor: &Cursor<'_>, notes: &mut Notes) -> Part {
    // `data: null` is a value of its own there, so presence counts and not null-ness.
    let is_there = |name: &&str| if *name == "data" { cursor.has(name) } else { cursor.member(name).is_some() };
    let present: Vec<&str> = ["text", "raw", "url", "data"].into_iter().filter(is_there).collect();
    let content = match present.as_slice() {
        [name] => {
            let value = cursor.value.get(*name).cloned().unwrap_or_default();
            let content = match (*name, value) {
                ("data", value) => Some(Content::Data(value)),
                ("text", Value::String(text)) => Some(Content::Text(text)),
                ("raw", Value::String(text)) => {
                    let finding = ("base64", "text that is not base64");
                    notes.judge(Rule::PartRaw, is_base64(&text), &cursor.at.key("raw"), finding);
                    Some(Content::Raw(text.len()))
                }
                ("url", Value::String(text)) => Some(Content::Url(text)),
                _ => None,
            };
            let finding = (format!("a string {name}"), cursor.describe());
            notes.judge(Rule::PartContent, content.is_some(), &cursor.at.key(name), finding);
            content
        }
        several => {
            let actual = cursor.these_or_all(several);
            notes.breaks(Rule::PartContent, &cursor.at, "exactly one of text, raw, url and data", actual);
            None
        }
    };
    no_kind(cursor, notes);
    Part { content, media_type: cursor.text("mediaType") }
}

/// Reads an artifact (1.0 §4.1.7). One of 0.1 goes by its index, which is 0 when it is left out (0.1 §6.7).
pub(super) fn artifact(dialect: &Dialect, cursor: &Cursor<'_>, notes: &mut Notes) -> Artifact {
    let artifact_id = if dialect.forms.ids {
        cursor.required_text("artifactId", Rule::Artifact, notes)
    } else {
        let is_index = |value: &Value| value.is_u64() || value.is_i64();
        let index = cursor.optional("index", Rule::Artifact, "an integer", is_index, notes);
        Some(index.map_or_else(|| "0".to_owned(), |cursor| cursor.value.to_string()))
    };
    let parts = parts(dialect, cursor, &["parts"], Rule::Artifact, notes);
    Artifact { artifact_id, parts, at: cursor.at.clone() }
}

fn unique_artifacts(artifacts: &[Artifact], notes: &mut Notes) {
    let mut known = IdentitySet::default();
    for artifact in artifacts {
        let Some(id) = &artifact.artifact_id else { continue };
        let finding = ("an artifactId that no other artifact of the task has", format!("\"{id}\" a second time"));
        notes.judge(Rule::ArtifactIds, known.add(&[id]), &artifact.at.key("artifactId"), finding);
    }
}

/// Whether an object names its kind as the version wants it: with `kind` in 0.2 and 0.3, without in 1.0 (§A.2.1).
pub(super) fn kind(dialect: &Dialect, cursor: &Cursor<'_>, name: &str, notes: &mut Notes) {
    match dialect.forms.tags {
        Tags::Members => no_kind(cursor, notes),
        Tags::Kind => {
            let said = cursor.member("kind");
            let fits = said.as_ref().is_some_and(|said| said.value.as_str() == Some(name));
            let actual = said.map_or_else(|| "missing".to_owned(), |said| said.describe());
            notes.judge(Rule::Kind, fits, &cursor.at.key("kind"), (format!("kind \"{name}\""), actual));
        }
        Tags::Type | Tags::Either => {}
    }
}

/// 1.0 §A.2.1: objects are told apart by their member names, `kind` is gone.
fn no_kind(cursor: &Cursor<'_>, notes: &mut Notes) {
    match cursor.member("kind") {
        Some(kind) => notes.breaks(Rule::NoKind, &kind.at, "a 1.0 object without kind", kind.describe()),
        None => notes.holds(Rule::NoKind),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::v0_3::V0_3;
    use super::super::v1_0::V1_0;
    use super::*;

    #[test]
    fn timestamps_are_utc_with_z_and_up_to_nine_digits() {
        for good in [
            "2026-02-03T04:05:06Z",
            "2026-02-03T04:05:06.7Z",
            "2026-02-03T04:05:06.123456789Z",
            "2024-02-29T23:59:59.000Z",
        ] {
            assert!(is_utc_timestamp(good), "{good}");
        }
        assert!(utc_moment("2026-02-03T04:05:06.7Z") > utc_moment("2026-02-03T04:05:06.65Z"));
        assert_eq!(utc_moment("2026-02-03T04:05:06Z"), utc_moment("2026-02-03T04:05:06.000Z"));
        for bad in [
            "2026-02-03T04:05:06",
            "2026-02-03T04:05:06+00:00",
            "2026-02-03 04:05:06Z",
            "2026-13-03T04:05:06Z",
            "2026-02-03T04:05:06.Z",
            "yesterday",
            "Z",
            "",
        ] {
            assert!(!is_utc_timestamp(bad), "{bad}");
        }
    }

    #[test]
    fn an_empty_list_of_parts_is_one_where_the_version_says_no_more() {
        for (dialect, list, holds) in [
            (&V1_0, json!([]), false),
            (&V1_0, json!([{ "text": "a" }]), true),
            (&V0_3, json!([]), true),
            (&V0_3, json!([{ "kind": "text", "text": "a" }]), true),
            (&V0_3, json!("a"), false),
        ] {
            let (message, mut notes) = (json!({ "parts": list }), Notes::default());
            parts(dialect, &Cursor::root(&message), &["parts"], Rule::MessageMembers, &mut notes);
            assert_eq!(notes.broken(Rule::MessageMembers).is_none(), holds, "{} {list}", dialect.version);
        }
    }

    #[test]
    fn data_are_wrapped_once_more_only_where_no_tag_says_what_they_are() {
        let raw = json!({ "kind": "data", "data": { "data": { "a": 1 } } });
        for (tag, content) in [(Some("kind"), json!({ "data": { "a": 1 } })), (None, json!({ "a": 1 }))] {
            let part = tagged_part(&Cursor::root(&raw), tag, &mut Notes::default());
            assert_eq!(part.content, Some(Content::Data(content)), "{tag:?}");
        }
    }
}
