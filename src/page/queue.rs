//! The queue between the engine and the page: events are applied together, once per frame, so that a burst of them costs
//! one layout.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use leptos::prelude::{request_animation_frame, set_timeout};

use crate::engine::event::Event;

/// A browser draws no frames for a hidden tab: then this timer drains the queue, at the pace the browser allows.
const HIDDEN: Duration = Duration::from_millis(300);

/// Events that wait for the next frame.
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

    /// Adds an event; it is applied with the next frame.
    pub(super) fn push(self: &Rc<Self>, event: Event) {
        if !self.open.get() {
            return;
        }
        self.waiting.borrow_mut().push(event);
        if !self.scheduled.replace(true) {
            // Whichever comes first; the other finds nothing to do. The tab may be hidden between now and the frame.
            let queue = Rc::clone(self);
            request_animation_frame(move || queue.drain());
            let queue = Rc::clone(self);
            set_timeout(move || queue.drain(), HIDDEN);
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
