//! An agent that only makes use of what the specification leaves it: nothing may fail for it that does not fail without.
//!
//! It orders members as it likes, adds members that nobody knows, writes JSON with other blanks and escapes, cuts bodies and streams
//! anywhere, ends the lines of streams in every way, spells header fields and media types in another case, has ids of any form, and
//! takes its time.

use std::rc::Rc;

use a2a_conformance::agent::fault::VARIANTS;
use a2a_conformance::engine::options::Options;
use a2a_conformance::engine::verdict::Status;
use a2a_conformance::host::{Clock, PendingResponse, StreamedResponse, Transport};
use a2a_conformance::wire::grpc::{FrameReader, Piece, frame, trailers_frame};
use a2a_conformance::wire::http::{Headers, Request};
use a2a_conformance::wire::sse::{Frame, Item, Limits, Parser};
use futures_util::stream::iter;
use futures_util::{FutureExt, StreamExt};
use serde_json::{Map, Value, json};

use super::agents::{Setting, check, judged_well};
use super::input::Input;
use super::random::Random;

/// Where the agent of each version is.
pub(crate) const VERSIONS: [&str; 4] = ["", "/0.3", "/0.2", "/0.1"];

/// The forms of ids. The specification asks only that they are texts that differ.
const ID_FORMS: [&str; 12] = [
    "",
    "{}",
    "task {}",
    "a/b/{}",
    "ü-{}-€😀",
    "{}?x=1&y=2#z",
    "%2F{}%",
    "\"{}\\",
    "<b>{}</b>",
    "{}:cancel",
    "urn:uuid:{}",
    "{}.",
];

/// A freedom that the agent may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Freedom {
    /// Members stand in any order (RFC 8259 §4).
    Order,
    /// Members that nobody knows (1.0 §5.7).
    Members,
    /// Blanks between tokens (RFC 8259 §2).
    Blanks,
    /// Characters are escaped (RFC 8259 §7).
    Escapes,
    /// Header fields in another case, and more of them (RFC 9110 §5.1).
    Headers,
    /// Media types in another case and with parameters (RFC 9110 §8.3.1; T-RPC-9).
    MediaTypes,
    /// Bodies and streams are cut anywhere.
    Chunks,
    /// Lines of streams end in any way, with comments between them and data in several.
    Lines,
    /// Answers take their time.
    Delays,
    /// Empty lists and objects in place of absent ones.
    Empties,
    /// Errors say for people what they like.
    Texts,
}

const FREEDOMS: [Freedom; 11] = [
    Freedom::Order,
    Freedom::Members,
    Freedom::Blanks,
    Freedom::Escapes,
    Freedom::Headers,
    Freedom::MediaTypes,
    Freedom::Chunks,
    Freedom::Lines,
    Freedom::Delays,
    Freedom::Empties,
    Freedom::Texts,
];

/// The bytes of an input: seed, freedoms, version, variant, form of ids, options.
pub(crate) fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let seed = input.number(4);
    let freedoms = input.number(2);
    let at = *input.pick(&VERSIONS);
    // One that stops answering is no agent to judge.
    let variants: Vec<&str> = VARIANTS.iter().map(|variant| variant.id).filter(|id| *id != "busy").collect();
    let variant = input.below(variants.len() + 4);
    let faults: Vec<&'static str> = variants.get(variant).copied().into_iter().collect();
    let id_form = *input.pick(&ID_FORMS);
    let how = input.byte();
    let options =
        Options { is_thorough: how & 1 != 0, concurrency: if how & 2 != 0 { 1 } else { 8 }, ..Options::default() };
    let change: super::agents::Change = Box::new(move |inner, clock| Rc::new(Lawful { inner, clock, freedoms, seed }));
    let checked = check(Setting { at, faults: faults.clone(), id_form, options, change: Some(change) });
    judged_well(&checked, &[]);
    let failed: Vec<String> = checked
        .results
        .iter()
        .filter(|result| result.verdict.outcome.status() == Status::Fail)
        .map(|result| {
            let (key, verdict) = (result.row.key(), &result.verdict);
            let (level, message) = (result.level, &verdict.message);
            format!(
                "{key} ({level:?}): {message}: {:?} {:?} at {:?}",
                verdict.expected, verdict.actual, verdict.pointer
            )
        })
        .collect();
    let taken: Vec<Freedom> = FREEDOMS.into_iter().filter(|freedom| freedoms & 1 << *freedom as u64 != 0).collect();
    assert!(failed.is_empty(), "{at} {faults:?} ids {id_form:?} {taken:?} {how}:\n{}", failed.join("\n"));
}

