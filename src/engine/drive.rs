//! The driver: what a scenario's conversation is written with, such as sending, reading and stopping, and the output modes that
//! messages name. Every call it makes becomes a step of the transcript.

mod beacon;
mod calls;
mod grace;
mod patience;
mod polling;
mod queue_time;
mod shared_calls;
mod sightings;
mod too_late;
mod unrecorded_answer;
mod unrecorded_calls;
mod webhooks;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use futures_util::future::{LocalBoxFuture, join_all};

use super::credentials::CredentialStore;
use super::delegation::DelegationOptions;
use super::discover::Address;
use super::load::LoadOptions;
use super::prompt::{Behaviour, id_prefix};
use super::session::{Patience, RequestLabel, RequestTarget, Session, StreamControl};
use super::transcript::{IS_THERE, Lane, NEVER_ANSWERED, Peer, RunFacts, Step, TRIED_AGAIN, Transcript};
use super::verdict::Verdict;
use crate::a2a::binding::{
    Call, Credentials, Reply, ReplyKind, StreamItemKind, bars, is_gateway_failure, unanswered_behind_gateway,
};
use crate::a2a::dialect::Dialect;
use crate::a2a::dialect::write::{ListQuery, Outgoing, PushConfigRequest};
use crate::a2a::model::{Operation, Payload, Task, TaskList};
use crate::host::Signed;
use crate::host::webhooks::ReceivedRequest;
use crate::wire::exchange::Exchange;
use crate::wire::http::Request;
use crate::wire::json::{Value, parse, read};
use crate::wire::sse::Frame;
pub use grace::GRACE_MS;
use grace::{EventWatcher, with_grace};
use queue_time::QueueTime;
pub use unrecorded_answer::{UnrecordedAnswer, UnrecordedFuture};

/// A call under way; its output is the step that it left on the record.
pub type StepFuture<'a> = LocalBoxFuture<'a, Rc<Step>>;

/// Drives one scenario.
pub struct Driver {
    context: DriverContext,
    /// Its time, without the time for which its calls wait in line.
    queue: QueueTime,
    steps: RefCell<Vec<Rc<Step>>>,
    asides: RefCell<Vec<Rc<Step>>>,
    stopped: RefCell<Option<Verdict>>,
    /// How many calls it made.
    calls: Cell<u32>,
    /// How many want its calls to go before all others.
    urgent: Cell<u32>,
    /// How often webhooks of its names had another address before.
    renewed_webhooks: Cell<u32>,
    /// The driver of the other agent, in a conversation with two.
    other: Option<Box<Self>>,
}

/// The parts that a driver works with.
pub struct DriverContext {
    /// The run's session.
    pub session: Rc<Session>,
    /// The scenario's id.
    pub scenario: &'static str,
    /// The ids of the scenario's checks that apply on this lane.
    pub checks: Vec<&'static str>,
    /// The lane; `None` for the card.
    pub lane: Option<Rc<Lane>>,
    /// Facts about the agent.
    pub facts: Rc<RunFacts>,
    /// The address that the user wants checked.
    pub address: Rc<Address>,
    /// The user's credentials.
    pub credentials: Rc<CredentialStore>,
    /// The transcripts of the scenarios that it builds on.
    pub before: Vec<Rc<Transcript>>,
    /// The lane to compare with.
    pub peer: Option<Rc<Peer>>,
    /// How much depends on it: calls of greater ranks go first.
    pub rank: u32,
    /// The load that the user asked for.
    pub load: Option<LoadOptions>,
    /// The delegation that the user asked for.
    pub delegation: Option<Rc<DelegationOptions>>,
}

/// The output modes that messages name where an agent wants some: what a checker can read.
const OUTPUT_MODES: [&str; 4] = ["text/plain", "application/json", "image/png", "application/octet-stream"];

impl Driver {
    /// A driver whose deadline begins now.
    #[must_use]
    pub fn new(context: DriverContext) -> Self {
        let queue = QueueTime::from(context.session.now_ms());
        Self {
            context,
            queue,
            steps: RefCell::default(),
            asides: RefCell::default(),
            stopped: RefCell::default(),
            calls: Cell::default(),
            urgent: Cell::default(),
            renewed_webhooks: Cell::default(),
            other: None,
        }
    }

