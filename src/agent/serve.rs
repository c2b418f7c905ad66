//! Requests in, responses out: which card, endpoint or route a request goes to, and the faults that strike before it gets there.

use std::rc::Rc;

use futures_util::future::LocalBoxFuture;
use futures_util::{FutureExt, StreamExt, future, stream};

use super::call::Handled;
use super::call_form::IncomingCall;
use super::card;
use super::fault::FaultId;
use super::grpc_answer::{as_status, media_type};
use super::json_values::wrap;
use super::operation_reply::OperationReply;
use super::play::declared_answer;
use super::rejection::Rejection;
use super::request::{is_endpoint, json_body, route_of};
use super::responses::{bare_response, html_page, method_not_allowed, not_found, plain_error, typed_response};
use super::scripted_agent::ScriptedAgent;
use super::served_version::ServedVersion;
use super::task;
use super::webhooks;
use crate::a2a::model::Operation;
use crate::host::StreamedResponse;
use crate::wire::exchange::{TransportError, TransportErrorKind};
use crate::wire::http::{Method, Request};
use crate::wire::url::path_of;

/// Below which the fault `endpoint-redirects` serves calls.
const MOVED: &str = "/moved";
/// The size from which the fault `crash-on-large-request` hangs up.
const LARGE_BODY: usize = 1_000_000;
/// The number of calls that the fault `dies-after-ten` answers.
const CALLS_BEFORE_DEATH: u32 = 10;

fn closed(reason: &str) -> TransportError {
    TransportError { kind: TransportErrorKind::Closed, detail: reason.to_owned() }
}

impl ScriptedAgent {
    /// Answers one request, whatever host its URL names. Dropping the body is the client hanging up.
    ///
    /// # Errors
    /// [`TransportErrorKind::Closed`] when a fault makes the agent hang up without an HTTP answer.
    pub fn respond(&self, mut request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        self.open_message(&mut request);
        let note_request = self.0.note_request.borrow().clone();
        if let Some(note_request) = note_request {
            note_request(self, &request);
        }
        let delegate = self.0.delegate.borrow().clone();
        if let Some(carried_out) = delegate.and_then(|delegate| delegate(self, &request)) {
            let agent = self.clone();
            return async move { agent.answer(carried_out.await).await }.boxed_local();
        }
        self.answer(request)
    }

    /// Answers a request that was noted, and whose message is readable.
    fn answer(&self, mut request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        let agent = self.clone();
        if self.has(FaultId::EndpointRedirects)
            && let Some(location) = self.leave_moved(&mut request)
        {
            return future::ready(Ok(bare_response(307, "location", &location))).boxed_local();
        }
        let is_head = request.method == Method::Head;
        if is_head {
            request.method = Method::Get;
        }
        async move {
            let mut answer = match agent.serve(&request) {
                Handled::Answer(answer) => answer,
                Handled::Wait(call, pending) => {
                    let task = Rc::clone(&pending.task);
                    let result = pending.result(&agent).await;
                    let answer = call.answer(&agent, Ok(result));
                    let answer = declared_answer(&task.borrow(), answer);
                    answer.ok_or_else(|| closed("the connection was dropped, as responses_json declares"))?
                }
                Handled::Silence => future::pending().await,
                Handled::HangUp(reason) => return Err(closed(reason)),
            };
            agent.add_headers(&request, &mut answer);
            answer.head.url = request.url;
            if is_head {
                answer.body = stream::empty().boxed_local();
            }
            Ok(answer)
        }
        .boxed_local()
    }

