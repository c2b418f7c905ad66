//! A2A 0.2, in the forms of 0.2.6: the objects of 0.3 over JSON-RPC.

use super::definition::Dialect;
use super::{older_requests, v0_3};
use crate::a2a::model::{ErrorName, Operation};

/// A2A 0.2.
pub static V0_2: Dialect = Dialect { over_http: Some(&V0_2_HTTP), ..BASE };

/// A2A 0.2 over HTTP, which 0.2.6 describes method by method.
pub static V0_2_HTTP: Dialect = Dialect {
    version: "0.2",
    card_path: BASE.card_path,
    methods: BASE.methods,
    error_codes: BASE.error_codes,
    other_form: Some(&V0_2),
    ..v0_3::BASE_OVER_HTTP
};

const BASE: Dialect = Dialect {
    version: "0.2",
    card_path: "/.well-known/agent.json",
    // The extended card has a URL of its own here, and no method (0.2 §7.10).
    methods: &[
        (Operation::SendMessage, "message/send"),
        (Operation::SendStreamingMessage, "message/stream"),
        (Operation::GetTask, "tasks/get"),
        (Operation::CancelTask, "tasks/cancel"),
        (Operation::SubscribeToTask, "tasks/resubscribe"),
        (Operation::CreatePushConfig, "tasks/pushNotificationConfig/set"),
        (Operation::GetPushConfig, "tasks/pushNotificationConfig/get"),
        // Both from 0.2.5 on.
        (Operation::ListPushConfigs, "tasks/pushNotificationConfig/list"),
        (Operation::DeletePushConfig, "tasks/pushNotificationConfig/delete"),
    ],
    send_params: older_requests::send_params_with_modes,
    // 0.2 §8.2
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
        (ErrorName::InvalidAgentResponse, -32006),
    ],
    ..v0_3::BASE
};
