//! Sends requests and puts what happens on the record: timed, bounded, redacted. The only place that talks to a host.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use futures_util::StreamExt;
use futures_util::future::{Either, select};

use super::credentials;
use super::event::{Event, Tally};
use super::options::{Options, Timeouts, span};
use crate::host::{Host, StreamedResponse};
use crate::wire::exchange::{End, Exchange, Response, TimedFrame};
use crate::wire::http::Request;
use crate::wire::json::{Value, parse};
use crate::wire::redact::Redactor;
use crate::wire::sse::{Frame, Item, Limits, Parser};

const MB: usize = 1024 * 1024;
/// The longest body that is read to its end.
pub const MAX_BODY: usize = 5 * MB;
/// The most events of a stream that are read.
pub const MAX_EVENTS: usize = 2000;
/// The longest stream that is read.
pub const MAX_STREAM: usize = 8 * MB;
/// The most that one answer may weigh. Values weigh far more than their text: a body of nothing but tiny objects costs a
/// hundred times its length.
pub const MAX_WEIGHT: usize = 24 * MB;
/// What all answers of a run may weigh together; then it ends.
pub const MAX_KEPT: usize = 64 * MB;
/// How much is kept of the events of a stream that was too long.
const MAX_BEGINNING: usize = 256 * 1024;
/// How much is kept of a body that was too long, and read of an answer that is under way when the run has all it can hold.
pub const MAX_HEAD: usize = 64 * 1024;

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
    scenario_ms: f64,
    timeouts: Timeouts,
    /// What the answers on the record weigh.
    kept: Cell<usize>,
    /// Everything that was exchanged, in the order in which it ended.
    exchanges: RefCell<Vec<Rc<Exchange>>>,
}

/// Where a request belongs.
#[derive(Debug, Clone, Copy)]
pub struct RequestLabel<'a> {
    /// The lane's id.
    pub lane: Option<&'a str>,
    /// The scenario.
    pub scenario: &'static str,
    /// The step.
    pub step: &'static str,
}

