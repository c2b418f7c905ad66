//! The gRPC services of 1.0 and 0.3: which method each operation has, and which status code each error.

use super::definition::GrpcService;
use super::older_requests;
use crate::a2a::model::ErrorName::{
    ContentTypeNotSupported, ExtendedCardNotConfigured, ExtensionSupportRequired, Internal, InvalidAgentResponse,
    InvalidParams, InvalidRequest, MethodNotFound, Parse, PushNotificationNotSupported, TaskNotCancelable,
    TaskNotFound, UnsupportedOperation, VersionNotSupported,
};
use crate::a2a::model::Operation;
use crate::a2a::proto;

/// The methods of 1.0, over JSON-RPC and over gRPC (1.0 §5.3).
pub(super) const METHODS_OF_1_0: &[(Operation, &str)] = &[
    (Operation::SendMessage, "SendMessage"),
    (Operation::SendStreamingMessage, "SendStreamingMessage"),
    (Operation::GetTask, "GetTask"),
    (Operation::ListTasks, "ListTasks"),
    (Operation::CancelTask, "CancelTask"),
    (Operation::SubscribeToTask, "SubscribeToTask"),
    (Operation::CreatePushConfig, "CreateTaskPushNotificationConfig"),
    (Operation::GetPushConfig, "GetTaskPushNotificationConfig"),
    (Operation::ListPushConfigs, "ListTaskPushNotificationConfigs"),
    (Operation::DeletePushConfig, "DeleteTaskPushNotificationConfig"),
    (Operation::GetExtendedCard, "GetExtendedAgentCard"),
];

/// The service of 1.0 (1.0 §10.3, and the table of §5.4).
pub(super) const V1_0: GrpcService = GrpcService {
    schema: &proto::V1_0,
    methods: METHODS_OF_1_0,
    codes: &[
        ("NOT_FOUND", &[TaskNotFound]),
        (
            "FAILED_PRECONDITION",
            &[
                TaskNotCancelable,
                PushNotificationNotSupported,
                UnsupportedOperation,
                ExtendedCardNotConfigured,
                ExtensionSupportRequired,
                VersionNotSupported,
            ],
        ),
        ("INVALID_ARGUMENT", &[ContentTypeNotSupported, Parse, InvalidRequest, InvalidParams]),
        ("OUT_OF_RANGE", &[InvalidParams]),
        ("INTERNAL", &[InvalidAgentResponse, Internal]),
        ("UNKNOWN", &[Internal]),
        ("UNIMPLEMENTED", &[MethodNotFound]),
    ],
    pack: |_, params| Ok(params),
};

/// The service of 0.3. Its methods are those of the proto; the table of 0.3 §3.5.6 spells some of them otherwise, and has a ListTask
/// that the proto lacks. The text wants errors mapped "as defined in the proto annotations" (0.3 §3.2.2), which define none: so the
/// codes are those that fit each error, and those that libraries return.
pub(super) const V0_3: GrpcService = GrpcService {
    schema: &proto::V0_3,
    methods: &[
        (Operation::SendMessage, "SendMessage"),
        (Operation::SendStreamingMessage, "SendStreamingMessage"),
        (Operation::GetTask, "GetTask"),
        (Operation::CancelTask, "CancelTask"),
        (Operation::SubscribeToTask, "TaskSubscription"),
        (Operation::CreatePushConfig, "CreateTaskPushNotificationConfig"),
        (Operation::GetPushConfig, "GetTaskPushNotificationConfig"),
        (Operation::ListPushConfigs, "ListTaskPushNotificationConfig"),
        (Operation::DeletePushConfig, "DeleteTaskPushNotificationConfig"),
        (Operation::GetExtendedCard, "GetAgentCard"),
    ],
    codes: &[
        ("NOT_FOUND", &[TaskNotFound, MethodNotFound, ExtendedCardNotConfigured]),
        (
            "FAILED_PRECONDITION",
            &[TaskNotCancelable, PushNotificationNotSupported, UnsupportedOperation, ExtendedCardNotConfigured],
        ),
        ("INVALID_ARGUMENT", &[ContentTypeNotSupported, UnsupportedOperation, Parse, InvalidRequest, InvalidParams]),
        ("OUT_OF_RANGE", &[InvalidParams]),
        ("INTERNAL", &[InvalidAgentResponse, Internal, Parse]),
        ("UNKNOWN", &[Internal]),
        (
            "UNIMPLEMENTED",
            &[
                MethodNotFound,
                TaskNotCancelable,
                PushNotificationNotSupported,
                UnsupportedOperation,
                ContentTypeNotSupported,
                ExtendedCardNotConfigured,
            ],
        ),
    ],
    pack: older_requests::proto_request,
};
