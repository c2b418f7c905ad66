//! The matrix of pairs as one HTML file.

use super::tags::HtmlWriter;
use super::{POLICY, STYLE};
use crate::report::pair_matrix::{PairDirection, PairMatrix, TITLE, Talk};
use crate::report::text::numbered_heads;

/// The matrix as an HTML file.
#[must_use]
pub fn write(matrix: &PairMatrix) -> String {
    let mut page = HtmlWriter::default();
    page.begin(TITLE, POLICY, STYLE);
    page.raw("<header>\n");
    page.element("h1", "", TITLE);
    page.element("p", "", &matrix.cost_in_words());
    page.raw("</header>\n<main>\n");
    agents(&mut page, matrix);
    pairs(&mut page, matrix);
    reasons(&mut page, matrix);
    page.raw("</main>\n</body>\n</html>\n");
    page.finish()
}

fn agents(page: &mut HtmlWriter, matrix: &PairMatrix) {
    page.raw("<section>\n");
    page.element("h2", "", "Agents");
    page.text_table(["Number", "Agent", "Address", "Interfaces", "Alone"], &[2], &matrix.agent_rows());
    page.raw("</section>\n");
}

fn pairs(page: &mut HtmlWriter, matrix: &PairMatrix) {
    page.raw("<section>\n");
    page.element("h2", "", "Pairs");
    page.element("p", "", "The agent of the row calls the agent of the column.");
    page.table(&numbered_heads("Caller", matrix.agents.len()));
    for (caller, agent) in matrix.agents.iter().enumerate() {
        page.raw("<tr>");
        page.cell(&format!("{} {}", caller + 1, agent.name));
        for called in 0..matrix.agents.len() {
            page.raw("<td>");
            match matrix.direction(caller, called) {
                Some(direction) => cell(page, direction),
                None => page.element("em", "", agent.verdict.as_ref().map_or("not checked", |verdict| verdict.title)),
            }
            page.raw("</td>");
        }
        page.raw("</tr>\n");
    }
    page.end_table();
    page.legend(Talk::legend());
    page.raw("</section>\n");
}

/// A word in bold where a must fails, and what failed.
fn cell(page: &mut HtmlWriter, direction: &PairDirection) {
    let (tag, class) = match direction.talk {
        Talk::Works => ("span", "pass"),
        Talk::Advice => ("span", "advice"),
        Talk::Broken | Talk::CannotTalk => ("strong", "fail"),
        Talk::NotJudged => ("span", "dim"),
    };
    page.element(tag, class, direction.talk.word());
    page.failed(direction.failed());
}

fn reasons(page: &mut HtmlWriter, matrix: &PairMatrix) {
    let rows = matrix.remark_rows();
    if rows.is_empty() {
        return;
    }
    page.raw("<section>\n");
    page.element("h2", "", "Why");
    page.text_table(["Caller", "Called", "Result", "Because"], &[], &rows);
    page.raw("</section>\n");
}
