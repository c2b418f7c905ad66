//! Reading the objects that versions share: tasks, messages, parts, artifacts. Names come from the dialect's tables.

use serde_json::Value;

use super::Dialect;
use crate::a2a::look::Look;
use crate::a2a::model::{Artifact, Content, Message, Part, Role, Task, TaskState};
use crate::a2a::rule::{Notes, Rule};
use crate::wire::timestamp;

/// A status, wherever it stands.
#[derive(Debug, Default)]
pub(super) struct Status {
    pub(super) state: Option<TaskState>,
    pub(super) state_text: Option<String>,
    pub(super) timestamp: Option<String>,
    pub(super) message: Option<Message>,
}

/// Reads a task (1.0 §4.1.1).
pub(super) fn task(dialect: &Dialect, look: &Look<'_>, notes: &mut Notes) -> Task {
    let id = look.required_text("id", Rule::TaskId, notes);
    let status = status(dialect, look, Rule::TaskStatus, notes);
    let context_id = look
        .optional("contextId", Rule::TaskMembers, "a string", Value::is_string, notes)
        .and_then(|look| look.value.as_str().map(str::to_owned));
    let artifacts = look
        .optional("artifacts", Rule::TaskMembers, "an array", Value::is_array, notes)
        .map(|list| list.elements().map(|element| artifact(dialect, &element, notes)).collect::<Vec<_>>());
    unique_artifacts(artifacts.as_deref().unwrap_or_default(), notes);
    let history = look.optional("history", Rule::TaskMembers, "an array", Value::is_array, notes);
    let history = history.map(|list| list.elements().map(|element| remembered(dialect, &element, notes)).collect());
    let metadata = look.optional("metadata", Rule::TaskMembers, "an object", Value::is_object, notes);
    no_kind(look, notes);
    Task {
        id,
        context_id,
        state: status.state,
        state_text: status.state_text,
        status_message: status.message,
        timestamp: status.timestamp,
        artifacts,
        history,
        metadata: metadata.map(|look| look.value.clone()),
        at: look.at.clone(),
        raw: look.value.clone(),
    }
}

/// Reads the `status` member of a task or an event; its absence breaks `rule`.
pub(super) fn status(dialect: &Dialect, holder: &Look<'_>, rule: Rule, notes: &mut Notes) -> Status {
    let Some(look) = holder.member("status") else {
        notes.breaks(rule, &holder.at.key("status"), "a status object with a state", "missing");
        return Status::default();
    };
    if !look.value.is_object() {
        notes.breaks(rule, &look.at, "a status object with a state", look.describe());
        return Status::default();
    }
    let state_text = look.required_text("state", rule, notes);
    let state = state_text.as_deref().and_then(|text| dialect.state(text));
    if let Some(text) = &state_text {
        let at = look.at.key("state");
        match state {
            Some(TaskState::Unspecified) => {
                notes.breaks(Rule::Unspecified, &at, "a state that says something", text.clone());
            }
            Some(_) => {
                notes.holds(Rule::TaskState);
                notes.holds(Rule::Unspecified);
            }
            None => {
                let names: Vec<_> = dialect
                    .states
                    .iter()
                    .filter(|(state, _)| *state != TaskState::Unspecified)
                    .map(|(_, name)| *name)
                    .collect();
                notes.breaks(Rule::TaskState, &at, format!("one of {}", names.join(", ")), format!("\"{text}\""));
            }
        }
    }
    let timestamp = timestamp(&look, notes);
    let message = look.member("message").map(|look| {
        let message = message(dialect, &look, notes);
        // 1.0 §4.1.5: a status message is the agent's.
        if message.role == Some(Role::User) {
            let (agent, user) = (dialect.role_name(Role::Agent), dialect.role_name(Role::User));
            notes.breaks(
                Rule::AgentRole,
                &look.at.key("role"),
                format!("{agent} on a message made by the agent"),
                user,
            );
        } else if message.role.is_some() {
            notes.holds(Rule::AgentRole);
        }
        message
    });
    Status { state, state_text, timestamp, message }
}

