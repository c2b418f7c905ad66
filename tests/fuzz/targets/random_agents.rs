//! An agent that answers at random: answers of the scripted agent with members dropped, renamed, of other types and from other answers,
//! with other statuses, cut, repeated, late, or broken off. It also sends back the credentials that it got.

use std::cell::RefCell;
use std::rc::Rc;

use a2a_conformance::agent::fault::{FAULTS, VARIANTS};
use a2a_conformance::engine::options::Options;
use a2a_conformance::host::{Clock, PendingResponse, StreamedResponse, Transport};
use a2a_conformance::wire::base64::STANDARD;
use a2a_conformance::wire::exchange::{TransportError, TransportErrorKind};
use a2a_conformance::wire::http::{Headers, Request};
use a2a_conformance::wire::sse::{Item, Limits, Parser, write};
use futures_util::stream::{iter, pending};
use futures_util::{FutureExt, StreamExt};
use serde_json::{Value, json};

use super::agents::{Setting, check, judged_well};
use super::input::Input;
use super::lawful::VERSIONS;
use super::random::Random;

/// What the agent is sent, and what must be nowhere afterwards.
const SECRET: &str = "tOp/s3cr3t \"kEy\"+%41Q";

/// How many values of earlier answers are kept to be spliced into later ones.
const KEPT: usize = 64;

/// The bytes of an input: seed, how often answers are changed, version, variants and faults, options, kinds of change.
pub(crate) fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let seed = input.number(4);
    let once_in = [1, 2, 5, 20, 100][input.below(5)];
    let at = *input.pick(&VERSIONS);
    let mut faults = Vec::new();
    if let Some(variant) = VARIANTS.get(input.below(VARIANTS.len() + 6)) {
        faults.push(variant.id);
    }
    let fault = input.number(2) as usize % (FAULTS.len() * 2);
    faults.extend(FAULTS.get(fault).map(|fault| fault.id));
    let how = input.byte();
    let kinds = input.number(2);
    let options = Options {
        is_thorough: how & 1 != 0,
        concurrency: if how & 2 != 0 { 1 } else { 8 },
        headers: vec![("X-Key".to_owned(), SECRET.to_owned())],
        ..Options::default()
    };
    let change: super::agents::Change = Box::new(move |inner, clock| {
        let random = RefCell::new(Random::new(seed));
        Rc::new(RandomAgent { inner, clock, once_in, kinds, random, kept: Rc::default() })
    });
    let checked = check(Setting { at, faults, options, change: Some(change), ..Setting::default() });
    judged_well(&checked, &[SECRET, &STANDARD.encode(SECRET.as_bytes()), "tOp/s3cr3t", "tOp\\/s3cr3t"]);
}

struct RandomAgent {
    inner: Rc<dyn Transport>,
    clock: Rc<dyn Clock>,
    /// How often an answer is changed.
    once_in: usize,
    /// Which kinds of change are not made.
    kinds: u64,
    random: RefCell<Random>,
    kept: Rc<RefCell<Vec<Value>>>,
}

/// Changes one answer.
struct Changer {
    random: Random,
    kinds: u64,
    kept: Rc<RefCell<Vec<Value>>>,
}

impl Transport for RandomAgent {
    fn send(&self, request: Request) -> PendingResponse {
        let (clock, sent) = (Rc::clone(&self.clock), self.inner.send(request));
        let mut random = self.random.borrow_mut();
        let is_changed = random.once_in(self.once_in);
        let mut changer =
            Changer { random: Random::new(random.next()), kinds: self.kinds, kept: Rc::clone(&self.kept) };
        async move {
            if !is_changed {
                return sent.await;
            }
            if changer.may(0) {
                let ms = *changer.random.pick(&[1.0, 10.0, 300.0, 4_000.0, 44_000.0, 46_000.0, 1e9]);
                clock.sleep(ms).await;
            }
            if changer.may(1) {
                return Err(changer.trouble());
            }
            let answer = sent.await?;
            Ok(changer.answer(answer, clock).await)
        }
        .boxed_local()
    }
}

impl Changer {
    /// Whether a change of that kind is made here.
    fn may(&mut self, kind: usize) -> bool {
        self.kinds & 1 << kind == 0 && self.random.once_in(8)
    }

    fn trouble(&mut self) -> TransportError {
        let kinds = [
            TransportErrorKind::Opaque,
            TransportErrorKind::BadUrl,
            TransportErrorKind::Unreachable,
            TransportErrorKind::Tls,
            TransportErrorKind::Closed,
            TransportErrorKind::Redirect,
            TransportErrorKind::Other,
        ];
        TransportError { kind: *self.random.pick(&kinds), detail: self.text() }
    }