    fn serve(&self, request: &Request) -> Handled {
        self.note_caller(request);
        if let Some((_, file)) = self.hosted_file(request) {
            let media_type = if file.media_type.is_empty() { "application/octet-stream" } else { &file.media_type };
            return Handled::Answer(typed_response(200, media_type, file.bytes.clone()));
        }
        let path = path_of(&request.url);
        let (served_version, below) = self.served_version(request);
        let route = route_of(below).filter(|_| served_version.older.as_ref().is_none_or(|older| older.http));
        let well_known = [card::PATH, card::LEGACY_PATH].into_iter().find(|known| *known == below || *known == path);
        if request.method == Method::Options {
            let methods_allowed = |methods| bare_response(204, "allow", methods);
            return Handled::Answer(match (well_known, route) {
                (Some(_), _) => methods_allowed("GET, HEAD, OPTIONS"),
                (None, Some(_)) => methods_allowed("GET, HEAD, POST, DELETE, OPTIONS"),
                (None, None) if is_endpoint(below) => methods_allowed("POST, OPTIONS"),
                (None, None) => not_found(),
            });
        }
        if self.is_grpc(request) {
            return self.serve_grpc(request);
        }
        let is_call = request.method == Method::Post || route.is_some();
        if is_call {
            self.0.calls.set(self.0.calls.get().saturating_add(1));
        }
        if self.has(FaultId::DiesAfterTen) && self.0.calls.get() > CALLS_BEFORE_DEATH {
            return Handled::HangUp("the agent has died");
        }
        let large = request.body.as_ref().is_some_and(|body| body.len() > LARGE_BODY);
        if large && self.has(FaultId::CrashOnLargeRequest) || is_call && self.hangs_up_on(request, route.is_none()) {
            return Handled::HangUp("the agent hung up");
        }
        if is_call && self.has(FaultId::Silent) {
            return Handled::Silence;
        }
        if self.has(FaultId::CannedHtml) {
            return Handled::Answer(html_page(200, "Welcome"));
        }
        if is_call && let Some(canned) = self.canned(request) {
            return Handled::Answer(canned);
        }
        if (well_known.is_none() || self.has(FaultId::CardNeedsCredentials))
            && let Some(refused) = self.refuse_access(request)
        {
            return Handled::Answer(refused);
        }
        Handled::Answer(match (well_known, route, request.method) {
            (Some(card), _, Method::Get) => self.serve_card(served_version, request, card),
            (Some(_), ..) => method_not_allowed("GET"),
            (None, None, Method::Get) if below == "/jwks.json" && self.has(FaultId::CardSignatureForeign) => {
                typed_response(200, "application/json", card::KEYS.into())
            }
            (None, None, Method::Get) if path == webhooks::KEYS_PATH && self.has(FaultId::SignedNotifications) => {
                typed_response(200, "application/json", card::KEYS.into())
            }
            (None, None, Method::Get)
                if served_version.serves_extended_card_at(below) && !self.has(FaultId::ExtendedUrlMissing) =>
            {
                self.serve_extended_card(served_version)
            }
            (None, None, _) if !is_endpoint(below) => not_found(),
            (None, None, method) if method != Method::Post => method_not_allowed("POST"),
            _ if self.has(FaultId::Endpoint404) => html_page(404, "Not Found"),
            (None, None, _) if self.has(FaultId::Endpoint415) => {
                plain_error(415, "bodies of this media type are not accepted")
            }
            (None, None, _) => return self.handle_rpc(served_version, request),
            (None, Some(route), _) => {
                return self.0.rest_agent.as_ref().unwrap_or(self).handle_route(served_version, request, route);
            }
        })
    }

    /// Where a call is redirected to that is not made there; one that is gets its own URL back.
    fn leave_moved(&self, request: &mut Request) -> Option<String> {
        let base = self.base().to_owned();
        let path = request.url.strip_prefix(&base)?.to_owned();
        if let Some(path) = path.strip_prefix(MOVED) {
            request.url = format!("{base}{path}");
            return None;
        }
        let (_, below) = self.served_version(request);
        let is_call = below.starts_with("/rpc") || below.starts_with("/rest");
        (is_call && request.method != Method::Options && !self.is_grpc(request)).then(|| format!("{base}{MOVED}{path}"))
    }

    /// Whether a fault makes the agent fall over this body.
    fn hangs_up_on(&self, request: &Request, is_rpc: bool) -> bool {
        if request.body.as_deref().unwrap_or_default().is_empty() {
            return false;
        }
        match json_body(request) {
            None => self.has(FaultId::CrashOnMalformedJson),
            // An array is a batch.
            Some(body) => {
                let is_request = body.is_array() || body.get("method").is_some();
                is_rpc && !is_request && self.has(FaultId::CrashOnInvalidRequest)
            }
        }
    }

    fn serve_grpc(&self, request: &Request) -> Handled {
        self.0.calls.set(self.0.calls.get().saturating_add(1));
        match self.refuse_access(request) {
            Some(refused) => Handled::Answer(as_status(&media_type(request), refused)),
            None => self.handle_grpc(request),
        }
    }

    /// Answers a GET of the extended card (0.2 §7.10).
    fn serve_extended_card(&self, served_version: &'static ServedVersion) -> StreamedResponse {
        match self.operate(served_version, Operation::GetExtendedCard, None) {
            Ok(OperationReply::Result(card)) => {
                let card = self.translate_card(served_version, card);
                typed_response(200, "application/json", card.to_string().into_bytes())
            }
            _ => not_found(),
        }
    }

    /// The answer of faults that answer every call alike.
    fn canned(&self, request: &Request) -> Option<StreamedResponse> {
        let outcome = if self.has(FaultId::CannedError) {
            Err(Rejection::internal())
        } else if self.has(FaultId::CannedMessage) {
            let (text, ids) = ("How can I help you?", &*self.0.ids);
            Ok(wrap("message", task::message(text, "", &ids.fresh(), ids)))
        } else if self.has(FaultId::CannedEmpty) {
            return Some(typed_response(200, "application/json", b"{}".to_vec()));
        } else {
            return None;
        };
        Some(IncomingCall::from_request(self, request).answer(self, outcome))
    }
}
