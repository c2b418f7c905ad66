//! What the list of every exchange says: which operation was called, what came back, and how long it took.

use super::format;
use crate::a2a::dialect::{DIALECTS, Dialect};
use crate::engine::lane_name::lane_name;
use crate::view_model::binary_encoding::binary_encoding;
use crate::wire::exchange::Exchange;
use crate::wire::json;
use crate::wire::order;

/// An exchange in one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrafficLine {
    /// Its number within the run.
    pub id: u32,
    /// When the request left, after the run began.
    pub at: String,
    /// The method.
    pub method: String,
    /// The path of the URL with its query, or the whole URL where that is of another origin than most.
    pub path: String,
    /// The operation, as the request or its route names it; empty for a card.
    pub operation: String,
    /// The status, or that there was no answer.
    pub status: String,
    /// Whether an answer came that is not an HTTP error.
    pub is_ok: bool,
    /// How long it took.
    pub duration: String,
    /// The lane for people; empty for the card.
    pub lane: String,
    /// The purpose of the exchange.
    pub step: String,
}

binary_encoding! { struct TrafficLine { id, at, method, path, operation, status, is_ok, duration, lane, step } }

impl TrafficLine {
    /// Whether it holds every word of a search.
    #[must_use]
    pub fn holds(&self, search: &str) -> bool {
        let text = [&*self.method, &self.path, &self.operation, &self.status, &self.lane, &self.step].join("\n");
        let text = text.to_ascii_lowercase();
        search.split_whitespace().all(|word| text.contains(&word.to_ascii_lowercase()))
    }
}

/// The exchanges of a run, by the time at which each request left.
pub fn lines<'a>(exchanges: impl Iterator<Item = &'a Exchange> + Clone) -> Vec<TrafficLine> {
    let home = exchanges.clone().find(|exchange| exchange.lane.is_some()).or_else(|| exchanges.clone().next());
    let home = home.map(|exchange| split(&exchange.request.url).0).unwrap_or_default();
    let mut sorted: Vec<&Exchange> = exchanges.collect();
    order::sort_by(&mut sorted, |one, other| one.sent_ms.total_cmp(&other.sent_ms).then(one.id.cmp(&other.id)));
    sorted.into_iter().map(|exchange| line(exchange, home)).collect()
}

/// The exchanges of the workbench, in order. They belong to no run, and so come at no time of it.
pub fn by_hand<'a>(exchanges: impl Iterator<Item = &'a Exchange>) -> Vec<TrafficLine> {
    let at = || "by hand".to_owned();
    exchanges.map(|exchange| TrafficLine { at: at(), ..line(exchange, "") }).collect()
}

fn line(exchange: &Exchange, home: &str) -> TrafficLine {
    let (origin, path) = split(&exchange.request.url);
    let status = exchange.status();
    let events = exchange.response.as_ref().map_or(0, |response| response.frames.len());
    let mut shown = status.map_or_else(|| "no answer".to_owned(), |status| status.to_string());
    if events > 0 {
        shown = format!("{shown} \u{b7} {}", format::count_of(events, "event"));
    }
    TrafficLine {
        id: exchange.id,
        at: format::duration(exchange.sent_ms),
        method: exchange.request.method.as_str().to_owned(),
        path: if origin == home { path.to_owned() } else { exchange.request.url.clone() },
        operation: operation(exchange),
        status: shown,
        is_ok: status.is_some_and(|status| status < 400),
        duration: format::duration(exchange.duration_ms()),
        lane: exchange.lane.as_deref().map(lane_name).unwrap_or_default(),
        step: exchange.step.clone(),
    }
}

/// Origin, and path with its query.
fn split(url: &str) -> (&str, &str) {
    let host = url.find("://").map_or(0, |at| at + 3);
    let end = url.get(host..).and_then(|rest| rest.find(['/', '?'])).map_or(url.len(), |at| host + at);
    match url.split_at(end) {
        (origin, "") => (origin, "/"),
        parts => parts,
    }
}

/// The operation that a request calls: the method of its envelope, or that of its route.
pub(super) fn operation(exchange: &Exchange) -> String {
    if exchange.lane.is_none() {
        return String::new();
    }
    // A body that is far too long belongs to a test of its own, and nobody reads it.
    let body = exchange.request.body.as_deref().filter(|body| body.len() < 100_000).and_then(json::read);
    if let Some(method) = body.as_ref().and_then(|body| body.get("method")).and_then(json::Value::as_str) {
        return method.chars().take(60).collect();
    }
    let (_, path) = split(&exchange.request.url);
    let path = path.split('?').next().unwrap_or_default();
    let named = DIALECTS.iter().flat_map(|dialect| dialect.routes).filter(|(_, _, route)| ends_with(path, route));
    // Of routes that differ in the method only, the one with this method.
    let mut named: Vec<_> = named.collect();
    order::sort_by_key(&mut named, |(_, method, route)| {
        (*method != exchange.request.method, std::cmp::Reverse(route.len()))
    });
    named.first().and_then(|(operation, ..)| Dialect::newest().method(*operation)).unwrap_or_default().to_owned()
}

/// Whether a path ends with a route, whose `{members}` stand for anything.
fn ends_with(path: &str, route: &str) -> bool {
    let mut path = path.trim_end_matches('/').rsplit('/');
    route.trim_start_matches('/').rsplit('/').all(|wanted| {
        path.next().is_some_and(|piece| match wanted.split_once('}') {
            Some((_, end)) => piece.ends_with(end) && piece.contains(':') == end.contains(':'),
            None => piece == wanted,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_told_from_its_origin() {
        assert_eq!(split("https://h:1/a/b?c=/d"), ("https://h:1", "/a/b?c=/d"));
        assert_eq!(split("https://h"), ("https://h", "/"));
        assert_eq!(split("https://h?x"), ("https://h", "?x"));
        assert_eq!(split(""), ("", "/"));
    }

    #[test]
    fn a_route_is_known_under_any_base() {
        assert!(ends_with("/base/tasks/7", "/tasks/{id}"));
        assert!(ends_with("/tasks/7:cancel", "/tasks/{id}:cancel"));
        assert!(!ends_with("/tasks/7:cancel", "/tasks/{id}"));
        assert!(!ends_with("/7", "/tasks/{id}"));
        assert!(ends_with("/v1/message:send", "/message:send"));
        assert!(ends_with("/tasks/7/pushNotificationConfigs/1", "/tasks/{taskId}/pushNotificationConfigs/{id}"));
    }

    #[test]
    fn a_search_needs_every_word() {
        let line = TrafficLine {
            id: 1,
            at: String::new(),
            method: "POST".into(),
            path: "/rpc".into(),
            operation: "SendMessage".into(),
            status: "200".into(),
            is_ok: true,
            duration: String::new(),
            lane: "JSON-RPC 1.0".into(),
            step: "send".into(),
        };
        assert!(line.holds("") && line.holds("post sendmessage") && line.holds("200 json-rpc"));
        assert!(!line.holds("post 404"));
    }
}