/// Whether to go on reading a stream.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StreamControl {
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
    pub fn new(host: Host, options: &Options, emit: Rc<dyn Fn(Event)>) -> Self {
        let started_ms = host.clock.now_ms();
        Self {
            host,
            started_ms,
            redactor: credentials::redactor(options),
            emit,
            next_exchange: Cell::new(1),
            next_number: Cell::new(1),
            tally: RefCell::default(),
            scenario_ms: options.timeout_ms,
            timeouts: options.timeouts,
            kept: Cell::new(0),
            exchanges: RefCell::default(),
        }
    }

    /// When a scenario that begins now has to end: its own time, within the run's.
    #[must_use]
    pub fn deadline_ms(&self) -> f64 {
        (self.now_ms() + self.scenario_ms).min(self.timeouts.run_ms)
    }

    /// Why nothing new is begun, once the time of the whole run is over.
    #[must_use]
    pub fn over(&self) -> Option<String> {
        if self.kept.get() >= MAX_KEPT {
            return Some(FULL.to_owned());
        }
        (self.now_ms() >= self.timeouts.run_ms)
            .then(|| format!("the run reached its limit of {}", span(self.timeouts.run_ms)))
    }

    /// Everything that was exchanged so far.
    #[must_use]
    pub fn exchanges(&self) -> Vec<Rc<Exchange>> {
        self.exchanges.borrow().clone()
    }

    /// The end of a scenario, or of the run, in words.
    fn by_deadline(&self, deadline_ms: f64) -> String {
        if deadline_ms >= self.timeouts.run_ms {
            return format!("the {} allowed for the whole run", span(self.timeouts.run_ms));
        }
        format!("the {} allowed for its scenario", span(self.scenario_ms))
    }

    /// Until when the beginning of an answer is waited for, and the whole of one that is no stream.
    fn first_wait(&self, place: RequestLabel<'_>, request: &Request, sent_ms: f64) -> WaitLimit {
        let streams = request.headers.get("accept").is_some_and(|accept| accept.contains("text/event-stream"));
        let (ms, what) = match place.lane {
            None if place.scenario == credentials::CREDENTIALS => (self.timeouts.reach_ms, "for a token"),
            None => (self.timeouts.reach_ms, "for the card"),
            Some(_) if streams => (self.timeouts.first_event_ms, "for the first event"),
            Some(_) => (self.timeouts.answer_ms, "for an answer"),
        };
        WaitLimit { until_ms: sent_ms + ms, ms, what }
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
    pub fn unsent(&self, place: RequestLabel<'_>) -> Rc<Exchange> {
        Rc::new(self.blank(0, place, Request::get("")))
    }

    fn blank(&self, id: u32, place: RequestLabel<'_>, request: Request) -> Exchange {
        Exchange {
            id,
            lane: place.lane.map(str::to_owned),
            scenario: place.scenario.to_owned(),
            step: place.step.to_owned(),
            request,
            sent_ms: self.now_ms(),
            response: None,
            end: End::Complete,
            end_ms: 0.0,
        }
    }

    /// Sends a request and reads the answer until it ends, `watch` has seen enough, or the deadline (milliseconds since
    /// the run began) passes. The exchange is on the record when this returns.
    pub async fn exchange(
        &self,
        place: RequestLabel<'_>,
        request: Request,
        deadline_ms: f64,
        watch: &mut dyn FnMut(&Frame) -> StreamControl,
    ) -> Rc<Exchange> {
        let exchange = self.unmasked(place, request, deadline_ms, watch).await;
        self.publish(exchange)
    }

    /// Asks for a token: answers the document as it came, after everything in it that opens a door was made a secret.
    pub async fn token(&self, place: RequestLabel<'_>, request: Request, deadline_ms: f64) -> (Rc<Exchange>, Value) {
        let exchange = self.unmasked(place, request, deadline_ms, &mut |_| StreamControl::Continue).await;
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
        self.exchanges.borrow_mut().push(Rc::clone(&exchange));
        self.emit(Event::Exchanged(Rc::clone(&exchange)));
        exchange
    }

    async fn unmasked(
        &self,
        place: RequestLabel<'_>,
        request: Request,
        deadline_ms: f64,
        watch: &mut dyn FnMut(&Frame) -> StreamControl,
    ) -> Exchange {
        let id = self.next_exchange.get();
        self.next_exchange.set(id + 1);
        let mut exchange = self.blank(id, place, request.clone());
        let mut wait = self.first_wait(place, &request, exchange.sent_ms);
        let left = wait.until_ms.min(deadline_ms) - exchange.sent_ms;
        exchange.end = End::Deadline(self.by_deadline(deadline_ms));
        if left > 0.0 {
            match select(self.host.transport.send(request), self.host.clock.sleep(left)).await {
                Either::Left((Ok(answer), _)) => {
                    for (name, value) in answer.head.headers.iter() {
                        self.hold(name.as_bytes());
                        self.hold(value.as_bytes());
                    }
                    let mut response = Response {
                        status: answer.head.status,
                        headers: answer.head.headers.clone(),
                        url: answer.head.url.clone(),
                        redirected: answer.head.redirected,
                        head_ms: self.now_ms(),
                        ..Response::default()
                    };
                    if response.is_event_stream() && place.lane.is_some() {
                        let ms = self.timeouts.first_event_ms;
                        wait = WaitLimit { until_ms: exchange.sent_ms + ms, ms, what: "for the first event" };
                    }
                    exchange.end = self.read(answer, &mut response, deadline_ms, wait, watch).await;
                    exchange.response = Some(response);
                }
                Either::Left((Err(trouble), _)) => exchange.end = End::NoAnswer(trouble),
                Either::Right(_) if wait.until_ms < deadline_ms => exchange.end = End::Deadline(wait.words()),
                Either::Right(_) => {}
            }
        }
        exchange.end_ms = self.now_ms();
        exchange
    }

    async fn read(
        &self,
        answer: StreamedResponse,
        response: &mut Response,
        deadline_ms: f64,
        mut wait: WaitLimit,
        watch: &mut dyn FnMut(&Frame) -> StreamControl,
    ) -> End {
        let mut parser = response.is_event_stream().then(|| Parser::new(Limits::default()));
        let mut body = answer.body;
        let mut grace_ms = f64::INFINITY;
        let mut own = 0;
        loop {
            let until_ms = wait.until_ms.min(deadline_ms).min(grace_ms);
            let left = until_ms - self.now_ms();
            let over = || match () {
                () if grace_ms <= until_ms => End::HungUp,
                () if wait.until_ms <= until_ms => End::Deadline(wait.words()),
                () => End::Deadline(self.by_deadline(deadline_ms)),
            };
            if left <= 0.0 {
                return over();
            }
            let chunk = match select(body.next(), self.host.clock.sleep(left)).await {
                Either::Left((Some(Ok(chunk)), _)) => chunk,
                Either::Left((Some(Err(detail)), _)) => return End::Broken(detail),
                Either::Left((None, _)) => {
                    if let Some(parser) = parser.take() {
                        let at_ms = self.now_ms();
                        keep(parser.finish(), response, at_ms, &mut |_| StreamControl::Continue);
                    }
                    return End::Complete;
                }
                Either::Right(_) => return over(),
            };
            response.bytes += chunk.len();
            let Some(parser) = &mut parser else {
                response.body.extend(&chunk);
                own += self.hold(&chunk);
                if let Some(what) = self.outgrown("body", MAX_BODY, response.bytes, own) {
                    // Nobody reads half a document, so that no more of it is kept than can be shown.
                    response.body.truncate(MAX_HEAD);
                    response.body.shrink_to_fit();
                    self.release(own);
                    self.hold(&response.body);
                    return End::TooLarge(what);
                }
                continue;
            };
            let at_ms = self.now_ms();
            let known = response.frames.len();
            match keep(parser.push(&chunk), response, at_ms, watch) {
                StreamControl::Continue => {}
                StreamControl::HangUp => return End::HungUp,
                StreamControl::Grace(ms) => grace_ms = grace_ms.min(at_ms + ms),
            }
            if !response.frames.is_empty() {
                let ms = self.timeouts.idle_ms;
                wait = WaitLimit { until_ms: at_ms + ms, ms, what: "without data on the stream" };
            }
            own +=
                response.frames.iter().skip(known).map(|timed| self.hold(timed.frame.data.as_bytes())).sum::<usize>();
            let many = response.frames.len() >= MAX_EVENTS;
            let what = many.then(|| format!("the stream contains more than {MAX_EVENTS} events"));
            if let Some(what) = what.or_else(|| self.outgrown("stream", MAX_STREAM, response.bytes, own)) {
                // Its beginning tells what it is; a few streams without end must not end the run.
                self.release(own);
                let mut room = MAX_BEGINNING;
                let mut kept = 0;
                for timed in &response.frames {
                    match room.checked_sub(timed.frame.data.len()) {
                        Some(left) => room = left,
                        None if kept > 0 => break,
                        None => room = 0,
                    }
                    self.hold(timed.frame.data.as_bytes());
                    kept += 1;
                }
                response.frames.truncate(kept);
                response.frames.shrink_to_fit();
                return End::TooLarge(what);
            }
        }
    }

    /// Counts bytes of an answer among what is held in memory, and answers what they weigh: their text, as it came and as
    /// what was read out of it, and the values in it.
    fn hold(&self, bytes: &[u8]) -> usize {
        let value = |byte: &u8| match byte {
            b'{' => 400,
            b',' | b':' | b'[' => 80,
            _ => 2,
        };
        let weight = bytes.iter().map(value).sum();
        self.kept.set(self.kept.get().saturating_add(weight));
        weight
    }

    /// Counts what is no longer held.
    fn release(&self, weight: usize) {
        self.kept.set(self.kept.get().saturating_sub(weight));
    }

    /// What of an answer is more than there is room for, if something is.
    fn outgrown(&self, what: &str, longest: usize, bytes: usize, weight: usize) -> Option<String> {
        if bytes > longest {
            return Some(format!("the {what} is longer than {} MB", longest / MB));
        }
        if weight > MAX_WEIGHT {
            return Some(format!("the {what} contains more values than fit in memory"));
        }
        (self.kept.get() >= MAX_KEPT && bytes > MAX_HEAD).then(|| FULL.to_owned())
    }
}

/// Why a run ends that was answered with too much.
const FULL: &str = "the answers in this run have used up the memory allowed";

/// Until when something is waited for.
#[derive(Clone, Copy)]
struct WaitLimit {
    until_ms: f64,
    ms: f64,
    what: &'static str,
}

impl WaitLimit {
    fn words(self) -> String {
        format!("the {} allowed {}", span(self.ms), self.what)
    }
}

/// Puts parsed items on the record; answers what the last word of `watch` was.
fn keep(
    items: Vec<Item>,
    response: &mut Response,
    at_ms: f64,
    watch: &mut dyn FnMut(&Frame) -> StreamControl,
) -> StreamControl {
    let mut flow = StreamControl::Continue;
    for item in items {
        match item {
            Item::Event(frame) => {
                if response.frames.len() < MAX_EVENTS && flow != StreamControl::HangUp {
                    match watch(&frame) {
                        StreamControl::Continue => {}
                        kind => flow = kind,
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
