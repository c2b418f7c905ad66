//! The matrix of pairs as one HTML file.

use super::tags::HtmlWriter;
use super::{POLICY, STYLE};
use crate::report::pair_matrix::{PairDirection, PairMatrix, Talk};

const TITLE: &str = "How A2A agents work together";

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
    page.table(&["Number", "Agent", "Address", "Interfaces", "Alone"]);
    for (at, agent) in matrix.agents.iter().enumerate() {
        page.raw("<tr>");
        page.cell(&(at + 1).to_string());
        page.cell(&agent.name);
        page.code_cell(&agent.address);
        page.cell(&agent.interfaces.join(", "));
        page.cell(agent.verdict.as_ref().map_or("not checked", |verdict| &verdict.counts));
        page.raw("</tr>\n");
    }
    page.end_table();
    page.raw("</section>\n");
}

fn pairs(page: &mut HtmlWriter, matrix: &PairMatrix) {
    page.raw("<section>\n");
    page.element("h2", "", "Pairs");
    page.element("p", "", "The agent of the row calls the agent of the column.");
    let numbers: Vec<String> = (1..=matrix.agents.len()).map(|number| number.to_string()).collect();
    let heads: Vec<&str> = ["Caller"].into_iter().chain(numbers.iter().map(String::as_str)).collect();
    page.table(&heads);
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
    page.raw("<dl>\n");
    for (talk, meaning) in Talk::LEGEND {
        page.fact(talk.word(), meaning);
    }
    page.raw("</dl>\n</section>\n");
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
    let failed: Vec<&str> = direction.failed().collect();
    if !failed.is_empty() {
        page.element("small", "", &failed.join(", "));
    }
}

fn reasons(page: &mut HtmlWriter, matrix: &PairMatrix) {
    if matrix.remarks().next().is_none() {
        return;
    }
    page.raw("<section>\n");
    page.element("h2", "", "Why");
    page.table(&["Caller", "Called", "Result", "Because"]);
    for (caller, called, direction) in matrix.remarks() {
        page.raw("<tr>");
        page.cell(&caller.to_string());
        page.cell(&called.to_string());
        page.cell(direction.talk.word());
        page.cell(direction.because.as_deref().unwrap_or_default());
        page.raw("</tr>\n");
    }
    page.end_table();
    page.raw("</section>\n");
}
