//! A clock whose time stands still until nothing is left to do, and then jumps. Runs against an agent in the same process
//! take no time with it, and are the same each time.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use futures_util::future::LocalBoxFuture;

use super::Clock;

/// When time begins in tests: 2026-01-01T00:00:00Z.
const TESTS_BEGIN: f64 = 1_767_225_600_000.0;

/// Time that stands still until nothing is left to do, and then jumps to the next sleeper.
#[derive(Debug, Clone, Default)]
pub struct VirtualClock(Rc<Sleepers>);

#[derive(Debug, Default)]
struct Sleepers {
    now: Cell<f64>,
    next: Cell<u64>,
    /// By when they are due, the last first: a sorted list is smaller in a page than a tree.
    sleepers: RefCell<Vec<(DueTime, Waker)>>,
    /// The date of its beginning, if it has one.
    started_ms: Option<f64>,
}

/// When a sleeper is due, and its number among those that are due at the same time.
type DueTime = (u64, u64);

/// Milliseconds as an ordered key.
fn key(ms: f64) -> u64 {
    (ms * 1000.0).ceil() as u64
}

/// Where a sleeper is in the list, or belongs.
fn place(sleepers: &[(DueTime, Waker)], due: DueTime) -> Result<usize, usize> {
    sleepers.binary_search_by(|(other, _)| due.cmp(other))
}

struct VirtualSleep {
    timers: Rc<Sleepers>,
    due: DueTime,
}

impl Future for VirtualSleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if key(self.timers.now.get()) >= self.due.0 {
            return Poll::Ready(());
        }
        let mut sleepers = self.timers.sleepers.borrow_mut();
        match place(&sleepers, self.due) {
            Ok(at) => sleepers.get_mut(at).into_iter().for_each(|(_, waker)| waker.clone_from(cx.waker())),
            Err(at) => sleepers.insert(at, (self.due, cx.waker().clone())),
        }
        Poll::Pending
    }
}

impl Drop for VirtualSleep {
    fn drop(&mut self) {
        let mut sleepers = self.timers.sleepers.borrow_mut();
        if let Ok(at) = place(&sleepers, self.due) {
            sleepers.remove(at);
        }
    }
}

impl Clock for VirtualClock {
    fn now_ms(&self) -> f64 {
        self.0.now.get()
    }

    fn wall_ms(&self) -> f64 {
        self.0.started_ms.unwrap_or(TESTS_BEGIN) + self.0.now.get()
    }

    fn sleep(&self, ms: f64) -> LocalBoxFuture<'static, ()> {
        let number = self.0.next.get();
        self.0.next.set(number + 1);
        let due = (key(self.0.now.get() + ms.max(0.0)), number);
        Box::pin(VirtualSleep { timers: Rc::clone(&self.0), due })
    }
}

struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

impl VirtualClock {
    /// A clock that begins at this time, in milliseconds since 1970.
    #[must_use]
    pub fn starting_at(started_ms: f64) -> Self {
        Self(Rc::new(Sleepers { started_ms: Some(started_ms), ..Sleepers::default() }))
    }

    /// Jumps to the sleeper that is due first and wakes it. Whether there was one.
    pub(crate) fn jump(&self) -> bool {
        // Taken out of the borrow first: whoever is woken may sleep again at once.
        let next = self.0.sleepers.borrow_mut().pop();
        let Some(((due, _), sleeper)) = next else { return false };
        self.0.now.set(self.0.now.get().max(due as f64 / 1000.0));
        sleeper.wake();
        true
    }

    /// Runs a future to its end, jumping over every wait.
    ///
    /// # Panics
    /// When the future waits for anything but this clock: nothing would ever wake it.
    pub fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        let mut future = std::pin::pin!(future);
        let woken = Arc::new(Woken(AtomicBool::new(true)));
        let waker = Waker::from(Arc::clone(&woken));
        loop {
            while woken.0.swap(false, Ordering::SeqCst) {
                if let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
                    return value;
                }
            }
            assert!(self.jump(), "the future waits for something else than this clock");
        }
    }
}
