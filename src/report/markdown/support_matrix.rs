//! The matrix of what agents support as Markdown.

use super::document::{Cell, Document};
use super::escape::code;
use crate::report::support_matrix::{Support, SupportCell, SupportMatrix};

/// So many failed checks are named in a cell.
const NAMED: usize = 3;

/// The matrix as Markdown: the interfaces with numbers, and the features by these.
#[must_use]
pub fn write(matrix: &SupportMatrix) -> String {
    let mut page = Document::default();
    page.line(format_args!("<!-- markdownlint-disable-next-line first-line-heading -->"));
    page.line(format_args!("### What A2A agents support"));
    page.gap();
    page.head(&["", "Agent", "Interface", "Address", "Verdict"]);
    for (at, column) in matrix.columns.iter().enumerate() {
        page.row(&[
            Cell::Plain(&(at + 1).to_string()),
            Cell::Prose(&column.agent),
            Cell::Code(&column.interface),
            Cell::Code(&column.address),
            Cell::Plain(&column.verdict),
        ]);
    }
    page.foot();
    page.gap();
    let numbers: Vec<String> = (1..=matrix.columns.len()).map(|number| number.to_string()).collect();
    let heads: Vec<&str> = [""].into_iter().chain(numbers.iter().map(String::as_str)).collect();
    page.head(&heads);
    for row in &matrix.rows {
        let cells: Vec<String> = row.cells.iter().map(in_words).collect();
        let cells = [Cell::Plain(row.feature)].into_iter().chain(cells.iter().map(|cell| Cell::Plain(cell)));
        page.row(&cells.collect::<Vec<_>>());
    }
    page.foot();
    page.gap();
    for (support, meaning) in Support::LEGEND {
        page.line(format_args!("- {}: {meaning}", support.word()));
    }
    page.finish()
}

/// `no: get.not-found, get.returns-task and 2 more`.
fn in_words(cell: &SupportCell) -> String {
    let word = cell.support().word();
    let failed: Vec<String> = cell.failed().map(|check| code(check, 60)).collect();
    if failed.is_empty() {
        return word.to_owned();
    }
    let rest = failed.len().saturating_sub(NAMED);
    let more = if rest == 0 { String::new() } else { format!(" and {rest} more") };
    format!("{word}: {}{more}", failed.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", "))
}
