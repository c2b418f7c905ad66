//! The scripted agent: A2A 1.0 over JSON-RPC as a function from request to response, conformant unless a fault is switched
//! on. It does no I/O, runs nothing in the background and does not know how it is judged.

pub mod fault;
pub mod loopback;

mod bend;
mod card;
mod data;
mod list;
mod moment;
mod operations;
mod params;
mod push;
mod rpc;
mod script;
mod state;
mod stream;

#[cfg(test)]
mod tests;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use futures_util::future::LocalBoxFuture;
use futures_util::stream::iter;
use futures_util::{FutureExt, StreamExt, future};
use serde_json::Value;

use crate::host::{Answer, Clock, Ids};
use crate::wire::exchange::{Trouble, TroubleKind};
use crate::wire::http::{Headers, Method, Request, ResponseHead};
use data::data;
use fault::{FaultId, Faults};
use operations::around;

/// The agent. A clone is the same agent.
#[derive(Clone)]
pub struct ScriptedAgent(Rc<Inner>);

struct Inner {
    /// Origin and path prefix, without a slash at the end.
    base: String,
    clock: Rc<dyn Clock>,
    ids: Rc<dyn Ids>,
    faults: Faults,
    store: RefCell<state::Store>,
    /// When the agent was made, as `Last-Modified` writes it.
    born: String,
    posts: Cell<u32>,
    card_fetches: Cell<u32>,
    reads: Cell<i64>,
}

/// What becomes of a request.
enum Served {
    Answer(Answer),
    /// The answer to this call, once its result is there.
    Wait(rpc::Call, operations::Wait),
    /// No answer ever.
    Silence,
    /// The connection is closed, for this reason.
    HangUp(&'static str),
}

impl ScriptedAgent {
    /// An agent that can be reached under `base`, an origin with an optional path: `http://127.0.0.1:9999`. Its card is at
    /// `{base}/.well-known/agent-card.json` and its endpoint at `{base}/rpc`.
    pub fn new(base: impl Into<String>, clock: Rc<dyn Clock>, ids: Rc<dyn Ids>, faults: Faults) -> Self {
        let base = base.into().trim_end_matches('/').to_owned();
        let born = moment::http_date(moment::Moment::of(&*clock).epoch_ms());
        Self(Rc::new(Inner {
            base,
            clock,
            ids,
            faults,
            store: RefCell::default(),
            born,
            posts: Cell::default(),
            card_fetches: Cell::default(),
            reads: Cell::default(),
        }))
    }

    /// Origin and path prefix under which the agent can be reached, without a slash at the end.
    #[must_use]
    pub fn base(&self) -> &str {
        &self.0.base
    }

    /// Answers one request, whatever host its URL names. Dropping the body is the client hanging up.
    ///
    /// # Errors
    /// [`TroubleKind::Closed`] when a fault makes the agent hang up without an HTTP answer.
    pub fn respond(&self, request: Request) -> LocalBoxFuture<'static, Result<Answer, Trouble>> {
        let agent = self.clone();
        async move {
            let mut answer = match agent.serve(&request) {
                Served::Answer(answer) => answer,
                Served::Wait(call, wait) => {
                    let result = wait.result(&agent).await;
                    call.answer(&agent, Ok(result))
                }
                Served::Silence => future::pending().await,
                Served::HangUp(why) => return Err(Trouble { kind: TroubleKind::Closed, detail: why.to_owned() }),
            };
            answer.head.url = request.url;
            Ok(answer)
        }
        .boxed_local()
    }

    fn has(&self, fault: FaultId) -> bool {
        self.0.faults.has(fault)
    }

