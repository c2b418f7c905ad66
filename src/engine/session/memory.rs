//! How much of an agent's answers a run keeps. An answer beyond a limit ends there, and a run that is full ends.

use std::cell::Cell;

const MB: usize = 1024 * 1024;
/// The longest body that is read to its end.
const MAX_BODY: usize = 5 * MB;
/// The most events of a stream that are read.
pub(super) const MAX_EVENTS: usize = 2000;
/// The longest stream that is read.
const MAX_STREAM: usize = 8 * MB;
/// The most memory that one answer may take. Values take far more than their text: a body of nothing but tiny objects
/// takes a hundred times its length.
const MAX_WEIGHT: usize = 24 * MB;
/// The most memory that all answers of a run may take together; then it ends.
const MAX_KEPT: usize = 64 * MB;
/// How much is kept of the events of a stream that was too long.
pub(super) const MAX_BEGINNING: usize = 256 * 1024;
/// How much is kept of a body that was too long, and read of an answer that is under way when the run is full.
pub(super) const MAX_HEAD: usize = 64 * 1024;

/// Why a run ends whose answers were too much.
const FULL: &str = "the answers in this run have used up the memory allowed";

/// The two forms of an answer, which have limits of their own.
#[derive(Debug, Clone, Copy)]
pub(super) enum AnswerKind {
    Body,
    Stream,
}

impl AnswerKind {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Body => "body",
            Self::Stream => "stream",
        }
    }

    const fn max_bytes(self) -> usize {
        match self {
            Self::Body => MAX_BODY,
            Self::Stream => MAX_STREAM,
        }
    }
}

/// An estimate of the memory that the answers of a run take.
#[derive(Default)]
pub(super) struct MemoryUse(Cell<usize>);

impl MemoryUse {
    /// Adds bytes of an answer, and returns their estimated weight: their text, as it came and as what was read out of it,
    /// and the values in it.
    pub(super) fn add(&self, bytes: &[u8]) -> usize {
        let weight_of = |byte: &u8| match byte {
            b'{' => 400,
            b',' | b':' | b'[' => 80,
            _ => 2,
        };
        let weight = bytes.iter().map(weight_of).sum();
        self.0.set(self.0.get().saturating_add(weight));
        weight
    }

    /// Subtracts what was dropped.
    pub(super) fn subtract(&self, weight: usize) {
        self.0.set(self.0.get().saturating_sub(weight));
    }

    /// Why nothing new is begun, once the run is full.
    pub(super) fn full(&self) -> Option<String> {
        (self.0.get() >= MAX_KEPT).then(|| FULL.to_owned())
    }

    /// Which limit an answer of that length and weight exceeds, if it does.
    pub(super) fn exceeded(&self, kind: AnswerKind, bytes: usize, weight: usize) -> Option<String> {
        let what = kind.as_str();
        if bytes > kind.max_bytes() {
            return Some(format!("the {what} is longer than {} MB", kind.max_bytes() / MB));
        }
        if weight > MAX_WEIGHT {
            return Some(format!("the {what} contains more values than fit in memory"));
        }
        self.full().filter(|_| bytes > MAX_HEAD)
    }
}