/// 1.0 §5.6.1: ISO 8601, UTC, ending in `Z`; milliseconds are recommended.
fn timestamp(status: &Look<'_>, notes: &mut Notes) -> Option<String> {
    let look = status.member("timestamp")?;
    let Some(text) = look.value.as_str() else {
        notes.breaks(Rule::Timestamp, &look.at, "a timestamp string", look.describe());
        return None;
    };
    if is_utc_timestamp(text) {
        notes.holds(Rule::Timestamp);
        let digits = text.split_once('.').map_or(0, |(_, fraction)| fraction.len().saturating_sub(1));
        if digits == 3 {
            notes.holds(Rule::TimestampMillis);
        } else {
            notes.breaks(Rule::TimestampMillis, &look.at, "three fraction digits", format!("\"{text}\""));
        }
    } else {
        notes.breaks(Rule::Timestamp, &look.at, "YYYY-MM-DDTHH:mm:ss.sssZ, in UTC with Z", format!("\"{text}\""));
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

/// Reads a message of a history. What is not the agent's own there is not its doing: a checker that sends odd parts, no
/// role, or a role that nobody has would find them again and blame the agent.
fn remembered(dialect: &Dialect, look: &Look<'_>, notes: &mut Notes) -> Message {
    let mut aside = notes.aside();
    let message = message(dialect, look, &mut aside);
    let agents = message.role == Some(Role::Agent);
    // Made like the names of the proto, so repeated from the request; an agent that names roles its own way is blamed.
    let repeated = message.role.is_none() && look.text("role").is_some_and(|role| role.starts_with("ROLE_"));
    notes.absorb(aside, |rule| match rule {
        Rule::PartContent | Rule::PartRaw | Rule::MessageMembers | Rule::NoKind => agents,
        Rule::Role => !repeated,
        _ => true,
    });
    message
}

/// A text that sorts as the moment does that a UTC timestamp names; `None` for any other timestamp.
#[must_use]
pub fn moment_key(text: &str) -> Option<String> {
    let body = is_utc_timestamp(text).then(|| text.trim_end_matches('Z'))?;
    let (seconds, fraction) = body.split_once('.').unwrap_or((body, ""));
    Some(format!("{seconds}.{fraction:0<9}"))
}

/// Reads a message (1.0 §4.1.4).
pub(super) fn message(dialect: &Dialect, look: &Look<'_>, notes: &mut Notes) -> Message {
    let message_id = look.required_text("messageId", Rule::MessageMembers, notes);
    let role = role(dialect, look, notes);
    let parts = match look.member("parts") {
        Some(list) if list.value.as_array().is_some_and(|parts| !parts.is_empty()) => {
            notes.holds(Rule::MessageMembers);
            list.elements().map(|element| part(&element, notes)).collect()
        }
        Some(list) => {
            notes.breaks(Rule::MessageMembers, &list.at, "parts: an array with at least one part", list.describe());
            Vec::new()
        }
        None => {
            notes.breaks(
                Rule::MessageMembers,
                &look.at.key("parts"),
                "parts: an array with at least one part",
                "missing or empty",
            );
            Vec::new()
        }
    };
    no_kind(look, notes);
    Message {
        message_id,
        context_id: look.text("contextId"),
        task_id: look.text("taskId"),
        role,
        parts,
        at: look.at.clone(),
    }
}

fn role(dialect: &Dialect, message: &Look<'_>, notes: &mut Notes) -> Option<Role> {
    let names = format!("{} or {}", dialect.role_name(Role::User), dialect.role_name(Role::Agent));
    let Some(look) = message.member("role") else {
        notes.breaks(Rule::MessageMembers, &message.at.key("role"), format!("a role: {names}"), "missing");
        return None;
    };
    let role = look.value.as_str().and_then(|text| dialect.role(text));
    match role {
        Some(Role::Unspecified) => notes.breaks(Rule::Unspecified, &look.at, names, look.describe()),
        Some(_) => {
            notes.holds(Rule::Role);
            notes.holds(Rule::Unspecified);
        }
        None => notes.breaks(Rule::Role, &look.at, names, look.describe()),
    }
    role
}

/// Reads a part: exactly one of `text`, `raw`, `url`, `data` (1.0 §4.1.6).
fn part(look: &Look<'_>, notes: &mut Notes) -> Part {
    let contents = ["text", "raw", "url", "data"];
    // `data: null` is a value of its own there, so presence counts and not null-ness.
    let present: Vec<_> = contents
        .iter()
        .filter(|name| if **name == "data" { look.has(name) } else { look.member(name).is_some() })
        .collect();
    let content = match present.as_slice() {
        [name] => {
            let value = look.value.get(**name).cloned().unwrap_or_default();
            let content = match (**name, value) {
                ("data", value) => Some(Content::Data(value)),
                ("text", Value::String(text)) => Some(Content::Text(text)),
                ("raw", Value::String(text)) => {
                    if is_base64(&text) {
                        notes.holds(Rule::PartRaw);
                    } else {
                        notes.breaks(Rule::PartRaw, &look.at.key("raw"), "base64", "text that is not base64");
                    }
                    Some(Content::Raw(text))
                }
                ("url", Value::String(text)) => Some(Content::Url(text)),
                _ => None,
            };
            if content.is_some() {
                notes.holds(Rule::PartContent);
            } else {
                notes.breaks(Rule::PartContent, &look.at.key(name), format!("a string {name}"), look.describe());
            }
            content
        }
        several => {
            let actual = if several.is_empty() {
                look.describe()
            } else {
                several.iter().map(|name| **name).collect::<Vec<_>>().join(" and ")
            };
            notes.breaks(Rule::PartContent, &look.at, "exactly one of text, raw, url and data", actual);
            None
        }
    };
    no_kind(look, notes);
    Part { content, media_type: look.text("mediaType") }
}

/// Standard or URL-safe alphabet, padded or not (ProtoJSON accepts both).
fn is_base64(text: &str) -> bool {
    let body = text.trim_end_matches('=');
    let padding = text.len() - body.len();
    padding <= 2
        && body.len() % 4 != 1
        && (padding == 0 || text.len().is_multiple_of(4))
        && body.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'-' | b'_'))
}

