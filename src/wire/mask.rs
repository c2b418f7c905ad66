//! The text that stands in the place of a secret, wherever one was masked. A file of its own, because recorded exchanges know it
//! and redaction knows exchanges.

/// The text that replaces a secret.
pub const MASK: &str = "[redacted]";
