//! The objects that 0.1 to 0.3 write differently from 1.0: functions on JSON values, which `translate` and the tables of
//! `served_version` apply.

use serde_json::Value;

use super::json_values::{data, elements, remove, set, set_text, take, text, wrap};
use crate::a2a::dialect::SCHEME_KINDS;

/// 0.1 §7.1.1, §7.3.1: without a `historyLength` no history is returned.
pub(super) fn default_to_no_history(object: &mut Value) {
    if object.get("historyLength").is_none_or(Value::is_null) {
        set(object, "historyLength", 0.into());
    }
}

/// 0.3 §6.5: a part tells its kind by a member, and a file is an object.
pub(super) fn part_from_1_0(tag: &str, part: &mut Value) {
    let media_type = take(part, "mediaType");
    let name = take(part, "filename");
    let mut file = data("{}", &[]);
    for (member, new) in [("raw", "bytes"), ("url", "uri")] {
        set(&mut file, new, take(part, member));
    }
    let kind = if part.get("text").is_some() {
        "text"
    } else if let Some(content) = part.get_mut("data") {
        // 0.3 §6.5.3: data is an object.
        if !content.is_object() {
            *content = wrap("value", content.take());
        }
        "data"
    } else {
        set(&mut file, "name", name);
        set(&mut file, "mimeType", media_type);
        set(part, "file", file);
        "file"
    };
    set_text(part, tag, kind);
}

/// The inverse. A part of neither form stays without content, to be refused.
pub(super) fn part_to_1_0(tag: &str, part: &mut Value) {
    if !part.is_object() {
        return;
    }
    let given = take(part, tag);
    let kind = match given.as_str() {
        Some(kind) => kind,
        None => ["text", "file", "data"].into_iter().find(|name| part.get(name).is_some()).unwrap_or_default(),
    };
    let mut content = take(part, kind);
    if kind == "data" && given.is_null() {
        // The proto wraps data in an object.
        unwrap_member(&mut content, "data");
    }
    for name in ["text", "file", "data"] {
        remove(part, name);
    }
    match kind {
        "file" => {
            let members = [
                ("bytes", "raw"),
                ("fileWithBytes", "raw"),
                ("uri", "url"),
                ("fileWithUri", "url"),
                ("name", "filename"),
                ("mimeType", "mediaType"),
            ];
            for (member, new) in members {
                set(part, new, take(&mut content, member));
            }
        }
        "text" | "data" => set(part, kind, content),
        _ => {}
    }
}

/// 0.3 §6.9: authentication has a list of schemes.
pub(super) fn schemes_as_list(authentication: &mut Value) {
    let scheme = take(authentication, "scheme");
    if !scheme.is_null() {
        set(authentication, "schemes", vec![scheme].into());
    }
}

/// The inverse, for a push config: 1.0 has room for one scheme only.
pub(super) fn first_scheme(mut config: Value) -> Value {
    if let Some(authentication) = config.get_mut("authentication") {
        let first = take(authentication, "schemes").get_mut(0).map(Value::take);
        set(authentication, "scheme", first.unwrap_or_default());
    }
    config
}

/// 0.3 §6.10: a push config is a member beside the id of its task.
pub(super) fn nest_config(config: &mut Value) {
    let task = take(config, "taskId");
    *config = wrap("pushNotificationConfig", config.take());
    set(config, "taskId", task);
}

/// Replaces an object by one of its members.
pub(super) fn unwrap_member(object: &mut Value, name: &str) {
    *object = take(object, name);
}

/// 0.1 §6.7: artifacts are numbered.
pub(super) fn number_artifacts(task: &mut Value) {
    for (index, artifact) in elements(task, "artifacts").iter_mut().enumerate() {
        set(artifact, "index", index.into());
    }
}

/// 0.1 §6.7: `append` and `lastChunk` are members of the artifact, not of the update.
pub(super) fn chunk_flags_into_artifact(update: &mut Value) {
    for name in ["append", "lastChunk"] {
        let flag = take(update, name);
        if let Some(artifact) = update.get_mut("artifact") {
            set(artifact, name, flag);
        }
    }
}

/// 0.3 §5.5.3: a security scheme tells its kind by a member.
pub(super) fn flat_schemes(mut schemes: Value) -> Value {
    if let Value::Object(map) = &mut schemes {
        for scheme in map.values_mut() {
            for (member, kind) in SCHEME_KINDS {
                let mut inner = take(scheme, member);
                if inner.is_object() {
                    let location = take(&mut inner, "location");
                    set(&mut inner, "in", location);
                    set_text(&mut inner, "type", kind);
                    *scheme = inner;
                }
            }
        }
    }
    schemes
}

/// 0.3 §5.5: a security requirement has the schemes as members.
pub(super) fn flat_requirements(mut requirements: Value) -> Value {
    for requirement in requirements.as_array_mut().map(Vec::as_mut_slice).unwrap_or_default() {
        let mut schemes = take(requirement, "schemes");
        if let Value::Object(map) = &mut schemes {
            map.values_mut().for_each(|scopes| unwrap_member(scopes, "list"));
        }
        *requirement = schemes;
    }
    requirements
}

/// Gives skills without modes those of the card. 0.1 lets a skill omit them, but the first clients of 0.1 required them.
pub(super) fn fill_skill_modes(card: &mut Value) {
    for (member, usual) in [("inputModes", "defaultInputModes"), ("outputModes", "defaultOutputModes")] {
        let modes = card.get(usual).cloned().unwrap_or_default();
        for skill in elements(card, "skills").iter_mut().filter(|skill| skill.get(member).is_none()) {
            set(skill, member, modes.clone());
        }
    }
}

/// 0.1 §5.5.3: the names of the security schemes, by HTTP or else by OpenAPI, and where tokens are fetched.
pub(super) fn card_authentication(schemes: Value) -> Value {
    let mut names = Vec::new();
    let mut flow = None;
    for scheme in schemes.as_object().into_iter().flat_map(|map| map.values()) {
        let name = Some(text(scheme, "scheme")).filter(|name| !name.is_empty()).unwrap_or(text(scheme, "type"));
        names.push(Value::from(name));
        flow = scheme.pointer("/flows/clientCredentials").or(flow);
    }
    let mut authentication = wrap("schemes", names.into());
    if let Some(flow) = flow {
        set_text(&mut authentication, "credentials", &flow.to_string());
    }
    authentication
}
