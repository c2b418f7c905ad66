//! The scripted agent as one that calls another when a message tells it to: `delegate to URL with TOKEN`, or an instruction of
//! a2aproject/a2a-itk. It puts out what came back. It makes no calls unless it was given a transport; the page gives none, so
//! that its build leaves this code out.

use std::cell::RefCell;
use std::rc::Rc;

use futures_util::FutureExt;
use serde_json::{Value, json};

use super::fault::FaultId;
use super::json_values::{elements, text};
use super::peer_call::{PeerCall, PeerClient};
use super::request::json_body;
use super::scripted_agent::ScriptedAgent;
use crate::a2a::itk;
use crate::host::Transport;
use crate::wire::base64::STANDARD;
use crate::wire::http::Request;

/// After so long an agent with a fault gives its peer up, in milliseconds.
const PATIENCE_MS: f64 = 4_000.0;

#[derive(Debug, Clone, PartialEq)]
enum CallOrder {
    /// With a token as text.
    Words { url: String, token: String },
    /// As an instruction says.
    Instruction(Value),
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
        order: &CallOrder,
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
        let has_failed = outcome.is_err() && self.has(FaultId::DelegationHangsOnError);
        if is_late || has_failed {
            return answered_with(request, &json!({"task": {"status": {"state": "TASK_STATE_WORKING"}}}));
        }
        let turn = match outcome {
            Err(why) => turn(false, &why),
            Ok(_) if self.has(FaultId::DelegationLosesResult) => turn(true, "The other agent is done."),
            Ok(said) if self.has(FaultId::DelegationMixesResults) => {
                let before = earlier.replace(said.clone());
                turn(true, format!("{before} {said}").trim())
            }
            Ok(said) => turn(true, &said),
        };
        answered_with(request, &turn)
    }

    /// What the agent of an order said.
    async fn called(&self, order: &CallOrder, transport: &dyn Transport) -> Result<String, String> {
        let client = PeerClient { transport, ids: &*self.0.ids };
        match order {
            CallOrder::Words { url, token } => {
                let part = json!({"text": token});
                client.call(&PeerCall { url, binding: "JSONRPC", part, streams: false, subscribes: false }).await
            }
            CallOrder::Instruction(instruction) => self.instructed(instruction, &client).await,
        }
    }

    async fn instructed(&self, instruction: &Value, client: &PeerClient<'_>) -> Result<String, String> {
        if let Some(answer) = instruction.get("returnResponse") {
            return Ok(text(answer, "response").to_owned());
        }
        let Some(call) = instruction.get("callAgent") else { return Err("There is no such instruction.".to_owned()) };
        let inner = call.get("instruction").cloned().unwrap_or_default();
        let is_hop = inner.get("callAgent").is_some();
        if is_hop && self.has(FaultId::DelegationSkipsHops) {
            return Ok("All the other agents were called.".to_owned());
        }
        let one_binding = self.has(FaultId::DelegationOneBinding);
        let binding = if one_binding { "JSONRPC" } else { text(call, "transport") };
        let part =
            json!({"raw": itk::written(&inner), "mediaType": "application/x-protobuf", "filename": "instruction.bin"});
        let streams = call.get("streaming").and_then(Value::as_bool) == Some(true);
        let streams = streams && !self.has(FaultId::DelegationNeverStreams);
        let subscribes = call.get("resubscribe").is_some() && !self.has(FaultId::DelegationNeverSubscribes);
        client.call(&PeerCall { url: text(call, "agentCardUri"), binding, part, streams, subscribes }).await
    }
}

fn order_in(request: &Request) -> Option<CallOrder> {
    let body = json_body(request)?;
    let message = [body.pointer("/params/message"), body.get("message")].into_iter().flatten().next()?;
    let parts = message.get("parts").and_then(Value::as_array)?;
    parts.iter().find_map(|part| {
        if let Some(instruction) = itk::read(text(part, "raw")).or_else(|| itk::read(text(part, "text"))) {
            return Some(CallOrder::Instruction(instruction));
        }
        let (_, rest) = text(part, "text").split_once("delegate to ")?;
        let (url, token) = rest.split_once(" with ")?;
        Some(CallOrder::Words { url: url.trim().to_owned(), token: token.split_whitespace().next()?.to_owned() })
    })
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
    {
        *part = json!({"text": format!("[responses_json={responses}]")});
    }
    request.body = Some(body.to_string().into_bytes());
    request
}
