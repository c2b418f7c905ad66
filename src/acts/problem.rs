//! A mistake in a file of tests: where it is, and what was expected there.

use std::fmt;

/// A place in a file, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct TextPlace {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

/// A mistake in a file of tests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileProblem {
    /// The file's name, as the user gave it.
    pub file: String,
    /// Where in the file; `None` when it is about the whole of it.
    pub place: Option<TextPlace>,
    /// What is wrong, and what was expected.
    pub message: String,
}

impl fmt::Display for FileProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Some(place) => write!(f, "{}:{}:{}: {}", self.file, place.line, place.column, self.message),
            None => write!(f, "{}: {}", self.file, self.message),
        }
    }
}
