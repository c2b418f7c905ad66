//! A task in one form, whatever version and binding wrote it, so that two readings can be compared member by member. The
//! form is that of the newest version, with times in milliseconds, without ids of messages and without members that hold a default.

use super::canonical::is_empty;
use super::dialect::read_objects::is_timestamp;
use super::dialect::{Dialect, Tags};
use crate::wire::json::{Map, Value};
use crate::wire::timestamp;

/// The purpose of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Member {
    /// The task itself and its output.
    Content,
    /// Descriptions of it: names, media types, times, metadata, extensions.
    About,
    /// The same of a part, where the proto of 0.3.0 has no member for it.
    AboutPart,
}

/// Members that say something about the object that they stand in.
const ABOUT: [&str; 10] = [
    "metadata",
    "extensions",
    "name",
    "description",
    "mediaType",
    "filename",
    "timestamp",
    "referenceTaskIds",
    "taskId",
    "contextId",
];

/// The purpose of the member at a place of a task in the one form.
#[must_use]
pub fn member_at(pointer: &str) -> Member {
    let names: Vec<&str> = pointer.split('/').skip(1).collect();
    for (depth, name) in names.iter().enumerate() {
        let is_of_part = depth >= 2 && names.get(depth - 2) == Some(&"parts");
        match *name {
            // The context of the task itself is what it is.
            "contextId" if depth == 0 => return Member::Content,
            // The inside of a part's data has names of its own.
            "data" if is_of_part => return Member::Content,
            "metadata" | "filename" if is_of_part => return Member::AboutPart,
            name if ABOUT.contains(&name) => return Member::About,
            _ => {}
        }
    }
    Member::Content
}

/// A task in the one form.
#[must_use]
pub fn task(dialect: &Dialect, raw: &Value) -> Value {
    let mut made = Map::new();
    copy(&mut made, raw, &["id", "metadata"]);
    put(&mut made, "contextId", raw.get(dialect.forms.context).cloned());
    put(&mut made, "status", raw.get("status").map(|raw| status(dialect, raw)));
    put(&mut made, "artifacts", list(raw.get("artifacts"), |raw| artifact(dialect, raw)));
    put(&mut made, "history", list(raw.get("history"), |raw| message(dialect, raw)));
    Value::Object(made)
}

fn status(dialect: &Dialect, raw: &Value) -> Value {
    let mut made = Map::new();
    let state = raw.get("state").map(|written| {
        let known = written.as_str().and_then(|name| dialect.state(name));
        known.map_or_else(|| written.clone(), |state| Dialect::newest().state_name(state).into())
    });
    put(&mut made, "state", state);
    put(&mut made, "timestamp", raw.get("timestamp").map(|written| time(dialect, written)));
    put(&mut made, "message", raw.get("message").map(|raw| message(dialect, raw)));
    Value::Object(made)
}

/// A time in milliseconds, since two bindings may write it with more or fewer digits. Before 1.0 times may be in any zone or
/// without one, so that two times that differ may be the same.
fn time(dialect: &Dialect, written: &Value) -> Value {
    match written.as_str() {
        Some(text) if dialect.forms.utc => timestamp::parse(text)
            .map_or_else(|| written.clone(), |(seconds, nanos)| (seconds * 1000 + i64::from(nanos / 1_000_000)).into()),
        Some(text) if is_timestamp(text) => "a time".into(),
        _ => written.clone(),
    }
}

/// A message in the one form.
#[must_use]
pub fn message(dialect: &Dialect, raw: &Value) -> Value {
    let mut made = Map::new();
    // T-HIST-6: a server that keeps no ids of messages may make them anew whenever it answers.
    copy(&mut made, raw, &["taskId", "metadata", "extensions", "referenceTaskIds"]);
    put(&mut made, "contextId", raw.get(dialect.forms.context).cloned());
    let role = raw.get("role").map(|written| {
        let known = written.as_str().and_then(|name| dialect.role(name));
        known.map_or_else(|| written.clone(), |role| Dialect::newest().role_name(role).into())
    });
    put(&mut made, "role", role);
    let parts = dialect.forms.message_parts.iter().find_map(|name| raw.get(name));
    put(&mut made, "parts", list(parts, |raw| part(dialect, raw)));
    Value::Object(made)
}

fn artifact(dialect: &Dialect, raw: &Value) -> Value {
    let mut made = Map::new();
    copy(&mut made, raw, &["artifactId", "name", "description", "metadata", "extensions"]);
    put(&mut made, "parts", list(raw.get("parts"), |raw| part(dialect, raw)));
    Value::Object(made)
}

/// A part in the one form.
#[must_use]
pub fn part(dialect: &Dialect, raw: &Value) -> Value {
    let mut made = Map::new();
    copy(&mut made, raw, &["text", "url", "filename", "mediaType", "metadata"]);
    put(&mut made, "raw", raw.get("raw").map(base64));
    if let Some(file) = raw.get("file").filter(|_| dialect.forms.tags != Tags::Members) {
        let either = |names: [&str; 2]| names.into_iter().find_map(|name| file.get(name));
        put(&mut made, "raw", either(["bytes", "fileWithBytes"]).map(base64));
        put(&mut made, "url", either(["uri", "fileWithUri"]).cloned());
        put(&mut made, "filename", file.get("name").cloned());
        put(&mut made, "mediaType", file.get("mimeType").cloned());
    }
    put(&mut made, "data", raw.get("data").map(|data| unwrapped(dialect, raw, data).clone()));
    Value::Object(made)
}

