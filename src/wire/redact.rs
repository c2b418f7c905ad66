//! Takes secrets out of an exchange as it is recorded, wherever they stand, so that nothing downstream can leak them.

use std::cell::RefCell;

use super::base64;
use super::exchange::Exchange;
use super::http::Headers;
use super::json::Value;
use super::url::encode;

/// What stands where a secret stood.
pub const MASK: &str = "[redacted]";

/// Header fields whose values are credentials whoever sends them.
const SECRET_HEADERS: [&str; 5] = ["authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key"];

/// The shortest secret that can be taken out of text without tearing the text apart.
pub const SHORTEST_SECRET: usize = 4;

/// Replaces the secrets of a run by [`MASK`].
#[derive(Debug, Clone, Default)]
pub struct Redactor {
    /// The longest first, so that no part of a secret is left beside the mask.
    secrets: RefCell<Vec<String>>,
    headers: Vec<String>,
}

impl Redactor {
    /// A redactor for these request headers of the user: their values are secrets, and so is the token of a
    /// `Scheme token` value on its own, since an agent may echo just that; of Basic credentials the password too.
    #[must_use]
    pub fn for_headers(fields: &[(String, String)]) -> Self {
        let headers = fields.iter().map(|(name, _)| name.to_ascii_lowercase()).collect();
        let redactor = Self { secrets: RefCell::default(), headers };
        for (_, value) in fields {
            redactor.learn(value);
            let Some((scheme, token)) = value.split_once(' ') else { continue };
            redactor.learn(token.trim());
            if !scheme.eq_ignore_ascii_case("basic") {
                continue;
            }
            let pair = base64::decode(token.trim()).and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default();
            redactor.learn(&pair);
            if let Some((_, password)) = pair.split_once(':') {
                redactor.learn(password);
            }
        }
        redactor
    }

    /// Masks this text from now on, also as a JSON string or a URL writes it.
    pub fn learn(&self, secret: &str) {
        if secret.len() < SHORTEST_SECRET {
            return;
        }
        let mut secrets = self.secrets.borrow_mut();
        let forms = [secret.to_owned(), Value::from(secret).to_string().trim_matches('"').to_owned(), encode(secret)];
        for text in forms {
            let place = secrets.iter().position(|known| known.len() < text.len()).unwrap_or(secrets.len());
            if !secrets.contains(&text) {
                secrets.insert(place, text);
            }
        }
    }

    /// The text with every secret masked.
    #[must_use]
    pub fn text(&self, text: &str) -> String {
        self.secrets.borrow().iter().fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), MASK))
    }

    /// The bytes with every secret masked.
    #[must_use]
    pub fn bytes(&self, bytes: Vec<u8>) -> Vec<u8> {
        self.secrets.borrow().iter().fold(bytes, |bytes, secret| replace(bytes, secret.as_bytes()))
    }

    /// Masks every secret of an exchange, in place.
    pub fn exchange(&self, exchange: &mut Exchange) {
        self.headers(&mut exchange.request.headers);
        exchange.request.url = self.text(&exchange.request.url);
        exchange.request.body = exchange.request.body.take().map(|body| self.bytes(body));
        match &mut exchange.end {
            super::exchange::End::Broken(detail) => *detail = self.text(detail),
            super::exchange::End::NoAnswer(trouble) => trouble.detail = self.text(&trouble.detail),
            _ => {}
        }
        let Some(response) = &mut exchange.response else { return };
        self.headers(&mut response.headers);
        response.url = self.text(&response.url);
        response.body = self.bytes(std::mem::take(&mut response.body));
        for timed in &mut response.frames {
            timed.frame.data = self.text(&timed.frame.data);
            timed.frame.event = timed.frame.event.take().map(|text| self.text(&text));
            timed.frame.id = timed.frame.id.take().map(|text| self.text(&text));
        }
    }

    fn headers(&self, headers: &mut Headers) {
        for (name, value) in headers.values_mut() {
            let name = name.to_ascii_lowercase();
            if SECRET_HEADERS.contains(&name.as_str()) || self.headers.contains(&name) {
                // The scheme is no secret, and a reader wants to see it.
                let scheme = value.split_once(' ').map(|(scheme, _)| format!("{scheme} ")).unwrap_or_default();
                let scheme = if name.ends_with("authorization") { scheme } else { String::new() };
                *value = format!("{scheme}{MASK}");
            } else {
                *value = self.text(value);
            }
        }
    }
}

fn replace(bytes: Vec<u8>, secret: &[u8]) -> Vec<u8> {
    if secret.is_empty() || !bytes.windows(secret.len()).any(|window| window == secret) {
        return bytes;
    }
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes.as_slice();
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix(secret) {
            out.extend_from_slice(MASK.as_bytes());
            rest = after;
        } else if let Some((first, after)) = rest.split_first() {
            out.push(*first);
            rest = after;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::exchange::{End, Response, TimedFrame};
    use crate::wire::http::Request;
    use crate::wire::sse::Frame;

    #[test]
    fn a_canary_is_found_nowhere_in_a_recorded_exchange() {
        let canary = "canary-\"5f0c";
        let redactor = Redactor::for_headers(&[
            ("Authorization".into(), format!("Bearer {canary}")),
            ("X-Mine".into(), "other-secret".into()),
        ]);
        let frame = Frame { data: format!("you sent {canary}"), ..Frame::default() };
        let mut exchange = Exchange {
            id: 1,
            lane: None,
            scenario: "s".into(),
            step: "s".into(),
            request: Request::post(
                format!("http://h/?k={canary}"),
                "application/json",
                format!("{canary} other-secret"),
            )
            .with_header("authorization", format!("Bearer {canary}"))
            .with_header("x-mine", "other-secret"),
            sent_ms: 0.0,
            response: Some(Response {
                headers: [("www-authenticate", format!("Bearer got={canary}"))].into_iter().collect(),
                body: serde_json::to_vec(&serde_json::json!({ "echo": canary })).unwrap(),
                frames: vec![TimedFrame { at_ms: 0.0, frame }],
                ..Response::default()
            }),
            end: End::Broken(format!("reset while sending {canary}")),
            end_ms: 1.0,
        };
        redactor.exchange(&mut exchange);
        let body = String::from_utf8(exchange.response.as_ref().unwrap().body.clone()).unwrap();
        let sent = String::from_utf8(exchange.request.body.clone().unwrap()).unwrap();
        let all = format!("{exchange:?} {body} {sent}");
        assert!(!all.contains("5f0c"), "{all}");
        assert!(!all.contains("other-secret"), "{all}");
        assert_eq!(exchange.request.headers.get("authorization"), Some("Bearer [redacted]"));
    }
}
