//! A2A 0.1 as tables: methods, states, errors and forms; clients make the ids of tasks, sessions join them, JSON-RPC only.

use super::definition::{Dialect, ObjectForms, Tags};
use super::{older, older_requests, v0_3};
use crate::a2a::model::{ErrorName, Operation, TaskState};

/// A2A 0.1.
pub static V0_1: Dialect = Dialect {
    version: "0.1",
    needs_parts: true,
    card_path: "/.well-known/agent.json",
    extensions_header: None,
    // 0.1 §7
    methods: &[
        (Operation::SendMessage, "tasks/send"),
        (Operation::SendStreamingMessage, "tasks/sendSubscribe"),
        (Operation::GetTask, "tasks/get"),
        (Operation::CancelTask, "tasks/cancel"),
        (Operation::SubscribeToTask, "tasks/resubscribe"),
        (Operation::CreatePushConfig, "tasks/pushNotification/set"),
        (Operation::GetPushConfig, "tasks/pushNotification/get"),
    ],
    routes: &[],
    statuses: &[],
    // 0.1 §6.3
    states: &[
        (TaskState::Submitted, "submitted"),
        (TaskState::Working, "working"),
        (TaskState::Completed, "completed"),
        (TaskState::Failed, "failed"),
        (TaskState::Canceled, "canceled"),
        (TaskState::InputRequired, "input-required"),
        (TaskState::Unspecified, "unknown"),
    ],
    // 0.1 §8.1, §8.2
    error_codes: &[
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
        (ErrorName::StreamingNotSupported, -32006),
        (ErrorName::AuthenticationRequired, -32007),
        (ErrorName::AuthorizationFailed, -32008),
        (ErrorName::InvalidTaskState, -32009),
        (ErrorName::RateLimitExceeded, -32010),
        (ErrorName::ResourceUnavailable, -32011),
    ],
    forms: ObjectForms {
        tags: Tags::Type,
        context: "sessionId",
        task_has_context: false,
        ids: false,
        errors_without_id: true,
        ..v0_3::FORMS
    },
    read_result: older::read_result_0_1,
    read_event: older::read_event_0_1,
    send_params: older_requests::send_params_0_1,
    push_params: older_requests::push_params_0_1,
    ..v0_3::BASE
};
