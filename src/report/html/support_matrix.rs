//! The matrix of what agents support as one HTML file.

use super::tags::HtmlWriter;
use super::{POLICY, STYLE};
use crate::report::support_matrix::{Support, SupportCell, SupportMatrix};

const TITLE: &str = "What A2A agents support";

/// The matrix as an HTML file.
#[must_use]
pub fn write(matrix: &SupportMatrix) -> String {
    let mut page = HtmlWriter::default();
    page.begin(TITLE, POLICY, STYLE);
    page.raw("<header>\n");
    page.element("h1", "", TITLE);
    page.raw("</header>\n<main>\n<section>\n");
    page.element("h2", "", "Interfaces");
    page.table(&["Number", "Agent", "Interface", "Address", "Verdict"]);
    for (at, column) in matrix.columns.iter().enumerate() {
        page.raw("<tr>");
        page.cell(&(at + 1).to_string());
        page.cell(&column.agent);
        page.cell(&column.interface);
        page.code_cell(&column.address);
        page.cell(&column.verdict);
        page.raw("</tr>\n");
    }
    page.end_table();
    page.raw("</section>\n<section>\n");
    page.element("h2", "", "Features");
    let numbers: Vec<String> = (1..=matrix.columns.len()).map(|number| number.to_string()).collect();
    let heads: Vec<&str> = ["Feature"].into_iter().chain(numbers.iter().map(String::as_str)).collect();
    page.table(&heads);
    for row in &matrix.rows {
        page.raw("<tr>");
        page.cell(row.feature);
        row.cells.iter().for_each(|cell| write_cell(&mut page, cell));
        page.raw("</tr>\n");
    }
    page.end_table();
    page.raw("<dl>\n");
    for (support, meaning) in Support::LEGEND {
        page.fact(support.word(), meaning);
    }
    page.raw("</dl>\n</section>\n</main>\n</body>\n</html>\n");
    page.finish()
}

/// A word in bold where a must fails, and what failed.
fn write_cell(page: &mut HtmlWriter, cell: &SupportCell) {
    let support = cell.support();
    let failed: Vec<&str> = cell.failed().collect();
    page.raw("<td>");
    page.element(if support == Support::Broken { "strong" } else { "span" }, "", support.word());
    if !failed.is_empty() {
        page.element("small", "", &failed.join(", "));
    }
    page.raw("</td>");
}
