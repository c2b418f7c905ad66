//! What a client sent, read: calls of operations by lane, fetches of cards, and requests that lead nowhere.

use std::rc::Rc;

use super::told_tasks::{AnsweredTasks, TaskNews};
use crate::a2a::binding::Reply;
use crate::a2a::binding::grpc::GRPC;
use crate::a2a::binding::jsonrpc::JSONRPC;
use crate::a2a::dialect::Dialect;
use crate::a2a::model::{Card, Operation};
use crate::engine::transcript::Lane;
use crate::engine::verdict::Verdict;
use crate::wire::json::{Pointer, Value};
use crate::wire::received::ClientRequest;

impl ClientRequest {
    /// The number of the exchange.
    pub fn id(&self) -> u32 {
        self.exchange.id
    }

    /// The finding that this request shows something else than is expected.
    pub fn fail(&self, expected: impl Into<String>, actual: impl Into<String>) -> Verdict {
        Verdict::fail(self.id(), expected, actual)
    }

    /// A header field of the request.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.exchange.request.headers.get(name)
    }

    /// What it says it is, by which one client is told from another; empty if it says nothing.
    pub fn user_agent(&self) -> &str {
        self.header("user-agent").unwrap_or_default()
    }

    /// Whether another request may be the same client's.
    pub fn is_client_of(&self, other: &Self) -> bool {
        self.user_agent() == other.user_agent() && host(&self.connection) == host(&other.connection)
    }
}

impl AsRef<Self> for ClientRequest {
    fn as_ref(&self) -> &Self {
        self
    }
}

fn host(connection: &str) -> &str {
    connection.rsplit_once(':').map_or(connection, |(host, _)| host)
}

/// A request to an interface.
#[derive(Debug)]
pub struct ClientCall {
    /// As it was received.
    pub received: ClientRequest,
    pub lane: Rc<Lane>,
    /// The operation, if it names one of this version.
    pub operation: Option<Operation>,
    /// The body, if it is JSON.
    pub body: Option<Value>,
    /// The parameters of the operation: of the envelope, of the body, or of path and query.
    pub params: Value,
    pub reply: Reply,
    /// What the answer says of tasks.
    pub news: Vec<TaskNews>,
}

impl ClientCall {
    pub fn id(&self) -> u32 {
        self.received.id()
    }

    pub fn fail(&self, expected: impl Into<String>, actual: impl Into<String>) -> Verdict {
        self.received.fail(expected, actual)
    }

    pub fn dialect(&self) -> &'static Dialect {
        self.lane.dialect
    }

    pub fn is_json_rpc(&self) -> bool {
        self.lane.binding.id == JSONRPC.id
    }

    pub fn is_grpc(&self) -> bool {
        self.lane.binding.id == GRPC.id
    }

    pub fn is(&self, operations: &[Operation]) -> bool {
        self.operation.is_some_and(|operation| operations.contains(&operation))
    }

    /// Whether it sends a message.
    pub fn is_send(&self) -> bool {
        self.is(&[Operation::SendMessage, Operation::SendStreamingMessage])
    }

    /// The place of a parameter in the body.
    pub fn place(&self, name: &str) -> Pointer {
        let root = Pointer::root();
        if self.is_json_rpc() { root.key("params").key(name) } else { root.key(name) }
    }

    /// A parameter that is a string and not empty.
    pub fn text(&self, name: &str) -> Option<&str> {
        text(&self.params, name)
    }

    /// The message that it sends, with its place.
    pub fn message(&self) -> Option<(&Value, Pointer)> {
        let message = self.params.get("message").filter(|_| self.is_send())?;
        Some((message, self.place("message")))
    }
}

impl AsRef<ClientRequest> for ClientCall {
    fn as_ref(&self) -> &ClientRequest {
        &self.received
    }
}

/// A member that is a string and not empty.
pub(super) fn text<'a>(object: &'a Value, name: &str) -> Option<&'a str> {
    object.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())
}

/// A fetch of a card.
#[derive(Debug)]
pub struct CardFetch {
    /// As it was received.
    pub received: ClientRequest,
    /// The version of the card that was returned, if one was.
    pub version: Option<&'static str>,
}

