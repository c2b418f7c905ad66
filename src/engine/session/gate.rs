//! How many requests are under way at once, and whose turn is next.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::poll_fn;
use std::task::{Poll, Waker};

/// Lets a number of requests be under way at once. The others wait in line: those that most depends on go first, and of
/// those the one that came first.
#[derive(Debug)]
pub struct Gate {
    places: usize,
    calls: Cell<usize>,
    streams: Cell<usize>,
    next: Cell<u64>,
    /// Whether somebody has the agent to himself: others wait, unless they are urgent.
    is_reserved: Cell<bool>,
    line: RefCell<BTreeMap<Ticket, Waker>>,
    /// Those that want to know when something changes.
    observers: RefCell<Vec<Waker>>,
}

/// A place in the line. Greater ranks come first.
type Ticket = (std::cmp::Reverse<u32>, u64);

/// The rank of what goes before everything else, and is not kept waiting by who has the agent to himself.
pub const URGENT: u32 = u32::MAX;

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
        self.gate.line.borrow_mut().remove(&self.ticket);
        self.gate.notify();
    }
}

impl Gate {
    /// A gate with that many places, at least one.
    pub(super) fn new(places: usize) -> Self {
        Self {
            places: places.max(1),
            calls: Cell::default(),
            streams: Cell::default(),
            next: Cell::default(),
            is_reserved: Cell::default(),
            line: RefCell::default(),
            observers: RefCell::default(),
        }
    }

    /// Whether there is only one place, because the user wants one thing at a time.
    #[must_use]
    pub const fn is_strict(&self) -> bool {
        self.places == 1
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
                // Whoever left the place may have made room for something on which more depends, which is not in line yet.
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
            self.line.borrow_mut().insert(ticket, cx.waker().clone());
            Poll::Pending
        })
        .await;
        drop(waiting);
        Permit { gate: self, traffic }
    }

    /// Waits until no call is under way, and keeps the agent for urgent requests until what it returns is dropped.
    pub async fn reserve(&self) -> Reservation<'_> {
        poll_fn(|cx| {
            if !self.is_reserved.get() {
                self.is_reserved.set(true);
                return Poll::Ready(());
            }
            self.observe(cx.waker());
            Poll::Pending
        })
        .await;
        let reservation = Reservation { gate: self };
        poll_fn(|cx| {
            if self.calls.get() == 0 {
                return Poll::Ready(());
            }
            self.observe(cx.waker());
            Poll::Pending
        })
        .await;
        reservation
    }

    /// Whether one more of that rank would be the first in line.
    #[must_use]
    pub fn is_first_in_line(&self, rank: u32) -> bool {
        self.line.borrow().keys().next().is_none_or(|(first, _)| first.0 < rank)
    }

    /// Whether nothing is under way and nobody waits.
    #[must_use]
    pub fn is_quiet(&self) -> bool {
        self.calls.get() + self.streams.get() == 0 && self.line.borrow().is_empty()
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
        let is_next = self.line.borrow().keys().next().is_none_or(|first| *first >= ticket);
        is_next && self.calls.get() + self.streams.get() < self.places
    }

    const fn count(&self, traffic: Traffic) -> &Cell<usize> {
        match traffic {
            Traffic::Call => &self.calls,
            Traffic::Stream => &self.streams,
        }
    }

    fn notify(&self) {
        let observers = self.observers.take();
        let waiting: Vec<Waker> = self.line.borrow().values().cloned().collect();
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
