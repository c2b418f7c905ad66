//! The matrix of pairs as Markdown.

use super::document::{Cell, Document};
use super::escape::code;
use crate::report::pair_matrix::{PairDirection, PairMatrix, Talk};

/// So many failed checks are named in a cell.
const NAMED: usize = 3;

/// The matrix as Markdown: the agents with numbers, the pairs by these, and why some do not simply work.
#[must_use]
pub fn write(matrix: &PairMatrix) -> String {
    let mut page = Document::default();
    page.line(format_args!("<!-- markdownlint-disable-next-line first-line-heading -->"));
    page.line(format_args!("### How A2A agents work together"));
    page.gap();
    page.head(&["", "Agent", "Address", "Interfaces", "Alone"]);
    for (at, agent) in matrix.agents.iter().enumerate() {
        page.row(&[
            Cell::Plain(&(at + 1).to_string()),
            Cell::Prose(&agent.name),
            Cell::Code(&agent.address),
            Cell::Ours(&agent.interfaces.join(", ")),
            Cell::Ours(agent.verdict.as_ref().map_or("not checked", |verdict| &verdict.counts)),
        ]);
    }
    page.foot();
    page.section("The agent of the row calls the agent of the column");
    let numbers: Vec<String> = (1..=matrix.agents.len()).map(|number| number.to_string()).collect();
    let heads: Vec<&str> = [""].into_iter().chain(numbers.iter().map(String::as_str)).collect();
    page.head(&heads);
    for (caller, agent) in matrix.agents.iter().enumerate() {
        let own = agent.verdict.as_ref().map_or("not checked", |verdict| verdict.title);
        let cells: Vec<String> = (0..matrix.agents.len())
            .map(|called| matrix.direction(caller, called).map_or_else(|| format!("*{own}*"), in_words))
            .collect();
        let number = (caller + 1).to_string();
        let cells = [Cell::Plain(&number)].into_iter().chain(cells.iter().map(|cell| Cell::Plain(cell)));
        page.row(&cells.collect::<Vec<_>>());
    }
    page.foot();
    page.gap();
    for (talk, meaning) in Talk::LEGEND {
        page.line(format_args!("- {}: {meaning}", talk.word()));
    }
    if matrix.remarks().next().is_some() {
        page.section("Why");
        page.head(&["Caller", "Called", "Result", "Because"]);
        for (caller, called, direction) in matrix.remarks() {
            page.row(&[
                Cell::Plain(&caller.to_string()),
                Cell::Plain(&called.to_string()),
                Cell::Plain(direction.talk.word()),
                Cell::Advice(direction.because.as_deref().unwrap_or_default()),
            ]);
        }
        page.foot();
    }
    page.gap();
    page.line(format_args!("{}", matrix.cost_in_words()));
    page.finish()
}

/// `broken: pair.relay-parts, pair.lists and 2 more`.
fn in_words(direction: &PairDirection) -> String {
    let word = direction.talk.word();
    let failed: Vec<String> = direction.failed().map(|check| code(check, 60)).collect();
    if failed.is_empty() {
        return word.to_owned();
    }
    let rest = failed.len().saturating_sub(NAMED);
    let more = if rest == 0 { String::new() } else { format!(" and {rest} more") };
    format!("{word}: {}{more}", failed.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", "))
}