/// Everything that was received.
#[derive(Debug, Default)]
pub struct ClientSession {
    /// The calls, in the order in which they came.
    pub calls: Vec<ClientCall>,
    /// The fetches of cards, in that order too.
    pub cards: Vec<CardFetch>,
    /// The requests with a body of A2A that went to no interface.
    pub strays: Vec<ClientRequest>,
    /// What the answers said of tasks.
    pub(super) tasks: AnsweredTasks,
    /// Whether nothing more comes.
    pub is_over: bool,
}

impl ClientSession {
    /// Adds a call. What ended last may have begun first.
    pub(super) fn add_call(&mut self, call: ClientCall) {
        self.tasks.add(call.id(), &call.news);
        let place = self.calls.partition_point(|known| known.id() <= call.id());
        self.calls.insert(place, call);
    }

    pub(super) fn add_card(&mut self, fetch: CardFetch) {
        let place = self.cards.partition_point(|known| known.received.id() <= fetch.received.id());
        self.cards.insert(place, fetch);
    }

    /// The call of this number.
    pub(super) fn call(&self, id: u32) -> Option<&ClientCall> {
        self.calls.binary_search_by_key(&id, ClientCall::id).ok().and_then(|place| self.calls.get(place))
    }

    /// The calls that came after the exchange of this number.
    pub fn calls_after(&self, id: u32) -> &[ClientCall] {
        self.calls.get(self.calls.partition_point(|call| call.id() <= id)..).unwrap_or_default()
    }

    /// The fetches of cards that came after it.
    pub fn cards_after(&self, id: u32) -> &[CardFetch] {
        self.cards.get(self.cards.partition_point(|card| card.received.id() <= id)..).unwrap_or_default()
    }

    /// Whether the client that made this request sent another one later, or the watch is over.
    pub fn goes_on_after(&self, received: &ClientRequest) -> bool {
        let calls = self.calls_after(received.id()).iter().map(|call| &call.received);
        let cards = self.cards_after(received.id()).iter().map(|card| &card.received);
        let strays = self.strays.iter().filter(|stray| stray.id() > received.id());
        self.is_over || calls.chain(cards).chain(strays).any(|later| later.is_client_of(received))
    }

    /// Whether any answer named a task of this id.
    pub(super) fn knows_task(&self, id: &str) -> bool {
        self.tasks.get(id).is_some()
    }

    /// The context that answers gave a task.
    pub(super) fn context_of(&self, id: &str) -> Option<&str> {
        self.tasks.get(id)?.context.as_ref().map(|(_, context)| context.as_str())
    }

    /// The call whose answer had told this client that a task has finished before it made this call.
    pub(super) fn told_finished(&self, id: &str, before: &ClientCall) -> Option<&ClientCall> {
        let sent_ms = before.received.exchange.sent_ms;
        let earlier = self.tasks.get(id)?.finished.iter().take_while(|told| **told < before.id());
        earlier
            .filter_map(|told| self.call(*told))
            .find(|call| call.received.exchange.end_ms <= sent_ms && call.received.is_client_of(&before.received))
    }
}

/// What a check judges: the session, as one lane or the whole of it shows it.
#[derive(Debug)]
pub struct ClientConversation<'a> {
    pub session: &'a ClientSession,
    /// The lane; `None` for what is not about one.
    pub lane: Option<&'a Rc<Lane>>,
    /// The card that has the lane's interface.
    pub card: &'a Card,
}

impl<'a> ClientConversation<'a> {
    /// The calls of the lane, or all.
    pub fn calls(&self) -> impl Iterator<Item = &'a ClientCall> + use<'a> {
        let lane = self.lane.map(|lane| lane.id.as_str());
        self.session.calls.iter().filter(move |call| lane.is_none_or(|lane| call.lane.id == lane))
    }

    /// The messages of the lane, each with its call and its place.
    pub fn messages(&self) -> impl Iterator<Item = (&'a ClientCall, (&'a Value, Pointer))> + use<'a> {
        self.calls().filter_map(|call| Some((call, call.message()?)))
    }
}
