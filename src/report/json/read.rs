//! Opens a report of a file.

use super::types::{JsonReport, SCHEMA_VERSION};
use crate::report::text::one_line;

/// Why a file is no report that can be opened.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It is not JSON.
    #[error("the file is not JSON: {0}")]
    NotJson(#[source] serde_json::Error),
    /// It is JSON, and something else.
    #[error("the file is not a conformance report: it has no schemaVersion")]
    NotAReport,
    /// A version that this program does not know.
    #[error("the report has schema version {0}; this program reads version 1")]
    Version(String),
    /// It says version 1 and does not keep to it.
    #[error("the report is damaged: {0}")]
    Damaged(#[source] serde_json::Error),
}

/// Opens a report of a file.
///
/// # Errors
/// [`ReadError`] says why it is none.
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
