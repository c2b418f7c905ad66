//! Takes secrets out of an exchange as it is recorded, wherever they stand, so that nothing downstream can leak them.

use std::cell::RefCell;
use std::rc::Rc;

use super::base64::{STANDARD, URL_SAFE};
use super::exchange::Exchange;
use super::http::Headers;
use super::mask::MASK;
use super::sse::Oddity;

/// Header fields whose values are credentials whoever sends them.
const SECRET_HEADERS: [&str; 5] = ["authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key"];

/// Words that agents write themselves: in what they say these are not secrets, and masking them there would change the agent's
/// answer, for which it would be blamed.
const WORDS: &str = " agent agents artifact artifacts bearer basic code contents context data demo description error example \
    failed false file final history http https input json jsonrpc kind list message messages metadata method name null \
    open output params part parts password result role root skill skills state stream string task tasks test text token \
    true type user users value version working ";

/// The shortest secret that can be taken out of text without tearing the text apart.
pub const SHORTEST_SECRET: usize = 4;

/// Replaces the secrets of a run by [`MASK`]. Clones share what they learn.
#[derive(Debug, Clone, Default)]
pub struct Redactor {
    /// The longest first, so that no part of a secret is left beside the mask.
    secrets: Rc<RefCell<Vec<String>>>,
    /// Those that are masked in addresses and headers only.
    words: Rc<RefCell<Vec<String>>>,
    headers: Vec<String>,
}

impl Redactor {
    /// A redactor for these request headers of the user: their values are secrets, and so is the token of a
    /// `Scheme token` value on its own, since an agent may echo just that; of Basic credentials the password too.
    #[must_use]
    pub fn for_headers(fields: &[(String, String)]) -> Self {
        let headers = fields.iter().map(|(name, _)| name.to_ascii_lowercase()).collect();
        let redactor = Self { headers, ..Self::default() };
        for (_, value) in fields {
            redactor.learn(value);
            let Some((scheme, token)) = value.split_once(' ') else { continue };
            redactor.learn(token.trim());
            if !scheme.eq_ignore_ascii_case("basic") {
                continue;
            }
            let pair =
                STANDARD.decode(token.trim()).and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default();
            redactor.learn(&pair);
            if let Some((_, password)) = pair.split_once(':') {
                redactor.learn(password);
            }
        }
        redactor
    }

