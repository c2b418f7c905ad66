//! Which interface of the scripted agent a request went to, and which operation it calls there.

use std::rc::Rc;

use super::conversation::ClientCall;
use super::told_tasks::news_of;
use crate::a2a::binding::SentCall;
use crate::a2a::binding::grpc::GRPC;
use crate::a2a::binding::jsonrpc::JSONRPC;
use crate::a2a::binding::rest::path_parameters;
use crate::a2a::dialect::Dialect;
use crate::a2a::headers;
use crate::a2a::model::{Card, Operation};
use crate::engine::detect::{detect, force, read};
use crate::engine::discover::lanes;
use crate::engine::transcript::Lane;
use crate::wire::grpc::is_grpc;
use crate::wire::http::{Method, Request};
use crate::wire::json::{self, Value};
use crate::wire::received::{ClientRequest, ServedCard};
use crate::wire::url::{decode, path_of};

/// The ends of the paths of cards, of all versions.
const CARD_PATHS: [&str; 2] = ["/.well-known/agent-card.json", "/.well-known/agent.json"];

/// An interface, with the card that clients of it read.
#[derive(Debug)]
pub(super) struct ServedLane {
    pub(super) lane: Rc<Lane>,
    pub(super) card: Rc<Card>,
}

/// Reads a card of a known version. Only the newest one lists interfaces of several.
fn card_of(document: &Value, version: &str) -> Card {
    match Dialect::of_version(version).filter(|dialect| dialect.version_header.is_none()) {
        Some(older) => force(document, older).0,
        None => read(document, &detect(document)),
    }
}

/// The interfaces of these cards.
pub(super) fn lanes_of(cards: &[ServedCard]) -> Vec<ServedLane> {
    let mut all = Vec::new();
    for ServedCard { version, meant, served, .. } in cards {
        let card = card_of(meant, version);
        let shown = Rc::new(if served.is_object() { card_of(served, version) } else { card.clone() });
        all.extend(lanes(&card).0.into_iter().map(|lane| ServedLane { lane, card: Rc::clone(&shown) }));
    }
    all
}

/// Whether a request is for a card.
pub(super) fn is_for_card(request: &Request) -> bool {
    let is_read = matches!(request.method, Method::Get | Method::Head);
    is_read && CARD_PATHS.iter().any(|end| path_of(&request.url).ends_with(end))
}

/// Whether a request that went to no interface was meant for one.
pub(super) fn is_meant_for_agent(request: &Request) -> bool {
    let body = request.body.as_deref().and_then(json::read).unwrap_or_default();
    let has_members = ["jsonrpc", "message"].iter().any(|name| body.get(name).is_some());
    matches!(request.method, Method::Post | Method::Delete)
        && (has_members || request.headers.get(headers::VERSION).is_some())
}

/// The interface that a request went to.
pub(super) fn find<'a>(all: &'a [ServedLane], request: &Request) -> Option<&'a ServedLane> {
    let fits: Vec<&ServedLane> = all.iter().filter(|served| goes_to(&served.lane, request)).collect();
    let named = request.headers.get(headers::VERSION).map(str::trim).filter(|version| !version.is_empty());
    // Where two versions share a URL, a request that names none is one of 0.3 (1.0 §3.6.2).
    let is_named = |served: &&&ServedLane| match named {
        Some(version) => Dialect::of_version(version).is_some_and(|dialect| dialect.is_version_of(served.lane.dialect)),
        None => served.lane.dialect.version_header.is_none(),
    };
    fits.iter().find(is_named).or_else(|| fits.first()).copied()
}

fn goes_to(lane: &Lane, request: &Request) -> bool {
    let (path, own) = (path_of(&request.url), path_of(&lane.interface.url).trim_end_matches('/'));
    if is_grpc(&request.headers) {
        let service = path.rsplit_once('/').and_then(|(before, _)| before.rsplit('/').next());
        return lane.binding.id == GRPC.id
            && lane.dialect.grpc.as_ref().is_some_and(|known| Some(known.schema.service().as_ref()) == service);
    }
    if lane.binding.id == JSONRPC.id {
        return path.trim_end_matches('/') == own;
    }
    let is_rpc = || request.body.as_deref().and_then(json::read).is_some_and(|body| body.get("jsonrpc").is_some());
    let is_below = path.strip_prefix(own).is_some_and(|rest| rest.starts_with('/'));
    lane.binding.id != GRPC.id && is_below && !is_rpc()
}

/// A request to an interface, read.
pub(super) fn read_call(lane: &Rc<Lane>, received: ClientRequest) -> ClientCall {
    let request = &received.exchange.request;
    let body = request.body.as_deref().filter(|body| !body.is_empty()).and_then(json::read);
    let dialect = lane.dialect;
    let (operation, params) = if is_grpc(&request.headers) {
        let method = path_of(&request.url).rsplit('/').next().unwrap_or_default();
        let known =
            dialect.grpc.as_ref().and_then(|service| service.methods.iter().find(|(_, known)| *known == method));
        (known.map(|(operation, _)| *operation), body.clone().unwrap_or_default())
    } else if lane.binding.id == JSONRPC.id {
        let method = body.as_ref().and_then(|body| body.get("method")).and_then(Value::as_str);
        let known = dialect.methods.iter().find(|(_, known)| Some(*known) == method);
        let params = body.as_ref().and_then(|body| body.get("params")).cloned();
        (known.map(|(operation, _)| *operation), params.unwrap_or_default())
    } else {
        of_route(lane, request, body.as_ref())
    };
    let id = body.as_ref().and_then(|body| body.get("id")).cloned();
    let sent = SentCall { operation, id, params: Some(params.clone()), ..SentCall::default() };
    let reply = (lane.binding.reply)(lane.binding, dialect, &sent, &received.exchange);
    let news = news_of(&reply);
    ClientCall { lane: Rc::clone(lane), operation, body, params, reply, news, received }
}

/// The operation of a request over HTTP+JSON, with the parameters of path, query and body.
fn of_route(lane: &Lane, request: &Request, body: Option<&Value>) -> (Option<Operation>, Value) {
    let base = path_of(&lane.interface.url).trim_end_matches('/');
    let path = path_of(&request.url).strip_prefix(base).unwrap_or_default();
    let mut params = body.and_then(Value::as_object).cloned().unwrap_or_default();
    for (name, value) in query(&request.url) {
        params.insert(name, value.into());
    }
    let found = lane.dialect.routes.iter().find_map(|(operation, method, template)| {
        // 1.0 §11.3.2 subscribes by POST, the proto by GET.
        let is_either = *operation == Operation::SubscribeToTask && request.method == Method::Get;
        let in_path = path_parameters(template, path)?;
        (*method == request.method || is_either).then_some((*operation, in_path))
    });
    let operation = found.map(|(operation, in_path)| {
        params.extend(in_path.into_iter().map(|(name, value)| (name.to_owned(), value.into())));
        operation
    });
    (operation, Value::Object(params))
}

/// The names and values of a URL's query.
fn query(url: &str) -> impl Iterator<Item = (String, String)> {
    let (_, query) = url.split_once('?').unwrap_or_default();
    query.split('&').filter_map(|pair| pair.split_once('=')).map(|(name, value)| (decode(name), decode(value)))
}

/// A value of a URL's query, by its name without regard to case.
pub(super) fn query_value(url: &str, name: &str) -> Option<String> {
    query(url).find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}
