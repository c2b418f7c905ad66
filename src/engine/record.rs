//! Sends requests and puts what happens on the record: timed, bounded, redacted. The only place that talks to a host.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use futures_util::StreamExt;
use futures_util::future::{Either, select};

use super::event::{Event, Tally};
use crate::host::{Answer, Host};
use crate::wire::exchange::{End, Exchange, Response, TimedFrame};
use crate::wire::http::Request;
use crate::wire::json::{Value, parse};
use crate::wire::redact::Redactor;
use crate::wire::sse::{Frame, Item, Limits, Parser};

/// The longest body that is read to its end.
pub const MAX_BODY: usize = 5 * 1024 * 1024;
/// The most events of a stream that are read.
pub const MAX_EVENTS: usize = 2000;
/// The longest stream that is read.
pub const MAX_STREAM: usize = 16 * 1024 * 1024;

/// What a run shares: its host, the record and where events go.
pub struct Session {
    /// The ports.
    pub host: Host,
    /// When the run began, by the host's clock.
    started_ms: f64,
    redactor: Redactor,
    emit: Rc<dyn Fn(Event)>,
    next_exchange: Cell<u32>,
    next_number: Cell<i64>,
    /// The counts so far.
    pub tally: RefCell<Tally>,
}

/// Where a request belongs.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// The lane's id.
    pub lane: Option<&'a str>,
    /// The scenario.
    pub scenario: &'static str,
    /// The step.
    pub step: &'static str,
}

/// Whether to go on reading a stream.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Flow {
    /// Read on.
    Continue,
    /// Enough was seen.
    HangUp,
    /// The stream should end by itself within so many milliseconds; then hang up.
    Grace(f64),
}

impl Session {
    /// Begins a run.
    #[must_use]
    pub fn new(host: Host, redactor: Redactor, emit: Rc<dyn Fn(Event)>) -> Self {
        let started_ms = host.clock.now_ms();
        Self {
            host,
            started_ms,
            redactor,
            emit,
            next_exchange: Cell::new(1),
            next_number: Cell::new(1),
            tally: RefCell::default(),
        }
    }

    /// Tells everybody.
    pub fn emit(&self, event: Event) {
        (self.emit)(event);
    }

    /// A text without the secrets of the run.
    #[must_use]
    pub fn mask(&self, text: &str) -> String {
        self.redactor.text(text)
    }

    /// Milliseconds since the run began.
    #[must_use]
    pub fn now_ms(&self) -> f64 {
        self.host.clock.now_ms() - self.started_ms
    }

    /// A number that no request of this run had before.
    #[must_use]
    pub fn fresh_number(&self) -> i64 {
        let number = self.next_number.get();
        self.next_number.set(number + 1);
        number
    }

    /// The record of a request that was never sent.
    #[must_use]
    pub fn unsent(&self, place: Place<'_>) -> Rc<Exchange> {
        Rc::new(self.blank(0, place, Request::get("")))
    }

    fn blank(&self, id: u32, place: Place<'_>, request: Request) -> Exchange {
        Exchange {
            id,
            lane: place.lane.map(str::to_owned),
            scenario: place.scenario.to_owned(),
            step: place.step.to_owned(),
            request,
            sent_ms: self.now_ms(),
            response: None,
            end: End::Deadline,
            end_ms: 0.0,
        }
    }

    /// Sends a request and reads the answer until it ends, `watch` has seen enough, or the deadline (milliseconds since
    /// the run began) passes. The exchange is on the record when this returns.
    pub async fn exchange(
        &self,
        place: Place<'_>,
        request: Request,
        deadline_ms: f64,
        watch: &mut dyn FnMut(&Frame) -> Flow,
    ) -> Rc<Exchange> {
        let exchange = self.unmasked(place, request, deadline_ms, watch).await;
        self.publish(exchange)
    }

    /// Asks for a token: answers the document as it came, after everything in it that opens a door was made a secret.
    pub async fn token(&self, place: Place<'_>, request: Request, deadline_ms: f64) -> (Rc<Exchange>, Value) {
        let exchange = self.unmasked(place, request, deadline_ms, &mut |_| Flow::Continue).await;
        let body = exchange.response.as_ref().map(|response| response.body.as_slice()).unwrap_or_default();
        let document = parse(body).value.unwrap_or_default();
        for name in ["access_token", "refresh_token", "id_token", "device_code"] {
            self.redactor.learn(document.get(name).and_then(Value::as_str).unwrap_or_default());
        }
        (self.publish(exchange), document)
    }

