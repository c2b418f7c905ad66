//! Reading requests: the path, the query, the body as JSON, and which operation is called.

use std::iter::repeat;

use serde_json::Value;

use super::json_values::text;
use super::served_version::ServedVersion;
use crate::a2a::model::Operation;
use crate::wire::grpc::is_grpc;
use crate::wire::http::Request;
use crate::wire::json;
use crate::wire::url::path_of;

/// The HTTP+JSON route that a path below the agent's own leads to, if it is one.
pub(super) fn route_of(below: &str) -> Option<&str> {
    below.strip_prefix("/rest").filter(|route| route.is_empty() || route.starts_with('/'))
}

/// Whether a path below the agent's own is that of the JSON-RPC endpoint. Clients that have a base URL append a slash to it.
pub(super) fn is_endpoint(below: &str) -> bool {
    matches!(below, "/rpc" | "/rpc/")
}

/// The names and values of a URL's query, still percent-encoded.
pub(super) fn query_pairs(url: &str) -> impl Iterator<Item = (&str, &str)> {
    let (_, query) = url.split_once('?').unwrap_or_default();
    query.split('#').next().unwrap_or_default().split('&').filter_map(|pair| pair.split_once('='))
}

/// A value of the URL's query, by its name without regard to case.
pub(super) fn query_value<'a>(url: &'a str, name: &str) -> Option<&'a str> {
    query_pairs(url).find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

pub(super) fn json_body(request: &Request) -> Option<Value> {
    json::read(request.body.as_deref().unwrap_or_default())
}

pub(super) fn bearer_token(request: &Request) -> Option<&str> {
    let (scheme, token) = request.headers.get("authorization")?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

/// Whether a request calls an operation, by its method or by its path.
pub(super) fn calls(served_version: &ServedVersion, request: &Request, operation: Operation) -> bool {
    let routed = served_version.dialect.routes.iter().any(|(known, method, route)| {
        let path = path_of(&request.url).rsplit('/').map(Some).chain(repeat(None));
        // `{id}`, or an id with a verb behind it: `{id}:cancel`.
        let same =
            |(wanted, given): (&str, Option<&str>)| match wanted.strip_prefix('{').and_then(|id| id.split_once('}')) {
                Some((_, verb)) => given.is_some_and(|given| given.ends_with(verb)),
                None => given == Some(wanted),
            };
        *known == operation
            && *method == request.method
            && route.trim_start_matches('/').rsplit('/').zip(path).all(same)
    });
    let method = served_version.grpc().and_then(|service| service.method(operation));
    let is_method = || method.is_some() && path_of(&request.url).rsplit('/').next() == method;
    routed
        || (is_grpc(&request.headers) && is_method())
        || json_body(request)
            .is_some_and(|body| served_version.dialect.method(operation) == Some(text(&body, "method")))
}
