//! The formats of reports, as the command line names them.

use clap::ValueEnum;

/// The format of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum OutputFormat {
    /// For a terminal
    Text,
    /// Everything, with all exchanges; the page opens it
    Json,
    /// For an issue or a pull request
    Markdown,
    /// For a build server: JUnit XML
    Junit,
    /// For test dashboards: Common Test Report Format, JSON
    Ctrf,
    /// All exchanges, for a browser's developer tools
    Har,
    /// One page to send or print, without scripts
    Html,
    /// The verdict as an SVG picture, for a README
    Badge,
    /// The report of the ACTS format, for one binding; of `scenario` only
    Acts,
    /// How long requests took, how many bytes came and how many were answered, for Prometheus
    Prometheus,
}