    /// Masks this text from now on, also as a JSON string, a URL or base64 writes it.
    pub fn learn(&self, secret: &str) {
        if secret.len() < SHORTEST_SECRET {
            return;
        }
        let is_word = WORDS.contains(&format!(" {} ", secret.to_ascii_lowercase()));
        let mut secrets = if is_word { self.words.borrow_mut() } else { self.secrets.borrow_mut() };
        // A secret that an agent pads is masked up to the padding.
        let coded = STANDARD.encode(secret.as_bytes()).trim_end_matches('=').to_owned();
        let forms = [secret.to_owned(), URL_SAFE.encode(secret.as_bytes()), coded];
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
        // The words last: one of them may be the beginning of a longer secret.
        let bytes = self.bytes(text.as_bytes().to_vec());
        let bytes = self.words.borrow().iter().fold(bytes, |text, word| replace(text, word.as_bytes()));
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// The agent's text, with every secret masked that is not one of its words.
    fn agent_text(&self, text: &str) -> String {
        String::from_utf8_lossy(&self.bytes(text.as_bytes().to_vec())).into_owned()
    }

    /// The bytes of a body with every secret masked that is not one of the words that it may contain anyway.
    #[must_use]
    pub fn bytes(&self, bytes: Vec<u8>) -> Vec<u8> {
        self.secrets.borrow().iter().fold(bytes, |bytes, secret| replace(bytes, secret.as_bytes()))
    }

    /// Masks every secret of an exchange, in place.
    pub fn exchange(&self, exchange: &mut Exchange) {
        self.headers(&mut exchange.request.headers, Self::text);
        exchange.request.url = self.url(&exchange.request.url);
        exchange.request.body = exchange.request.body.take().map(|body| self.bytes(body));
        match &mut exchange.end {
            super::exchange::End::Broken(detail) => *detail = self.text(detail),
            super::exchange::End::NoAnswer(trouble) => trouble.detail = self.text(&trouble.detail),
            _ => {}
        }
        let Some(response) = &mut exchange.response else { return };
        self.headers(&mut response.headers, Self::agent_text);
        response.url = self.url(&response.url);
        response.body = self.bytes(std::mem::take(&mut response.body));
        if let Some(trailers) = response.grpc.as_mut().and_then(|grpc| grpc.trailers.as_mut()) {
            self.headers(trailers, Self::agent_text);
        }
        for timed in &mut response.frames {
            timed.frame.data = self.agent_text(&timed.frame.data);
            timed.frame.event = timed.frame.event.take().map(|text| self.agent_text(&text));
            timed.frame.id = timed.frame.id.take().map(|text| self.agent_text(&text));
        }
        for oddity in &mut response.oddities {
            if let Oddity::UnknownField(text) | Oddity::BadRetry(text) = oddity {
                *text = self.agent_text(text);
            }
        }
    }

    /// A URL with every secret masked. Its path is the agent's, and may hold a word; credentials stand in the query.
    fn url(&self, url: &str) -> String {
        match url.split_once('?') {
            Some((path, query)) => format!("{}?{}", self.agent_text(path), self.text(query)),
            None => self.agent_text(url),
        }
    }

    fn headers(&self, headers: &mut Headers, masked: fn(&Self, &str) -> String) {
        for (name, value) in headers.values_mut() {
            let name = name.to_ascii_lowercase();
            if SECRET_HEADERS.contains(&name.as_str()) || self.headers.contains(&name) {
                // The scheme is not a secret, and a reader wants to see it.
                let scheme = value.split_once(' ').filter(|_| name.ends_with("authorization"));
                *value = scheme.map_or_else(|| MASK.to_owned(), |(scheme, _)| format!("{scheme} {MASK}"));
            } else {
                *value = masked(self, value);
            }
        }
    }
}

fn replace(bytes: Vec<u8>, secret: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = bytes.as_slice();
    // The text between the end of the last secret and here.
    let mut plain = 0;
    while let Some(here) = rest.get(plain..).filter(|here| !here.is_empty()) {
        match after(here, secret) {
            Some(after) => {
                out.extend_from_slice(rest.get(..plain).unwrap_or_default());
                out.extend_from_slice(MASK.as_bytes());
                (rest, plain) = (after, 0);
            }
            None => plain += 1,
        }
    }
    if out.is_empty() {
        return bytes;
    }
    out.extend_from_slice(rest);
    out
}

/// The text after a secret at its beginning, however its characters are escaped there: as in JSON, as in a URL,
/// or as in either within another of its kind.
///
/// A percent sign or a backslash of the secret may also stand for itself and look like the beginning of an escape: all ways
/// to read it are followed side by side, and the longest counts.
fn after<'a>(text: &'a [u8], secret: &[u8]) -> Option<&'a [u8]> {
    let (first, wanted) = (text.first()?, secret.first()?);
    if first != wanted && !b"%\\+".contains(first) {
        return None;
    }
    // How much is left of the secret and of the text on each way, in order. The one with the most left goes on first, so
    // that ways that meet are one from there.
    let mut ways = vec![(secret.len(), text.len())];
    while let Some((left, rest)) = ways.pop() {
        if left == 0 {
            let shortest = ways.first().map_or(rest, |(_, rest)| *rest);
            return text.get(text.len() - shortest..);
        }
        let (left, text) = (secret.get(secret.len() - left..)?, text.get(text.len() - rest..)?);
        let (Some((first, raw)), Some((wanted, more))) = (text.split_first(), left.split_first()) else { continue };
        let mut go_on = |way: Option<(&[u8], &[u8])>| {
            let Some((text, left)) = way else { return };
            if let Err(place) = ways.binary_search(&(left.len(), text.len())) {
                ways.insert(place, (left.len(), text.len()));
            }
        };
        go_on((first == wanted || (*first == b'+' && *wanted == b' ')).then_some((raw, more)));
        if *first == b'%' {
            go_on(percent(raw, left));
            go_on(raw.strip_prefix(b"25").and_then(|raw| percent(raw, left)));
        } else if *first == b'\\' {
            go_on(escape(raw, left));
            go_on(nested_escape(raw, left));
        }
    }
    None
}

