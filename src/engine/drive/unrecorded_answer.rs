//! What came of a call that was made beside the record, as a load makes them.

use futures_util::future::LocalBoxFuture;

use crate::a2a::binding::{Reply, SentCall};
use crate::a2a::model::Operation;
use crate::wire::exchange::{End, Exchange};

/// A call beside the record, and what came of it. The exchange holds the secrets that were sent with it.
#[derive(Debug)]
pub struct UnrecordedAnswer {
    pub(super) exchange: Exchange,
    pub(super) sent: SentCall,
    /// The reply.
    pub reply: Reply,
    /// When it was sent, in milliseconds since the run began.
    pub begun_ms: f64,
    /// When it was over.
    pub ended_ms: f64,
}

/// Such a call under way.
pub type UnrecordedFuture<'a> = LocalBoxFuture<'a, UnrecordedAnswer>;

impl UnrecordedAnswer {
    /// The operation that was called.
    #[must_use]
    pub const fn operation(&self) -> Option<Operation> {
        self.sent.operation
    }

    /// The HTTP status, if an answer came.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        self.exchange.status()
    }

    /// How the exchange ended.
    #[must_use]
    pub const fn end(&self) -> &End {
        &self.exchange.end
    }

    /// When the first event of a stream came, in milliseconds since the run began.
    #[must_use]
    pub fn first_event_ms(&self) -> Option<f64> {
        let response = self.exchange.response.as_ref()?;
        response.frames.first().map(|timed| timed.at_ms)
    }

    /// When its last event so far came, in milliseconds since the run began.
    #[must_use]
    pub fn last_event_ms(&self) -> Option<f64> {
        let response = self.exchange.response.as_ref()?;
        response.frames.last().map(|timed| timed.at_ms)
    }
}