/// Changes the answers of an agent within the law.
struct Lawful {
    inner: Rc<dyn Transport>,
    clock: Rc<dyn Clock>,
    freedoms: u64,
    seed: u64,
}

/// How one answer is written.
#[derive(Clone)]
struct Writer {
    freedoms: u64,
    random: Random,
}

impl Transport for Lawful {
    fn send(&self, request: Request) -> PendingResponse {
        let (clock, freedoms, seed) = (Rc::clone(&self.clock), self.freedoms, self.seed);
        let sent = self.inner.send(request.clone());
        async move {
            // What is the same is written the same: a card that changes has another ETag.
            let mut writer = Writer { freedoms, random: Random::of(seed, request.url.as_bytes()) };
            if writer.takes(Freedom::Delays) {
                let ms = *writer.random.pick(&[0.0, 0.0, 1.0, 20.0, 150.0, 700.0]);
                clock.sleep(ms).await;
            }
            let answer = sent.await?;
            Ok(writer.answer(answer, &request, clock).await)
        }
        .boxed_local()
    }
}

impl Writer {
    fn takes(&self, freedom: Freedom) -> bool {
        self.freedoms & 1 << freedom as u64 != 0
    }

    async fn answer(mut self, answer: StreamedResponse, request: &Request, clock: Rc<dyn Clock>) -> StreamedResponse {
        let media_type = answer.head.headers.media_type().unwrap_or_default();
        let StreamedResponse { mut head, body } = answer;
        if self.takes(Freedom::Headers) {
            head.headers = self.headers(&head.headers);
        }
        if self.takes(Freedom::MediaTypes) && !media_type.starts_with("application/grpc") {
            self.media_type(&mut head.headers);
        }
        if media_type == "text/event-stream" {
            let mut parser = Parser::new(Limits::default());
            let mut writer = self;
            let chunks = body.flat_map(move |chunk| match chunk {
                Ok(bytes) => {
                    let text: String = parser.push(&bytes).iter().map(|item| writer.item(item)).collect();
                    let chunks = writer.cut(text.as_bytes());
                    let wait =
                        if writer.takes(Freedom::Delays) { *writer.random.pick(&[0.0, 0.0, 5.0, 90.0]) } else { 0.0 };
                    let clock = Rc::clone(&clock);
                    iter(chunks)
                        .enumerate()
                        .then(move |(number, chunk)| {
                            let sleep = clock.sleep(if number == 0 { wait } else { 0.0 });
                            async move {
                                sleep.await;
                                Ok(chunk)
                            }
                        })
                        .boxed_local()
                }
                Err(problem) => iter([Err(problem)]).boxed_local(),
            });
            return StreamedResponse { head, body: chunks.boxed_local() };
        }
        if media_type.starts_with("application/grpc") {
            let mut reader = FrameReader::default();
            let mut writer = self;
            let chunks = body.flat_map(move |chunk| match chunk {
                Ok(bytes) => {
                    let bytes: Vec<u8> =
                        reader.push(&bytes).into_iter().flat_map(|piece| writer.piece(piece)).collect();
                    iter(writer.cut(&bytes)).map(Ok).boxed_local()
                }
                Err(problem) => iter([Err(problem)]).boxed_local(),
            });
            return StreamedResponse { head, body: chunks.boxed_local() };
        }
        let (_, bytes) = StreamedResponse { head: head.clone(), body }.collected().await;
        let mut bytes = bytes;
        if media_type.ends_with("json")
            && let Ok(mut value) = serde_json::from_slice::<Value>(&bytes)
        {
            if request.url.contains("/.well-known/") {
                self.random = Random::of(self.random.next(), &bytes);
            }
            self.fill(&mut value);
            let mut text = String::new();
            self.write(&value, &mut text, &["", " ", "\n", "\t", "\r\n  "]);
            bytes = text.into_bytes();
        }
        StreamedResponse { head, body: iter(self.cut(&bytes)).map(Ok).boxed_local() }
    }

    fn headers(&mut self, headers: &Headers) -> Headers {
        let more = [("x-request-id", "7"), ("server", "nginx"), ("vary", "Accept, Origin"), ("x-powered-by", "<b>")];
        let mut all: Vec<(String, String)> =
            headers.iter().chain(more).map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        self.random.shuffle(&mut all);
        all.into_iter()
            .map(|(name, value)| {
                let name: String = name
                    .chars()
                    .map(|c| if self.random.once_in(2) { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() })
                    .collect();
                (name, value)
            })
            .collect()
    }

