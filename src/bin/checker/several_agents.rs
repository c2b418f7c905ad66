//! Starts and stops the runs of several agents, beside the one run that the page shows; what is kept of them is in
//! `checker/several_agents.rs`.

use std::cell::RefCell;
use std::rc::Rc;

use a2a_conformance::checker::{SILENCE_MS, SeveralAgents, in_turn};
use a2a_conformance::engine::event::Event;
use a2a_conformance::engine::run::{run, run_pair};
use a2a_conformance::host::probe::PageOrigin;
use a2a_conformance::host::{Clock, web};
use a2a_conformance::report::ReportBuilder;
use a2a_conformance::suite::{agents, areas_for};
use a2a_conformance::view_model::messages::File;
use a2a_conformance::view_model::settings::Settings;
use a2a_conformance::view_model::several_agents::RequestedAgent;
use futures_util::FutureExt;
use futures_util::future::{AbortHandle, LocalBoxFuture, abortable, pending};
use wasm_bindgen_futures::spawn_local;

use super::exports::environment_of_page;
use super::target::Target;

thread_local! {
    /// One module checks for one page.
    pub(crate) static SEVERAL: Rc<SeveralRuns> = Rc::new(SeveralRuns::new());
}

pub(crate) struct SeveralRuns {
    clock: Rc<dyn Clock>,
    current: RefCell<Option<CurrentRuns>>,
}

struct CurrentRuns {
    /// Runs of an earlier list that are still ending find another number.
    number: u32,
    several: SeveralAgents,
    agents: Vec<RequestedAgent>,
    settings: Settings,
    home: PageOrigin,
    under_way: Vec<(usize, f64, AbortHandle)>,
    /// The checks of every pair.
    pairs: Option<AbortHandle>,
}

impl SeveralRuns {
    fn new() -> Self {
        Self { clock: web::clock(), current: RefCell::default() }
    }

    /// Begins to check these agents, in place of those of before.
    pub(crate) fn begin(self: &Rc<Self>, agents: Vec<RequestedAgent>, settings: Settings, home: PageOrigin) {
        self.stop(None);
        let number = self.current.borrow().as_ref().map_or(0, |current| current.number) + 1;
        let addresses: Vec<String> = agents.iter().map(|agent| agent.address.clone()).collect();
        let several = SeveralAgents::new(addresses, environment_of_page());
        let count = agents.len();
        let current = CurrentRuns { number, several, agents, settings, home, under_way: Vec::new(), pairs: None };
        self.current.replace(Some(current));
        let runs = Rc::clone(self);
        let others = Rc::clone(self);
        let silence = move |place| Rc::clone(&others).silence(number, place).boxed_local();
        spawn_local(in_turn(count, move |place| Rc::clone(&runs).run(number, place).boxed_local(), silence));
    }

    /// Ends when an agent has answered nothing for so long that another gets its turn.
    async fn silence(self: Rc<Self>, number: u32, place: usize) {
        self.clock.sleep(SILENCE_MS).await;
        let mut is_silent = false;
        self.with(number, |current| is_silent = current.several.is_silent(place));
        if !is_silent {
            pending::<()>().await;
        }
    }

    /// The run of one agent, from its turn to its end.
    async fn run(self: Rc<Self>, number: u32, place: usize) {
        // Unless it was stopped before its turn.
        let Some(target) = self.target(number, place, |several| several.is_queued(place)) else { return };
        let (host, options) = match target.run() {
            Ok(run) => run,
            Err(problem) => {
                let why = js_sys::Error::from(problem).message();
                return self.with(number, |current| current.several.give_up(place, &String::from(why)));
            }
        };
        self.with(number, |current| current.several.begin(place));
        let runs = Rc::clone(&self);
        let keep = move |event: Event| runs.with(number, |current| current.several.apply(place, &event));
        let (checking, stop) = abortable(run(host, areas_for(&options), options, Rc::new(keep)));
        let started_ms = self.clock.now_ms();
        self.with(number, |current| current.under_way.push((place, started_ms, stop)));
        // Aborted: `stop` has told the end already.
        let _ = checking.await;
        self.with(number, |current| current.under_way.retain(|(other, ..)| *other != place));
    }

