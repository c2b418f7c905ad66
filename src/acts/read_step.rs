//! Reads the steps of a test: the names of operations and credentials, and what is usual where a file is silent: how often a step
//! is repeated, and after what pause.

use super::document::{ActsOperation, ActsStep, Backoff, RawRequest, RepeatRule, StepAction};
use super::fields::{Fields, Reading, named, text, word};
use super::node::{Node, NodeValue};
use super::read_expect::{expect, expect_error, expect_stream, named_assertion, named_assertions};
use super::{assertion, dot_path::DotPath, until::UntilCondition};
use crate::a2a::binding::Credentials;
use crate::a2a::model::Operation;
use crate::wire::http::Method;

const OPERATIONS: [(&str, ActsOperation); 16] = [
    ("send_message", ActsOperation::Call(Operation::SendMessage)),
    ("send_streaming_message", ActsOperation::Call(Operation::SendStreamingMessage)),
    ("get_task", ActsOperation::Call(Operation::GetTask)),
    ("list_tasks", ActsOperation::Call(Operation::ListTasks)),
    ("cancel_task", ActsOperation::Call(Operation::CancelTask)),
    ("subscribe_to_task", ActsOperation::Call(Operation::SubscribeToTask)),
    ("get_agent_card", ActsOperation::Card),
    ("get_extended_agent_card", ActsOperation::Call(Operation::GetExtendedCard)),
    ("create_push_config", ActsOperation::Call(Operation::CreatePushConfig)),
    ("get_push_config", ActsOperation::Call(Operation::GetPushConfig)),
    ("list_push_configs", ActsOperation::Call(Operation::ListPushConfigs)),
    ("delete_push_config", ActsOperation::Call(Operation::DeletePushConfig)),
    // The names that the format's own corpus uses.
    ("set_push_notification_config", ActsOperation::Call(Operation::CreatePushConfig)),
    ("get_push_notification_config", ActsOperation::Call(Operation::GetPushConfig)),
    ("list_push_notification_configs", ActsOperation::Call(Operation::ListPushConfigs)),
    ("delete_push_notification_config", ActsOperation::Call(Operation::DeletePushConfig)),
];
const CREDENTIALS: [(&str, Credentials); 5] = [
    ("own", Credentials::Own),
    ("second", Credentials::Second),
    ("none", Credentials::None),
    ("wrong", Credentials::Wrong),
    ("expired", Credentials::Expired),
];
const KINDS: [&str; 5] = ["operation", "raw", "client_response", "assertion", "x-received"];

/// The format's word for an operation.
pub(super) fn operation_name(operation: ActsOperation) -> &'static str {
    OPERATIONS.iter().find(|(_, known)| *known == operation).map_or("", |(name, _)| *name)
}

pub(super) fn step(reading: &Reading, node: &Node) -> Option<ActsStep> {
    let fields = Fields::from_node(reading, node, "a step")?;
    let kinds: Vec<&str> = KINDS.into_iter().filter(|kind| fields.get(kind).is_some()).collect();
    let [kind] = kinds.as_slice() else {
        let found = if kinds.is_empty() { "none".to_owned() } else { kinds.join(" and ") };
        reading.note(node.at, format!("a step needs exactly one of the keys {}; it has {found}", KINDS.join(", ")));
        return None;
    };
    let sent: &[&str] = &["expect", "expect_error", "expect_stream", "capture", "assertions", "repeat", "delay_ms"];
    let own: &[&str] = &["x-within-ms", "x-credentials", "x-agent"];
    let known = match *kind {
        "operation" => [&["params"], sent, own].concat(),
        "raw" => [sent, own].concat(),
        "x-received" => vec!["expect", "capture", "assertions", "repeat", "delay_ms"],
        "client_response" => vec!["expect_parsed", "assertions"],
        _ => Vec::new(),
    };
    fields.only(&[&["id", "description", *kind], known.as_slice()].concat());
    if let (Some(node), true) = (fields.get("expect_error"), fields.get("expect").is_some()) {
        reading.note(node.at, "a step has either expect or expect_error");
    }
    if let (Some(node), true) = (fields.get("x-credentials"), fields.get("x-agent").is_some()) {
        reading.note(node.at, "credentials are sent to the agent under test only, and not with x-agent");
    }
    let id = fields.need_text("id");
    if id.contains(['.', '{', '}']) {
        let message =
            format!("the id {id:?} of a step must not contain dots and braces, so that it can be referred to");
        reading.note(fields.at, message);
    }
    let credentials = fields.get("x-credentials").and_then(|node| named(reading, node, &CREDENTIALS, |(name, _)| name));
    Some(ActsStep {
        action: action(kind, &fields)?,
        id,
        expect: fields.get("expect").and_then(|node| expect(reading, node)),
        expect_error: fields.get("expect_error").and_then(|node| expect_error(reading, node)),
        expect_stream: fields.get("expect_stream").and_then(|node| expect_stream(reading, node)),
        capture: capture(&fields),
        assertions: named_assertions(&fields),
        repeat: fields.get("repeat").and_then(|node| repeat(reading, node)),
        delay_ms: fields.count("delay_ms").unwrap_or_default(),
        within_ms: fields.count("x-within-ms"),
        credentials: credentials.map(|(_, credentials)| credentials),
        agent: if *kind == "operation" { fields.text("x-agent") } else { None },
    })
}

