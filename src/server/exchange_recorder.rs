//! Records what clients send and what they are answered, for whoever judges clients: with credentials masked, and how much of an
//! answer.

use std::cell::{Cell, RefCell};
use std::hash::{BuildHasher, RandomState};
use std::rc::Rc;

use futures_util::StreamExt;
use futures_util::stream::unfold;

use super::situations::Situations;
use crate::a2a::grpc_codec::{GrpcReader, message_of};
use crate::agent::gateway::Gateway;
use crate::agent::{presented_scheme, secret_fields, webhook_secrets};
use crate::host::{Clock, StreamedResponse};
use crate::wire::exchange::{End, Exchange, Response, TimedFrame, TransportError, TransportErrorKind};
use crate::wire::grpc::is_grpc;
use crate::wire::http::{Request, ResponseHead};
use crate::wire::received::ClientRequest;
use crate::wire::redact::Redactor;
use crate::wire::sse::{Frame, Item, Limits, Parser};

/// How many different credentials are remembered for masking.
const MAX_SECRETS: usize = 200;
/// How many bytes of an answer are kept.
const MAX_ANSWER: usize = 4 << 20;

/// Records exchanges and hands each on when it is over. A clone is the same recorder.
#[derive(Clone)]
pub struct ExchangeRecorder(Rc<RecorderState>);

struct RecorderState {
    clock: Rc<dyn Clock>,
    situations: Situations,
    began_ms: f64,
    received: Cell<u32>,
    secrets: RefCell<Vec<(String, String)>>,
    /// By which tokens are told apart without being kept, however many there are.
    tokens: RandomState,
    /// Knows all of them.
    redactor: RefCell<Redactor>,
    /// Those that are not over yet.
    open: RefCell<Vec<Rc<RefCell<Option<OngoingExchange>>>>>,
    note: Box<dyn Fn(ClientRequest)>,
}

struct OngoingExchange {
    exchange: Exchange,
    connection: String,
    scheme: Option<String>,
    webhook_token: Option<u64>,
    framing: AnswerFraming,
    /// The length of the body that the head announces.
    length: Option<usize>,
}

enum AnswerFraming {
    Plain,
    Events(Parser),
    Grpc(GrpcReader),
}

impl ExchangeRecorder {
    /// A recorder by this clock, before an agent that brings its clients into these situations.
    #[must_use]
    pub fn in_situations(clock: Rc<dyn Clock>, situations: Situations, note: impl Fn(ClientRequest) + 'static) -> Self {
        let began_ms = clock.now_ms();
        Self(Rc::new(RecorderState {
            clock,
            situations,
            began_ms,
            received: Cell::default(),
            secrets: RefCell::default(),
            tokens: RandomState::new(),
            redactor: RefCell::default(),
            open: RefCell::default(),
            note: Box::new(note),
        }))
    }

    /// The agent's answer to a request, which is recorded while the client reads it.
    ///
    /// # Errors
    /// As [`Gateway::respond`].
    pub async fn respond(
        &self,
        agent: &Gateway,
        request: Request,
        connection: &str,
    ) -> Result<StreamedResponse, TransportError> {
        let guard = RecordingGuard { recorder: self.clone(), recording: self.begin(&request, connection) };
        match self.0.situations.respond(agent, request, &self.0.clock).await {
            Ok(answer) => {
                guard.update(|recorder, recording| recording.begin_answer(&answer.head, recorder.now_ms()));
                let body = unfold((answer.body, guard), |(mut body, guard)| async move {
                    let chunk = body.next().await;
                    guard.update(|recorder, recording| match &chunk {
                        Some(Ok(bytes)) => recording.push(bytes, recorder.now_ms()),
                        Some(Err(detail)) => recording.exchange.end = End::Broken(detail.clone()),
                        None => recording.finish(recorder.now_ms()),
                    });
                    chunk.map(|chunk| (chunk, (body, guard)))
                });
                Ok(StreamedResponse { head: answer.head, body: body.boxed_local() })
            }
            Err(trouble) => {
                guard.update(|_, recording| recording.exchange.end = End::NoAnswer(trouble.clone()));
                Err(trouble)
            }
        }
    }

    /// Hands on what is not over yet, as far as it came.
    pub fn flush(&self) {
        for recording in self.0.open.take() {
            let Some(mut recording) = recording.take() else { continue };
            if recording.exchange.response.is_none() {
                let detail = "not answered when the watch ended".to_owned();
                let trouble = TransportError { kind: TransportErrorKind::Other, detail };
                recording.exchange.end = End::NoAnswer(trouble);
            } else {
                recording.exchange.end = End::Deadline("the time of the watch".to_owned());
            }
            self.hand_on(recording);
        }
    }

    fn now_ms(&self) -> f64 {
        self.0.clock.now_ms() - self.0.began_ms
    }

    fn begin(&self, request: &Request, connection: &str) -> Rc<RefCell<Option<OngoingExchange>>> {
        let id = self.0.received.get() + 1;
        self.0.received.set(id);
        let recording = OngoingExchange {
            webhook_token: self.learn(request),
            exchange: Exchange::begun(id, readable(request), self.now_ms()),
            connection: connection.to_owned(),
            scheme: presented_scheme(request),
            framing: AnswerFraming::Plain,
            length: None,
        };
        let recording = Rc::new(RefCell::new(Some(recording)));
        self.0.open.borrow_mut().push(Rc::clone(&recording));
        recording
    }

