//! The waits of a run that its user is shown, and may make longer or give up.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Poll, Waker};

use crate::host::Clock;
use crate::wire::exchange::End;
use crate::wire::order;
use futures_util::future::{LocalBoxFuture, select};

/// The beginning of the reason for a missing answer when the user gave up.
pub(super) const GAVE_UP: &str = "you gave up";

/// Whether an exchange ended because the user gave it up.
#[must_use]
pub fn is_given_up(end: &End) -> bool {
    matches!(end, End::NoAnswer(trouble) if trouble.detail.starts_with(GAVE_UP))
}

/// A handle to what a run waits for. Its clones are the same handle.
#[derive(Clone, Default)]
pub struct Waits(Rc<RefCell<Vec<Rc<Wait>>>>);

/// Something that a run waits for.
#[derive(Debug, Clone, PartialEq)]
pub struct Waiting {
    /// The id of the exchange.
    pub id: u32,
    /// The awaited answer, in words for people: `SendMessage`.
    pub what: String,
    /// Since when, in milliseconds.
    pub waited_ms: f64,
    /// How long it is waited for in all, in milliseconds.
    pub limit_ms: f64,
}

/// A wait that is over when this is dropped.
pub struct Wait {
    id: u32,
    what: &'static str,
    clock: Rc<dyn Clock>,
    since_ms: Cell<f64>,
    /// How long in all, but for what the user allows from then on.
    limit_ms: Cell<f64>,
    /// How much longer the user wanted to wait, in milliseconds.
    pub(super) extra_ms: Cell<f64>,
    /// How much of that was in the limit already.
    known_ms: Cell<f64>,
    pub(super) given_up: Cell<bool>,
    /// Whether what came until then counts all the same.
    pub(super) hung_up: Cell<bool>,
    waker: RefCell<Option<Waker>>,
}

/// A wait among those of its run.
pub struct WaitGuard {
    waits: Waits,
    pub(super) wait: Rc<Wait>,
}

impl Drop for WaitGuard {
    fn drop(&mut self) {
        self.waits.0.borrow_mut().retain(|known| !Rc::ptr_eq(known, &self.wait));
    }
}

impl Waits {
    /// The current waits, the longest first.
    #[must_use]
    pub fn list(&self) -> Vec<Waiting> {
        let shown = |wait: &Rc<Wait>| Waiting {
            id: wait.id,
            what: wait.what.to_owned(),
            waited_ms: wait.waited_ms(),
            limit_ms: wait.limit_ms.get() + wait.extra_ms.get() - wait.known_ms.get(),
        };
        let mut list: Vec<Waiting> = self.0.borrow().iter().map(shown).collect();
        order::sort_by(&mut list, |a, b| b.waited_ms.total_cmp(&a.waited_ms));
        list
    }

    /// Waits for it as long again.
    pub fn wait_longer(&self, id: u32) {
        if let Some(wait) = self.find(id) {
            wait.extra_ms.set(wait.extra_ms.get() + wait.limit_ms.get());
            wait.wake();
        }
    }

    /// Stops waiting for it. Checks that depend on it are not judged.
    pub fn give_up(&self, id: u32) {
        if let Some(wait) = self.find(id) {
            wait.given_up.set(true);
            wait.wake();
        }
    }

    /// Hangs up on everything that is waited for. What came until then is evidence.
    pub fn hang_up(&self) {
        for wait in self.0.borrow().iter() {
            wait.hung_up.set(true);
            wait.given_up.set(true);
            wait.wake();
        }
    }

    fn find(&self, id: u32) -> Option<Rc<Wait>> {
        self.0.borrow().iter().find(|wait| wait.id == id).cloned()
    }

    /// One more begins now.
    pub(super) fn begin(&self, clock: Rc<dyn Clock>, id: u32, what: &'static str) -> WaitGuard {
        let since_ms = Cell::new(clock.now_ms());
        let (limit_ms, extra_ms, known_ms, given_up, hung_up, waker) = Default::default();
        let wait = Rc::new(Wait { id, what, clock, since_ms, limit_ms, extra_ms, known_ms, given_up, hung_up, waker });
        self.0.borrow_mut().push(Rc::clone(&wait));
        WaitGuard { waits: self.clone(), wait }
    }
}

/// Why something is waited for no longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WaitEnd {
    /// The time is over.
    Deadline,
    /// The user gave up.
    GivenUp,
}

impl Wait {
    fn wake(&self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    /// For how long it has been waited, in milliseconds.
    pub(super) fn waited_ms(&self) -> f64 {
        self.clock.now_ms() - self.since_ms.get()
    }

    /// Something new is awaited from now on, for so many milliseconds from when it began.
    pub(super) fn restart(&self, waited_ms: f64, left_ms: f64) {
        self.since_ms.set(self.clock.now_ms() - waited_ms);
        self.limit_ms.set(waited_ms + left_ms);
        self.known_ms.set(self.extra_ms.get());
    }

    /// Completes when the user has said something new.
    async fn user_input(&self, extra_ms: f64) {
        poll_fn(|context| {
            if self.given_up.get() || self.extra_ms.get() > extra_ms {
                return Poll::Ready(());
            }
            self.waker.replace(Some(context.waker().clone()));
            Poll::Pending
        })
        .await;
    }

    /// Completes when it is waited no longer: so many milliseconds from now, as much longer as the user wishes.
    /// Boxed, so that all who wait share one piece of code.
    pub(super) fn ended(&self, left_ms: f64) -> LocalBoxFuture<'_, WaitEnd> {
        Box::pin(async move {
            let known_ms = self.extra_ms.get();
            let begun_ms = self.clock.now_ms();
            loop {
                let extra_ms = self.extra_ms.get();
                let passed_ms = self.clock.now_ms() - begun_ms;
                let pause = self.clock.sleep(left_ms + extra_ms - known_ms - passed_ms);
                select(pause, Box::pin(self.user_input(extra_ms))).await;
                if self.given_up.get() {
                    return WaitEnd::GivenUp;
                }
                if self.extra_ms.get() <= extra_ms {
                    return WaitEnd::Deadline;
                }
            }
        })
    }
}
