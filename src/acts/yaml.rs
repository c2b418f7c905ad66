//! Reads YAML 1.2 by its core schema, and JSON, which is YAML too, into a tree with places; how deep and how large it may be.

use std::collections::HashMap;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Span, Tag};
use serde_json::Number;

use super::node::{Node, NodeKey, NodeValue};
use super::problem::TextPlace;

/// How deep lists and maps may nest.
const MAX_NESTING: usize = 100;
/// How many nodes a document may have once its aliases are put in: a few lines can stand for billions.
const MAX_NODES: usize = 200_000;

/// A mistake: where, and what it is.
pub(super) type Mistake = (TextPlace, String);

pub(super) fn parse(text: &str) -> Result<Node, Mistake> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut tree = Tree::default();
    let mut parser = Parser::new_from_str(text);
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|error| (place(error.marker()), error.info().to_owned()))?;
        tree.add(event, span)?;
    }
    tree.root
        .ok_or_else(|| (TextPlace { line: 1, column: 1 }, "the file is empty; expected an ACTS document".to_owned()))
}

#[derive(Default)]
struct Tree {
    open: Vec<OpenNode>,
    anchors: HashMap<usize, Node>,
    nodes: usize,
    root: Option<Node>,
}

/// A list or a map whose end was not read yet.
struct OpenNode {
    at: TextPlace,
    anchor: usize,
    value: NodeValue,
    /// The key of a map whose value comes next.
    key: Option<NodeKey>,
}

impl Tree {
    fn add(&mut self, event: Event<'_>, span: Span) -> Result<(), Mistake> {
        let at = place(&span.start);
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let value = scalar(&text, style, tag.as_deref()).map_err(|message| (at, message))?;
                self.finish(Node { at, value }, anchor)
            }
            Event::Alias(anchor) => match self.anchors.get(&anchor) {
                Some(node) => {
                    let node = Node { at, ..node.clone() };
                    self.nodes += size(&node);
                    self.finish(node, 0)
                }
                None => Err((at, "an alias cannot stand within what it is the name of".to_owned())),
            },
            Event::SequenceStart(anchor, tag) => self.begin(at, anchor, tag.as_deref(), NodeValue::List(Vec::new())),
            Event::MappingStart(anchor, tag) => self.begin(at, anchor, tag.as_deref(), NodeValue::Map(Vec::new())),
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(OpenNode { at, anchor, value, .. }) => self.finish(Node { at, value }, anchor),
                None => Ok(()),
            },
            Event::DocumentStart(_) if self.root.is_some() => {
                Err((at, "a second document begins here; a file holds one".to_owned()))
            }
            Event::DocumentStart(_) | Event::DocumentEnd | Event::StreamStart | Event::StreamEnd | Event::Nothing => {
                Ok(())
            }
        }
    }

    fn begin(&mut self, at: TextPlace, anchor: usize, tag: Option<&Tag>, value: NodeValue) -> Result<(), Mistake> {
        if tag.is_some_and(|tag| !tag.is_yaml_core_schema()) {
            return Err((at, "tags are not supported".to_owned()));
        }
        if self.open.len() >= MAX_NESTING {
            return Err((at, format!("lists and maps nest deeper than {MAX_NESTING} levels")));
        }
        self.open.push(OpenNode { at, anchor, value, key: None });
        Ok(())
    }

    /// Puts a node where it belongs: the root, an element, a key or a value.
    fn finish(&mut self, node: Node, anchor: usize) -> Result<(), Mistake> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return Err((node.at, format!("the file has more than {MAX_NODES} values, those of aliases included")));
        }
        if anchor > 0 {
            self.anchors.insert(anchor, node.clone());
        }
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(OpenNode { value: NodeValue::List(nodes), .. }) => nodes.push(node),
            Some(OpenNode { value: NodeValue::Map(members), key, .. }) => match key.take() {
                Some(key) => members.push((key, node)),
                None => *key = Some(key_of(node, members)?),
            },
            // Nothing else is ever open.
            Some(_) => {}
        }
        Ok(())
    }
}

fn key_of(node: Node, members: &[(NodeKey, Node)]) -> Result<NodeKey, Mistake> {
    let at = node.at;
    let text = match node.value {
        NodeValue::Text(text) => text,
        // Keys such as 200 or true are texts in JSON.
        NodeValue::Number(number) => number.to_string(),
        NodeValue::Bool(value) => value.to_string(),
        _ => return Err((at, format!("expected a key, which is a text, got {}", node.describe()))),
    };
    match members.iter().find(|(known, _)| known.text == text) {
        Some((known, _)) => {
            Err((at, format!("the key {text} occurs twice in one map, first in line {}", known.at.line)))
        }
        None => Ok(NodeKey { at, text }),
    }
}

