//! Every reader of every dialect and binding: any answer is read, and what is noted of it points into it.

use a2a_conformance::a2a::binding::{BINDINGS, Call, ReplyKind};
use a2a_conformance::a2a::dialect::{DIALECTS, Dialect};
use a2a_conformance::a2a::model::Operation;
use a2a_conformance::a2a::rule::Notes;
use a2a_conformance::wire::exchange::{End, Exchange, Response, TimedFrame};
use a2a_conformance::wire::http::{Headers, Request};
use a2a_conformance::wire::json::{Pointer, Value, parse};
use a2a_conformance::wire::sse::{Item, Limits, Parser};
use serde_json::json;

use super::input::Input;

const OPERATIONS: [Operation; 11] = [
    Operation::SendMessage,
    Operation::SendStreamingMessage,
    Operation::GetTask,
    Operation::ListTasks,
    Operation::CancelTask,
    Operation::SubscribeToTask,
    Operation::CreatePushConfig,
    Operation::GetPushConfig,
    Operation::ListPushConfigs,
    Operation::DeletePushConfig,
    Operation::GetExtendedCard,
];

const STATUSES: [u16; 16] = [200, 200, 200, 204, 201, 301, 400, 401, 404, 409, 415, 429, 500, 501, 503, 999];

const MEDIA_TYPES: [&str; 8] = [
    "application/json",
    "application/a2a+json",
    "text/event-stream",
    "Application/JSON; charset=utf-8",
    "text/html",
    "application/problem+json",
    "application/grpc+proto",
    "",
];

/// The first bytes choose version, binding, operation, status and media type; the rest is the body.
pub(crate) fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let dialect: &'static Dialect = DIALECTS[input.below(DIALECTS.len())];
    let binding = BINDINGS[input.below(BINDINGS.len())];
    let dialect = dialect.over(binding.id);
    let operation = *input.pick(&OPERATIONS);
    let status = *input.pick(&STATUSES);
    let media_type = *input.pick(&MEDIA_TYPES);
    let body = input.rest();
    let sent = Call { operation: Some(operation), id: json!(1), params: Some(json!({})), ..Call::default() }.sent();
    let mut response = Response {
        status,
        headers: [("content-type", media_type)].into_iter().collect::<Headers>(),
        body: body.to_vec(),
        bytes: body.len(),
        ..Response::default()
    };
    if response.is_sse() {
        let mut parser = Parser::new(Limits::default());
        let mut items = parser.push(body);
        items.extend(parser.finish());
        for item in items {
            match item {
                Item::Event(frame) => response.frames.push(TimedFrame { at_ms: 1.0, frame }),
                Item::Comment(_) => response.comments += 1,
                Item::Odd(oddity) => response.oddities.push(oddity),
            }
        }
        response.body.clear();
    }
    // What cannot be seen around a document is told and read past.
    let is_invisible = |c: char| c.is_control() || c == '\u{feff}' || c == '\u{200b}';
    let frames: Vec<Value> = response
        .frames
        .iter()
        .map(|timed| parse(timed.frame.data.trim_matches(is_invisible).as_bytes()).value.unwrap_or_default())
        .collect();
    let mut exchange = Exchange::begun(1, Request::get("http://agent.test/"), 0.0);
    (exchange.end, exchange.response) = (End::Complete, Some(response));
    let reply = binding.reply(dialect, &sent, &exchange);
    assert_eq!(reply, binding.reply(dialect, &sent, &exchange), "another reading");
    let document = reply.document.clone().unwrap_or_default();
    point_into(&reply.notes, &document, &frames);
    assert!(!reply.kind.describe().is_empty());
    if let ReplyKind::Stream(items) = &reply.kind {
        assert!(items.len() <= frames.len());
    }
    // Again without an envelope.
    if let Some(value) = parse(body).value {
        let cursor = a2a_conformance::a2a::cursor::Cursor::root(&value);
        let mut notes = Notes::default();
        (dialect.read_result)(dialect, operation, &cursor, &mut notes);
        (dialect.read_event)(dialect, &cursor, &mut notes);
        point_into(&notes, &value, &[]);
    }
}

