//! What a response holds for its reader: messages and artifacts, those of a stream as they are in the end, with their chunks put together.

use serde_json::Value;

use super::answer::unwrapped;

/// The names under which a response, or an event of a stream, holds its payload.
const PAYLOADS: [&str; 4] = ["task", "message", "statusUpdate", "artifactUpdate"];

pub(super) struct ResponseContent {
    /// The message or the artifact, as it is on the wire.
    pub(super) value: Value,
    pub(super) is_artifact: bool,
}

/// The messages and artifacts of a response, in the order in which they came first. The history of a task is not among them.
pub(super) fn contents(root: &Value) -> Vec<ResponseContent> {
    let mut contents = Vec::new();
    match root.get("events").and_then(Value::as_array) {
        Some(events) => events.iter().for_each(|event| add_document(&mut contents, event)),
        None => add_document(&mut contents, root),
    }
    contents
}

/// The artifacts of a response.
pub(super) fn artifacts(root: &Value) -> Value {
    contents(root).into_iter().filter(|content| content.is_artifact).map(|content| content.value).collect()
}

/// Adds what a response, or an event, holds.
fn add_document(contents: &mut Vec<ResponseContent>, document: &Value) {
    // The answer to a request that was written by hand still has its envelope.
    let document = unwrapped(document.clone());
    let payload = PAYLOADS.into_iter().find_map(|name| document.get(name).filter(|payload| payload.is_object()));
    let payload = payload.unwrap_or(&document);
    if payload.get("parts").is_some() {
        return put(contents, payload, false, false);
    }
    if let Some(message) = payload.pointer("/status/message").filter(|message| message.is_object()) {
        put(contents, message, false, false);
    }
    for artifact in payload.get("artifacts").and_then(Value::as_array).into_iter().flatten() {
        put(contents, artifact, true, false);
    }
    if let Some(artifact) = payload.get("artifact").filter(|artifact| artifact.is_object()) {
        // 0.1 has the flag in the artifact.
        let appends = [payload, artifact].iter().any(|holder| holder.get("append") == Some(&Value::Bool(true)));
        put(contents, artifact, true, appends);
    }
}

/// Puts a message or an artifact in the place of the one with its id, or its parts behind those that are there.
fn put(contents: &mut Vec<ResponseContent>, value: &Value, is_artifact: bool, appends: bool) {
    let names: &[&str] = if is_artifact { &["artifactId", "index"] } else { &["messageId"] };
    let id = names.iter().find_map(|name| value.get(name));
    let is_same = |known: &&mut ResponseContent| match id {
        _ if known.is_artifact != is_artifact => false,
        Some(id) => names.iter().find_map(|name| known.value.get(name)) == Some(id),
        None => known.value == *value,
    };
    match contents.iter_mut().find(is_same) {
        Some(known) if appends => {
            let more = value.get("parts").and_then(Value::as_array).cloned().unwrap_or_default();
            if let Some(parts) = known.value.get_mut("parts").and_then(Value::as_array_mut) {
                parts.extend(more);
            }
        }
        Some(known) => known.value = value.clone(),
        None => contents.push(ResponseContent { value: value.clone(), is_artifact }),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_stream_has_the_artifacts_that_it_ends_with() {
        let chunk = |text: &str, append: bool| json!({ "artifactUpdate": { "append": append, "artifact": { "artifactId": "a", "parts": [{ "text": text }] } } });
        let both = json!([{ "artifactId": "a", "parts": [{ "text": "one" }, { "text": "two" }] }]);
        let events = [chunk("zero", false), chunk("one", false), chunk("two", true)];
        assert_eq!(artifacts(&json!({ "events": events })), both);
        // The whole task behind them has the same, and its message is not an artifact.
        let message = json!({ "messageId": "m", "parts": [{ "text": "done" }] });
        let task = json!({ "task": { "artifacts": both, "status": { "message": message } } });
        let root = json!({ "events": [chunk("one", false), chunk("two", true), task] });
        assert_eq!(artifacts(&root), both);
        assert_eq!(contents(&root).len(), 2);
    }

    #[test]
    fn every_version_and_the_envelope_of_json_rpc_are_read() {
        let artifact = json!({ "index": 0, "parts": [] });
        for root in [
            json!({ "kind": "task", "artifacts": [artifact] }),
            json!({ "jsonrpc": "2.0", "id": 1, "result": { "task": { "artifacts": [artifact] } } }),
            json!({ "events": [{ "kind": "artifact-update", "artifact": artifact }] }),
            json!({ "events": [{ "jsonrpc": "2.0", "result": { "artifactUpdate": { "artifact": artifact } } }] }),
        ] {
            assert_eq!(artifacts(&root), json!([artifact]), "{root}");
        }
        assert_eq!(artifacts(&json!({ "kind": "message", "parts": [] })), json!([]));
    }
}
