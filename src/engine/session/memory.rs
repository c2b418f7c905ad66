//! How much of an agent's answers a run keeps: the longest body and stream, the most events, and when a run is full. An answer
//! beyond a limit ends there, and a run that is full ends.

use std::cell::Cell;

use crate::wire::exchange::TimedFrame;
use crate::wire::http::{Headers, Request};
use crate::wire::limits::{
    LONG_REQUESTS, MB, MOST_FIELDS, MOST_HEAD, MemoryLimits, OF_CHECKS, OF_WRITTEN_TESTS, USUAL_REQUEST,
};
use crate::wire::sse::Limits;

/// The two forms of an answer, which have limits of their own.
#[derive(Debug, Clone, Copy)]
pub(super) enum AnswerKind {
    Body,
    Stream,
}

/// An estimate of the memory that the answers of a run take.
pub(super) struct MemoryUse {
    used: Cell<usize>,
    /// What long requests took beyond what our own words need.
    sent: Cell<usize>,
    limits: &'static MemoryLimits,
}

impl MemoryUse {
    /// Of a run that has kept nothing yet, of checks or of tests that a user wrote.
    pub(super) const fn new(is_written: bool) -> Self {
        Self { used: Cell::new(0), sent: Cell::new(0), limits: if is_written { &OF_WRITTEN_TESTS } else { &OF_CHECKS } }
    }

    /// The limits within an event stream.
    pub(super) const fn of_events(&self) -> Limits {
        Limits { line: self.limits.line, event: self.limits.event }
    }

    /// Adds what a request takes beyond what our own words need: an agent names ids, tenants and extensions that every request repeats.
    pub(super) fn add_request(&self, request: &Request) {
        let head: usize = request.headers.iter().map(|(name, value)| name.len() + value.len()).sum();
        let length = request.url.len() + head + request.body.as_ref().map_or(0, Vec::len);
        let more = length.saturating_sub(USUAL_REQUEST);
        self.sent.set(self.sent.get().saturating_add(more));
        if self.sent.get() > LONG_REQUESTS {
            self.used.set(self.used.get().saturating_add(2 * more));
        }
    }

    /// Adds the head of an answer, which came from this URL.
    pub(super) fn add_head(&self, headers: &Headers, url: &str) {
        let length: usize = headers.iter().map(|(name, value)| name.len() + value.len()).sum();
        self.used.set(self.used.get().saturating_add(2 * (length + url.len())));
    }

    /// Why an answer with this head is not read, if it is not. Of its fields the first are kept.
    pub(super) fn head_exceeds(&self, headers: &mut Headers) -> Option<String> {
        headers.truncate(MOST_FIELDS).then(|| format!("the head of the answer has more than {MOST_FIELDS} fields"))
    }

    /// Adds an event of a stream.
    pub(super) fn add_event(&self, TimedFrame { frame, .. }: &TimedFrame) -> usize {
        let others = [&frame.event, &frame.id].into_iter().flatten().map(|text| self.add(text.as_bytes()));
        self.add(frame.data.as_bytes()) + others.sum::<usize>()
    }

    /// Adds bytes of an answer, and returns their estimated weight: their text, as it came and as what was read out of it,
    /// and the values in it.
    pub(super) fn add(&self, bytes: &[u8]) -> usize {
        let weight_of = |byte: &u8| match byte {
            b'{' => 400,
            b',' | b':' | b'[' => 80,
            _ => 2,
        };
        let weight = bytes.iter().map(weight_of).sum();
        self.used.set(self.used.get().saturating_add(weight));
        weight
    }

    /// Subtracts what was dropped.
    pub(super) fn subtract(&self, weight: usize) {
        self.used.set(self.used.get().saturating_sub(weight));
    }

    /// Why nothing new is begun, once the run is full.
    pub(super) fn full(&self) -> Option<String> {
        let is_full = self.used.get() >= self.limits.kept;
        is_full.then(|| "the answers in this run have used up the memory allowed".to_owned())
    }

    /// Which limit an answer of that length and weight exceeds, if it does.
    pub(super) fn exceeded(&self, kind: AnswerKind, bytes: usize, weight: usize) -> Option<String> {
        let (what, most) = match kind {
            AnswerKind::Body => ("body", self.limits.body),
            AnswerKind::Stream => ("stream", self.limits.stream),
        };
        if bytes > most {
            return Some(format!("the {what} is longer than {} MB", most / MB));
        }
        if weight > self.limits.weight {
            return Some(format!("the {what} contains more values than fit in memory"));
        }
        self.full().filter(|_| bytes > MOST_HEAD)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::sse::Frame;

    #[test]
    fn what_is_added_weighs_until_it_is_dropped() {
        let memory = MemoryUse::new(false);
        let weight = memory.add(br#"{"a":[1]}"#);
        assert_eq!((weight, memory.used.get()), (400 + 2 * 80 + 6 * 2, weight));
        let frame = Frame { data: "{}".to_owned(), id: Some("1".to_owned()), ..Frame::default() };
        let of_event = memory.add_event(&TimedFrame { at_ms: 0.0, frame });
        assert_eq!((of_event, memory.used.get()), (402 + 2, weight + of_event));
        memory.subtract(weight);
        assert_eq!(memory.used.get(), of_event);
    }
}
