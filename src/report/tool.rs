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

impl Environment {
    /// This version of the program on a host without a browser.
    #[must_use]
    pub fn on(host: &str) -> Self {
        Self { tool_version: env!("CARGO_PKG_VERSION").to_owned(), host: host.to_owned(), user_agent: None }
    }
}

/// A JSON document of this program: its kind, the version of its schema, the program's own, and what `write` adds.
pub(super) fn document(kind: &str, tool_version: &str, write: impl FnOnce(&mut JsonWriter)) -> String {
    let mut w = JsonWriter::default();
    w.object("", |w| {
        w.text("kind", kind);
        w.number("schemaVersion", 1_u64);
        program(w, "tool", tool_version);
        write(w);
    });
    w.finish() + "\n"
}

/// A member that names this program.
pub(super) fn program(w: &mut JsonWriter, member: &str, tool_version: &str) {
    w.object(member, |w| {
        w.text("name", TOOL);
        w.text("version", tool_version);
    });
}

/// The id of the requirement set: its size and a digest of the table, so that a reader can tell whether two
/// reports were judged by the same rules.
#[must_use]
pub fn suite() -> String {
    static ID: OnceLock<String> = OnceLock::new();
    ID.get_or_init(|| format!("a2a-requirements-{}-{DIGEST:016x}", requirement::known().len())).clone()
}
