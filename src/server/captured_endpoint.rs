//! `/_captured`: what the agent received, for the tests of a client or a proxy.

use http::header::ORIGIN;
use http::request::Parts;
use http::{Method, StatusCode};
use serde_json::{Value, json};

use super::agent_server::AgentServer;
use super::watch_endpoint::{is_of_this_machine, response};
use crate::agent::CapturedRequest;
use crate::host::StreamedResponse;
use crate::wire::http::Headers;
use crate::wire::json;
use crate::wire::url::decode;

pub(super) const PATH: &str = "/_captured";

pub(super) fn answer(served: &AgentServer, head: &Parts, from_here: bool) -> StreamedResponse {
    // A foreign page could otherwise read it in the browser of the person who runs the agent: by CORS, or by a name of its own that
    // leads here.
    let is_page = head.headers.contains_key(ORIGIN);
    let is_allowed = served.exposes_captured || (from_here && is_of_this_machine(head) && !is_page);
    if !is_allowed {
        let message = "only programs on this machine may see what the agent received, under 127.0.0.1 or localhost and past no \
                       proxy, and no pages; start the agent with --expose-captured to allow it to everybody";
        return error(StatusCode::FORBIDDEN, message);
    }
    let test_case = head.uri.query().and_then(test_case_in);
    match head.method {
        Method::GET => json_response(StatusCode::OK, &list(served, test_case.as_deref())),
        Method::DELETE => {
            served.clear(test_case.as_deref());
            response(StatusCode::NO_CONTENT, Headers::new(), Vec::new())
        }
        _ => {
            let mut answer = error(StatusCode::METHOD_NOT_ALLOWED, "this method is not allowed here");
            answer.head.headers.push("allow", "GET, DELETE");
            answer
        }
    }
}

fn test_case_in(query: &str) -> Option<String> {
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs.find(|(name, _)| *name == "test_case_id").map(|(_, value)| decode(value))
}

fn list(served: &AgentServer, test_case: Option<&str>) -> Value {
    let requests: Vec<Value> = served.captured.of_test_case(test_case).iter().map(describe).collect();
    json!({ "requests": requests, "dropped": served.captured.dropped() })
}

/// A request as JSON: a body that is JSON as what it is, any other as text.
fn describe(request: &CapturedRequest) -> Value {
    let mut headers = json::Map::new();
    for (name, value) in request.headers.iter() {
        let name = name.to_ascii_lowercase();
        let value = match headers.get(&name).and_then(Value::as_str) {
            Some(before) => format!("{before}, {value}"),
            None => value.to_owned(),
        };
        headers.insert(name, value.into());
    }
    let body = json::read(&request.body);
    let text = (body.is_none() && !request.body.is_empty()).then(|| request.text());
    let identity = request.identity.as_ref();
    json!({
        "number": request.number,
        "time": request.time,
        "method": request.method.as_str(),
        "path": request.path,
        "headers": headers,
        "body": body,
        "text": text,
        "testCaseId": request.test_case,
        "identity": identity.map(|identity| {
            json!({ "scheme": identity.scheme, "name": identity.name, "number": identity.number })
        }),
    })
}

fn error(status: StatusCode, message: &str) -> StreamedResponse {
    json_response(status, &json!({ "error": { "code": status.as_u16(), "message": message } }))
}

fn json_response(status: StatusCode, value: &Value) -> StreamedResponse {
    let headers = [("content-type", "application/json"), ("cache-control", "no-store")].into_iter().collect();
    response(status, headers, value.to_string().into_bytes())
}
