//! What several agents support and how they work together, as tables of the page and as files.

use crate::report::pair_matrix::{PairDirection, PairMatrix, Talk};
use crate::report::support_matrix::{Support, SupportCell, SupportMatrix};
use crate::report::{Format, html, markdown};
use crate::view_model::messages::File;
use crate::view_model::text_table::{TextCell, TextTable};

/// The interfaces with numbers, and the features by these.
pub(super) fn of_support(matrix: &SupportMatrix) -> Vec<TextTable> {
    let head = ["No.", "Agent", "Interface", "Address", "Verdict"];
    let mut interfaces = TextTable::new("support-interfaces", "Interfaces", &head);
    for (at, column) in matrix.columns.iter().enumerate() {
        let [agent, interface, address, verdict] =
            [&column.agent, &column.interface, &column.address, &column.verdict].map(String::clone);
        interfaces.push([(at + 1).to_string(), agent, interface, address, verdict]);
    }
    let mut features = numbered("support-features", "Features by interfaces", "Feature", matrix.columns.len());
    for row in &matrix.rows {
        let cells = row.cells.iter().map(support);
        features.rows.push([TextCell::plain(row.feature)].into_iter().chain(cells).collect());
    }
    features.note = legend(Support::legend());
    vec![interfaces, features]
}

/// The agents by each other, and why some pairs do not simply work.
pub(super) fn of_pairs(matrix: &PairMatrix) -> Vec<TextTable> {
    let mut pairs = numbered("pairs-table", "Callers by called agents", "Caller", matrix.agents.len());
    for (caller, agent) in matrix.agents.iter().enumerate() {
        let own = agent.verdict.as_ref().map_or("not checked", |verdict| verdict.title);
        let cell = |called| matrix.direction(caller, called).map_or_else(|| TextCell::plain(own), talk);
        let name = TextCell::plain(format!("{} {}", caller + 1, agent.name));
        pairs.rows.push([name].into_iter().chain((0..matrix.agents.len()).map(cell)).collect());
    }
    pairs.note = legend(Talk::legend());
    let mut reasons =
        TextTable::new("pairs-reasons", "Why", &["Caller", "Called", "Result", "Reason", "Failed checks"]);
    for (caller, called, direction) in matrix.remarks() {
        let texts = [direction.because.clone().unwrap_or_default(), direction.failed().collect::<Vec<_>>().join(", ")];
        let agents = [caller, called].map(|number| TextCell::plain(number.to_string()));
        reasons.rows.push(agents.into_iter().chain([talk(direction)]).chain(texts.map(TextCell::plain)).collect());
    }
    reasons.note = matrix.cost_in_words();
    vec![pairs, reasons]
}

/// An empty table whose columns have numbers.
fn numbered(id: &str, title: &str, first: &str, columns: usize) -> TextTable {
    let mut table = TextTable::new(id, title, &[first]);
    table.head.extend((1..=columns).map(|number| number.to_string()));
    table
}

fn legend<const N: usize>(words: [(&str, &str); N]) -> String {
    words.map(|(word, meaning)| format!("{word}: {meaning}")).join("; ") + "."
}

fn support(cell: &SupportCell) -> TextCell {
    let support = cell.support();
    let kind = match support {
        Support::Works => "pass",
        Support::Advice => "advisory",
        Support::Broken => "fail",
        Support::NotDeclared => "",
        Support::NotJudged => "blocked",
    };
    TextCell { kind: kind.to_owned(), text: support.word().to_owned() }
}

fn talk(direction: &PairDirection) -> TextCell {
    let kind = match direction.talk {
        Talk::Works => "pass",
        Talk::Advice => "advisory",
        Talk::Broken | Talk::CannotTalk => "fail",
        Talk::NotJudged => "blocked",
    };
    TextCell { kind: kind.to_owned(), text: direction.talk.word().to_owned() }
}

/// What the agents support, as a file; `None` for a format that there is not.
pub(super) fn support_file(matrix: &SupportMatrix, format: Format, tool_version: &str) -> Option<File> {
    let text = match format {
        Format::Json => matrix.to_json(tool_version),
        Format::Html => html::support_matrix::write(matrix),
        Format::Markdown => markdown::support_matrix::write(matrix),
        _ => return None,
    };
    Some(File::new(format!("a2a-support.{}", format.extension()), format, text))
}

/// How they work together, as a file; `None` for a format that there is not.
pub(super) fn pairs_file(matrix: &PairMatrix, format: Format, tool_version: &str) -> Option<File> {
    let text = match format {
        Format::Json => matrix.to_json(tool_version),
        Format::Html => html::pair_matrix::write(matrix),
        Format::Markdown => markdown::pair_matrix::write(matrix),
        _ => return None,
    };
    Some(File::new(format!("a2a-pairs.{}", format.extension()), format, text))
}