/// The place of a deviation, or the one that it is missing from, is in the document or the event that it names.
fn point_into(notes: &Notes, document: &Value, frames: &[Value]) {
    for deviation in notes.deviations() {
        assert!(!deviation.expected.is_empty() && !deviation.actual.is_empty(), "{deviation:?}");
        let (whole, pointer) = match deviation.pointer.strip_prefix("event ") {
            Some(rest) => {
                let (number, pointer) = rest.split_once(':').expect("a colon behind the number");
                let number: usize = number.parse().expect("the number of a frame");
                (frames.get(number - 1).expect("an event that there is"), pointer.trim_start())
            }
            None => (document, deviation.pointer.as_str()),
        };
        // Places are those of 1.0's names, in whatever case an answer has them.
        if is_snake_case(whole) {
            continue;
        }
        let exists = |pointer: &str| {
            Pointer::parse(pointer).unwrap_or_else(|| panic!("{deviation:?}: no pointer")).resolve(whole).is_some()
        };
        let parent = pointer.rsplit_once('/').map_or("", |(parent, _)| parent);
        assert!(exists(pointer) || exists(parent), "{deviation:?} in {whole}");
    }
}

/// Whether a member's name is not in the case of 1.0.
fn is_snake_case(value: &Value) -> bool {
    match value {
        Value::Array(elements) => elements.iter().any(is_snake_case),
        Value::Object(members) => members.iter().any(|(name, member)| name.contains('_') || is_snake_case(member)),
        _ => false,
    }
}

/// An answer of each kind.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let status = json!({"state": "TASK_STATE_COMPLETED", "timestamp": "2026-01-01T00:00:00.000Z",
        "message": {"messageId": "m", "role": "ROLE_AGENT", "contextId": "c", "parts": [{"text": "x"}]}});
    let task = json!({"id": "t", "contextId": "c", "status": status, "history": [],
        "artifacts": [{"artifactId": "a", "parts": [{"raw": "AQ=="}, {"data": {}}, {"url": "https://a.test/"}]}]});
    let old = json!({"kind": "task", "id": "t", "contextId": "c", "status": {"state": "completed"},
        "artifacts": [{"artifactId": "a", "parts": [{"kind": "file", "file": {"bytes": "AQ==", "name": "n"}}]}]});
    let oldest = json!({"id": "t", "sessionId": "s", "status": {"state": "completed"},
        "artifacts": [{"index": 0, "parts": [{"type": "text", "text": "x"}]}]});
    let info = json!({"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "TASK_NOT_FOUND", "domain": "a2a-protocol.org"});
    let config = json!({"id": "p", "taskId": "t", "url": "https://a.test/", "authentication": {"scheme": "Bearer"}});
    let rpc = |result: Value| json!({"jsonrpc": "2.0", "id": 1, "result": result});
    let error = json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32001, "message": "no", "data": [info]}});
    let status_body = json!({"error": {"code": 404, "status": "NOT_FOUND", "message": "no", "details": [info]}});
    let event = |value: &Value| format!(": hi\ndata: {value}\n\n").into_bytes();
    let update = json!({"statusUpdate": {"taskId": "t", "contextId": "c", "status": {"state": "TASK_STATE_WORKING"}}});
    let chunk = json!({"artifactUpdate": {"taskId": "t", "contextId": "c", "append": true, "artifact": {"artifactId": "a", "parts": []}}});
    let mut seeds = Vec::new();
    for version in 0..4_u8 {
        for (head, body) in [
            ([0, 0, 0, 0], rpc(json!({"task": task})).to_string().into_bytes()),
            ([0, 2, 0, 0], rpc(old.clone()).to_string().into_bytes()),
            ([0, 2, 0, 0], rpc(oldest.clone()).to_string().into_bytes()),
            ([0, 2, 0, 0], error.to_string().into_bytes()),
            (
                [0, 3, 0, 0],
                rpc(json!({"tasks": [task], "nextPageToken": "", "pageSize": 1, "totalSize": 1}))
                    .to_string()
                    .into_bytes(),
            ),
            ([0, 6, 0, 0], rpc(config.clone()).to_string().into_bytes()),
            ([1, 8, 0, 0], json!({"configs": [config]}).to_string().into_bytes()),
            ([1, 2, 8, 0], status_body.to_string().into_bytes()),
            ([0, 1, 0, 2], [event(&rpc(json!({"task": task}))), event(&rpc(update.clone()))].concat()),
            ([1, 5, 0, 2], [event(&json!({"task": task})), event(&chunk)].concat()),
        ] {
            seeds.push([&[version], &head[..], &*body].concat());
        }
    }
    seeds
}
