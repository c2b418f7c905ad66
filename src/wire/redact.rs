//! Takes secrets out of an exchange as it is recorded, wherever they stand: which headers are secrets, and how short a secret may
//! be.

use std::cell::RefCell;
use std::rc::Rc;

use super::base64::STANDARD;
use super::exchange::{End, Exchange, Response};
use super::http::Headers;
use super::json_strings::mask_across_texts;
use super::mask::{MASK, replaced};
use super::secret_forms::SecretForms;
use super::sse::Oddity;

/// Header fields whose values are credentials whoever sends them.
const SECRET_HEADERS: [&str; 5] = ["authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key"];

/// Words that agents write themselves: in what they say these are not secrets, and masking them there would change the agent's
/// answer, for which it would be blamed.
const WORDS: &str = " a2a agent agents application artifact artifacts auth authentication basic bearer cancelable \
    canceled cancelled capabilities card code completed config configured content contents context created data date \
    demo description error event events example extended extension extensions failed false file final found grpc \
    history http https image input internal invalid json jsonrpc kind list message messages metadata method modes \
    name not notification notifications null open operation output page params parse part parts password plain protocol \
    provider push reason rejected request required response result role root send server skill skills state status \
    stream streaming string submitted support supported task tasks tenant test text timestamp token true type unknown \
    unspecified unsupported update user users value version working ";

/// The shortest secret that can be taken out of text without tearing the text apart.
pub const SHORTEST_SECRET: usize = 4;

/// How much of a secret is looked for; no header takes more. A longer one is looked for in pieces of this length, so that a text which is
/// like a secret over and over costs no more than its length by a piece.
const LONGEST_SECRET: usize = 64 * 1024;
const LONGEST_PIECE: usize = 256;

/// Replaces the secrets of a run by [`MASK`]. Clones share what they learn.
#[derive(Debug, Clone, Default)]
pub struct Redactor {
    secrets: Rc<RefCell<SecretForms>>,
    /// Those that are masked in addresses and headers only.
    words: Rc<RefCell<SecretForms>>,
    headers: Vec<String>,
}

/// Two are the same if they share what they learn.
impl PartialEq for Redactor {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.secrets, &other.secrets)
    }
}

impl Redactor {
    /// A redactor for these request headers of the user: their values are secrets, and so is the token of a
    /// `Scheme token` value on its own, since an agent may echo just that; of Basic credentials the password too.
    #[must_use]
    pub fn for_headers(fields: &[(String, String)]) -> Self {
        let mut redactor = Self::default();
        for (name, value) in fields {
            redactor.learn_header(name, value);
        }
        redactor
    }

    /// Masks the value of this request header from now on, wherever it stands, and the values of all fields of its name.
    pub fn learn_header(&mut self, name: &str, value: &str) {
        self.mask_header(name);
        self.learn_credentials(value);
        if name.eq_ignore_ascii_case("cookie") {
            value
                .split(';')
                .filter_map(|cookie| cookie.split_once('='))
                .for_each(|(_, value)| self.learn(value.trim()));
        }
    }

    /// Masks the values of all fields of this name from now on.
    pub fn mask_header(&mut self, name: &str) {
        self.headers.push(name.to_ascii_lowercase());
    }

    /// Masks the value of a header from now on, and what of it is a secret by itself.
    pub fn learn_credentials(&self, value: &str) {
        self.learn(value);
        let Some((scheme, token)) = value.split_once(' ') else { return };
        self.learn(token.trim());
        if !scheme.eq_ignore_ascii_case("basic") {
            return;
        }
        let pair = STANDARD.decode(token.trim()).and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default();
        self.learn(&pair);
        if let Some((_, password)) = pair.split_once(':') {
            self.learn(password);
        }
    }

    /// Masks this text from now on, in all the forms that [`SecretForms`] knows and however it is escaped.
    pub fn learn(&self, secret: &str) {
        if secret.len() < SHORTEST_SECRET {
            return;
        }
        // A year is one as well: it stands in every timestamp.
        let is_year = secret.parse().is_ok_and(|year: u16| (1900..2100).contains(&year));
        let is_word = |part: &str| WORDS.contains(&format!(" {} ", part.to_ascii_lowercase()));
        let is_word = is_year || secret.split(['_', '-', '/', '+', '.']).all(is_word);
        let secrets = if is_word { &self.words } else { &self.secrets };
        let secret = secret.as_bytes();
        let secret = secret.get(..LONGEST_SECRET).unwrap_or(secret);
        for start in (0..secret.len()).step_by(LONGEST_PIECE) {
            // The last piece is as long as the others: of few letters it would be in any text.
            let start = start.min(secret.len().saturating_sub(LONGEST_PIECE));
            let piece = secret.get(start..).unwrap_or_default();
            secrets.borrow_mut().add(piece.get(..LONGEST_PIECE).unwrap_or(piece));
        }
    }

    /// The text with every secret masked.
    #[must_use]
    pub fn text(&self, text: &str) -> String {
        // The words last: one of them may be the beginning of a longer secret.
        let bytes = self.bytes(text.as_bytes().to_vec());
        String::from_utf8_lossy(&masked(bytes, &self.words.borrow())).into_owned()
    }

