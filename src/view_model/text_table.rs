//! A table of texts, as several views show one: the figures of a load, what a client sent.

use crate::engine::load::LoadFigures;
use crate::report::Report;
use crate::report::load_figures::{COLUMNS, LATENCIES_IN_WORDS, facts, latencies};
use crate::view_model::binary_encoding::binary_encoding;

/// A table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TextTable {
    /// Its name in the page: `load`.
    pub id: String,
    /// Its heading.
    pub title: String,
    /// The heads of its columns; none for a list of facts.
    pub head: Vec<String>,
    /// Its rows.
    pub rows: Vec<Vec<TextCell>>,
    /// A remark below it; else empty.
    pub note: String,
}

binary_encoding! { struct TextTable { id, title, head, rows, note } }

/// A cell.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TextCell {
    /// The kind of result, whose shape stands before the text: `fail`; else empty.
    pub kind: String,
    /// The text.
    pub text: String,
}

binary_encoding! { struct TextCell { kind, text } }

impl TextCell {
    /// A cell of this text.
    pub fn plain(text: impl Into<String>) -> Self {
        Self { kind: String::new(), text: text.into() }
    }
}

impl TextTable {
    /// A table of this name and heading, with these heads of its columns.
    #[must_use]
    pub fn new(id: &str, title: &str, head: &[&str]) -> Self {
        Self {
            id: id.to_owned(),
            title: title.to_owned(),
            head: head.iter().map(|name| (*name).to_owned()).collect(),
            ..Self::default()
        }
    }

    /// Adds a row of plain texts.
    pub fn push(&mut self, texts: impl IntoIterator<Item = String>) {
        self.rows.push(texts.into_iter().map(TextCell::plain).collect());
    }

    /// What a report says beside its results: the figures of a load.
    #[must_use]
    pub fn of_report(report: &Report) -> Vec<Self> {
        report.load.as_deref().map(of_load).into_iter().flatten().collect()
    }
}

fn of_load(figures: &LoadFigures) -> [TextTable; 2] {
    let mut about = TextTable::new("load", "Load", &[]);
    for (name, value) in facts(figures) {
        about.push([name.to_owned(), value]);
    }
    let mut table = TextTable::new("latencies", "Latencies", &COLUMNS);
    for row in latencies(figures) {
        table.push(row);
    }
    table.note = LATENCIES_IN_WORDS.to_owned();
    [about, table]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::load::LatencyFigures;

    #[test]
    fn a_load_has_its_facts_and_a_row_for_each_operation() {
        let latency =
            LatencyFigures { what: "SendMessage".to_owned(), count: 7, p50: 1.0, p90: 2.5, p99: 3.0, max: 120.4 };
        let [about, table] = of_load(&LoadFigures { latencies: vec![latency], ..LoadFigures::default() });
        assert_eq!(
            about.rows.iter().map(|row| row[0].text.as_str()).collect::<Vec<_>>(),
            ["Conversations", "Rate", "Requests"]
        );
        assert_eq!(
            table.rows[0].iter().map(|cell| cell.text.as_str()).collect::<Vec<_>>(),
            ["SendMessage", "7", "1", "2.5", "3", "120"]
        );
        assert_eq!(table.head.len(), table.rows[0].len());
    }
}
