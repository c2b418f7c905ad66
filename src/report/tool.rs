//! The name of this program, and the id of the requirement set that it judges by.

use std::sync::OnceLock;

use crate::engine::requirement;
use crate::engine::requirement_table::DIGEST;

/// The name of this program in every report.
pub const TOOL: &str = "a2a-conformance";

/// The id of the requirement set: its size and a digest of the table, so that a reader can tell whether two
/// reports were judged by the same rules.
#[must_use]
pub fn suite() -> String {
    static ID: OnceLock<String> = OnceLock::new();
    ID.get_or_init(|| format!("a2a-requirements-{}-{DIGEST:016x}", requirement::known().len())).clone()
}
