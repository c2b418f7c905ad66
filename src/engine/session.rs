//! Sends requests and puts what happens on the record: the times of each exchange are measured here, its limits kept and its
//! secrets masked. The only place that talks to a host.

mod answer_times;
mod concurrency;
mod known_tasks;
mod memory;
mod reader;
mod time_limits;
mod turns;
mod unrecorded;

use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::rc::Rc;

use futures_util::future::{Either, select};

use super::load::LoadFigures;
use super::options::Options;
use super::transcript::whole_ms;
use super::user_waits::{GAVE_UP, Wait, WaitEnd, WaitGuard, Waits};
use crate::a2a::binding::CallCost;
use crate::a2a::grpc_codec::{self, GrpcReader};
use crate::host::webhooks::ReceivedRequest;
use crate::host::{Host, RequestPurpose, StreamedResponse};
use crate::wire::exchange::{End, Exchange, Response, TransportError, TransportErrorKind};
use crate::wire::grpc::is_grpc;
use crate::wire::http::Request;
use crate::wire::json::{Value, parse};
use crate::wire::redact::Redactor;
use crate::wire::sse::Frame;
pub use answer_times::{AnswerTimes, Patience, late_ms};
pub use concurrency::{Gate, Permit, Reservation, Traffic, URGENT};
pub use known_tasks::KnownTasks;
use memory::MemoryUse;
pub use reader::StreamControl;
use reader::{AnswerReader, Watch};
use time_limits::{AwaitedEvent, RunClock, TimeLimits, WaitLimit};
use turns::{ComputingTurn, JUDGING_MS, PAUSE_MS};

/// The events of a session. They become events of the run.
#[derive(Debug, Clone)]
pub enum SessionEvent {
    /// An exchange ended and is on the record.
    Exchanged(Rc<Exchange>),
    /// A person has to agree elsewhere before a token is given out (RFC 8628 §3.3).
    Confirm {
        /// To whom: `this run`, or `the second identity`.
        whom: &'static str,
        /// Where, as the server says: any text.
        url: String,
        /// The same with the code in it, if the server has that; else empty.
        complete: String,
        /// The code to type there.
        code: String,
    },
    /// The figures of a load.
    Loaded(Rc<LoadFigures>),
}

/// The parts that a whole run shares: its host, its clock and the record.
pub struct Session {
    /// The ports.
    pub host: Host,
    /// The gate that lets requests pass.
    pub gate: Gate,
    /// The tasks that the agent told of.
    pub tasks: KnownTasks,
    /// How long its answers took.
    pub(super) times: AnswerTimes,
    clock: RunClock,
    limits: TimeLimits,
    turn: ComputingTurn,
    memory: MemoryUse,
    redactor: Redactor,
    listener: Rc<dyn Fn(SessionEvent)>,
    waits: Waits,
    /// How much longer than allowed the user wanted to wait: scenario, lane and milliseconds.
    granted: RefCell<Vec<(&'static str, Option<String>, f64)>>,
    next_exchange: Cell<u32>,
    /// The id of the next wait that is for no exchange: they count down.
    next_wait: Cell<u32>,
    next_number: Cell<i64>,
    /// How many messages were sent that the agent may have had to think about.
    messages: Cell<u32>,
    /// Everything that was exchanged, in the order in which it ended.
    exchanges: RefCell<Vec<Rc<Exchange>>>,
}

/// Whom a request is for. Limits of time and credentials depend on it.
#[derive(Debug, Clone, Copy)]
pub enum RequestTarget<'a> {
    /// The server that issues tokens.
    AuthorizationServer,
    /// The agent outside its interfaces: mostly for its card.
    Agent,
    /// The interface of the lane with that id.
    Lane(&'a str),
}

/// Where a request belongs on the record.
#[derive(Debug, Clone, Copy)]
pub struct RequestLabel<'a> {
    /// Whom it is for.
    pub target: RequestTarget<'a>,
    /// The scenario.
    pub scenario: &'static str,
    /// The step.
    pub step: &'static str,
    /// The awaited answer, in words for people: the name of the method, if it has one.
    pub awaited: &'static str,
    /// What it costs the agent.
    pub cost: CallCost,
    /// For how long it is waited for.
    pub patience: Patience,
}

