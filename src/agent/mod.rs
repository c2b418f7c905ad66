//! The scripted agent: A2A 1.0 over JSON-RPC and HTTP+JSON, and older versions under paths of their own, as a function from
//! request to response, conformant unless a fault is switched on. It does no I/O, runs nothing in the background and does not know how it is judged.

pub mod fault;
pub mod loopback;
pub mod webhooks;

mod access;
mod call;
mod card;
mod clock_reading;
mod json_values;
mod list;
mod mutate;
mod mutations;
mod operations;
mod params;
mod push;
mod rest;
mod rpc;
mod script;
mod send;
mod served_version;
mod state;
mod stream;
mod translate;

#[cfg(test)]
mod tests;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use futures_util::future::LocalBoxFuture;
use futures_util::stream::iter;
use futures_util::{FutureExt, StreamExt, future};
use serde_json::Value;

use crate::host::{Clock, IdSource, StreamedResponse};
use crate::wire::exchange::{TransportError, TransportErrorKind};
use crate::wire::http::{Headers, Method, Request, ResponseHead};
use call::{Call, CallForm};
use fault::{FaultId, Faults};
use operations::around;
use rpc::Rejection;

/// The agent. A clone is the same agent.
#[derive(Clone)]
pub struct ScriptedAgent(Rc<Inner>);

struct Inner {
    /// Origin and path prefix, without a slash at the end.
    base: String,
    clock: Rc<dyn Clock>,
    ids: Rc<dyn IdSource>,
    faults: Faults,
    store: RefCell<state::Store>,
    /// When the agent was made, as `Last-Modified` writes it.
    born: String,
    /// How many calls came, on either binding.
    calls: Cell<u32>,
    card_fetches: Cell<u32>,
    reads: Cell<i64>,
    /// Who sends notifications, if anybody does.
    webhook_sender: RefCell<Option<webhooks::WebhookSender>>,
    /// Who answers over HTTP+JSON, if that is somebody else.
    double: Option<ScriptedAgent>,
}

/// What becomes of a request.
enum Handled {
    Answer(StreamedResponse),
    /// The answer to this call, once its result is there.
    Wait(Call, operations::PendingReply),
    /// No answer ever.
    Silence,
    /// The connection is closed, for this reason.
    HangUp(&'static str),
}

impl ScriptedAgent {
    /// An agent that can be reached under `base`, an origin with an optional path: `http://127.0.0.1:9999`. Its card is at
    /// `{base}/.well-known/agent-card.json`, its JSON-RPC endpoint at `{base}/rpc`, and its routes are below `{base}/rest`.
    /// Under `{base}/0.3`, `{base}/0.2` and `{base}/0.1` it is an agent of that version, with the same tasks.
    pub fn new(base: impl Into<String>, clock: Rc<dyn Clock>, ids: Rc<dyn IdSource>, faults: Faults) -> Self {
        let base = base.into().trim_end_matches('/').to_owned();
        let apart = faults.has(FaultId::BindingsOwnStores);
        let double = apart.then(|| {
            let faults = faults.iter().filter(|fault| *fault != FaultId::BindingsOwnStores).collect();
            Self::new(base.as_str(), Rc::clone(&clock), Rc::clone(&ids), faults)
        });
        let born = clock_reading::http_date(clock_reading::ClockReading::of(&*clock).epoch_ms());
        Self(Rc::new(Inner {
            base,
            clock,
            ids,
            faults,
            store: RefCell::default(),
            born,
            calls: Cell::default(),
            card_fetches: Cell::default(),
            reads: Cell::default(),
            webhook_sender: RefCell::default(),
            double,
        }))
    }

    /// The older versions that the agent speaks, each with the path under its base where it is an agent of that version.
    pub fn older() -> impl Iterator<Item = (&'static str, &'static str)> {
        let path = |served_version: &'static served_version::ServedVersion| {
            served_version.older.as_ref().map(|older| older.path)
        };
        served_version::OLDER
            .iter()
            .filter_map(move |served_version| Some((served_version.dialect.version, path(served_version)?)))
    }

    /// Origin and path prefix under which the agent can be reached, without a slash at the end.
    #[must_use]
    pub fn base(&self) -> &str {
        &self.0.base
    }

    /// Answers one request, whatever host its URL names. Dropping the body is the client hanging up.
    ///
    /// # Errors
    /// [`TransportErrorKind::Closed`] when a fault makes the agent hang up without an HTTP answer.
    pub fn respond(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        let agent = self.clone();
        async move {
            let mut answer = match agent.serve(&request) {
                Handled::Answer(answer) => answer,
                Handled::Wait(call, wait) => {
                    let result = wait.result(&agent).await;
                    call.answer(&agent, Ok(result))
                }
                Handled::Silence => future::pending().await,
                Handled::HangUp(why) => {
                    return Err(TransportError { kind: TransportErrorKind::Closed, detail: why.to_owned() });
                }
            };
            agent.accompany(&request, &mut answer);
            answer.head.url = request.url;
            Ok(answer)
        }
        .boxed_local()
    }

    fn has(&self, fault: FaultId) -> bool {
        self.0.faults.has(fault)
    }

