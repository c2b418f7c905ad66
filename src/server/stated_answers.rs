//! An agent that gives the answer that it is told to give, to see what a client reads. Its card declares one interface.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;

use http::{Response, header};
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use serde_json::json;

use super::listener::ListenAddress;
use super::plain_http::{MAX_BODY, request_head, response, speak};
use super::request_body::HeldBodies;
use crate::agent::secret_fields;
use crate::host::Clock;
use crate::wire::exchange::{End, Exchange, Response as RecordedResponse, TimedFrame};
use crate::wire::http::Request;
use crate::wire::json::{self, Value};
use crate::wire::redact::Redactor;
use crate::wire::sse::Frame;

const JSON: &str = "application/json";

/// The agent, which listens on this machine. Must be used on a `LocalSet`.
#[derive(Clone)]
pub struct StatedAnswers(Rc<StatedState>);

struct StatedState {
    origin: String,
    clock: Rc<dyn Clock>,
    began_ms: f64,
    stated: RefCell<Stated>,
    exchanges: RefCell<Vec<Exchange>>,
}

#[derive(Default)]
struct Stated {
    /// The answer is the card itself.
    is_card: bool,
    payload: Value,
}

struct Prepared {
    status: u16,
    media_type: &'static str,
    body: String,
    /// The events, where it is a stream.
    events: Vec<String>,
}

impl Prepared {
    fn json(status: u16, value: &Value) -> Self {
        Self { status, media_type: JSON, body: value.to_string(), events: Vec::new() }
    }
}

impl StatedAnswers {
    /// Begins to listen on a free port.
    ///
    /// # Errors
    /// When there is none.
    pub async fn listen(clock: Rc<dyn Clock>) -> io::Result<Self> {
        let place = ListenAddress::at("127.0.0.1:0").await?;
        let began_ms = clock.now_ms();
        let (stated, exchanges) = (RefCell::default(), RefCell::default());
        let agent = Self(Rc::new(StatedState { origin: place.origin.clone(), clock, began_ms, stated, exchanges }));
        let shared = agent.clone();
        drop(tokio::task::spawn_local(place.serve(move |stream, _, usage| {
            let agent = shared.clone();
            speak(stream, usage, move |request| respond(request, agent.clone()))
        })));
        Ok(agent)
    }

    /// Where it is.
    #[must_use]
    pub fn origin(&self) -> &str {
        &self.0.origin
    }

    /// Gives this answer from now on: the card itself, or the answer to any call. A list is a stream of events.
    pub fn state(&self, is_card: bool, payload: Value) {
        *self.0.stated.borrow_mut() = Stated { is_card, payload };
    }

    /// What was exchanged since this was asked last, without credentials.
    #[must_use]
    pub fn take_exchanges(&self) -> Vec<Exchange> {
        self.0.exchanges.take()
    }

    fn answer(&self, request: &Request) -> Prepared {
        let stated = self.0.stated.borrow();
        let path = request.url.strip_prefix(&self.0.origin).unwrap_or_default();
        let path = path.split('?').next().unwrap_or_default();
        let is_rpc = is_json_rpc(&stated.payload);
        if path == "/.well-known/agent-card.json" {
            let card = if stated.is_card { stated.payload.clone() } else { card(&self.0.origin, is_rpc) };
            return Prepared::json(200, &card);
        }
        let is_interface = if is_rpc { path.trim_end_matches('/') == "/rpc" } else { path.starts_with("/rest/") };
        if !is_interface || stated.is_card {
            return Prepared::json(404, &json!({ "error": { "code": 404, "message": "there is nothing here" } }));
        }
        let body = request.body.as_deref().and_then(json::read).unwrap_or_default();
        let id = body.get("id").cloned().unwrap_or_default();
        if let Value::Array(events) = &stated.payload {
            let events: Vec<String> = events.iter().map(|event| with_id(event, &id).to_string()).collect();
            let body = events.iter().map(|event| format!("data: {event}\n\n")).collect();
            return Prepared { status: 200, media_type: "text/event-stream", body, events };
        }
        let status = stated.payload.pointer("/error/code").and_then(Value::as_u64).filter(|_| !is_rpc);
        let status = status.and_then(|code| u16::try_from(code).ok()).filter(|code| (400..600).contains(code));
        Prepared::json(status.unwrap_or(200), &with_id(&stated.payload, &id))
    }

