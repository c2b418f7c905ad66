//! The agent as a client sees it, on a clock that advances only when something waits.

mod behaviour;
mod captured;
mod conventions;
mod declared;
mod declared_faulty;
mod faults;
mod http;
mod older;

use std::cell::Cell;
use std::rc::Rc;

use futures_util::future::{LocalBoxFuture, lazy};
use futures_util::{FutureExt, StreamExt};
use serde_json::{Value, json};

use super::ScriptedAgent;
use super::fault::Faults;
use super::loopback::Loopback;
use crate::host::{Clock, IdSource, StreamedResponse, Transport};
use crate::wire::exchange::TransportError;
use crate::wire::http::{Method, Request};
use crate::wire::sse::{Item, Limits, Parser};

/// A clock that advances only when something waits, and then at once.
#[derive(Clone, Default)]
pub(super) struct ManualClock(Rc<Cell<f64>>);

impl ManualClock {
    pub(super) fn pass(&self, ms: f64) {
        self.0.set(self.0.get() + ms);
    }
}

impl Clock for ManualClock {
    fn now_ms(&self) -> f64 {
        self.0.get()
    }

    fn wall_ms(&self) -> f64 {
        1_770_091_506_000.0 + self.0.get()
    }

    fn sleep(&self, ms: f64) -> LocalBoxFuture<'static, ()> {
        let (clock, due) = (Rc::clone(&self.0), self.0.get() + ms);
        lazy(move |_| clock.set(clock.get().max(due))).boxed_local()
    }
}

/// Ids that are the same in every test.
#[derive(Default)]
pub(super) struct CountedIds(Cell<u32>);

impl IdSource for CountedIds {
    fn fresh(&self) -> String {
        self.0.set(self.0.get() + 1);
        format!("id-{}", self.0.get())
    }
}

/// A public name, so that the agent refuses webhooks in private networks.
const BASE: &str = "https://agent.example";

/// A client of an agent.
struct Client {
    clock: ManualClock,
    agent: ScriptedAgent,
    transport: Loopback,
    /// Credentials, if the agent wants some.
    headers: Vec<(String, String)>,
}

/// An answer that was read as far as it came.
struct Read {
    status: u16,
    head: String,
    body: Vec<u8>,
    /// How many chunks the body came in.
    chunks: usize,
    /// Whether the body was read to its end.
    ended: bool,
}

impl Client {
    fn with_faults(faults: &[&str]) -> Self {
        let clock = ManualClock::default();
        let faults = Faults::parse(faults.iter().copied()).unwrap();
        let headers = faults.credentials();
        let agent = ScriptedAgent::new(BASE, Rc::new(clock.clone()), Rc::new(CountedIds::default()), faults);
        Self { clock, transport: Loopback::new(agent.clone()), agent, headers }
    }

    /// The answer to a request; None if there is none yet.
    fn fetch(&self, mut request: Request) -> Option<Result<StreamedResponse, TransportError>> {
        for (name, value) in &self.headers {
            if request.headers.get(name).is_none() {
                request.headers.push(name, value.as_str());
            }
        }
        self.transport.send(request).now_or_never()
    }

    fn read(&self, request: Request) -> Read {
        let answer = self.fetch(request).expect("an answer").expect("an HTTP answer");
        read(answer)
    }

    fn request(method: &str, params: &Value) -> Request {
        let mut call = json!({ "jsonrpc": "2.0", "id": 1, "method": method });
        super::json_values::set(&mut call, "params", params.clone());
        Self::post(&call.to_string())
    }

    fn post(body: &str) -> Request {
        Request::post(format!("{BASE}/rpc"), "application/json", body).with_header("A2A-Version", "1.0")
    }

    /// A request to a route of HTTP+JSON; a body is of the usual type.
    fn route(method: Method, path: &str, body: Option<&Value>) -> Request {
        let url = format!("{BASE}/rest{path}");
        let request = match body {
            Some(body) => Request::post(url, "application/json", body.to_string()),
            None => Request::get(url),
        };
        Request { method, ..request }.with_header("A2A-Version", "1.0")
    }

    fn call(&self, method: &str, params: Value) -> Value {
        self.read(Self::request(method, &params)).json()
    }

    /// The result of a call that must succeed.
    fn ask(&self, method: &str, params: Value) -> Value {
        let answer = self.call(method, params);
        answer.get("result").unwrap_or_else(|| panic!("{method}: {answer}")).clone()
    }

    /// The error code of a call that must fail.
    fn refused(&self, method: &str, params: Value) -> i64 {
        let answer = self.call(method, params);
        answer.pointer("/error/code").and_then(Value::as_i64).unwrap_or_else(|| panic!("{method}: {answer}"))
    }

    /// Sends a text and waits.
    fn send(&self, text: &str) -> Value {
        self.ask("SendMessage", message(text))
    }

    /// Sends a text and does not wait.
    fn start(&self, text: &str) -> Value {
        let mut params = message(text);
        params["configuration"] = json!({ "returnImmediately": true });
        self.ask("SendMessage", params)["task"].clone()
    }

    fn task(&self, id: &Value) -> Value {
        self.ask("GetTask", json!({ "id": id }))
    }

    /// The payloads of a stream that must end.
    fn stream(&self, method: &str, params: Value) -> Vec<Value> {
        let read = self.read(Self::request(method, &params));
        assert!(read.ended, "the stream stays open");
        read.events()
    }
}

impl Read {
    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// The payloads of the events of JSON-RPC.
    fn events(&self) -> Vec<Value> {
        self.frames().into_iter().map(|event| event["result"].clone()).collect()
    }

    fn frames(&self) -> Vec<Value> {
        let mut parser = Parser::new(Limits::default());
        let mut items = parser.push(&self.body);
        items.extend(parser.finish());
        let events = items.into_iter().map(|item| match item {
            Item::Event(frame) => serde_json::from_str::<Value>(&frame.data).unwrap(),
            other => panic!("{other:?}"),
        });
        events.collect()
    }
}

/// Reads a body as far as it comes, but no more than fifty chunks of it.
fn read(mut answer: StreamedResponse) -> Read {
    let head = answer.head.headers.iter().map(|(name, value)| format!("{name}: {value}\n")).collect();
    let mut read = Read { status: answer.head.status, head, body: Vec::new(), chunks: 0, ended: false };
    while read.chunks < 50 {
        match answer.body.next().now_or_never() {
            Some(Some(Ok(chunk))) => read.body.extend(chunk),
            Some(Some(Err(broken))) => read.body.extend(broken.into_bytes()),
            Some(None) => read.ended = true,
            None => {}
        }
        if read.ended {
            break;
        }
        read.chunks += 1;
    }
    read
}

fn message(text: &str) -> Value {
    json!({ "message": { "messageId": "m-1", "role": "ROLE_USER", "parts": [{ "text": text }] } })
}

/// A message to a task.
fn more(text: &str, task: &Value, context: Option<&str>) -> Value {
    let mut params = message(text);
    params["message"]["taskId"] = task["id"].clone();
    super::json_values::set(&mut params["message"], "contextId", context.into());
    params
}

fn state(task: &Value) -> &str {
    task["status"]["state"].as_str().unwrap_or_default()
}

/// The names of the payloads, a status update by its state.
fn outline(events: &[Value]) -> Vec<String> {
    let name = |event: &Value| match event.as_object().and_then(|map| map.iter().next()) {
        Some((name, update)) if name == "statusUpdate" => {
            state(update).trim_start_matches("TASK_STATE_").to_lowercase()
        }
        Some((name, _)) => name.clone(),
        None => String::new(),
    };
    events.iter().map(name).collect()
}
