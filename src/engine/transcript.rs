//! A transcript: what one scenario recorded on one lane, as its checks see it, with its steps and the names of those that the
//! driver adds. The accessors return early with the right verdict, so that a check reads as the one claim it makes.

pub mod answers;
#[cfg(test)]
pub(crate) mod examples;
mod moments;
pub mod shown_tasks;

use std::cell::{Cell, OnceCell};
use std::rc::Rc;

use super::gateway_route::GatewayRoute;
use super::prompt::{Behaviour, Prompts};
use super::shared_requests::Asked;
use super::verdict::{Judged, Verdict};
use crate::a2a::binding::grpc::GRPC;
use crate::a2a::binding::{Binding, Reply, ReplyKind, SentCall};
use crate::a2a::cursor::Cursor;
use crate::a2a::dialect::Dialect;
use crate::a2a::model::{Card, ErrorName, Interface, Operation, StreamEvent, TaskState};
use crate::a2a::snake_case::in_camel_case;
use crate::host::Visibility;
use crate::wire::exchange::{End, Exchange, TransportErrorKind};
use crate::wire::grpc::{code_name, code_of_status};
use crate::wire::json::Value;

/// One way of talking to the agent: one interface of its card in a dialect and binding that we speak.
#[derive(Debug)]
pub struct Lane {
    /// Unique in the run: `jsonrpc-1.0`.
    pub id: String,
    /// The interface.
    pub interface: Interface,
    /// The version's dialect.
    pub dialect: &'static Dialect,
    /// The binding.
    pub binding: &'static Binding,
    /// Whether this agent wants the other verb for a subscription (1.0 §11.3.2 and the proto disagree).
    pub other_verb: Cell<bool>,
    /// The JSON form in which this agent accepts messages, once it is known, where its version has two.
    pub form: Cell<Option<&'static Dialect>>,
    /// The version that requests name, where the agent does not accept the dialect's: the one that the card declares.
    pub named_version: OnceCell<String>,
    /// Whether this agent refuses messages that do not name the output modes they accept, although the member is optional.
    pub wants_output_modes: Cell<bool>,
    /// Requests that more than one scenario sends.
    pub asked: Asked<Rc<Step>>,
}

impl Lane {
    /// An interface of which nothing is learned yet.
    #[must_use]
    pub fn new(id: String, interface: Interface, dialect: &'static Dialect, binding: &'static Binding) -> Self {
        Self {
            id,
            interface,
            dialect,
            binding,
            other_verb: Cell::default(),
            form: Cell::default(),
            named_version: OnceCell::new(),
            wants_output_modes: Cell::default(),
            asked: Asked::default(),
        }
    }

    /// An interface that no card declares.
    #[must_use]
    pub fn undeclared(binding: &'static Binding, version: &'static Dialect, url: &str) -> Rc<Self> {
        let interface = Interface {
            url: url.to_owned(),
            binding: binding.id.to_owned(),
            version: version.version.to_owned(),
            tenant: None,
        };
        let id = format!("{}-{}", binding.slug, version.version);
        Rc::new(Self::new(id, interface, version.over(binding.id), binding))
    }

    /// The dialect that requests are written in.
    #[must_use]
    pub fn request_dialect(&self) -> &'static Dialect {
        self.form.get().unwrap_or(self.dialect)
    }

    /// The code of an error on this lane: the name of gRPC's, else the number of JSON-RPC.
    #[must_use]
    pub fn error_code(&self, name: ErrorName) -> String {
        let grpc = self.dialect.grpc.as_ref().filter(|_| self.binding.id == GRPC.id);
        let code = grpc.and_then(|service| service.code_of(name));
        code.map_or_else(|| self.dialect.error_code(name).to_string(), str::to_owned)
    }

    /// What an operation is called on this lane; `None` where its version does not have it.
    #[must_use]
    pub fn method(&self, operation: Operation) -> Option<&'static str> {
        match self.dialect.grpc.as_ref().filter(|_| self.binding.id == GRPC.id) {
            Some(service) => service.method(operation),
            None => self.dialect.method(operation),
        }
    }

    /// The version that requests name.
    #[must_use]
    pub fn version(&self) -> &str {
        self.named_version.get().map_or(self.dialect.version, String::as_str)
    }

    /// The version that the card declares, where no dialect is of it and requests can name it.
    #[must_use]
    pub fn unknown_version(&self) -> Option<&str> {
        let is_unknown =
            Dialect::of_version(&self.interface.version).is_none() && self.dialect.version_header.is_some();
        is_unknown.then_some(self.interface.version.trim())
    }
}

/// A lane that is done, for comparing another with it.
#[derive(Debug)]
pub struct Peer {
    /// The lane.
    pub lane: Rc<Lane>,
    /// Everything it recorded.
    pub transcripts: Vec<Rc<Transcript>>,
}