    /// The same with the driver of another agent beside it. Each has its own lane, facts and credentials.
    #[must_use]
    pub fn with_other(self, other: Self) -> Self {
        Self { other: Some(Box::new(other)), ..self }
    }

    /// The driver of the other agent, in a conversation with two.
    #[must_use]
    pub fn other(&self) -> Option<&Self> {
        self.other.as_deref()
    }

    /// The recording, once the conversation is over.
    #[must_use]
    pub fn finish(self) -> Transcript {
        let of_other = self.other.map(|other| Rc::new(other.finish()));
        let of_other =
            of_other.and_then(|other| other.lane.clone().map(|lane| Rc::new(Peer { lane, transcripts: vec![other] })));
        Transcript {
            scenario: self.context.scenario,
            lane: self.context.lane,
            steps: self.steps.into_inner(),
            asides: self.asides.into_inner(),
            facts: self.context.facts,
            before: self.context.before,
            peer: of_other.or(self.context.peer),
            stopped: self.stopped.into_inner(),
            run_cut_short: None,
        }
    }

    /// Ends the conversation early: the verdict of every check that needs a later step.
    pub fn stop(&self, why: Verdict) {
        self.stopped.borrow_mut().get_or_insert(why);
    }

    /// Whether the conversation was ended early.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stopped.borrow().is_some()
    }

    /// Facts about the agent.
    #[must_use]
    pub fn facts(&self) -> &RunFacts {
        &self.context.facts
    }

    /// The address that the user wants checked.
    #[must_use]
    pub fn address(&self) -> &Address {
        &self.context.address
    }

    /// The transcript of an earlier scenario.
    #[must_use]
    pub fn earlier(&self, scenario: &str) -> Option<&Rc<Transcript>> {
        Transcript::find(&self.context.before, scenario)
    }

    /// The last step of that name so far.
    #[must_use]
    pub fn last(&self, step: &str) -> Option<Rc<Step>> {
        self.steps.borrow().iter().rev().find(|known| known.name == step).cloned()
    }

    /// Every step of that name so far, in order.
    #[must_use]
    pub fn every(&self, step: &str) -> Vec<Rc<Step>> {
        self.steps.borrow().iter().filter(|known| known.name == step).cloned().collect()
    }

    /// An id that was never used.
    #[must_use]
    pub fn fresh_id(&self) -> String {
        self.context.session.host.ids.fresh()
    }

    /// The time in milliseconds since 1970.
    #[must_use]
    pub fn wall_ms(&self) -> f64 {
        self.context.session.host.clock.wall_ms()
    }

    /// Waits, but not past the deadline.
    pub fn pause(&self, ms: f64) -> LocalBoxFuture<'static, ()> {
        let left_ms = (self.deadline_ms() - self.context.session.now_ms()).max(0.0);
        self.context.session.host.clock.sleep(ms.min(left_ms))
    }

    /// When the conversation has to end.
    fn deadline_ms(&self) -> f64 {
        let session = &self.context.session;
        let granted_ms = session.granted_ms(self.context.scenario, self.lane_id());
        session.deadline_after_ms(self.queue.begun_ms(session.now_ms())) + granted_ms
    }

    /// Whether the user gave credentials.
    #[must_use]
    pub fn has_credentials(&self) -> bool {
        !self.context.credentials.is_empty()
    }

    /// Whether the user gave credentials with which the second identity can call this lane.
    #[must_use]
    pub fn has_second(&self) -> bool {
        self.context.credentials.has_second_for(self.lane_id())
    }

    /// Why calls of the second identity cannot be made: the token for them was not given out.
    #[must_use]
    pub fn second_without_token(&self) -> Option<String> {
        self.context.credentials.second_without_token()
    }

    /// Whether calls carry a bearer token, which could expire.
    #[must_use]
    pub fn has_bearer(&self) -> bool {
        self.context.credentials.has_bearer(self.lane_id())
    }

    /// Whether the user wants one request at a time, so that none can be made while another is under way.
    #[must_use]
    pub fn takes_one_at_a_time(&self) -> bool {
        self.context.session.gate.is_strict()
    }

    /// Whether tasks can be at work at the same time. When the user wants one request at a time, the conversation stops.
    #[must_use]
    pub fn lets_tasks_overlap(&self) -> bool {
        let overlap = !self.takes_one_at_a_time();
        if !overlap {
            let why = "the run makes one request at a time, so that no two tasks work at once";
            self.stop(Verdict::not_applicable(why));
        }
        overlap
    }

    /// The id of the lane; `None` for the card.
    fn lane_id(&self) -> Option<&str> {
        self.context.lane.as_ref().map(|lane| lane.id.as_str())
    }

    /// Waits for a turn. Such waiting does not count as the conversation's time.
    async fn in_line<T>(&self, turn: impl Future<Output = T>) -> T {
        let session = &self.context.session;
        self.queue.enter(session.now_ms());
        let had = turn.await;
        self.queue.leave(session.now_ms());
        had
    }

    /// Whether there is time for more.
    #[must_use]
    pub fn has_time(&self) -> bool {
        self.context.session.now_ms() < self.deadline_ms()
    }

    /// The dialect of the lane; of the newest version for the card.
    #[must_use]
    pub fn dialect(&self) -> &'static Dialect {
        self.context.lane.as_ref().map_or_else(Dialect::newest, |lane| lane.request_dialect())
    }

    /// The version that requests name.
    #[must_use]
    pub fn version(&self) -> &str {
        self.context.lane.as_ref().map_or(self.dialect().version, |lane| lane.version())
    }

    /// The version that the card declares for the lane, where it is one that no dialect is of.
    #[must_use]
    pub fn unknown_version(&self) -> Option<&str> {
        self.context.lane.as_ref().and_then(|lane| lane.unknown_version())
    }

    /// Names the version that the card declares from now on, since the agent does not accept the dialect's.
    pub fn name_declared_version(&self) {
        if let Some(lane) = &self.context.lane
            && let Some(version) = lane.unknown_version()
        {
            lane.named_version.get_or_init(|| version.to_owned());
        }
    }

    /// The tenant that every request on the lane must name (1.0 §8.3.2). Bindings put it into calls; a request that is
    /// written by hand has to name it itself.
    #[must_use]
    pub fn tenant(&self) -> Option<&str> {
        self.context.lane.as_ref()?.interface.tenant.as_deref()
    }

    /// The same as the first member of an object in JSON that is written by hand, with a comma behind it; empty where none
    /// must be named.
    #[must_use]
    pub fn tenant_member(&self) -> String {
        self.tenant().map(|tenant| format!("\"tenant\":{},", Value::from(tenant))).unwrap_or_default()
    }

    /// Whether that check of this scenario applies on this lane: what serves no other check need not be sent.
    #[must_use]
    pub fn has_check(&self, check: &str) -> bool {
        self.context.checks.contains(&check)
    }

    /// A call that needs nothing and harms nothing: a list, or where there are no lists a task that does not exist.
    #[must_use]
    pub fn harmless_call(&self) -> Call {
        match self.dialect().method(Operation::ListTasks) {
            Some(_) => self.operation(Operation::ListTasks, Value::Object(Default::default())),
            None => self.about_task(Operation::GetTask, &self.fresh_id()),
        }
    }

    /// The message that should bring a behaviour about. When no prompt is known for it, the conversation stops.
    #[must_use]
    pub fn prompt(&self, behaviour: Behaviour) -> Option<Outgoing> {
        let Some(text) = self.context.facts.prompts.text(behaviour) else {
            self.stop(Verdict::inconclusive(behaviour.without_prompt()));
            return None;
        };
        Some(self.outgoing(text))
    }

    /// Notes what a text brought about, for the scenarios that look for a message which does that: an answer, and the task
    /// as it was in the end.
    pub fn learn(&self, text: &str, answer: &Step, settled: Option<&Task>) {
        let learned = &self.context.facts.prompts.learned;
        let took_ms = self.context.session.now_ms() - answer.exchange.sent_ms;
        if settled.is_some() || matches!(&answer.reply.kind, ReplyKind::Result(Payload::Sent { message: Some(_), .. }))
        {
            learned.note(text, settled, took_ms);
        }
    }

    /// A message with a fresh id. Text that is a JSON object becomes data for an agent that takes no text.
    #[must_use]
    pub fn outgoing(&self, text: impl Into<String>) -> Outgoing {
        let text = text.into();
        let message_id = match id_prefix(&text) {
            "" => self.fresh_id(),
            prefix => format!("{prefix}-{}", self.fresh_id()),
        };
        let wants_modes = self.context.lane.as_ref().is_some_and(|lane| lane.wants_output_modes.get());
        let modes: &[&str] = if wants_modes { &OUTPUT_MODES } else { &[] };
        let accepted_output_modes = modes.iter().map(|mode| (*mode).to_owned()).collect();
        let takes_only_data = self.context.facts.card.as_ref().is_some_and(|card| card.takes_only_data());
        let data = takes_only_data.then(|| read(text.as_bytes())).flatten().filter(Value::is_object);
        Outgoing { message_id, text, data, accepted_output_modes, ..Outgoing::default() }
    }

    /// Whether every message names the output modes from now on, since the agent may not accept one without them.
    pub fn name_output_modes(&self, wanted: bool) {
        if let Some(lane) = &self.context.lane {
            lane.wants_output_modes.set(wanted);
        }
    }

    /// A call of an operation with these parameters. Its id is a number or a string in turns, so that both are seen; by the
    /// turns of the scenario, so that it does not depend on what else goes on.
    #[must_use]
    pub fn operation(&self, operation: Operation, params: Value) -> Call {
        let number = self.context.session.fresh_number();
        let turn = self.calls.get();
        self.calls.set(turn + 1);
        let id =
            if turn.is_multiple_of(2) { Value::from(number) } else { Value::from(format!("call-{}", self.fresh_id())) };
        Call { operation: Some(operation), params: Some(params), id, ..Call::default() }
    }

    /// A call for a list of tasks.
    #[must_use]
    pub fn list_tasks(&self, query: &ListQuery) -> Call {
        self.operation(Operation::ListTasks, (self.dialect().list_params)(self.dialect(), query))
    }

    /// The parameters of an operation on a task's push configs, as the version of the lane has them. Most need no URL.
    #[must_use]
    pub fn push_params(&self, operation: Operation, task: &str, config: Option<&str>, url: &str) -> Value {
        let config_id = config.map(str::to_owned);
        let target = PushConfigRequest { task_id: task.to_owned(), config_id, url: url.to_owned() };
        (self.dialect().push_params)(operation, &target)
    }

    /// A call about a task's push configs that needs no URL.
    #[must_use]
    pub fn about_push_configs(&self, operation: Operation, task: &str, config: Option<&str>) -> Call {
        self.operation(operation, self.push_params(operation, task, config, ""))
    }

    /// Makes calls that do not depend on each other, side by side as far as there is room.
    pub fn together<'a>(&self, calls: impl IntoIterator<Item = StepFuture<'a>>) -> LocalBoxFuture<'a, Vec<Rc<Step>>> {
        Box::pin(join_all(calls))
    }

    /// Puts a step on the record a second time, under the name by which checks look for it.
    pub fn record_as(&self, name: &'static str, step: &Step) {
        self.record(Step { name, ..step.clone() });
    }

    /// Puts on the record what was found out about a step's answer, as the document of a step of its own.
    pub fn record_finding(&self, name: &'static str, step: &Step, found: Value) {
        self.record(Step { name, reply: Reply { document: Some(Rc::new(found)), ..Reply::default() }, ..step.clone() });
    }

    /// Asks the host whether a signature is right.
    #[must_use]
    pub fn verify(&self, signed: Signed) -> LocalBoxFuture<'static, Result<bool, String>> {
        self.context.session.host.verifier.verify(signed)
    }

    /// Gets something by plain HTTP: the card.
    pub fn fetch(&self, step: &'static str, request: Request) -> StepFuture<'_> {
        self.fetch_as(step, request, Credentials::Own)
    }

    /// Gets something by plain HTTP, without the user's credentials: the server may belong to somebody else.
    pub fn fetch_without_credentials(&self, step: &'static str, request: Request) -> StepFuture<'_> {
        self.fetch_as(step, request, Credentials::None)
    }

    fn fetch_as(&self, step: &'static str, request: Request, which: Credentials) -> StepFuture<'_> {
        Box::pin(async move {
            let mut watch = |_: &Frame| StreamControl::Continue;
            let awaited = if step.ends_with("keys") { "the keys for signatures" } else { "the agent card" };
            let mut label = self.label(self.context.lane.as_ref(), step, awaited);
            if step == IS_THERE {
                label.patience = Patience::Least;
            }
            let exchange = self.exchange(label, request, (which, self.rank()), &mut watch).await;
            let kind = match exchange.status() {
                Some(status) if bars(status) => ReplyKind::Unavailable(status),
                Some(status) if is_gateway_failure(status) => unanswered_behind_gateway(status),
                _ => plain_reply(&exchange),
            };
            self.record_plain(step, exchange, kind)
        })
    }

    /// Sends a request as it is written, to wherever its URL leads, and reads what comes, as a document or as a stream. The
    /// reply is a success or not by its HTTP status alone.
    pub fn send_written(&self, step: &'static str, request: Request, which: Credentials) -> StepFuture<'_> {
        Box::pin(async move {
            let mut watch = |_: &Frame| StreamControl::Continue;
            let label = self.label(self.context.lane.as_ref(), step, step);
            let exchange = self.exchange(label, request, (which, self.rank()), &mut watch).await;
            let kind = plain_reply(&exchange);
            self.record_plain(step, exchange, kind)
        })
    }

    /// Puts an answer on the record that is none of a call, with the document that it holds.
    fn record_plain(&self, step: &'static str, exchange: Rc<Exchange>, kind: ReplyKind) -> Rc<Step> {
        let document = exchange.response.as_ref().and_then(|response| parse(&response.body).value);
        self.record(Step::without_call(step, exchange, kind, document))
    }

    /// Puts a request on the record that the agent sent to us, as a step whose document says what is to be known of it.
    fn record_request(&self, name: &'static str, received: &ReceivedRequest, document: Value) {
        let label = self.label(self.context.lane.as_ref(), name, name);
        let exchange = self.context.session.record_received(label, received);
        self.record(Step::without_call(name, exchange, ReplyKind::Result(Payload::Nothing), Some(document)));
    }

    /// The lane that the conversation is on.
    #[must_use]
    pub fn lane(&self) -> Option<&Rc<Lane>> {
        self.context.lane.as_ref()
    }

    /// Milliseconds since the run began.
    #[must_use]
    pub fn now_ms(&self) -> f64 {
        self.context.session.now_ms()
    }

    /// Every step so far, in the order in which they ended.
    #[must_use]
    pub fn steps(&self) -> Vec<Rc<Step>> {
        self.steps.borrow().clone()
    }

    /// Makes a call that streams, until the stream ends. After a terminal event it has a grace period to end by itself.
    pub fn stream(&self, step: &'static str, call: Call) -> StepFuture<'_> {
        self.call_on(self.context.lane.clone(), step, call, with_grace(Box::new(|_| StreamControl::Continue)))
    }

    /// Makes a call and waits for the whole answer.
    pub fn call(&self, step: &'static str, call: Call) -> StepFuture<'_> {
        self.call_on(self.context.lane.clone(), step, call, Box::new(|_| StreamControl::Continue))
    }

    /// Makes a call that streams, until the stream ends or `watch` has seen enough.
    pub fn call_watching<'a>(
        &'a self,
        step: &'static str,
        call: Call,
        watch: impl FnMut(&StreamItemKind) -> StreamControl + 'a,
    ) -> StepFuture<'a> {
        self.call_on(self.context.lane.clone(), step, call, Box::new(watch))
    }

    /// The other lane of a comparison.
    #[must_use]
    pub fn peer(&self) -> Option<&Rc<Peer>> {
        self.context.peer.as_ref()
    }

    /// Makes a call on the other lane.
    pub fn call_on_peer(&self, step: &'static str, call: Call) -> StepFuture<'_> {
        let lane = self.context.peer.as_ref().map(|peer| Rc::clone(&peer.lane));
        self.call_on(lane, step, call, Box::new(|_| StreamControl::Continue))
    }

    /// Makes a call on the other lane that streams, until the stream ends.
    pub fn stream_on_peer(&self, step: &'static str, call: Call) -> StepFuture<'_> {
        let lane = self.context.peer.as_ref().map(|peer| Rc::clone(&peer.lane));
        self.call_on(lane, step, call, with_grace(Box::new(|_| StreamControl::Continue)))
    }

    /// Makes a call on an interface of another agent than the one that is checked. None of the user's credentials go there.
    pub fn call_further(&self, lane: &Rc<Lane>, step: &'static str, call: Call) -> StepFuture<'_> {
        let watch: EventWatcher<'_> = match call.operation.is_some_and(Operation::streams) {
            true => with_grace(Box::new(|_| StreamControl::Continue)),
            false => Box::new(|_| StreamControl::Continue),
        };
        self.call_on(Some(Rc::clone(lane)), step, Call { credentials: Credentials::None, ..call }, watch)
    }

    /// Sends a message and waits.
    pub fn send(&self, step: &'static str, outgoing: &Outgoing) -> StepFuture<'_> {
        self.send_in_either_form(step, Operation::SendMessage, outgoing, Box::new(|_| StreamControl::Continue))
    }

    /// Sends a message and streams what happens until the stream ends, or `watch` has seen enough. After a terminal
    /// event the stream has a grace period to end by itself.
    pub fn open<'a>(
        &'a self,
        step: &'static str,
        outgoing: &Outgoing,
        watch: impl FnMut(&StreamItemKind) -> StreamControl + 'a,
    ) -> StepFuture<'a> {
        self.send_in_either_form(step, Operation::SendStreamingMessage, outgoing, with_grace(Box::new(watch)))
    }

    /// Reads a task.
    pub fn get(&self, step: &'static str, task: &str, history: Option<i64>) -> StepFuture<'_> {
        self.call(step, self.operation(Operation::GetTask, (self.dialect().task_params)(task, history)))
    }

    /// Cancels a task.
    pub fn cancel(&self, step: &'static str, task: &str) -> StepFuture<'_> {
        self.call(step, self.about_task(Operation::CancelTask, task))
    }

    /// Streams what happens to a task.
    pub fn subscribe<'a>(
        &'a self,
        step: &'static str,
        task: &str,
        watch: impl FnMut(&StreamItemKind) -> StreamControl + 'a,
    ) -> StepFuture<'a> {
        let call = self.about_task(Operation::SubscribeToTask, task);
        self.call_on(self.context.lane.clone(), step, call, with_grace(Box::new(watch)))
    }

    fn label<'a>(&self, lane: Option<&'a Rc<Lane>>, step: &'static str, awaited: &'static str) -> RequestLabel<'a> {
        let target = lane.map_or(RequestTarget::Agent, |lane| RequestTarget::Lane(&lane.id));
        RequestLabel::new(target, self.context.scenario, step, awaited)
    }

    fn record(&self, step: Step) -> Rc<Step> {
        self.note_sightings(&step);
        let step = Rc::new(step);
        let is_aside = [TRIED_AGAIN, IS_THERE, NEVER_ANSWERED].contains(&step.name);
        let recorded = if is_aside { &self.asides } else { &self.steps };
        recorded.borrow_mut().push(Rc::clone(&step));
        step
    }

    /// Counts a message that a scenario sends with a call that it made itself.
    pub fn count_message(&self) {
        self.context.session.count_message();
    }
}

/// The list of tasks of a reply, if it holds one.
#[must_use]
pub fn list_of(reply: &Reply) -> Option<&TaskList> {
    match &reply.kind {
        ReplyKind::Result(Payload::Tasks(list)) => Some(list),
        _ => None,
    }
}

/// The task of a reply, if it holds one.
#[must_use]
pub fn task_of(reply: &Reply) -> Option<&Task> {
    match &reply.kind {
        ReplyKind::Result(Payload::Task(task) | Payload::Sent { task: Some(task), .. }) => Some(task),
        _ => None,
    }
}

/// The reply that is no more than that something came.
fn plain_reply(exchange: &Exchange) -> ReplyKind {
    match &exchange.response {
        Some(_) => ReplyKind::Result(Payload::Nothing),
        None => ReplyKind::NoAnswer(exchange.end.no_answer()),
    }
}
