//! Between 1.0, which the operations know, and the older versions: requests into the shapes of 1.0, answers out of them.

use serde_json::Value;

use super::call::CallForm;
use super::fault::{FaultId, Faults};
use super::json_values::{change, data, elements, remove, set, set_text, take, text};
use super::mutate::{self, Shape};
use super::mutations;
use super::operations::around;
use super::served_version::{OlderVersion, ServedVersion};
use crate::a2a::dialect::v1_0::V1_0;
use crate::a2a::model::{Operation, Role, TaskState};

/// A role that no version has.
const NOBODY: &str = "?";

/// Security schemes: the member of 1.0 and the type of 0.2 and 0.3.
const SCHEMES: &[(&str, &str)] = &[
    ("apiKeySecurityScheme", "apiKey"),
    ("httpAuthSecurityScheme", "http"),
    ("oauth2SecurityScheme", "oauth2"),
    ("openIdConnectSecurityScheme", "openIdConnect"),
    ("mtlsSecurityScheme", "mutualTLS"),
];

impl ServedVersion {
    /// Turns an answer of 1.0 into one of this version.
    pub(super) fn translate_answer(&self, faults: &Faults, form: &CallForm, value: &mut Value, shape: Shape) {
        let Some(older) = &self.older else { return };
        mutate::walk(value, shape, &mut |shape, object| {
            match shape {
                Shape::Part => part(older.tag, object),
                Shape::Authentication => many_schemes(object),
                Shape::Message => {
                    let role = V1_0.role(text(object, "role")).map(|role| self.dialect.role_name(role));
                    reword(object, "role", role);
                }
                Shape::Status => {
                    let state = V1_0.state(text(object, "state")).map(|state| self.state_name(state));
                    reword(object, "state", state);
                }
                _ => {}
            }
            for (of, edit) in older.turns {
                if *of == shape {
                    edit.apply(object);
                }
            }
            mutate::mutate_older_shape(faults, shape, object);
        });
        // 0.3 §7.1, §7.2: over JSON-RPC nothing is around the task, the message or the event.
        if matches!(form, CallForm::Rpc(_)) && shape == Shape::Wrapper && !faults.has(FaultId::SendWrapped) {
            mutations::unwrap(value);
        }
    }

