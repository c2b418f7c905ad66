//! Sends exchanges beside the record, for a load of so many that hardly any is kept; the driver's part is
//! `drive/unrecorded_calls.rs`.

use std::rc::Rc;

use super::memory::MemoryUse;
use super::{RequestLabel, Session, SessionEvent, StreamControl};
use crate::engine::load::LoadFigures;
use crate::wire::exchange::Exchange;
use crate::wire::http::Request;
use crate::wire::sse::Frame;

impl Session {
    /// Sends a request beside the record and reads the answer, for a load of requests of which hardly any is kept: the exchange still has its secrets, and is
    /// to be dropped or handed to [`Session::keep`]. Its answer takes no room of the run's.
    pub async fn exchange_apart(
        &self,
        label: RequestLabel<'_>,
        request: Request,
        deadline_ms: f64,
        watch: &mut dyn FnMut(&Frame) -> StreamControl,
    ) -> Exchange {
        let memory = MemoryUse::new(false);
        self.send(&memory, label, request, deadline_ms, watch).await
    }

    /// Puts an exchange on the record that was made beside it, if there is room for its answer.
    pub fn keep(&self, exchange: Exchange) -> Option<Rc<Exchange>> {
        if let Some(response) = &exchange.response {
            let frames = response.frames.iter().map(|timed| timed.frame.data.as_bytes());
            let weight = frames.chain([response.body.as_slice()]).map(|bytes| self.memory.add(bytes)).sum();
            if self.memory.full().is_some() {
                self.memory.subtract(weight);
                return None;
            }
        }
        Some(self.publish(exchange))
    }

    /// Puts the figures of a load on the record.
    pub fn record_load(&self, figures: LoadFigures) {
        self.emit(SessionEvent::Loaded(Rc::new(figures)));
    }
}
