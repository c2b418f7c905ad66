//! A2A 0.3 as tables (methods, routes, states, roles, statuses): objects told apart by `kind` over JSON-RPC; over HTTP the JSON
//! form of its proto, or the same objects. `older.rs` reads what calls return, `read_objects.rs` the tasks and messages in it.

use super::definition::{Dialect, ObjectForms, Tags};
use super::{grpc_services, older, older_requests, v1_0, write};
use crate::a2a::headers;
use crate::a2a::model::{ErrorName, Operation, Role, TaskState};
use crate::wire::http::Method;

/// The routes of 0.3 (0.3 §3.5.3, §3.5.6); the `{members}` are those of the parameters over JSON-RPC.
pub(super) const ROUTES: &[(Operation, Method, &str)] = &[
    (Operation::SendMessage, Method::Post, "/v1/message:send"),
    (Operation::SendStreamingMessage, Method::Post, "/v1/message:stream"),
    (Operation::GetTask, Method::Get, "/v1/tasks/{id}"),
    (Operation::ListTasks, Method::Get, "/v1/tasks"),
    (Operation::CancelTask, Method::Post, "/v1/tasks/{id}:cancel"),
    // The text says POST, the proto GET.
    (Operation::SubscribeToTask, Method::Post, "/v1/tasks/{id}:subscribe"),
    (Operation::CreatePushConfig, Method::Post, "/v1/tasks/{taskId}/pushNotificationConfigs"),
    (Operation::GetPushConfig, Method::Get, "/v1/tasks/{id}/pushNotificationConfigs/{pushNotificationConfigId}"),
    (Operation::ListPushConfigs, Method::Get, "/v1/tasks/{id}/pushNotificationConfigs"),
    (Operation::DeletePushConfig, Method::Delete, "/v1/tasks/{id}/pushNotificationConfigs/{pushNotificationConfigId}"),
    (Operation::GetExtendedCard, Method::Get, "/v1/card"),
];

/// The errors that HTTP statuses stand for in 0.3, which has no table of them (0.3 §3.2.3): those that fit each error.
pub(super) const STATUSES: &[(u16, &[ErrorName])] = &[
    (
        400,
        &[
            ErrorName::Parse,
            ErrorName::InvalidRequest,
            ErrorName::InvalidParams,
            ErrorName::PushNotificationNotSupported,
            ErrorName::UnsupportedOperation,
            ErrorName::ContentTypeNotSupported,
            ErrorName::TaskNotCancelable,
        ],
    ),
    (404, &[ErrorName::TaskNotFound, ErrorName::MethodNotFound, ErrorName::ExtendedCardNotConfigured]),
    (405, &[ErrorName::MethodNotFound, ErrorName::UnsupportedOperation]),
    (409, &[ErrorName::TaskNotCancelable]),
    (415, &[ErrorName::ContentTypeNotSupported]),
    (422, &[ErrorName::InvalidParams]),
    (500, &[ErrorName::Internal, ErrorName::InvalidAgentResponse]),
    (501, &[ErrorName::PushNotificationNotSupported, ErrorName::UnsupportedOperation, ErrorName::MethodNotFound]),
    (502, &[ErrorName::InvalidAgentResponse]),
];

/// The states of 0.2 and 0.3 (0.3 §6.3).
pub(super) const STATES: &[(TaskState, &str)] = &[
    (TaskState::Submitted, "submitted"),
    (TaskState::Working, "working"),
    (TaskState::Completed, "completed"),
    (TaskState::Failed, "failed"),
    (TaskState::Canceled, "canceled"),
    (TaskState::InputRequired, "input-required"),
    (TaskState::Rejected, "rejected"),
    (TaskState::AuthRequired, "auth-required"),
    (TaskState::Unspecified, "unknown"),
];

/// The states of the proto of 0.3 and, behind them, those of the text, which an agent may write over HTTP too.
pub(super) const STATES_OF_PROTO: &[(TaskState, &str)] = &[
    (TaskState::Submitted, "TASK_STATE_SUBMITTED"),
    (TaskState::Working, "TASK_STATE_WORKING"),
    (TaskState::Completed, "TASK_STATE_COMPLETED"),
    (TaskState::Failed, "TASK_STATE_FAILED"),
    (TaskState::Canceled, "TASK_STATE_CANCELLED"),
    (TaskState::InputRequired, "TASK_STATE_INPUT_REQUIRED"),
    (TaskState::Rejected, "TASK_STATE_REJECTED"),
    (TaskState::AuthRequired, "TASK_STATE_AUTH_REQUIRED"),
    (TaskState::Unspecified, "TASK_STATE_UNSPECIFIED"),
    (TaskState::Canceled, "TASK_STATE_CANCELED"),
    (TaskState::Submitted, "submitted"),
    (TaskState::Working, "working"),
    (TaskState::Completed, "completed"),
    (TaskState::Failed, "failed"),
    (TaskState::Canceled, "canceled"),
    (TaskState::InputRequired, "input-required"),
    (TaskState::Rejected, "rejected"),
    (TaskState::AuthRequired, "auth-required"),
    (TaskState::Unspecified, "unknown"),
];

