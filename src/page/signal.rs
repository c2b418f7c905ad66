//! Values that tell their readers when they change. Who reads what, and what runs again when, is Leptos' own: a signal is
//! a plain value beside one of its triggers, so that the page carries that code once and not once for every type.

use std::cell::RefCell;
use std::ops::Deref;
use std::rc::Rc;

use leptos::prelude::{ArcTrigger, Notify, Track};
use leptos::reactive::effect::RenderEffect;

/// A value that changes.
#[derive(Debug, Default)]
pub(super) struct Signal<T>(Rc<Held<T>>);

#[derive(Debug, Default)]
struct Held<T> {
    value: RefCell<T>,
    readers: ArcTrigger,
}

impl<T> Clone for Signal<T> {
    fn clone(&self) -> Self {
        Self(Rc::clone(&self.0))
    }
}

impl<T> Signal<T> {
    /// A signal with its first value.
    pub(super) fn new(value: T) -> Self {
        Self(Rc::new(Held { value: RefCell::new(value), readers: ArcTrigger::new() }))
    }

    /// Makes the effect that calls this one run again with the next change.
    pub(super) fn track(&self) {
        track(&self.0.readers);
    }

    /// Reads the value where it is; tracks.
    pub(super) fn with<R>(&self, read: impl FnOnce(&T) -> R) -> R {
        self.track();
        self.with_untracked(read)
    }

    /// Reads the value where it is; does not track.
    pub(super) fn with_untracked<R>(&self, read: impl FnOnce(&T) -> R) -> R {
        read(&self.0.value.borrow())
    }

    /// Changes the value where it is.
    pub(super) fn update(&self, change: impl FnOnce(&mut T)) {
        change(&mut self.0.value.borrow_mut());
        notify(&self.0.readers);
    }

    /// Puts another value there.
    pub(super) fn set(&self, value: T) {
        let before = self.0.value.replace(value);
        notify(&self.0.readers);
        drop(before);
    }
}

impl<T: Clone> Signal<T> {
    /// The value; tracks.
    pub(super) fn get(&self) -> T {
        self.with(T::clone)
    }

    /// The value; does not track.
    pub(super) fn get_untracked(&self) -> T {
        self.with_untracked(T::clone)
    }
}

#[inline(never)]
fn track(readers: &ArcTrigger) {
    readers.track();
}

#[inline(never)]
fn notify(readers: &ArcTrigger) {
    readers.notify();
}

/// What keeps an effect going.
pub(super) type Effect = RenderEffect<()>;

/// Runs something now, and again soon after what it read has changed.
pub(super) fn effect(mut run: Box<dyn FnMut()>) -> Effect {
    RenderEffect::new(move |_| run())
}

/// A signal that follows others and tells of its own changes only.
#[derive(Debug)]
pub(super) struct Derived<T> {
    signal: Signal<T>,
    keeps: Rc<Effect>,
}

impl<T> Clone for Derived<T> {
    fn clone(&self) -> Self {
        Self { signal: self.signal.clone(), keeps: Rc::clone(&self.keeps) }
    }
}

impl<T> Deref for Derived<T> {
    type Target = Signal<T>;

    fn deref(&self) -> &Signal<T> {
        &self.signal
    }
}

/// Makes a signal that follows the others that `now` reads.
pub(super) fn derived<T: Default + PartialEq + 'static>(now: impl Fn() -> T + 'static) -> Derived<T> {
    let signal = Signal::default();
    let follows = signal.clone();
    let follow = move || {
        let value = now();
        if follows.with_untracked(|known| *known != value) {
            follows.set(value);
        }
    };
    Derived { signal, keeps: Rc::new(effect(Box::new(follow))) }
}
