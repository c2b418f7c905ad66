//! What breaks the framing of a stream of server-sent events, and what is only unusual in it, each in words.

use std::fmt;

/// Something unusual in a stream.
///
/// The standard's grammar accepts every line (one that is not a comment is a field), so there is no oddity for a malformed line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Oddity {
    /// A byte order mark stands at the very start. Legal, and stripped.
    ByteOrderMark,
    /// Bytes that are not UTF-8, read as U+FFFD. The standard: "event streams must always be encoded as UTF-8".
    InvalidUtf8,
    /// A field that the standard does not name, and which clients ignore; the name, or the beginning of one that is longer than
    /// 64 characters.
    UnknownField(String),
    /// A `retry` field that is not a whole number of milliseconds, and which clients ignore; its value, cut likewise.
    BadRetry(String),
    /// An `id` field holding U+0000, which clients ignore.
    NulInId,
    /// A line was longer than we read, in bytes; its event, if it was not a comment, is dropped.
    LineTooLong {
        /// The limit in bytes.
        limit: usize,
    },
    /// An event's data was longer than we hold, in bytes; the event is dropped.
    EventTooLarge {
        /// The limit in bytes.
        limit: usize,
    },
    /// The stream ended within an event: no empty line came after its last field.
    Unterminated,
}

impl Oddity {
    /// Whether the stream breaks the standard's rules, rather than using them in an unusual way or outgrowing our limits.
    #[must_use]
    pub const fn is_violation(&self) -> bool {
        matches!(self, Self::InvalidUtf8 | Self::Unterminated)
    }
}

impl fmt::Display for Oddity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ByteOrderMark => f.write_str("the stream starts with a byte order mark"),
            Self::InvalidUtf8 => f.write_str("the stream contains bytes that are not UTF-8"),
            Self::UnknownField(name) => write!(f, "the field name {name:?} is unknown, so clients ignore it"),
            Self::BadRetry(value) => write!(f, "the retry value {value:?} is not a whole number, so clients ignore it"),
            Self::NulInId => f.write_str("an event id contains a NUL character, so clients ignore it"),
            Self::LineTooLong { limit } => write!(f, "a line is longer than the {limit} bytes that are read"),
            Self::EventTooLarge { limit } => {
                write!(f, "an event's data is longer than the {limit} bytes that are kept")
            }
            Self::Unterminated => f.write_str("the last event does not end with an empty line"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_broken_rule_is_a_violation() {
        let legal = [
            Oddity::ByteOrderMark,
            Oddity::UnknownField("x".into()),
            Oddity::BadRetry("x".into()),
            Oddity::NulInId,
            Oddity::LineTooLong { limit: 1 },
            Oddity::EventTooLarge { limit: 1 },
        ];
        assert!(!legal.iter().any(Oddity::is_violation));
        assert!(Oddity::InvalidUtf8.is_violation() && Oddity::Unterminated.is_violation());
    }

    #[test]
    fn an_oddity_shows_an_agents_text_escaped() {
        let shown = Oddity::UnknownField("a\u{1b}[31m\"".into()).to_string();
        assert_eq!(shown, r#"the field name "a\u{1b}[31m\"" is unknown, so clients ignore it"#);
    }
}
