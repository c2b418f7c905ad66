//! Checks that references to steps name an earlier step, and something that it captures.

use super::fields::Reading;
use super::node::{Node, NodeValue};
use super::reference::{ARTIFACTS, RESPONSE, Reference, TOOL_CALLS, TextPiece, pieces};

/// The members of a stream's response that can be named as if they were captured.
const OF_STREAMS: &str = "events";

/// Checks every text of a test.
pub(super) fn check(reading: &Reading, test: &Node, steps: &[Node]) {
    let mut known: Vec<KnownStep<'_>> = Vec::new();
    for step in steps {
        let id = step.member("id").and_then(Node::as_text).unwrap_or_default();
        if let Some(node) = step.member("id").filter(|_| known.iter().any(|known| known.id == id)) {
            reading.note(node.at, format!("the id {id} is that of an earlier step; ids are unique in a test"));
        }
        let captured = step.member("capture").map(Node::members).unwrap_or_default();
        known.push(KnownStep { id, captured: captured.iter().map(|(key, _)| key.text.as_str()).collect() });
        check_texts(reading, step, &known);
    }
    for (key, node) in test.members().iter().filter(|(key, _)| key.text != "steps") {
        // Descriptions may speak of references.
        if key.text == "assertions" {
            check_texts(reading, node, &known);
        }
    }
}

/// Checks a text that stands before all steps.
pub(super) fn check_outside_of_steps(reading: &Reading, node: &Node) {
    check_texts(reading, node, &[]);
}

struct KnownStep<'a> {
    id: &'a str,
    captured: Vec<&'a str>,
}

fn check_texts(reading: &Reading, node: &Node, known: &[KnownStep<'_>]) {
    match &node.value {
        NodeValue::Text(text) => {
            if let Err(problem) = check_text(text, known) {
                reading.note(node.at, problem);
            }
        }
        NodeValue::List(nodes) => nodes.iter().for_each(|node| check_texts(reading, node, known)),
        NodeValue::Map(members) => {
            let members = members.iter().filter(|(key, _)| key.text != "description");
            members.for_each(|(_, node)| check_texts(reading, node, known));
        }
        _ => {}
    }
}

fn check_text(text: &str, known: &[KnownStep<'_>]) -> Result<(), String> {
    for piece in pieces(text)? {
        let TextPiece::Reference(Reference::OfStep { step, name, .. }) = piece else { continue };
        let Some(found) = known.iter().find(|known| known.id == step) else {
            return Err(format!("{{{{{step}.{name}}}}} names no step {step} before this place"));
        };
        if ![RESPONSE, OF_STREAMS, TOOL_CALLS, ARTIFACTS].contains(&name.as_str())
            && !found.captured.contains(&name.as_str())
        {
            let captured = if found.captured.is_empty() { "nothing".to_owned() } else { found.captured.join(", ") };
            return Err(format!("the step {step} does not capture {name}; it captures {captured}"));
        }
    }
    Ok(())
}
