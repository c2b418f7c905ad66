//! The matrix of pairs as Markdown.

use super::document::{Cell, Document, with_failed};
use crate::report::pair_matrix::{PairMatrix, TITLE, Talk};
use crate::report::text::numbered_heads;

/// The matrix as Markdown: the agents with numbers, the pairs by these, and why some do not simply work.
#[must_use]
pub fn write(matrix: &PairMatrix) -> String {
    let mut page = Document::titled(TITLE);
    page.head(&["", "Agent", "Address", "Interfaces", "Alone"]);
    for [number, name, address, interfaces, alone] in &matrix.agent_rows() {
        let (number, name, address) = (Cell::Plain(number), Cell::Prose(name), Cell::Code(address));
        page.row(&[number, name, address, Cell::Ours(interfaces), Cell::Ours(alone)]);
    }
    page.foot();
    page.section("The agent of the row calls the agent of the column");
    page.head(&numbered_heads("", matrix.agents.len()));
    for (caller, agent) in matrix.agents.iter().enumerate() {
        let own = agent.verdict.as_ref().map_or("not checked", |verdict| verdict.title);
        let cells: Vec<String> = (0..matrix.agents.len())
            .map(|called| match matrix.direction(caller, called) {
                Some(direction) => with_failed(direction.talk.word(), direction.failed()),
                None => format!("*{own}*"),
            })
            .collect();
        let number = (caller + 1).to_string();
        let cells = [Cell::Plain(&number)].into_iter().chain(cells.iter().map(|cell| Cell::Plain(cell)));
        page.row(&cells.collect::<Vec<_>>());
    }
    page.foot();
    page.legend(Talk::legend());
    let remarks = matrix.remark_rows();
    if !remarks.is_empty() {
        page.section("Why");
        page.head(&["Caller", "Called", "Result", "Because"]);
        for [caller, called, result, because] in &remarks {
            page.row(&[Cell::Plain(caller), Cell::Plain(called), Cell::Plain(result), Cell::Advice(because)]);
        }
        page.foot();
    }
    page.gap();
    page.line(format_args!("{}", matrix.cost_in_words()));
    page.finish()
}