    fn serve(&self, request: &Request) -> Handled {
        let path = path_of(&request.url);
        let (served_version, below) = self.served_version(request);
        let route = route_of(below).filter(|_| served_version.older.as_ref().is_none_or(|older| older.http));
        let called = request.method == Method::Post || route.is_some();
        if called {
            self.0.calls.set(self.0.calls.get().saturating_add(1));
        }
        if self.has(FaultId::DiesAfterTen) && self.0.calls.get() > 10 {
            return Handled::HangUp("the agent has died");
        }
        let large = request.body.as_ref().is_some_and(|body| body.len() > LARGE);
        if large && self.has(FaultId::CrashOnLargeRequest) {
            return Handled::HangUp("the agent hung up");
        }
        if called && self.has(FaultId::Silent) {
            return Handled::Silence;
        }
        if self.has(FaultId::CannedHtml) {
            return Handled::Answer(html_page(200, "Welcome"));
        }
        if called && let Some(canned) = self.canned(request) {
            return Handled::Answer(canned);
        }
        let well_known = [card::PATH, card::LEGACY_PATH].into_iter().find(|known| *known == below || *known == path);
        if (well_known.is_none() || self.has(FaultId::CardNeedsCredentials))
            && let Some(refused) = self.refusal(request)
        {
            return Handled::Answer(refused);
        }
        Handled::Answer(match (well_known, route, request.method) {
            (Some(card), _, Method::Get) => self.serve_card(served_version, request, card),
            (Some(_), ..) => not_allowed("GET"),
            (None, None, Method::Get) if below == "/jwks.json" && self.has(FaultId::CardSignatureForeign) => {
                json_answer(200, "application/json", card::KEYS.into())
            }
            (None, None, Method::Get)
                if served_version.extended_at(below) && !self.has(FaultId::ExtendedUrlMissing) =>
            {
                self.serve_extended_card(served_version)
            }
            (None, None, _) if below != "/rpc" => not_found(),
            (None, None, method) if method != Method::Post => not_allowed("POST"),
            _ if self.has(FaultId::Endpoint404) => html_page(404, "Not Found"),
            (None, None, _) => return self.call(served_version, request),
            (None, Some(route), _) => {
                return self.0.double.as_ref().unwrap_or(self).call_route(served_version, request, route);
            }
        })
    }

    /// What is left of a path under the agent's own.
    fn below<'a>(&self, path: &'a str) -> &'a str {
        let prefix = path_of(&self.0.base).trim_end_matches('/');
        path.strip_prefix(prefix).unwrap_or(path)
    }

    /// How a request calls.
    fn form(&self, request: &Request) -> CallForm {
        if route_of(self.served_version(request).1).is_some() {
            return CallForm::Http;
        }
        CallForm::Rpc(
            rpc::body_of(request).and_then(|mut body| body.get_mut("id").map(Value::take)).unwrap_or_default(),
        )
    }

    /// What an agent answers that answers everything alike.
    fn canned(&self, request: &Request) -> Option<StreamedResponse> {
        let outcome = if self.has(FaultId::CannedError) {
            Err(Rejection::internal())
        } else if self.has(FaultId::CannedMessage) {
            let (text, ids) = ("How can I help you?", &*self.0.ids);
            Ok(around("message", state::message(text, "", &ids.fresh(), ids)))
        } else if self.has(FaultId::CannedEmpty) {
            return Some(json_answer(200, "application/json", b"{}".to_vec()));
        } else {
            return None;
        };
        let (served_version, _) = self.served_version(request);
        Some(Call { served_version, form: self.form(request), operation: None }.answer(self, outcome))
    }
}

/// The size of a body that a fault cannot cope with.
const LARGE: usize = 1_000_000;
/// The route of HTTP+JSON that a path is, if it is one.
fn route_of(below: &str) -> Option<&str> {
    below.strip_prefix("/rest").filter(|route| route.is_empty() || route.starts_with('/'))
}

/// The path of a URL, without query and fragment; `/` if there is none.
fn path_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = rest.find('/').and_then(|slash| rest.get(slash..)).unwrap_or("/");
    path.split(['?', '#']).next().unwrap_or("/")
}

fn head(status: u16, headers: Headers) -> ResponseHead {
    ResponseHead { status, headers, url: String::new(), redirected: false }
}

fn answer(status: u16, headers: Headers, body: Vec<u8>) -> StreamedResponse {
    let chunks = (!body.is_empty()).then_some(Ok(body));
    StreamedResponse { head: head(status, headers), body: iter(chunks).boxed_local() }
}

fn json_answer(status: u16, media_type: &str, body: Vec<u8>) -> StreamedResponse {
    answer(status, [("content-type", media_type)].into_iter().collect(), body)
}

fn html_page(status: u16, title: &str) -> StreamedResponse {
    let page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title></head>\
         <body><h1>{title}</h1></body></html>\n"
    );
    json_answer(status, "text/html; charset=utf-8", page.into_bytes())
}

fn plain_error(status: u16, message: &str) -> StreamedResponse {
    let body = format!(r#"{{"error":{{"code":{status},"message":"{message}"}}}}"#);
    json_answer(status, "application/json", body.into_bytes())
}

fn not_found() -> StreamedResponse {
    plain_error(404, "there is nothing here")
}

fn not_allowed(allowed: &str) -> StreamedResponse {
    let mut answer = plain_error(405, "this method is not allowed here");
    answer.head.headers.push("allow", allowed);
    answer
}