/// Facts about the agent when scenarios run.
#[derive(Debug, Clone, Default)]
pub struct RunFacts {
    /// The card, if one could be read.
    pub card: Option<Rc<Card>>,
    /// The prompts of the run.
    pub prompts: Prompts,
    /// The capabilities of this host.
    pub visibility: Visibility,
    /// The version whose rules the card is judged by.
    pub version: &'static str,
    /// Whether the user chose that version.
    pub is_version_chosen: bool,
    /// Whether the card is of the release candidate of 1.0.
    pub candidate: bool,
    /// Whether an endpoint was given instead of a card: nothing tells what the agent does not declare.
    pub without_card: bool,
    /// Whether the user gave the credentials of two identities.
    pub second_identity: bool,
    /// The key set that the user trusts: itself, or its URL; empty when there is none.
    pub jwks: String,
    /// Whether this host receives push notifications.
    pub receives_notifications: bool,
    /// The way through the user's gateway, if there is one.
    pub gateway: Option<Rc<GatewayRoute>>,
}

impl RunFacts {
    /// The capabilities that the card declares; none when there is no card.
    pub fn declares(&self, capability: impl FnOnce(&Card) -> bool) -> bool {
        self.card.as_deref().is_some_and(capability)
    }

    /// For checks of what an agent declares, by name: `streaming`. *Not applicable* when the card does not declare it.
    pub fn declared(&self, name: &str, capability: impl FnOnce(&Card) -> bool) -> Result<(), Verdict> {
        let undeclared = || Verdict::excluded_by_card(format!("the card does not declare {name}"));
        self.declares(capability).then_some(()).ok_or_else(undeclared)
    }

    /// Whether an agent has to have an operation: every agent has it, or the card declares it.
    #[must_use]
    pub fn offers(&self, operation: Operation) -> bool {
        self.card.as_deref().map_or_else(|| Card::default().offers(operation), |card| card.offers(operation))
    }

    /// For scenarios that only a prompt can bring about: *not applicable* when none is known for the behaviour.
    pub fn names_prompt(&self, behaviour: Behaviour) -> Result<(), Verdict> {
        let prompt = self.prompts.text(behaviour);
        prompt.map(drop).ok_or_else(|| Verdict::not_applicable(behaviour.without_prompt()))
    }

    /// For checks of what an agent does not declare, by name: `streaming`. *Not applicable* when the card declares it, or when there is
    /// no card; *blocked* when a card in snake_case does.
    pub fn undeclared(&self, name: &str, capability: impl Fn(&Card) -> bool) -> Result<(), Verdict> {
        if self.without_card {
            return Err(Verdict::not_applicable(format!("there is no card, so nothing says that {name} is missing")));
        }
        if self.declares(&capability) {
            return Err(Verdict::excluded_by_card(format!("the card declares {name}")));
        }
        // The names of such a card are the finding of another check: its required members are missing.
        let in_snake_case = self.card.as_deref().filter(|card| card.raw.get("default_input_modes").is_some());
        let meant = in_snake_case.and_then(|card| in_camel_case(&card.raw)).zip(Dialect::of_version(self.version));
        if meant.is_some_and(|(card, dialect)| capability(&(dialect.read_card)(&Cursor::root(&card)))) {
            return Err(Verdict::blocked(format!("the card declares {name}, under a name in snake_case")));
        }
        Ok(())
    }
}

/// One request of a scenario and what came of it.
#[derive(Debug, Clone)]
pub struct Step {
    /// Its name within the scenario.
    pub name: &'static str,
    /// The recording.
    pub exchange: Rc<Exchange>,
    /// The call that the reply was read against.
    pub sent: SentCall,
    /// The reply.
    pub reply: Reply,
}

/// The name of a step that was made once more, since its answer did not come in the time that follows from others.
pub const TRIED_AGAIN: &str = "tried-again";
/// The name of a step that asks, after a call that got no answer, whether the agent is there.
pub const IS_THERE: &str = "is-there";
/// The same where it is, and what else it answered without work took but a part of the time for which the call was waited for.
pub const NEVER_ANSWERED: &str = "never-answered";

/// The name of a request that arrived at a webhook by a method that only asks for something.
pub const NO_NOTIFICATION: &str = "no-notification";

/// The name of the last reading of a task that was not followed until it was over, nor until the time ran out.
pub const CUT_SHORT: &str = "cut-short";

impl Step {
    /// An exchange that is no call, with what was read in it.
    #[must_use]
    pub fn without_call(name: &'static str, exchange: Rc<Exchange>, kind: ReplyKind, document: Option<Value>) -> Self {
        let reply = Reply { kind, document: document.map(Rc::new), ..Reply::default() };
        Self { name, exchange, sent: SentCall::default(), reply }
    }