    async fn answer(mut self, answer: StreamedResponse, clock: Rc<dyn Clock>) -> StreamedResponse {
        let StreamedResponse { mut head, body } = answer;
        let is_stream = head.headers.media_type().as_deref() == Some("text/event-stream");
        if self.may(2) {
            let statuses = [
                100, 200, 201, 202, 204, 206, 301, 304, 307, 400, 401, 403, 404, 405, 406, 408, 409, 413, 415, 418,
                421, 422, 425, 429, 500, 501, 502, 503, 504, 599, 999,
            ];
            head.status = *self.random.pick(&statuses);
        }
        if self.may(3) {
            self.headers(&mut head.headers);
        }
        if self.may(4) {
            head.redirected = true;
            head.url = self.text();
        }
        if is_stream {
            let mut parser = Parser::new(Limits::default());
            let chunks = body.flat_map(move |chunk| {
                let items = chunk.map(|bytes| parser.push(&bytes)).unwrap_or_default();
                let mut text: Vec<u8> = items.iter().flat_map(|item| self.item(item)).collect();
                if self.may(5) {
                    self.spoil(&mut text);
                }
                let mut chunks = vec![Ok(text)];
                if self.may(6) && self.random.once_in(4) {
                    chunks.push(Err("reset by peer".to_owned()));
                }
                let wait = if self.may(7) { *self.random.pick(&[1.0, 500.0, 10_000.0, 46_000.0]) } else { 0.0 };
                let clock = Rc::clone(&clock);
                let chunks = iter(chunks).then(move |chunk| {
                    let sleep = clock.sleep(wait);
                    async move {
                        sleep.await;
                        chunk
                    }
                });
                if self.may(8) && self.random.once_in(8) {
                    chunks.chain(pending()).boxed_local()
                } else {
                    chunks.boxed_local()
                }
            });
            return StreamedResponse { head, body: chunks.boxed_local() };
        }
        let (_, mut bytes) = StreamedResponse { head: head.clone(), body }.collected().await;
        if let Ok(mut value) = serde_json::from_slice::<Value>(&bytes) {
            self.change(&mut value);
            bytes = value.to_string().into_bytes();
        }
        if self.may(9) {
            self.spoil(&mut bytes);
        }
        let mut chunks = vec![Ok(bytes)];
        if self.may(10) {
            chunks.push(Err(self.text()));
        }
        let body = iter(chunks);
        let body = if self.may(11) { body.chain(pending()).boxed_local() } else { body.boxed_local() };
        StreamedResponse { head, body }
    }

    fn headers(&mut self, headers: &mut Headers) {
        let names = [
            "content-type",
            "location",
            "retry-after",
            "www-authenticate",
            "link",
            "etag",
            "cache-control",
            "a2a-version",
            "date",
            "a2a-extensions",
            "grpc-status",
            "grpc-message",
            "grpc-status-details-bin",
            "access-control-allow-origin",
            "age",
            "content-length",
            "set-cookie",
            "content-encoding",
            "x-key",
        ];
        let name = *self.random.pick(&names);
        let values = [
            "text/html",
            "application/json",
            "text/event-stream",
            "application/grpc+proto",
            "0",
            "99999999999999999999",
            "-1",
            "",
            "Bearer error=\"invalid_token\", scope=\"a b\"",
            "<https://a.test/>; rel=\"jwks\"",
            "max-age=1e9, ,=",
            "1.0",
            "//",
            "Sun, 06 Nov 1994 08:49:37 GMT",
            "javascript:alert(1)",
        ];
        match self.random.below(4) {
            0 => headers.remove(name),
            1 => headers.push(name, self.text()),
            _ => headers.replace(name, *self.random.pick(&values)),
        }
    }

    /// An item of a stream: changed, left out, or several times.
    fn item(&mut self, item: &Item) -> Vec<u8> {
        let Item::Event(frame) = item else { return b": hi\n".to_vec() };
        let mut frame = frame.clone();
        if self.may(12)
            && let Ok(mut value) = serde_json::from_str::<Value>(&frame.data)
        {
            self.change(&mut value);
            frame.data = value.to_string();
        }
        let times = match self.random.below(40) {
            0 => 0,
            1 => 2,
            2 if self.kinds & 1 << 12 == 0 => 200,
            _ => 1,
        };
        write(&frame).repeat(times).into_bytes()
    }

