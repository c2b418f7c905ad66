//! A transport to a scripted agent in the same process, without sockets.

use futures_util::FutureExt;
use futures_util::future::{LocalBoxFuture, ready};

use super::scripted_agent::ScriptedAgent;
use crate::host::{StreamedResponse, Transport};
use crate::wire::exchange::{TransportError, TransportErrorKind};
use crate::wire::http::Request;

/// Passes requests for the agent's origin to the agent; other origins are unreachable.
#[derive(Clone)]
pub struct Loopback(ScriptedAgent);

impl Loopback {
    /// A transport to this agent.
    #[must_use]
    pub const fn new(agent: ScriptedAgent) -> Self {
        Self(agent)
    }
}

impl Transport for Loopback {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<StreamedResponse, TransportError>> {
        if origin(&request.url).eq_ignore_ascii_case(origin(self.0.base())) {
            return follow(self.0.clone(), request).boxed_local();
        }
        let detail = format!("only {} can be reached from here", origin(self.0.base()));
        ready(Err(TransportError { kind: TransportErrorKind::Unreachable, detail })).boxed_local()
    }
}

/// The agent's answer, behind one redirect if it is one that keeps the method, as other transports follow it.
async fn follow(agent: ScriptedAgent, request: Request) -> Result<StreamedResponse, TransportError> {
    let answer = agent.respond(request.clone()).await?;
    let Some(url) = answer.head.headers.get("location").filter(|_| answer.head.status == 307).map(str::to_owned) else {
        return Ok(answer);
    };
    let mut answer = agent.respond(Request { url: url.clone(), ..request }).await?;
    (answer.head.redirected, answer.head.url) = (true, url);
    Ok(answer)
}

/// Scheme and authority of a URL.
fn origin(url: &str) -> &str {
    let authority = url.find("://").map_or(0, |at| at + 3);
    let end = url.get(authority..).and_then(|rest| rest.find(['/', '?', '#'])).map_or(url.len(), |at| authority + at);
    url.get(..end).unwrap_or(url)
}