    /// The agent's text, with every secret masked that is not one of its words.
    fn agent_text(&self, text: &str) -> String {
        String::from_utf8_lossy(&self.bytes(text.as_bytes().to_vec())).into_owned()
    }

    /// The bytes of a body with every secret masked that is not one of the words that it may contain anyway.
    #[must_use]
    pub fn bytes(&self, bytes: Vec<u8>) -> Vec<u8> {
        masked(bytes, &self.secrets.borrow())
    }

    /// Masks every secret of an exchange, in place.
    pub fn exchange(&self, exchange: &mut Exchange) {
        self.headers(&mut exchange.request.headers, Self::text);
        exchange.request.url = self.url(&exchange.request.url);
        exchange.request.body = exchange.request.body.take().map(|body| self.bytes(body));
        match &mut exchange.end {
            End::Broken(detail) => *detail = self.text(detail),
            End::NoAnswer(trouble) => trouble.detail = self.text(&trouble.detail),
            _ => {}
        }
        if let Some(response) = &mut exchange.response {
            self.response(response);
        }
    }

    fn response(&self, response: &mut Response) {
        self.headers(&mut response.headers, Self::agent_text);
        response.url = self.url(&response.url);
        let mut documents: Vec<Vec<u8>> =
            response.frames.iter_mut().map(|timed| std::mem::take(&mut timed.frame.data).into_bytes()).collect();
        documents.push(std::mem::take(&mut response.body));
        mask_across_texts(&self.secrets.borrow(), &mut documents);
        response.body = self.bytes(documents.pop().unwrap_or_default());
        if let Some(trailers) = response.grpc.as_mut().and_then(|grpc| grpc.trailers.as_mut()) {
            self.headers(trailers, Self::agent_text);
        }
        for (timed, data) in response.frames.iter_mut().zip(documents) {
            timed.frame.data = String::from_utf8_lossy(&self.bytes(data)).into_owned();
            for text in [&mut timed.frame.event, &mut timed.frame.id].into_iter().flatten() {
                *text = self.agent_text(text);
            }
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
        for (own_name, value) in headers.fields_mut() {
            let name = own_name.to_ascii_lowercase();
            if SECRET_HEADERS.contains(&name.as_str()) || self.headers.contains(&name) {
                // The scheme is not a secret, and a reader wants to see it.
                let scheme = value.split_once(' ').filter(|_| name.ends_with("authorization"));
                *value = scheme.map_or_else(|| MASK.to_owned(), |(scheme, _)| format!("{scheme} {MASK}"));
            } else {
                *own_name = self.agent_text(own_name);
                *value = masked(self, value);
            }
        }
    }
}

/// The bytes with the mask in the place of each of these secrets.
fn masked(bytes: Vec<u8>, secrets: &SecretForms) -> Vec<u8> {
    let places: Vec<_> = secrets.find(&bytes).into_iter().map(|place| (place, MASK)).collect();
    replaced(bytes, &places)
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
        for other in ["", "c", "c\u{e4}n/a\"r y.", "c%C3%A4n%2fa%22r%20y%2.", "c\\u", "c\\", "%", "%2", "%25", "can"] {
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
        let text = "\\".repeat(300) + &"%25".repeat(300) + ".";
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
        let said =
            "TASK_STATE_COMPLETED input-required canceled TASK_NOT_FOUND application/a2a+json 2026-11-28T22:14:21Z";
        for word in [
            "completed",
            "TASK_STATE_COMPLETED",
            "application",
            "input-required",
            "Not_Found",
            "2026",
            "application/json",
        ] {
            redactor.learn(word);
            assert_eq!(redactor.bytes(said.into()), said.as_bytes(), "{word}");
            assert_eq!(redactor.text(&format!("?key={word}")), format!("?key={MASK}"), "{word}");
        }
        // What only looks like words is a secret all the same.
        for secret in ["7654", "AB-CD-EF-GH", "task-5f0c", "-._-", "not-a-b"] {
            redactor.learn(secret);
            assert_eq!(redactor.bytes(secret.into()), MASK.as_bytes(), "{secret}");
        }
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
    fn a_long_secret_is_masked_whole_and_costs_no_more_than_its_pieces() {
        let token: String = (0..5000).map(|number: u32| char::from(b'A' + (number * number % 23) as u8)).collect();
        let redactor = Redactor::default();
        redactor.learn(&token);
        assert_eq!(redactor.text(&format!("x {token} y")), format!("x {MASK} y"));
        // Its last letters alone are in any text.
        for more in 1..4 {
            let redactor = Redactor::default();
            let token = format!("{}{}", "ab".repeat(LONGEST_PIECE), "xyz".get(..more).unwrap());
            redactor.learn(&token);
            assert_eq!(redactor.text("a relaxed xylophone, xyz"), "a relaxed xylophone, xyz");
            assert_eq!(redactor.text(&format!("x {token} y")), format!("x {MASK} y"));
        }
        // It would take minutes if each place were compared with all of it.
        redactor.learn(&"a".repeat(1 << 20));
        assert!(!redactor.text(&"a".repeat(20_000)).contains('a'.to_string().repeat(64).as_str()));
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
