//! What the agent received, for tests of clients and proxies to look at afterwards: how it is masked, and how many requests and
//! bytes are kept. An agent keeps nothing unless it is told to.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use serde_json::Value;

use super::clock_reading::timestamp;
use super::directives::test_case_in;
use super::identity::{PresentedIdentity, credentials_of, is_secret_name, is_secret_parameter};
use super::json_values::text;
use super::request::{json_body, query_pairs};
use super::scripted_agent::ScriptedAgent;
use crate::a2a::grpc_codec::message_of;
use crate::wire::exchange::Exchange;
use crate::wire::grpc::is_grpc;
use crate::wire::http::{Headers, Method, Request};
use crate::wire::json;
use crate::wire::redact::Redactor;
use crate::wire::url::{decode, path_of};

/// How many requests are kept, the newest ones.
const MAX_REQUESTS: usize = 1000;
/// How many bytes of addresses, headers and bodies are kept.
const MAX_BYTES: usize = 16 << 20;
/// How many credentials are told apart.
const MAX_IDENTITIES: usize = 1000;

/// A request that the agent received, with credentials masked. More members may come.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CapturedRequest {
    /// Its place among the requests since the agent began or was cleared, from 1.
    pub number: u64,
    /// When it came: `2026-02-03T04:05:06.789Z`.
    pub time: String,
    /// The method.
    pub method: Method,
    /// The path, and the query if there is one.
    pub path: String,
    /// The header fields.
    pub headers: Headers,
    /// The body.
    pub body: Vec<u8>,
    /// The test case that the request names, or that of the task which it names.
    pub test_case: Option<String>,
    /// Whose request it was, by its credentials.
    pub identity: Option<PresentedIdentity>,
}

impl CapturedRequest {
    /// The body as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    fn size(&self) -> usize {
        let headers: usize = self.headers.iter().map(|(name, value)| name.len() + value.len()).sum();
        self.path.len() + headers + self.body.len()
    }
}

/// The requests that an agent keeps. A clone is the same list.
#[derive(Debug, Clone, Default)]
pub struct CapturedRequests(Rc<RefCell<RequestLog>>);

#[derive(Debug, Default)]
struct RequestLog {
    requests: VecDeque<CapturedRequest>,
    bytes: usize,
    received: u64,
    /// How many were dropped to make room.
    dropped: u64,
    /// The credentials that came, in the order of their first requests.
    identities: Vec<String>,
}

impl CapturedRequests {
    /// The requests of this test case, or all of them, oldest first.
    #[must_use]
    pub fn of_test_case(&self, test_case: Option<&str>) -> Vec<CapturedRequest> {
        let log = self.0.borrow();
        let fits =
            |request: &&CapturedRequest| test_case.is_none_or(|wanted| request.test_case.as_deref() == Some(wanted));
        log.requests.iter().filter(fits).cloned().collect()
    }

    /// How many requests were dropped to make room for newer ones.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.0.borrow().dropped
    }

    /// Forgets the requests of this test case, or everything.
    pub fn clear(&self, test_case: Option<&str>) {
        let mut log = self.0.borrow_mut();
        match test_case {
            None => *log = RequestLog::default(),
            Some(_) => {
                log.requests.retain(|request| request.test_case.as_deref() != test_case);
                log.bytes = log.requests.iter().map(CapturedRequest::size).sum();
            }
        }
    }

    fn add(&self, agent: &ScriptedAgent, request: &Request) {
        let mut log = self.0.borrow_mut();
        log.received += 1;
        let masked = masked(request);
        let path = masked.url.find(path_of(&masked.url)).and_then(|start| masked.url.get(start..)).unwrap_or("/");
        let captured = CapturedRequest {
            number: log.received,
            time: timestamp(agent.reading().epoch_ms()),
            method: masked.method,
            path: path.to_owned(),
            headers: masked.headers,
            body: masked.body.unwrap_or_default(),
            test_case: Some(test_case_of(agent, request)).filter(|test_case| !test_case.is_empty()),
            identity: log.identity_of(request),
        };
        log.bytes += captured.size();
        log.requests.push_back(captured);
        while log.requests.len() > MAX_REQUESTS || log.bytes > MAX_BYTES {
            let Some(oldest) = log.requests.pop_front() else { break };
            log.bytes = log.bytes.saturating_sub(oldest.size());
            log.dropped += 1;
        }
    }
}

