//! Writes Markdown: lines, folds and tables, with the longest cell, the checks named in one, and the length of the whole that
//! GitHub takes.

use std::borrow::Borrow;
use std::fmt::{Arguments, Write as _};

use super::escape::{code, ours, prose};
use crate::report::checked_row::CheckedRow;
use crate::report::text::in_cell;

/// The longest comment that GitHub takes has 65 535 characters; the rest of the room is for the closing lines.
pub(super) const MAX: usize = 60_000;
/// How long a cell may be.
const CELL: usize = 160;
/// So many failed checks are named in a cell.
const NAMED: usize = 3;

/// A cell of a table, by how its text is made fit for it. An empty one shows a dash.
pub(super) enum Cell<'a> {
    /// A word of ours that needs nothing.
    Plain(&'a str),
    /// Our own text.
    Ours(&'a str),
    /// The same, and longer: what to do.
    Advice(&'a str),
    /// Text that an agent may have had a hand in.
    Prose(&'a str),
    /// A name or a value.
    Code(&'a str),
    /// Our own text, and where it leads.
    Link(&'a str, &'a str),
}

impl<'a> Cell<'a> {
    /// The place where the specification says so.
    pub(super) fn specification(result: &'a CheckedRow) -> Self {
        match &result.spec_url {
            Some(url) => Self::Link(&result.spec, url),
            None => Self::Ours(&result.spec),
        }
    }
}

/// A word and the checks that failed, of which a few are named: `broken: pair.relay-parts, pair.lists and 2 more`.
pub(super) fn with_failed<'a>(word: &str, failed: impl Iterator<Item = &'a str>) -> String {
    let failed: Vec<String> = failed.map(|check| code(check, 60)).collect();
    if failed.is_empty() {
        return word.to_owned();
    }
    let rest = failed.len().saturating_sub(NAMED);
    let more = if rest == 0 { String::new() } else { format!(" and {rest} more") };
    format!("{word}: {}{more}", failed.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", "))
}

/// A document, a line at a time.
pub(super) struct Document {
    text: String,
    /// How many rows of the table under way there was no room for.
    left_out: usize,
    /// How long it may become by its tables.
    most: usize,
}

impl Document {
    /// A document with this title. A comment starts with a heading of the third level, so as not to shout; a linter wants a first.
    pub(super) fn titled(title: &str) -> Self {
        Self::titled_within(title, MAX)
    }

    /// The same, with tables until it is so long.
    pub(super) fn titled_within(title: &str, most: usize) -> Self {
        let lint = "<!-- markdownlint-disable-next-line first-line-heading -->";
        Self { text: format!("{lint}\n### {title}\n\n"), left_out: 0, most }
    }

    pub(super) fn finish(self) -> String {
        self.text
    }

    pub(super) fn line(&mut self, line: Arguments<'_>) {
        let _ = writeln!(self.text, "{line}");
    }

    /// An empty line, if there is none yet.
    pub(super) fn gap(&mut self) {
        if !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    pub(super) fn section(&mut self, title: &str) {
        self.gap();
        self.line(format_args!("#### {title}"));
        self.gap();
    }

    /// Begins what is folded away.
    pub(super) fn open(&mut self, title: &str) {
        self.gap();
        self.line(format_args!("<details>"));
        self.line(format_args!("<summary>{title}</summary>"));
    }

    /// Ends it.
    pub(super) fn close(&mut self) {
        self.gap();
        self.line(format_args!("</details>"));
    }

    /// The meanings of words, a line each.
    pub(super) fn legend(&mut self, words: impl IntoIterator<Item = (&'static str, &'static str)>) {
        self.gap();
        for (word, meaning) in words {
            self.line(format_args!("- {word}: {meaning}"));
        }
    }

    /// Begins a table.
    pub(super) fn head(&mut self, names: &[impl Borrow<str>]) {
        self.left_out = 0;
        self.line(format_args!("| {} |", names.join(" | ")));
        self.line(format_args!("|{}", " --- |".repeat(names.len())));
    }

    /// A row of it, if there is room.
    pub(super) fn row(&mut self, cells: &[Cell<'_>]) {
        let mut row = String::from("|");
        for cell in cells {
            let text = match cell {
                Cell::Plain(text) => (*text).to_owned(),
                Cell::Ours(text) => ours(&in_cell(text), CELL),
                Cell::Advice(text) => ours(&in_cell(text), 2 * CELL),
                Cell::Prose(text) => prose(&in_cell(text), CELL),
                Cell::Code(text) => code(&in_cell(text), CELL),
                Cell::Link(text, url) => format!("[{}]({url})", ours(&in_cell(text), CELL)),
            };
            row.push(' ');
            row.push_str(&text);
            row.push_str(" |");
        }
        if self.left_out > 0 || self.text.len() + row.len() > self.most {
            self.left_out += 1;
        } else {
            self.line(format_args!("{row}"));
        }
    }

    /// Ends it; says how many rows there was no room for.
    pub(super) fn foot(&mut self) {
        let left_out = self.left_out;
        if left_out > 0 {
            self.gap();
            self.line(format_args!("{left_out} more did not fit; the JSON report has them all."));
        }
    }
}
