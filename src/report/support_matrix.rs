//! What agents support, by agent, version and binding: which checks stand for which feature or operation, as rows for every format
//! and as JSON. Made of reports, and each cell of the results about one feature.

use super::checked_row::CheckedRow;
use super::json_writer::JsonWriter;
use super::level::LaneReport;
use super::model::Report;
use super::report_file::ReportFile;
use super::tool;
use crate::engine::event::{EXTENDED_CARD, PUSH_NOTIFICATIONS, STREAMING};
use crate::engine::lane_name::lane_name;
use crate::engine::requirement::Level;
use crate::engine::verdict::Outcome;
use crate::wire::named_enum::named_enum;

/// The title for people.
pub(super) const TITLE: &str = "What A2A agents support";

/// The kind that the JSON file declares.
pub const KIND: &str = "a2a-conformance-matrix";

/// The features, each with the beginnings of the ids of its checks, and the capability that declares it, where one does.
const FEATURES: &[(&str, &[&str], Option<&str>)] = &[
    ("Agent card", &["card", "discovery"], None),
    ("SendMessage", &["send", "raise"], None),
    ("Follow-ups and contexts", &["context", "multi", "input-required", "auth-required"], None),
    ("SendStreamingMessage", &["stream", "sse"], Some(STREAMING)),
    ("GetTask", &["get", "poll", "history"], None),
    ("ListTasks", &["list"], None),
    ("CancelTask", &["cancel"], None),
    ("SubscribeToTask", &["subscribe"], Some(STREAMING)),
    ("Push notifications", &["push"], Some(PUSH_NOTIFICATIONS)),
    ("GetExtendedAgentCard", &["extended"], Some(EXTENDED_CARD)),
    (
        "Tasks, messages and parts",
        &["task", "message", "part", "artifact", "enum", "timestamp", "object", "json"],
        None,
    ),
    ("Form of the binding", &["jsonrpc", "rest", "grpc", "transport"], None),
    ("Errors", &["error"], None),
    ("Versions", &["version"], None),
    ("Extensions", &["ext"], None),
    ("Authentication", &["auth"], None),
    ("Equal to the other interface", &["interop"], None),
];

/// Features by interfaces.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SupportMatrix {
    /// The columns.
    pub columns: Vec<SupportColumn>,
    /// The rows that have something in any column.
    pub rows: Vec<SupportRow>,
}

/// An interface of an agent; of an agent without any, the agent alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SupportColumn {
    /// The agent's name.
    pub agent: String,
    /// Its address.
    pub address: String,
    /// The interface as people name it: `JSON-RPC 1.0`; empty for an agent without one.
    pub interface: String,
    /// The verdict on the agent.
    pub verdict: String,
}

/// A feature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SupportRow {
    /// Its name.
    pub feature: &'static str,
    /// A cell for each column.
    pub cells: Vec<SupportCell>,
}

/// What was found of a feature on an interface.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SupportCell {
    /// The checks that passed.
    pub passed: usize,
    /// The checks that failed at MUST level.
    pub musts: Vec<String>,
    /// The checks that failed below it.
    pub advice: Vec<String>,
    /// The checks that could not be judged.
    pub open: usize,
    /// The checks that do not apply.
    pub not_applicable: usize,
    /// Whether the agent's card says that it does not have the feature. What passes then is that it refuses it.
    pub is_undeclared: bool,
}

named_enum! {
    /// A cell in one word, with the words of the legend.
    pub enum Support {
        Works = "yes" titled "everything that was checked passes",
        Advice = "advice" titled "no required rule is broken, but a recommended one",
        Broken = "no" titled "a required rule is broken",
        NotDeclared = "not-declared" titled "not declared by the agent, or not in this version",
        NotJudged = "not-judged" titled "could not be checked",
    }
}

impl Support {
    /// The word for it in a table.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::NotDeclared => "-",
            Self::NotJudged => "?",
            known => known.as_str(),
        }
    }

    /// The words of tables, each with its meaning.
    #[must_use]
    pub fn legend() -> [(&'static str, &'static str); 5] {
        Self::ALL.map(|support| (support.word(), support.title()))
    }
}

impl SupportCell {
    /// The cell in one word. What passes says more than what is open beside it.
    #[must_use]
    pub const fn support(&self) -> Support {
        match (self.musts.len(), self.advice.len(), self.passed, self.open) {
            (1.., ..) => Support::Broken,
            (0, 1.., ..) => Support::Advice,
            _ if self.is_undeclared => Support::NotDeclared,
            (0, 0, 1.., _) => Support::Works,
            (0, 0, 0, 1..) => Support::NotJudged,
            (0, 0, 0, 0) => Support::NotDeclared,
        }
    }

    /// The checks that failed, musts first.
    pub fn failed(&self) -> impl Iterator<Item = &str> {
        self.musts.iter().chain(&self.advice).map(String::as_str)
    }

    const fn is_empty(&self) -> bool {
        self.passed + self.musts.len() + self.advice.len() + self.open + self.not_applicable == 0
    }

    fn count(&mut self, result: &CheckedRow) {
        // One check may have several results for one column: its own, and that of the card.
        match (result.outcome, result.level) {
            (Outcome::Pass | Outcome::Note, _) => self.passed += 1,
            (Outcome::Fail, Level::Must) if !result.good_practice => self.musts.push(result.check.to_owned()),
            (Outcome::Fail, _) => self.advice.push(result.check.to_owned()),
            (Outcome::NotApplicable, _) => self.not_applicable += 1,
            _ => self.open += 1,
        }
    }
}