/// After a percent sign: what is left of the text and of the secret, if the next byte of the secret stands there.
fn percent<'a, 's>(text: &'a [u8], secret: &'s [u8]) -> Option<(&'a [u8], &'s [u8])> {
    let (code, after) = hex(text, 2)?;
    let (wanted, more) = secret.split_first()?;
    // A blank that became `+` in the URL within.
    let is_blank = *wanted == b' ' && code == u32::from(b'+');
    (u32::from(*wanted) == code || is_blank).then_some((after, more))
}

/// The same after a backslash, for the next character.
fn escape<'a, 's>(text: &'a [u8], secret: &'s [u8]) -> Option<(&'a [u8], &'s [u8])> {
    let (first, after) = text.split_first()?;
    let (char, after) = match first {
        b'"' | b'\\' | b'/' => (char::from(*first), after),
        b'b' => ('\u{8}', after),
        b'f' => ('\u{c}', after),
        b'n' => ('\n', after),
        b'r' => ('\r', after),
        b't' => ('\t', after),
        b'u' => unit(after)?,
        _ => return None,
    };
    let mut bytes = [0; 4];
    let more = secret.strip_prefix(char.encode_utf8(&mut bytes).as_bytes())?;
    Some((after, more))
}

/// The same where the text is a string of JSON within a string of JSON: its backslashes are escaped as well.
fn nested_escape<'a, 's>(text: &'a [u8], secret: &'s [u8]) -> Option<(&'a [u8], &'s [u8])> {
    let text = text.strip_prefix(b"\\")?;
    let inner = text.strip_prefix(b"\\").filter(|text| text.starts_with(b"\"") || text.starts_with(b"\\"));
    escape(inner.unwrap_or(text), secret)
}

/// The character whose number stands here in hexadecimal; one that needs two UTF-16 units has another escape behind it.
fn unit(text: &[u8]) -> Option<(char, &[u8])> {
    let (high, after) = hex(text, 4)?;
    if let Some(char) = char::from_u32(high) {
        return Some((char, after));
    }
    let after = after.strip_prefix(b"\\")?;
    let (low, after) = hex(after.strip_prefix(b"\\").unwrap_or(after).strip_prefix(b"u")?, 4)?;
    let units = [u16::try_from(high).ok()?, u16::try_from(low).ok()?];
    Some((char::decode_utf16(units).next()?.ok()?, after))
}

