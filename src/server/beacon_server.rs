//! A beacon over real sockets: a scripted agent that others are told to call, and what they sent.

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

use futures_util::FutureExt;
use futures_util::future::{LocalBoxFuture, Shared};

use super::agent_server::AgentServer;
use super::exchange_recorder::ExchangeRecorder;
use super::listener::{ListenAddress, why_not_there};
use super::served_cards::served_cards;
use super::situations::Situations;
use crate::agent::ScriptedAgent;
use crate::agent::fault::{FaultId, Faults};
use crate::host::beacon::{Beacon, BeaconAnswer};
use crate::host::webhooks::ReceivedRequest;
use crate::host::{Clock, Host};
use crate::wire::received::{ClientRequest, ServedCard};

type BeaconOrigin = Shared<LocalBoxFuture<'static, Result<String, String>>>;

/// How many requests are kept, and how many bytes of their bodies. After that each takes the place of the one before it, so that the
/// last is always there.
const MOST_KEPT: usize = 5_000;
const MOST_BYTES: usize = 64 << 20;

/// Wants to know what a beacon receives.
pub trait BeaconObserver {
    /// It listens, at this address and with these cards.
    fn opened(&self, base: &str, cards: Vec<ServedCard>);
    /// A request was answered, or its client hung up.
    fn received(&self, received: ClientRequest);
}

/// A beacon at an address of this machine. Must be used on a `LocalSet`.
#[derive(Clone)]
pub struct BeaconServer {
    origin: BeaconOrigin,
    is_reachable: bool,
    shared: Rc<BeaconState>,
}

/// What the beacon and its listener share.
struct BeaconState {
    clock: Rc<dyn Clock>,
    agent: OnceCell<ScriptedAgent>,
    recorder: OnceCell<ExchangeRecorder>,
    received: RefCell<Vec<ReceivedRequest>>,
    /// How many bytes their bodies have.
    bytes: Cell<usize>,
}

impl BeaconServer {
    /// A beacon that listens at this address as soon as somebody asks where it is, and is reached by the public URL, or else by that
    /// of the address.
    #[must_use]
    pub fn new(host: &Host, address: String, public: Option<String>, observer: Rc<dyn BeaconObserver>) -> Self {
        let shared = Rc::new(BeaconState {
            clock: Rc::clone(&host.clock),
            agent: OnceCell::new(),
            recorder: OnceCell::new(),
            received: RefCell::default(),
            bytes: Cell::default(),
        });
        let is_reachable = public.is_some();
        let state = Rc::clone(&shared);
        let origin = async move {
            let place = ListenAddress::at(&address).await;
            let listening = place.map_err(|error| format!("{address}: {}", why_not_there(&error)))?;
            let origin = public.as_ref().unwrap_or(&listening.origin).trim_end_matches('/').to_owned();
            let served = state.agent_at(&origin, observer).await;
            tokio::task::spawn_local(listening.serve_agent(served));
            Ok(origin)
        };
        Self { origin: origin.boxed_local().shared(), is_reachable, shared }
    }

    /// Tells the observer of what is not over yet.
    pub fn flush(&self) {
        if let Some(recorder) = self.shared.recorder.get() {
            recorder.flush();
        }
    }
}

impl BeaconState {
    fn keep(&self, received: ReceivedRequest) {
        let size = |received: &ReceivedRequest| received.request.body.as_ref().map_or(0, Vec::len);
        let mut all = self.received.borrow_mut();
        let mut bytes = self.bytes.get() + size(&received);
        if all.len() >= MOST_KEPT || bytes > MOST_BYTES {
            bytes -= all.pop().as_ref().map_or(0, size);
        }
        self.bytes.set(bytes);
        all.push(received);
    }

    /// The agent that is the beacon. It serves every binding, so that a client can choose, and takes the files of instructions.
    async fn agent_at(self: Rc<Self>, origin: &str, observer: Rc<dyn BeaconObserver>) -> AgentServer {
        let faults: Faults = [FaultId::Grpc, FaultId::AnyMediaType].into_iter().collect();
        let mut served = AgentServer::new(origin, faults.clone(), false);
        observer.opened(origin, served_cards(&served.agent, &faults).await);
        let note = move |received| observer.received(received);
        let recorder = ExchangeRecorder::in_situations(Rc::clone(&self.clock), Situations::default(), note);
        let _ = self.recorder.set(recorder.clone());
        let _ = self.agent.set(served.agent.clone());
        served.recorder = Some(recorder);
        let state = Rc::downgrade(&self);
        served.agent.note_requests_by(move |request| {
            if let Some(state) = state.upgrade() {
                let (arrived_ms, request) = (state.clock.now_ms(), request.clone());
                state.keep(ReceivedRequest { arrived_ms, request, status: Some(200) });
            }
        });
        served
    }
}

impl Beacon for BeaconServer {
    fn is_reachable(&self) -> bool {
        self.is_reachable
    }

    fn origin(&self) -> LocalBoxFuture<'static, Result<String, String>> {
        self.origin.clone().boxed_local()
    }

    fn answer(&self, token: &str, answer: BeaconAnswer) {
        if let Some(agent) = self.shared.agent.get() {
            // The responses are our own; that they can be declared is tested.
            let _ = agent.answer_as_beacon(token, &answer);
        }
    }

    fn received(&self) -> Vec<ReceivedRequest> {
        self.shared.received.borrow().clone()
    }
}
