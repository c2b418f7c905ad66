//! How much of a report is shown.

/// How much is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verbosity {
    /// The verdict, the facts and the findings.
    Quiet,
    /// The same, what stayed open, and counts for the rest.
    Usual,
    /// Every row.
    Verbose,
}
