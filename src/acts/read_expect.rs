//! Reads what a step expects: of a response, of an error, of a stream, and of earlier responses.

use super::assertion::{self, Assertion, Operator};
use super::document::{ExpectBlock, ExpectError, ExpectEvent, ExpectStream, NamedAssertion, Quantity};
use super::dot_path::DotPath;
use super::fields::{Fields, Reading, text, word};
use super::node::{Node, NodeValue};

/// The members of a stream's event, as the format writes them and as they are on the wire.
pub(super) const EVENT_KINDS: [(&str, &str); 4] = [
    ("status_update", "statusUpdate"),
    ("artifact_update", "artifactUpdate"),
    ("task", "task"),
    ("message", "message"),
];
/// What the root of a response may hold: the format's own corpus writes it beside `body`.
const ROOTS: [&str; 4] = ["task", "message", "error", "result"];

pub(super) fn expect(reading: &Reading, node: &Node) -> Option<ExpectBlock> {
    let fields = Fields::from_node(reading, node, "expect")?;
    fields.only(&[["status", "body", "x-headers", "x-tool-calls", "x-bytes"].as_slice(), &ROOTS].concat());
    let mut members: Vec<(String, Assertion)> = Vec::new();
    for name in ROOTS {
        members.extend(fields.get(name).map(|node| (name.to_owned(), assertion::read(reading, node))));
    }
    let body = fields.get("body").map(|node| assertion::read(reading, node));
    let beside = (!members.is_empty()).then(|| Assertion::of_members(members));
    let body = match (body, beside) {
        (Some(body), Some(beside)) => {
            Some(Assertion::Map { operators: vec![Operator::AllOf(vec![body, beside])], members: Vec::new() })
        }
        (body, beside) => body.or(beside),
    };
    let is_error = fields.get("status").is_some_and(|node| node.as_text() == Some("error"));
    let headers = fields.get("x-headers").map(Node::members).unwrap_or_default().iter();
    Some(ExpectBlock {
        status: fields.get("status").filter(|_| !is_error).map(|node| status(reading, node)),
        is_error,
        body,
        headers: headers.map(|(key, node)| (key.text.to_ascii_lowercase(), assertion::read(reading, node))).collect(),
        tool_calls: fields.get("x-tool-calls").map(|node| assertion::read(reading, node)),
        bytes: fields.text("x-bytes"),
    })
}

fn status(reading: &Reading, node: &Node) -> Assertion {
    if matches!(node.value, NodeValue::Text(_) | NodeValue::Null | NodeValue::Bool(_)) {
        reading.expected(node, "an HTTP status, an assertion, or the word error");
    }
    assertion::read(reading, node)
}

pub(super) fn expect_error(reading: &Reading, node: &Node) -> Option<ExpectError> {
    let fields = Fields::from_node(reading, node, "expect_error")?;
    fields.only(&["error_type", "code", "message", "details", "data"]);
    let of = |name: &str| fields.get(name).map(|node| assertion::read(reading, node));
    if let Some(node) = fields.get("error_type").or_else(|| fields.get("code")) {
        check_error_names(reading, node);
    }
    Some(ExpectError {
        error_type: of("error_type").or_else(|| of("code")),
        message: of("message"),
        details: of("details"),
        data: of("data"),
    })
}

/// Notes every name in an assertion that is not the name of an error.
fn check_error_names(reading: &Reading, node: &Node) {
    match &node.value {
        NodeValue::Text(name) if super::error_names::find(name).is_none() && !name.contains("{{") => {
            let known = super::error_names::names().collect::<Vec<_>>().join(", ");
            reading.note(node.at, format!("there is no error {name}; expected one of {known}"));
        }
        NodeValue::Map(members) => {
            let names = members.iter().filter(|(key, _)| key.text == "one_of").flat_map(|(_, node)| node.elements());
            names.for_each(|node| check_error_names(reading, node));
        }
        NodeValue::Text(_) => {}
        _ => reading.expected(node, "the name of an error"),
    }
}

