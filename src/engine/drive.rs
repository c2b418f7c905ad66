//! The driver: what a scenario's conversation is written with. Every call it makes becomes a step of the take.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use futures_util::future::LocalBoxFuture;

use super::check::Scenario;
use super::credentials::CredentialStore;
use super::discover::Address;
use super::prompt::{Behaviour, id_prefix};
use super::session::{RequestLabel, Session, StreamControl};
use super::transcript::{Lane, Peer, RunFacts, Step, Transcript};
use super::verdict::Verdict;
use crate::a2a::binding::{Binding, Call, Credentials, Reply, ReplyKind, SentCall, StreamItemKind};
use crate::a2a::dialect::write::Outgoing;
use crate::a2a::dialect::{DIALECTS, Dialect};
use crate::a2a::model::{Operation, Payload, StreamEvent, Task};
use crate::a2a::rule::Notes;
use crate::host::Signed;
use crate::wire::exchange::Exchange;
use crate::wire::http::Request;
use crate::wire::json::{Value, parse};
use crate::wire::sse::Frame;

/// The step of a message in a JSON form that the agent may not take.
const FIRST_FORM: &str = "first-form";

/// How long a stream may stay open after its terminal event (T-STR-12: never zero tolerance).
pub const GRACE_MS: f64 = 5000.0;

/// A call under way: answers the step that it left on the record.
pub type StepFuture<'a> = LocalBoxFuture<'a, Rc<Step>>;

/// Looks at each event of a stream and says whether to go on.
type EventWatcher<'a> = Box<dyn FnMut(&StreamItemKind) -> StreamControl + 'a>;

/// Drives one scenario.
pub struct Driver {
    session: Rc<Session>,
    scenario: &'static Scenario,
    lane: Option<Rc<Lane>>,
    /// What is known of the agent.
    pub facts: Rc<RunFacts>,
    /// What the user wants checked.
    pub address: Rc<Address>,
    purse: Rc<CredentialStore>,
    before: Vec<Rc<Transcript>>,
    peer: Option<Rc<Peer>>,
    resting: Rc<Cell<usize>>,
    deadline_ms: f64,
    steps: RefCell<Vec<Rc<Step>>>,
    stopped: RefCell<Option<Verdict>>,
}

/// What a driver is made of.
pub struct DriverContext {
    /// The run.
    pub session: Rc<Session>,
    /// What is driven.
    pub scenario: &'static Scenario,
    /// On which lane.
    pub lane: Option<Rc<Lane>>,
    /// What is known.
    pub facts: Rc<RunFacts>,
    /// What the user wants checked.
    pub address: Rc<Address>,
    /// The user's credentials.
    pub purse: Rc<CredentialStore>,
    /// The takes it builds on.
    pub before: Vec<Rc<Transcript>>,
    /// The lane that it compares its own with.
    pub peer: Option<Rc<Peer>>,
    /// How many drivers pause, of those that share a place at the agent.
    pub resting: Rc<Cell<usize>>,
}

/// Counted as resting while it lives.
struct IdleGuard(Rc<Cell<usize>>);

impl IdleGuard {
    fn begin(resting: Rc<Cell<usize>>) -> Self {
        resting.set(resting.get() + 1);
        Self(resting)
    }
}

impl Drop for IdleGuard {
    fn drop(&mut self) {
        self.0.set(self.0.get().saturating_sub(1));
    }
}

impl Driver {
    /// A driver whose deadline begins now.
    #[must_use]
    pub fn new(setting: DriverContext) -> Self {
        let deadline_ms = setting.session.deadline_ms();
        Self {
            session: setting.session,
            scenario: setting.scenario,
            lane: setting.lane,
            facts: setting.facts,
            address: setting.address,
            purse: setting.purse,
            before: setting.before,
            peer: setting.peer,
            resting: setting.resting,
            deadline_ms,
            steps: RefCell::default(),
            stopped: RefCell::default(),
        }
    }

