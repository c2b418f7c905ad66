//! What every scenario is written with, in one place: the declarations, the driver, the transcript and the verdicts.

pub use super::check::{Area, Category, Check, Scenario, Scope};
pub use super::drive::{Driver, task_of};
pub use super::plural::count_of;
pub use super::prompt::Behaviour;
pub use super::session::StreamControl;
pub use super::transcript::{RunFacts, Step, Transcript};
pub use super::verdict::{Judged, Verdict};
