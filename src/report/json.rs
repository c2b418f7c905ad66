//! The JSON report, version 1: the contract's own types, apart from everything internal, so that a change inside cannot
//! change a file. `docs/report-v1.schema.json` describes the same shape.

mod read;
mod types;
mod write;

pub use read::{ReadError, read};
pub use types::{
    JsonCategories, JsonCategory, JsonChange, JsonDetected, JsonLane, JsonLevel, JsonRecommendation, JsonReport,
    JsonResult, JsonStatus, JsonStrength, JsonSummary, JsonTool, JsonUpgrade, JsonVerdict, SCHEMA_VERSION,
};
pub use write::write;
