//! The client that is watched live: what was seen of it last.

use std::cell::RefCell;

use a2a_conformance::checker::look as look_at;
use a2a_conformance::host::Host;
use a2a_conformance::view_model::binary_encoding::to_bytes;

thread_local! {
    static REPORT: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Looks at the watch at that address, or has it begin anew.
pub(crate) async fn look(host: Host, address: &str, known: &str, is_anew: bool) -> Vec<u8> {
    let mut report = String::new();
    let seen = look_at(&host, address, known, is_anew, &mut report).await;
    if !report.is_empty() {
        REPORT.replace(report);
    }
    to_bytes(&seen)
}

pub(crate) fn report() -> String {
    REPORT.with_borrow(String::clone)
}
