//! A2A 1.0 as tables (methods, routes, codes, states) and readers of its own: the proto is the authority on shapes (§1.4), as
//! ProtoJSON with camelCase names (§5.5).

use serde_json::Value;

use super::card;
use super::definition::{Dialect, ObjectForms, Tags};
use super::grpc_services;
use super::read_answers::{read_artifact_update, read_bare_task, read_deleted, read_status_update};
use super::read_objects::{agent_message, message, task};
use super::request_of_message::request_of_message;
use super::write::{ListQuery, Outgoing, PushConfigRequest, empty, list, set, task_params};
use crate::a2a::cursor::{Cursor, integer};
use crate::a2a::headers;
use crate::a2a::model::{
    Card, ErrorName, Interface, Operation, Payload, PushConfig, Role, StreamEvent, TaskList, TaskState,
};
use crate::a2a::rule::{Notes, Rule};
use crate::wire::http::Method;

/// A2A 1.0.
pub static V1_0: Dialect = Dialect {
    version: "1.0",
    card_lists: "supportedInterfaces",
    card_path: "/.well-known/agent-card.json",
    version_header: Some(headers::VERSION),
    extensions_header: Some(headers::EXTENSIONS),
    over_http: None,
    over_grpc: None,
    grpc: Some(grpc_services::V1_0),
    methods: grpc_services::METHODS_OF_1_0,
    // 1.0 §5.3, §11.3
    routes: &[
        (Operation::SendMessage, Method::Post, "/message:send"),
        (Operation::SendStreamingMessage, Method::Post, "/message:stream"),
        (Operation::GetTask, Method::Get, "/tasks/{id}"),
        (Operation::ListTasks, Method::Get, "/tasks"),
        (Operation::CancelTask, Method::Post, "/tasks/{id}:cancel"),
        // T-REST-1: the text says POST, the proto GET.
        (Operation::SubscribeToTask, Method::Post, "/tasks/{id}:subscribe"),
        (Operation::CreatePushConfig, Method::Post, "/tasks/{taskId}/pushNotificationConfigs"),
        (Operation::GetPushConfig, Method::Get, "/tasks/{taskId}/pushNotificationConfigs/{id}"),
        (Operation::ListPushConfigs, Method::Get, "/tasks/{taskId}/pushNotificationConfigs"),
        (Operation::DeletePushConfig, Method::Delete, "/tasks/{taskId}/pushNotificationConfigs/{id}"),
        (Operation::GetExtendedCard, Method::Get, "/extendedAgentCard"),
    ],
    // 1.0 §5.4, in the tables of 1.0.0 and 1.0.1 (T-REST-5)
    statuses: &[
        (
            400,
            &[
                ErrorName::Parse,
                ErrorName::InvalidRequest,
                ErrorName::InvalidParams,
                ErrorName::TaskNotCancelable,
                ErrorName::PushNotificationNotSupported,
                ErrorName::UnsupportedOperation,
                ErrorName::ContentTypeNotSupported,
                ErrorName::ExtendedCardNotConfigured,
                ErrorName::ExtensionSupportRequired,
                ErrorName::VersionNotSupported,
            ],
        ),
        (404, &[ErrorName::TaskNotFound, ErrorName::MethodNotFound]),
        (405, &[ErrorName::MethodNotFound]),
        (409, &[ErrorName::TaskNotCancelable]),
        (415, &[ErrorName::ContentTypeNotSupported]),
        (500, &[ErrorName::Internal, ErrorName::InvalidAgentResponse]),
        (501, &[ErrorName::MethodNotFound]),
        (502, &[ErrorName::InvalidAgentResponse]),
    ],
    // 1.0 §4.1.3
    states: &[
        (TaskState::Submitted, "TASK_STATE_SUBMITTED"),
        (TaskState::Working, "TASK_STATE_WORKING"),
        (TaskState::Completed, "TASK_STATE_COMPLETED"),
        (TaskState::Failed, "TASK_STATE_FAILED"),
        (TaskState::Canceled, "TASK_STATE_CANCELED"),
        (TaskState::InputRequired, "TASK_STATE_INPUT_REQUIRED"),
        (TaskState::Rejected, "TASK_STATE_REJECTED"),
        (TaskState::AuthRequired, "TASK_STATE_AUTH_REQUIRED"),
        (TaskState::Unspecified, "TASK_STATE_UNSPECIFIED"),
    ],
    // 1.0 §4.1.5
    roles: &[(Role::User, "ROLE_USER"), (Role::Agent, "ROLE_AGENT"), (Role::Unspecified, "ROLE_UNSPECIFIED")],
    error_codes: CODES,
    // 1.0 §10.6, §11.6
    error_reasons: &[
        (ErrorName::TaskNotFound, "TASK_NOT_FOUND"),
        (ErrorName::TaskNotCancelable, "TASK_NOT_CANCELABLE"),
        (ErrorName::PushNotificationNotSupported, "PUSH_NOTIFICATION_NOT_SUPPORTED"),
        (ErrorName::UnsupportedOperation, "UNSUPPORTED_OPERATION"),
        (ErrorName::ContentTypeNotSupported, "CONTENT_TYPE_NOT_SUPPORTED"),
        (ErrorName::InvalidAgentResponse, "INVALID_AGENT_RESPONSE"),
        (ErrorName::ExtendedCardNotConfigured, "EXTENDED_AGENT_CARD_NOT_CONFIGURED"),
        (ErrorName::ExtensionSupportRequired, "EXTENSION_SUPPORT_REQUIRED"),
        (ErrorName::VersionNotSupported, "VERSION_NOT_SUPPORTED"),
    ],
    forms: ObjectForms {
        tags: Tags::Members,
        context: "contextId",
        task_has_context: false,
        ids: true,
        message_parts: &["parts"],
        marks_last: false,
        utc: true,
        nulls: false,
        errors_without_id: false,
        camel_case: true,
        rpc_status: true,
    },
    needs_parts: true,
    other_form: None,
    read_card,
    read_result,
    read_event,
    send_params,
    task_params,
    list_params,
    push_params,
};

