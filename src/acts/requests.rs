//! Makes requests of steps: what the format writes becomes parameters of A2A, a URL, or the user's words for a behaviour.

use serde_json::{Map, Value};

use super::document::RawRequest;
use super::opening;
use super::scope::TestScope;
use super::settings::TestSettings;
use super::test_run::TestRun;
use crate::a2a::dialect::Tags;
use crate::a2a::model::Operation;
use crate::engine::drive::Driver;
use crate::wire::http::Request;
use crate::wire::url::{Url, with_parameter};

/// The parameters of a call, in the words of the version. Its file writes them in these words, but for what the format has words of
/// its own for.
pub(super) fn params(
    operation: Operation,
    mut params: Value,
    (tags, is_further): (Tags, bool),
    run: &TestRun<'_>,
    scope: &TestScope<'_>,
) -> Result<Value, String> {
    if params.is_null() {
        params = Value::Object(Map::new());
    }
    let by_members = tags == Tags::Members;
    let Some(members) = params.as_object_mut() else { return Ok(params) };
    match operation {
        Operation::SendMessage | Operation::SendStreamingMessage => {
            // The format's own corpus writes these beside the message.
            let beside = ["taskId", "contextId"].map(|name| (name, members.shift_remove(name)));
            if let Some(message) = members.get_mut("message").and_then(Value::as_object_mut) {
                for (name, value) in beside {
                    if let Some(value) = value {
                        message.entry(name).or_insert(value);
                    }
                }
                message.entry("messageId").or_insert_with(|| Value::from(run.driver.fresh_id()));
                for part in message.get_mut("parts").and_then(Value::as_array_mut).into_iter().flatten() {
                    complete(part, tags, scope)?;
                }
                if is_further {
                    // Words for behaviours, and what opens a conversation, are for the agent under test.
                    return Ok(params);
                }
                ask_for_behavior(message, run.settings, scope);
                let begins = ["taskId", "contextId"]
                    .iter()
                    .all(|name| message.get(*name).is_none_or(|value| value.is_null() || value == ""));
                let opening = if begins { run.test.opening.text() } else { String::new() };
                if !opening.is_empty() {
                    opening::put_before(message, &scope.text(&opening)?, tags);
                }
            }
        }
        Operation::ListTasks if by_members => rename(members, "cursor", "pageToken"),
        // 1.0 §4.3.1: the members of a config stand beside the task's id.
        Operation::CreatePushConfig if by_members => {
            if let Some(Value::Object(config)) = members.shift_remove("pushNotificationConfig") {
                members.extend(config);
            }
        }
        _ => {}
    }
    Ok(params)
}

/// Puts the file that a part names into it, and its `file` of the format as 1.0 has it (§4.1.6).
fn complete(part: &mut Value, tags: Tags, scope: &TestScope<'_>) -> Result<(), String> {
    let Some(part) = part.as_object_mut() else { return Ok(()) };
    if let Some(Value::String(name)) = part.shift_remove("x-file") {
        scope.file(&name)?.put_in(part, tags);
    }
    if tags == Tags::Members
        && let Some(Value::Object(mut file)) = part.shift_remove("file")
    {
        rename(&mut file, "name", "filename");
        part.extend(file);
    }
    Ok(())
}

fn rename(members: &mut Map<String, Value>, from: &str, to: &str) {
    if let Some(value) = members.shift_remove(from) {
        members.entry(to).or_insert(value);
    }
}

/// Puts the user's words for a behaviour in the place of a text that begins with its prefix.
fn ask_for_behavior(message: &mut Map<String, Value>, settings: &TestSettings, scope: &TestScope<'_>) {
    let part = message.get_mut("parts").and_then(|parts| parts.get_mut(0));
    let Some(Value::String(text)) = part.and_then(|part| part.get_mut("text")) else { return };
    let starts = |prefix: &str| {
        let rest = text.strip_prefix(prefix);
        rest.is_some_and(|rest| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '-'))
    };
    if let Some((_, words)) = settings.behaviors.iter().find(|(prefix, _)| starts(prefix)) {
        scope.reword(text, words);
        text.clone_from(words);
    }
}

/// A request as it is written; the error names a reference without a value.
pub(super) fn written(raw: &RawRequest, run: &TestRun<'_>, scope: &TestScope<'_>) -> Result<Request, String> {
    let path = scope.text(&raw.path)?;
    let mut request = Request::get(match &raw.agent {
        Some(agent) => under(run.settings.agent_url(agent)?, &path),
        None => url(&path, run.driver),
    });
    if let Some(case) = &raw.received_for {
        request.url = with_parameter(&request.url, "test_case_id", &scope.text(case)?);
    }
    request.method = raw.method;
    for (name, value) in &raw.headers {
        request.headers.push(name.as_str(), scope.text(value)?);
    }
    let body = match (&raw.body, &raw.body_raw) {
        (Some(body), _) => Some(scope.fill(body)?.to_string()),
        (None, Some(body)) => Some(scope.text(body)?),
        (None, None) => None,
    };
    if body.is_some() && request.headers.get("content-type").is_none() {
        request.headers.push("Content-Type", "application/json");
    }
    request.body = body.map(String::into_bytes);
    Ok(request)
}

/// Where a path leads: under the interface's URL, or for what is well known, under the agent's address.
fn url(path: &str, driver: &Driver) -> String {
    if path.starts_with("http://") || path.starts_with("https://") {
        return path.to_owned();
    }
    let interface = driver.lane().map(|lane| lane.interface.url.as_str()).unwrap_or_default();
    if path.starts_with("/.well-known/") || interface.is_empty() {
        let origin = Url::parse(&driver.address().url()).map(|url| url.origin()).unwrap_or_default();
        return format!("{origin}{path}");
    }
    under(interface, path)
}

/// A path under a URL.
fn under(url: &str, path: &str) -> String {
    match path {
        "/" | "" => url.to_owned(),
        path => format!("{}/{}", url.trim_end_matches('/'), path.strip_prefix('/').unwrap_or(path)),
    }
}