    /// Begins to check every two agents together whose runs are over, round by round: no agent is busy with two others.
    pub(crate) fn begin_pairs(self: &Rc<Self>) {
        let Some(number) = self.current.borrow().as_ref().map(|current| current.number) else { return };
        let runs = Rc::clone(self);
        self.with(number, |current| {
            let rounds = current.several.plan_pairs();
            let all = async move {
                for round in rounds {
                    let run = |place| -> LocalBoxFuture<'static, ()> {
                        let pair = round.get(place).copied().unwrap_or_default();
                        Rc::clone(&runs).run_pair(number, pair).boxed_local()
                    };
                    in_turn(round.len(), run, |_| pending().boxed_local()).await;
                }
                // Nothing is waited for that could not be run.
                runs.with(number, |current| current.several.stop_pairs());
            };
            let (checking, stop) = abortable(all);
            if let Some(before) = current.pairs.replace(stop) {
                before.abort();
            }
            spawn_local(checking.map(|_| ()));
        });
    }

    async fn run_pair(self: Rc<Self>, number: u32, (first, second): (usize, usize)) {
        let sides = [first, second].map(|place| self.target(number, place, |_| true)?.run().ok());
        let [Some((host, one)), Some((_, other))] = sides else { return };
        let builder = Rc::new(RefCell::new(ReportBuilder::new(environment_of_page())));
        let keep = Rc::clone(&builder);
        run_pair(host, agents::SUITE, one, other, Rc::new(move |event: Event| keep.borrow_mut().apply(&event))).await;
        let report = builder.borrow().report();
        self.with(number, |current| current.several.keep_pair(first, second, &report));
    }

    /// An agent to check, if it is as it has to be.
    fn target(&self, number: u32, place: usize, is_fit: impl FnOnce(&SeveralAgents) -> bool) -> Option<Target> {
        let current = self.current.borrow();
        let current = current.as_ref().filter(|current| current.number == number && is_fit(&current.several))?;
        let wanted = current.agents.get(place)?;
        let settings = Box::new(wanted.settings(&current.settings));
        Some(Target::Agent { address: wanted.address.clone(), settings, home: current.home.clone() })
    }

    fn with(&self, number: u32, what: impl FnOnce(&mut CurrentRuns)) {
        if let Some(current) = self.current.borrow_mut().as_mut().filter(|current| current.number == number) {
            what(current);
        }
    }

    /// Ends one run at once, or all; what was finished stays.
    pub(crate) fn stop(&self, which: Option<usize>) {
        let now_ms = self.clock.now_ms();
        let Some(number) = self.current.borrow().as_ref().map(|current| current.number) else { return };
        self.with(number, |current| {
            let is_meant = |place: usize| which.is_none_or(|which| which == place);
            if which.is_none() {
                if let Some(pairs) = current.pairs.take() {
                    pairs.abort();
                }
                current.several.stop_pairs();
            }
            for place in (0..current.agents.len()).filter(|place| is_meant(*place)) {
                current.several.give_up(place, "It was stopped before its turn.");
            }
            let (stopped, others): (Vec<_>, Vec<_>) =
                std::mem::take(&mut current.under_way).into_iter().partition(|(place, ..)| is_meant(*place));
            current.under_way = others;
            for (place, started_ms, handle) in stopped {
                handle.abort();
                let tally = current.several.tally(place);
                current.several.apply(place, &Event::stopped(tally, now_ms - started_ms));
            }
        });
    }

    /// Reads from the agents' runs, if there are any.
    pub(crate) fn read<T>(&self, what: impl FnOnce(&SeveralAgents) -> T) -> Option<T> {
        self.current.borrow().as_ref().map(|current| what(&current.several))
    }

    /// All reports in one file.
    pub(crate) fn file(&self, format: &str) -> Option<File> {
        self.read(|several| several.file(format, self.clock.wall_ms())).flatten()
    }
}