/// The codes of 1.0 (1.0 §5.4, §9.5). Older versions begin alike.
pub(super) const CODES: &[(ErrorName, i64)] = &[
    (ErrorName::Parse, -32700),
    (ErrorName::InvalidRequest, -32600),
    (ErrorName::MethodNotFound, -32601),
    (ErrorName::InvalidParams, -32602),
    (ErrorName::Internal, -32603),
    (ErrorName::TaskNotFound, -32001),
    (ErrorName::TaskNotCancelable, -32002),
    (ErrorName::PushNotificationNotSupported, -32003),
    (ErrorName::UnsupportedOperation, -32004),
    (ErrorName::ContentTypeNotSupported, -32005),
    (ErrorName::InvalidAgentResponse, -32006),
    (ErrorName::ExtendedCardNotConfigured, -32007),
    (ErrorName::ExtensionSupportRequired, -32008),
    (ErrorName::VersionNotSupported, -32009),
];

fn read_card(card: &Cursor<'_>) -> Card {
    let interfaces = card.elements_of("supportedInterfaces").filter_map(|entry| {
        let version = entry.text("protocolVersion").filter(|version| !version.trim().is_empty());
        Some(Interface {
            url: entry.text("url").filter(|url| !url.is_empty())?,
            binding: entry.text("protocolBinding").unwrap_or_default(),
            // Only this layout has a version at each interface: where it is missing, which is a finding, the layout tells it.
            version: version.unwrap_or_else(|| V1_0.version.to_owned()),
            tenant: entry.text("tenant").filter(|tenant| !tenant.is_empty()),
        })
    });
    let extended_card = card.member("capabilities").is_some_and(|capabilities| capabilities.flag("extendedAgentCard"));
    Card { interfaces: interfaces.collect(), extended_card, ..card::common(card) }
}