impl<'a> RequestLabel<'a> {
    /// The label of a request whose answer may take all the time that there is.
    #[must_use]
    pub fn new(target: RequestTarget<'a>, scenario: &'static str, step: &'static str, awaited: &'static str) -> Self {
        Self { target, scenario, step, awaited, cost: CallCost::default(), patience: Patience::default() }
    }

    /// The lane's id, for a request to a lane.
    #[must_use]
    pub const fn lane(self) -> Option<&'a str> {
        match self.target {
            RequestTarget::Lane(id) => Some(id),
            RequestTarget::AuthorizationServer | RequestTarget::Agent => None,
        }
    }
}

impl Session {
    /// Begins a run. Further runs of the same agent share its redactor: what an agent was given in one, it may echo in the next.
    #[must_use]
    pub fn new(
        host: Host,
        options: &Options,
        redactor: Redactor,
        waits: Waits,
        listener: Rc<dyn Fn(SessionEvent)>,
    ) -> Self {
        if let Some(webhooks) = &host.webhooks {
            webhooks.renew();
        }
        Self {
            gate: Gate::new(options.concurrency),
            tasks: KnownTasks::default(),
            times: AnswerTimes::default(),
            clock: RunClock::start(&host.clock),
            limits: TimeLimits { scenario_ms: options.timeout_ms, timeouts: options.timeouts },
            turn: ComputingTurn::default(),
            memory: MemoryUse::new(options.is_written),
            redactor,
            host,
            listener,
            waits,
            granted: RefCell::default(),
            next_exchange: Cell::new(1),
            next_wait: Cell::new(u32::MAX),
            next_number: Cell::new(1),
            messages: Cell::default(),
            exchanges: RefCell::default(),
        }
    }

    /// Milliseconds since the run began.
    #[must_use]
    pub fn now_ms(&self) -> f64 {
        self.clock.now_ms()
    }

    /// When a scenario that begins now has to end: after its own time, or with the run.
    #[must_use]
    pub fn deadline_ms(&self) -> f64 {
        self.deadline_after_ms(self.now_ms())
    }

    /// The same for a scenario that began at that time.
    #[must_use]
    pub fn deadline_after_ms(&self, begun_ms: f64) -> f64 {
        self.limits.deadline_ms(begun_ms)
    }

    /// How much longer than allowed a conversation may take, as the user wanted to wait for answers to it.
    #[must_use]
    pub fn granted_ms(&self, scenario: &str, lane: Option<&str>) -> f64 {
        let granted = self.granted.borrow();
        let of_conversation = granted.iter().filter(|(known, on, _)| *known == scenario && on.as_deref() == lane);
        of_conversation.map(|(_, _, ms)| ms).sum()
    }

    /// Notes that the user wants to wait so much longer than allowed for what a conversation waits for.
    pub fn grant(&self, scenario: &'static str, lane: Option<&str>, ms: f64) {
        self.granted.borrow_mut().push((scenario, lane.map(str::to_owned), ms));
    }

    /// Begins a wait for something that takes several exchanges.
    #[must_use]
    pub fn begin_wait(&self, what: &'static str) -> WaitGuard {
        let id = self.next_wait.replace(self.next_wait.get() - 1);
        self.waits.begin(self.clock.host(), id, what)
    }

    /// Why nothing new is begun, once the run has taken all its time or memory.
    #[must_use]
    pub fn exhausted(&self) -> Option<String> {
        self.memory.full().or_else(|| self.limits.run_is_over(self.now_ms()))
    }

    /// When the run ends at the latest, in milliseconds of its clock.
    #[must_use]
    pub fn run_ends_ms(&self) -> f64 {
        self.limits.timeouts.run_ms
    }

    /// Drives a run, so that it is known since when it computes without a break.
    pub async fn in_turns<T>(&self, run: impl Future<Output = T>) -> T {
        let mut run = pin!(run);
        poll_fn(|context| {
            self.turn.begin(self.now_ms());
            run.as_mut().poll(context)
        })
        .await
    }

