//! Writes HTML: markup of ours, and everything else as text, which is cut where it is very long (`report/plain.rs` says how long).
//! Only `raw` writes markup.

use std::borrow::Borrow;

use crate::report::plain::cut;
use crate::report::text::{harmless, in_cell};
use crate::report::xml::{attribute, escape};

/// The text of a page so far.
#[derive(Default)]
pub(super) struct HtmlWriter {
    text: String,
}

impl HtmlWriter {
    pub(super) fn finish(self) -> String {
        self.text
    }

    /// Begins a page with this title, up to its body.
    pub(super) fn begin(&mut self, title: &str, policy: &str, style: &str) {
        self.raw("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        self.raw(&format!("<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n"));
        self.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
        self.raw("<meta name=\"color-scheme\" content=\"light dark\">\n");
        self.element("title", "", title);
        self.raw(&format!("<style>\n{style}</style>\n</head>\n<body>\n"));
    }

    /// Markup of ours.
    pub(super) fn raw(&mut self, markup: &str) {
        self.text.push_str(markup);
    }

    /// Any text, cut if it is very long. What would steer a terminal or turn the direction of writing is made visible.
    pub(super) fn text(&mut self, text: &str) {
        let safe: String = cut(text).chars().map(|c| if matches!(c, '\n' | '\t') { c } else { harmless(c) }).collect();
        self.text.push_str(&escape(&safe));
    }

    pub(super) fn element(&mut self, name: &str, class: &str, text: &str) {
        let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
        self.raw(&format!("<{name}{class}>"));
        self.text(text);
        self.raw(&format!("</{name}>\n"));
    }

    /// The checks that failed, in small letters.
    pub(super) fn failed<'a>(&mut self, checks: impl Iterator<Item = &'a str>) {
        let checks: Vec<&str> = checks.collect();
        if !checks.is_empty() {
            self.element("small", "", &checks.join(", "));
        }
    }

    /// A link within the page, or to the specification.
    pub(super) fn link(&mut self, target: &str, text: &str) {
        self.raw(&format!("<a href=\"{}\" rel=\"noreferrer\">", attribute(target)));
        self.text(text);
        self.raw("</a>");
    }

    /// A line of a list of facts, if there is something to tell.
    pub(super) fn fact(&mut self, name: &str, value: &str) {
        if !value.is_empty() {
            self.raw(&format!("<dt>{name}</dt><dd>"));
            self.text(value);
            self.raw("</dd>\n");
        }
    }

    /// The meanings of words.
    pub(super) fn legend(&mut self, words: impl IntoIterator<Item = (&'static str, &'static str)>) {
        self.raw("<dl>\n");
        words.into_iter().for_each(|(word, meaning)| self.fact(word, meaning));
        self.raw("</dl>\n");
    }

    pub(super) fn table(&mut self, heads: &[impl Borrow<str>]) {
        self.raw("<div class=\"scroll\">\n<table>\n<thead><tr>");
        for head in heads {
            let head = head.borrow();
            self.raw(&format!("<th scope=\"col\">{head}</th>"));
        }
        self.raw("</tr></thead>\n<tbody>\n");
    }

    /// A whole table of texts. Those in the columns at these places are code.
    pub(super) fn text_table<const N: usize>(&mut self, heads: [&str; N], code: &[usize], rows: &[[String; N]]) {
        self.table(&heads);
        for row in rows {
            self.raw("<tr>");
            for (place, text) in row.iter().enumerate() {
                if code.contains(&place) { self.code_cell(text) } else { self.cell(text) }
            }
            self.raw("</tr>\n");
        }
        self.end_table();
    }

    pub(super) fn end_table(&mut self) {
        self.raw("</tbody>\n</table>\n</div>\n");
    }

    pub(super) fn cell(&mut self, text: &str) {
        self.raw("<td>");
        self.text(&in_cell(text));
        self.raw("</td>");
    }

    pub(super) fn code_cell(&mut self, text: &str) {
        if text.is_empty() {
            return self.raw("<td></td>");
        }
        self.raw("<td><code>");
        self.text(&in_cell(text));
        self.raw("</code></td>");
    }
}