fn read_result(dialect: &Dialect, operation: Operation, cursor: &Cursor<'_>, notes: &mut Notes) -> Payload {
    match operation {
        Operation::SendMessage | Operation::SendStreamingMessage => read_sent(dialect, cursor, notes),
        Operation::GetTask | Operation::CancelTask | Operation::SubscribeToTask => {
            read_bare_task(dialect, cursor, notes)
        }
        Operation::ListTasks => Payload::Tasks(read_list(dialect, cursor, notes)),
        Operation::CreatePushConfig | Operation::GetPushConfig => Payload::PushConfig(read_push_config(cursor, notes)),
        Operation::ListPushConfigs => {
            // 1.0 §3.1.9; the member may be left out when it is empty. A bare array is read all the same.
            let configs = cursor.member("configs");
            let fits = cursor.value.is_object() && configs.as_ref().is_none_or(|list| list.value.is_array());
            notes.judge(Rule::PushList, fits, &cursor.at, ("an object with a configs array", cursor.describe()));
            let list = configs.unwrap_or_else(|| cursor.clone());
            Payload::PushConfigs(list.elements().map(|config| read_push_config(&config, notes)).collect())
        }
        Operation::DeletePushConfig => read_deleted(cursor, notes),
        Operation::GetExtendedCard => Payload::Card(cursor.value.clone()),
    }
}

/// 1.0 §3.2.3: exactly one of `task` and `message`. A bare one is read all the same, so that other checks can go on.
fn read_sent(dialect: &Dialect, cursor: &Cursor<'_>, notes: &mut Notes) -> Payload {
    let (in_task, in_message) = (cursor.member("task"), cursor.member("message"));
    match (&in_task, &in_message) {
        (Some(_), None) | (None, Some(_)) => notes.holds(Rule::SendPayload),
        (Some(_), Some(_)) => {
            notes.breaks(Rule::SendPayload, &cursor.at, "exactly one of task and message", "both task and message");
        }
        (None, None) => {
            let expected = "exactly one of the members task and message";
            notes.breaks(Rule::SendPayload, &cursor.at, expected, cursor.describe());
            if cursor.has("id") && cursor.has("status") {
                return Payload::Sent { task: Some(task(dialect, cursor, notes)), message: None };
            }
            if cursor.has("messageId") && cursor.has("parts") {
                return Payload::Sent { task: None, message: Some(message(dialect, cursor, notes)) };
            }
        }
    }
    let read_message = in_message.map(|cursor| {
        let message = agent_message(dialect, &cursor, notes);
        // 1.0 §4.1.4 (proto comment): a server's message names its context.
        let names_context = message.context_id.as_ref().is_some_and(|id| !id.is_empty());
        let finding = ("a contextId on the agent's message", cursor.absence("contextId"));
        notes.judge(Rule::MessageContext, names_context, &cursor.at.key("contextId"), finding);
        message
    });
    Payload::Sent { task: in_task.map(|cursor| task(dialect, &cursor, notes)), message: read_message }
}

fn read_list(dialect: &Dialect, cursor: &Cursor<'_>, notes: &mut Notes) -> TaskList {
    let is_integer = |value: &Value| value.is_u64() || integer(value).is_some();
    let mut required = |name: &str, what: &str, is: fn(&Value) -> bool| {
        let member = cursor.member(name);
        let finding = match &member {
            Some(member) => (format!("{name} to be {what}"), member.describe()),
            None => (format!("{name}, even when it is empty or zero"), "missing".to_owned()),
        };
        let member = member.filter(|member| is(member.value));
        notes.judge(Rule::ListMembers, member.is_some(), &cursor.at.key(name), finding);
        member
    };
    let tasks = required("tasks", "an array", Value::is_array);
    let page_size = required("pageSize", "an integer", is_integer).and_then(|cursor| integer(cursor.value));
    let total_size = required("totalSize", "an integer", is_integer).and_then(|cursor| integer(cursor.value));
    let token = cursor.member("nextPageToken");
    let finding = match &token {
        Some(member) => ("nextPageToken to be a string", member.describe()),
        None => {
            let absence = if cursor.has("nextPageToken") { "null" } else { "missing" };
            ("nextPageToken, an empty string on the last page", absence.to_owned())
        }
    };
    let token = token.and_then(|member| member.value.as_str().map(str::to_owned));
    notes.judge(Rule::ListToken, token.is_some(), &cursor.at.key("nextPageToken"), finding);
    TaskList {
        tasks: tasks.iter().flat_map(Cursor::elements).map(|element| task(dialect, &element, notes)).collect(),
        next_page_token: token,
        page_size,
        total_size,
        at: cursor.at.clone(),
    }
}

