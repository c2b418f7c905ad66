//! Several agents beside each other as Markdown: a table of the agents, and one of the checks that fail, those that fail on most
//! agents first.

use super::document::{Cell, Document};
use crate::engine::plural::count_of;
use crate::report::checked_row::CheckedRow;
use crate::report::groups::grouped;
use crate::report::headline::broken;
use crate::report::model::Subject;
use crate::report::text::rfc3339;
use crate::wire::order;

/// The agents with what each came to, and the checks that fail.
#[must_use]
pub(crate) fn write_several(subjects: &[Subject], wall_ms: f64) -> String {
    let mut page = Document::titled(&format!("A2A conformance of {}", count_of(subjects.len(), "agent")));
    page.line(format_args!("Written at {}.", rfc3339(wall_ms)));
    page.section("Agents");
    page.head(&["", "agent", "address", "verdict", "required rules broken", "suggestions", "reason"]);
    for (number, Subject { address, reason, report }) in subjects.iter().enumerate() {
        let (broken, suggestions) = broken(report);
        page.row(&[
            Cell::Plain(&(number + 1).to_string()),
            Cell::Code(report.agent.as_ref().map_or("", |agent| &agent.name)),
            Cell::Code(address),
            Cell::Plain(report.word.title()),
            Cell::Plain(&broken.to_string()),
            Cell::Plain(&suggestions.to_string()),
            Cell::Prose(reason),
        ]);
    }
    page.foot();
    for (title, is_of) in [
        ("Required rules that are broken", CheckedRow::is_breach as fn(&CheckedRow) -> bool),
        ("Suggestions", CheckedRow::is_advice as fn(&CheckedRow) -> bool),
    ] {
        let failing = failing(subjects, is_of);
        if failing.is_empty() {
            continue;
        }
        page.section(title);
        page.head(&["check", "what it looks at", "fails on the agents"]);
        for (row, agents) in failing {
            let agents: Vec<String> = agents.iter().map(|agent| (agent + 1).to_string()).collect();
            page.row(&[Cell::Code(row.check), Cell::Ours(row.title), Cell::Plain(&agents.join(", "))]);
        }
        page.foot();
    }
    page.finish()
}

/// The checks with such a row, each with the places of the agents.
fn failing(subjects: &[Subject], is_of: fn(&CheckedRow) -> bool) -> Vec<(&CheckedRow, Vec<usize>)> {
    let rows = subjects.iter().enumerate().flat_map(|(agent, subject)| {
        subject.report.results.iter().filter(|row| is_of(row)).map(move |row| (row, agent))
    });
    let checks = grouped(rows, |(row, _), (first, _)| row.check == first.check).into_iter();
    let with_agents = checks.filter_map(|rows| {
        let mut agents: Vec<usize> = rows.iter().map(|(_, agent)| *agent).collect();
        agents.dedup();
        Some((rows.first()?.0, agents))
    });
    let mut failing: Vec<(&CheckedRow, Vec<usize>)> = with_agents.collect();
    order::sort_by_key(&mut failing, |(_, agents)| std::cmp::Reverse(agents.len()));
    failing
}