/// Reads an artifact (1.0 §4.1.7).
pub(super) fn artifact(_: &Dialect, look: &Look<'_>, notes: &mut Notes) -> Artifact {
    let artifact_id = look.required_text("artifactId", Rule::Artifact, notes);
    let parts = match look.member("parts") {
        Some(list) if list.value.as_array().is_some_and(|parts| !parts.is_empty()) => {
            notes.holds(Rule::Artifact);
            list.elements().map(|element| part(&element, notes)).collect()
        }
        Some(list) => {
            notes.breaks(Rule::Artifact, &list.at, "parts: an array with at least one part", list.describe());
            Vec::new()
        }
        None => {
            notes.breaks(
                Rule::Artifact,
                &look.at.key("parts"),
                "parts: an array with at least one part",
                "missing or empty",
            );
            Vec::new()
        }
    };
    Artifact { artifact_id, parts, at: look.at.clone() }
}

fn unique_artifacts(artifacts: &[Artifact], notes: &mut Notes) {
    for (index, artifact) in artifacts.iter().enumerate() {
        let Some(id) = &artifact.artifact_id else { continue };
        let earlier = artifacts.iter().take(index).any(|other| other.artifact_id.as_ref() == Some(id));
        if earlier {
            notes.breaks(
                Rule::ArtifactIds,
                &artifact.at.key("artifactId"),
                "an artifactId that no other artifact of the task has",
                format!("\"{id}\" a second time"),
            );
        } else {
            notes.holds(Rule::ArtifactIds);
        }
    }
}

/// 1.0 §A.2.1: objects are told apart by their member names, `kind` is gone.
fn no_kind(look: &Look<'_>, notes: &mut Notes) {
    match look.member("kind") {
        Some(kind) => notes.breaks(Rule::NoKind, &kind.at, "no member kind on a 1.0 object", kind.describe()),
        None => notes.holds(Rule::NoKind),
    }
}

#[cfg(test)]
mod tests {
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
    fn base64_takes_both_alphabets_and_either_padding() {
        for good in ["", "aGk=", "aGk", "-_-_", "+/+/", "YQ=="] {
            assert!(is_base64(good), "{good}");
        }
        for bad in ["a", "a b c", "YQ=", "!!!!", "YQ==="] {
            assert!(!is_base64(bad), "{bad}");
        }
    }
}
