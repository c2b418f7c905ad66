//! The text that stands in the place of a secret, wherever one was masked. A file of its own, because recorded exchanges know it
//! and redaction knows exchanges.

use std::ops::Range;

/// The text that replaces a secret.
pub const MASK: &str = "[redacted]";

/// The bytes with these texts in the place of what stood there. The places are in order, and none overlaps another.
#[must_use]
pub(super) fn replaced(bytes: Vec<u8>, places: &[(Range<usize>, &str)]) -> Vec<u8> {
    if places.is_empty() {
        return bytes;
    }
    let mut out = Vec::with_capacity(bytes.len());
    let mut end = 0;
    for (place, text) in places {
        out.extend_from_slice(bytes.get(end..place.start).unwrap_or_default());
        out.extend_from_slice(text.as_bytes());
        end = place.end;
    }
    out.extend_from_slice(bytes.get(end..).unwrap_or_default());
    out
}
