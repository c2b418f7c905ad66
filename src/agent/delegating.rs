//! The scripted agent as one that calls another when a message tells it to: `delegate to URL with TOKEN`. It looks for the card of the
//! agent at that URL, sends it the token as a message over JSON-RPC, and puts out what came back. It calls nobody unless it was
//! given a transport, as in the page: then the code is no part of it.

use std::cell::RefCell;
use std::rc::Rc;

use futures_util::future::LocalBoxFuture;
use futures_util::{FutureExt, StreamExt};
use serde_json::{Value, json};

use super::card::PATH;
use super::fault::FaultId;
use super::json_values::{elements, text};
use super::request::json_body;
use super::scripted_agent::ScriptedAgent;
use crate::host::Transport;
use crate::wire::base64::STANDARD;
use crate::wire::http::Request;
use crate::wire::json::read;

/// After so long an agent with a fault gives its peer up, in milliseconds.
const PATIENCE_MS: f64 = 4_000.0;

/// Calls the peer that a request names, and makes of the request one whose message is answered with what came back.
pub(super) type Delegate = dyn Fn(&ScriptedAgent, &Request) -> Option<LocalBoxFuture<'static, Request>>;

/// An order to call another agent.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Order {
    url: String,
    token: String,
}

/// What became of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Outcome {
    Answered(String),
    Failed(String),
}

impl ScriptedAgent {
    /// Lets the agent call the agents that messages name, by this transport.
    pub fn delegate_by(&self, transport: Rc<dyn Transport>) {
        let earlier = Rc::new(RefCell::new(String::new()));
        *self.0.delegate.borrow_mut() = Some(Rc::new(move |agent, request| {
            let order = order_in(request)?;
            let (agent, request) = (agent.clone(), request.clone());
            let (transport, earlier) = (Rc::clone(&transport), Rc::clone(&earlier));
            Some(async move { agent.carried_out(request, &order, &*transport, &earlier).await }.boxed_local())
        }));
    }

    /// The request once its order was carried out.
    async fn carried_out(
        &self,
        request: Request,
        order: &Order,
        transport: &dyn Transport,
        earlier: &RefCell<String>,
    ) -> Request {
        if self.has(FaultId::DelegationPretended) {
            return answered_with(request, &turn(true, "Done, I have called the other agent."));
        }
        let begun_ms = self.reading().now_ms;
        let outcome = self.called(order, transport).await;
        let took_ms = self.reading().now_ms - begun_ms;
        let is_late = took_ms > PATIENCE_MS && self.has(FaultId::DelegationHangsOnWait);
        let has_failed = matches!(outcome, Outcome::Failed(_)) && self.has(FaultId::DelegationHangsOnError);
        if is_late || has_failed {
            return answered_with(request, &json!({"task": {"status": {"state": "TASK_STATE_WORKING"}}}));
        }
        let turn = match outcome {
            Outcome::Failed(why) => turn(false, &why),
            Outcome::Answered(_) if self.has(FaultId::DelegationLosesResult) => turn(true, "The other agent is done."),
            Outcome::Answered(said) if self.has(FaultId::DelegationMixesResults) => {
                let before = earlier.replace(said.clone());
                turn(true, format!("{before} {said}").trim())
            }
            Outcome::Answered(said) => turn(true, &said),
        };
        answered_with(request, &turn)
    }