    /// Learns what has to be masked from here on, in whatever request; returns what the token for a webhook is told by.
    fn learn(&self, request: &Request) -> Option<u64> {
        let mut secrets = self.0.secrets.borrow_mut();
        let fields = secret_fields(request);
        let token = fields.iter().rfind(|(name, _)| name == "token").map(|(_, token)| self.0.tokens.hash_one(token));
        for field in fields {
            if secrets.len() < MAX_SECRETS && !secrets.contains(&field) {
                self.0.redactor.borrow_mut().learn_header(&field.0, &field.1);
                secrets.push(field);
            }
        }
        token
    }

    fn hand_on(&self, recording: OngoingExchange) {
        let OngoingExchange { mut exchange, connection, scheme, webhook_token, .. } = recording;
        exchange.end_ms = self.now_ms();
        // However many there were before: those that stand in this exchange, also in the answer that shows a config.
        let response = exchange.response.as_ref();
        let answered = response.map(|response| response.body.as_slice()).into_iter();
        let answered = answered
            .chain(response.iter().flat_map(|response| &response.frames).map(|frame| frame.frame.data.as_bytes()));
        let all = exchange.request.body.as_deref().into_iter().chain(answered);
        let own: Vec<_> = all.flat_map(webhook_secrets).collect();
        if !own.is_empty() {
            Redactor::for_headers(&own).exchange(&mut exchange);
        }
        self.0.redactor.borrow().exchange(&mut exchange);
        (self.0.note)(ClientRequest { exchange: Rc::new(exchange), connection, scheme, webhook_token });
    }
}

/// Hands a recording on when the answer is over, or when the client has hung up.
struct RecordingGuard {
    recorder: ExchangeRecorder,
    recording: Rc<RefCell<Option<OngoingExchange>>>,
}

impl RecordingGuard {
    fn update(&self, change: impl FnOnce(&ExchangeRecorder, &mut OngoingExchange)) {
        if let Some(recording) = self.recording.borrow_mut().as_mut() {
            change(&self.recorder, recording);
        }
    }
}

impl Drop for RecordingGuard {
    fn drop(&mut self) {
        self.recorder.0.open.borrow_mut().retain(|open| !Rc::ptr_eq(open, &self.recording));
        let Some(mut recording) = self.recording.take() else { return };
        // A server stops reading a body when its announced length is reached.
        let bytes = recording.exchange.response.as_ref().map_or(0, |response| response.bytes);
        if recording.exchange.end == End::HungUp && recording.length.is_some_and(|length| bytes >= length) {
            recording.exchange.end = End::Complete;
        }
        self.recorder.hand_on(recording);
    }
}

impl OngoingExchange {
    fn begin_answer(&mut self, head: &ResponseHead, now_ms: f64) {
        let mut headers = head.headers.clone();
        self.length = headers.get("content-length").and_then(|length| length.parse().ok());
        let mut response = Response { status: head.status, head_ms: now_ms, ..Response::default() };
        if is_grpc(&headers) {
            let (reader, answer) = GrpcReader::new(&self.exchange.request.url, &mut headers);
            self.framing = AnswerFraming::Grpc(reader);
            response.grpc = Some(Box::new(answer));
        }
        response.headers = headers;
        if response.is_sse() {
            self.framing = AnswerFraming::Events(Parser::new(Limits::default()));
        }
        response.url.clone_from(&self.exchange.request.url);
        self.exchange.response = Some(response);
    }

    fn push(&mut self, bytes: &[u8], at_ms: f64) {
        let Some(response) = &mut self.exchange.response else { return };
        response.bytes += bytes.len();
        if response.bytes > MAX_ANSWER {
            return;
        }
        match &mut self.framing {
            AnswerFraming::Plain => response.body.extend_from_slice(bytes),
            AnswerFraming::Events(parser) => add_events(response, parser.push(bytes), at_ms),
            AnswerFraming::Grpc(reader) => {
                let Some(mut grpc) = response.grpc.take() else { return };
                for message in reader.push(bytes, &mut grpc) {
                    if grpc.streams {
                        let frame = Frame { data: message, ..Frame::default() };
                        response.frames.push(TimedFrame { at_ms, frame });
                    } else {
                        response.body = message.into_bytes();
                    }
                }
                response.grpc = Some(grpc);
            }
        }
    }

    fn finish(&mut self, at_ms: f64) {
        if let (AnswerFraming::Events(parser), Some(response)) =
            (std::mem::replace(&mut self.framing, AnswerFraming::Plain), &mut self.exchange.response)
        {
            add_events(response, parser.finish(), at_ms);
        }
        if self.exchange.end == End::HungUp {
            self.exchange.end = End::Complete;
        }
    }
}

fn add_events(response: &mut Response, items: Vec<Item>, at_ms: f64) {
    for item in items {
        match item {
            Item::Event(frame) => response.frames.push(TimedFrame { at_ms, frame }),
            Item::Comment(_) => response.comments += 1,
            Item::Odd(oddity) => response.oddities.push(oddity),
        }
    }
}

/// The request with its message over gRPC as JSON, and any other as it is.
fn readable(request: &Request) -> Request {
    let mut request = request.clone();
    if is_grpc(&request.headers) {
        request.body = message_of(&request).map(|message| message.value.to_string().into_bytes());
    }
    request
}
