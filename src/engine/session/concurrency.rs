//! How many requests are under way at once, whose turn is next, and when slow answers make them fewer.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::task::{Poll, Waker};

use crate::a2a::model::Operation;

/// Lets a number of requests be under way at once. The others wait in line: those that most depends on go first, and of
/// those the one that came first.
#[derive(Debug, Default)]
pub struct Gate {
    /// As many as the user allows.
    most: usize,
    /// As many as the agent can take.
    places: Cell<usize>,
    /// How long the quickest call of each kind took, in milliseconds, and when it was last seen that the agent has too much to do.
    quickest_ms: RefCell<Vec<(Operation, f64)>>,
    busy_since_ms: Cell<f64>,
    calls: Cell<usize>,
    streams: Cell<usize>,
    next: Cell<u64>,
    /// Whether somebody has the agent to himself: others wait, unless they are urgent.
    is_reserved: Cell<bool>,
    /// Sorted. A tree of it would be 8 KB of the page's checker.
    line: RefCell<Vec<(Ticket, Waker)>>,
    /// The scenarios that open no more streams although they go on, each with its lane.
    streams_over: RefCell<Vec<(&'static str, String)>>,
    /// Those that want to know when something changes.
    observers: RefCell<Vec<Waker>>,
}

/// A place in the line. Greater ranks come first.
type Ticket = (std::cmp::Reverse<u32>, u64);

/// The rank of what goes before everything else, and is not kept waiting by who has the agent to himself.
pub const URGENT: u32 = u32::MAX;

/// A read that takes this long, and so many times as long as another, waits for something else that the agent does.
const SLOW_MS: f64 = 2_000.0;
const SLOW_FACTOR: f64 = 10.0;
/// As many as are always under way, if the user allows it: what is judged of two at once needs them.
const FEWEST: usize = 3;

/// The kind of a request, for the gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Traffic {
    /// It is over when it is answered.
    Call,
    /// It may stay open for as long as the agent works.
    Stream,
}

/// A request that was let in; it is over when this is dropped.
#[derive(Debug)]
pub struct Permit<'a> {
    gate: &'a Gate,
    traffic: Traffic,
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        let count = self.gate.count(self.traffic);
        count.set(count.get().saturating_sub(1));
        self.gate.notify();
    }
}

/// The agent to oneself, until this is dropped.
#[derive(Debug)]
pub struct Reservation<'a> {
    gate: &'a Gate,
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        self.gate.is_reserved.set(false);
        self.gate.notify();
    }
}

/// One that waits in line; it leaves when this is dropped.
struct QueueEntry<'a> {
    gate: &'a Gate,
    ticket: Ticket,
}

impl Drop for QueueEntry<'_> {
    fn drop(&mut self) {
        self.gate.line.borrow_mut().retain(|(ticket, _)| *ticket != self.ticket);
        self.gate.notify();
    }
}

impl Gate {
    /// A gate with that many places, at least one.
    pub(super) fn new(places: usize) -> Self {
        Self {
            most: places.max(1),
            places: Cell::new(places.max(1)),
            busy_since_ms: Cell::new(f64::NEG_INFINITY),
            ..Self::default()
        }
    }

    /// Whether there is only one place, because the user wants one thing at a time.
    #[must_use]
    pub const fn is_strict(&self) -> bool {
        self.most == 1
    }