fn hex(text: &[u8], digits: usize) -> Option<(u32, &[u8])> {
    let (number, after) = text.split_at_checked(digits)?;
    let digit = |number: u32, byte: &u8| Some(number * 16 + char::from(*byte).to_digit(16)?);
    Some((number.iter().try_fold(0, digit)?, after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::exchange::{End, Response, TimedFrame};
    use crate::wire::http::Request;
    use crate::wire::sse::Frame;

    #[test]
    fn a_word_for_a_password_changes_neither_what_an_agent_says_nor_another_secret() {
        let redactor = Redactor::default();
        for secret in ["test", "json", "agent", "test-5f0c9"] {
            redactor.learn(secret);
        }
        assert_eq!(redactor.text("key=test-5f0c9"), format!("key={MASK}"));
        let url = "http://h.example/.well-known/agent-card.json?key=test-5f0c9&user=agent";
        let mut response = Response { url: url.to_owned(), ..Response::default() };
        response.headers.push("content-type", "application/json");
        let mut exchange = Exchange {
            id: 1,
            lane: None,
            scenario: String::new(),
            step: String::new(),
            request: Request::get(url),
            sent_ms: 0.0,
            response: Some(response),
            end: End::Complete,
            end_ms: 0.0,
        };
        redactor.exchange(&mut exchange);
        let masked = format!("http://h.example/.well-known/agent-card.json?key={MASK}&user={MASK}");
        assert_eq!(exchange.request.url, masked);
        let response = exchange.response.unwrap();
        assert_eq!((response.url, response.headers.get("content-type")), (masked, Some("application/json")));
    }

    #[test]
    fn a_secret_is_masked_however_it_is_escaped() {
        let redactor = Redactor::default();
        redactor.learn("c\u{e4}n/a\"r y+");
        redactor.learn("100%2");
        for written in [
            "c\u{e4}n/a\"r y+",
            "100%2",
            "100%252",
            r#"c\u00e4n\/a\"r y+"#,
            "c%C3%A4n%2fa%22r%20y%2B",
            "c%25C3%25A4n%252Fa%2522r%2520y%252B",
            "c%c3%a4n/a%22r+y%2b",
            "c%25c3%25a4n/a%2522r%2By%252b",
            "Y8Okbi9hInIgeSs",
        ] {
            assert_eq!(redactor.text(&format!("<%{written}\\>")), format!("<%{MASK}\\>"), "{written}");
        }
        for other in ["", "c", "c\u{e4}n/a\"r y", "c%C3%A4n%2fa%22r%20y%2", "c\\u", "c\\", "%", "%2", "%25", "can"] {
            assert_eq!(redactor.text(other), other);
        }
        // It may be an escape of something else; but the secret stands there, and must not survive.
        assert_eq!(redactor.text("100%25"), format!("{MASK}5"));
        // Text that looks like an escape but is not, characters beyond 16 bits, and JSON as a string of JSON.
        redactor.learn(r"a\\b%2525c");
        redactor.learn("d\"\u{1f600}\t");
        for written in
            [r"a\\b%2525c", r"a\\\\b%252525c", "d\"\u{1f600}\t", r#"d\"\ud83d\uDE00\t"#, r#"d\\\"\\ud83d\\ude00\\t"#]
        {
            assert_eq!(redactor.text(&format!("<{written}>")), format!("<{MASK}>"), "{written}");
        }
        redactor.learn("aab");
        redactor.learn("aaab");
        assert_eq!(redactor.text("aaaabaaab"), format!("a{MASK}{MASK}"));
    }

    #[test]
    fn a_text_of_nothing_but_escapes_is_searched_in_no_time() {
        let redactor = Redactor::default();
        redactor.learn(&format!("{}x", "\\".repeat(40)));
        redactor.learn(&format!("{}x", "%25".repeat(40)));
        let text = "\\".repeat(300) + &"%25".repeat(300);
        assert_eq!(redactor.text(&text), text);
    }

    #[test]
    fn a_password_that_is_a_word_of_the_protocol_changes_nothing_that_an_agent_says() {
        let coded = STANDARD.encode(b"user:agent");
        let redactor = Redactor::for_headers(&[("Authorization".into(), format!("Basic {coded}"))]);
        let body = br#"{"kind":"message","role":"agent"}"#.to_vec();
        assert_eq!(redactor.bytes(body.clone()), body);
        assert_eq!(redactor.bytes(coded.into_bytes()), MASK.as_bytes());
        assert_eq!(redactor.text("/?key=agent"), format!("/?key={MASK}"));
    }

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

    #[test]
    fn what_is_odd_about_a_stream_quotes_no_secret() {
        let secret = "canary-5f0c9";
        let redactor = Redactor::default();
        redactor.learn(secret);
        let (name, value) = (format!("{secret}data"), format!("\"{secret}\""));
        let oddities = vec![Oddity::UnknownField(name), Oddity::BadRetry(value), Oddity::NulInId];
        let mut exchange = Exchange::begun(1, Request::get("http://h/"), 0.0);
        exchange.response = Some(Response { oddities, ..Response::default() });
        redactor.exchange(&mut exchange);
        let masked =
            [Oddity::UnknownField(format!("{MASK}data")), Oddity::BadRetry(format!("\"{MASK}\"")), Oddity::NulInId];
        assert_eq!(exchange.response.unwrap().oddities, masked);
    }
}
