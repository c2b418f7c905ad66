//! HTTP/1.1 for the small servers, with the longest body, and requests as the rest of the program knows them.

use std::convert::Infallible;
use std::future::Future;

use http::request::Parts;
use http::{Response, StatusCode};
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};

use super::connections::{ConnectionUse, WatchedStream};
use crate::wire::http::{Method, Request};

/// The longest request body that a small server reads, in bytes.
pub(super) const MAX_BODY: usize = 5 << 20;

/// Speaks HTTP on a connection until either side has enough.
pub(super) async fn speak<F>(stream: WatchedStream, usage: ConnectionUse, answer: impl Fn(http::Request<Incoming>) -> F)
where
    F: Future<Output = Response<Full<Bytes>>>,
{
    let service = service_fn(move |request| {
        let (answer, guard) = (answer(request), usage.request());
        async move {
            let answer = answer.await;
            drop(guard);
            Ok::<_, Infallible>(answer)
        }
    });
    let _ = http1::Builder::new().timer(TokioTimer::new()).serve_connection(TokioIo::new(stream), service).await;
}

/// A request without its body, as it came to a server with this base; `None` for a method that is not known here.
pub(super) fn request_head(head: &Parts, base: &str) -> Option<Request> {
    let target = head.uri.path_and_query().map_or("/", |target| target.as_str());
    let fields = head.headers.iter().map(|(name, value)| (name.as_str(), String::from_utf8_lossy(value.as_bytes())));
    let method = Method::parse(head.method.as_str())?;
    Some(Request { method, url: format!("{base}{target}"), headers: fields.collect(), body: None })
}

pub(super) fn response(status: u16, body: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
    response
}
