//! The formats by name: writing one, falling back to the raw results when that fails, and the names and media types of files.

use super::model::Report;
use super::text::{compact, host_and_port};
use super::{badge, ctrf, fallback, har, html, json, junit, markdown};
use crate::engine::catch_panic::catch_panic;

/// A format that a report can be written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// The report of the contract, version 1.
    Json,
    /// For people, on GitHub.
    Markdown,
    /// For build servers.
    JUnit,
    /// For test dashboards.
    Ctrf,
    /// The recorded exchanges, for developer tools.
    Har,
    /// For people, as one file to send or print.
    Html,
    /// The verdict as a picture, for a README.
    Badge,
}

impl Format {
    /// All of them, in the order they are offered.
    pub const ALL: [Self; 7] =
        [Self::Json, Self::Markdown, Self::Html, Self::JUnit, Self::Ctrf, Self::Har, Self::Badge];

    /// The word on the command line: `json`, `markdown`, `junit`, ...
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.row().0
    }

    /// For people: `JSON`, `Markdown`, `JUnit XML`, ...
    #[must_use]
    pub const fn title(self) -> &'static str {
        self.row().1
    }

    /// The extension of a file name, without its dot.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        self.row().2
    }

    /// The media type of the file.
    #[must_use]
    pub const fn media_type(self) -> &'static str {
        self.row().3
    }

    /// Word, title, extension and media type.
    const fn row(self) -> (&'static str, &'static str, &'static str, &'static str) {
        match self {
            Self::Json => ("json", "JSON", "json", "application/json"),
            Self::Markdown => ("markdown", "Markdown", "md", "text/markdown"),
            Self::JUnit => ("junit", "JUnit XML", "junit.xml", "application/xml"),
            Self::Ctrf => ("ctrf", "CTRF", "ctrf.json", "application/json"),
            Self::Har => ("har", "HAR", "har", "application/json"),
            Self::Html => ("html", "HTML", "html", "text/html"),
            Self::Badge => ("badge", "SVG badge", "svg", "image/svg+xml"),
        }
    }

    /// The format of that name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.as_str() == name)
    }
}

/// A file's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileText {
    /// Its content.
    pub text: String,
    /// Its media type.
    pub media_type: &'static str,
    /// Its extension.
    pub extension: &'static str,
    /// When these are the raw results instead of the report: why.
    pub fallback: Option<String>,
}

/// Writes a report. Should a writer break, [`write_or_raw`] still has the results.
#[must_use]
pub fn write(report: &Report, format: Format) -> String {
    match format {
        Format::Json => json::write(report),
        Format::Markdown => markdown::write(report),
        Format::JUnit => junit::write(report),
        Format::Ctrf => ctrf::write(report),
        Format::Har => har::write(report),
        Format::Html => html::write(report),
        Format::Badge => badge::write(report),
    }
}

/// Writes a report, or the raw results if that fails: a fault in a writer must not lose a run.
#[must_use]
pub fn write_or_raw(report: &Report, format: Format) -> FileText {
    or_raw(report, format, || write(report, format))
}

#[inline]
fn or_raw(report: &Report, format: Format, write: impl FnOnce() -> String) -> FileText {
    let whole =
        || FileText { text: write(), media_type: format.media_type(), extension: format.extension(), fallback: None };
    catch_panic(whole, || FileText {
        text: fallback::write(report),
        media_type: Format::Json.media_type(),
        extension: "raw.json",
        fallback: Some(format!(
            "the {} writer failed because of a bug in this checker; please report it",
            format.title()
        )),
    })
}

/// The file's name, of host, port and time: `a2a-report-127.0.0.1-8080-20261121-080000Z.json`.
#[must_use]
pub fn file_name(report: &Report, format: Format) -> String {
    let host: String = host_and_port(&report.address)
        .chars()
        .take(80)
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-') { c } else { '-' })
        .collect();
    let host = host.trim_matches(['.', '-']);
    let host = if host.is_empty() { "agent" } else { host };
    format!("a2a-report-{host}-{}.{}", compact(report.started_ms.unwrap_or_default()), format.extension())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::builder::ReportBuilder;
    use crate::report::tool::Environment;

    fn empty() -> Report {
        let environment =
            Environment { tool_version: "0.0.0".to_owned(), host: "command line".to_owned(), user_agent: None };
        ReportBuilder::new(environment).report()
    }

    #[test]
    fn a_writer_that_fails_leaves_the_raw_results() {
        let report = empty();
        let written = or_raw(&report, Format::Markdown, || panic!("on purpose"));
        assert_eq!(written.extension, "raw.json");
        assert!(written.fallback.is_some_and(|why| why.contains("Markdown writer failed")));
        let dump: serde_json::Value = serde_json::from_str(&written.text).unwrap();
        assert_eq!(dump["kind"], fallback::KIND);
    }

    #[test]
    fn a_file_is_named_after_host_port_and_time_and_nothing_else() {
        let mut report = empty();
        report.started_ms = Some(1_795_248_000_000.0);
        for (address, format, name) in [
            ("https://a.example.com:8443/x", Format::Json, "a2a-report-a.example.com-8443-20261121-080000Z.json"),
            ("https://a.example.com:443/x", Format::Json, "a2a-report-a.example.com-20261121-080000Z.json"),
            ("http://127.0.0.1:8080", Format::Markdown, "a2a-report-127.0.0.1-8080-20261121-080000Z.md"),
            ("http://[::1]:8080/", Format::Markdown, "a2a-report-1--8080-20261121-080000Z.md"),
            ("localhost:9999", Format::Markdown, "a2a-report-localhost-9999-20261121-080000Z.md"),
            ("../../etc/passwd", Format::JUnit, "a2a-report-agent-20261121-080000Z.junit.xml"),
            ("", Format::JUnit, "a2a-report-agent-20261121-080000Z.junit.xml"),
        ] {
            report.address = address.to_owned();
            assert_eq!(file_name(&report, format), name);
        }
    }

    #[test]
    fn formats_are_found_by_their_names() {
        for format in Format::ALL {
            assert_eq!(Format::parse(format.as_str()), Some(format));
        }
        assert_eq!(Format::parse("pdf"), None);
    }
}
