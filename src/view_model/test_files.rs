//! What the page is told of the files of tests: which are open, and the mistakes in them.

use crate::view_model::binary_encoding::binary_encoding;

/// The files that are open.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TestFiles {
    /// Their names, in the order in which they were opened.
    pub names: Vec<String>,
    /// How many tests they hold; 0 while there is a mistake.
    pub tests: u32,
    /// The mistakes in them.
    pub mistakes: Vec<TestMistake>,
    /// Why the last one could not be opened; empty for nothing.
    pub problem: String,
}

binary_encoding! { struct TestFiles { names, tests, mistakes, problem } }

/// A mistake in a file of tests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestMistake {
    /// The file's name.
    pub file: String,
    /// Where in the file: `line 3, column 7`; empty when it is about the whole of it.
    pub place: String,
    /// What is wrong, and what was expected there.
    pub message: String,
}

binary_encoding! { struct TestMistake { file, place, message } }
