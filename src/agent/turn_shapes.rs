//! An event as any version of the protocol writes it, in the shape of 1.0.

use serde_json::Value;

use super::declared_turn::{EventContent, InvalidResponses};
use super::json_values::{elements, remove, set, set_text, take, text};
use super::older_shapes::part_to_1_0;
use super::served_version::{CURRENT, OLDER, ServedVersion};
use crate::a2a::model::{Role, TaskState};
use crate::wire::base64::is_base64;

/// The content of a part.
const CONTENTS: [&str; 4] = ["text", "raw", "url", "data"];

/// What tells the kind of an event: the `kind` of 0.2 and 0.3, and the member that wraps it in 1.0.
const KINDS: [(&str, &str, MakeContent); 4] = [
    ("task", "task", EventContent::Task),
    ("status-update", "statusUpdate", EventContent::Status),
    ("artifact-update", "artifactUpdate", EventContent::Artifact),
    ("message", "message", EventContent::Message),
];

/// The members that tell the kind of an event of 0.1, which has none for that.
const TELLING_MEMBERS: [(&str, MakeContent); 5] = [
    ("artifact", EventContent::Artifact),
    ("artifacts", EventContent::Task),
    ("history", EventContent::Task),
    ("status", EventContent::Status),
    ("parts", EventContent::Message),
];

type MakeContent = fn(Value) -> EventContent;
type Translated<T> = Result<T, InvalidResponses>;

pub(super) fn event_to_1_0(event: Value, place: &str) -> Translated<EventContent> {
    let (make, mut content, place) = unwrap_event(event, place)?;
    // What the agent fills in, and what it derives from the rest.
    for name in ["kind", "taskId", "contextId", "id", "sessionId", "final"] {
        remove(&mut content, name);
    }
    match make(Value::Null) {
        EventContent::Task(_) => {
            status_to_1_0(&mut content, &place)?;
            for (index, artifact) in elements(&mut content, "artifacts").iter_mut().enumerate() {
                artifact_to_1_0(artifact, &format!("{place}.artifacts[{index}]"))?;
            }
            for (index, message) in elements(&mut content, "history").iter_mut().enumerate() {
                message_to_1_0(message, &format!("{place}.history[{index}]"))?;
            }
        }
        EventContent::Status(_) => {
            if content.get("status").is_none() {
                return Err(InvalidResponses::at(place, "has no status"));
            }
            status_to_1_0(&mut content, &place)?;
        }
        EventContent::Artifact(_) => {
            let mut artifact = take(&mut content, "artifact");
            if !artifact.is_object() {
                return Err(InvalidResponses::at(place, "has no artifact"));
            }
            for name in ["append", "lastChunk"] {
                // 0.1 has the flags in the artifact. As in ProtoJSON, those that are false are left out.
                let flag = [take(&mut content, name), take(&mut artifact, name)].contains(&Value::Bool(true));
                set(&mut content, name, flag.then_some(true).into());
            }
            artifact_to_1_0(&mut artifact, &format!("{place}.artifact"))?;
            set(&mut content, "artifact", artifact);
        }
        _ => message_to_1_0(&mut content, &place)?,
    }
    Ok(make(content))
}

/// The kind of an event, its content, and the place of that.
fn unwrap_event(mut event: Value, place: &str) -> Translated<(MakeContent, Value, String)> {
    if let Some(kind) = event.get("kind") {
        return match KINDS.iter().find(|(known, ..)| kind == known) {
            Some((.., make)) => Ok((*make, event, place.to_owned())),
            None => {
                let known = "the kinds are task, status-update, artifact-update and message";
                Err(InvalidResponses::at(format!("{place}.kind"), format!("is {kind}; {known}")))
            }
        };
    }
    for (_, wrapper, make) in KINDS {
        if event.get(wrapper).is_some_and(Value::is_object) {
            return Ok((make, take(&mut event, wrapper), format!("{place}.{wrapper}")));
        }
    }
    let Some((_, make)) = TELLING_MEMBERS.iter().find(|(name, _)| event.get(*name).is_some()) else {
        let known = "as kind: task, or as the member that 1.0 wraps it in: statusUpdate";
        return Err(InvalidResponses::at(place, format!("does not tell what kind of event it is, {known}")));
    };
    Ok((*make, event, place.to_owned()))
}

fn status_to_1_0(holder: &mut Value, place: &str) -> Translated<()> {
    let Some(status) = holder.get_mut("status") else { return Ok(()) };
    let state = versions().find_map(|version| version.dialect.state(text(status, "state")));
    let Some(state) = state.filter(|state| *state != TaskState::Unspecified) else {
        return Err(unknown(status, "state", &format!("{place}.status")));
    };
    set_text(status, "state", CURRENT.dialect.state_name(state));
    match status.get_mut("message") {
        None | Some(Value::Null) => remove(status, "message"),
        Some(message) => message_to_1_0(message, &format!("{place}.status.message"))?,
    }
    Ok(())
}

fn message_to_1_0(message: &mut Value, place: &str) -> Translated<()> {
    for name in ["kind", "taskId", "contextId"] {
        remove(message, name);
    }
    let role = match text(message, "role") {
        "" => Some(Role::Agent),
        name => versions().find_map(|version| version.dialect.role(name)),
    };
    let Some(role) = role.filter(|role| *role != Role::Unspecified) else {
        return Err(unknown(message, "role", place));
    };
    set_text(message, "role", CURRENT.dialect.role_name(role));
    parts_to_1_0(message, place)
}

fn artifact_to_1_0(artifact: &mut Value, place: &str) -> Translated<()> {
    let number = take(artifact, "index");
    if artifact.get("artifactId").is_none() && number.is_u64() {
        set_text(artifact, "artifactId", &format!("artifact-{number}"));
    }
    parts_to_1_0(artifact, place)
}

fn parts_to_1_0(holder: &mut Value, place: &str) -> Translated<()> {
    if !holder.get("parts").is_some_and(Value::is_array) {
        return Err(InvalidResponses::at(format!("{place}.parts"), "must be an array of parts"));
    }
    for (index, part) in elements(holder, "parts").iter_mut().enumerate() {
        let place = format!("{place}.parts[{index}]");
        if !part.is_object() {
            return Err(InvalidResponses::mistyped(&place, "a part", part));
        }
        let tag = ["kind", "type"].into_iter().find(|tag| part.get(*tag).is_some_and(Value::is_string));
        if tag.is_some() || part.get("file").is_some() {
            part_to_1_0(tag.unwrap_or("kind"), part);
        }
        if CONTENTS.iter().filter(|name| part.get(**name).is_some()).count() != 1 {
            return Err(InvalidResponses::at(place, "must have exactly one content: a text, a file or data"));
        }
        if part.get("raw").is_some_and(|raw| !raw.as_str().is_some_and(is_base64)) {
            return Err(InvalidResponses::at(place, "has a file whose bytes are not base64"));
        }
    }
    Ok(())
}

/// A member has a value that is of no version.
fn unknown(holder: &Value, name: &str, place: &str) -> InvalidResponses {
    let given = holder.get(name).unwrap_or(&Value::Null);
    InvalidResponses::at(format!("{place}.{name}"), format!("is {given}, which no version has"))
}

/// Every version, newest first.
fn versions() -> impl Iterator<Item = &'static ServedVersion> {
    std::iter::once(&CURRENT).chain(&OLDER)
}
