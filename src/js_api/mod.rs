//! Calls for scripts: `checkAgent` and `checkList`, as the page and the npm package export them. Reading options and telling
//! events know no JavaScript and are compiled and tested everywhere; `api` is for wasm32 only.

#[cfg(target_arch = "wasm32")]
mod api;
mod events;
mod list;
mod options;
mod problem;

#[cfg(test)]
mod tests;

#[cfg(target_arch = "wasm32")]
pub use api::{check_agent, check_list, error};
pub use events::{report_event, script_events};
pub use list::list;
pub use options::{GivenRun, known, names, read};
pub use problem::{Code, Problem};