    fn media_type(&mut self, headers: &mut Headers) {
        let Some(media_type) = headers.get("content-type").map(str::to_owned) else { return };
        let with = match self.random.below(6) {
            0 => format!("{media_type}; charset=utf-8"),
            1 => format!("{media_type};charset=\"UTF-8\""),
            2 => media_type.to_ascii_uppercase(),
            3 => media_type.replace("application", "Application").replace("text", "Text"),
            4 => format!("{media_type} ;  charset=utf-8"),
            _ => media_type,
        };
        headers.replace("content-type", with);
    }

    /// The bytes in chunks.
    fn cut(&mut self, bytes: &[u8]) -> Vec<Vec<u8>> {
        if bytes.is_empty() {
            return Vec::new();
        }
        if !self.takes(Freedom::Chunks) {
            return vec![bytes.to_vec()];
        }
        let most = *self.random.pick(&[1_usize, 7, 100, 5000]);
        let mut chunks = Vec::new();
        let mut rest = bytes;
        while !rest.is_empty() {
            let (chunk, behind) = rest.split_at((1 + self.random.below(most)).min(rest.len()));
            chunks.push(chunk.to_vec());
            rest = behind;
        }
        chunks
    }

    /// A piece of gRPC, with a field that nobody knows (T-GRPC-3).
    fn piece(&mut self, piece: Piece) -> Vec<u8> {
        match piece {
            Piece::Message { mut bytes, .. } => {
                if self.takes(Freedom::Members) {
                    // Field 1000, as a number and as text.
                    bytes.extend([0xc0, 0x3e, 0x07, 0xc2, 0x3e, 0x02, b'h', b'i']);
                }
                frame(&bytes)
            }
            Piece::Trailers(trailers) => trailers_frame(&trailers),
        }
    }

    /// An item of a stream as text.
    fn item(&mut self, item: &Item) -> String {
        let frame = match item {
            Item::Event(frame) => frame,
            Item::Comment(text) => return format!(": {text}\n"),
            Item::Odd(_) => return String::new(),
        };
        let mut data = frame.data.clone();
        if let Ok(mut value) = serde_json::from_str::<Value>(&frame.data) {
            self.fill(&mut value);
            data = String::new();
            let blanks: &[&str] = if self.takes(Freedom::Lines) { &["", " ", "\n", "\n  "] } else { &["", " ", "\t"] };
            self.write(&value, &mut data, blanks);
        }
        self.event(frame, &data)
    }

    fn event(&mut self, frame: &Frame, data: &str) -> String {
        if !self.takes(Freedom::Lines) {
            return a2a_conformance::wire::sse::write(&Frame { data: data.to_owned(), ..frame.clone() });
        }
        let mut lines = Vec::new();
        lines.extend(frame.event.iter().map(|name| format!("event: {name}")));
        lines.extend(frame.id.iter().map(|id| format!("id:{id}")));
        if self.random.once_in(5) {
            lines.push("retry: 3000".to_owned());
        }
        if self.random.once_in(5) {
            lines.push("id: 4".to_owned());
        }
        if self.random.once_in(5) {
            lines.push("event: message".to_owned());
        }
        for line in data.split('\n') {
            if self.random.once_in(6) {
                lines.push(": keep-alive".to_owned());
            }
            lines.push(format!("data:{}{line}", self.random.pick(&[" ", ""])));
        }
        if self.random.once_in(4) {
            lines.insert(0, ":".to_owned());
        }
        lines.push(String::new());
        let end = self.random.pick(&["\n", "\r\n", "\r"]);
        lines.iter().map(|line| format!("{line}{end}")).collect()
    }

    /// Adds what an agent may add to a document.
    fn fill(&mut self, value: &mut Value) {
        // A signature is over all members of a card.
        if value.get("signatures").is_some() || value.pointer("/result/signatures").is_some() {
            return;
        }
        if self.takes(Freedom::Texts)
            && let Some(message) = value.pointer_mut("/error/message")
        {
            *message = self
                .random
                .pick(&["no", "Nicht möglich 😀", "{\"code\": 5}", "TASK_STATE_COMPLETED", "a\nb\tc <b>"])
                .to_string()
                .into();
        }
        self.fill_object(value);
    }

