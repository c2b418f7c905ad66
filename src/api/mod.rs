//! The interface for other programs: one function that checks an agent, what it is given and what it answers, and the
//! scripted agent as a fixture. Everything here is re-exported at the root; it wraps the engine so that the engine can change.

mod check;
mod host;
#[cfg(all(feature = "native-host", not(target_arch = "wasm32")))]
mod native_host;
mod options;
mod report;
mod scripted_agent;
#[cfg(all(feature = "test-agent", not(target_arch = "wasm32")))]
mod test_agent;
#[cfg(all(feature = "web-host", target_arch = "wasm32"))]
mod web_host;

pub use check::{Update, check};
pub use host::Host;
pub use options::{CredentialError, Options};
pub use report::{CheckResult, Report};
pub use scripted_agent::ScriptedAgent;
#[cfg(all(feature = "test-agent", not(target_arch = "wasm32")))]
pub use test_agent::TestAgent;
