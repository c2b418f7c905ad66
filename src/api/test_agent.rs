//! `TestAgent`: the scripted agent on a port of this machine, for the tests of clients and proxies.

use std::fmt;
use std::io;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::agent::CapturedRequest;
use crate::agent::fault::Faults;
use crate::host::native;
use crate::server::{AgentServer, ListenAddress};

/// The scripted agent over HTTP on a free port of this machine, in a thread of its own, until it is stopped or dropped.
///
/// A message declares what the agent answers to it: [`responses_directive`](crate::responses_directive) makes the text for that.
///
/// ```
/// use a2a_conformance::{TestAgent, responses_directive};
/// # mod client {
/// #     use std::io::{Read, Write};
/// #     /// Sends a text over JSON-RPC and answers what came back.
/// #     pub(super) fn send(url: &str, text: &str) -> std::io::Result<String> {
/// #         let body = format!(
/// #             r#"{{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{{"message":{{"messageId":"m-1",
/// #                "role":"ROLE_USER","parts":[{{"text":"{text}"}}]}}}}}}"#
/// #         );
/// #         let mut stream = std::net::TcpStream::connect(url.trim_start_matches("http://"))?;
/// #         write!(stream, "POST /rpc HTTP/1.1\r\nHost: h\r\nConnection: close\r\nA2A-Version: 1.0\r\n")?;
/// #         write!(stream, "Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}", body.len())?;
/// #         let mut answer = String::new();
/// #         stream.read_to_string(&mut answer)?;
/// #         Ok(answer)
/// #     }
/// # }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let agent = TestAgent::start()?;
/// let sorry = responses_directive("sorry", r#"[[{"kind": "task", "status": {"state": "rejected"}}]]"#)?;
///
/// let answer = client::send(agent.url(), &format!("Book a flight. {sorry}"))?;
///
/// assert!(answer.contains("TASK_STATE_REJECTED"));
/// assert!(agent.captured("sorry")[0].text().contains("Book a flight."));
/// agent.clear();
/// assert!(agent.captured("sorry").is_empty());
/// agent.stop();
/// # Ok(())
/// # }
/// ```
pub struct TestAgent {
    url: String,
    orders: Option<UnboundedSender<AgentCommand>>,
    thread: Option<JoinHandle<()>>,
}

/// What the thread of the agent is asked for, and where its answer goes.
enum AgentCommand {
    Captured(Option<String>, mpsc::Sender<Vec<CapturedRequest>>),
    Clear(mpsc::Sender<()>),
}

impl TestAgent {
    /// Starts a conformant agent.
    ///
    /// # Errors
    /// When the system gives no port or no thread.
    pub fn start() -> io::Result<Self> {
        Self::start_with([])
    }

    /// Starts an agent with these faults; [`ScriptedAgent::faults`](crate::ScriptedAgent::faults) lists them.
    ///
    /// # Errors
    /// When a fault does not exist, or the system gives no port or no thread.
    pub fn start_with<'a>(faults: impl IntoIterator<Item = &'a str>) -> io::Result<Self> {
        let faults = Faults::parse(faults).map_err(|problem| io::Error::new(io::ErrorKind::InvalidInput, problem))?;
        let (started, start) = mpsc::channel();
        let (orders, received) = unbounded_channel();
        let thread = thread::Builder::new().name("test-agent".to_owned()).spawn(move || {
            native::block_on(async move {
                let place = match ListenAddress::at("127.0.0.1:0").await {
                    Ok(place) => place,
                    // Nobody waits for the answer when the test has been given up.
                    Err(problem) => return drop(started.send(Err(problem))),
                };
                let served = AgentServer::new(&place.origin, faults, false);
                let _ = started.send(Ok(place.origin.clone()));
                tokio::select! {
                    () = place.serve_agent(served.clone()) => {}
                    () = obey(received, &served) => {}
                }
            });
        })?;
        let url = start.recv().map_err(io::Error::other)??;
        Ok(Self { url, orders: Some(orders), thread: Some(thread) })
    }

    /// Its URL, such as `http://127.0.0.1:40123`. The card is at `/.well-known/agent-card.json` below it, the JSON-RPC endpoint
    /// at `/rpc`, and the routes of HTTP+JSON are below `/rest`; below `/0.3`, `/0.2` and `/0.1` it is an agent of that version.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The requests of a test case that it received, oldest first, with credentials masked. The newest 1,000 requests are kept,
    /// and no more than 16 MB of them.
    #[must_use]
    pub fn captured(&self, test_case: &str) -> Vec<CapturedRequest> {
        self.ask(|answer| AgentCommand::Captured(Some(test_case.to_owned()), answer)).unwrap_or_default()
    }

    /// All requests that it received, as [`TestAgent::captured`].
    #[must_use]
    pub fn all_captured(&self) -> Vec<CapturedRequest> {
        self.ask(|answer| AgentCommand::Captured(None, answer)).unwrap_or_default()
    }

    /// Forgets the requests that it received and the responses that were declared. Its tasks stay.
    pub fn clear(&self) {
        self.ask(AgentCommand::Clear);
    }

    /// Stops it, and closes its connections. Dropping it does the same.
    pub fn stop(self) {}

    fn ask<T>(&self, order: impl FnOnce(mpsc::Sender<T>) -> AgentCommand) -> Option<T> {
        let (answer, answered) = mpsc::channel();
        self.orders.as_ref()?.send(order(answer)).ok()?;
        answered.recv().ok()
    }
}

impl Drop for TestAgent {
    fn drop(&mut self) {
        // The thread ends when nobody can ask it for anything.
        self.orders = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl fmt::Debug for TestAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TestAgent({})", self.url)
    }
}

/// Does what the test asks for, until it asks for nothing more.
async fn obey(mut orders: UnboundedReceiver<AgentCommand>, served: &AgentServer) {
    // Whoever asked may have been given up.
    while let Some(order) = orders.recv().await {
        match order {
            AgentCommand::Captured(test_case, answer) => {
                drop(answer.send(served.captured.of_test_case(test_case.as_deref())))
            }
            AgentCommand::Clear(answer) => {
                served.clear(None);
                let _ = answer.send(());
            }
        }
    }
}