    /// The recording, once the conversation is over.
    #[must_use]
    pub fn finish(self) -> Transcript {
        Transcript {
            scenario: self.scenario.id,
            lane: self.lane,
            steps: self.steps.into_inner(),
            facts: self.facts,
            before: self.before,
            peer: self.peer,
            stopped: self.stopped.into_inner(),
        }
    }

    /// Says why the conversation goes no further: the verdict of every check that needed more.
    pub fn stop(&self, why: Verdict) {
        self.stopped.borrow_mut().get_or_insert(why);
    }

    /// The take of an earlier scenario.
    #[must_use]
    pub fn earlier(&self, scenario: &str) -> Option<&Rc<Transcript>> {
        Transcript::of(&self.before, scenario)
    }

    /// An id that was never used.
    #[must_use]
    pub fn fresh(&self) -> String {
        self.session.host.ids.fresh()
    }

    /// Waits, but not past the deadline.
    pub fn pause(&self, ms: f64) -> LocalBoxFuture<'static, ()> {
        let left = (self.deadline_ms - self.session.now_ms()).max(0.0);
        let sleep = self.session.host.clock.sleep(ms.min(left));
        let resting = Rc::clone(&self.resting);
        Box::pin(async move {
            let _rest = IdleGuard::begin(resting);
            sleep.await;
        })
    }

    /// Whether the user gave credentials.
    #[must_use]
    pub fn has_credentials(&self) -> bool {
        !self.purse.is_empty()
    }

    /// Whether they are a token that could have run out.
    #[must_use]
    pub fn has_bearer(&self) -> bool {
        self.purse.has_bearer(self.lane.as_ref().map(|lane| lane.id.as_str()))
    }

    /// Whether there is time for more.
    #[must_use]
    pub fn has_time(&self) -> bool {
        self.session.now_ms() < self.deadline_ms
    }

    /// The dialect of the lane; of the newest version for the card.
    #[must_use]
    pub fn dialect(&self) -> &'static Dialect {
        match (&self.lane, DIALECTS.first()) {
            (Some(lane), _) => lane.spoken(),
            (None, Some(dialect)) => dialect,
            (None, None) => &crate::a2a::dialect::v1_0::V1_0,
        }
    }

    /// Whether a check of this scenario judges on this lane: what only serves checks that do not is not sent.
    #[must_use]
    pub fn asks(&self, check: &str) -> bool {
        let lane = self.lane.as_ref();
        let (version, binding) =
            (lane.map_or(self.facts.version, |lane| lane.dialect.version), lane.map(|lane| lane.binding.slug));
        self.scenario.checks.iter().any(|known| known.id == check && known.applies(version, binding))
    }

    /// A call that needs nothing and harms nothing: a list, or where there are no lists a task that does not exist.
    #[must_use]
    pub fn harmless(&self) -> Call {
        match self.dialect().method(Operation::ListTasks) {
            Some(_) => self.operation(Operation::ListTasks, Value::Object(Default::default())),
            None => self.operation(Operation::GetTask, (self.dialect().task_params)(&self.fresh(), None)),
        }
    }

    /// The message that should bring a behaviour about. When no prompt is known for it, the conversation stops.
    #[must_use]
    pub fn prompt(&self, behaviour: Behaviour) -> Option<Outgoing> {
        let Some(text) = self.facts.prompts.text(behaviour) else {
            let name = behaviour.as_str();
            self.stop(Verdict::inconclusive(format!(
                "no prompt is known that {} with this agent; to run this check, set the prompt \"{name}\"",
                behaviour.title()
            )));
            return None;
        };
        Some(self.outgoing(text))
    }

    /// A message with a fresh id.
    #[must_use]
    pub fn outgoing(&self, text: impl Into<String>) -> Outgoing {
        let text = text.into();
        let message_id = match id_prefix(&text) {
            "" => self.fresh(),
            prefix => format!("{prefix}-{}", self.fresh()),
        };
        Outgoing { message_id, text, ..Outgoing::default() }
    }

    /// A call of an operation with these parameters; its id is a string or a number, by turns.
    #[must_use]
    pub fn operation(&self, operation: Operation, params: Value) -> Call {
        let number = self.session.fresh_number();
        let id = if number % 2 == 0 { Value::from(number) } else { Value::from(format!("call-{}", self.fresh())) };
        Call { operation: Some(operation), params: Some(params), id, ..Call::default() }
    }

    /// Puts a step on the record a second time, under the name by which checks look for it.
    pub fn keep_as(&self, name: &'static str, step: &Step) {
        self.record(Step { name, ..step.clone() });
    }

    /// Puts on the record what was found out about a step's answer.
    pub fn note(&self, name: &'static str, step: &Step, found: Value) {
        self.record(Step { name, reply: Reply { document: Some(found), ..Reply::default() }, ..step.clone() });
    }

    /// Asks the host whether a signature is right.
    #[must_use]
    pub fn verify(&self, signed: Signed) -> LocalBoxFuture<'static, Result<bool, String>> {
        self.session.host.verifier.verify(signed)
    }

    /// Gets something by plain HTTP: the card.
    pub fn fetch(&self, step: &'static str, request: Request) -> StepFuture<'_> {
        self.fetch_as(step, request, Credentials::Own)
    }

    /// Gets something by plain HTTP that may be anybody's: the user's credentials do not go along.
    pub fn fetch_without_credentials(&self, step: &'static str, request: Request) -> StepFuture<'_> {
        self.fetch_as(step, request, Credentials::None)
    }

    fn fetch_as(&self, step: &'static str, request: Request, which: Credentials) -> StepFuture<'_> {
        Box::pin(async move {
            let mut watch = |_: &Frame| StreamControl::Continue;
            let exchange = self.ask(self.place(step), request, which, &mut watch).await;
            let kind = match &exchange.response {
                Some(response) if matches!(response.status, 401 | 403 | 429 | 503) => {
                    ReplyKind::Unavailable(response.status)
                }
                Some(_) => ReplyKind::Result(Payload::Nothing),
                None => ReplyKind::NoAnswer(exchange.end.no_answer()),
            };
            let document = parse_body(&exchange);
            let reply = Reply { kind, notes: Notes::default(), document };
            self.record(Step { name: step, exchange, sent: SentCall::default(), reply })
        })
    }

    /// Makes a call and waits for the whole answer.
    pub fn call(&self, step: &'static str, call: Call) -> StepFuture<'_> {
        self.watched(self.lane.clone(), step, call, Box::new(|_| StreamControl::Continue))
    }

    /// The other lane of a comparison.
    #[must_use]
    pub fn peer(&self) -> Option<&Rc<Peer>> {
        self.peer.as_ref()
    }

    /// Makes a call on the other lane.
    pub fn call_on_peer(&self, step: &'static str, call: Call) -> StepFuture<'_> {
        let lane = self.peer.as_ref().map(|peer| Rc::clone(&peer.lane));
        self.watched(lane, step, call, Box::new(|_| StreamControl::Continue))
    }

    /// Sends a request with these credentials; again when the user's token had run out and there is a new one.
    async fn ask(
        &self,
        place: RequestLabel<'_>,
        request: Request,
        which: Credentials,
        watch: &mut dyn FnMut(&Frame) -> StreamControl,
    ) -> Rc<Exchange> {
        let own = which == Credentials::Own && self.purse.lends(&request.url, place.lane);
        let mut tries = 0;
        loop {
            let number = if own { self.purse.ready(&self.session).await } else { 0 };
            let mut dressed = request.clone();
            self.purse.dress(&mut dressed, place.lane, which);
            let exchange = self.session.exchange(place, dressed, self.deadline_ms, watch).await;
            if !own || !self.purse.expired(&self.session, number, &exchange, tries).await {
                return exchange;
            }
            tries += 1;
        }
    }

    /// The one place where calls are made. Boxed, so that the many conversations of a suite share one piece of code.
    fn watched<'a>(
        &'a self,
        lane: Option<Rc<Lane>>,
        step: &'static str,
        mut call: Call,
        mut watch: EventWatcher<'a>,
    ) -> StepFuture<'a> {
        Box::pin(async move {
            let Some(lane) = lane else {
                self.stop(Verdict::harness_error("a scenario without a lane made a call"));
                return self.fetch(step, Request::get(self.address.url())).await;
            };
            if call.extensions.is_none() {
                // T-EXT-3: without them everything else would fail for this one reason.
                let declared = self.facts.card.iter().flat_map(|card| card.extensions.iter());
                call.extensions =
                    Some(declared.filter(|(_, required)| *required).map(|(uri, _)| uri.clone()).collect());
            }
            let sent = call.sent();
            let (binding, dialect): (&Binding, &Dialect) = (lane.binding, lane.dialect);
            let mut on_frame = |frame: &Frame| {
                if frame.data.trim().is_empty() {
                    return StreamControl::Continue;
                }
                watch(&(binding.event)(dialect, &sent, &frame.data, &mut Notes::default()))
            };
            call.other_verb = lane.other_verb.get() && call.operation == Some(Operation::SubscribeToTask);
            let mut first: Option<Step> = None;
            loop {
                let request = match (binding.request)(dialect, &lane.interface, &call) {
                    Ok(request) => request,
                    Err(why) => {
                        let exchange = self.session.unsent(self.place_on(Some(&lane), step));
                        let reply = Reply { kind: ReplyKind::NotExpressible(why), ..Reply::default() };
                        return self.record(Step { name: step, exchange, sent, reply });
                    }
                };
                let exchange =
                    self.ask(self.place_on(Some(&lane), step), request, call.credentials, &mut on_frame).await;
                let blamed = exchange.status().is_some_and(|status| (binding.blames_verb)(&sent, status));
                let reply = binding.reply(dialect, &sent, &exchange);
                let answer = Step { name: step, exchange, sent: sent.clone(), reply };
                match first.take() {
                    None if blamed => {
                        call.other_verb = !call.other_verb;
                        first = Some(answer);
                    }
                    // Both verbs are refused: the refusal that speaks the protocol is the agent's, the other its framework's.
                    Some(first) if blamed && matches!(first.reply.kind, ReplyKind::Error(_)) => {
                        return self.record(first);
                    }
                    Some(_) if !blamed => {
                        lane.other_verb.set(call.other_verb);
                        return self.record(answer);
                    }
                    _ => return self.record(answer),
                }
            }
        })
    }

    /// Sends a message and waits.
    pub fn send(&self, step: &'static str, outgoing: &Outgoing) -> StepFuture<'_> {
        self.say(step, Operation::SendMessage, outgoing, Box::new(|_| StreamControl::Continue))
    }

    /// Sends a message and streams what happens until the stream ends, or `watch` has seen enough. After a terminal
    /// event the stream has a grace period to end by itself.
    pub fn open<'a>(
        &'a self,
        step: &'static str,
        outgoing: &Outgoing,
        watch: impl FnMut(&StreamItemKind) -> StreamControl + 'a,
    ) -> StepFuture<'a> {
        self.say(step, Operation::SendStreamingMessage, outgoing, with_grace(Box::new(watch)))
    }

    /// Sends a message; while it is not known which of two JSON forms the agent takes, in the other one too if the first
    /// is refused.
    fn say<'a>(
        &'a self,
        step: &'static str,
        operation: Operation,
        outgoing: &Outgoing,
        mut watch: EventWatcher<'a>,
    ) -> StepFuture<'a> {
        self.count_message();
        let dialect = self.dialect();
        let call = self.operation(operation, (dialect.send_params)(dialect, outgoing));
        let lane = self.lane.as_ref().filter(|lane| lane.form.get().is_none());
        let (Some(lane), Some(other)) = (lane, dialect.other_form) else {
            return self.watched(self.lane.clone(), step, call, watch);
        };
        let second = self.operation(operation, (other.send_params)(other, outgoing));
        Box::pin(async move {
            let first = self.watched(Some(Rc::clone(lane)), FIRST_FORM, call, Box::new(&mut *watch)).await;
            let refused = first.exchange.status().is_some_and(|status| matches!(status, 400 | 415 | 422 | 500));
            if !refused || lane.form.get().is_some() {
                lane.form.set(lane.form.get().or((!refused).then_some(dialect)));
                let kind = Step { name: step, ..Step::clone(&first) };
                self.steps.borrow_mut().retain(|known| !Rc::ptr_eq(known, &first));
                return self.record(kind);
            }
            let answer = self.watched(Some(Rc::clone(lane)), step, second, watch).await;
            if matches!(answer.reply.kind, ReplyKind::Result(_) | ReplyKind::Stream(_)) {
                lane.form.set(Some(other));
            }
            answer
        })
    }

    /// Reads a task.
    pub fn get(&self, step: &'static str, task: &str, history: Option<i64>) -> StepFuture<'_> {
        self.call(step, self.operation(Operation::GetTask, (self.dialect().task_params)(task, history)))
    }

    /// Cancels a task.
    pub fn cancel(&self, step: &'static str, task: &str) -> StepFuture<'_> {
        self.call(step, self.operation(Operation::CancelTask, (self.dialect().task_params)(task, None)))
    }

    /// Streams what happens to a task.
    pub fn subscribe<'a>(
        &'a self,
        step: &'static str,
        task: &str,
        watch: impl FnMut(&StreamItemKind) -> StreamControl + 'a,
    ) -> StepFuture<'a> {
        let call = self.operation(Operation::SubscribeToTask, (self.dialect().task_params)(task, None));
        self.watched(self.lane.clone(), step, call, with_grace(Box::new(watch)))
    }

    /// Reads a task until it needs nothing more from the agent, with growing pauses; answers the last reading.
    pub fn poll_until_settled<'a>(&'a self, step: &'static str, task: &'a str) -> LocalBoxFuture<'a, Option<Task>> {
        Box::pin(async move {
            let mut pause = 100.0;
            loop {
                let reading = self.get(step, task, None).await;
                let found = task_of(&reading.reply)?.clone();
                let settled = found.state.is_none_or(|state| state.is_terminal() || state.is_interrupted());
                if !settled {
                    self.pause(pause).await;
                }
                if settled || !self.has_time() {
                    return Some(found);
                }
                // Slow enough to spare the agent, and never long past the end of the work.
                pause = (pause * 1.4).min(1500.0);
            }
        })
    }

    fn place(&self, step: &'static str) -> RequestLabel<'_> {
        self.place_on(self.lane.as_ref(), step)
    }

    fn place_on<'a>(&self, lane: Option<&'a Rc<Lane>>, step: &'static str) -> RequestLabel<'a> {
        RequestLabel { lane: lane.map(|lane| lane.id.as_str()), scenario: self.scenario.id, step }
    }

    fn record(&self, step: Step) -> Rc<Step> {
        let step = Rc::new(step);
        self.steps.borrow_mut().push(Rc::clone(&step));
        step
    }

    /// Counts a message that a scenario sends by a call of its own making.
    pub fn count_message(&self) {
        self.session.tally.borrow_mut().messages += 1;
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

/// Once an event is terminal (or interrupted, after which a stream may stay open: T-STR-2), the stream gets a grace
/// period and no more.
fn with_grace(mut watch: EventWatcher<'_>) -> EventWatcher<'_> {
    Box::new(move |item| {
        let kind = watch(item);
        let state = match item {
            StreamItemKind::Event(StreamEvent::Task(task)) => task.state,
            StreamItemKind::Event(StreamEvent::Status(update)) => update.state,
            StreamItemKind::Event(StreamEvent::Message(_)) | StreamItemKind::Error(_) => {
                return if kind == StreamControl::Continue { StreamControl::Grace(GRACE_MS) } else { kind };
            }
            _ => None,
        };
        match (kind, state) {
            (StreamControl::Continue, Some(state)) if state.is_terminal() => StreamControl::Grace(GRACE_MS),
            (StreamControl::Continue, Some(state)) if state.is_interrupted() => StreamControl::Grace(1500.0),
            (kind, _) => kind,
        }
    })
}

fn parse_body(exchange: &Exchange) -> Option<Value> {
    exchange.response.as_ref().and_then(|response| parse(&response.body).value)
}
