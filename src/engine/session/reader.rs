//! Reads one answer: to its end, or until it takes too long, grows too large or enough of it was seen.

use futures_util::StreamExt;
use futures_util::future::{Either, select};
use futures_util::stream::LocalBoxStream;

use super::memory::{AnswerKind, MemoryUse};
use super::time_limits::{AwaitedEvent, RunClock, TimeLimits, WaitLimit};
use crate::a2a::grpc_codec::GrpcReader;
use crate::engine::user_waits::{Wait, WaitEnd};
use crate::wire::exchange::{End, Response, TimedFrame};
use crate::wire::limits::{MOST_BEGINNING, MOST_EVENTS, MOST_HEAD};
use crate::wire::sse::{Frame, Item, Parser};

/// Whether to go on reading a stream.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StreamControl {
    /// Read on.
    Continue,
    /// Read on after so many milliseconds, as a slow reader does.
    Pause(f64),
    /// Enough was seen.
    HangUp,
    /// The stream should end by itself within so many milliseconds; then hang up.
    Grace(f64),
}

/// Looks at each event of a stream and says whether to go on.
pub(super) type Watch<'a> = &'a mut dyn FnMut(&Frame) -> StreamControl;

/// How the bytes of an answer are cut into what is recorded.
enum Framing {
    /// Not at all.
    Body,
    /// As server-sent events.
    Events(Parser),
    /// As messages of gRPC.
    Grpc(GrpcReader),
}

/// The next piece of an answer.
enum Next {
    Chunk(Vec<u8>),
    Complete,
    /// Something ended it.
    End(End),
    /// The user waits no longer.
    GivenUp,
}

type Chunks = LocalBoxStream<'static, Result<Vec<u8>, String>>;

/// Reads one answer into a response.
pub(super) struct AnswerReader<'a> {
    clock: &'a RunClock,
    limits: &'a TimeLimits,
    memory: &'a MemoryUse,
    waiting: &'a Wait,
    response: &'a mut Response,
    /// When the scenario has to end.
    deadline_ms: f64,
    /// The current wait.
    wait: WaitLimit,
    /// Since when.
    since_ms: f64,
    /// Until when a stream may end by itself.
    grace_ms: f64,
    /// For how long nothing is read before the next chunk.
    pause_ms: f64,
    /// The estimated memory of this answer.
    weight: usize,
}

impl<'a> AnswerReader<'a> {
    /// A reader for the answer whose head is in `response`.
    pub(super) fn new(
        (clock, limits, memory, waiting): (&'a RunClock, &'a TimeLimits, &'a MemoryUse, &'a Wait),
        response: &'a mut Response,
        deadline_ms: f64,
        wait: WaitLimit,
    ) -> Self {
        let since_ms = clock.now_ms() - waiting.waited_ms();
        Self {
            clock,
            limits,
            memory,
            waiting,
            response,
            deadline_ms,
            wait,
            since_ms,
            grace_ms: f64::INFINITY,
            pause_ms: 0.0,
            weight: 0,
        }
    }

    /// Reads until the answer ends or something ends it; `None` when the user gave up.
    pub(super) async fn read(mut self, mut chunks: Chunks, grpc: Option<GrpcReader>, watch: Watch<'_>) -> Option<End> {
        let mut framing = match grpc {
            Some(reader) => Framing::Grpc(reader),
            None if self.response.is_event_stream() => Framing::Events(Parser::new(self.memory.of_events())),
            None => Framing::Body,
        };
        loop {
            let chunk = match self.next_chunk(&mut chunks).await {
                Next::Chunk(chunk) => chunk,
                Next::Complete => {
                    self.finish(framing);
                    return Some(End::Complete);
                }
                Next::End(end) => return Some(end),
                Next::GivenUp => return None,
            };
            self.response.bytes += chunk.len();
            let end = match &mut framing {
                Framing::Events(parser) => self.add_events(parser.push(&chunk), watch),
                Framing::Grpc(reader) => self.add_messages(reader, &chunk, watch),
                Framing::Body => self.add_to_body(&chunk),
            };
            if end.is_some() {
                return end;
            }
        }
    }

    /// The next chunk, or what came in its place.
    async fn next_chunk(&mut self, chunks: &mut Chunks) -> Next {
        if self.pause_ms > 0.0 {
            let host = self.clock.host();
            host.sleep(std::mem::take(&mut self.pause_ms)).await;
            self.since_ms = self.clock.now_ms();
            self.wait = self.limits.wait(AwaitedEvent::NextEvent, self.since_ms);
        }
        let until_ms = self.wait.until_ms.min(self.deadline_ms).min(self.grace_ms);
        let now_ms = self.clock.now_ms();
        let left_ms = until_ms - now_ms;
        if left_ms <= 0.0 {
            return Next::End(self.timed_out(until_ms));
        }
        self.waiting.restart(now_ms - self.since_ms, left_ms);
        let known_ms = self.waiting.extra_ms.get();
        let next = select(chunks.next(), self.waiting.ended(left_ms)).await;
        // A user who chooses to wait longer wants to see the rest, too.
        let extra_ms = self.waiting.extra_ms.get() - known_ms;
        self.deadline_ms += extra_ms;
        self.wait = self.wait.later(extra_ms);
        match next {
            Either::Left((Some(Ok(chunk)), _)) => Next::Chunk(chunk),
            Either::Left((Some(Err(detail)), _)) => Next::End(End::Broken(detail)),
            Either::Left((None, _)) => Next::Complete,
            Either::Right((WaitEnd::GivenUp, _)) if self.waiting.hung_up.get() && self.response.is_event_stream() => {
                Next::End(End::HungUp)
            }
            Either::Right((WaitEnd::GivenUp, _)) => Next::GivenUp,
            Either::Right(_) => Next::End(self.timed_out(until_ms + extra_ms)),
        }
    }

