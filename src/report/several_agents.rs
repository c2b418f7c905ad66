//! The reports of several agents as one file (JSON; JUnit and Markdown by their own writers), and its name.

use super::format::Format;
use super::headline::{counts, headline};
use super::json::write_as;
use super::junit;
use super::markdown::write_several;
use super::model::{Report, Subject};
use super::text::{compact, rfc3339};
use super::tool::{self, Environment};

/// The kind that the file declares.
pub const KIND: &str = "a2a-conformance-several";

/// Writes them; `None` for a format that has no such file.
#[must_use]
pub fn write(subjects: &[Subject], environment: &Environment, wall_ms: f64, format: Format) -> Option<String> {
    Some(match format {
        Format::Json => json(subjects, environment, wall_ms),
        Format::Markdown => write_several(subjects, wall_ms),
        Format::JUnit => {
            let reports: Vec<&Report> = subjects.iter().map(|subject| &subject.report).collect();
            junit::write_several(&reports)
        }
        _ => return None,
    })
}

fn json(subjects: &[Subject], environment: &Environment, wall_ms: f64) -> String {
    tool::document(KIND, &environment.tool_version, |w| {
        w.text("writtenAt", &rfc3339(wall_ms));
        w.objects("agents", subjects, |w, Subject { address, reason, report }| {
            w.text("address", address);
            w.text("verdict", report.word.as_str());
            w.text("counts", &counts(report));
            w.text("headline", &headline(report));
            w.text("reason", reason);
            // Without the recording: the report of one agent has that.
            write_as(w, "report", report);
        });
    })
}

/// The file's name, of the time.
#[must_use]
pub fn file_name(wall_ms: f64, format: Format) -> String {
    format!("a2a-report-several-{}.{}", compact(wall_ms), format.extension())
}