impl SupportMatrix {
    /// The matrix of these reports, in their order.
    #[must_use]
    pub fn from_files(files: &[ReportFile]) -> Self {
        let columns: Vec<(&ReportFile, Option<&LaneReport>)> = files.iter().flat_map(columns).collect();
        let rows = FEATURES.iter().map(|(feature, beginnings, capability)| SupportRow {
            feature,
            cells: columns
                .iter()
                .map(|(file, lane)| SupportCell {
                    is_undeclared: capability.is_some_and(|name| is_undeclared(&file.report, name)),
                    ..cell(&file.report, *lane, beginnings)
                })
                .collect(),
        });
        Self {
            rows: rows.filter(|row| !row.cells.iter().all(SupportCell::is_empty)).collect(),
            columns: columns.iter().map(|(file, lane)| column(file, *lane)).collect(),
        }
    }

    /// The columns for a table: number, agent, interface, address and verdict.
    pub(super) fn column_rows(&self) -> Vec<[String; 5]> {
        let row = |(at, column): (usize, &SupportColumn)| {
            let SupportColumn { agent, address, interface, verdict } = column.clone();
            [(at + 1).to_string(), agent, interface, address, verdict]
        };
        self.columns.iter().enumerate().map(row).collect()
    }

    /// The matrix as JSON.
    #[must_use]
    pub fn to_json(&self, tool_version: &str) -> String {
        tool::document(KIND, tool_version, |w| {
            w.objects("interfaces", self.columns.iter().enumerate(), |w, (at, column)| {
                w.text("agent", &column.agent);
                w.text("address", &column.address);
                w.text_if_any("interface", &column.interface);
                w.text("verdict", &column.verdict);
                let cells = self.rows.iter().filter_map(|row| Some((row.feature, row.cells.get(at)?)));
                w.objects("features", cells, write_cell);
            });
        })
    }
}

fn write_cell(w: &mut JsonWriter, (feature, cell): (&str, &SupportCell)) {
    w.text("feature", feature);
    w.text("support", cell.support().as_str());
    w.size("passed", cell.passed);
    w.texts("failedMusts", &cell.musts);
    w.texts("failedAdvice", &cell.advice);
    w.size("notJudged", cell.open);
    w.size("notApplicable", cell.not_applicable);
}

/// The columns of a report: its lanes, or itself.
fn columns(file: &ReportFile) -> Vec<(&ReportFile, Option<&LaneReport>)> {
    if file.report.lanes.is_empty() {
        return vec![(file, None)];
    }
    file.report.lanes.iter().map(|lane| (file, Some(lane))).collect()
}

fn column(file: &ReportFile, lane: Option<&LaneReport>) -> SupportColumn {
    SupportColumn {
        agent: file.stated.agent.clone(),
        address: file.stated.address.clone(),
        interface: lane.map(|lane| lane_name(&lane.id)).unwrap_or_default(),
        verdict: file.stated.verdict_in_words(),
    }
}

/// Whether the card was read and does not declare a capability.
fn is_undeclared(report: &Report, capability: &str) -> bool {
    let Some(agent) = &report.agent else { return false };
    agent.capabilities.iter().any(|(known, declared)| known == capability && !declared)
}

/// The results of the checks with these beginnings, on the lane and of the card.
fn cell(report: &Report, lane: Option<&LaneReport>, beginnings: &[&str]) -> SupportCell {
    let mut cell = SupportCell::default();
    let is_on = |result: &&CheckedRow| match (&result.lane, lane) {
        (Some(of), Some(lane)) => *of == lane.id,
        (of, _) => of.is_none(),
    };
    let is_about =
        |result: &&CheckedRow| result.check.split('.').next().is_some_and(|beginning| beginnings.contains(&beginning));
    report.results.iter().filter(is_on).filter(is_about).for_each(|result| cell.count(result));
    cell
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::suite;

    #[test]
    fn every_check_is_about_a_feature() {
        let known: BTreeSet<&str> = FEATURES.iter().flat_map(|(_, beginnings, _)| beginnings.iter().copied()).collect();
        let areas = suite::AREAS.iter().flat_map(|area| area.scenarios);
        let checks = areas.flat_map(|scenario| scenario.checks).map(|check| check.id);
        let unknown: Vec<_> = checks.filter(|id| !known.contains(id.split('.').next().unwrap_or_default())).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }

    #[test]
    fn a_cell_says_the_worst_that_was_seen() {
        let cell = |passed, musts: usize, advice: usize, open, not_applicable| SupportCell {
            passed,
            musts: vec!["a.b".to_owned(); musts],
            advice: vec!["c.d".to_owned(); advice],
            open,
            not_applicable,
            is_undeclared: false,
        };
        for (cell, support) in [
            (cell(9, 1, 1, 1, 1), Support::Broken),
            (cell(9, 0, 1, 1, 1), Support::Advice),
            (cell(1, 0, 0, 1, 1), Support::Works),
            (cell(0, 0, 0, 1, 1), Support::NotJudged),
            (cell(0, 0, 0, 0, 1), Support::NotDeclared),
        ] {
            assert_eq!(cell.support(), support, "{cell:?}");
        }
        // That it is refused as it should be does not make it supported.
        assert_eq!(SupportCell { is_undeclared: true, ..cell(1, 0, 0, 0, 2) }.support(), Support::NotDeclared);
        assert_eq!(SupportCell { is_undeclared: true, ..cell(1, 1, 0, 0, 2) }.support(), Support::Broken);
    }
}
