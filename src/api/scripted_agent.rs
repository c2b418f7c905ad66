//! `ScriptedAgent`: the scripted agent as a fixture for other people's tests, in the same process.

use std::fmt;
use std::rc::Rc;

use futures_util::future::LocalBoxFuture;

use super::host::Host;
use crate::agent;
use crate::agent::fault::{FAULTS, Faults, UnknownFault};
use crate::agent::loopback::Loopback;
use crate::host::{Clock, RandomIdSource, StreamedResponse};
use crate::wire::exchange::TransportError;
use crate::wire::http::Request;

/// An agent that conforms to A2A 1.0, 0.3, 0.2 and 0.1 unless it is told how to be wrong. It does no I/O: it is a function
/// from request to response, for tests of clients, gateways and checkers.
#[derive(Clone)]
pub struct ScriptedAgent {
    agent: agent::ScriptedAgent,
    clock: Rc<dyn Clock>,
}

impl ScriptedAgent {
    /// An agent at `http://agent.test`, with these faults; without any it conforms.
    ///
    /// # Errors
    /// [`UnknownFault`] for the first name that is unknown; [`ScriptedAgent::faults`] lists those that are known.
    pub fn new<'a>(
        clock: &(impl Clock + Clone + 'static),
        faults: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, UnknownFault> {
        Self::at("http://agent.test", Rc::new(clock.clone()), faults)
    }

    /// An agent at another address, an origin with an optional path: where a server of yours hands requests to it.
    ///
    /// # Errors
    /// As [`ScriptedAgent::new`].
    pub fn at<'a>(
        address: impl Into<String>,
        clock: Rc<dyn Clock>,
        faults: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, UnknownFault> {
        let faults = Faults::parse(faults)?;
        let agent = agent::ScriptedAgent::new(address, Rc::clone(&clock), Rc::new(RandomIdSource), faults);
        Ok(Self { agent, clock })
    }

    /// The URL that it can be reached at. Its card is at `/.well-known/agent-card.json` below it; below `/0.3`, `/0.2` and
    /// `/0.1` it is an agent of that version.
    #[must_use]
    pub fn address(&self) -> &str {
        self.agent.base()
    }

    /// A host whose requests go to this agent, in the same process.
    #[must_use]
    pub fn host(&self) -> Host {
        Host::new(Rc::new(Loopback::new(self.agent.clone())), Rc::clone(&self.clock))
    }

    /// Answers one request, whatever host its URL names. Dropping the body is the client hanging up.
    ///
    /// # Errors
    /// When a fault makes the agent hang up without an HTTP answer.
    pub fn respond(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        self.agent.respond(request)
    }

    /// Every fault: its name, and what the agent does.
    pub fn faults() -> impl Iterator<Item = (&'static str, &'static str)> {
        FAULTS.iter().map(|fault| (fault.id, fault.title))
    }
}

impl fmt::Debug for ScriptedAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ScriptedAgent({})", self.address())
    }
}
