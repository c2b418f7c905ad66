//! Opens a report of a file.

use serde_json::Value;

use super::members::report;
use super::types::{JsonReport, SCHEMA_VERSION};
use crate::report::members::{self, MalformedMember};
use crate::report::text::one_line;
use crate::wire::json::{self, FlawKind};

/// Why a file cannot be opened as a report.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It is not JSON.
    #[error("the file is not JSON: {0}")]
    NotJson(String),
    /// It is JSON, but not a report.
    #[error("the file is not a conformance report: it has no schemaVersion")]
    NotAReport,
    /// It has a schema version that this program does not know.
    #[error("the report has schema version {0}; this program reads version 1")]
    Version(String),
    /// It claims version 1 but does not have its shape.
    #[error("the report is damaged: {0}")]
    Damaged(#[from] MalformedMember),
}

/// Opens a report of a file.
///
/// # Errors
/// [`ReadError`] says why the text is not a report.
pub fn read(text: &str) -> Result<JsonReport, ReadError> {
    let value = value(text.strip_prefix('\u{feff}').unwrap_or(text)).map_err(ReadError::NotJson)?;
    match value.get("schemaVersion") {
        None => Err(ReadError::NotAReport),
        Some(version) if version.as_u64() != Some(SCHEMA_VERSION) => {
            Err(ReadError::Version(one_line(&version.to_string(), 40)))
        }
        Some(_) => Ok(members::of_file(&value, report)?),
    }
}

/// The report in a text, or the first fault of the text.
fn value(text: &str) -> Result<Value, String> {
    let parsed = json::parse(text.as_bytes());
    match parsed.flaws.iter().find(|flaw| flaw.kind != FlawKind::DuplicateKey) {
        Some(flaw) => Err(flaw.to_string()),
        None => Ok(parsed.value.unwrap_or_default()),
    }
}