    /// Waits a moment where the run has computed for long enough. A clock that stands still meanwhile shows that nothing waits.
    pub async fn give_way(&self) {
        if self.turn.is_over(self.now_ms()) {
            self.clock.host().sleep(PAUSE_MS).await;
        }
    }

    /// Why nothing more is judged, once the run has taken its time and enough beyond it to judge what it saw.
    #[must_use]
    pub fn judging_is_over(&self) -> Option<String> {
        self.limits.run_is_over(self.now_ms() - JUDGING_MS)
    }

    /// Everything that was exchanged so far.
    #[must_use]
    pub fn exchanges(&self) -> Vec<Rc<Exchange>> {
        self.exchanges.borrow().clone()
    }

    /// How many messages were sent that the agent may have had to think about.
    #[must_use]
    pub fn messages(&self) -> u32 {
        self.messages.get()
    }

    /// Counts one more of them.
    pub fn count_message(&self) {
        self.messages.set(self.messages.get() + 1);
    }

    /// Passes an event on to the run.
    pub fn emit(&self, event: SessionEvent) {
        (self.listener)(event);
    }

    /// A text without the secrets of the run.
    #[must_use]
    pub fn mask(&self, text: &str) -> String {
        self.redactor.text(text)
    }

    /// Masks this text from now on, as if it had been among the credentials.
    pub fn learn_secret(&self, secret: &str) {
        self.redactor.learn(secret);
    }

    /// A number that no request of this run had before.
    #[must_use]
    pub fn fresh_number(&self) -> i64 {
        self.next_number.replace(self.next_number.get() + 1)
    }

    /// The record of a request that was never sent.
    #[must_use]
    pub fn unsent(&self, label: RequestLabel<'_>) -> Rc<Exchange> {
        Rc::new(self.blank(0, label, Request::get("")))
    }

    /// Puts a document on the record that was handed over by the user, under the name that it has there.
    #[must_use]
    pub fn record_given(&self, label: RequestLabel<'_>, name: &str, bytes: &[u8]) -> Rc<Exchange> {
        let id = self.next_exchange.replace(self.next_exchange.get() + 1);
        let mut exchange = self.blank(id, label, Request::get(name));
        exchange.response = Some(Response {
            status: 200,
            url: name.to_owned(),
            body: bytes.to_vec(),
            bytes: bytes.len(),
            ..Response::default()
        });
        self.publish(exchange)
    }

    /// Puts a request on the record that the agent sent to us, with the status that it was answered with.
    #[must_use]
    pub fn record_received(&self, label: RequestLabel<'_>, received: &ReceivedRequest) -> Rc<Exchange> {
        let id = self.next_exchange.replace(self.next_exchange.get() + 1);
        let mut exchange = self.blank(id, label, received.request.clone());
        exchange.sent_ms = self.clock.run_ms(received.arrived_ms);
        exchange.end_ms = exchange.sent_ms;
        match received.status {
            Some(status) => {
                let url = exchange.request.url.clone();
                exchange.response = Some(Response { status, url, head_ms: exchange.sent_ms, ..Response::default() });
            }
            None => exchange.end = End::HungUp,
        }
        self.publish(exchange)
    }

    fn blank(&self, id: u32, label: RequestLabel<'_>, request: Request) -> Exchange {
        Exchange {
            id,
            lane: label.lane().map(str::to_owned),
            scenario: label.scenario.to_owned(),
            step: label.step.to_owned(),
            request,
            sent_ms: self.clock.record_ms(),
            response: None,
            end: End::Complete,
            end_ms: 0.0,
        }
    }

    /// Sends a request and reads the answer until it ends, `watch` has seen enough, or the deadline (milliseconds since
    /// the run began) passes. The exchange is on the record when this returns.
    pub async fn exchange(
        &self,
        label: RequestLabel<'_>,
        request: Request,
        deadline_ms: f64,
        watch: &mut dyn FnMut(&Frame) -> StreamControl,
    ) -> Rc<Exchange> {
        self.publish(self.send(&self.memory, label, request, deadline_ms, watch).await)
    }

