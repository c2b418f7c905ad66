//! A report of a file, with what the file states of the whole run. A comparison quotes that and does not work it out anew, because
//! the file may be another version's, or another program's.

use super::headline::incomplete;
use super::model::Report;
use super::text::rfc3339;
use super::verdict::VerdictWord;

/// A report of a file.
#[derive(Debug, Clone)]
pub struct ReportFile {
    /// The report. Verdict and counts are those of its results.
    pub report: Report,
    /// What the file states of the whole run.
    pub stated: RunSummary,
    /// What this version of the program does not know of it. Results can be compared all the same, but not shown: such a check has no
    /// title, and such a reason is read as inconclusive.
    pub unknown: Option<UnknownInReport>,
    /// The number of an exchange that was too large to be written whole. Verdicts over a part of it would be guesses.
    pub truncated: Option<u32>,
}

/// What a report states of the whole run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunSummary {
    /// The agent's name.
    pub agent: String,
    /// Its address.
    pub address: String,
    /// When the run began: RFC 3339.
    pub date: String,
    /// The version of the program.
    pub tool_version: String,
    /// The id of the requirement set.
    pub suite: String,
    /// The verdict. Absent from files that another program made to the contract's letter.
    pub verdict: Option<VerdictWord>,
    /// How many passed.
    pub passed: u32,
    /// How many failed.
    pub failed: u32,
    /// Why the run was not a whole one, if it was not.
    pub incomplete: Option<String>,
}

/// What this version of the program does not know of a report.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnknownInReport {
    /// A check of another version of this program.
    #[error("the report has a check that this version does not know: {0}")]
    Check(String),
    /// A version of the protocol.
    #[error("the report has a version of A2A that this version does not know: {0}")]
    Version(String),
    /// A reason for a skip.
    #[error("the report has a reason that this version does not know: {0}")]
    Reason(String),
}

impl RunSummary {
    /// The verdict: `not conformant`.
    #[must_use]
    pub fn verdict_in_words(&self) -> String {
        self.verdict.map_or_else(|| "not told".to_owned(), |word| word.as_str().replace('-', " "))
    }
}

impl ReportFile {
    /// The report of a run as if it had been read from its file.
    #[must_use]
    pub fn from_report(report: Report) -> Self {
        let stated = RunSummary {
            agent: report.agent_name(),
            address: report.address.clone(),
            date: rfc3339(report.started_ms.unwrap_or_default()),
            tool_version: report.environment.tool_version.clone(),
            suite: report.suite.clone(),
            verdict: Some(report.word),
            passed: report.tally.passed,
            failed: report.tally.failed,
            incomplete: incomplete(&report),
        };
        Self { report, stated, unknown: None, truncated: None }
    }
}
