//! The scripted agent behind a gateway: below `/gateway` it is reached through one, which rewrites the URLs of the card to its own and
//! changes nothing else, unless a fault says so. The agent behind it does not know of it.

use futures_util::future::LocalBoxFuture;
use futures_util::{FutureExt, StreamExt, TryStreamExt, stream};
use serde_json::Value;

use super::card::{LEGACY_PATH, PATH};
use super::fault::{FaultId, TOKEN};
use super::json_values::{for_each_value, remove};
use super::responses::html_page;
use super::scripted_agent::ScriptedAgent;
use crate::host::StreamedResponse;
use crate::wire::exchange::TransportError;
use crate::wire::http::{Method, Request};
use crate::wire::json;
use crate::wire::url::{decode, path_of};

/// The path below the agent's own at which it is reached through the gateway.
pub const GATEWAY_PATH: &str = "/gateway";

/// More than this is refused by a gateway that limits requests, in bytes.
const REQUEST_LIMIT: usize = 1_000_000;
/// So many bytes of a response pass a gateway that cuts them.
const RESPONSE_LIMIT: usize = 500;
/// What ids begin with that the gateway gives.
const OWN_ID: &str = "gw-";

/// A scripted agent, and the gateway before it.
#[derive(Clone)]
pub struct Gateway(ScriptedAgent);

type Answered = Result<StreamedResponse, TransportError>;

impl Gateway {
    /// The gateway before this agent.
    #[must_use]
    pub const fn before(agent: ScriptedAgent) -> Self {
        Self(agent)
    }

