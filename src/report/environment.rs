//! What a run was made with: program, host and browser.

/// What a run was made with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Environment {
    /// The version of this program.
    pub tool_version: String,
    /// `page` or `command line`.
    pub host: String,
    /// The browser, if it was one.
    pub user_agent: Option<String>,
}
