//! The text that replaces a secret. A file of its own, because recorded exchanges know it and redaction knows exchanges.

/// The text that replaces a secret.
pub const MASK: &str = "[redacted]";