    /// Puts an exchange on the record, without its secrets.
    fn publish(&self, mut exchange: Exchange) -> Rc<Exchange> {
        self.redactor.exchange(&mut exchange);
        let exchange = Rc::new(exchange);
        self.emit(Event::Exchanged(Rc::clone(&exchange)));
        exchange
    }

    async fn unmasked(
        &self,
        place: Place<'_>,
        request: Request,
        deadline_ms: f64,
        watch: &mut dyn FnMut(&Frame) -> Flow,
    ) -> Exchange {
        let id = self.next_exchange.get();
        self.next_exchange.set(id + 1);
        let mut exchange = self.blank(id, place, request.clone());
        let left = deadline_ms - exchange.sent_ms;
        if left > 0.0 {
            match select(self.host.transport.send(request), self.host.clock.sleep(left)).await {
                Either::Left((Ok(answer), _)) => {
                    let mut response = Response {
                        status: answer.head.status,
                        headers: answer.head.headers.clone(),
                        url: answer.head.url.clone(),
                        redirected: answer.head.redirected,
                        head_ms: self.now_ms(),
                        ..Response::default()
                    };
                    exchange.end = self.read(answer, &mut response, deadline_ms, watch).await;
                    exchange.response = Some(response);
                }
                Either::Left((Err(trouble), _)) => exchange.end = End::NoAnswer(trouble),
                Either::Right(_) => exchange.end = End::Deadline,
            }
        }
        exchange.end_ms = self.now_ms();
        exchange
    }

    async fn read(
        &self,
        answer: Answer,
        response: &mut Response,
        deadline_ms: f64,
        watch: &mut dyn FnMut(&Frame) -> Flow,
    ) -> End {
        let mut parser = response.is_event_stream().then(|| Parser::new(Limits::default()));
        let mut body = answer.body;
        let mut until_ms = deadline_ms;
        let mut graced = false;
        loop {
            let left = until_ms - self.now_ms();
            let over = if graced { End::HungUp } else { End::Deadline };
            if left <= 0.0 {
                return over;
            }
            let chunk = match select(body.next(), self.host.clock.sleep(left)).await {
                Either::Left((Some(Ok(chunk)), _)) => chunk,
                Either::Left((Some(Err(detail)), _)) => return End::Broken(detail),
                Either::Left((None, _)) => {
                    if let Some(parser) = parser.take() {
                        let at_ms = self.now_ms();
                        keep(parser.finish(), response, at_ms, &mut |_| Flow::Continue);
                    }
                    return End::Complete;
                }
                Either::Right(_) => return over,
            };
            response.bytes += chunk.len();
            let Some(parser) = &mut parser else {
                let room = MAX_BODY.saturating_sub(response.body.len());
                response.body.extend(chunk.iter().take(room));
                if response.bytes > MAX_BODY {
                    return End::TooLarge;
                }
                continue;
            };
            let at_ms = self.now_ms();
            match keep(parser.push(&chunk), response, at_ms, watch) {
                Flow::Continue => {}
                Flow::HangUp => return End::HungUp,
                Flow::Grace(ms) => {
                    if !graced {
                        until_ms = (at_ms + ms).min(deadline_ms);
                        graced = true;
                    }
                }
            }
            if response.frames.len() >= MAX_EVENTS || response.bytes >= MAX_STREAM {
                return End::TooLarge;
            }
        }
    }
}

/// Puts parsed items on the record; answers what the last word of `watch` was.
fn keep(items: Vec<Item>, response: &mut Response, at_ms: f64, watch: &mut dyn FnMut(&Frame) -> Flow) -> Flow {
    let mut flow = Flow::Continue;
    for item in items {
        match item {
            Item::Event(frame) => {
                if response.frames.len() < MAX_EVENTS && flow != Flow::HangUp {
                    match watch(&frame) {
                        Flow::Continue => {}
                        said => flow = said,
                    }
                    response.frames.push(TimedFrame { at_ms, frame });
                }
            }
            Item::Comment(_) => response.comments += 1,
            Item::Odd(oddity) => response.oddities.push(oddity),
        }
    }
    flow
}
