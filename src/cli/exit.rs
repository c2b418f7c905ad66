//! How a command ended, as a number. Which one a report deserves is decided in `running.rs`.

use std::process::ExitCode;

/// How a command ended. The numbers are a contract with scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exit {
    /// Nothing that counts failed.
    Conformant = 0,
    /// Something that counts was observed to fail.
    Failures = 1,
    /// The command could not be understood or started.
    Usage = 2,
    /// The agent could not be reached, or the run did not see what it had to.
    Incomplete = 3,
}

impl Exit {
    /// The same, unless the report could not be written and nothing worse is to be told.
    pub(super) const fn unless_unwritten(self, is_written: bool) -> Self {
        match self {
            Self::Conformant | Self::Incomplete if !is_written => Self::Usage,
            exit => exit,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
