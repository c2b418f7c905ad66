//! The error by which a call of a script is refused: its kinds and their codes; the texts are where options are read.

use std::fmt;

use crate::wire::named_enum::named_enum;

named_enum! {
    /// The kinds of problems, for programs: `code` of the error.
    pub enum Code {
        /// No option has this name.
        UnknownOption = "unknown-option",
        /// The value of an option cannot be used, or does not go with another.
        InvalidOption = "invalid-option",
        /// Something that is needed was not given.
        MissingOption = "missing-option",
        /// No fault of the scripted agent has this name.
        UnknownFault = "unknown-fault",
        /// The caller's signal ended the run.
        Aborted = "aborted",
    }
}

impl Code {
    /// As `name` of the error. What was aborted has the name that browsers give it.
    #[must_use]
    pub const fn error_name(self) -> &'static str {
        match self {
            Self::Aborted => "AbortError",
            _ => "CheckAgentError",
        }
    }
}

/// Why a call of a script is refused. No text repeats a credential.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The kind.
    pub code: Code,
    /// The option that it is about; empty where it is about none.
    pub option: String,
    /// One sentence.
    pub message: String,
}

impl Problem {
    /// A value that cannot be used.
    pub(super) fn invalid(option: &str, message: String) -> Self {
        Self { code: Code::InvalidOption, option: option.to_owned(), message }
    }

    /// The same, with the text of another error behind the option's name.
    pub(super) fn because(option: &str, problem: &dyn fmt::Display) -> Self {
        Self::invalid(option, format!("`{option}`: {problem}"))
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
