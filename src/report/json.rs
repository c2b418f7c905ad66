//! The JSON report, version 1: the contract's own types, apart from everything internal, so that a change inside cannot
//! change a file. `docs/report-v1.schema.json` describes the same shape.

mod members;
mod read;
mod restore;
mod types;
mod write;

pub use read::{ReadError, read};
pub use restore::{DeclaredCheck, RestoreReportError};
pub use types::{
    JsonCategories, JsonCategory, JsonChange, JsonCompletion, JsonDeclaration, JsonDescribedCheck, JsonDetected,
    JsonLane, JsonLevel, JsonNotChecked, JsonOptions, JsonRecommendation, JsonReport, JsonResult, JsonRunsResult,
    JsonStatus, JsonStrength, JsonSummary, JsonTool, JsonUpgrade, JsonVerdict, SCHEMA_VERSION,
};
pub(super) use write::write_as;
pub use write::{write, write_whole};