    /// The name of a state, or of the next best one that the version has.
    fn state_name(&self, state: TaskState) -> &'static str {
        let next = match state {
            TaskState::AuthRequired => TaskState::InputRequired,
            TaskState::Rejected => TaskState::Failed,
            other => other,
        };
        match self.dialect.state_name(state) {
            "" => self.dialect.state_name(next),
            name => name,
        }
    }

    /// The card of 1.0 as this version writes it.
    pub(super) fn card(&self, faults: &Faults, mut card: Value) -> Value {
        let Some(older) = &self.older else { return card };
        for name in ["supportedInterfaces", "url", "protocolVersion", "preferredTransport", "additionalInterfaces"] {
            remove(&mut card, name);
        }
        if self.dialect.extensions_header.is_none() {
            change(&mut card, "/capabilities/extensions", None);
        }
        if let Value::Object(members) = data(older.card, &[]) {
            members.into_iter().for_each(|(name, member)| set(&mut card, &name, member));
        }
        let extended = card.pointer_mut("/capabilities/extendedAgentCard").map(Value::take).unwrap_or_default();
        change(&mut card, "/capabilities/extendedAgentCard", None);
        change(&mut card, "/capabilities/stateTransitionHistory", Some(true.into()));
        let schemes = take(&mut card, "securitySchemes");
        let requirements = take(&mut card, "securityRequirements");
        if older.schemes {
            set(&mut card, "supportsAuthenticatedExtendedCard", extended);
            set(&mut card, "securitySchemes", flat_schemes(schemes));
            set(&mut card, "security", flat_requirements(requirements));
        } else if schemes.is_object() {
            set(&mut card, "authentication", authentication(flat_schemes(schemes)));
        }
        if !older.schemes {
            modes_of_skills(&mut card);
        }
        mutate::mutate_older_shape(faults, Shape::Card, &mut card);
        card
    }

    /// The parameters of a call in the shapes of 1.0. What does not fit stays as it is, to be refused.
    pub(super) fn translate_params(&self, operation: Operation, given: Option<&Value>) -> Option<Value> {
        let mut params = given.cloned()?;
        let Some(older) = self.older.as_ref().filter(|_| params.is_object()) else { return Some(params) };
        match operation {
            Operation::SendMessage | Operation::SendStreamingMessage => {
                if params.get("message").is_none_or(Value::is_null) {
                    return Some(params);
                }
                let mut message = take(&mut params, "message");
                let mut configuration = data("{}", &[]);
                if older.tasks_only {
                    for name in ["historyLength", "pushNotification"] {
                        set(&mut configuration, name, take(&mut params, name));
                    }
                    no_history_unasked(&mut configuration);
                    let id = take(&mut params, "id");
                    // Scripts may go by the id of a message, and messages have none here.
                    set_text(&mut message, "messageId", id.as_str().unwrap_or(NOBODY));
                    set(&mut message, "taskId", id);
                    set(&mut message, "contextId", take(&mut params, "sessionId"));
                } else if params.get("configuration").is_some_and(|given| !given.is_null()) {
                    configuration = take(&mut params, "configuration");
                }
                for name in ["pushNotificationConfig", "pushNotification"] {
                    let config = take(&mut configuration, name);
                    set(&mut configuration, "taskPushNotificationConfig", one_scheme(config));
                }
                let at_once = match take(&mut configuration, "blocking") {
                    Value::Bool(blocking) => Value::Bool(!blocking),
                    other => other,
                };
                set(&mut configuration, "returnImmediately", at_once);
                self.message_to_1_0(older, &mut message);
                set(&mut params, "message", message);
                set(&mut params, "configuration", configuration);
            }
            Operation::GetTask if older.tasks_only => no_history_unasked(&mut params),
            // The list has no pages: it is as long as one may be.
            Operation::ListTasks => set(&mut params, "pageSize", 100.into()),
            Operation::CreatePushConfig => {
                // 0.3 §7.5: over HTTP the object stands in a member.
                let outer = match take(&mut params, "config") {
                    Value::Null => params.clone(),
                    config => config,
                };
                let mut config = one_scheme(outer.get("pushNotificationConfig").cloned().unwrap_or_default());
                if config.is_null() {
                    config = data("{}", &[]);
                }
                let task = ["taskId", "id"].iter().find_map(|name| params.get(name)).cloned();
                set(&mut config, "taskId", task.or_else(|| outer.get("taskId").cloned()).unwrap_or_default());
                params = config;
            }
            Operation::GetPushConfig | Operation::ListPushConfigs | Operation::DeletePushConfig => {
                let task = take(&mut params, "id");
                set(&mut params, "taskId", task);
                let id = take(&mut params, "pushNotificationConfigId");
                set(&mut params, "id", id);
            }
            _ => {}
        }
        Some(params)
    }

    fn message_to_1_0(&self, older: &OlderVersion, message: &mut Value) {
        // The proto's names are taken, too: over HTTP+JSON the official SDKs of 0.3 write those.
        let content = take(message, "content");
        set(message, "parts", content);
        let role = text(message, "role");
        if !role.is_empty() {
            let known = self.dialect.role(role).or_else(|| V1_0.role(role)).filter(|role| *role != Role::Unspecified);
            reword(message, "role", Some(known.map_or(NOBODY, |role| V1_0.role_name(role))));
        }
        elements(message, "parts").iter_mut().for_each(|part| part_to_1_0(older.tag, part));
    }
}

fn reword(object: &mut Value, name: &str, word: Option<&str>) {
    if let Some(word) = word {
        set_text(object, name, word);
    }
}

/// 0.1 §7.1.1, §7.3.1: history is for those who ask for it.
fn no_history_unasked(object: &mut Value) {
    if object.get("historyLength").is_none_or(Value::is_null) {
        set(object, "historyLength", 0.into());
    }
}