    fn note(&self, request: &Request, answer: &Prepared, sent_ms: f64) {
        let now_ms = self.0.clock.now_ms() - self.0.began_ms;
        let frame =
            |data: &String| TimedFrame { at_ms: now_ms, frame: Frame { data: data.clone(), ..Frame::default() } };
        let is_stream = !answer.events.is_empty();
        let response = RecordedResponse {
            status: answer.status,
            headers: [("content-type", answer.media_type)].into_iter().collect(),
            url: request.url.clone(),
            head_ms: now_ms,
            body: if is_stream { Vec::new() } else { answer.body.clone().into_bytes() },
            bytes: answer.body.len(),
            frames: answer.events.iter().map(frame).collect(),
            ..RecordedResponse::default()
        };
        let mut exchange = Exchange {
            step: "read".to_owned(),
            response: Some(response),
            end: End::Complete,
            end_ms: now_ms,
            ..Exchange::begun(0, request.clone(), sent_ms)
        };
        Redactor::for_headers(&secret_fields(request)).exchange(&mut exchange);
        self.0.exchanges.borrow_mut().push(exchange);
    }
}

/// Whether a payload, or each event of one, is in an envelope of JSON-RPC.
fn is_json_rpc(payload: &Value) -> bool {
    let first = payload.as_array().map_or(Some(payload), |events| events.first());
    first.is_some_and(|document| document.get("jsonrpc").is_some())
}

/// The document with the id of the request, where it has one: a client takes no answer to another request.
fn with_id(document: &Value, id: &Value) -> Value {
    let mut document = document.clone();
    if let Some(own) = document.get_mut("id").filter(|_| id.is_string() || id.is_number()) {
        *own = id.clone();
    }
    document
}

/// A card of 1.0 that has whatever an operation may need.
fn card(origin: &str, is_rpc: bool) -> Value {
    let (binding, path) = if is_rpc { ("JSONRPC", "/rpc") } else { ("HTTP+JSON", "/rest") };
    json!({
        "name": "Agent with stated answers",
        "description": "Gives each client the answer that a test states.",
        "version": "1.0.0",
        "supportedInterfaces":
            [{ "url": format!("{origin}{path}"), "protocolBinding": binding, "protocolVersion": "1.0" }],
        "capabilities": { "streaming": true, "pushNotifications": true, "extendedAgentCard": true },
        "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"],
        "skills": [{ "id": "state", "name": "State", "description": "Gives a stated answer.", "tags": ["test"] }],
    })
}

async fn respond(request: http::Request<Incoming>, agent: StatedAnswers) -> Response<Full<Bytes>> {
    let sent_ms = agent.0.clock.now_ms() - agent.0.began_ms;
    let (head, body) = request.into_parts();
    let read = HeldBodies::default().read(body, MAX_BODY).await;
    let (Some(mut request), Ok(mut body)) = (request_head(&head, &agent.0.origin), read) else {
        return plain(400, JSON, String::new());
    };
    request.body = (!body.bytes.is_empty()).then(|| std::mem::take(&mut body.bytes));
    let answer = agent.answer(&request);
    agent.note(&request, &answer, sent_ms);
    plain(answer.status, answer.media_type, answer.body)
}

fn plain(status: u16, media_type: &'static str, body: String) -> Response<Full<Bytes>> {
    let mut response = response(status, body);
    response.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static(media_type));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_of_the_request_is_that_of_the_answer() {
        let stated = json!({ "jsonrpc": "2.0", "id": "req-1", "result": { "id": "t-1" } });
        assert_eq!(with_id(&stated, &json!(7)), json!({ "jsonrpc": "2.0", "id": 7, "result": { "id": "t-1" } }));
        assert_eq!(with_id(&stated, &Value::Null), stated);
        assert!(is_json_rpc(&stated) && is_json_rpc(&json!([stated])) && !is_json_rpc(&json!({ "id": "t-1" })));
    }

    #[test]
    fn the_card_declares_the_binding_of_the_answer() {
        assert_eq!(card("http://a.test", true)["supportedInterfaces"][0]["url"], "http://a.test/rpc");
        assert_eq!(card("http://a.test", false)["supportedInterfaces"][0]["protocolBinding"], "HTTP+JSON");
    }
}
