//! Translates between 1.0, whose shapes the operations know, and the older versions: parameters into the shapes of 1.0,
//! answers and cards out of them.

use serde_json::Value;

use super::call_form::CallForm;
use super::fault::{FaultId, Faults};
use super::form_faults::mutate_older_object;
use super::json_values::{change, data, elements, remove, set, set_text, take, text};
use super::older_shapes::{
    card_authentication, default_to_no_history, fill_skill_modes, first_scheme, flat_requirements, flat_schemes,
    part_from_1_0, part_to_1_0, schemes_as_list,
};
use super::served_version::{CURRENT, OlderVersion, ServedVersion};
use super::shape::{Shape, unwrap_payload, walk};
use crate::a2a::model::{Operation, Role, TaskState};

/// Stands for a role or an id that is not valid in any version.
const UNKNOWN: &str = "?";

impl ServedVersion {
    pub(super) fn translate_answer(&self, faults: &Faults, form: &CallForm, value: &mut Value, shape: Shape) {
        let Some(older) = &self.older else { return };
        if matches!(form, CallForm::Grpc(_)) {
            return walk(value, shape, &mut |shape, object| {
                let changes = older.proto_changes.iter().filter(|(changed, _)| *changed == shape);
                changes.for_each(|(_, mutation)| mutation.apply(object));
            });
        }
        walk(value, shape, &mut |shape, object| {
            match shape {
                Shape::Part => part_from_1_0(older.part_tag, object),
                Shape::Authentication => schemes_as_list(object),
                Shape::Message => {
                    if let Some(role) = CURRENT.dialect.role(text(object, "role")) {
                        set_text(object, "role", self.dialect.role_name(role));
                    }
                }
                Shape::Status => {
                    if let Some(state) = CURRENT.dialect.state(text(object, "state")) {
                        set_text(object, "state", self.state_name(state));
                    }
                }
                _ => {}
            }
            for (changed, mutation) in older.changes {
                if *changed == shape {
                    mutation.apply(object);
                }
            }
            mutate_older_object(faults, shape, object);
        });
        // 0.3 §7.1, §7.2: over JSON-RPC the task, the message or the event is not wrapped.
        let is_update = || ["statusUpdate", "artifactUpdate"].iter().any(|name| value.get(*name).is_some());
        let is_bare = match form {
            CallForm::Rpc(_) => !faults.has(FaultId::SendWrapped),
            CallForm::Http => faults.has(FaultId::EventsUnwrapped) && is_update(),
            CallForm::Grpc(_) => false,
        };
        if shape == Shape::Wrapper && is_bare {
            unwrap_payload(value);
        }
    }

    /// The name of a state, or of the nearest state that the version has.
    fn state_name(&self, state: TaskState) -> &'static str {
        let nearest = match state {
            TaskState::AuthRequired => TaskState::InputRequired,
            TaskState::Rejected => TaskState::Failed,
            other => other,
        };
        match self.dialect.state_name(state) {
            "" => self.dialect.state_name(nearest),
            name => name,
        }
    }

    pub(super) fn translate_card(&self, faults: &Faults, mut card: Value) -> Value {
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
        if older.security_schemes {
            set(&mut card, "supportsAuthenticatedExtendedCard", extended);
            set(&mut card, "securitySchemes", flat_schemes(schemes));
            set(&mut card, "security", flat_requirements(requirements));
        } else {
            if schemes.is_object() {
                set(&mut card, "authentication", card_authentication(flat_schemes(schemes)));
            }
            fill_skill_modes(&mut card);
        }
        mutate_older_object(faults, Shape::Card, &mut card);
        card
    }

    /// Translates the parameters of a call into 1.0. Invalid ones stay as they are, to be refused later.
    pub(super) fn translate_params(&self, operation: Operation, given: Option<&Value>) -> Option<Value> {
        let mut params = given.cloned()?;
        let Some(older) = self.older.as_ref().filter(|_| params.is_object()) else { return Some(params) };
        match operation {
            Operation::SendMessage | Operation::SendStreamingMessage => {
                if params.get("message").is_none_or(Value::is_null) {
                    return Some(params);
                }
                self.send_params_to_1_0(older, &mut params);
            }
            Operation::GetTask if older.tasks_only => default_to_no_history(&mut params),
            // The list has no pages, so it is one of the greatest size.
            Operation::ListTasks => set(&mut params, "pageSize", 100.into()),
            Operation::CreatePushConfig => {
                // 0.3 §7.5: over HTTP the object is a member.
                let outer = match take(&mut params, "config") {
                    Value::Null => params.clone(),
                    config => config,
                };
                let mut config = first_scheme(outer.get("pushNotificationConfig").cloned().unwrap_or_default());
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

    fn send_params_to_1_0(&self, older: &OlderVersion, params: &mut Value) {
        let mut message = take(params, "message");
        let mut configuration = data("{}", &[]);
        if older.tasks_only {
            for name in ["historyLength", "pushNotification"] {
                set(&mut configuration, name, take(params, name));
            }
            default_to_no_history(&mut configuration);
            let id = take(params, "id");
            // Scripts may be chosen by the id of a message, and messages have none in 0.1.
            set_text(&mut message, "messageId", id.as_str().unwrap_or(UNKNOWN));
            set(&mut message, "taskId", id);
            set(&mut message, "contextId", take(params, "sessionId"));
        } else if params.get("configuration").is_some_and(|given| !given.is_null()) {
            configuration = take(params, "configuration");
        }
        for name in ["pushNotificationConfig", "pushNotification"] {
            let config = take(&mut configuration, name);
            set(&mut configuration, "taskPushNotificationConfig", first_scheme(config));
        }
        let return_immediately = match take(&mut configuration, "blocking") {
            Value::Bool(blocking) => Value::Bool(!blocking),
            other => other,
        };
        set(&mut configuration, "returnImmediately", return_immediately);
        self.message_to_1_0(older, &mut message);
        set(params, "message", message);
        set(params, "configuration", configuration);
    }

    fn message_to_1_0(&self, older: &OlderVersion, message: &mut Value) {
        // The proto's names are accepted, too: over HTTP+JSON the official SDKs of 0.3 write them.
        let content = take(message, "content");
        set(message, "parts", content);
        let role = text(message, "role");
        if !role.is_empty() {
            let known = self
                .dialect
                .role(role)
                .or_else(|| CURRENT.dialect.role(role))
                .filter(|role| *role != Role::Unspecified);
            set_text(message, "role", known.map_or(UNKNOWN, |role| CURRENT.dialect.role_name(role)));
        }
        elements(message, "parts").iter_mut().for_each(|part| part_to_1_0(older.part_tag, part));
    }
}
