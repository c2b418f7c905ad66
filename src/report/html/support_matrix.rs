//! The matrix of what agents support as one HTML file.

use super::tags::HtmlWriter;
use super::{POLICY, STYLE};
use crate::report::support_matrix::{Support, SupportMatrix, TITLE};
use crate::report::text::numbered_heads;

/// The matrix as an HTML file.
#[must_use]
pub fn write(matrix: &SupportMatrix) -> String {
    let mut page = HtmlWriter::default();
    page.begin(TITLE, POLICY, STYLE);
    page.raw("<header>\n");
    page.element("h1", "", TITLE);
    page.raw("</header>\n<main>\n<section>\n");
    page.element("h2", "", "Interfaces");
    page.text_table(["Number", "Agent", "Interface", "Address", "Verdict"], &[3], &matrix.column_rows());
    page.raw("</section>\n<section>\n");
    page.element("h2", "", "Features");
    page.table(&numbered_heads("Feature", matrix.columns.len()));
    for row in &matrix.rows {
        page.raw("<tr>");
        page.cell(row.feature);
        for cell in &row.cells {
            let support = cell.support();
            page.raw("<td>");
            // A word in bold where a must fails, and what failed.
            page.element(if support == Support::Broken { "strong" } else { "span" }, "", support.word());
            page.failed(cell.failed());
            page.raw("</td>");
        }
        page.raw("</tr>\n");
    }
    page.end_table();
    page.legend(Support::legend());
    page.raw("</section>\n</main>\n</body>\n</html>\n");
    page.finish()
}