/// The proto of 0.3 wraps data once more.
fn unwrapped<'a>(dialect: &Dialect, part: &Value, data: &'a Value) -> &'a Value {
    let is_proto = dialect.forms.tags == Tags::Either && part.get("kind").is_none();
    data.as_object().filter(|map| is_proto && map.len() == 1).and_then(|map| map.get("data")).unwrap_or(data)
}

/// Bytes in one of the alphabets, without padding: ProtoJSON leaves both open.
fn base64(written: &Value) -> Value {
    let text = written.as_str().map(|text| text.trim_end_matches('=').replace('-', "+").replace('_', "/"));
    text.map_or_else(|| written.clone(), Value::from)
}

fn list(raw: Option<&Value>, form: impl Fn(&Value) -> Value) -> Option<Value> {
    raw?.as_array().map(|elements| elements.iter().map(form).collect())
}

fn copy(made: &mut Map<String, Value>, raw: &Value, names: &[&str]) {
    for name in names {
        put(made, name, raw.get(*name).cloned());
    }
}

/// Sets a member, unless it holds a default, which writers of ProtoJSON leave out.
fn put(made: &mut Map<String, Value>, name: &str, value: Option<Value>) {
    if let Some(value) = value.filter(|value| !is_empty(value)) {
        made.insert(name.to_owned(), value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::a2a::dialect::DIALECTS;
    use crate::wire::json::diff;
    use serde_json::json;

    fn of_0_3(binding: &str) -> &'static Dialect {
        DIALECTS.iter().find(|dialect| dialect.version == "0.3").unwrap().over(binding)
    }

    /// One task as the two bindings of 0.3 write it.
    fn both() -> (Value, Value) {
        let rpc = json!({
            "kind": "task", "id": "t", "contextId": "c",
            "status": { "state": "input-required", "timestamp": "2026-01-02T03:04:05.678901+00:00" },
            "history": [{
                "kind": "message", "role": "user", "messageId": "1",
                "parts": [
                    { "kind": "text", "text": "Hello." },
                    { "kind": "data", "data": { "data": { "count": 1 } } },
                    { "kind": "file", "file": { "bytes": "_-A=", "mimeType": "image/png", "name": "a.png" } },
                ],
            }],
            "metadata": {},
        });
        let http = json!({
            "id": "t", "contextId": "c",
            "status": { "state": "TASK_STATE_INPUT_REQUIRED", "timestamp": "2026-01-02T03:04:05.678Z" },
            "history": [{
                "role": "ROLE_USER", "messageId": "2",
                "content": [
                    { "text": "Hello." },
                    { "data": { "data": { "data": { "count": 1.0 } } } },
                    { "file": { "fileWithBytes": "/+A", "mimeType": "image/png", "name": "a.png" } },
                ],
            }],
            "artifacts": [],
        });
        (task(of_0_3("JSONRPC"), &rpc), task(of_0_3("HTTP+JSON"), &http))
    }

    #[test]
    fn a_task_has_the_same_form_however_a_binding_writes_it() {
        let (rpc, http) = both();
        assert_eq!(diff(&rpc, &http), []);
        assert_eq!(rpc.pointer("/status/state"), Some(&json!("TASK_STATE_INPUT_REQUIRED")));
        assert_eq!(rpc.pointer("/history/0/parts/1/data"), Some(&json!({ "data": { "count": 1 } })));
    }

    #[test]
    fn what_a_binding_loses_is_a_difference() {
        for (place, lost) in [("/status", "/status/timestamp"), ("/history/0/parts/2", "/history/0/parts/2/filename")] {
            let (rpc, mut http) = both();
            let name = lost.rsplit('/').next().unwrap();
            http.pointer_mut(place).unwrap().as_object_mut().unwrap().shift_remove(name);
            let found: Vec<_> = diff(&rpc, &http).iter().map(|found| found.pointer.as_str().to_owned()).collect();
            assert_eq!(found, [lost]);
        }
    }

    #[test]
    fn members_are_content_or_about_it() {
        for (pointer, expected) in [
            ("/contextId", Member::Content),
            ("/status/state", Member::Content),
            ("/artifacts/0/parts/1/data/metadata/name", Member::Content),
            ("/artifacts/0", Member::Content),
            ("/artifacts/0/name", Member::About),
            ("/status/message/contextId", Member::About),
            ("/metadata/name", Member::About),
            ("/artifacts/0/metadata", Member::About),
            ("/artifacts/0/data/name", Member::About),
            ("/artifacts/0/parts/1/mediaType", Member::About),
            ("/artifacts/0/parts/1/metadata", Member::AboutPart),
            ("/history/3/parts/0/filename", Member::AboutPart),
        ] {
            assert_eq!(member_at(pointer), expected, "{pointer}");
        }
    }

    #[test]
    fn what_is_no_time_is_compared_as_it_is_written() {
        for (written, form) in [("2026-01-02T03:04:05", json!("a time")), ("soon", json!("soon"))] {
            assert_eq!(time(of_0_3("JSONRPC"), &json!(written)), form);
        }
    }
}