    /// The end that came with that time: the limit that was reached first.
    fn timed_out(&self, until_ms: f64) -> End {
        if self.grace_ms <= until_ms {
            End::HungUp
        } else if self.wait.until_ms <= until_ms {
            End::Deadline(self.wait.describe())
        } else {
            End::Deadline(self.limits.describe_deadline(self.deadline_ms))
        }
    }

    /// Takes what only the end of an answer shows.
    fn finish(&mut self, framing: Framing) {
        match framing {
            Framing::Events(parser) => {
                let at_ms = self.clock.record_ms();
                record(parser.finish(), self.response, at_ms, &mut |_| StreamControl::Continue);
            }
            Framing::Grpc(reader) => {
                if let Some(answer) = &mut self.response.grpc {
                    reader.finish(answer);
                }
            }
            Framing::Body => {}
        }
    }

    /// Adds the messages of a chunk: those of a stream as events, a single one as the body.
    fn add_messages(&mut self, reader: &mut GrpcReader, chunk: &[u8], watch: Watch<'_>) -> Option<End> {
        let answer = self.response.grpc.get_or_insert_default();
        let messages = reader.push(chunk, answer);
        let outgrown = reader.outgrown().map(|why| End::TooLarge(why.to_owned()));
        if answer.streams {
            let events = messages.into_iter().map(|data| Item::Event(Frame { data, ..Frame::default() })).collect();
            return self.add_events(events, watch).or(outgrown);
        }
        let mut end = outgrown;
        end =
            end.or_else(|| self.memory.exceeded(AnswerKind::Body, self.response.bytes, self.weight).map(End::TooLarge));
        for message in messages {
            // More messages than one are a flaw, which is noted; the first is the answer.
            if self.response.body.is_empty() {
                end = self.add_to_body(message.as_bytes());
            }
        }
        end
    }

    /// Adds a chunk to a body, unless it grows too large.
    fn add_to_body(&mut self, chunk: &[u8]) -> Option<End> {
        self.response.body.extend(chunk);
        self.weight += self.memory.add(chunk);
        let exceeded = self.memory.exceeded(AnswerKind::Body, self.response.bytes, self.weight)?;
        // Half a document is never judged, so that no more of it is kept than can be shown.
        self.response.body.truncate(MOST_HEAD);
        self.response.body.shrink_to_fit();
        self.memory.subtract(self.weight);
        self.memory.add(&self.response.body);
        Some(End::TooLarge(exceeded))
    }

    /// Adds the events of a chunk, until `watch` has seen enough or the stream grows too large.
    fn add_events(&mut self, events: Vec<Item>, watch: Watch<'_>) -> Option<End> {
        let at_ms = self.clock.record_ms();
        let known = self.response.frames.len();
        match record(events, self.response, at_ms, watch) {
            StreamControl::Continue => {}
            StreamControl::HangUp => return Some(End::HungUp),
            StreamControl::Grace(ms) => self.grace_ms = self.grace_ms.min(at_ms + ms),
            StreamControl::Pause(ms) => self.pause_ms = ms,
        }
        if !self.response.frames.is_empty() {
            self.wait = self.limits.wait(AwaitedEvent::NextEvent, at_ms);
            self.since_ms = at_ms;
        }
        let new = self.response.frames.iter().skip(known);
        self.weight += new.map(|timed| self.memory.add_event(timed)).sum::<usize>();
        let exceeded = if self.response.frames.len() >= MOST_EVENTS {
            format!("the stream contains more than {MOST_EVENTS} events")
        } else {
            self.memory.exceeded(AnswerKind::Stream, self.response.bytes, self.weight)?
        };
        self.keep_beginning();
        Some(End::TooLarge(exceeded))
    }

    /// Drops all but the first events: they show what the stream is, and a few endless streams must not fill the run.
    fn keep_beginning(&mut self) {
        self.memory.subtract(self.weight);
        let mut room = MOST_BEGINNING;
        let mut kept = 0;
        for timed in &self.response.frames {
            match room.checked_sub(timed.frame.length()) {
                Some(left) => room = left,
                None if kept > 0 => break,
                None => room = 0,
            }
            self.memory.add_event(timed);
            kept += 1;
        }
        self.response.frames.truncate(kept);
        self.response.frames.shrink_to_fit();
    }
}

/// Puts parsed items into the response; returns the last thing that `watch` said besides going on.
fn record(items: Vec<Item>, response: &mut Response, at_ms: f64, watch: Watch<'_>) -> StreamControl {
    let mut control = StreamControl::Continue;
    for item in items {
        match item {
            Item::Event(frame) => {
                if response.frames.len() < MOST_EVENTS && control != StreamControl::HangUp {
                    match watch(&frame) {
                        StreamControl::Continue => {}
                        said => control = said,
                    }
                    response.frames.push(TimedFrame { at_ms, frame });
                }
            }
            Item::Comment(_) => response.comments += 1,
            Item::Odd(oddity) => response.oddities.push(oddity),
        }
    }
    control
}