    /// Answers a request: through the gateway if its path says so, otherwise as the agent does.
    ///
    /// # Errors
    /// As for [`ScriptedAgent::respond`].
    pub fn respond(&self, request: Request) -> LocalBoxFuture<'static, Answered> {
        let below = self.0.path_below_base(path_of(&request.url));
        let is_gateways = below.strip_prefix(GATEWAY_PATH).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        if !is_gateways {
            return self.0.respond(request);
        }
        let gateway = self.clone();
        async move { gateway.pass(request).await }.boxed_local()
    }

    fn has(&self, fault: FaultId) -> bool {
        self.0.has(fault)
    }

    async fn pass(&self, request: Request) -> Answered {
        let url = request.url.clone();
        let mut answer = match self.refused(&request) {
            Some(refused) => refused,
            None => self.passed(request).await?,
        };
        answer.head.url = url;
        Ok(answer)
    }

    /// The answer of the gateway itself to a request that it does not pass on.
    fn refused(&self, request: &Request) -> Option<StreamedResponse> {
        let path = path_of(&request.url);
        let has_verb = path.split_once("/tasks/").is_some_and(|(_, id)| id.contains(':'));
        let length = request.body.as_ref().map_or(0, Vec::len);
        if is_card(path) {
            return self.has(FaultId::GatewayHidesCard).then(|| html_page(404, "Not Found"));
        }
        if self.has(FaultId::GatewayWrongRoute) || (has_verb && self.has(FaultId::GatewaySplitsVerbs)) {
            return Some(html_page(404, "Not Found"));
        }
        let is_large = length > REQUEST_LIMIT && self.has(FaultId::GatewayLimitsRequests);
        is_large.then(|| html_page(413, "Request Entity Too Large"))
    }

    async fn passed(&self, request: Request) -> Answered {
        let is_card = is_card(path_of(&request.url));
        let request = self.changed(request);
        let is_message = request.method == Method::Post && is_send(&request);
        if is_message && self.has(FaultId::GatewayDeliversTwice) {
            let _ = self.0.respond(request.clone()).await?.collected().await;
        }
        let answer = self.0.respond(request).await?;
        if answer.head.headers.media_type().as_deref() == Some("text/event-stream") {
            return Ok(self.changed_stream(answer));
        }
        let is_json = answer.head.headers.media_type().is_some_and(|media| media.ends_with("json"));
        Ok(self.without_headers(match is_json {
            true if is_card => self.changed_card(answer).await,
            true => self.changed_answer(answer).await,
            false => answer,
        }))
    }

    /// A request as it reaches the agent.
    fn changed(&self, mut request: Request) -> Request {
        let base = self.0.base();
        let below =
            request.url.strip_prefix(base).and_then(|below| below.strip_prefix(GATEWAY_PATH)).unwrap_or_default();
        request.url = format!("{base}{below}");
        if self.has(FaultId::GatewayDropsQuery) {
            request.url.truncate(request.url.find('?').unwrap_or(request.url.len()));
        }
        if self.has(FaultId::GatewayDecodesPaths) {
            let query = request.url.split_off(request.url.find('?').unwrap_or(request.url.len()));
            request.url = decode(&request.url) + &query;
        }
        for (fault, name) in [
            (FaultId::GatewayDropsVersion, "a2a-version"),
            (FaultId::GatewayDropsExtensions, "a2a-extensions"),
            (FaultId::GatewayDropsCredentials, "authorization"),
        ] {
            if self.has(fault) {
                request.headers.remove(name);
            }
        }
        if self.has(FaultId::GatewayIgnoresVersion) && request.headers.get("a2a-version").is_some() {
            request.headers.replace("a2a-version", "1.0");
        }
        if self.has(FaultId::GatewayAddsCredentials) && request.headers.get("authorization").is_none() {
            request.headers.push("authorization", format!("Bearer {TOKEN}"));
        }
        for (fault, from, to) in [
            (FaultId::GatewayChangesMessages, r#""messageId":""#, format!(r#""messageId":"{OWN_ID}"#)),
            (FaultId::GatewayChangesTexts, r#""text":""#, r#""text":"[masked] "#.to_owned()),
            (FaultId::GatewayChangesTaskIds, OWN_ID, String::new()),
        ] {
            if self.has(fault) {
                request.url = if to.is_empty() { request.url.replace(from, &to) } else { request.url };
                request.body = request.body.map(|body| replaced(body, from, &to));
            }
        }
        request
    }

    fn changed_stream(&self, mut answer: StreamedResponse) -> StreamedResponse {
        if self.has(FaultId::GatewayCutsStreams) {
            answer.body = answer.body.take(1).boxed_local();
        }
        if self.has(FaultId::GatewayBuffersStreams) {
            answer.body = stream::once(answer.body.try_concat()).boxed_local();
        }
        answer
    }

    async fn changed_card(&self, answer: StreamedResponse) -> StreamedResponse {
        let (head, mut body) = answer.collected().await;
        if !self.has(FaultId::GatewayKeepsCardUrls) {
            // With a path behind it, or without one.
            for end in ["/", "\""] {
                let base = self.0.base();
                body = replaced(body, &format!("\"{base}{end}"), &format!("\"{base}{GATEWAY_PATH}{end}"));
            }
        }
        if self.has(FaultId::GatewayDropsSkills) {
            body = edited(body, |card| remove(card, "skills"));
        }
        StreamedResponse::whole(head, body)
    }

    /// Any other answer in JSON as it leaves the gateway.
    async fn changed_answer(&self, answer: StreamedResponse) -> StreamedResponse {
        let (mut head, mut body) = answer.collected().await;
        let is_error = head.status >= 400 || json::read(&body).is_some_and(|body| body.get("error").is_some());
        let is_access = matches!(head.status, 401 | 403);
        if is_error && !is_access && self.has(FaultId::GatewayReplacesErrors) {
            return html_page(502, "Bad Gateway");
        }
        if is_error && !is_access && self.has(FaultId::GatewayChangesStatus) {
            head.status = 500;
        }
        if is_error && self.has(FaultId::GatewayStripsErrorDetails) {
            body = edited(body, |body| without(body, &["data", "details"]));
        }
        if self.has(FaultId::GatewayDropsArtifacts) {
            body = edited(body, |body| without(body, &["artifacts"]));
        }
        if self.has(FaultId::GatewayChangesTaskIds) {
            body = edited(body, rename_tasks);
        }
        if self.has(FaultId::GatewayChangesIds) {
            body = edited(body, |body| {
                if body.get("jsonrpc").is_some()
                    && let Some(id) = body.get_mut("id")
                {
                    *id = "gateway-1".into();
                }
            });
        }
        if !is_error && self.has(FaultId::GatewayChangesMediaTypes) {
            head.headers.replace("content-type", "text/plain");
        }
        if self.has(FaultId::GatewayCutsResponses) {
            body.truncate(RESPONSE_LIMIT);
        }
        StreamedResponse::whole(head, body)
    }

    fn without_headers(&self, mut answer: StreamedResponse) -> StreamedResponse {
        let is_card = answer.head.headers.get("etag").is_some();
        if self.has(FaultId::GatewayDropsChallenge) {
            answer.head.headers.remove("www-authenticate");
        }
        if self.has(FaultId::GatewayDropsActivated) {
            answer.head.headers.remove("a2a-extensions");
        }
        if is_card && self.has(FaultId::GatewayDropsCardHeaders) {
            answer.head.headers.remove("etag");
            answer.head.headers.remove("cache-control");
        }
        answer
    }
}

fn is_card(path: &str) -> bool {
    path.ends_with(PATH) || path.ends_with(LEGACY_PATH)
}

/// Whether a request sends a message and waits for the answer.
fn is_send(request: &Request) -> bool {
    let body = String::from_utf8_lossy(request.body.as_deref().unwrap_or_default());
    path_of(&request.url).ends_with("message:send")
        || body.contains("\"SendMessage\"")
        || body.contains("\"message/send\"")
}

fn replaced(body: Vec<u8>, from: &str, to: &str) -> Vec<u8> {
    match String::from_utf8(body) {
        Ok(text) => text.replace(from, to).into_bytes(),
        Err(error) => error.into_bytes(),
    }
}

/// A body of JSON after a change; any other stays.
fn edited(body: Vec<u8>, change: impl Fn(&mut Value)) -> Vec<u8> {
    let Some(mut value) = json::read(&body) else { return body };
    change(&mut value);
    value.to_string().into_bytes()
}

/// Removes members at every depth.
fn without(value: &mut Value, names: &[&str]) {
    for_each_value(value, &mut |value| {
        if let Value::Object(members) = value {
            members.retain(|name, _| !names.contains(&name.as_str()));
        }
    });
}

/// Gives each task another id, wherever it stands.
fn rename_tasks(value: &mut Value) {
    for_each_value(value, &mut |value| {
        let names: &[&str] = if value.get("status").is_some() { &["taskId", "id"] } else { &["taskId"] };
        for name in names {
            if let Some(Value::String(id)) = value.get_mut(*name) {
                id.insert_str(0, OWN_ID);
            }
        }
    });
}
