//! Reads the members of a map, and notes every mistake with its place.

use std::cell::RefCell;

use serde_json::{Number, Value};

use super::node::{Node, NodeKey, NodeValue};
use super::problem::{FileProblem, TextPlace};

/// A file being read, and its mistakes so far.
pub(super) struct Reading {
    file: String,
    problems: RefCell<Vec<FileProblem>>,
}

impl Reading {
    pub(super) fn new(file: &str) -> Self {
        Self { file: file.to_owned(), problems: RefCell::default() }
    }

    pub(super) fn file(&self) -> &str {
        &self.file
    }

    pub(super) fn note(&self, at: TextPlace, message: impl Into<String>) {
        let problem = FileProblem { file: self.file.clone(), place: Some(at), message: message.into() };
        self.problems.borrow_mut().push(problem);
    }

    pub(super) fn expected(&self, node: &Node, expected: &str) {
        self.note(node.at, format!("expected {expected}, got {}", node.describe()));
    }

    /// What was found in a node; that something else was expected is noted where nothing was.
    pub(super) fn found<T>(&self, node: &Node, found: Option<T>, expected: &str) -> Option<T> {
        if found.is_none() {
            self.expected(node, expected);
        }
        found
    }

    /// The mistakes, in the order of the file.
    pub(super) fn into_problems(self) -> Vec<FileProblem> {
        let mut problems = self.problems.into_inner();
        problems.sort_by_key(|problem| problem.place);
        problems
    }
}

/// The members of one map.
pub(super) struct Fields<'a> {
    pub(super) reading: &'a Reading,
    /// What the map is, for messages: `a test`.
    what: &'static str,
    pub(super) at: TextPlace,
    pub(super) members: &'a [(NodeKey, Node)],
}

impl<'a> Fields<'a> {
    /// The members of a node that must be a map.
    pub(super) fn from_node(reading: &'a Reading, node: &'a Node, what: &'static str) -> Option<Self> {
        match &node.value {
            NodeValue::Map(members) => Some(Self { reading, what, at: node.at, members }),
            _ => {
                reading.expected(node, &format!("{what}, which is a map"));
                None
            }
        }
    }

    /// Notes every key that is not one of these.
    pub(super) fn only(&self, known: &[&str]) {
        for (key, _) in self.members.iter().filter(|(key, _)| !known.contains(&key.text.as_str())) {
            let near = known
                .iter()
                .filter(|name| is_near(name, &key.text))
                .min_by_key(|name| strsim::levenshtein(name, &key.text));
            let advice = match near {
                Some(name) => format!("did you mean {name}?"),
                None => format!("expected one of {}", known.join(", ")),
            };
            self.reading.note(key.at, format!("{} has no key {}; {advice}", self.what, key.text));
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&'a Node> {
        self.members.iter().find(|(key, _)| key.text == name).map(|(_, node)| node)
    }

    /// The member of that name, which must be there.
    pub(super) fn need(&self, name: &str, expected: &str) -> Option<&'a Node> {
        let found = self.get(name);
        if found.is_none() {
            self.reading.note(self.at, format!("{} needs the key {name}: {expected}", self.what));
        }
        found
    }

    /// A text that may be missing.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        text(self.reading, self.get(name)?)
    }

    /// A text that must be there; empty where it is not.
    pub(super) fn need_text(&self, name: &str) -> String {
        self.need(name, "a text").and_then(|node| text(self.reading, node)).unwrap_or_default()
    }

    /// The elements of a list; none where it is missing.
    pub(super) fn list(&self, name: &str, expected: &str) -> &'a [Node] {
        self.get(name).map(|node| list(self.reading, node, expected)).unwrap_or_default()
    }

    /// The members of a map; none where it is missing.
    pub(super) fn map(&self, name: &str, expected: &str) -> &'a [(NodeKey, Node)] {
        let Some(node) = self.get(name) else { return &[] };
        if !matches!(node.value, NodeValue::Map(_)) {
            self.reading.expected(node, expected);
        }
        node.members()
    }

    /// A list of texts; empty where it is missing.
    pub(super) fn texts(&self, name: &str) -> Vec<String> {
        self.list(name, "a list of texts").iter().filter_map(|node| text(self.reading, node)).collect()
    }

    /// A list of some of these words.
    pub(super) fn words(&self, name: &str, known: &[&str]) -> Vec<String> {
        let nodes = self.list(name, "a list of texts").iter();
        nodes.filter_map(|node| word(self.reading, node, known)).map(str::to_owned).collect()
    }

    /// A whole number that is not negative.
    pub(super) fn count(&self, name: &str) -> Option<u64> {
        count(self.reading, self.get(name)?)
    }

    /// A map whose values are texts.
    pub(super) fn text_map(&self, name: &str) -> Vec<(String, String)> {
        let members = self.map(name, "a map of texts").iter();
        let texts = members.map(|(key, node)| (key.text.clone(), text(self.reading, node)));
        texts.filter_map(|(key, text)| Some((key, text?))).collect()
    }

    pub(super) fn json(&self, name: &str) -> Option<Value> {
        self.get(name).map(Node::to_json)
    }
}

/// A text, or a mistake. A number is a mistake that quotes repair.
pub(super) fn text(reading: &Reading, node: &Node) -> Option<String> {
    match &node.value {
        NodeValue::Text(text) => Some(text.clone()),
        NodeValue::Number(number) => {
            reading
                .note(node.at, format!("expected a text, got the number {number}; write it in quotes: \"{number}\""));
            None
        }
        _ => {
            reading.expected(node, "a text");
            None
        }
    }
}

/// One of a few words.
pub(super) fn word<'a>(reading: &Reading, node: &Node, known: &[&'a str]) -> Option<&'a str> {
    let found = node.as_text().and_then(|text| known.iter().find(|word| **word == text)).copied();
    reading.found(node, found, &format!("one of {}", known.join(", ")))
}

/// One of a few things, by its word.
pub(super) fn named<T: Copy>(reading: &Reading, node: &Node, all: &[T], name: fn(T) -> &'static str) -> Option<T> {
    let known: Vec<&str> = all.iter().map(|each| name(*each)).collect();
    let found = word(reading, node, &known)?;
    all.iter().copied().find(|each| name(*each) == found)
}

/// A whole number that is not negative.
pub(super) fn count(reading: &Reading, node: &Node) -> Option<u64> {
    reading.found(node, node.as_number().and_then(Number::as_u64), "a whole number that is not negative")
}

/// The elements of a list, or a mistake.
pub(super) fn list<'a>(reading: &Reading, node: &'a Node, expected: &str) -> &'a [Node] {
    match &node.value {
        NodeValue::List(nodes) => nodes,
        _ => {
            reading.expected(node, expected);
            &[]
        }
    }
}

/// Whether two names are the same but for capitals, underlines and a slip of the finger.
pub(super) fn is_near(known: &str, written: &str) -> bool {
    let plain = |name: &str| name.replace(['_', '-'], "").to_ascii_lowercase();
    plain(known) == plain(written) || (known.len() > 3 && strsim::levenshtein(known, written) <= 2)
}
