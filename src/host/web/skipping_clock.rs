//! Time for an agent that lives in the page: it stands still while anybody has something to do, and jumps over every wait. So a
//! run of the demo agent takes as long as it takes to compute, and its verdicts are the same on a slow machine.

use std::cell::Cell;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use futures_util::future::LocalBoxFuture;
use wasm_bindgen::prelude::{Closure, JsCast, JsValue};
use web_sys::{MessageChannel, MessageEvent};

use crate::host::virtual_clock::VirtualClock;
use crate::host::{Clock, Host, Signed, Verifier};

/// The same host with such a clock. Its transport may wait for nothing but this clock.
pub(super) fn without_waits(host: Host) -> Result<Host, JsValue> {
    let turns = Turns::new(VirtualClock::starting_at(host.clock.wall_ms()))?;
    let verifier = Rc::new(CountedVerifier { turns: Rc::clone(&turns), verifier: host.verifier });
    Ok(Host { clock: Rc::new(SkippingClock(turns)), verifier, ..host })
}

/// What a channel calls.
type OnMessage = Closure<dyn FnMut(MessageEvent)>;

/// A clock that jumps once everything that could be done was done.
struct SkippingClock(Rc<Turns>);

/// Waits until nothing is left to do: futures are driven by microtasks, and a message arrives after the last of them. A timer
/// would do as well, but browsers make each of many timers wait for 4 ms.
struct Turns {
    clock: VirtualClock,
    channel: MessageChannel,
    is_asked: Cell<bool>,
    /// How many wait for the browser itself, whose time is not this clock's.
    outside: Cell<usize>,
    // Held for as long as the channel may call it.
    on_message: Cell<Option<OnMessage>>,
}

impl Turns {
    fn new(clock: VirtualClock) -> Result<Rc<Self>, JsValue> {
        let turns = Rc::new(Self {
            clock,
            channel: MessageChannel::new()?,
            is_asked: Cell::default(),
            outside: Cell::default(),
            on_message: Cell::default(),
        });
        let weak = Rc::downgrade(&turns);
        let on_message = OnMessage::new(move |_| {
            if let Some(turns) = weak.upgrade() {
                turns.come();
            }
        });
        turns.channel.port1().set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        turns.on_message.set(Some(on_message));
        Ok(turns)
    }

    /// Makes time jump as soon as nothing is left to do.
    fn ask(&self) {
        if !self.is_asked.replace(true) {
            // An empty message can be sent by any channel.
            let _ = self.channel.port2().post_message(&JsValue::NULL);
        }
    }

    fn come(&self) {
        self.is_asked.set(false);
        if self.outside.get() == 0 && self.clock.jump() {
            self.ask();
        }
    }
}

impl Drop for Turns {
    fn drop(&mut self) {
        self.channel.port1().set_onmessage(None);
        self.channel.port1().close();
    }
}

impl Clock for SkippingClock {
    fn now_ms(&self) -> f64 {
        self.0.clock.now_ms()
    }

    fn wall_ms(&self) -> f64 {
        self.0.clock.wall_ms()
    }

    fn sleep(&self, ms: f64) -> LocalBoxFuture<'static, ()> {
        Box::pin(SkippedSleep { turns: Rc::clone(&self.0), sleep: self.0.clock.sleep(ms) })
    }
}

struct SkippedSleep {
    turns: Rc<Turns>,
    sleep: LocalBoxFuture<'static, ()>,
}

impl Future for SkippedSleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let polled = self.sleep.as_mut().poll(cx);
        if polled.is_pending() {
            self.turns.ask();
        }
        polled
    }
}

/// Lets no time pass while the browser verifies.
struct CountedVerifier {
    turns: Rc<Turns>,
    verifier: Rc<dyn Verifier>,
}

/// Counts as one that waits for the browser, until it is dropped.
struct WaitForBrowser(Rc<Turns>);

impl WaitForBrowser {
    fn new(turns: &Rc<Turns>) -> Self {
        turns.outside.set(turns.outside.get() + 1);
        Self(Rc::clone(turns))
    }
}

impl Drop for WaitForBrowser {
    fn drop(&mut self) {
        self.0.outside.set(self.0.outside.get().saturating_sub(1));
        self.0.ask();
    }
}

impl Verifier for CountedVerifier {
    fn verify(&self, signed: Signed) -> LocalBoxFuture<'static, Result<bool, String>> {
        let outside = WaitForBrowser::new(&self.turns);
        let verified = self.verifier.verify(signed);
        Box::pin(async move {
            let verified = verified.await;
            drop(outside);
            verified
        })
    }
}
