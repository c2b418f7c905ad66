//! The queue between the engine and the page: events are applied together, ten times a second, so that a burst of them costs
//! one layout. Once a frame is too often: laying out the page was most of what a run cost, and nobody reads as fast.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use leptos::prelude::set_timeout;

use crate::engine::event::Event;

/// How long events wait for others. For a hidden tab a browser makes it longer.
const PACE: Duration = Duration::from_millis(100);

/// Events that wait.
pub(super) struct Queue {
    waiting: RefCell<Vec<Event>>,
    scheduled: Cell<bool>,
    open: Cell<bool>,
    apply: Box<dyn Fn(Vec<Event>)>,
}

impl Queue {
    /// A queue whose events go to that function, in order, some at a time.
    pub(super) fn new(apply: impl Fn(Vec<Event>) + 'static) -> Rc<Self> {
        Rc::new(Self {
            waiting: RefCell::default(),
            scheduled: Cell::new(false),
            open: Cell::new(true),
            apply: Box::new(apply),
        })
    }

    /// Adds an event; it is applied soon.
    pub(super) fn push(self: &Rc<Self>, event: Event) {
        if !self.open.get() {
            return;
        }
        self.waiting.borrow_mut().push(event);
        if !self.scheduled.replace(true) {
            let queue = Rc::clone(self);
            set_timeout(move || queue.drain(), PACE);
        }
    }

    /// Applies what waits.
    pub(super) fn drain(&self) {
        self.scheduled.set(false);
        let events = self.waiting.take();
        if !events.is_empty() {
            (self.apply)(events);
        }
    }

    /// Applies what waits and takes no more.
    pub(super) fn close(&self) {
        self.open.set(false);
        self.drain();
    }
}
