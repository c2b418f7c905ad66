//! The gRPC services of the versions: their definitions, methods and status codes.

use super::definition::GrpcService;
use crate::a2a::model::{ErrorName, Operation};
use crate::a2a::proto;

/// The service of 1.0 (1.0 §10.3, and the table of §5.4).
pub(super) const V1_0: GrpcService = GrpcService {
    schema: &proto::V1_0,
    methods: &[
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
    ],
    codes: &[
        ("NOT_FOUND", &[ErrorName::TaskNotFound]),
        (
            "FAILED_PRECONDITION",
            &[
                ErrorName::TaskNotCancelable,
                ErrorName::PushNotificationNotSupported,
                ErrorName::UnsupportedOperation,
                ErrorName::ExtendedCardNotConfigured,
                ErrorName::ExtensionSupportRequired,
                ErrorName::VersionNotSupported,
            ],
        ),
        (
            "INVALID_ARGUMENT",
            &[
                ErrorName::ContentTypeNotSupported,
                ErrorName::Parse,
                ErrorName::InvalidRequest,
                ErrorName::InvalidParams,
            ],
        ),
        ("OUT_OF_RANGE", &[ErrorName::InvalidParams]),
        ("INTERNAL", &[ErrorName::InvalidAgentResponse, ErrorName::Internal]),
        ("UNKNOWN", &[ErrorName::Internal]),
        ("UNIMPLEMENTED", &[ErrorName::MethodNotFound]),
    ],
};
