//! The interface itself: whether it answers, and the form of every byte it sends.

mod envelope;
mod formats;
mod grpc_form;
mod grpc_help;
mod http_form;
mod kept_messages;
mod probe;
mod routes;
mod traffic;

pub(super) use kept_messages::{changed_member, kept_message};
pub(super) use probe::{is_in_doubt, repeat_working_call, working_call};

use crate::engine::check::{Area, Category};

/// The interface itself: whether it answers, and the form of every byte it sends.
pub static AREA: Area = Area {
    name: "transport",
    category: Category::ErrorHandling,
    is_optional: false,
    scenarios: &[
        &probe::SCENARIO,
        &envelope::SCENARIO,
        &http_form::SCENARIO,
        &grpc_form::SCENARIO,
        &routes::SCENARIO,
        &formats::SCENARIO,
    ],
};
