//! The matrix of what agents support as Markdown.

use super::document::{Cell, Document, with_failed};
use crate::report::support_matrix::{Support, SupportMatrix, TITLE};
use crate::report::text::numbered_heads;

/// The matrix as Markdown: the interfaces with numbers, and the features by these.
#[must_use]
pub fn write(matrix: &SupportMatrix) -> String {
    let mut page = Document::titled(TITLE);
    page.head(&["", "Agent", "Interface", "Address", "Verdict"]);
    for [number, agent, interface, address, verdict] in &matrix.column_rows() {
        let (number, agent) = (Cell::Plain(number), Cell::Prose(agent));
        page.row(&[number, agent, Cell::Code(interface), Cell::Code(address), Cell::Plain(verdict)]);
    }
    page.foot();
    page.gap();
    page.head(&numbered_heads("", matrix.columns.len()));
    for row in &matrix.rows {
        let cells = row.cells.iter().map(|cell| with_failed(cell.support().word(), cell.failed()));
        let cells: Vec<String> = cells.collect();
        let cells = [Cell::Plain(row.feature)].into_iter().chain(cells.iter().map(|cell| Cell::Plain(cell)));
        page.row(&cells.collect::<Vec<_>>());
    }
    page.foot();
    page.legend(Support::legend());
    page.finish()
}
