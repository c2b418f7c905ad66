//! The scripted agent as a client: a call of another agent, as it was told to make it, and what came back.

use futures_util::TryStreamExt;
use serde_json::{Value, json};

use super::card::PATH;
use super::json_values::text;
use crate::a2a::binding::rest::A2A_JSON;
use crate::host::{IdSource, Transport};
use crate::wire::http::Request;
use crate::wire::json::read;
use crate::wire::sse::{Item, Limits, Parser};

/// How much of an answer is read, in bytes.
const MAX_ANSWER: usize = 8 << 20;

pub(super) struct PeerCall<'a> {
    /// The address below which the card is found.
    pub(super) url: &'a str,
    pub(super) binding: &'a str,
    pub(super) part: Value,
    pub(super) streams: bool,
    /// Whether the stream is left and subscribed to again.
    pub(super) subscribes: bool,
}

pub(super) struct PeerClient<'a> {
    pub(super) transport: &'a dyn Transport,
    pub(super) ids: &'a dyn IdSource,
}

impl PeerClient<'_> {
    /// What the other agent said.
    pub(super) async fn call(&self, call: &PeerCall<'_>) -> Result<String, String> {
        let card = self.exchanged(Request::get(format!("{}{PATH}", call.url.trim_end_matches('/')))).await;
        let card = card.map_err(|why| format!("The card of the other agent cannot be read: {why}."))?;
        let speaks = |interface: &&Value| {
            text(interface, "protocolBinding") == call.binding && text(interface, "protocolVersion") == "1.0"
        };
        let interfaces = card.first().and_then(|card| card.get("supportedInterfaces")).and_then(Value::as_array);
        let found = interfaces.into_iter().flatten().find(speaks).map(|interface| text(interface, "url"));
        let url = found
            .filter(|_| call.binding != "GRPC")
            .ok_or_else(|| format!("The two agents do not both speak {} of 1.0.", call.binding))?;
        let message = json!({"messageId": self.ids.fresh(), "role": "ROLE_USER", "parts": [call.part]});
        let params = json!({"message": message});
        let streams = call.streams || call.subscribes;
        let method = if streams { "SendStreamingMessage" } else { "SendMessage" };
        let path = if streams { "/message:stream" } else { "/message:send" };
        let answers = self.called(call.binding, url, (method, path), params).await?;
        if !call.subscribes {
            return Ok(said_in(&answers));
        }
        let id = answers.iter().find_map(|answer| answer.pointer("/task/id")).and_then(Value::as_str);
        let id = id.ok_or_else(|| "The other agent made no task.".to_owned())?;
        let path = format!("/tasks/{id}:subscribe");
        let subscribed = self.called(call.binding, url, ("SubscribeToTask", &path), json!({"id": id})).await;
        // A task that has finished in the meantime cannot be subscribed to.
        Ok(said_in(&[answers, subscribed.unwrap_or_default()].concat()))
    }

    async fn called(
        &self,
        binding: &str,
        url: &str,
        (method, path): (&str, &str),
        params: Value,
    ) -> Result<Vec<Value>, String> {
        let is_rpc = binding == "JSONRPC";
        let body = match is_rpc {
            true => json!({"jsonrpc": "2.0", "id": self.ids.fresh(), "method": method, "params": params}),
            false => params,
        };
        let (url, media_type) =
            if is_rpc { (url.to_owned(), "application/json") } else { (format!("{url}{path}"), A2A_JSON) };
        let request = Request::post(url, media_type, body.to_string())
            .with_header("Accept", format!("{media_type}, text/event-stream"))
            .with_header("A2A-Version", "1.0");
        let answers = self.exchanged(request).await.map_err(|why| format!("The other agent did not answer: {why}."))?;
        let result = |answer: Value| if is_rpc { answer.get("result").cloned() } else { Some(answer) };
        let results: Option<Vec<Value>> = answers.into_iter().map(result).collect();
        results.ok_or_else(|| "The other agent refused the message.".to_owned())
    }

    /// The document that answers a request, or those of a stream.
    async fn exchanged(&self, request: Request) -> Result<Vec<Value>, String> {
        let answer = self.transport.send(request).await.map_err(|trouble| trouble.detail)?;
        let status = answer.head.status;
        let is_stream = answer.head.headers.media_type().as_deref() == Some("text/event-stream");
        let (mut body, mut pieces) = (Vec::new(), answer.body);
        while let Some(piece) = pieces.try_next().await? {
            body.extend(piece);
            if body.len() > MAX_ANSWER {
                return Err(format!("more than {} MiB", MAX_ANSWER >> 20));
            }
        }
        if !(200..300).contains(&status) {
            return Err(format!("status {status}"));
        }
        if !is_stream {
            return Ok(vec![read(&body).ok_or_else(|| "no JSON".to_owned())?]);
        }
        let events = Parser::new(Limits::default()).push(&body).into_iter().filter_map(|item| match item {
            Item::Event(frame) => read(frame.data.as_bytes()),
            Item::Comment(_) | Item::Odd(_) => None,
        });
        Ok(events.collect())
    }
}

/// What results say: the texts of messages, of the status of tasks, and of artifacts, each once.
fn said_in(results: &[Value]) -> String {
    const PLACES: [&str; 4] =
        ["/message", "/task/status/message", "/statusUpdate/status/message", "/artifactUpdate/artifact"];
    let single =
        |result: &Value| PLACES.into_iter().filter_map(|place| result.pointer(place).cloned()).collect::<Vec<_>>();
    let artifacts =
        |result: &Value| result.pointer("/task/artifacts").and_then(Value::as_array).cloned().unwrap_or_default();
    let holders: Vec<Value> = results.iter().flat_map(|result| [single(result), artifacts(result)].concat()).collect();
    let parts = holders.iter().filter_map(|holder| holder.get("parts").and_then(Value::as_array)).flatten();
    let mut said: Vec<&str> = Vec::new();
    for part in parts.map(|part| text(part, "text")).filter(|text| !text.is_empty()) {
        if !said.contains(&part) {
            said.push(part);
        }
    }
    said.join(" ")
}
