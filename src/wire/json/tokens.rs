//! A value as pretty-printed lines of spans, for highlighting, each with the place in the value that starts there, and how many
//! lines at most.

use serde_json::Value;

use super::pointer::{Path, Pointer};
use crate::wire::limits::MOST_LINES;

/// One line of a pretty-printed value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// How many containers the line is indented by.
    pub indent: usize,
    /// The line's text in pieces, without indentation and line end.
    pub spans: Vec<JsonSpan>,
    /// The place of the value that starts on this line, even if its name comes first; `None` where one only ends.
    pub pointer: Option<Pointer>,
}

/// A piece of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonSpan {
    /// The kind of the piece.
    pub kind: SpanKind,
    /// Its text as JSON writes it: quoted and escaped. It may hold markup, which is for the one who shows it to escape.
    pub text: String,
}

/// The kind of a piece of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SpanKind {
    /// A member's name with its quotes.
    Key,
    /// A string with its quotes.
    String,
    /// A number.
    Number,
    /// `true`, `false` or `null`.
    Literal,
    /// Brackets, commas and the colon with its space.
    Punctuation,
}

/// The value as lines: one for each scalar, empty container, opening and closing bracket. Indented by two spaces, they are
/// the text of `serde_json::to_string_pretty`.
#[must_use]
pub fn tokens(value: &Value) -> Vec<Line> {
    let mut lines = Vec::new();
    lay_out(value, &Path::ROOT, Vec::new(), &mut lines);
    if lines.len() > MOST_LINES {
        lines.truncate(MOST_LINES);
        lines.push(Line { indent: 0, spans: vec![span(SpanKind::Punctuation, "…")], pointer: None });
    }
    lines
}

/// Adds the lines of a value, the first of which begins with its name, if it has one.
fn lay_out(value: &Value, path: &Path<'_>, mut spans: Vec<JsonSpan>, lines: &mut Vec<Line>) {
    let (kind, text) = match value {
        Value::Null | Value::Bool(_) => (SpanKind::Literal, value.to_string()),
        Value::Number(number) => (SpanKind::Number, number.to_string()),
        Value::String(_) => (SpanKind::String, value.to_string()),
        Value::Array(elements) if elements.is_empty() => (SpanKind::Punctuation, "[]".to_owned()),
        Value::Object(members) if members.is_empty() => (SpanKind::Punctuation, "{}".to_owned()),
        Value::Array(_) => (SpanKind::Punctuation, "[".to_owned()),
        Value::Object(_) => (SpanKind::Punctuation, "{".to_owned()),
    };
    spans.push(span(kind, text));
    lines.push(Line { indent: path.depth, spans, pointer: Some(path.pointer()) });
    match value {
        Value::Array(elements) if !elements.is_empty() => {
            for (index, element) in elements.iter().enumerate() {
                next(index, lines);
                lay_out(element, &path.index(index), Vec::new(), lines);
                if lines.len() > MOST_LINES {
                    return;
                }
            }
            lines.push(Line { indent: path.depth, spans: vec![span(SpanKind::Punctuation, "]")], pointer: None });
        }
        Value::Object(members) if !members.is_empty() => {
            for (index, (name, member)) in members.iter().enumerate() {
                next(index, lines);
                let key = span(SpanKind::Key, Value::from(name.as_str()).to_string());
                lay_out(member, &path.key(name), vec![key, span(SpanKind::Punctuation, ": ")], lines);
                if lines.len() > MOST_LINES {
                    return;
                }
            }
            lines.push(Line { indent: path.depth, spans: vec![span(SpanKind::Punctuation, "}")], pointer: None });
        }
        _ => {}
    }
}

/// Puts the comma behind what came before, if that was an element or a member.
fn next(index: usize, lines: &mut [Line]) {
    if let (1.., Some(line)) = (index, lines.last_mut()) {
        line.spans.push(span(SpanKind::Punctuation, ","));
    }
}

fn span(kind: SpanKind, text: impl Into<String>) -> JsonSpan {
    JsonSpan { kind, text: text.into() }
}

#[cfg(test)]
mod tests {
    use super::super::samples::Random;
    use super::*;
    use serde_json::json;

    fn text(lines: &[Line]) -> String {
        let line = |line: &Line| {
            let spans: String = line.spans.iter().map(|span| span.text.as_str()).collect();
            format!("{}{spans}", "  ".repeat(line.indent))
        };
        lines.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn the_lines_are_the_pretty_text() {
        let mut random = Random::new(5);
        let values = [json!({}), json!([]), json!("a\n\"<b>"), json!({"a": [], "b": {"c": [{}, 1.5, null]}})];
        for value in values.into_iter().chain((0..300).map(|_| random.value(4))) {
            assert_eq!(text(&tokens(&value)), serde_json::to_string_pretty(&value).unwrap());
        }
    }

    #[test]
    fn a_line_points_to_the_value_that_starts_there() {
        let value = json!({"a/b": [1, {"c": "x"}], "d": true});
        let lines = tokens(&value);
        let pointers: Vec<_> = lines.iter().map(|line| line.pointer.as_ref().map(Pointer::as_str)).collect();
        assert_eq!(
            pointers,
            [
                Some(""),
                Some("/a~1b"),
                Some("/a~1b/0"),
                Some("/a~1b/1"),
                Some("/a~1b/1/c"),
                None,
                None,
                Some("/d"),
                None,
            ]
        );
    }

    #[test]
    fn a_span_knows_what_it_is() {
        let lines = tokens(&json!({"k": ["s", 1, null]}));
        let kinds: Vec<_> =
            lines.iter().flat_map(|line| &line.spans).map(|span| (span.kind, span.text.as_str())).collect();
        assert_eq!(
            kinds,
            [
                (SpanKind::Punctuation, "{"),
                (SpanKind::Key, "\"k\""),
                (SpanKind::Punctuation, ": "),
                (SpanKind::Punctuation, "["),
                (SpanKind::String, "\"s\""),
                (SpanKind::Punctuation, ","),
                (SpanKind::Number, "1"),
                (SpanKind::Punctuation, ","),
                (SpanKind::Literal, "null"),
                (SpanKind::Punctuation, "]"),
                (SpanKind::Punctuation, "}"),
            ]
        );
    }

    #[test]
    fn a_huge_value_is_cut() {
        let lines = tokens(&(0..100_000).map(|n| json!([n])).collect());
        assert_eq!(lines.len(), MOST_LINES + 1);
        assert_eq!(text(&lines[MOST_LINES..]), "…");
        let fits: Value = (0..MOST_LINES - 2).collect();
        assert_eq!(text(&tokens(&fits)), serde_json::to_string_pretty(&fits).unwrap());
    }
}