    fn serve(&self, request: &Request) -> Served {
        let post = request.method == Method::Post;
        if post {
            self.0.posts.set(self.0.posts.get().saturating_add(1));
        }
        if self.has(FaultId::DiesAfterTen) && self.0.posts.get() > 10 {
            return Served::HangUp("the agent has died");
        }
        let large = request.body.as_ref().is_some_and(|body| body.len() > LARGE);
        if large && self.has(FaultId::CrashOnLargeRequest) {
            return Served::HangUp("the agent hung up");
        }
        if post && self.has(FaultId::Silent) {
            return Served::Silence;
        }
        if self.has(FaultId::CannedHtml) {
            return Served::Answer(html_page(200, "Welcome"));
        }
        if post && let Some(canned) = self.canned(request) {
            return Served::Answer(canned);
        }
        let path = path_of(&request.url);
        let prefix = path_of(&self.0.base).trim_end_matches('/');
        let below = path.strip_prefix(prefix).unwrap_or(path);
        let well_known = [card::PATH, card::LEGACY_PATH].into_iter().find(|known| *known == below || *known == path);
        Served::Answer(match (well_known, below, request.method) {
            (Some(card), _, Method::Get) => self.serve_card(request, card),
            (Some(_), ..) => not_allowed("GET"),
            (None, "/rpc", Method::Post) if self.has(FaultId::Endpoint404) => html_page(404, "Not Found"),
            (None, "/rpc", Method::Post) if self.has(FaultId::AuthRequired) && !is_known(request) => unauthorized(),
            (None, "/rpc", Method::Post) => return self.call(request),
            (None, "/rpc", _) => not_allowed("POST"),
            _ => not_found(),
        })
    }

    /// What an agent answers that answers everything alike.
    fn canned(&self, request: &Request) -> Option<Answer> {
        let (member, value) = if self.has(FaultId::CannedError) {
            ("error", data(r#"{"code":-32603,"message":"something broke"}"#, &[]))
        } else if self.has(FaultId::CannedMessage) {
            let (text, ids) = ("How can I help you?", &*self.0.ids);
            ("result", around("message", state::message(text, "", &ids.fresh(), ids)))
        } else if self.has(FaultId::CannedEmpty) {
            return Some(json_answer(200, "application/json", b"{}".to_vec()));
        } else {
            return None;
        };
        let body = rpc::body_of(request).unwrap_or_default();
        let envelope = rpc::envelope(body.get("id").unwrap_or(&Value::Null), member, value);
        Some(json_answer(200, "application/json", envelope.to_string().into_bytes()))
    }
}

/// The size of a body that a fault cannot cope with.
const LARGE: usize = 1_000_000;

/// The path of a URL, without query and fragment; `/` if there is none.
fn path_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = rest.find('/').and_then(|slash| rest.get(slash..)).unwrap_or("/");
    path.split(['?', '#']).next().unwrap_or("/")
}

/// Whether a request carries the demo's token.
fn is_known(request: &Request) -> bool {
    let credentials = request.headers.get("authorization").and_then(|value| value.split_once(' '));
    credentials.is_some_and(|(scheme, token)| scheme.eq_ignore_ascii_case("bearer") && token.trim() == "demo")
}

fn head(status: u16, headers: Headers) -> ResponseHead {
    ResponseHead { status, headers, url: String::new(), redirected: false }
}

fn answer(status: u16, headers: Headers, body: Vec<u8>) -> Answer {
    let chunks = (!body.is_empty()).then_some(Ok(body));
    Answer { head: head(status, headers), body: iter(chunks).boxed_local() }
}

fn json_answer(status: u16, media_type: &str, body: Vec<u8>) -> Answer {
    answer(status, [("content-type", media_type)].into_iter().collect(), body)
}

fn html_page(status: u16, title: &str) -> Answer {
    let page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title></head>\
         <body><h1>{title}</h1></body></html>\n"
    );
    json_answer(status, "text/html; charset=utf-8", page.into_bytes())
}

fn plain_error(status: u16, message: &str) -> Answer {
    let body = format!(r#"{{"error":{{"code":{status},"message":"{message}"}}}}"#);
    json_answer(status, "application/json", body.into_bytes())
}

fn not_found() -> Answer {
    plain_error(404, "there is nothing here")
}

fn not_allowed(allowed: &str) -> Answer {
    let mut answer = plain_error(405, "this method is not allowed here");
    answer.head.headers.push("allow", allowed);
    answer
}

fn unauthorized() -> Answer {
    let mut answer = plain_error(401, "a bearer token is required");
    answer.head.headers.push("www-authenticate", "Bearer realm=\"scripted agent\"");
    answer
}