/// 0.3 §6.5: a part says what it is, and a file stands in a member of its own.
fn part(tag: &str, part: &mut Value) {
    let media_type = take(part, "mediaType");
    let name = take(part, "filename");
    let mut file = data("{}", &[]);
    for (member, new) in [("raw", "bytes"), ("url", "uri")] {
        set(&mut file, new, take(part, member));
    }
    let kind = if part.get("text").is_some() {
        "text"
    } else if let Some(content) = part.get_mut("data") {
        // 0.3 §6.5.3: an object.
        if !content.is_object() {
            *content = around("value", content.take());
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

fn part_to_1_0(tag: &str, part: &mut Value) {
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
        // In the form of the proto, data stands in an object.
        one_list(&mut content, "data");
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

/// 0.3 §6.9: schemes by a list.
fn many_schemes(authentication: &mut Value) {
    let scheme = take(authentication, "scheme");
    if !scheme.is_null() {
        set(authentication, "schemes", vec![scheme].into());
    }
}

/// A push config with the one scheme that 1.0 has room for.
fn one_scheme(mut config: Value) -> Value {
    if let Some(authentication) = config.get_mut("authentication") {
        let first = take(authentication, "schemes").get_mut(0).map(Value::take);
        set(authentication, "scheme", first.unwrap_or_default());
    }
    config
}

/// 0.3 §6.10: a config stands in a member beside its task.
pub(super) fn nested_config(config: &mut Value) {
    let task = take(config, "taskId");
    let inner = config.take();
    *config = around("pushNotificationConfig", inner);
    set(config, "taskId", task);
}

/// Puts a list in place of the object around it.
pub(super) fn one_list(object: &mut Value, name: &str) {
    *object = take(object, name);
}

/// 0.1 §6.7: artifacts by their number.
pub(super) fn number_artifacts(task: &mut Value) {
    for (index, artifact) in elements(task, "artifacts").iter_mut().enumerate() {
        set(artifact, "index", index.into());
    }
}

/// 0.1 §6.7: what is said of a piece stands in the artifact.
pub(super) fn artifact_update(update: &mut Value) {
    for name in ["append", "lastChunk"] {
        let flag = take(update, name);
        if let Some(artifact) = update.get_mut("artifact") {
            set(artifact, name, flag);
        }
    }
}

/// 0.3 §5.5.3: a scheme says of which type it is.
fn flat_schemes(mut schemes: Value) -> Value {
    if let Value::Object(map) = &mut schemes {
        for scheme in map.values_mut() {
            for (member, kind) in SCHEMES {
                let mut inner = take(scheme, member);
                if inner.is_object() {
                    let place = take(&mut inner, "location");
                    set(&mut inner, "in", place);
                    set_text(&mut inner, "type", kind);
                    *scheme = inner;
                }
            }
        }
    }
    schemes
}

fn flat_requirements(mut requirements: Value) -> Value {
    for requirement in requirements.as_array_mut().map(Vec::as_mut_slice).unwrap_or_default() {
        let mut schemes = take(requirement, "schemes");
        if let Value::Object(map) = &mut schemes {
            map.values_mut().for_each(|scopes| one_list(scopes, "list"));
        }
        *requirement = schemes;
    }
    requirements
}

/// 0.1 lets a skill without modes have the card's, which its first readers did not know.
fn modes_of_skills(card: &mut Value) {
    for (member, usual) in [("inputModes", "defaultInputModes"), ("outputModes", "defaultOutputModes")] {
        let modes = card.get(usual).cloned().unwrap_or_default();
        for skill in elements(card, "skills").iter_mut().filter(|skill| skill.get(member).is_none()) {
            set(skill, member, modes.clone());
        }
    }
}

/// 0.1 §5.5.3: the names of schemes, as HTTP or else as OpenAPI has them, and where tokens come from.
fn authentication(schemes: Value) -> Value {
    let mut names = Vec::new();
    let mut flow = None;
    for scheme in schemes.as_object().into_iter().flat_map(|map| map.values()) {
        let name = Some(text(scheme, "scheme")).filter(|name| !name.is_empty()).unwrap_or(text(scheme, "type"));
        names.push(Value::from(name));
        flow = scheme.pointer("/flows/clientCredentials").or(flow);
    }
    let mut authentication = around("schemes", names.into());
    if let Some(flow) = flow {
        set_text(&mut authentication, "credentials", &flow.to_string());
    }
    authentication
}