    /// Whether nothing came that tells the client anything until one of our limits was reached.
    #[must_use]
    pub fn is_unanswered_in_time(&self) -> bool {
        let is_silent = match &self.reply.kind {
            ReplyKind::NoAnswer(_) => true,
            ReplyKind::Stream(items) => items.is_empty(),
            _ => false,
        };
        is_silent && matches!(self.exchange.end, End::Deadline(_))
    }

    /// Whether the connection was closed without a response, also as a gateway says it. Once may be an accident.
    #[must_use]
    pub fn was_closed(&self) -> bool {
        matches!(&self.exchange.end, End::NoAnswer(trouble) if trouble.kind == TransportErrorKind::Closed)
            || self.is_closed_behind_gateway()
    }

    /// Whether a gateway says that the agent behind it closed the connection without a response (RFC 9110 §15.6.3).
    #[must_use]
    pub fn is_closed_behind_gateway(&self) -> bool {
        matches!(self.reply.kind, ReplyKind::NoAnswer(_)) && self.exchange.status() == Some(502)
    }

    /// Whether it sends a message.
    #[must_use]
    pub const fn is_send(&self) -> bool {
        matches!(self.sent.operation, Some(Operation::SendMessage | Operation::SendStreamingMessage))
    }

    /// Whether anything came that the agent itself may have sent.
    #[must_use]
    pub fn has_answer(&self) -> bool {
        self.exchange.response.is_some() && !matches!(self.reply.kind, ReplyKind::NoAnswer(_))
    }

    /// Whether the host hides what came back, or whether anything did: a browser does not tell a page whether a server is down, or does not
    /// let the page's origin read its answer.
    #[must_use]
    pub fn is_hidden(&self) -> bool {
        matches!(&self.exchange.end, End::NoAnswer(trouble) if trouble.kind == TransportErrorKind::Opaque)
    }

    /// Whether its answer is one of gRPC.
    #[must_use]
    pub fn is_over_grpc(&self) -> bool {
        self.exchange.response.as_ref().is_some_and(|response| response.grpc.is_some())
    }

    /// How this step's answer says that it refuses a call by that HTTP status: over gRPC by a status code.
    #[must_use]
    pub fn refusal(&self, status: u16) -> String {
        let code = self.is_over_grpc().then(|| code_name(code_of_status(status))).flatten();
        code.map_or_else(|| format!("HTTP {status}"), str::to_owned)
    }

    /// The requirement holds, as this step shows.
    pub fn pass(&self) -> Verdict {
        Verdict::pass().seen_in(self.exchange.id)
    }

    /// The same; the message says on how much that rests.
    pub fn pass_with(&self, message: impl Into<String>) -> Verdict {
        Verdict::pass_with(message).seen_in(self.exchange.id)
    }

    /// As [`Verdict::fail`], with this step's exchange as the place.
    pub fn fail(&self, expected: impl Into<String>, actual: impl Into<String>) -> Verdict {
        Verdict::fail(self.exchange.id, expected, actual)
    }

    /// As [`Verdict::blocked`], because of what this step shows.
    pub fn blocked(&self, why: impl Into<String>) -> Verdict {
        Verdict::blocked(why).seen_in(self.exchange.id)
    }

    /// As [`Verdict::inconclusive`], because of what this step shows.
    pub fn inconclusive(&self, why: impl Into<String>) -> Verdict {
        Verdict::inconclusive(why).seen_in(self.exchange.id)
    }

    /// The verdict of one claim about this step, at a place of its answer. Never an error; the type is that of every judgement.
    pub fn claim(&self, holds: bool, expected: &str, actual: impl Into<String>, at: impl Into<String>) -> Judged {
        Ok(if holds { self.pass() } else { self.fail(expected, actual).at(at) })
    }
}