    /// Waits for a place.
    pub async fn acquire(&self, rank: u32, traffic: Traffic) -> Permit<'_> {
        let ticket = (std::cmp::Reverse(rank), self.next.get());
        self.next.set(ticket.1 + 1);
        let waiting = QueueEntry { gate: self, ticket };
        let mut has_waited = false;
        let mut gave_way = false;
        poll_fn(|cx| {
            if self.may_pass(ticket, traffic) {
                // The place may have been left for a call on which more depends and which is not in line yet.
                if gave_way || !has_waited {
                    let count = self.count(traffic);
                    count.set(count.get() + 1);
                    return Poll::Ready(());
                }
                gave_way = true;
                cx.waker().wake_by_ref();
            } else {
                gave_way = false;
            }
            has_waited = true;
            self.stand_in_line(ticket, cx.waker());
            Poll::Pending
        })
        .await;
        drop(waiting);
        Permit { gate: self, traffic }
    }

    fn stand_in_line(&self, ticket: Ticket, waker: &Waker) {
        let mut line = self.line.borrow_mut();
        let place = line.partition_point(|(other, _)| *other < ticket);
        match line.get_mut(place).filter(|(other, _)| *other == ticket) {
            Some((_, known)) => known.clone_from(waker),
            None => line.insert(place, (ticket, waker.clone())),
        }
    }

    /// Waits until no call is under way, and keeps the agent for urgent requests until what it returns is dropped.
    pub async fn reserve(&self) -> Reservation<'_> {
        self.until(|| !self.is_reserved.replace(true)).await;
        let reservation = Reservation { gate: self };
        self.until(|| self.calls.get() == 0).await;
        reservation
    }

    /// Waits for something that comes with a change.
    async fn until(&self, is_so: impl Fn() -> bool) {
        poll_fn(|cx| {
            if is_so() {
                return Poll::Ready(());
            }
            self.observe(cx.waker());
            Poll::Pending
        })
        .await;
    }

    /// Notes how long a call took for which the agent need not work. Where it takes much longer than another did, our own requests are
    /// what keeps the agent busy: from then on half as many are under way, lest messages wait for their answers until we give up.
    pub fn note_read(&self, operation: Operation, sent_ms: f64, took_ms: f64) {
        let mut quickest_ms = self.quickest_ms.borrow_mut();
        let is_slow = match quickest_ms.iter_mut().find(|(known, _)| *known == operation) {
            Some((_, ms)) => {
                *ms = ms.min(took_ms);
                took_ms > SLOW_MS && took_ms > *ms * SLOW_FACTOR
            }
            None => {
                quickest_ms.push((operation, took_ms));
                false
            }
        };
        // Requests that were sent before the limit was lowered say nothing about the lower limit.
        if is_slow && sent_ms >= self.busy_since_ms.get() {
            self.busy_since_ms.set(sent_ms + took_ms);
            self.places.set((self.places.get() / 2).max(FEWEST).min(self.most));
        }
    }

    /// Whether one more of that rank would be the first in line.
    #[must_use]
    pub fn is_first_in_line(&self, rank: u32) -> bool {
        self.line.borrow().first().is_none_or(|((first, _), _)| first.0 < rank)
    }

    /// Whether nothing is under way and nobody waits.
    #[must_use]
    pub fn is_quiet(&self) -> bool {
        self.calls.get() + self.streams.get() == 0 && self.line.borrow().is_empty()
    }

    /// Notes that a scenario opens no more streams on that lane.
    pub fn note_streams_over(&self, scenario: &'static str, lane: &str) {
        self.streams_over.borrow_mut().push((scenario, lane.to_owned()));
        self.notify();
    }

    /// Whether a scenario opens no more streams on that lane.
    #[must_use]
    pub fn has_no_more_streams(&self, scenario: &str, lane: &str) -> bool {
        self.streams_over.borrow().iter().any(|(known, on)| *known == scenario && on == lane)
    }

    /// Wakes once, when something changes.
    pub fn observe(&self, waker: &Waker) {
        self.observers.borrow_mut().push(waker.clone());
    }

    fn may_pass(&self, ticket: Ticket, traffic: Traffic) -> bool {
        if self.is_strict() {
            // A task may have two subscribers, and be read while it is streamed, by the one scenario that is under way.
            return traffic == Traffic::Stream || self.calls.get() == 0;
        }
        if self.is_reserved.get() && ticket.0.0 != URGENT {
            return false;
        }
        let is_next = self.line.borrow().first().is_none_or(|(first, _)| *first >= ticket);
        is_next && self.calls.get() + self.streams.get() < self.places.get()
    }

    const fn count(&self, traffic: Traffic) -> &Cell<usize> {
        match traffic {
            Traffic::Call => &self.calls,
            Traffic::Stream => &self.streams,
        }
    }

    fn notify(&self) {
        let observers = self.observers.take();
        let waiting: Vec<Waker> = self.line.borrow().iter().map(|(_, waker)| waker.clone()).collect();
        observers.into_iter().chain(waiting).for_each(Waker::wake);
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use futures_util::future::{join_all, select};

    use super::*;
    use crate::host::Clock;
    use crate::host::virtual_clock::VirtualClock;

    /// The names of those who were let in, in order.
    fn order(places: usize, requests: &[(&'static str, u32, Traffic)]) -> Vec<(f64, &'static str)> {
        let (gate, clock) = (Gate::new(places), VirtualClock::default());
        let seen = RefCell::new(Vec::new());
        let request = async |name: &'static str, rank, traffic| {
            let _place = gate.acquire(rank, traffic).await;
            seen.borrow_mut().push((clock.now_ms(), name));
            clock.sleep(10.0).await;
        };
        clock.block_on(join_all(requests.iter().map(|(name, rank, traffic)| request(name, *rank, *traffic))));
        assert!(gate.is_quiet());
        seen.take()
    }

    #[test]
    fn as_many_as_there_are_places_are_under_way_and_those_that_most_depends_on_go_first() {
        use Traffic::{Call, Stream};
        let requests = [("a", 1, Call), ("b", 1, Stream), ("c", 1, Call), ("d", 7, Call), ("e", 7, Stream)];
        assert_eq!(order(2, &requests), [(0.0, "a"), (0.0, "b"), (10.0, "d"), (10.0, "e"), (20.0, "c")]);
    }

    #[test]
    fn with_one_place_a_stream_holds_up_no_call() {
        use Traffic::{Call, Stream};
        let requests = [("a", 1, Stream), ("b", 1, Call), ("c", 1, Stream), ("d", 1, Call)];
        assert_eq!(order(1, &requests), [(0.0, "a"), (0.0, "b"), (0.0, "c"), (10.0, "d")]);
    }

    #[test]
    fn who_has_the_agent_to_himself_waits_for_calls_under_way_and_keeps_others_waiting() {
        let (gate, clock) = (Gate::new(4), VirtualClock::default());
        let seen = RefCell::new(Vec::new());
        let request = async |name: &'static str, rank, at_ms| {
            clock.sleep(at_ms).await;
            let _place = gate.acquire(rank, Traffic::Call).await;
            seen.borrow_mut().push((clock.now_ms(), name));
            clock.sleep(10.0).await;
        };
        let alone = async |name: &'static str| {
            clock.sleep(1.0).await;
            let _reservation = gate.reserve().await;
            request(name, URGENT, 0.0).await;
        };
        clock.block_on(async {
            let others = join_all([request("before", 1, 0.0), request("meanwhile", 9, 15.0)]);
            futures_util::join!(others, alone("first"), alone("second"));
        });
        assert_eq!(seen.take(), [(0.0, "before"), (10.0, "first"), (20.0, "second"), (30.0, "meanwhile")]);
        assert!(gate.is_quiet());
    }

    #[test]
    fn an_agent_that_answers_reads_late_gets_fewer_requests_at_once() {
        let gate = Gate::new(8);
        let note = |sent_ms, took_ms| {
            gate.note_read(Operation::GetTask, sent_ms, took_ms);
            gate.places.get()
        };
        // As slow at everything, or quick enough.
        assert_eq!((note(0.0, 5_000.0), note(0.0, 6_000.0)), (8, 8));
        assert_eq!((note(0.0, 100.0), note(0.0, 1_900.0)), (8, 8));
        // Several that waited at the same time are one reason.
        assert_eq!((note(100.0, 3_000.0), note(200.0, 3_000.0), note(3_000.0, 4_000.0)), (4, 4, 4));
        assert_eq!((note(3_100.0, 3_000.0), note(7_000.0, 9_000.0)), (3, 3));
        let gate = Gate::new(2);
        gate.note_read(Operation::GetTask, 0.0, 10.0);
        gate.note_read(Operation::ListTasks, 0.0, 9_000.0);
        gate.note_read(Operation::GetTask, 0.0, 9_000.0);
        assert_eq!(gate.places.get(), 2);
    }

    #[test]
    fn one_that_gives_up_holds_up_nobody() {
        let (gate, clock) = (Gate::new(1), VirtualClock::default());
        clock.block_on(async {
            let first = gate.acquire(1, Traffic::Call).await;
            let impatient = select(Box::pin(gate.acquire(9, Traffic::Call)), clock.sleep(1.0)).await;
            assert!(!gate.is_first_in_line(9) && gate.is_first_in_line(10));
            drop((impatient, first));
            assert!(gate.is_first_in_line(1));
            drop(gate.acquire(1, Traffic::Call).await);
        });
        assert!(Rc::new(gate).is_quiet());
    }
}
