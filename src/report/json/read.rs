//! Opens a report of a file.

use super::types::{JsonReport, SCHEMA_VERSION};
use crate::report::text::one_line;

/// Why a file cannot be opened as a report.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It is not JSON.
    #[error("the file is not JSON: {0}")]
    NotJson(#[source] serde_json::Error),
    /// It is JSON, but not a report.
    #[error("the file is not a conformance report: it has no schemaVersion")]
    NotAReport,
    /// It has a schema version that this program does not know.
    #[error("the report has schema version {0}; this program reads version 1")]
    Version(String),
    /// It claims version 1 but does not have its shape.
    #[error("the report is damaged: {0}")]
    Damaged(#[source] serde_json::Error),
}

/// Opens a report of a file.
///
/// # Errors
/// [`ReadError`] says why the text is not a report.
pub fn read(text: &str) -> Result<JsonReport, ReadError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let value: serde_json::Value = serde_json::from_str(text).map_err(ReadError::NotJson)?;
    match value.get("schemaVersion") {
        None => Err(ReadError::NotAReport),
        Some(version) if version.as_u64() != Some(SCHEMA_VERSION) => {
            Err(ReadError::Version(one_line(&version.to_string(), 40)))
        }
        Some(_) => serde_json::from_value(value).map_err(ReadError::Damaged),
    }
}
