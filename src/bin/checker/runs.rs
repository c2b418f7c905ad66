//! The run that is under way, or the last one; and the queue of its messages: they are told together, ten times a second, so
//! that a burst of them costs one layout. Once a frame would be too often: laying out the page was most of what a run cost,
//! and nobody reads as fast.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use a2a_conformance::checker::RunRecord;
use a2a_conformance::engine::event::{Completion, Event};
use a2a_conformance::engine::options::Options;
use a2a_conformance::engine::run::run;
use a2a_conformance::host::{Clock, Host, web};
use a2a_conformance::page::view::messages::{Batch, Message};
use a2a_conformance::report::Environment;
use a2a_conformance::suite::AREAS;
use futures_util::future::{AbortHandle, abortable};
use js_sys::Function;
use serde_wasm_bindgen::to_value;
use wasm_bindgen::prelude::JsValue;
use wasm_bindgen_futures::spawn_local;

/// How long messages wait for others, in milliseconds.
const PACE_MS: f64 = 100.0;

thread_local! {
    /// One module checks for one page.
    pub(crate) static RUNS: Rc<Runs> = Rc::new(Runs::new());
}

/// The runs of a page, of which there is one at a time.
pub(crate) struct Runs {
    clock: Rc<dyn Clock>,
    listener: RefCell<Option<Function>>,
    current: RefCell<Option<Current>>,
    waiting: RefCell<Vec<Message>>,
    scheduled: Cell<bool>,
}

struct Current {
    number: u32,
    record: RunRecord,
    started_ms: f64,
    /// Ends it, while it is under way.
    stop: Option<AbortHandle>,
}

impl Runs {
    fn new() -> Self {
        Self {
            clock: web::clock(),
            listener: RefCell::default(),
            current: RefCell::default(),
            waiting: RefCell::default(),
            scheduled: Cell::default(),
        }
    }

    /// Tells everything to this function from now on.
    pub(crate) fn listen(&self, listener: Function) {
        self.listener.replace(Some(listener));
    }

    /// Begins a run, in place of the one that is under way.
    pub(crate) fn begin(self: &Rc<Self>, number: u32, host: Host, options: Options, environment: Environment) {
        self.stop();
        let emit = {
            let runs = Rc::clone(self);
            Rc::new(move |event: Event| runs.keep(number, &event))
        };
        let (checking, stop) = abortable(run(host, AREAS, options, emit));
        let started_ms = self.clock.now_ms();
        let record = RunRecord::new(environment);
        self.current.replace(Some(Current { number, record, started_ms, stop: Some(stop) }));
        let runs = Rc::clone(self);
        spawn_local(async move {
            // Aborted: `stop` has told the end already.
            if checking.await.is_ok() {
                runs.end(number);
            }
        });
    }

    /// Shows a record that was opened, in place of the run that is under way, or the last one.
    pub(crate) fn show(self: &Rc<Self>, number: u32, record: RunRecord) {
        self.stop();
        self.current.replace(Some(Current { number, record, started_ms: self.clock.now_ms(), stop: None }));
    }

    /// Ends the run at once; what was finished stays.
    pub(crate) fn stop(self: &Rc<Self>) {
        let stopped = self.current.borrow_mut().as_mut().and_then(|current| {
            let stop = current.stop.take()?;
            stop.abort();
            let duration_ms = self.clock.now_ms() - current.started_ms;
            Some((current.number, current.record.tally(), duration_ms))
        });
        if let Some((number, tally, duration_ms)) = stopped {
            self.keep(number, &Event::Finished { completion: Completion::Stopped, tally, cause: None, duration_ms });
            self.tell();
        }
    }

    fn end(&self, number: u32) {
        if let Some(current) = self.current.borrow_mut().as_mut().filter(|current| current.number == number) {
            current.stop = None;
        }
        self.tell();
    }

    /// What is kept of the run, if there was one.
    pub(crate) fn of_record<T>(&self, what: impl FnOnce(&RunRecord) -> Option<T>) -> Option<T> {
        self.current.borrow().as_ref().and_then(|current| what(&current.record))
    }

    fn keep(self: &Rc<Self>, number: u32, event: &Event) {
        let message = {
            let mut current = self.current.borrow_mut();
            current.as_mut().filter(|current| current.number == number).and_then(|current| current.record.apply(event))
        };
        let Some(message) = message else { return };
        self.waiting.borrow_mut().push(message);
        if !self.scheduled.replace(true) {
            let runs = Rc::clone(self);
            let pause = self.clock.sleep(PACE_MS);
            spawn_local(async move {
                pause.await;
                runs.tell();
            });
        }
    }

    /// Tells what waits.
    fn tell(&self) {
        self.scheduled.set(false);
        let messages = self.waiting.take();
        if messages.is_empty() {
            return;
        }
        let of_run = |current: &Current| (current.number, current.record.tally());
        let Some((run, tally)) = self.current.borrow().as_ref().map(of_run) else { return };
        let batch = Batch { run, messages, tally };
        // Whoever listens is the page, which throws nothing; and nothing in a batch is strange to JavaScript.
        if let (Some(listener), Ok(batch)) = (self.listener.borrow().as_ref(), to_value(&batch)) {
            let _ = listener.call1(&JsValue::UNDEFINED, &batch);
        }
    }
}