/// A stream's step, and its events with their numbers from 1.
pub type NumberedEvents<'a> = (&'a Rc<Step>, Vec<(usize, &'a StreamEvent)>);

/// Everything that a scenario recorded, and what else its checks may know.
#[derive(Debug, Clone)]
pub struct Transcript {
    /// The scenario.
    pub scenario: &'static str,
    /// The lane; `None` for the card's.
    pub lane: Option<Rc<Lane>>,
    /// The steps in the order in which they ended.
    pub steps: Vec<Rc<Step>>,
    /// Calls that are not part of the conversation: the first of two tries, and looks whether the agent is there.
    pub asides: Vec<Rc<Step>>,
    /// Facts about the agent.
    pub facts: Rc<RunFacts>,
    /// The other lane, for a scenario that compares two.
    pub peer: Option<Rc<Peer>>,
    /// The transcripts of the scenarios that this one builds on.
    pub before: Vec<Rc<Transcript>>,
    /// Why the conversation ended early, if it did.
    pub stopped: Option<Verdict>,
    /// Why the run ended before it had asked all that it wanted, if it did: what was not seen until then may still have come.
    pub run_cut_short: Option<Verdict>,
}

impl Transcript {
    /// The transcript of a scenario in which nothing was sent yet.
    #[must_use]
    pub fn without_steps(scenario: &'static str, lane: Option<&Rc<Lane>>, facts: &Rc<RunFacts>) -> Self {
        Self {
            scenario,
            lane: lane.cloned(),
            steps: Vec::new(),
            asides: Vec::new(),
            facts: Rc::clone(facts),
            peer: None,
            before: Vec::new(),
            stopped: None,
            run_cut_short: None,
        }
    }

    /// What the lane's version calls a state.
    #[must_use]
    pub fn state_name(&self, state: TaskState) -> &'static str {
        self.lane.as_ref().map_or("", |lane| lane.dialect.state_name(state))
    }

    /// The last step of that name; else the verdict with which the conversation stopped, or *inconclusive* when it never came to that
    /// step.
    pub fn step(&self, name: &str) -> Result<&Rc<Step>, Verdict> {
        let step = self.steps.iter().rev().find(|step| step.name == name);
        step.ok_or_else(|| self.stopped_or(|| Verdict::inconclusive("the conversation ended before this step")))
    }

    /// Every step of that name, in order.
    pub fn every<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Rc<Step>> {
        self.steps.iter().filter(move |step| step.name == name)
    }

    /// The steps of this conversation, and behind them those of the conversations that it builds on.
    pub fn with_earlier_steps(&self) -> impl Iterator<Item = &Rc<Step>> {
        self.steps.iter().chain(self.before.iter().flat_map(|earlier| &earlier.steps))
    }

    /// Those of them that a verdict rests on.
    pub fn steps_behind<'a>(&'a self, verdict: &'a Verdict) -> impl Iterator<Item = &'a Rc<Step>> {
        self.with_earlier_steps().filter(|step| verdict.exchanges.contains(&step.exchange.id))
    }

    /// The first tries of calls that were made once more.
    pub fn first_tries(&self) -> impl Iterator<Item = &Rc<Step>> {
        self.asides.iter().filter(|step| step.name == TRIED_AGAIN)
    }

    /// The transcript of an earlier scenario; else why this conversation ended early, or *blocked* when that scenario did not run.
    pub fn earlier(&self, scenario: &str) -> Result<&Rc<Transcript>, Verdict> {
        let blocked = || Verdict::blocked(format!("the scenario {scenario} did not run"));
        Self::find(&self.before, scenario).ok_or_else(|| self.stopped_or(blocked))
    }

    /// The transcript of that scenario among these.
    #[must_use]
    pub fn find<'a>(transcripts: &'a [Rc<Self>], scenario: &str) -> Option<&'a Rc<Self>> {
        transcripts.iter().find(|transcript| transcript.scenario == scenario)
    }

    /// The same of a scenario on the other lane.
    pub fn on_peer(&self, scenario: &str) -> Result<&Rc<Self>, Verdict> {
        let transcripts = self.peer.as_ref().map(|peer| peer.transcripts.as_slice()).unwrap_or_default();
        let blocked = || Verdict::blocked(format!("the scenario {scenario} did not run on the other interface"));
        Self::find(transcripts, scenario).ok_or_else(|| self.stopped_or(blocked))
    }

    /// Why the conversation ended early, or this where it did not.
    pub fn stopped_or(&self, otherwise: impl FnOnce() -> Verdict) -> Verdict {
        self.stopped.clone().unwrap_or_else(otherwise)
    }

    /// The request of a step, in words for people: what is odd about it, else the method of its operation.
    #[must_use]
    pub fn request_name(&self, step: &Step) -> String {
        let method = || {
            let dialect = self.lane.as_ref()?.dialect;
            dialect.method(step.sent.operation?)
        };
        step.sent.what.or_else(method).unwrap_or(step.name).to_owned()
    }
}

/// A whole number of milliseconds, or of whatever the unit is, for a message. Integers, because printing doubles costs the page more than a few lines.
#[must_use]
pub const fn whole_ms(ms: f64) -> u64 {
    // The cast saturates, so that a negative time becomes 0.
    (ms + 0.5) as u64
}

/// The message of a check of tasks when the agent answers without making one.
pub const MESSAGE_INSTEAD: &str = "the agent answered with a Message and created no task, which is allowed; to run \
                                   this check, use a prompt \"complete\" that makes it create a task";

/// The verdict of everything behind a status that keeps us out.
pub fn unavailable(status: u16) -> Verdict {
    Verdict::blocked(match status {
        401 => "the agent requires credentials (HTTP 401)",
        403 => "the agent denies access (HTTP 403)",
        429 => "the agent limits the rate of calls (HTTP 429)",
        _ => "the agent is not available (HTTP 503)",
    })
}
