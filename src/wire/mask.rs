//! What stands where a secret stood.

/// What stands where a secret stood.
pub const MASK: &str = "[redacted]";
