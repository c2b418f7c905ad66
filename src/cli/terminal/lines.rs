//! Lines of styled text: the colours, wrapped where the terminal ends, plain where nobody sees colours, and the longest value that
//! is shown.

use std::borrow::Cow;

use anstyle::{AnsiColor, Style};

use super::look::TerminalStyle;
use crate::report::text::{harmless_lines, one_line};

/// The longest value that is shown in full; an agent can make one as long as it likes.
pub(super) const LONGEST: usize = 400;

/// A must that fails.
pub(super) const FAILED: Style = AnsiColor::Red.on_default().bold();
/// Advice, and what stayed open.
pub(super) const WARNED: Style = AnsiColor::Yellow.on_default().bold();
/// Something is as it should be.
pub(super) const GOOD: Style = AnsiColor::Green.on_default().bold();
/// Something that leads the eye: arrows, names of members.
pub(super) const GUIDE: Style = AnsiColor::Blue.on_default();
/// Headings.
pub(super) const STRONG: Style = Style::new().bold();
/// Something for readers who look for it.
pub(super) const FAINT: Style = Style::new().dimmed();
/// Everything else.
pub(super) const PLAIN: Style = Style::new();

/// A piece of a line.
pub(super) struct Span<'a> {
    text: Cow<'a, str>,
    style: Style,
    link: Option<&'a str>,
}

impl<'a> Span<'a> {
    pub(super) fn new(text: impl Into<Cow<'a, str>>, style: Style) -> Self {
        Self { text: text.into(), style, link: None }
    }

    /// A piece that leads somewhere.
    pub(super) const fn linked(mut self, url: &'a str) -> Self {
        self.link = Some(url);
        self
    }
}

/// Lines of text; building one cannot fail.
pub(super) struct Lines {
    look: TerminalStyle,
    text: String,
}

impl Lines {
    pub(super) const fn new(look: TerminalStyle) -> Self {
        Self { look, text: String::new() }
    }

    pub(super) fn finish(self) -> String {
        self.text
    }

    pub(super) const fn hides_links(&self) -> bool {
        self.look.links
    }

