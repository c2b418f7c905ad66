//! The environment of a run: program, host and browser.

/// The program, host and browser of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Environment {
    /// The version of this program.
    pub tool_version: String,
    /// `page` or `command line`.
    pub host: String,
    /// The browser, if it was one.
    pub user_agent: Option<String>,
}