    /// Calls the agent of an order.
    async fn called(&self, order: &Order, transport: &dyn Transport) -> Outcome {
        let card = format!("{}{PATH}", order.url.trim_end_matches('/'));
        let card = match exchanged(transport, Request::get(card)).await {
            Ok(card) => card,
            Err(why) => return Outcome::Failed(format!("The card of the other agent cannot be read: {why}.")),
        };
        let speaks = |interface: &&Value| {
            text(interface, "protocolBinding") == "JSONRPC" && text(interface, "protocolVersion") == "1.0"
        };
        let interfaces = card.get("supportedInterfaces").and_then(Value::as_array).map(Vec::as_slice);
        let Some(interface) = interfaces.unwrap_or_default().iter().find(speaks) else {
            return Outcome::Failed("The other agent does not speak JSON-RPC of 1.0.".to_owned());
        };
        let parts = json!([{"text": order.token}]);
        let message = json!({"messageId": self.0.ids.fresh(), "role": "ROLE_USER", "parts": parts});
        let call = json!({"jsonrpc": "2.0", "id": self.0.ids.fresh(), "method": "SendMessage", "params": {"message": message}});
        let request = Request::post(text(interface, "url"), "application/json", call.to_string())
            .with_header("Accept", "application/json")
            .with_header("A2A-Version", "1.0");
        match exchanged(transport, request).await {
            Ok(answer) => match answer.get("result") {
                Some(result) => Outcome::Answered(said_in(result)),
                None => Outcome::Failed("The other agent refused the message.".to_owned()),
            },
            Err(why) => Outcome::Failed(format!("The other agent did not answer: {why}.")),
        }
    }
}

/// The order in the message of a request, if there is one.
fn order_in(request: &Request) -> Option<Order> {
    let body = json_body(request)?;
    let message = [body.pointer("/params/message"), body.get("message")].into_iter().flatten().next()?;
    let parts = message.get("parts").and_then(Value::as_array)?;
    parts.iter().find_map(|part| {
        let (_, rest) = text(part, "text").split_once("delegate to ")?;
        let (url, token) = rest.split_once(" with ")?;
        Some(Order { url: url.trim().to_owned(), token: token.split_whitespace().next()?.to_owned() })
    })
}

/// The document that answers a request.
async fn exchanged(transport: &dyn Transport, request: Request) -> Result<Value, String> {
    let answer = transport.send(request).await.map_err(|trouble| trouble.detail)?;
    let status = answer.head.status;
    let chunks: Vec<_> = answer.body.collect().await;
    let body = chunks.into_iter().collect::<Result<Vec<_>, _>>()?.concat();
    if !(200..300).contains(&status) {
        return Err(format!("status {status}"));
    }
    read(&body).ok_or_else(|| "no JSON".to_owned())
}

/// What a result says: the texts of its message, of the status of its task, and of its artifacts.
fn said_in(result: &Value) -> String {
    let (message, task) = (result.get("message"), result.get("task"));
    let status = task.and_then(|task| task.pointer("/status/message"));
    let artifacts = task.and_then(|task| task.get("artifacts")).and_then(Value::as_array);
    let with_parts = [message, status].into_iter().flatten().chain(artifacts.into_iter().flatten());
    let parts = with_parts.filter_map(|holder| holder.get("parts").and_then(Value::as_array)).flatten();
    let mut said: Vec<&str> = parts.map(|part| text(part, "text")).filter(|text| !text.is_empty()).collect();
    said.dedup();
    said.join(" ")
}

/// The event with which a task ends that says this.
fn turn(has_completed: bool, said: &str) -> Value {
    let state = if has_completed { "TASK_STATE_COMPLETED" } else { "TASK_STATE_FAILED" };
    json!({"task": {"status": {"state": state, "message": {"parts": [{"text": said}]}}}})
}

/// The request whose message is answered with this event.
fn answered_with(mut request: Request, event: &Value) -> Request {
    let Some(mut body) = json_body(&request) else { return request };
    let responses = STANDARD.encode(json!([[event]]).to_string().as_bytes());
    let message = if body.get("params").is_some() { "/params/message" } else { "/message" };
    if let Some(message) = body.pointer_mut(message)
        && let Some(part) = elements(message, "parts").first_mut()
        && let Some(said) = part.get_mut("text")
    {
        *said = Value::from(format!("[responses_json={responses}]"));
    }
    request.body = Some(body.to_string().into_bytes());
    request
}