fn size(node: &Node) -> usize {
    1 + node.elements().iter().map(size).sum::<usize>()
        + node.members().iter().map(|(_, node)| size(node)).sum::<usize>()
}

fn place(marker: &Marker) -> TextPlace {
    TextPlace { line: marker.line(), column: marker.col() + 1 }
}

/// The value of a scalar: only plain ones are anything but texts (YAML 1.2 §10.3.2).
fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Result<NodeValue, String> {
    match tag {
        Some(tag) if !tag.is_yaml_core_schema() => return Err("tags are not supported".to_owned()),
        Some(tag) if tag.suffix == "str" => return Ok(NodeValue::Text(text.to_owned())),
        _ => {}
    }
    if style != ScalarStyle::Plain {
        return Ok(NodeValue::Text(text.to_owned()));
    }
    Ok(match text {
        "" | "~" | "null" | "Null" | "NULL" => NodeValue::Null,
        "true" | "True" | "TRUE" => NodeValue::Bool(true),
        "false" | "False" | "FALSE" => NodeValue::Bool(false),
        _ => number(text).map_or_else(|| NodeValue::Text(text.to_owned()), NodeValue::Number),
    })
}

fn number(text: &str) -> Option<Number> {
    let digits = |prefix: &str, radix: u32| u64::from_str_radix(text.strip_prefix(prefix)?, radix).ok();
    if let Some(whole) = digits("0x", 16).or_else(|| digits("0o", 8)) {
        return Some(Number::from(whole));
    }
    if !text.chars().all(|c| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E')) {
        return None;
    }
    let whole = text.parse::<i64>().map(Number::from).or_else(|_| text.parse::<u64>().map(Number::from));
    whole.ok().or_else(|| Number::from_f64(text.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> String {
        parse(text).unwrap().to_json().to_string()
    }

    #[test]
    fn plain_scalars_have_the_types_of_the_core_schema_and_quoted_ones_are_texts() {
        assert_eq!(
            json("[1, 0x10, 0o17, 1.5, -2, yes, ~, true, '1', \"true\", 1.2.3, v1]"),
            r#"[1,16,15,1.5,-2,"yes",null,true,"1","true","1.2.3","v1"]"#
        );
        assert_eq!(
            json("a: >\n  one\n  two\nb:\n  - x: {y: \"\\u0041\"}\n"),
            r#"{"a":"one two\n","b":[{"x":{"y":"A"}}]}"#
        );
    }

    #[test]
    fn json_is_read_too_and_tabs_may_indent_it() {
        assert_eq!(json("{\n\t\"a\": [1, {\"b\": null}],\n\t\"c\": \"x: y\"\n}"), r#"{"a":[1,{"b":null}],"c":"x: y"}"#);
    }

    #[test]
    fn aliases_stand_for_what_they_name_and_cannot_fill_the_memory() {
        assert_eq!(json("a: &x {b: 1}\nc: *x\n"), r#"{"a":{"b":1},"c":{"b":1}}"#);
        let mut bomb = "a0: &a0 [x]\n".to_owned();
        for level in 1..12 {
            let previous = vec![format!("*a{}", level - 1); 10].join(", ");
            bomb.push_str(&format!("a{level}: &a{level} [{previous}]\n"));
        }
        assert!(parse(&bomb).unwrap_err().1.contains("200000"));
    }

    #[test]
    fn mistakes_have_their_place() {
        for (text, line, column, message) in [
            ("a: 1\nb: 2\na: 3\n", 3, 1, "the key a occurs twice"),
            ("a: 1\n---\nb: 2\n", 2, 1, "a second document"),
            ("a: !mine x\n", 1, 4, "tags are not supported"),
            ("", 1, 1, "the file is empty"),
            ("? [x]\n: y\n", 1, 3, "expected a key"),
        ] {
            let (at, said) = parse(text).unwrap_err();
            assert_eq!((at.line, at.column), (line, column), "{text:?} {said}");
            assert!(said.contains(message), "{said}");
        }
        assert_eq!(parse("a: [1\nb: 2\n").unwrap_err().0.line, 2);
        let deep: String = (0..300).map(|level| format!("{}a:\n", " ".repeat(level))).collect();
        assert!(parse(&deep).unwrap_err().1.contains("100 levels"));
        assert!(parse(&"[".repeat(100_000)).is_err());
    }
}