    /// Asks for a token, and returns the answered document unmasked. Every secret in it is masked from then on.
    pub async fn fetch_token(
        &self,
        label: RequestLabel<'_>,
        request: Request,
        deadline_ms: f64,
    ) -> (Rc<Exchange>, Value) {
        let exchange = self.send(&self.memory, label, request, deadline_ms, &mut |_| StreamControl::Continue).await;
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
        self.emit(SessionEvent::Exchanged(Rc::clone(&exchange)));
        exchange
    }

    /// Sends a request and reads the answer. The exchange still holds its secrets.
    async fn send(
        &self,
        memory: &MemoryUse,
        label: RequestLabel<'_>,
        request: Request,
        deadline_ms: f64,
        watch: Watch<'_>,
    ) -> Exchange {
        let id = self.next_exchange.replace(self.next_exchange.get() + 1);
        let mut exchange = self.blank(id, label, request.clone());
        let wait = self.first_limit(label, first_wait(label, &request), exchange.sent_ms);
        let left_ms = wait.until_ms.min(deadline_ms) - exchange.sent_ms;
        exchange.end = End::Deadline(self.limits.describe_deadline(deadline_ms));
        let purpose = RequestPurpose { scenario: label.scenario, step: label.step, lane: label.lane() };
        if left_ms > 0.0 {
            let guard = self.waits.begin(self.clock.host(), id, label.awaited);
            let waiting = &*guard.wait;
            waiting.restart(0.0, left_ms);
            memory.add_request(&request);
            let request = self.as_sent(request, deadline_ms - exchange.sent_ms);
            match select(self.host.transport.send_for(purpose, request), waiting.ended(left_ms)).await {
                Either::Left((Ok(answer), _)) => {
                    let limits = (deadline_ms + waiting.extra_ms.get(), wait.later(waiting.extra_ms.get()));
                    self.read((label, memory), answer, &mut exchange, limits, waiting, watch).await;
                }
                Either::Left((Err(error), _)) => exchange.end = End::NoAnswer(error),
                Either::Right((WaitEnd::GivenUp, _)) => exchange.end = given_up(waiting),
                Either::Right(_) if wait.until_ms < deadline_ms => {
                    exchange.end = End::Deadline(wait.later(waiting.extra_ms.get()).describe());
                }
                Either::Right(_) => {}
            }
            if waiting.extra_ms.get() > 0.0 {
                self.grant(label.scenario, label.lane(), waiting.extra_ms.get());
            }
        }
        exchange.end_ms = self.clock.record_ms();
        self.note_time(label, &exchange);
        exchange
    }

    /// For how long the first event of an exchange is waited for that began at that time.
    fn first_limit(&self, label: RequestLabel<'_>, awaited: AwaitedEvent, since_ms: f64) -> WaitLimit {
        let whole = self.limits.wait(awaited, since_ms);
        match (label.patience, label.lane()) {
            (Patience::ByOthers, Some(lane)) => {
                whole.at_most(self.times.allowed_ms(lane, label.cost, self.limits.timeouts.least_ms))
            }
            (Patience::Least, _) => whole.at_most(self.limits.timeouts.least_ms),
            _ => whole,
        }
    }

    /// Notes how long an answer took, which says how long others may take.
    fn note_time(&self, label: RequestLabel<'_>, exchange: &Exchange) {
        let (Some(lane), Some(response)) = (label.lane(), &exchange.response) else { return };
        if response.is_event_stream() {
            if let Some(first) = response.frames.first() {
                self.times.note(lane, (label.awaited, label.cost), first.at_ms - exchange.sent_ms);
            }
        } else if exchange.end == End::Complete {
            self.times.note(lane, (label.awaited, label.cost), exchange.duration_ms());
        }
    }

    /// Whether an exchange ended without a word of the agent before all the time had passed that there is for it: it was waited for by what
    /// other answers took.
    #[must_use]
    pub fn was_cut_early(&self, label: RequestLabel<'_>, exchange: &Exchange) -> bool {
        label.patience == Patience::ByOthers && is_cut_at_begin(exchange) && !self.was_waited_out(label, exchange)
    }