    fn fill_object(&mut self, value: &mut Value) {
        match value {
            Value::Array(elements) => elements.iter_mut().for_each(|element| self.fill_object(element)),
            Value::Object(members) => {
                for (name, member) in members.iter_mut() {
                    if !FREE.contains(&name.as_str()) {
                        self.fill_object(member);
                    }
                }
                if self.takes(Freedom::Empties) {
                    empties(members);
                }
                // JSON-RPC 2.0 §5 lists the members of its envelope.
                if self.takes(Freedom::Members) && !members.contains_key("jsonrpc") && !members.contains_key("@type") {
                    for _ in 0..self.random.below(3) {
                        let name = *self.random.pick(&["generation", "futureMember", "xVendor", "annotations", "z"]);
                        let values = [
                            json!(7),
                            json!("text"),
                            json!({"a": {"b": []}}),
                            json!([1, "2", {}]),
                            json!(true),
                            json!(null),
                            json!("2026-13-45T99:99:99"),
                        ];
                        members.insert(name.to_owned(), self.random.pick(&values).clone());
                    }
                }
            }
            _ => {}
        }
    }

    /// Writes a value as JSON.
    fn write(&mut self, value: &Value, out: &mut String, blanks: &[&str]) {
        self.blank(out, blanks);
        match value {
            Value::Object(members) => {
                let mut members: Vec<(&String, &Value)> = members.iter().collect();
                if self.takes(Freedom::Order) {
                    self.random.shuffle(&mut members);
                }
                out.push('{');
                for (number, (name, member)) in members.into_iter().enumerate() {
                    if number > 0 {
                        out.push(',');
                    }
                    self.blank(out, blanks);
                    self.write_text(name, out);
                    self.blank(out, blanks);
                    out.push(':');
                    self.write(member, out, blanks);
                }
                self.blank(out, blanks);
                out.push('}');
            }
            Value::Array(elements) => {
                out.push('[');
                for (number, element) in elements.iter().enumerate() {
                    if number > 0 {
                        out.push(',');
                    }
                    self.write(element, out, blanks);
                }
                self.blank(out, blanks);
                out.push(']');
            }
            Value::String(text) => self.write_text(text, out),
            _ => out.push_str(&value.to_string()),
        }
        self.blank(out, blanks);
    }

    fn blank(&mut self, out: &mut String, blanks: &[&str]) {
        if self.takes(Freedom::Blanks) {
            out.push_str(blanks[self.random.below(blanks.len())]);
        }
    }

    fn write_text(&mut self, text: &str, out: &mut String) {
        if !self.takes(Freedom::Escapes) {
            out.push_str(&Value::from(text).to_string());
            return;
        }
        out.push('"');
        for character in text.chars() {
            if character == '/' && self.random.once_in(2) {
                out.push_str("\\/");
            } else if matches!(character, '"' | '\\' | '\0'..=' ') || self.random.once_in(4) {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    out.push_str(&format!("\\u{unit:04X}"));
                }
            } else {
                out.push(character);
            }
        }
        out.push('"');
    }
}

/// Members whose own members have any name, or that are compared as a whole.
const FREE: [&str; 13] = [
    "metadata",
    "data",
    "params",
    "error",
    "header",
    "security",
    "securitySchemes",
    "securityRequirements",
    "schemes",
    "scopes",
    "flows",
    "extensions",
    "authentication",
];

/// Lists and objects that may be empty as well as absent: always the same, as one agent writes them.
fn empties(members: &mut Map<String, Value>) {
    let has = |name: &str| members.contains_key(name);
    let is_message = has("messageId") && has("parts");
    let is_task = has("id") && has("status");
    let is_artifact = has("artifactId") && has("parts");
    let mut put = |name: &str, value: Value| {
        if !members.contains_key(name) {
            members.insert(name.to_owned(), value);
        }
    };
    if is_message || is_task || is_artifact {
        put("metadata", json!({}));
    }
    if is_message || is_artifact {
        put("extensions", json!([]));
    }
    if is_message {
        put("referenceTaskIds", json!([]));
    }
}

/// Each freedom alone, and all together, in every version; and all together in every variant, thoroughly, with ids of each form.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let variants = (0..20_u8).map(|variant| vec![0, 0, 0, 2, 7, 255, variant / 5, variant, variant, variant % 4]);
    let sets = (0..FREEDOMS.len()).map(|number| 1_u16 << number).chain([0, 0x7ff]);
    sets.flat_map(|set| {
        let [high, low] = set.to_be_bytes();
        (0..4_u8).map(move |version| vec![0, 0, 0, 1, high, low, version, 255, 0, 0])
    })
    .chain(variants)
    .collect()
}
