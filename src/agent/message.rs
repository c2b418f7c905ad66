//! Reading the parameters of a send: the message, its parts and the configuration.

use serde_json::{Value, json};

use super::params::{Fields, Kind, MODES, Params, Unfit};
use super::rpc::Refusal;
use super::state::set;
use crate::a2a::dialect::v1_0::V1_0;
use crate::a2a::model::{ErrorName, Role};
use crate::wire::json::type_name;

/// A message as the agent was sent it.
#[derive(Debug, Clone, Default)]
pub(super) struct Incoming {
    pub(super) id: String,
    pub(super) task: Option<String>,
    pub(super) context: Option<String>,
    /// The text of the first part, if that has one.
    pub(super) text: String,
    /// The message as it goes into the history, without its task and context.
    pub(super) value: Value,
}

/// The parameters of a send, unary or streaming.
#[derive(Debug)]
pub(super) struct SendParams {
    pub(super) message: Incoming,
    pub(super) history: Option<usize>,
    pub(super) return_immediately: bool,
    pub(super) modes: Vec<String>,
}

impl Params<'_> {
    pub(super) fn send(self) -> Result<SendParams, Unfit> {
        let root = self.root(&["tenant", "message", "configuration", "metadata"]);
        root.metadata();
        let message = match root.object("message") {
            Some(message) => message.incoming(),
            None => {
                if root.get("message").is_none() {
                    root.missing("message");
                }
                Incoming { value: filled(json!({})), ..Incoming::default() }
            }
        };
        let mut read = SendParams { message, history: None, return_immediately: false, modes: Vec::new() };
        if let Some(configuration) = root.object("configuration") {
            let push = "taskPushNotificationConfig";
            configuration.known(&["acceptedOutputModes", "historyLength", "returnImmediately", push]);
            // The agent declares no push notifications; 1.0 §3.3.4 asks for an error of the four config operations only.
            configuration.object(push);
            read.history = configuration.history();
            read.return_immediately = configuration.flag("returnImmediately");
            read.modes = configuration.texts("acceptedOutputModes").unwrap_or_default();
        }
        self.finish()?;
        content_types(&read.message.value)?;
        Ok(read)
    }
}

impl<'a> Fields<'a, '_> {
    /// A message (1.0 §4.1.4).
    fn incoming(&self) -> Incoming {
        self.known(&[
            "messageId",
            "contextId",
            "taskId",
            "role",
            "parts",
            "metadata",
            "extensions",
            "referenceTaskIds",
        ]);
        let id = self.required("messageId");
        let mut value = json!({});
        set(&mut value, "messageId", (!id.is_empty()).then_some(id.as_str()));
        set(&mut value, "role", self.role().map(|role| V1_0.role_name(role)));
        let parts = self.parts();
        set(&mut value, "parts", (!parts.is_empty()).then_some(parts));
        set(&mut value, "metadata", self.metadata());
        set(&mut value, "extensions", self.texts("extensions"));
        set(&mut value, "referenceTaskIds", self.texts("referenceTaskIds"));
        let first = value.pointer("/parts/0/text").and_then(Value::as_str).unwrap_or_default();
        Incoming {
            id,
            task: self.text("taskId"),
            context: self.text("contextId"),
            text: first.to_owned(),
            value: filled(value),
        }
    }

    /// ProtoJSON takes an enum by name or by number; the placeholder is as good as absent.
    fn role(&self) -> Option<Role> {
        let Some(value) = self.get("role") else {
            self.missing("role");
            return None;
        };
        match (value.as_str().and_then(|name| V1_0.role(name)), value.as_i64()) {
            (Some(Role::User), _) | (None, Some(1)) => return Some(Role::User),
            (Some(Role::Agent), _) | (None, Some(2)) => return Some(Role::Agent),
            (Some(Role::Unspecified), _) | (None, Some(0)) => self.missing("role"),
            (None, Some(_)) => self.params.note(self.place("role"), Kind::Range, "must be ROLE_USER"),
            (None, None) if value.is_string() => {
                self.params.note(self.place("role"), Kind::Range, "must be ROLE_USER");
            }
            (None, None) => self.params.note(self.place("role"), Kind::Type, "must be the name of a role"),
        }
        None
    }

    fn parts(&self) -> Vec<Value> {
        let Some(list) = self.typed("parts", "an array", Value::as_array) else {
            if self.get("parts").is_none() {
                self.missing("parts");
            }
            return Vec::new();
        };
        if list.is_empty() {
            self.params.note(self.place("parts"), Kind::Missing, "must hold at least one part");
        }
        let part = |(index, value): (usize, &'a Value)| {
            let at = format!("{}[{index}]", self.place("parts"));
            let Some(map) = value.as_object() else {
                self.params.note(at, Kind::Type, format!("must be an object and is {}", type_name(value)));
                return None;
            };
            Fields { params: self.params, map: Some(map), at }.part()
        };
        list.iter().enumerate().filter_map(part).collect()
    }

    /// A part: exactly one of `text`, `raw`, `url` and `data` (1.0 §4.1.6).
    fn part(&self) -> Option<Value> {
        self.known(&["text", "raw", "url", "data", "metadata", "filename", "mediaType"]);
        let mut part = json!({});
        for name in ["text", "raw", "url"] {
            set(&mut part, name, self.typed(name, "a string", Value::as_str));
        }
        // Null is a value of its own in `data`.
        set(&mut part, "data", self.map.and_then(|map| map.get("data")).cloned());
        let contents = ["text", "raw", "url", "data"];
        let given =
            contents.iter().filter(|name| self.get(name).is_some() || (**name == "data" && part.get("data").is_some()));
        if given.count() != 1 {
            self.params.note(&self.at, Kind::Range, "must have exactly one of text, raw, url and data");
        }
        if part.get("raw").and_then(Value::as_str).is_some_and(|raw| !is_base64(raw)) {
            self.params.note(self.place("raw"), Kind::Range, "must be base64");
        }
        set(&mut part, "metadata", self.metadata());
        set(&mut part, "filename", self.text("filename"));
        set(&mut part, "mediaType", self.text("mediaType"));
        Some(part)
    }
}

/// A message with something in place of what a fault let it lack, so that the history stays well-formed.
fn filled(mut value: Value) -> Value {
    for (name, default) in [("role", json!(V1_0.role_name(Role::User))), ("parts", json!([{ "text": "(nothing)" }]))] {
        if value.get(name).is_none() {
            set(&mut value, name, Some(default));
        }
    }
    value
}

/// 1.0 §3.1.1: a media type that the agent does not take is an error of its own.
fn content_types(message: &Value) -> Result<(), Refusal> {
    let parts = message.get("parts").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    for media_type in parts.iter().filter_map(|part| part.get("mediaType")?.as_str()) {
        let essence = media_type.split(';').next().unwrap_or_default().trim();
        if !MODES.iter().any(|mode| mode.eq_ignore_ascii_case(essence)) {
            let message = format!("parts of the media type {essence} are not taken; {} are", MODES.join(" and "));
            return Err(Refusal::of(ErrorName::ContentTypeNotSupported, message).with("mediaType", essence));
        }
    }
    Ok(())
}

/// Standard or URL-safe alphabet, padded or not.
fn is_base64(text: &str) -> bool {
    let body = text.trim_end_matches('=');
    text.len() - body.len() <= 2
        && body.len() % 4 != 1
        && body.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'-' | b'_'))
}