    /// Bytes that are cut, repeated, or others.
    fn spoil(&mut self, bytes: &mut Vec<u8>) {
        let at = self.random.below(bytes.len() + 1);
        match self.random.below(7) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(..at)),
            2 => bytes.insert(at, self.random.next() as u8),
            3 => bytes.extend_from_within(at..),
            4 => bytes.splice(at..at, self.text().into_bytes()).for_each(drop),
            5 => *bytes = "[".repeat(100_000).into_bytes(),
            _ => *bytes = self.text().into_bytes(),
        }
    }

    /// A text as an attacker, or a careless author, may write it.
    fn text(&mut self) -> String {
        let texts = [
            "",
            " ",
            "\0",
            "\u{1b}[31m\u{202e}\u{9b}",
            "</script><script>alert(1)</script>",
            "`|\n# <img src=x onerror=alert(1)>\r\n::error::x",
            "TASK_STATE_COMPLETED",
            "completed",
            "ROLE_AGENT",
            "1.0",
            "https://[::1]:65536/",
            "http://169.254.169.254/",
            "file:///etc/passwd",
            "2026-02-30T25:61:61Z",
            "9999-12-31T23:59:59.999999999-23:59",
            "....//",
            "\u{fffd}\u{feff}é😀",
        ];
        match self.random.below(12) {
            0 => SECRET.to_owned(),
            1 => STANDARD.encode(SECRET.as_bytes()),
            2 => Value::from(SECRET).to_string(),
            3 => SECRET.bytes().map(|byte| format!("%{byte:02X}")).collect(),
            4 => self.random.pick(&texts).repeat(1 + self.random.below(3000)),
            _ => (*self.random.pick(&texts)).to_owned(),
        }
    }

    /// Any value: one of an earlier answer, or one that nobody expects.
    fn value(&mut self) -> Value {
        let kept = self.kept.borrow();
        if !kept.is_empty() && self.random.once_in(3) {
            return self.random.pick(&kept).clone();
        }
        drop(kept);
        match self.random.below(14) {
            0 => Value::Null,
            1 => json!(true),
            2 => json!([]),
            3 => json!({}),
            4 => json!(i64::MIN),
            5 => json!(u64::MAX),
            6 => json!(1e308),
            7 => json!(-0.5),
            8 => json!(0),
            9 => (0..120)
                .fold(json!(1), |inner, number| if number % 2 == 0 { json!([inner]) } else { json!({"a": inner}) }),
            10 => json!({"": {"a/b~c": [null]}}),
            _ => self.text().into(),
        }
    }

    /// Changes a few places of a document.
    fn change(&mut self, document: &mut Value) {
        for _ in 0..1 + self.random.below(3) {
            let depth = self.random.below(7);
            self.change_at(document, depth);
        }
        let mut kept = self.kept.borrow_mut();
        let value = document.clone();
        if kept.len() < KEPT {
            kept.push(value);
        } else {
            let at = self.random.below(KEPT);
            kept[at] = value;
        }
    }

    fn change_at(&mut self, value: &mut Value, depth: usize) {
        let is_here = depth == 0 || self.random.once_in(12);
        match value {
            Value::Object(members) if !is_here && !members.is_empty() => {
                let at = self.random.below(members.len());
                if let Some(member) = members.values_mut().nth(at) {
                    self.change_at(member, depth - 1);
                }
            }
            Value::Array(elements) if !is_here && !elements.is_empty() => {
                let at = self.random.below(elements.len());
                self.change_at(&mut elements[at], depth - 1);
            }
            Value::Object(members) if !members.is_empty() && !self.random.once_in(5) => {
                let at = self.random.below(members.len());
                let name = members.keys().nth(at).cloned().unwrap_or_default();
                match self.random.below(4) {
                    0 => drop(members.shift_remove(&name)),
                    1 => drop(members.insert(name, self.value())),
                    2 => {
                        let member = members.shift_remove(&name).unwrap_or_default();
                        let names =
                            ["kind", "id", "task", "message", "status", "parts", "result", "error", "final", "url"];
                        let renamed =
                            if self.random.once_in(2) { self.random.pick(&names).to_string() } else { self.text() };
                        members.insert(renamed, member);
                    }
                    _ => drop(members.insert(self.text(), self.value())),
                }
            }
            Value::Array(elements) if !elements.is_empty() && !self.random.once_in(5) => match self.random.below(4) {
                0 => drop(elements.pop()),
                1 => self.random.shuffle(elements),
                2 => {
                    let times = *self.random.pick(&[1, 2, 40]);
                    let again: Vec<Value> = elements.iter().take(20).cycle().take(20 * times).cloned().collect();
                    elements.extend(again);
                }
                _ => elements.push(self.value()),
            },
            value => *value = self.value(),
        }
    }
}

/// Each version, changed seldom and always.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    (0..40_u8)
        .map(|number| vec![0, 0, 0, number, number % 5, number / 5 % 4, 255, 255, 255, number % 4, 0, 0])
        .collect()
}
