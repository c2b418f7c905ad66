//! The engine: what a check and a scenario are, the plan, the runner, and the events that everything else folds.

pub mod catch_panic;
pub mod cause;
pub mod check;
pub mod credentials;
pub mod detect;
pub mod discover;
pub mod drive;
pub mod event;
pub mod jwks;
pub mod options;
pub mod plan;
pub mod plural;
pub mod prompt;
pub mod reach;
pub mod requirement;
pub mod requirement_table;
pub mod run;
pub mod run_settings;
pub mod sdk;
pub mod security_schemes;
pub mod session;
pub mod transcript;
pub mod upgrade;
pub mod verdict;
pub mod version_questions;