fn read_push_config(cursor: &Cursor<'_>, notes: &mut Notes) -> PushConfig {
    PushConfig {
        id: cursor.required_text("id", Rule::PushConfig, notes),
        task_id: cursor.required_text("taskId", Rule::PushConfig, notes),
        url: cursor.required_text("url", Rule::PushConfig, notes),
        at: cursor.at.clone(),
    }
}

/// 1.0 §3.2.3: exactly one of the four payload members.
fn read_event(dialect: &Dialect, cursor: &Cursor<'_>, notes: &mut Notes) -> StreamEvent {
    let payloads = ["task", "message", "statusUpdate", "artifactUpdate"];
    let present: Vec<_> =
        payloads.iter().filter_map(|name| cursor.member(name).map(|member| (*name, member))).collect();
    match present.as_slice() {
        [(name, member)] => {
            notes.holds(Rule::EventPayload);
            if matches!(*name, "statusUpdate" | "artifactUpdate") {
                let expected = "a 1.0 event without members of older versions";
                match ["final", "kind"].into_iter().find(|name| member.has(name)) {
                    Some(name) => {
                        notes.breaks(Rule::EventNoLegacy, &member.at.key(name), expected, format!("a member {name}"));
                    }
                    None => notes.holds(Rule::EventNoLegacy),
                }
            }
            match *name {
                "task" => StreamEvent::Task(task(dialect, member, notes)),
                "message" => StreamEvent::Message(agent_message(dialect, member, notes)),
                "statusUpdate" => StreamEvent::Status(read_status_update(dialect, member, notes)),
                _ => StreamEvent::Artifact(read_artifact_update(dialect, member, notes)),
            }
        }
        several => {
            let names: Vec<_> = several.iter().map(|(name, _)| *name).collect();
            let expected = "exactly one of task, message, statusUpdate and artifactUpdate";
            notes.breaks(Rule::EventPayload, &cursor.at, expected, cursor.these_or_all(&names));
            StreamEvent::Other(cursor.value.clone())
        }
    }
}

fn send_params(dialect: &Dialect, outgoing: &Outgoing) -> Value {
    let mut configuration = empty();
    set(&mut configuration, "acceptedOutputModes", list(&outgoing.accepted_output_modes));
    set(&mut configuration, "taskPushNotificationConfig", outgoing.push_config.clone());
    set(&mut configuration, "returnImmediately", outgoing.return_immediately);
    set(&mut configuration, "historyLength", outgoing.history_length);
    let configuration = Some(configuration).filter(|configuration| *configuration != empty());
    request_of_message(dialect, outgoing, outgoing.parts(Value::clone), configuration)
}

fn list_params(_: &Dialect, query: &ListQuery) -> Value {
    let mut params = empty();
    set(&mut params, "contextId", query.context_id.as_deref());
    set(&mut params, "pageSize", query.page_size);
    set(&mut params, "pageToken", query.page_token.as_deref());
    set(&mut params, "includeArtifacts", query.include_artifacts);
    set(&mut params, "status", query.status.as_deref());
    set(&mut params, "statusTimestampAfter", query.status_after.as_deref());
    set(&mut params, "historyLength", query.history_length);
    params
}

fn push_params(operation: Operation, target: &PushConfigRequest) -> Value {
    let mut params = empty();
    set(&mut params, "taskId", Some(target.task_id.as_str()));
    if operation != Operation::ListPushConfigs {
        set(&mut params, "id", target.config_id.as_deref());
    }
    if operation == Operation::CreatePushConfig {
        set(&mut params, "url", Some(target.url.as_str()));
    }
    params
}
