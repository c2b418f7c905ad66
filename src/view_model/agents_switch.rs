//! The three reports of a run of two agents: that of each of them, and that of both together. One of them is shown.

use crate::report::VerdictWord;
use crate::view_model::binary_encoding::binary_encoding;

/// The names of the reports, in order.
pub const NAMES: [&str; 3] = ["Agent A", "Agent B", "Both together"];

/// The place of the report on both.
pub const TOGETHER: usize = 2;

/// One of the reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportLine {
    /// The agent's address; empty for both.
    pub address: String,
    /// The verdict, once its run is over.
    pub word: Option<VerdictWord>,
    /// The verdict in words, or what its run does now.
    pub verdict: String,
    /// Whether it can be shown.
    pub can_show: bool,
}

binary_encoding! { struct ReportLine { address, word, verdict, can_show } }

/// All of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AgentsSwitch {
    /// The reports, in the order of [`NAMES`]; empty for a run of one agent.
    pub reports: Vec<ReportLine>,
    /// The place of the one that is shown.
    pub shown: usize,
    /// What that is about, for people: an address, or both.
    pub subject: String,
    /// Why the two cannot talk, as a sentence; empty where they can, or nobody knows yet.
    pub obstacle: String,
}

binary_encoding! { struct AgentsSwitch { reports, shown, subject, obstacle } }

impl AgentsSwitch {
    /// Whether the run is of two agents.
    #[must_use]
    pub fn is_given(&self) -> bool {
        !self.reports.is_empty()
    }
}

/// What the report at this place is about, for people: an address, or both.
#[must_use]
pub fn subject(reports: &[ReportLine], shown: usize) -> String {
    let address = |line: &ReportLine| line.address.clone();
    match reports.get(shown) {
        Some(line) if !line.address.is_empty() => address(line),
        _ => reports.iter().map(address).filter(|address| !address.is_empty()).collect::<Vec<_>>().join(" and "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_subject_is_what_is_shown() {
        let line = |address: &str| ReportLine {
            address: address.to_owned(),
            word: None,
            verdict: "waits".to_owned(),
            can_show: false,
        };
        let reports = vec![line("https://a/"), line("https://b/"), line("")];
        assert_eq!(subject(&reports, 0), "https://a/");
        assert_eq!(subject(&reports, TOGETHER), "https://a/ and https://b/");
        assert!(AgentsSwitch { reports, ..AgentsSwitch::default() }.is_given() && !AgentsSwitch::default().is_given());
    }
}
