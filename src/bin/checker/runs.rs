//! The run that is under way, or the last one; and the queue of its messages: they are told together, ten times a second, so
//! that a burst of them costs one layout. Once a frame would be too often: laying out the page was most of what a run cost,
//! and nobody reads as fast.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use a2a_conformance::checker::{OpenedTests, RunRecord, RunRecords};
use a2a_conformance::engine::event::{Event, Tally};
use a2a_conformance::engine::options::Options;
use a2a_conformance::engine::run::{run_pair, run_watched};
use a2a_conformance::engine::user_waits::Waits;
use a2a_conformance::host::{Clock, Host, web};
use a2a_conformance::suite::{agents, areas_for};
use a2a_conformance::view_model::binary_encoding::to_bytes;
use a2a_conformance::view_model::messages::{Batch, CheckerMessage, File, Opening};
use a2a_conformance::view_model::settings::Settings;
use futures_util::future::{AbortHandle, Abortable, LocalBoxFuture, abortable};
use js_sys::{Error, Function, Uint8Array};
use wasm_bindgen::prelude::JsValue;
use wasm_bindgen_futures::spawn_local;

use super::exports::environment_of_page;
use super::target::Target;

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
    current: RefCell<Option<CurrentRun>>,
    waiting: RefCell<Vec<CheckerMessage>>,
    scheduled: Cell<bool>,
}

struct CurrentRun {
    number: u32,
    /// `None` for a report that was opened.
    target: Option<Target>,
    tests: Option<OpenedTests>,
    records: RunRecords,
    started_ms: f64,
    /// Ends what is under way: the run, or some checks that are run again.
    stop: Option<AbortHandle>,
    waits: Waits,
    /// Whether that is some checks that are run again.
    is_again: bool,
}

impl CurrentRun {
    fn tally(&self) -> Tally {
        self.records.shown().map(RunRecord::tally).unwrap_or_default()
    }
}

impl Runs {
    fn new() -> Self {
        let (listener, current, waiting, scheduled) = Default::default();
        Self { clock: web::clock(), listener, current, waiting, scheduled }
    }

    /// Tells everything to this function from now on.
    pub(crate) fn listen(&self, listener: Function) {
        self.listener.replace(Some(listener));
    }

    /// Begins a run, in place of the one that is under way.
    pub(crate) fn begin(
        self: &Rc<Self>,
        number: u32,
        target: Target,
        tests: Option<OpenedTests>,
    ) -> Result<(), JsValue> {
        self.stop();
        let (environment, hides_from, waits) = (environment_of_page(), target.hides_from(), Waits::default());
        let (records, run, target) = match target.both()?.filter(|_| tests.is_none()) {
            Some(both) => {
                let addresses = both.each_ref().map(|(_, options)| options.address.as_str());
                let records = RunRecords::of_two(environment, hides_from, addresses);
                // Some checks of two agents alone would say nothing of both.
                (records, self.run_both(number, both, target.host(), waits.clone()), None)
            }
            None => {
                let (host, options) = target.run()?;
                let repeat = if tests.is_some() { 1 } else { options.repeat };
                let options = Options { is_written: tests.is_some(), repeat, ..options };
                let records = RunRecords::alone(RunRecord::new(environment, hides_from));
                (records, self.run(number, host, options, tests.as_ref(), waits.clone()), Some(target))
            }
        };
        let told = records.told();
        let (checking, stop) = abortable(run);
        let (started_ms, stop) = (self.clock.now_ms(), Some(stop));
        let current = CurrentRun { number, target, tests, records, started_ms, stop, waits, is_again: false };
        self.current.replace(Some(current));
        self.send_soon(told);
        self.drive(number, checking);
        Ok(())
    }

