//! The name of this program, and the id of the requirement set that it judges by.

use std::sync::OnceLock;

use crate::engine::requirement;

/// The name of this program in every report.
pub const TOOL: &str = "a2a-conformance";

/// The id of the requirement set: its size and a digest (FNV-1a) of the table, so that a reader can tell whether two
/// reports were judged by the same rules.
#[must_use]
pub fn suite() -> String {
    static ID: OnceLock<String> = OnceLock::new();
    ID.get_or_init(|| {
        let digest = requirement::SOURCE
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
        format!("a2a-requirements-{}-{digest:016x}", requirement::known().len())
    })
    .clone()
}
