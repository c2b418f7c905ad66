//! The fuzz targets: functions that take any bytes and panic where something is wrong with what reads them.
//!
//! One list serves two programs: the tests of `tests/fuzz/main.rs`, which try the kept inputs and some more on stable Rust in every
//! pull request, and `tests/fuzz/guided`, which libFuzzer drives for as long as one likes.

mod agents;
mod answers;
mod binary_messages;
mod cards;
mod certificates;
mod event_streams;
mod files;
mod input;
mod json_texts;
mod lawful;
mod plain_texts;
mod random;
mod random_agents;
mod redaction;
mod sockets;
#[path = "../../it/webhook_double.rs"]
mod webhook_double;

pub(crate) use random::Random;

/// A fuzz target.
pub(crate) struct Target {
    /// Its name, and that of its folder in `tests/fuzz/corpus`.
    pub(crate) name: &'static str,
    /// Tries an input.
    pub(crate) run: fn(&[u8]),
    /// Inputs to begin with, made of what the product and its tests have.
    pub(crate) seeds: fn() -> Vec<Vec<u8>>,
    /// The longest input, in bytes.
    pub(crate) longest: usize,
}

/// All of them.
pub(crate) const TARGETS: [Target; 16] = [
    target("sse", event_streams::run, event_streams::seeds, 4096),
    target("json", json_texts::run, json_texts::seeds, 4096),
    target("protobuf", binary_messages::messages, binary_messages::message_seeds, 4096),
    target("grpc", binary_messages::frames, binary_messages::frame_seeds, 4096),
    target("texts", plain_texts::run, plain_texts::seeds, 512),
    target("redaction", redaction::run, redaction::seeds, 512),
    target("answers", answers::run, answers::seeds, 8192),
    target("card", cards::run, cards::seeds, 8192),
    target("acts", files::tests, files::test_seeds, 16_384),
    target("report", files::report, files::report_seeds, 1 << 18),
    target("har", files::har, files::har_seeds, 1 << 18),
    target("recording", files::recording, files::report_seeds, 1 << 18),
    target("certificate", certificates::run, certificates::seeds, 8192),
    target("http", sockets::run, sockets::seeds, 4096),
    target("random-agent", random_agents::run, random_agents::seeds, 16),
    target("lawful-agent", lawful::run, lawful::seeds, 16),
];

const fn target(name: &'static str, run: fn(&[u8]), seeds: fn() -> Vec<Vec<u8>>, longest: usize) -> Target {
    Target { name, run, seeds, longest }
}
