//! Tests of the gRPC binding.

use serde_json::json;

use super::*;
use crate::a2a::dialect::v0_3::V0_3_GRPC;
use crate::a2a::dialect::v1_0::V1_0;
use crate::a2a::dialect::write::PushConfigRequest;
use crate::wire::exchange::End;

fn interface(url: &str) -> Interface {
    Interface { url: url.to_owned(), tenant: Some("t".to_owned()), ..Interface::default() }
}

fn made(operation: Operation, params: Value) -> Result<Request, String> {
    let call = Call { operation: Some(operation), params: Some(params), ..Call::default() };
    request(&V1_0, &interface("agent.example:443"), &call)
}

#[test]
fn in_0_3_resources_are_named_by_paths() {
    let made = |operation, params: Value| {
        let call = Call { operation: Some(operation), params: Some(params), ..Call::default() };
        request(&V0_3_GRPC, &Interface { url: "h:1".to_owned(), ..Interface::default() }, &call)
    };
    let subscribe = made(Operation::SubscribeToTask, json!({ "id": "x" })).unwrap();
    assert_eq!(subscribe.url, "http://h:1/a2a.v1.A2AService/TaskSubscription");
    assert_eq!(subscribe.body.as_deref(), Some(br#"{"name":"tasks/x"}"#.as_slice()));
    assert_eq!(subscribe.headers.get("a2a-version"), None);
    let target = PushConfigRequest { task_id: "x".into(), config_id: Some("y".into()), url: "http://u".into() };
    let body = |operation| {
        let request = made(operation, (V0_3_GRPC.push_params)(operation, &target)).unwrap();
        String::from_utf8(request.body.unwrap()).unwrap()
    };
    assert_eq!(body(Operation::DeletePushConfig), r#"{"name":"tasks/x/pushNotificationConfigs/y"}"#);
    assert_eq!(body(Operation::ListPushConfigs), r#"{"parent":"tasks/x"}"#);
    let created = body(Operation::CreatePushConfig);
    assert!(created.starts_with(r#"{"parent":"tasks/x","configId":"y","config":{"name":"#), "{created}");
    // What the proto cannot tell apart, and what it has no place for.
    for (operation, params) in [
        (Operation::GetTask, json!({ "id": "x", "historyLength": 0 })),
        (Operation::GetTask, json!({ "id": 5 })),
        (Operation::GetPushConfig, json!({ "id": "x" })),
        (Operation::ListTasks, json!({})),
    ] {
        assert!(made(operation, params.clone()).is_err(), "{params}");
    }
}

#[test]
fn in_0_3_only_words_tell_that_there_is_no_method() {
    let sent = SentCall { operation: Some(Operation::CancelTask), ..SentCall::default() };
    let error = |message: &str| {
        let reply =
            GRPC.reply(&V0_3_GRPC, &sent, &exchange(false, "", &[("grpc-status", "12"), ("grpc-message", message)]));
        assert_eq!(reply.notes.deviations().count(), usize::from(message.is_empty()));
        match reply.kind {
            ReplyKind::Error(error) => error,
            other => panic!("{other:?}"),
        }
    };
    for words in ["Method not found!", "Method not implemented!", "unknown service a2a.v1.A2AService", ""] {
        assert!(error(words).is_missing_method(), "{words}");
    }
    let refused = error("TaskNotCancelableError: it has ended");
    assert!(!refused.is_missing_method() && refused.is(ErrorName::TaskNotCancelable));
    // A missing task needs no ErrorInfo here.
    let missing = GRPC.reply(&V0_3_GRPC, &sent, &exchange(false, "", &[("grpc-status", "5"), ("grpc-message", "no")]));
    assert_eq!(missing.notes.deviations().count(), 0);
}

#[test]
fn headers_that_a_browser_hides_are_not_missing() {
    let over_web = |trailers| {
        let mut exchange = exchange(false, "", trailers);
        let response = exchange.response.as_mut().unwrap();
        response.headers.push("content-type", "application/grpc-web+proto");
        (hides_status(response), read_get(&exchange))
    };
    let (hides, reply) = over_web(&[]);
    assert!(hides && matches!(reply.kind, ReplyKind::NoAnswer(_)) && reply.notes.deviations().count() == 0);
    let (hides, reply) = over_web(&[("grpc-status", "5")]);
    assert!(!hides && matches!(reply.kind, ReplyKind::Error(_)) && reply.notes.deviations().count() == 0);
}

#[test]
fn a_call_names_its_method_in_the_path_and_its_version_in_the_metadata() {
    let get = made(Operation::GetTask, json!({ "id": "x", "historyLength": 0 })).unwrap();
    assert_eq!(get.url, "https://agent.example/lf.a2a.v1.A2AService/GetTask");
    assert_eq!(get.body.as_deref(), Some(br#"{"id":"x","historyLength":0,"tenant":"t"}"#.as_slice()));
    assert_eq!(get.headers.get("a2a-version"), Some("1.0"));
    // A member that the message has no field for cannot be sent.
    assert_eq!(made(Operation::GetTask, json!({ "task": "x" })), Err("GetTaskRequest has no field task".to_owned()));
    assert!(made(Operation::GetTask, json!({ "id": {} })).is_err());
}

fn exchange(streams: bool, body: &str, trailers: &[(&str, &str)]) -> Exchange {
    let trailers = (!trailers.is_empty()).then(|| trailers.iter().copied().collect());
    let grpc = Some(Box::new(GrpcAnswer { streams, trailers, flaws: Vec::new() }));
    Exchange {
        id: 1,
        lane: None,
        scenario: String::new(),
        step: String::new(),
        request: Request::get(""),
        sent_ms: 0.0,
        response: Some(Response { status: 200, body: body.as_bytes().to_vec(), grpc, ..Response::default() }),
        end: End::Complete,
        end_ms: 0.0,
    }
}

fn read_get(exchange: &Exchange) -> Reply {
    let sent = SentCall { operation: Some(Operation::GetTask), ..SentCall::default() };
    GRPC.reply(&V1_0, &sent, exchange)
}

#[test]
fn a_text_that_is_not_utf8_is_no_message_of_the_definitions() {
    let mut exchange = exchange(false, "{}", &[("grpc-status", "0")]);
    let url = "http://h:1/lf.a2a.v1.A2AService/GetTask";
    let (mut reader, mut answer) = crate::a2a::grpc_codec::GrpcReader::new(url, &mut Headers::new());
    reader.push(&[0, 0, 0, 0, 3, 0x0a, 1, 0xff], &mut answer);
    assert_eq!(answer.flaws.len(), 1);
    exchange
        .response
        .iter_mut()
        .filter_map(|response| response.grpc.as_mut())
        .for_each(|grpc| grpc.flaws = answer.flaws.clone());
    assert!(read_get(&exchange).notes.broken(Rule::GrpcMessage).is_some_and(|broken| broken.expected == "UTF-8"));
}

#[test]
fn an_error_is_named_by_its_reason_and_else_may_be_what_its_code_says() {
    let details = json!({ "code": 5, "message": "no", "details": [{ "@type": super::super::ERROR_INFO,
        "reason": "TASK_NOT_FOUND", "domain": "a2a-protocol.org" }] })
    .to_string();
    let fields = [(STATUS, "5"), (MESSAGE, "no"), (DETAILS, details.as_str())];
    let reply = read_get(&exchange(false, "", &fields));
    assert!(matches!(&reply.kind, ReplyKind::Error(error) if error.name == Some(ErrorName::TaskNotFound)));
    assert_eq!(reply.notes.deviations().count(), 0);
    assert!(reply.kind.describe().starts_with("NOT_FOUND (TaskNotFoundError)"), "{}", reply.kind.describe());
    let reply = read_get(&exchange(false, "", &[(STATUS, "9"), (DETAILS, details.as_str())]));
    assert!(reply.notes.broken(Rule::GrpcErrorCode).is_some());
    let reply = read_get(&exchange(false, "", &[(STATUS, "5"), (MESSAGE, "no")]));
    assert!(matches!(&reply.kind, ReplyKind::Error(error) if error.is(ErrorName::TaskNotFound)));
    assert!(reply.notes.broken(Rule::GrpcErrorInfo).is_some());
}

#[test]
fn an_answer_ends_with_a_status_and_has_a_message_if_it_is_ok() {
    let task = r#"{"id":"x","status":{"state":"TASK_STATE_WORKING"}}"#;
    let reply = read_get(&exchange(false, task, &[(STATUS, "0")]));
    assert!(matches!(reply.kind, ReplyKind::Result(Payload::Task(_))));
    assert!(read_get(&exchange(false, "", &[(STATUS, "0")])).notes.broken(Rule::GrpcMessage).is_some());
    for trailers in [[].as_slice(), &[(STATUS, "17")], &[(STATUS, "fine")]] {
        assert!(read_get(&exchange(false, task, trailers)).notes.broken(Rule::GrpcStatus).is_some());
    }
    assert_eq!(read_get(&exchange(false, "", &[(STATUS, "16")])).kind, ReplyKind::Unavailable(401));
}
