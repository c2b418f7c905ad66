//! What stands before the first message of a conversation: a system context, and the tools that the agent may call (`x-system`,
//! `x-tools`). A2A has no members for them, so they become a part of the text.

use std::fmt::Write;

use serde_json::{Map, Value};

use super::fields::{Fields, list, text};
use super::node::{Node, NodeValue};
use super::references;
use crate::a2a::dialect::Tags;

/// The system context and the tools of a test, with references.
#[derive(Debug, Clone, Default)]
pub struct ConversationOpening {
    system: String,
    tools: String,
}

/// Reads the keys of a document, or of a test: what a test does not say is as the document has it.
pub(super) fn read(fields: &Fields<'_>, of_document: &ConversationOpening) -> ConversationOpening {
    let system = fields.get("x-system").map(|node| {
        references::check_outside_of_steps(fields.reading, node);
        text(fields.reading, node).unwrap_or_default()
    });
    let tools = fields.get("x-tools").map(|node| {
        references::check_outside_of_steps(fields.reading, node);
        let tools = list(fields.reading, node, "a list of tools");
        tools.iter().filter_map(|node| tool(fields, node)).collect()
    });
    ConversationOpening {
        system: system.unwrap_or_else(|| of_document.system.clone()),
        tools: tools.unwrap_or_else(|| of_document.tools.clone()),
    }
}

/// A tool as the agent is told of it.
fn tool(fields: &Fields<'_>, node: &Node) -> Option<String> {
    let reading = fields.reading;
    let fields = Fields::from_node(reading, node, "a tool")?;
    fields.only(&["name", "description", "parameters"]);
    let name = fields.need_text("name");
    if name.contains(['"', '<', '>', '&']) {
        reading.note(fields.at, format!("the name {name:?} of a tool must not contain quotation marks, <, > and &"));
    }
    let mut tool = format!("<tool name=\"{name}\">\n");
    if let Some(description) = fields.text("description") {
        // Writing to a string has no error to report.
        let _ = writeln!(tool, "  <description>{}</description>", description.trim());
    }
    if let Some(node) = fields.get("parameters") {
        if !matches!(node.value, NodeValue::Map(_)) {
            reading.expected(node, "a JSON Schema, which is a map");
        }
        let _ = writeln!(tool, "  <parameters>{}</parameters>", node.to_json());
    }
    tool.push_str("</tool>\n");
    Some(tool)
}

impl ConversationOpening {
    /// The text, with references; empty where there is nothing to say.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        let system = self.system.trim();
        if !system.is_empty() {
            let _ = write!(text, "<system>\n{system}\n</system>\n\n");
        }
        if !self.tools.is_empty() {
            let _ = write!(text, "<available_tools>\n{}</available_tools>\n\n", self.tools);
        }
        text
    }
}

/// Puts a text before the first text of a message, or into a part of its own where it has none.
pub(super) fn put_before(message: &mut Map<String, Value>, opening: &str, tags: Tags) {
    let Some(parts) = message.get_mut("parts").and_then(Value::as_array_mut) else { return };
    let first = parts.iter_mut().find_map(|part| match part.get_mut("text") {
        Some(Value::String(text)) => Some(text),
        _ => None,
    });
    if let Some(text) = first {
        text.insert_str(0, opening);
        return;
    }
    let tag = match tags {
        Tags::Members => None,
        Tags::Kind | Tags::Either => Some("kind"),
        Tags::Type => Some("type"),
    };
    let tag = tag.map(|tag| (tag.to_owned(), Value::from("text")));
    let part = tag.into_iter().chain([("text".to_owned(), Value::from(opening.trim_end()))]).collect();
    parts.insert(0, part);
}