    /// Checks each of two agents alone, and then both together, as the command line does.
    fn run_both(
        self: &Rc<Self>,
        number: u32,
        mut both: [(Host, Options); 2],
        third: Host,
        waits: Waits,
    ) -> LocalBoxFuture<'static, ()> {
        let runs = Rc::clone(self);
        let [(_, first), (_, second)] = &mut both;
        Options::share_secrets(&mut [first, second]);
        let [first, second] = both.each_ref().map(|(_, options)| options.clone());
        Box::pin(async move {
            for (place, (host, options)) in both.into_iter().enumerate() {
                if place > 0 {
                    runs.begin_next(number);
                }
                runs.run(number, host, options, None, waits.clone()).await;
            }
            runs.begin_next(number);
            let keep = Rc::clone(&runs);
            run_pair(third, agents::SUITE, first, second, Rc::new(move |event: Event| keep.keep(number, &event))).await;
        })
    }

    fn begin_next(self: &Rc<Self>, number: u32) {
        let told = {
            let mut current = self.current.borrow_mut();
            current.as_mut().filter(|current| current.number == number).and_then(|current| current.records.begin_next())
        };
        self.send_soon(told);
    }

    pub(crate) fn show_report(&self, place: usize) -> Option<Result<Opening, String>> {
        let opened = self.current.borrow_mut().as_mut().and_then(|current| current.records.show(place));
        opened.map(|opened| Ok(Opening::Report(Box::new(opened))))
    }

    pub(crate) fn begin_again(
        self: &Rc<Self>,
        number: u32,
        checks: Vec<String>,
        settings: Option<&Settings>,
    ) -> Result<(), JsValue> {
        self.stop();
        let checking = {
            let mut current = self.current.borrow_mut();
            let current = current.as_mut().ok_or_else(|| Error::new("nothing was run before"))?;
            let target = current.target.as_ref().ok_or_else(|| Error::new("nothing was run before"))?;
            let (host, options) = target.again(checks.clone(), settings)?;
            let waits = Waits::default();
            let tests = current.tests.clone();
            let options = Options { is_written: tests.is_some(), ..options };
            let (checking, stop) = abortable(self.run(number, host, options, tests.as_ref(), waits.clone()));
            let record = current.records.shown_mut().ok_or_else(|| Error::new("nothing was run before"))?;
            record.begin_again(checks);
            (current.number, current.waits) = (number, waits);
            (current.started_ms, current.stop, current.is_again) = (self.clock.now_ms(), Some(stop), true);
            checking
        };
        self.drive(number, checking);
        Ok(())
    }

    fn run(
        self: &Rc<Self>,
        number: u32,
        host: Host,
        mut options: Options,
        tests: Option<&OpenedTests>,
        waits: Waits,
    ) -> LocalBoxFuture<'static, ()> {
        let runs = Rc::clone(self);
        options.secrets.extend(tests.iter().flat_map(|tests| tests.secrets.iter().cloned()));
        let areas = tests.map_or_else(|| areas_for(&options), |tests| tests.areas);
        run_watched(host, areas, options, Rc::new(move |event: Event| runs.keep(number, &event)), waits)
    }

    fn drive(self: &Rc<Self>, number: u32, checking: Abortable<LocalBoxFuture<'static, ()>>) {
        let runs = Rc::clone(self);
        spawn_local(async move {
            // Aborted: `stop` has told the end already.
            if checking.await.is_ok() {
                runs.end(number);
            }
        });
    }

    /// Shows a record that was opened, in place of the run that is under way, or the last one. What the page has to know before it
    /// hears of the rows, if that is of two agents.
    pub(crate) fn show(self: &Rc<Self>, number: u32, record: RunRecord) -> Option<CheckerMessage> {
        self.stop();
        let (started_ms, waits) = (self.clock.now_ms(), Waits::default());
        let records = RunRecords::opened(record);
        let told = records.told();
        let shown =
            CurrentRun { number, target: None, tests: None, records, started_ms, stop: None, waits, is_again: false };
        self.current.replace(Some(shown));
        told
    }

    pub(crate) fn waits(&self) -> Waits {
        self.current.borrow().as_ref().map(|current| current.waits.clone()).unwrap_or_default()
    }

    /// Ends what is under way at once; what was finished stays.
    pub(crate) fn stop(self: &Rc<Self>) {
        let stopped = self.current.borrow_mut().as_mut().and_then(|current| {
            let stop = current.stop.take()?;
            stop.abort();
            let duration_ms = self.clock.now_ms() - current.started_ms;
            Some((current.number, current.tally(), duration_ms))
        });
        if let Some((number, tally, duration_ms)) = stopped {
            self.keep(number, &Event::stopped(tally, duration_ms));
            self.send_batch();
        }
    }

    fn end(&self, number: u32) {
        if let Some(current) = self.current.borrow_mut().as_mut().filter(|current| current.number == number) {
            current.stop = None;
        }
        self.send_batch();
    }

    /// Reads from the record of the run, if there was one.
    pub(crate) fn of_record<T>(&self, what: impl FnOnce(&RunRecord) -> Option<T>) -> Option<T> {
        self.current.borrow().as_ref().and_then(|current| what(current.records.shown()?))
    }

    /// The same of the record of the whole, where the run is of two agents.
    pub(crate) fn of_whole<T>(&self, what: impl FnOnce(&RunRecord) -> Option<T>) -> Option<T> {
        self.current.borrow().as_ref().and_then(|current| what(current.records.whole()?))
    }

    /// The report of the tests of the run, in their own format.
    pub(crate) fn tests_file(&self) -> Option<File> {
        let current = self.current.borrow();
        let current = current.as_ref()?;
        Some(current.tests.as_ref()?.file(&current.records.shown()?.report()))
    }

    fn keep(self: &Rc<Self>, number: u32, event: &Event) {
        let messages = {
            let mut current = self.current.borrow_mut();
            match current.as_mut().filter(|current| current.number == number) {
                Some(current) if current.is_again => {
                    let record = current.records.shown_mut();
                    record.and_then(|record| record.apply_again(event)).into_iter().collect()
                }
                Some(current) => current.records.apply(event),
                None => Vec::new(),
            }
        };
        self.send_soon(messages);
    }

    /// Tells these with what else happens within a moment.
    fn send_soon(self: &Rc<Self>, messages: impl IntoIterator<Item = CheckerMessage>) {
        let mut messages = messages.into_iter().peekable();
        if messages.peek().is_none() {
            return;
        }
        self.waiting.borrow_mut().extend(messages);
        if !self.scheduled.replace(true) {
            let runs = Rc::clone(self);
            let pause = self.clock.sleep(PACE_MS);
            spawn_local(async move {
                pause.await;
                runs.send_batch();
            });
        }
    }

    fn send_batch(&self) {
        self.scheduled.set(false);
        let messages = self.waiting.take();
        if messages.is_empty() {
            return;
        }
        let of_run = |current: &CurrentRun| (current.number, current.tally());
        let Some((run, tally)) = self.current.borrow().as_ref().map(of_run) else { return };
        let batch = Batch { run, messages, tally };
        // The listener is the page, which throws nothing.
        if let Some(listener) = self.listener.borrow().as_ref() {
            let _ = listener.call1(&JsValue::UNDEFINED, &Uint8Array::from(to_bytes(&batch).as_slice()));
        }
    }
}