    /// Whether an exchange ended without a word of the agent when all the time had passed that there is for it.
    #[must_use]
    pub fn was_waited_out(&self, label: RequestLabel<'_>, exchange: &Exchange) -> bool {
        let whole = self.limits.wait(first_wait(label, &exchange.request), exchange.sent_ms);
        is_cut_at_begin(exchange) && exchange.end_ms >= whole.until_ms - TIMER_MS
    }

    /// A request as it goes out. One over gRPC names the time that is left; in a page that would be one more header for CORS to allow.
    fn as_sent(&self, request: Request, left_ms: f64) -> Request {
        let has_trailers = self.host.visibility.trailers;
        let Some(mut sent) = grpc_codec::to_wire(&request, has_trailers) else { return request };
        if has_trailers {
            grpc_codec::set_deadline(&mut sent, whole_ms(left_ms));
        }
        sent
    }

    /// Reads an answer into its exchange.
    async fn read(
        &self,
        (label, memory): (RequestLabel<'_>, &MemoryUse),
        answer: StreamedResponse,
        exchange: &mut Exchange,
        (deadline_ms, mut wait): (f64, WaitLimit),
        waiting: &Wait,
        watch: Watch<'_>,
    ) {
        memory.add_head(&answer.head.headers, &answer.head.url);
        let mut response = Response {
            status: answer.head.status,
            headers: answer.head.headers,
            url: answer.head.url,
            redirected: answer.head.redirected,
            head_ms: self.clock.record_ms(),
            ..Response::default()
        };
        let mut grpc = None;
        if is_grpc(&exchange.request.headers) && is_grpc(&response.headers) {
            let (reader, answer) = GrpcReader::new(&exchange.request.url, &mut response.headers);
            response.grpc = Some(Box::new(answer));
            grpc = Some(reader);
        }
        if response.is_event_stream() && label.lane().is_some() {
            wait = self.first_limit(label, AwaitedEvent::FirstEvent, exchange.sent_ms).later(waiting.extra_ms.get());
        }
        if let Some(why) = memory.head_exceeds(&mut response.headers) {
            exchange.end = End::TooLarge(why);
            exchange.response = Some(response);
            return;
        }
        let shared = (&self.clock, &self.limits, memory, waiting);
        let reader = AnswerReader::new(shared, &mut response, deadline_ms, wait);
        match reader.read(answer.body, grpc, watch).await {
            Some(end) => {
                exchange.end = match end {
                    End::Broken(detail) => self.host.transport.end_of(detail, &mut response),
                    end => end,
                };
                exchange.response = Some(response);
            }
            // Half an answer that nobody wanted to wait for shows nothing about the agent, and is not judged.
            None => exchange.end = given_up(waiting),
        }
    }
}

/// How much too early the timer of a browser may ring, in milliseconds.
const TIMER_MS: f64 = 10.0;

/// Whether an exchange ended by a limit, before an event came or the body was complete.
fn is_cut_at_begin(exchange: &Exchange) -> bool {
    let has_events = exchange.response.as_ref().is_some_and(|response| !response.frames.is_empty());
    matches!(exchange.end, End::Deadline(_)) && !has_events
}

/// How an exchange ends that the user gave up: as if there had been no answer, so that nothing is held against the agent.
fn given_up(waiting: &Wait) -> End {
    let detail = format!("{GAVE_UP} after {} s", whole_ms(waiting.waited_ms()) / 1000);
    End::NoAnswer(TransportError { kind: TransportErrorKind::Other, detail })
}

/// The first event that a request waits for: the whole answer, or of a stream its first event.
fn first_wait(label: RequestLabel<'_>, request: &Request) -> AwaitedEvent {
    let streams = || grpc_codec::expects_stream(request);
    match label.target {
        RequestTarget::AuthorizationServer => AwaitedEvent::Token,
        RequestTarget::Agent => AwaitedEvent::Card,
        RequestTarget::Lane(_) if streams() => AwaitedEvent::FirstEvent,
        RequestTarget::Lane(_) => AwaitedEvent::Answer,
    }
}
