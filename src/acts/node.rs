//! A document of YAML or JSON as a tree in which everything has its place in the text.

use serde_json::{Map, Number, Value};

use super::problem::TextPlace;

/// A value and its place.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    pub(super) at: TextPlace,
    pub(super) value: NodeValue,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum NodeValue {
    /// `null`, or nothing.
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Node>),
    /// A map, in the order of the text.
    Map(Vec<(NodeKey, Node)>),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct NodeKey {
    pub(super) at: TextPlace,
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

    pub(super) fn as_text(&self) -> Option<&str> {
        match &self.value {
            NodeValue::Text(text) => Some(text),
            _ => None,
        }
    }

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

    pub(super) fn member(&self, name: &str) -> Option<&Self> {
        self.members().iter().find(|(key, _)| key.text == name).map(|(_, node)| node)
    }
}
