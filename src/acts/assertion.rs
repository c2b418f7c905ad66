//! Assertions as they are read from a file and put in words: values, operators, and maps and lists that mirror a response;
//! `matching.rs` holds them against values.

use regex_lite::Regex;
use serde_json::{Number, Value};

use super::fields::{Reading, count, is_near, list, text, word};
use super::node::{Node, NodeValue};

/// An assertion about a value.
#[derive(Debug, Clone)]
pub enum Assertion {
    /// It is this; references in texts are filled in first.
    Equals(Value),
    /// Its elements, by their places.
    Elements(Vec<Assertion>),
    /// All of these operators hold, and its members do what these say.
    Map {
        /// The operators.
        operators: Vec<Operator>,
        /// The members.
        members: Vec<(String, Assertion)>,
    },
}

/// An operator of an assertion.
#[derive(Debug, Clone)]
pub enum Operator {
    /// The value is of that JSON type.
    Type(&'static str),
    /// It is there.
    Exists,
    /// It is not there.
    Absent,
    /// A text that has this in it, or begins or ends with it, or that this pattern matches somewhere, by the name of the operator.
    Text(&'static str, String),
    /// A number that compares so, by the name of the operator.
    Number(&'static str, f64),
    /// A list whose length compares so, by the name of the operator.
    Count(&'static str, u64),
    /// At least one of these holds.
    AnyOf(Vec<Assertion>),
    /// All of these hold.
    AllOf(Vec<Assertion>),
    /// This does not hold.
    Not(Box<Assertion>),
    /// Every element does what this says.
    EveryItem(Box<Assertion>),
    /// The value is this file of the document, byte for byte: `x-bytes`.
    Bytes(String),
}

const TYPES: [&str; 6] = ["string", "number", "boolean", "array", "object", "null"];
const NUMBERS: [&str; 4] = ["gte", "lte", "gt", "lt"];
const COUNTS: [&str; 3] = ["count", "count_gte", "count_lte"];
const TEXTS: [&str; 4] = ["contains", "matches", "starts_with", "ends_with"];
const LISTS: [&str; 3] = ["one_of", "any_of", "all_of"];
const OTHERS: [&str; 5] = ["type", "exists", "absent", "not", "items"];

/// Reads an assertion. Mistakes are noted, and read past.
pub(super) fn read(reading: &Reading, node: &Node) -> Assertion {
    match &node.value {
        NodeValue::Map(members) => {
            let (mut operators, mut mirrored) = (Vec::new(), Vec::new());
            for (key, node) in members {
                match operator(reading, &key.text, node) {
                    OperatorReading::Operator(operator) => operators.push(operator),
                    OperatorReading::Mistake => {}
                    OperatorReading::Member => {
                        if let Some(meant) = misspelt(&key.text) {
                            reading.note(key.at, format!("there is no operator {}; did you mean {meant}?", key.text));
                        }
                        mirrored.push((key.text.clone(), read(reading, node)));
                    }
                }
            }
            Assertion::Map { operators, members: mirrored }
        }
        NodeValue::List(nodes) => Assertion::Elements(nodes.iter().map(|node| read(reading, node)).collect()),
        _ => Assertion::Equals(node.to_json()),
    }
}

/// What a key of an assertion turned out to be.
enum OperatorReading {
    Operator(Operator),
    Mistake,
    /// Not an operator: a member of the response.
    Member,
}

/// Reads a key as an operator. A key that has the name of an operator and a map where that takes none is a member: `type: {type: string}`.
fn operator(reading: &Reading, name: &str, node: &Node) -> OperatorReading {
    let known = |names: &[&'static str]| names.iter().find(|known| **known == name).copied();
    let is_map = matches!(node.value, NodeValue::Map(_));
    let found = if let Some(name) = known(&LISTS) {
        let alternatives = list(reading, node, "a list of assertions");
        if alternatives.is_empty() && matches!(node.value, NodeValue::List(_)) {
            reading.expected(node, "a list with at least one element");
        }
        let alternatives = alternatives.iter().map(|node| read(reading, node)).collect();
        Some(if name == "all_of" { Operator::AllOf(alternatives) } else { Operator::AnyOf(alternatives) })
    } else if name == "not" {
        Some(Operator::Not(Box::new(read(reading, node))))
    } else if name == "x-bytes" {
        text(reading, node).map(Operator::Bytes)
    } else if name == "items" {
        Some(match read(reading, node) {
            by_place @ Assertion::Elements(_) => Operator::AllOf(vec![by_place]),
            every => Operator::EveryItem(Box::new(every)),
        })
    } else if is_map {
        return OperatorReading::Member;
    } else if name == "type" {
        word(reading, node, &TYPES).map(Operator::Type)
    } else if let Some(name) = known(&["exists", "absent"]) {
        if node.value != NodeValue::Bool(true) {
            reading.expected(node, "true");
        }
        Some(if name == "exists" { Operator::Exists } else { Operator::Absent })
    } else if let Some(name) = known(&TEXTS) {
        let wanted = text(reading, node);
        if let Some(Err(problem)) = wanted.as_ref().filter(|_| name == "matches").map(|pattern| Regex::new(pattern)) {
            reading.note(node.at, format!("expected a pattern without look-around and back-references: {problem}"));
        }
        wanted.map(|wanted| Operator::Text(name, wanted))
    } else if let Some(name) = known(&NUMBERS) {
        let number = reading.found(node, node.as_number().and_then(Number::as_f64), "a number");
        number.map(|number| Operator::Number(name, number))
    } else if let Some(name) = known(&COUNTS) {
        count(reading, node).map(|count| Operator::Count(name, count))
    } else {
        return OperatorReading::Member;
    };
    found.map_or(OperatorReading::Mistake, OperatorReading::Operator)
}

/// The operator that a key is another spelling of. No member of A2A has such a name.
fn misspelt(name: &str) -> Option<&'static str> {
    let spelt = |known: &&&str| known.replace('_', "").eq_ignore_ascii_case(&name.replace(['_', '-'], ""));
    let all = TEXTS.iter().chain(&LISTS).chain(&COUNTS).chain(&NUMBERS).chain(&OTHERS);
    let found =
        all.clone().find(spelt).or_else(|| all.filter(|known| known.contains('_')).find(|known| is_near(known, name)));
    // With a map below it, the name of an operator is that of a member.
    found.copied().filter(|known| *known != name)
}

impl Assertion {
    /// An assertion of these members only.
    pub(super) fn of_members(members: Vec<(String, Self)>) -> Self {
        Self::Map { operators: Vec::new(), members }
    }

    /// In words, for "expected …".
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Equals(value) => value.to_string(),
            Self::Elements(elements) => format!("a list of at least {}", elements.len()),
            Self::Map { operators, members } if operators.is_empty() => {
                let names: Vec<&str> = members.iter().map(|(name, _)| name.as_str()).collect();
                if names.is_empty() { "an object".to_owned() } else { format!("an object with {}", names.join(", ")) }
            }
            Self::Map { operators, .. } => operators.iter().map(Operator::describe).collect::<Vec<_>>().join(" and "),
        }
    }

    /// Whether it says that the value is not there.
    pub(super) fn is_absent(&self) -> bool {
        matches!(self, Self::Map { operators, .. } if operators.iter().any(|each| matches!(each, Operator::Absent)))
    }
}

impl Operator {
    /// In words, for "expected …".
    pub(super) fn describe(&self) -> String {
        let any = |of: &[Assertion], word: &str| of.iter().map(Assertion::describe).collect::<Vec<_>>().join(word);
        match self {
            Self::Type(name @ ("array" | "object")) => format!("an {name}"),
            Self::Type("null") => "null".to_owned(),
            Self::Type(name) => format!("a {name}"),
            Self::Exists => "any value".to_owned(),
            Self::Absent => "nothing".to_owned(),
            Self::Text(name, text) => format!("a text that {} {text:?}", verb(name)),
            Self::Number(name, number) => format!("a number {} {number}", sign(name)),
            Self::Count(name, count) => format!("a list of length {} {count}", sign(name)),
            Self::AnyOf(of) => any(of, " or "),
            Self::AllOf(of) => any(of, " and "),
            Self::Not(inner) => format!("anything but {}", inner.describe()),
            Self::Bytes(file) => format!("the bytes of {file}"),
            Self::EveryItem(inner) => format!("a list, each element {}", inner.describe()),
        }
    }
}

fn verb(operator: &str) -> &str {
    match operator {
        "starts_with" => "begins with",
        "ends_with" => "ends with",
        verb => verb,
    }
}

/// How a number or a length compares.
pub(super) fn sign(operator: &str) -> &'static str {
    match operator {
        "gte" | "count_gte" => ">=",
        "lte" | "count_lte" => "<=",
        "gt" => ">",
        "lt" => "<",
        _ => "=",
    }
}
