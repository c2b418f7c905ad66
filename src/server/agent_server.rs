//! A scripted agent with what it received, as its connections share it, and how its notifications are sent and how long each may
//! take.

use std::rc::Rc;
use std::time::Duration;

use futures_util::StreamExt;
use tokio::sync::Semaphore;
use tokio::task::spawn_local;
use tokio::time::timeout;

use super::exchange_recorder::ExchangeRecorder;
use super::request_body::HeldBodies;
use super::watch_endpoint::ClientWatcher;
use crate::agent::fault::{FaultId, Faults};
use crate::agent::{CapturedRequests, ScriptedAgent, WebhookSender};
use crate::host::{Transport, native};

/// How long a webhook may take (1.0 §4.3.3 recommends 10 to 30 seconds).
const WEBHOOK_TIMEOUT: Duration = Duration::from_secs(10);

/// How many notifications are sent at once; the others wait. Those that nobody answers would take up every connection otherwise.
const MOST_SENT: usize = 100;

/// How many chunks of a webhook's answer are read. Nobody looks at them, and they may be without end.
const MOST_CHUNKS: usize = 256;

/// A scripted agent that is served over HTTP. A clone is the same agent.
#[derive(Clone)]
pub struct AgentServer {
    /// The agent.
    pub agent: ScriptedAgent,
    /// What it received.
    pub captured: CapturedRequests,
    /// Whether whoever reaches the agent may see what it received; otherwise only programs on this machine may.
    pub exposes_captured: bool,
    /// Whether its answers are compressed on their way.
    pub compresses: bool,
    /// Records what it is asked and answers, unless somebody watches.
    pub recorder: Option<ExchangeRecorder>,
    /// Judges its clients, if somebody does.
    pub watcher: Option<Rc<dyn ClientWatcher>>,
    /// The bodies of the requests that are not answered yet.
    pub bodies: HeldBodies,
}

impl AgentServer {
    /// A new agent at this origin.
    #[must_use]
    pub fn new(origin: &str, faults: Faults, exposes_captured: bool) -> Self {
        let host = native::host();
        let is_delegating = faults.has(FaultId::Delegating);
        let compresses = faults.has(FaultId::Compressing);
        let agent = ScriptedAgent::new(origin, host.clock, host.ids, faults);
        if is_delegating {
            agent.delegate_by(Rc::clone(&host.transport));
        }
        agent.send_webhooks_by(webhook_sender(host.transport));
        let captured = agent.capture_requests();
        Self {
            agent,
            captured,
            exposes_captured,
            compresses,
            recorder: None,
            watcher: None,
            bodies: HeldBodies::default(),
        }
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

/// Sends the notifications of each config in order, and those of several configs at the same time. How each was answered it
/// tells the agent, which sends one that failed a second time.
fn webhook_sender(transport: Rc<dyn Transport>) -> WebhookSender {
    let places = Rc::new(Semaphore::new(MOST_SENT));
    Rc::new(move |mut notifications, last_status| {
        let (transport, places) = (Rc::clone(&transport), Rc::clone(&places));
        spawn_local(async move {
            while let Some(request) = notifications.next().await {
                let _place = places.acquire().await;
                let send = async {
                    let answer = transport.send(request).await.ok()?;
                    answer.body.take(MOST_CHUNKS).for_each(|_| async {}).await;
                    Some(answer.head.status)
                };
                last_status.set(timeout(WEBHOOK_TIMEOUT, send).await.ok().flatten());
            }
        });
    })
}
