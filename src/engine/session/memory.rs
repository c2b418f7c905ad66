//! How much of an agent's answers a run keeps: the longest body and stream, the most events, and when a run is full. An answer
//! beyond a limit ends there, and a run that is full ends.

use std::cell::Cell;

use crate::wire::sse::Limits;

const MB: usize = 1024 * 1024;
/// The most events of a stream that are read.
pub(super) const MAX_EVENTS: usize = 2000;
/// How much is kept of the events of a stream that was too long.
pub(super) const MAX_BEGINNING: usize = 256 * 1024;
/// How much is kept of a body that was too long, and read of an answer that is under way when the run is full.
pub(super) const MAX_HEAD: usize = 64 * 1024;

/// The two forms of an answer, which have limits of their own.
#[derive(Debug, Clone, Copy)]
pub(super) enum AnswerKind {
    Body,
    Stream,
}

/// How much is read and kept.
#[derive(Debug, Clone, Copy)]
pub(super) struct MemoryLimits {
    /// The longest body that is read to its end.
    body: usize,
    /// The longest stream that is read.
    stream: usize,
    /// The longest line, and the longest event, of a stream.
    pub(super) event: Limits,
    /// The most memory that one answer may take. Values take far more than their text: a body of nothing but tiny objects
    /// takes a hundred times its length.
    weight: usize,
    /// The most memory that all answers of a run may take together; then it ends.
    kept: usize,
}

/// Of checks, whose requests no sane agent answers with so much.
const OF_CHECKS: MemoryLimits = MemoryLimits {
    body: 5 * MB,
    stream: 8 * MB,
    event: Limits { line: MB, event: 4 * MB },
    weight: 24 * MB,
    kept: 64 * MB,
};
/// Of tests that a user wrote, who may want to see files come back: ten megabytes are fourteen as base64.
const OF_WRITTEN_TESTS: MemoryLimits = MemoryLimits {
    body: 24 * MB,
    stream: 32 * MB,
    event: Limits { line: 24 * MB, event: 24 * MB },
    weight: 80 * MB,
    kept: 512 * MB,
};

/// An estimate of the memory that the answers of a run take.
pub(super) struct MemoryUse {
    used: Cell<usize>,
    pub(super) limits: &'static MemoryLimits,
}

impl MemoryUse {
    /// Of a run that has kept nothing yet, of checks or of tests that a user wrote.
    pub(super) const fn new(is_written: bool) -> Self {
        Self { used: Cell::new(0), limits: if is_written { &OF_WRITTEN_TESTS } else { &OF_CHECKS } }
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
        self.full().filter(|_| bytes > MAX_HEAD)
    }
}
