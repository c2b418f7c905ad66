//! A document of YAML or JSON as a tree in which everything has its place in the text.

use serde_json::{Map, Number, Value};

use super::problem::TextPlace;

/// A value and its place.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    /// Where it begins.
    pub(super) at: TextPlace,
    /// The value.
    pub(super) value: NodeValue,
}

/// The value of a node.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum NodeValue {
    /// `null`, or nothing.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// A map, in the order of the text.
    Map(Vec<(NodeKey, Node)>),
}

/// The key of a member.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct NodeKey {
    /// Where it begins.
    pub(super) at: TextPlace,
    /// The key.
    pub(super) text: String,
}

impl Node {
    /// What it is, for a message: `a list`.
    pub(super) fn describe(&self) -> String {
        match &self.value {
            NodeValue::Null => "nothing".to_owned(),
            NodeValue::Bool(value) => value.to_string(),
            NodeValue::Number(number) => format!("the number {number}"),
            NodeValue::Text(text) if text.chars().count() <= 40 => format!("the text {text:?}"),
            NodeValue::Text(_) => "a text".to_owned(),
            NodeValue::List(nodes) if nodes.is_empty() => "an empty list".to_owned(),
            NodeValue::List(_) => "a list".to_owned(),
            NodeValue::Map(_) => "a map".to_owned(),
        }
    }

    /// The same without places.
    pub(super) fn to_json(&self) -> Value {
        match &self.value {
            NodeValue::Null => Value::Null,
            NodeValue::Bool(value) => Value::Bool(*value),
            NodeValue::Number(number) => Value::Number(number.clone()),
            NodeValue::Text(text) => Value::String(text.clone()),
            NodeValue::List(nodes) => Value::Array(nodes.iter().map(Self::to_json).collect()),
            NodeValue::Map(members) => {
                let members = members.iter().map(|(key, node)| (key.text.clone(), node.to_json()));
                Value::Object(members.collect::<Map<_, _>>())
            }
        }
    }

    /// Its text, if it is one.
    pub(super) fn as_text(&self) -> Option<&str> {
        match &self.value {
            NodeValue::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Its number, if it is one.
    pub(super) fn as_number(&self) -> Option<&Number> {
        match &self.value {
            NodeValue::Number(number) => Some(number),
            _ => None,
        }
    }

    /// The nodes of a list; none of anything else.
    pub(super) fn elements(&self) -> &[Self] {
        match &self.value {
            NodeValue::List(nodes) => nodes,
            _ => &[],
        }
    }

    /// The members of a map; none of anything else.
    pub(super) fn members(&self) -> &[(NodeKey, Self)] {
        match &self.value {
            NodeValue::Map(members) => members,
            _ => &[],
        }
    }

    /// The member of a map with that key.
    pub(super) fn member(&self, name: &str) -> Option<&Self> {
        self.members().iter().find(|(key, _)| key.text == name).map(|(_, node)| node)
    }
}
