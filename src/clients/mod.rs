//! What clients have to keep: the checks that judge a client by the requests that the scripted agent received. No page has them.

mod capability_checks;
mod card_checks;
mod client_check;
mod conversation;
mod credential_checks;
mod json_rpc_checks;
mod message_checks;
mod message_form_checks;
mod moved_checks;
mod push_checks;
mod registry;
mod request_checks;
mod retry_checks;
mod sentences;
mod served_lanes;
mod stream_checks;
mod task_checks;
mod told_tasks;
mod watch;

pub use client_check::ClientCheck;
pub use registry::{add_requirements, every_client_check};
pub use sentences::{Grounds, grounds};
pub use watch::ClientWatch;