    /// An empty line, if the last one is not empty.
    pub(super) fn gap(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    pub(super) fn say(&mut self, indent: usize, style: Style, text: &str) {
        self.spans(indent, indent + 2, &[Span::new(text, style)]);
    }

    /// A text as it is, to be copied: no line is wrapped.
    pub(super) fn verbatim(&mut self, indent: usize, text: &str) {
        for line in harmless_lines(text).lines() {
            self.text.extend(std::iter::repeat_n(' ', if line.is_empty() { 0 } else { indent }));
            self.text.push_str(line);
            self.text.push('\n');
        }
    }

    /// A value with its name before it, in a column of its own: `  expected  a Task`. Nothing for an empty value.
    pub(super) fn pair(&mut self, indent: usize, name: &str, value: &str) {
        if !value.is_empty() {
            self.named(indent, name, &[Span::new(one_line(value, LONGEST), PLAIN)]);
        }
    }

    /// The same for a value of several pieces.
    pub(super) fn named(&mut self, indent: usize, name: &str, value: &[Span<'_>]) {
        let name = format!("{name:<9} ");
        let hang = indent + name.len();
        let mut spans = vec![Span::new(name, GUIDE)];
        spans.extend(value.iter().map(|span| Span { text: Cow::Borrowed(&span.text), ..*span }));
        self.spans(indent, hang, &spans);
    }

    /// A line of several pieces. Where it is wrapped, it goes on at the column `hang`.
    pub(super) fn spans(&mut self, indent: usize, hang: usize, spans: &[Span<'_>]) {
        for (index, line) in wrapped(spans, indent, hang, self.look.width).into_iter().enumerate() {
            let indent = if index == 0 { indent } else { hang };
            let start = self.text.len();
            self.text.extend(std::iter::repeat_n(' ', indent));
            for (span, text) in line {
                self.paint(span, &text);
            }
            let end = self.text.trim_end_matches(' ').len().max(start);
            self.text.truncate(end);
            self.text.push('\n');
        }
    }

    fn paint(&mut self, span: &Span<'_>, text: &str) {
        let link = span.link.filter(|_| self.look.links);
        let style = if self.look.color { span.style } else { PLAIN };
        if let Some(url) = link {
            self.text.push_str(&format!("\x1b]8;;{}\x1b\\", harmless_lines(url)));
        }
        self.text.push_str(&format!("{style}{}{style:#}", harmless_lines(text)));
        if link.is_some() {
            self.text.push_str("\x1b]8;;\x1b\\");
        }
    }
}

fn wrapped<'s, 'a>(
    spans: &'s [Span<'a>],
    indent: usize,
    hang: usize,
    width: Option<usize>,
) -> Vec<Vec<(&'s Span<'a>, String)>> {
    let width = width.unwrap_or(usize::MAX);
    let mut lines = Vec::new();
    let mut line: Vec<(&Span<'a>, String)> = Vec::new();
    let mut column = indent;
    for span in spans {
        let mut piece = String::new();
        for (number, word) in span.text.split(' ').enumerate() {
            let length = word.chars().count();
            let space = usize::from(number > 0);
            let begins = column <= if lines.is_empty() { indent } else { hang };
            if space > 0 && !begins && column + space + length > width {
                line.push((span, std::mem::take(&mut piece)));
                lines.push(std::mem::take(&mut line));
                column = hang;
            } else if space > 0 {
                piece.push(' ');
                column += space;
            }
            piece.push_str(word);
            column += length;
        }
        line.push((span, piece));
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(look: TerminalStyle, write: impl FnOnce(&mut Lines)) -> String {
        let mut lines = Lines::new(look);
        write(&mut lines);
        lines.finish()
    }

    #[test]
    fn lines_are_wrapped_at_words_and_go_on_under_their_value() {
        let look = TerminalStyle { width: Some(20), ..TerminalStyle::PLAIN };
        let text = written(look, |lines| lines.pair(2, "actual", "one two three four-and-a-half-of-five"));
        assert_eq!(text, "  actual    one two\n            three\n            four-and-a-half-of-five\n");
        assert_eq!(written(TerminalStyle::PLAIN, |lines| lines.pair(2, "actual", "one\ntwo")), "  actual    one two\n");
        assert_eq!(written(look, |lines| lines.pair(2, "actual", "")), "");
    }

    #[test]
    fn colours_and_links_are_there_only_where_they_are_shown() {
        let spans = [Span::new("1.0", FAILED).linked("https://h/")];
        let plain = written(TerminalStyle::PLAIN, |lines| lines.spans(0, 0, &spans));
        assert_eq!(plain, "1.0\n");
        let look = TerminalStyle { color: true, links: true, width: None };
        let text = written(look, |lines| lines.spans(0, 0, &spans));
        assert_eq!(text, "\x1b]8;;https://h/\x1b\\\x1b[1m\x1b[31m1.0\x1b[0m\x1b]8;;\x1b\\\n");
    }

    #[test]
    fn what_an_agent_sends_steers_no_terminal() {
        let text = written(TerminalStyle::PLAIN, |lines| lines.pair(0, "agent", "\x1b[31mred\x1b]8;;http://h\x07"));
        assert!(!text.contains('\x1b') && !text.contains('\x07'), "{text:?}");
        let look = TerminalStyle { width: Some(20), ..TerminalStyle::PLAIN };
        let text = written(look, |lines| {
            let said = "a \x1b]0;t\x07 \u{9b}31m \u{202e} ::error::a ##vso[b]";
            lines.say(0, PLAIN, said);
            lines.verbatim(0, said);
            lines.spans(0, 0, &[Span::new(said, PLAIN)]);
        });
        assert!(!text.contains(|c: char| c != '\n' && (c.is_control() || c == '\u{202e}')), "{text:?}");
        assert!(!text.contains("::error") && !text.contains("##vso"), "{text:?}");
    }
}
