//! This program: its name, where it ran, and the id of the requirement set that it judges by.

use std::sync::OnceLock;

use super::json_writer::JsonWriter;
use crate::engine::requirement;
use crate::engine::requirement_table::DIGEST;

/// The name of this program in every report.
pub const TOOL: &str = "a2a-conformance";

/// The program, host and browser of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Environment {
    /// The version of this program.
    pub tool_version: String,
    /// `page` or `command line`.
    pub host: String,
    /// The browser, if it was one.
    pub user_agent: Option<String>,
}

/// Begins a JSON document of this program: its kind, the version of its schema, and the program's own.
pub(super) fn begin_document(kind: &str, tool_version: &str) -> JsonWriter {
    let mut w = JsonWriter::default();
    w.open("", '{');
    w.text("kind", kind);
    w.number("schemaVersion", 1);
    w.open("tool", '{');
    w.text("name", TOOL);
    w.text("version", tool_version);
    w.close('}');
    w
}

/// The id of the requirement set: its size and a digest of the table, so that a reader can tell whether two
/// reports were judged by the same rules.
#[must_use]
pub fn suite() -> String {
    static ID: OnceLock<String> = OnceLock::new();
    ID.get_or_init(|| format!("a2a-requirements-{}-{DIGEST:016x}", requirement::known().len())).clone()
}
