//! `/_watch`: what was found so far of the clients that call the agent, for a page that shows it live.

use std::rc::Rc;

use http::header::{HOST, ORIGIN};
use http::request::Parts;
use http::{Method, StatusCode};

use super::exchange_recorder::ExchangeRecorder;
use crate::host::StreamedResponse;
use crate::wire::http::{Headers, ResponseHead};
use crate::wire::url::{Url, decode};

/// Where it is. Behind it may stand the key.
const PATH: &str = "/_watch";

/// Whoever judges the clients of an agent.
pub trait ClientWatcher {
    /// Records what arrives; `None` as long as nobody wants it judged.
    fn recorder(&self) -> Option<ExchangeRecorder>;

    /// The report so far, with a mark that changes with it; `None` when the mark is still the known one. Whoever asks first begins
    /// the watch.
    fn findings(&self, known: &str) -> Option<(String, String)>;

    /// Forgets everything, and begins anew.
    fn begin_anew(&self);

    /// The secret that opens it to a page from elsewhere.
    fn key(&self) -> &str;
}

pub(super) fn is_at(path: &str) -> bool {
    path.strip_prefix(PATH).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

pub(super) fn answer(watcher: Option<&Rc<dyn ClientWatcher>>, head: &Parts, from_here: bool) -> StreamedResponse {
    let Some(watcher) = watcher else {
        return text(StatusCode::NOT_FOUND, "nobody watches over the clients of this agent; start it with --watch");
    };
    let key = head.uri.path().strip_prefix(PATH).unwrap_or_default().trim_start_matches('/');
    if key != watcher.key() && !(key.is_empty() && from_here && is_of_this_machine(head)) {
        let message = "only programs and pages of this machine may see this, under 127.0.0.1 or localhost and past no proxy; \
                       others need the address with the key that the command prints";
        return text(StatusCode::FORBIDDEN, message);
    }
    match head.method {
        Method::GET => {
            let since = head.uri.query().and_then(|query| query.strip_prefix("since=")).map(decode).unwrap_or_default();
            match watcher.findings(&since) {
                Some((mark, report)) => {
                    let mut answer = text(StatusCode::OK, &report);
                    answer.head.headers.push("etag", format!("\"{mark}\""));
                    answer.head.headers.replace("content-type", "application/json");
                    answer
                }
                None => text(StatusCode::NO_CONTENT, ""),
            }
        }
        Method::DELETE => {
            watcher.begin_anew();
            text(StatusCode::NO_CONTENT, "")
        }
        _ => {
            let mut answer = text(StatusCode::METHOD_NOT_ALLOWED, "this method is not allowed here");
            answer.head.headers.push("allow", "GET, DELETE");
            answer
        }
    }
}

/// What a proxy adds to a request of somebody else. The listener sees that of a proxy on this machine, too.
const FORWARDING: [&str; 5] = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"];

/// Whether a request is for a name of this machine, was passed on by nobody, and is not from a page other than those that this
/// machine serves. A foreign page could otherwise read it in the browser of the person who runs the agent.
pub(super) fn is_of_this_machine(head: &Parts) -> bool {
    let hosts = head.headers.get_all(HOST).iter().map(|host| host.to_str().unwrap_or_default());
    // The authority of the target counts before Host (RFC 9112 §3.2.2), and over HTTP/2 there may be nothing else.
    let hosts: Vec<&str> = hosts.chain(head.uri.authority().map(http::uri::Authority::as_str)).collect();
    let is_named = !hosts.is_empty() && hosts.iter().all(|host| is_loopback(&format!("http://{host}/")));
    let is_direct = !FORWARDING.iter().any(|name| head.headers.contains_key(*name));
    let origin = head.headers.get(ORIGIN).map(|origin| origin.to_str().unwrap_or_default());
    is_named && is_direct && origin.is_none_or(is_loopback)
}

fn is_loopback(url: &str) -> bool {
    Url::parse(url).is_ok_and(|url| url.is_loopback())
}

fn text(status: StatusCode, text: &str) -> StreamedResponse {
    let mut headers: Headers = [("cache-control", "no-store")].into_iter().collect();
    if status != StatusCode::NO_CONTENT {
        headers.push("content-type", "text/plain; charset=utf-8");
    }
    response(status, headers, text.as_bytes().to_vec())
}

/// A response of this server itself, whose length is known.
pub(super) fn response(status: StatusCode, mut headers: Headers, body: Vec<u8>) -> StreamedResponse {
    if status != StatusCode::NO_CONTENT {
        headers.push("content-length", body.len().to_string());
    }
    let head = ResponseHead { status: status.as_u16(), headers, ..ResponseHead::default() };
    StreamedResponse::whole(head, body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pages_of_this_machine_see_it_without_the_key() {
        let asks = |host: &str, origin: &str| {
            let mut request = http::Request::get("/_watch").header(HOST, host);
            if !origin.is_empty() {
                request = request.header(ORIGIN, origin);
            }
            is_of_this_machine(&request.body(()).unwrap().into_parts().0)
        };
        for (host, origin, is_seen) in [
            ("127.0.0.1:8485", "", true),
            ("localhost:8485", "http://127.0.0.1:8484", true),
            ("[::1]:8485", "http://localhost:8484", true),
            ("127.0.0.1:8485", "https://a2a.example", false),
            ("127.0.0.1:8485", "http://127.0.0.1.evil.example:8484", false),
            ("127.0.0.1:8485", "null", false),
            ("evil.example:8485", "", false),
            ("evil.example:8485", "http://evil.example:8485", false),
        ] {
            assert_eq!(asks(host, origin), is_seen, "{host} {origin}");
        }
        // Another name beside the right one, and what a proxy on this machine has passed on.
        for (target, name, value, is_seen) in [
            ("http://evil.example/_watch", "host", "127.0.0.1:8485", false),
            ("http://127.0.0.1:8485/_watch", "accept", "*/*", true),
            ("/_watch", "host", "evil.example", false),
            ("/_watch", "x-forwarded-for", "192.0.2.1", false),
            ("/_watch", "forwarded", "for=192.0.2.1", false),
            ("/_watch", "via", "1.1 proxy", false),
        ] {
            let request = http::Request::get(target).header(name, value);
            let request = if target.starts_with('/') { request.header(HOST, "127.0.0.1:8485") } else { request };
            assert_eq!(is_of_this_machine(&request.body(()).unwrap().into_parts().0), is_seen, "{target} {name}");
        }
        assert!(is_at("/_watch") && is_at("/_watch/key") && !is_at("/_watched"));
    }
}