impl RequestLog {
    /// The identity of a request, with the number of its credentials among those that came.
    fn identity_of(&mut self, request: &Request) -> Option<PresentedIdentity> {
        let (mut identity, credentials) = credentials_of(request)?;
        identity.number = self.identities.iter().position(|known| *known == credentials).map(|place| place + 1);
        if identity.number.is_none() && self.identities.len() < MAX_IDENTITIES {
            self.identities.push(credentials);
            identity.number = Some(self.identities.len());
        }
        Some(identity)
    }
}

/// The credentials in a request, by the names of their fields and parameters: those in its headers and query, and those that the agent
/// is to show to the client's webhook.
pub fn secret_fields(request: &Request) -> Vec<(String, String)> {
    let headers = request.headers.iter().filter(|(name, _)| is_secret_name(name));
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let query = query_pairs(&request.url).map(|(name, value)| (decode(name), decode(value)));
    let of_grpc = if is_grpc(&request.headers) { message_of(request) } else { None };
    let of_grpc = of_grpc.map(|message| message.value.to_string());
    let body = of_grpc.as_deref().map_or(request.body.as_deref().unwrap_or_default(), str::as_bytes);
    headers.chain(query.filter(|(name, _)| is_secret_parameter(name))).chain(webhook_secrets(body)).collect()
}

/// The tokens and credentials of all configs for push notifications in a body, by the names of their members.
pub fn webhook_secrets(body: &[u8]) -> Vec<(String, String)> {
    let mut secrets = Vec::new();
    // Most have none, and a client that is watched waits for this.
    if body.windows(5).any(|window| window == b"\"url\"") {
        add_webhook_secrets(&json::read(body).unwrap_or_default(), &mut secrets);
    }
    secrets
}

fn add_webhook_secrets(document: &Value, secrets: &mut Vec<(String, String)>) {
    if document.get("url").is_some() {
        let credentials = document.pointer("/authentication/credentials");
        for (name, secret) in [("token", document.get("token")), ("credentials", credentials)] {
            secrets.extend(secret.and_then(Value::as_str).map(|secret| (name.to_owned(), secret.to_owned())));
        }
    }
    match document {
        Value::Array(items) => items.iter().for_each(|item| add_webhook_secrets(item, secrets)),
        Value::Object(members) => members.values().for_each(|member| add_webhook_secrets(member, secrets)),
        _ => {}
    }
}

/// The scheme of a request's credentials in its headers: `Bearer`, `Basic` or another of `Authorization`, and `ApiKey` for a field
/// of its own; `None` without any.
#[must_use]
pub fn presented_scheme(request: &Request) -> Option<String> {
    credentials_of(request).map(|(identity, _)| identity.scheme)
}

fn masked(request: &Request) -> Request {
    let redactor = Redactor::for_headers(&secret_fields(request));
    let mut exchange = Exchange::begun(0, request.clone(), 0.0);
    redactor.exchange(&mut exchange);
    exchange.request
}

/// The test case that a request names, or that of the task which it names; empty if there is none.
fn test_case_of(agent: &ScriptedAgent, request: &Request) -> String {
    let body = String::from_utf8_lossy(request.body.as_deref().unwrap_or_default());
    let named = test_case_in(&body);
    if !named.is_empty() {
        return named.to_owned();
    }
    if let Some((test_case, _)) = agent.hosted_file(request) {
        return test_case;
    }
    let document = json_body(request).unwrap_or_default();
    let params = document.get("params").unwrap_or(&document);
    let message = params.get("message").unwrap_or(&Value::Null);
    let in_body = [text(params, "id"), text(params, "taskId"), text(message, "taskId")].map(str::to_owned);
    let in_path = path_of(&request.url).split(['/', ':']).map(decode);
    let store = agent.0.store.borrow();
    let mut ids = in_body.into_iter().chain(in_path).filter(|id| !id.is_empty());
    ids.find_map(|id| Some(store.get(&id, |_| true)?.borrow().test_case.clone())).unwrap_or_default()
}

impl ScriptedAgent {
    /// Keeps the requests that come from now on, in the list that is returned.
    #[must_use]
    pub fn capture_requests(&self) -> CapturedRequests {
        let captured = CapturedRequests::default();
        let list = captured.clone();
        self.0.note_request.replace(Some(Rc::new(move |agent, request| list.add(agent, request))));
        captured
    }

    /// Forgets the responses of this test case, or of all.
    pub fn forget_responses(&self, test_case: Option<&str>) {
        self.0.test_cases.borrow_mut().forget(test_case);
        self.0.files.borrow_mut().forget(test_case);
    }
}
