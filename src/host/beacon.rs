//! The port to a beacon: an agent of ours that the agent under test is told to call, and the calls that arrived there. A call that
//! arrived proves more than the agent's word.

use futures_util::future::LocalBoxFuture;

use super::webhooks::ReceivedRequest;

/// An agent of ours that others call.
pub trait Beacon {
    /// Whether the user says that the agent reaches it. Otherwise an agent in a container may not.
    fn is_reachable(&self) -> bool;

    /// Where it is, or why nothing can listen there. The first call begins to listen.
    fn origin(&self) -> LocalBoxFuture<'static, Result<String, String>>;

    /// How it answers messages from now on that hold this token, in a text or in a file.
    fn answer(&self, token: &str, answer: BeaconAnswer);

    /// What has arrived so far, in order: fetches of the card, and calls.
    fn received(&self) -> Vec<ReceivedRequest>;
}

/// How a beacon answers a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BeaconAnswer {
    /// With a task that completes with this text.
    Result(String),
    /// With status 500.
    Error,
    /// With a task that completes with this text after so many milliseconds.
    Late(String, u32),
}
