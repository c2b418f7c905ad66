//! A scripted agent with what it received, as its connections share it.

use std::rc::Rc;

use crate::agent::fault::{FaultId, Faults};
use crate::agent::{CapturedRequests, ScriptedAgent};
use crate::host::native;

use super::exchange_recorder::ExchangeRecorder;
use super::watch_endpoint::ClientWatcher;
use super::webhook_sender::webhook_sender;

/// A scripted agent that is served over HTTP. A clone is the same agent.
#[derive(Clone)]
pub struct AgentServer {
    /// The agent.
    pub agent: ScriptedAgent,
    /// What it received.
    pub captured: CapturedRequests,
    /// Whether whoever reaches the agent may see what it received; otherwise only programs on this machine may.
    pub exposes_captured: bool,
    /// Records what it is asked and answers, unless somebody watches.
    pub recorder: Option<ExchangeRecorder>,
    /// Judges its clients, if somebody does.
    pub watcher: Option<Rc<dyn ClientWatcher>>,
}

impl AgentServer {
    /// A new agent at this origin.
    #[must_use]
    pub fn new(origin: &str, faults: Faults, exposes_captured: bool) -> Self {
        let host = native::host();
        let is_delegating = faults.has(FaultId::Delegating);
        let agent = ScriptedAgent::new(origin, host.clock, host.ids, faults);
        if is_delegating {
            agent.delegate_by(Rc::clone(&host.transport));
        }
        agent.send_webhooks_by(webhook_sender(host.transport));
        let captured = agent.capture_requests();
        Self { agent, captured, exposes_captured, recorder: None, watcher: None }
    }

    /// What records its exchanges now.
    #[must_use]
    pub fn current_recorder(&self) -> Option<ExchangeRecorder> {
        self.watcher.as_ref().map_or_else(|| self.recorder.clone(), |watcher| watcher.recorder())
    }

    /// Forgets what it received and the responses that were declared: of this test case, or of all.
    pub fn clear(&self, test_case: Option<&str>) {
        self.captured.clear(test_case);
        self.agent.forget_responses(test_case);
    }
}