pub(super) fn expect_stream(reading: &Reading, node: &Node) -> Option<ExpectStream> {
    let fields = Fields::from_node(reading, node, "expect_stream")?;
    fields.only(&["min_count", "max_count", "timeout_ms", "ordering", "events", "final_event", "each_event"]);
    let of = |name: &str| fields.get(name).map(|node| on_the_wire(assertion::read(reading, node)));
    let events = fields.list("events", "a list of events");
    let ordering = fields.get("ordering").and_then(|node| word(reading, node, &["monotonic_state"]));
    Some(ExpectStream {
        min_count: fields.count("min_count"),
        max_count: fields.count("max_count"),
        timeout_ms: fields.count("timeout_ms"),
        is_monotonic: ordering.is_some(),
        events: events.iter().enumerate().filter_map(|(place, node)| event(reading, node, place)).collect(),
        final_event: of("final_event"),
        each_event: of("each_event"),
    })
}

fn event(reading: &Reading, node: &Node, place: usize) -> Option<ExpectEvent> {
    let fields = Fields::from_node(reading, node, "an event")?;
    let position = fields.get("match").and_then(|node| word(reading, node, &["exact_position", "any_position"]));
    let index = fields.count("index").and_then(|index| usize::try_from(index).ok());
    let rest: Vec<_> = fields
        .members
        .iter()
        .filter(|(key, _)| !matches!(key.text.as_str(), "description" | "match" | "index"))
        .cloned()
        .collect();
    let rest = Node { at: node.at, value: NodeValue::Map(rest) };
    Some(ExpectEvent {
        description: fields.text("description").unwrap_or_default(),
        index: if position == Some("any_position") { None } else { Some(index.unwrap_or(place)) },
        assertion: on_the_wire(assertion::read(reading, &rest)),
    })
}

/// The same assertion with the members of events as they are on the wire.
fn on_the_wire(assertion: Assertion) -> Assertion {
    let Assertion::Map { operators, members } = assertion else { return assertion };
    let all = |of: Vec<Assertion>| of.into_iter().map(on_the_wire).collect();
    let operators = operators.into_iter().map(|operator| match operator {
        Operator::AnyOf(of) => Operator::AnyOf(all(of)),
        Operator::AllOf(of) => Operator::AllOf(all(of)),
        Operator::Not(of) => Operator::Not(Box::new(on_the_wire(*of))),
        other => other,
    });
    let renamed = |name: String| {
        let found = EVENT_KINDS.iter().find(|(written, _)| *written == name);
        found.map_or(name, |(_, wire)| (*wire).to_owned())
    };
    let members = members.into_iter().map(|(name, assertion)| (renamed(name), assertion));
    Assertion::Map { operators: operators.collect(), members: members.collect() }
}

pub(super) fn named_assertions(fields: &Fields<'_>) -> Vec<NamedAssertion> {
    let nodes = fields.list("assertions", "a list of assertions").iter();
    nodes.filter_map(|node| named_assertion(fields.reading, node)).collect()
}

pub(super) fn named_assertion(reading: &Reading, node: &Node) -> Option<NamedAssertion> {
    let fields = Fields::from_node(reading, node, "an assertion")?;
    fields.only(&["id", "description", "source", "path", "match", "any", "all", "none"]);
    let of_elements = Quantity::ALL.into_iter().filter_map(|quantity| {
        let elements = Fields::from_node(reading, fields.get(quantity.as_str())?, "a collection-match")?;
        elements.only(&["path", "match"]);
        let path = path(reading, elements.need("path", "a path, with [*] for every element")?)?;
        let wanted = elements.need("match", "what an element has to be")?;
        Some((quantity, path, assertion::read(reading, wanted)))
    });
    let named = NamedAssertion {
        description: fields.text("description").or_else(|| fields.text("id")).unwrap_or_default(),
        source: fields.need_text("source"),
        path: fields.get("path").and_then(|node| path(reading, node)),
        matches: fields.get("match").map(|node| assertion::read(reading, node)),
        of_elements: of_elements.collect(),
    };
    if ["match", "any", "all", "none"].iter().all(|name| fields.get(name).is_none()) {
        reading.note(node.at, "an assertion needs one of the keys match, any, all, none");
    }
    Some(named)
}

fn path(reading: &Reading, node: &Node) -> Option<DotPath> {
    match DotPath::parse(&text(reading, node)?) {
        Ok(path) => Some(path),
        Err(problem) => {
            reading.note(node.at, problem);
            None
        }
    }
}