fn action(kind: &str, fields: &Fields<'_>) -> Option<StepAction> {
    let node = fields.get(kind)?;
    let reading = fields.reading;
    Some(match kind {
        "operation" => {
            let params = fields.get("params").map(Node::to_json).unwrap_or_default();
            if let Some(node) = fields.get("params")
                && !matches!(node.value, NodeValue::Map(_) | NodeValue::Null)
            {
                reading.expected(node, "a map of parameters");
            }
            StepAction::Call(operation(reading, node)?, params)
        }
        "raw" => StepAction::Raw(RawRequest { agent: fields.text("x-agent"), ..raw(reading, node)? }),
        "x-received" => StepAction::Raw(received(reading, node)?),
        "client_response" => {
            let response = Fields::from_node(reading, node, "client_response")?;
            response.only(&["operation", "wire_payload"]);
            let parsed = fields.need("expect_parsed", "what a client reads out of the payload")?;
            StepAction::Client {
                operation: operation(reading, response.need("operation", "the name of an operation")?)?,
                payload: response.need("wire_payload", "the answer's document")?.to_json(),
                expect_parsed: assertion::read(reading, parsed),
            }
        }
        _ => StepAction::Assert(named_assertion(reading, node)?),
    })
}

fn operation(reading: &Reading, node: &Node) -> Option<ActsOperation> {
    let name = text(reading, node)?;
    let found = OPERATIONS.iter().find(|(known, _)| *known == name).map(|(_, operation)| *operation);
    if found.is_none() {
        let near = OPERATIONS
            .iter()
            .min_by_key(|(known, _)| strsim::levenshtein(known, &name))
            .map_or("", |(known, _)| *known);
        let own: Vec<&str> = OPERATIONS.iter().take(12).map(|(known, _)| *known).collect();
        let advice = if strsim::levenshtein(near, &name) <= 4 {
            format!("did you mean {near}?")
        } else {
            format!("expected one of {}", own.join(", "))
        };
        reading.note(node.at, format!("there is no operation {name}; {advice}"));
    }
    found
}

fn raw(reading: &Reading, node: &Node) -> Option<RawRequest> {
    let fields = Fields::from_node(reading, node, "raw")?;
    fields.only(&["method", "path", "headers", "body", "body_raw"]);
    if let (Some(node), true) = (fields.get("body_raw"), fields.get("body").is_some()) {
        reading.note(node.at, "a request has either body or body_raw");
    }
    let method = fields.need("method", "one of GET, POST, PUT, DELETE")?;
    let method = Method::parse(word(reading, method, &["GET", "POST", "PUT", "DELETE"])?)?;
    Some(RawRequest {
        agent: None,
        received_for: None,
        method,
        path: fields.need_text("path"),
        headers: fields.text_map("headers"),
        body: fields.json("body"),
        body_raw: fields.text("body_raw"),
    })
}

/// A question to a further agent about what it received.
fn received(reading: &Reading, node: &Node) -> Option<RawRequest> {
    let fields = Fields::from_node(reading, node, "x-received")?;
    fields.only(&["agent", "test_case_id"]);
    Some(RawRequest {
        agent: Some(fields.need_text("agent")),
        received_for: Some(fields.need_text("test_case_id")),
        method: Method::Get,
        path: "/_captured".to_owned(),
        headers: Vec::new(),
        body: None,
        body_raw: None,
    })
}

fn capture(fields: &Fields<'_>) -> Vec<(String, DotPath)> {
    let nodes = fields.get("capture").map(Node::members).unwrap_or_default();
    let captures = fields.text_map("capture").into_iter().filter_map(|(name, path)| match DotPath::parse(&path) {
        Ok(path) => Some((name, path)),
        Err(problem) => {
            let at = nodes.iter().find(|(key, _)| key.text == name).map_or(fields.at, |(_, node)| node.at);
            fields.reading.note(at, problem);
            None
        }
    });
    captures.collect()
}

fn repeat(reading: &Reading, node: &Node) -> Option<RepeatRule> {
    let fields = Fields::from_node(reading, node, "repeat")?;
    fields.only(&["until", "max_attempts", "delay_ms", "backoff"]);
    let until = fields.need("until", "a condition")?;
    let condition = UntilCondition::parse(&text(reading, until)?);
    if let Err(problem) = &condition {
        reading.note(until.at, problem);
    }
    let backoff = fields.get("backoff").and_then(|node| named(reading, node, &Backoff::ALL, Backoff::as_str));
    Some(RepeatRule {
        until: condition.ok()?,
        max_attempts: fields.count("max_attempts").unwrap_or(10).max(1),
        delay_ms: fields.count("delay_ms").unwrap_or(1000),
        backoff: backoff.unwrap_or(Backoff::Constant),
    })
}
