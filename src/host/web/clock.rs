//! A page's clock, whose timers a worker keeps. Browsers slow the timers of a hidden tab down, but not those of a worker.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use futures_util::future::LocalBoxFuture;
use js_sys::Array;
use wasm_bindgen::prelude::{Closure, JsCast, JsValue};
use web_sys::{Blob, BlobPropertyBag, Event, MessageEvent, Url, Worker};

use super::environment::{clear_timeout, now_ms, set_timeout};
use crate::host::Clock;

/// The worker's script: sets a timer for `[id, ms]`, answers `id`, forgets the timer of a lone `[id]`.
const TIMER_SCRIPT: &str = "const t = new Map(); onmessage = ({ data: [id, ms] }) => { \
     clearTimeout(t.get(id)); t.delete(id); \
     if (ms !== undefined) t.set(id, setTimeout(() => { t.delete(id); postMessage(id); }, ms)); };";

/// Browsers keep the time of a timer in a signed number of 32 bits, and fire at once beyond it.
const LONGEST_TIMER_MS: f64 = 2_147_483_647.0;

/// A page's clock.
pub(super) struct PageClock {
    timers: Rc<Timers>,
    // Held for as long as the worker may call them.
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(Event)>,
}

/// The sleeps that were not woken yet, and who keeps their time: timers of a hidden page run once a minute, those of a
/// worker as usual.
#[derive(Default)]
struct Timers {
    worker: RefCell<Option<TimerWorker>>,
    /// A handful at most, so a list will do.
    waiting: RefCell<Vec<Timer>>,
    next: Cell<u32>,
}

struct Timer {
    id: u32,
    until_ms: f64,
    waker: Option<Waker>,
    /// The timer of the window or worker itself, used when no other worker keeps the time.
    timer: Option<JsValue>,
}

impl PageClock {
    pub(super) fn new() -> Self {
        let timers = Rc::new(Timers::default());
        let on_message = {
            let timers = Rc::clone(&timers);
            Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| timers.wake(&event.data()))
        };
        let on_error = {
            let timers = Rc::clone(&timers);
            // A page's policy that forbids the worker shows here and not when it is made.
            Closure::<dyn FnMut(Event)>::new(move |_| timers.leave_worker())
        };
        // A worker's own timers are as good, and no page of Node.js is ever hidden.
        if let Some(Ok(timer)) = web_sys::window().map(|_| TimerWorker::start()) {
            timer.worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
            timer.worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
            timers.worker.replace(Some(timer));
        }
        Self { timers, _on_message: on_message, _on_error: on_error }
    }
}

impl Drop for PageClock {
    fn drop(&mut self) {
        // Sleeps may outlive their clock: their time is kept without the worker from here.
        self.timers.leave_worker();
    }
}

impl Clock for PageClock {
    fn now_ms(&self) -> f64 {
        now_ms()
    }

    fn wall_ms(&self) -> f64 {
        js_sys::Date::now()
    }

    fn sleep(&self, ms: f64) -> LocalBoxFuture<'static, ()> {
        let id = self.timers.next.replace(self.timers.next.get().wrapping_add(1));
        let ms = if ms.is_nan() { 0.0 } else { ms.clamp(0.0, LONGEST_TIMER_MS).ceil() };
        let waiting = Timer { id, until_ms: now_ms() + ms, waker: None, timer: None };
        self.timers.waiting.borrow_mut().push(waiting);
        self.timers.start(id, ms);
        Box::pin(Sleep { id, timers: Rc::clone(&self.timers) })
    }
}

impl Timers {
    fn start(self: &Rc<Self>, id: u32, ms: f64) {
        let message = Array::of2(&id.into(), &ms.into());
        let timer = self.worker.borrow();
        if timer.as_ref().is_none_or(|timer| timer.worker.post_message(&message).is_err()) {
            self.start_here(id, ms);
        }
    }

    /// Whatever this runs in keeps the time.
    fn start_here(self: &Rc<Self>, id: u32, ms: f64) {
        let timers = Rc::clone(self);
        let fire = Closure::once_into_js(move || timers.wake(&id.into()));
        let timer = set_timeout(fire.unchecked_ref(), ms.min(LONGEST_TIMER_MS));
        if let Some(waiting) = self.waiting.borrow_mut().iter_mut().find(|waiting| waiting.id == id) {
            waiting.timer = Some(timer);
        }
    }

    fn wake(&self, id: &JsValue) {
        // It was a u32 when it was sent.
        let Some(id) = id.as_f64().map(|id| id as u32) else { return };
        // Taken out of the borrow first: whoever is woken may sleep again at once.
        let waiting = self.take(id);
        if let Some(waker) = waiting.and_then(|waiting| waiting.waker) {
            waker.wake();
        }
    }

    /// The sleep of that id, which waits no longer.
    fn take(&self, id: u32) -> Option<Timer> {
        let mut waiting = self.waiting.borrow_mut();
        let index = waiting.iter().position(|waiting| waiting.id == id)?;
        Some(waiting.swap_remove(index))
    }

    fn leave_worker(self: &Rc<Self>) {
        if self.worker.take().is_none() {
            return;
        }
        let now = now_ms();
        let left: Vec<_> = self.waiting.borrow().iter().map(|waiting| (waiting.id, waiting.until_ms - now)).collect();
        for (id, ms) in left {
            self.start_here(id, ms.max(0.0));
        }
    }
}

/// Ends when its timer is no longer waiting.
struct Sleep {
    id: u32,
    timers: Rc<Timers>,
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        match self.timers.waiting.borrow_mut().iter_mut().find(|waiting| waiting.id == self.id) {
            Some(waiting) => {
                waiting.waker = Some(cx.waker().clone());
                Poll::Pending
            }
            None => Poll::Ready(()),
        }
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        let Some(waiting) = self.timers.take(self.id) else { return };
        if let Some(timer) = waiting.timer {
            // A program such as Node.js does not end while a timer runs.
            clear_timeout(&timer);
        } else if let Some(timer) = self.timers.worker.borrow().as_ref() {
            // A worker that cannot be told wakes nobody in the end.
            let _ = timer.worker.post_message(&Array::of1(&self.id.into()));
        }
    }
}

/// The worker that keeps time. Its script has a URL for as long as it lives.
struct TimerWorker {
    worker: Worker,
    url: String,
}

impl TimerWorker {
    fn start() -> Result<Self, JsValue> {
        let kind = BlobPropertyBag::new();
        kind.set_type("text/javascript");
        let script = Blob::new_with_str_sequence_and_options(&Array::of1(&TIMER_SCRIPT.into()), &kind)?;
        let url = Url::create_object_url_with_blob(&script)?;
        Ok(Self { worker: Worker::new(&url)?, url })
    }
}

impl Drop for TimerWorker {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
        // Nothing is lost but some bytes when it cannot be revoked.
        let _ = Url::revoke_object_url(&self.url);
    }
}
