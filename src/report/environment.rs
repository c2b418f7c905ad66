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

impl Environment {
    /// This version of the program on a host without a browser.
    #[must_use]
    pub fn on(host: &str) -> Self {
        Self { tool_version: env!("CARGO_PKG_VERSION").to_owned(), host: host.to_owned(), user_agent: None }
    }
}