/// The roles of the 0.x texts (0.3 §6.4).
pub(super) const ROLES: &[(Role, &str)] = &[(Role::User, "user"), (Role::Agent, "agent")];

/// The methods of 0.3 (0.3 §3.5.6).
pub(super) const METHODS: &[(Operation, &str)] = &[
    (Operation::SendMessage, "message/send"),
    (Operation::SendStreamingMessage, "message/stream"),
    (Operation::GetTask, "tasks/get"),
    (Operation::CancelTask, "tasks/cancel"),
    (Operation::SubscribeToTask, "tasks/resubscribe"),
    (Operation::CreatePushConfig, "tasks/pushNotificationConfig/set"),
    (Operation::GetPushConfig, "tasks/pushNotificationConfig/get"),
    (Operation::ListPushConfigs, "tasks/pushNotificationConfig/list"),
    (Operation::DeletePushConfig, "tasks/pushNotificationConfig/delete"),
    (Operation::GetExtendedCard, "agent/getAuthenticatedExtendedCard"),
];

/// The parts that the versions before 1.0 share; each fills in what it has of its own.
pub(super) const BASE: Dialect = Dialect {
    version: "0.3",
    card_lists: "url",
    card_path: "/.well-known/agent-card.json",
    version_header: None,
    extensions_header: Some(headers::EXTENSIONS_0_3),
    over_http: None,
    over_grpc: None,
    grpc: None,
    methods: METHODS,
    routes: ROUTES,
    statuses: STATUSES,
    states: STATES,
    roles: ROLES,
    // 0.3 §8.1, §8.2: those of 1.0 without its last two.
    error_codes: v1_0::CODES.split_at(12).0,
    error_reasons: &[],
    forms: FORMS,
    needs_parts: false,
    other_form: None,
    read_card: older::read_card,
    read_result: older::read_result,
    read_event: older::read_event,
    send_params: older_requests::send_params,
    task_params: write::task_params,
    list_params: older_requests::list_params,
    push_params: older_requests::push_params,
};

/// The forms of 0.2 and 0.3 over JSON-RPC.
pub(super) const FORMS: ObjectForms = ObjectForms {
    tags: Tags::Kind,
    context: "contextId",
    task_has_context: true,
    ids: true,
    message_parts: &["parts"],
    marks_last: true,
    utc: false,
    nulls: true,
    errors_without_id: false,
    camel_case: false,
    rpc_status: false,
};

/// Those over HTTP: of the proto, or of the text.
pub(super) const FORMS_OVER_HTTP: ObjectForms =
    ObjectForms { tags: Tags::Either, task_has_context: false, message_parts: &["content", "parts"], ..FORMS };

/// The parts that 0.2 and 0.3 share over HTTP.
pub(super) const BASE_OVER_HTTP: Dialect = Dialect {
    states: STATES_OF_PROTO,
    roles: &[
        (Role::User, "ROLE_USER"),
        (Role::Agent, "ROLE_AGENT"),
        (Role::Unspecified, "ROLE_UNSPECIFIED"),
        (Role::User, "user"),
        (Role::Agent, "agent"),
    ],
    forms: FORMS_OVER_HTTP,
    send_params: older_requests::proto_send_params,
    push_params: older_requests::proto_push_params,
    ..BASE
};

/// A2A 0.3.
pub static V0_3: Dialect = Dialect { over_http: Some(&V0_3_HTTP), over_grpc: Some(&V0_3_GRPC), ..BASE };

/// A2A 0.3 over HTTP: in the JSON form of its proto, which both official libraries write.
pub static V0_3_HTTP: Dialect = Dialect { other_form: Some(&V0_3), ..BASE_OVER_HTTP };

/// A2A 0.3 over gRPC: the same JSON as over HTTP, here of the messages themselves.
pub static V0_3_GRPC: Dialect = Dialect { grpc: Some(grpc_services::V0_3), ..BASE_OVER_HTTP };
