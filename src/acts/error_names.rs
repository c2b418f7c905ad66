//! The names that files give to errors, and the error of A2A that each stands for.

use crate::a2a::model::ErrorName;

/// The names, with the error that each stands for in A2A. Where the format names errors that A2A does not have, 1.0 §3.3.4
/// and §3.1.11 say what an agent returns instead.
const NAMES: [(&str, &[ErrorName]); 16] = [
    ("TaskNotFoundError", &[ErrorName::TaskNotFound]),
    ("TaskNotCancelableError", &[ErrorName::TaskNotCancelable]),
    ("UnsupportedOperationError", &[ErrorName::UnsupportedOperation]),
    ("ContentTypeNotSupportedError", &[ErrorName::ContentTypeNotSupported]),
    ("InvalidParamsError", &[ErrorName::InvalidParams]),
    ("VersionNotSupportedError", &[ErrorName::VersionNotSupported]),
    ("PushNotificationNotSupportedError", &[ErrorName::PushNotificationNotSupported]),
    ("StreamingNotSupportedError", &[ErrorName::StreamingNotSupported, ErrorName::UnsupportedOperation]),
    ("ExtensionSupportRequiredError", &[ErrorName::ExtensionSupportRequired]),
    ("ExtendedCardNotSupportedError", &[ErrorName::ExtendedCardNotConfigured, ErrorName::UnsupportedOperation]),
    ("ExtendedAgentCardNotConfiguredError", &[ErrorName::ExtendedCardNotConfigured]),
    ("InvalidAgentResponseError", &[ErrorName::InvalidAgentResponse]),
    ("InvalidRequestError", &[ErrorName::InvalidRequest]),
    ("JSONParseError", &[ErrorName::Parse]),
    ("MethodNotFoundError", &[ErrorName::MethodNotFound]),
    ("InternalError", &[ErrorName::Internal]),
];

pub(super) fn names() -> impl Iterator<Item = &'static str> {
    NAMES.iter().map(|(name, _)| *name)
}

pub(super) fn find(name: &str) -> Option<&'static [ErrorName]> {
    NAMES.iter().find(|(known, _)| *known == name).map(|(_, errors)| *errors)
}
