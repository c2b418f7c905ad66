//! HTTP responses that are not of A2A and the same for every version and binding: 404, 405, 500, pages and plain errors.

use crate::host::StreamedResponse;
use crate::wire::http::{Headers, ResponseHead};

/// A response head; `ScriptedAgent::respond` fills in the URL.
pub(super) fn head(status: u16, headers: Headers) -> ResponseHead {
    ResponseHead { status, headers, url: String::new(), redirected: false }
}

pub(super) fn response(status: u16, headers: Headers, body: Vec<u8>) -> StreamedResponse {
    StreamedResponse::whole(head(status, headers), body)
}

pub(super) fn typed_response(status: u16, media_type: &str, body: Vec<u8>) -> StreamedResponse {
    response(status, [("content-type", media_type)].into_iter().collect(), body)
}

pub(super) fn html_page(status: u16, title: &str) -> StreamedResponse {
    let page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title></head>\
         <body><h1>{title}</h1></body></html>\n"
    );
    typed_response(status, "text/html; charset=utf-8", page.into_bytes())
}

pub(super) fn internal_server_error() -> StreamedResponse {
    html_page(500, "Internal Server Error")
}

/// A JSON error that is neither JSON-RPC's nor A2A's, as web frameworks and gateways write them.
pub(super) fn plain_error(status: u16, message: &str) -> StreamedResponse {
    let body = format!(r#"{{"error":{{"code":{status},"message":"{message}"}}}}"#);
    typed_response(status, "application/json", body.into_bytes())
}

pub(super) fn not_found() -> StreamedResponse {
    plain_error(404, "there is nothing here")
}

/// A response of nothing but one header field.
pub(super) fn bare_response(status: u16, name: &str, value: &str) -> StreamedResponse {
    response(status, [(name, value)].into_iter().collect(), Vec::new())
}

/// A 405 that names the methods allowed.
pub(super) fn method_not_allowed(allowed: &str) -> StreamedResponse {
    let mut response = plain_error(405, "this method is not allowed here");
    response.head.headers.push("allow", allowed);
    response
}
