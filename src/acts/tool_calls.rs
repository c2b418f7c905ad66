//! The tool calls in a response: `x-tool-calls`. A2A has no form for them, so agents write them as data, or as JSON in a text.

use serde_json::{Map, Value};

use super::response_content::{ResponseContent, contents};
use crate::wire::json::read;

/// Members that hold one call, or a list of them.
const WRAPPERS: [&str; 7] =
    ["tool_calls", "toolCalls", "tool_call", "toolCall", "function_call", "functionCall", "function"];
/// Members that hold the arguments wherever a call is.
const ARGUMENTS: [&str; 2] = ["arguments", "args"];
/// Members that hold them where it is certain that it is a call.
const ARGUMENTS_OF_WRAPPED: [&str; 2] = ["input", "parameters"];
const FENCE: &str = "```";

/// The calls of a response, each with `name` and `arguments`, and `id` if it has one.
pub(super) fn tool_calls(root: &Value) -> Value {
    let mut calls = Vec::new();
    for content in contents(root) {
        of_content(&content, &mut calls);
    }
    Value::Array(calls)
}

fn of_content(content: &ResponseContent, calls: &mut Vec<Value>) {
    let mut text = String::new();
    for part in content.value.get("parts").and_then(Value::as_array).into_iter().flatten() {
        match part.get("text").and_then(Value::as_str) {
            // The chunks of an artifact are one text.
            Some(more) if content.is_artifact => text.push_str(more),
            Some(whole) => in_text(whole, calls),
            None => {
                in_text(&std::mem::take(&mut text), calls);
                in_value(part.get("data").unwrap_or(&Value::Null), false, calls);
            }
        }
    }
    in_text(&text, calls);
}

/// The calls in fences, or in a text that is JSON as a whole.
fn in_text(text: &str, calls: &mut Vec<Value>) {
    let mut fenced = text.split(FENCE);
    let outside = fenced.next().unwrap_or_default();
    if matches!(outside.trim_start().chars().next(), Some('{' | '[')) {
        in_value(&read(outside.trim().as_bytes()).unwrap_or_default(), false, calls);
    }
    // Every second piece is inside a fence; behind its opening the language is named.
    for inside in fenced.step_by(2) {
        let (language, body) = inside.split_once('\n').unwrap_or_default();
        if !language.trim().contains(char::is_whitespace) {
            in_value(&read(body.trim().as_bytes()).unwrap_or_default(), false, calls);
        }
    }
}

fn in_value(value: &Value, is_wrapped: bool, calls: &mut Vec<Value>) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| in_value(value, is_wrapped, calls)),
        Value::Object(members) => {
            let wrapped = WRAPPERS
                .iter()
                .find_map(|name| members.get(*name).filter(|member| member.is_object() || member.is_array()));
            match wrapped {
                Some(wrapped) => {
                    let known = calls.len();
                    in_value(wrapped, true, calls);
                    // The id of a call stands beside its function.
                    if let ([Value::Object(call)], Some(id)) =
                        (calls.get_mut(known..).unwrap_or_default(), id_of(members))
                    {
                        call.insert("id".to_owned(), id);
                    }
                }
                None => calls.extend(call(members, is_wrapped)),
            }
        }
        _ => {}
    }
}

fn id_of(members: &Map<String, Value>) -> Option<Value> {
    ["id", "call_id"].iter().find_map(|name| members.get(*name)).filter(|id| id.is_string()).cloned()
}

/// The call that an object is, if it is one: it has a name and arguments.
fn call(members: &Map<String, Value>, is_wrapped: bool) -> Option<Value> {
    let name = members.get("name")?.as_str()?;
    let is_call = is_wrapped || members.get("type").is_some_and(|kind| kind == "tool_use");
    let more: &[&str] = if is_call { &ARGUMENTS_OF_WRAPPED } else { &[] };
    let given = ARGUMENTS.iter().chain(more).find_map(|name| members.get(*name));
    let arguments = match given {
        Some(Value::String(text)) => read(text.as_bytes())?,
        Some(given) => given.clone(),
        None if is_call => Value::Object(Map::new()),
        None => return None,
    };
    if !arguments.is_object() {
        return None;
    }
    let named = [("name", Some(Value::from(name))), ("arguments", Some(arguments)), ("id", id_of(members))];
    Some(named.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of_part(part: &Value) -> Value {
        tool_calls(&json!({ "message": { "messageId": "m", "parts": [part] } }))
    }

    #[test]
    fn every_form_in_which_agents_write_calls_is_read() {
        let call = json!({ "name": "f", "arguments": { "a": 1 } });
        for data in [
            call.clone(),
            json!([call]),
            json!({ "tool_call": call }),
            json!({ "tool_calls": [call] }),
            json!({ "function_call": { "name": "f", "args": { "a": 1 } } }),
            json!({ "tool_calls": [{ "type": "function", "function": { "name": "f", "arguments": "{\"a\": 1}" } }] }),
            json!({ "type": "tool_use", "name": "f", "input": { "a": 1 } }),
            json!({ "toolCall": { "name": "f", "parameters": { "a": 1 } } }),
        ] {
            assert_eq!(of_part(&json!({ "data": data })), json!([call]), "{data}");
            assert_eq!(of_part(&json!({ "text": data.to_string() })), json!([call]), "{data}");
            let fenced = format!("I call it:\n```json\n{data}\n```\nThen I wait.");
            assert_eq!(of_part(&json!({ "kind": "text", "text": fenced })), json!([call]), "{fenced}");
        }
        let with_id = json!({ "tool_calls": [{ "id": "c1", "function": { "name": "f", "arguments": "{}" } }] });
        assert_eq!(of_part(&json!({ "data": with_id })), json!([{ "name": "f", "arguments": {}, "id": "c1" }]));
    }

    #[test]
    fn what_is_no_call_is_none() {
        for part in [
            json!({ "data": { "name": "report", "parameters": { "a": 1 } } }),
            json!({ "data": { "name": "report" } }),
            json!({ "data": { "name": "f", "arguments": "not JSON" } }),
            json!({ "text": "f({\"a\": 1})" }),
            json!({ "text": "```\n{\"name\": \"f\"}\n```" }),
            json!({ "text": "```json\n{\"name\": \"f\", \"arguments\": {}" }),
            json!({ "raw": "e30=" }),
        ] {
            assert_eq!(of_part(&part), json!([]), "{part}");
        }
    }

    #[test]
    fn calls_come_in_their_order_and_a_text_in_chunks_is_one() {
        let event = |text: &str, append: bool| json!({ "artifactUpdate": { "append": append, "artifact": { "artifactId": "a", "parts": [{ "text": text }] } } });
        let text = "```json\n{\"name\": \"f\", \"arguments\": {\"a\": 1}}\n```\nand\n```\n{\"name\": \"g\", \"arguments\": {}}\n```";
        let (one, two) = text.split_at(20);
        let found = tool_calls(&json!({ "events": [event(one, false), event(two, true)] }));
        let names: Vec<_> = found.as_array().unwrap().iter().map(|call| call["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["f", "g"]);
    }
}
