//! Whether a file that was opened is a report, a card or neither, and the sentence by which it is refused; what a report does not
//! say of a check is taken from our own declarations.

use std::rc::Rc;

use crate::a2a::binding::BINDINGS;
use crate::a2a::dialect::{DIALECTS, Dialect};
use crate::a2a::model::Interface;
use crate::engine::event::{CheckResult, Completion, Row};
use crate::engine::transcript::Lane;
use crate::engine::verdict::Verdict;
use crate::report::{CheckedRow, LaneReport, ReadError, Report, UnknownInReport, read, tool};
use crate::suite;
use crate::view_model::format;
use crate::wire::json;

/// The result of opening a file, before the page is told of it.
#[derive(Debug)]
pub(super) enum FileContent {
    Report(Box<Report>, Vec<Rc<Lane>>, Vec<CheckResult>),
    /// An agent card, which can be judged.
    Card,
}

/// Opens a text. The error is one sentence on why it cannot be shown.
pub(super) fn open(text: &str) -> Result<FileContent, String> {
    let file = match read(text, suite::declaration) {
        Ok(file) => file,
        Err(ReadError::NotAReport) => return other(text),
        Err(problem) => return Err(format!("{}.", format::capitalised(&problem.to_string()))),
    };
    let report = file.report;
    if let Some(unknown) = file.unknown {
        return Err(refused(&report, &unknown));
    }
    let damaged = || "The report is damaged: it has results of an interface that it does not list.".to_owned();
    let lanes: Vec<Rc<Lane>> = report.lanes.iter().filter_map(lane).map(Rc::new).collect();
    let results: Option<Vec<CheckResult>> = report.results.iter().map(|row| result(row, &report, &lanes)).collect();
    Ok(FileContent::Report(Box::new(report), lanes, results.ok_or_else(damaged)?))
}

/// Recognises JSON that is not a report.
fn other(text: &str) -> Result<FileContent, String> {
    let value = json::read(text.as_bytes()).unwrap_or_default();
    if members_of_card(&value) > 2 {
        return Ok(FileContent::Card);
    }
    if value.get("acts_version").is_some() {
        return Err("This is a file of tests. Press “Tests of your own” and open it there.".to_owned());
    }
    Err("This is JSON, but neither a report of this checker nor an agent card, and not a HAR file.".to_owned())
}

/// How many of the members by which a card is known a document has.
pub(super) fn members_of_card(document: &json::Value) -> usize {
    let members = ["name", "skills", "capabilities", "supportedInterfaces", "url"];
    members.iter().filter(|member| document.get(member).is_some()).count()
}

fn refused(report: &Report, unknown: &UnknownInReport) -> String {
    if report.completion == Some(Completion::Written) {
        return "This is a report of tests of files, which is not shown again. Open those files, and run them."
            .to_owned();
    }
    let (unknown, made_by) = (format::capitalised(&unknown.to_string()), &report.environment.tool_version);
    format!("{unknown}. It was made by {} {made_by}; open it with that version.", tool::TOOL)
}

/// A lane with what a reader sees of it.
fn lane(lane: &LaneReport) -> Option<Lane> {
    let of_slug = || BINDINGS.iter().copied().find(|binding| lane.id.starts_with(binding.slug));
    let binding = BINDINGS.iter().copied().find(|binding| binding.id == lane.binding).or_else(of_slug)?;
    let interface = Interface {
        url: lane.url.clone(),
        binding: lane.binding.clone(),
        version: lane.protocol_version.clone(),
        tenant: lane.tenant.clone(),
    };
    let dialect = Dialect::of_version(&lane.protocol_version)?.over(binding.id);
    Some(Lane::new(lane.id.clone(), interface, dialect, binding))
}

fn result(row: &CheckedRow, report: &Report, lanes: &[Rc<Lane>]) -> Option<CheckResult> {
    let lane = match &row.lane {
        Some(id) => Some(Rc::clone(lanes.iter().find(|lane| lane.id == *id)?)),
        None => None,
    };
    let detected = report.agent.as_ref().and_then(|agent| Dialect::of_version(&agent.detected.0));
    let of_card = detected.or_else(|| DIALECTS.first().copied()).map(|dialect| dialect.version);
    let version = lane.as_ref().map(|lane| lane.dialect.version).or(of_card)?;
    let mut verdict = Verdict::pass_with(row.message.clone());
    verdict.outcome = row.outcome;
    verdict.expected.clone_from(&row.expected);
    verdict.actual.clone_from(&row.actual);
    verdict.pointer.clone_from(&row.pointer);
    verdict.exchanges.clone_from(&row.exchanges);
    verdict.of_runs.clone_from(&row.of_runs);
    let row_of = Row { check: row.declaration, scenario: row.scenario, area: row.area, lane, version };
    Some(CheckResult { row: row_of, verdict, level: row.level, duration_ms: row.duration_ms })
}
