//! What the page holds: signals for what is shown, and beside them the run's own values, which only the detail reads.

use std::cell::RefCell;
use std::rc::Rc;

use futures_util::future::AbortHandle;

use super::queue::Queue;
use super::signal::Signal;
use super::view::banner::Banner;
use super::view::filter::Filter;
use super::view::form::Settings;
use super::view::groups::{self, Entry, Group, Order};
use super::view::link::Link;
use super::view::rows::{Counts, Kind, RowInfo, RowState};
use crate::engine::event::{Agent, CheckResult, Tally};
use crate::engine::reach::StageResult;
use crate::host::probe::PageOrigin;
use crate::report::{Report, ReportBuilder};
use crate::wire::exchange::Exchange;

/// Where the page stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// Nothing was run.
    Empty,
    /// A run goes on.
    Running,
    /// A run ended, or was stopped.
    Done,
}

/// A row: what never changes, and a signal of its own for what does, so that a result touches one row.
#[derive(Debug, Clone)]
pub(super) struct RowHandle {
    /// What never changes.
    pub(super) info: Rc<RowInfo>,
    /// What a result fills in.
    pub(super) state: Signal<RowState>,
}

/// The values of a run that are no signals.
#[derive(Default)]
pub(super) struct RunData {
    /// Folds the events into the report.
    pub(super) recorder: Option<ReportBuilder>,
    /// The results with the rows' places, as they came.
    pub(super) results: Vec<(usize, Rc<CheckResult>)>,
    /// The exchanges, as they came.
    pub(super) exchanges: Vec<Rc<Exchange>>,
    /// Ends the run.
    pub(super) stop: Option<AbortHandle>,
    /// Where its events wait.
    pub(super) queue: Option<Rc<Queue>>,
    /// When it began, by the page's clock.
    pub(super) started_ms: f64,
    /// When the report was last kept for a reload.
    pub(super) kept_ms: f64,
}

/// A handle to everything the page holds. There is one page, and it lives as long as its tab: a plain reference is the
/// smallest thing that every closure of a view can keep.
pub(super) type Page = &'static PageState;

/// Everything the page holds.
pub(super) struct PageState {
    /// Where the page was loaded from.
    pub(super) home: PageOrigin,
    /// The address as it is typed.
    pub(super) address: Signal<String>,
    /// The rest of the form.
    pub(super) settings: Signal<Settings>,
    /// Why the form was refused; empty if it was not.
    pub(super) problem: Signal<String>,
    /// The faults that the demo agent gets.
    pub(super) faults: Signal<Vec<&'static str>>,
    /// Which rows are shown.
    pub(super) filter: Signal<Filter>,
    /// The row that is open.
    pub(super) selected: Signal<Option<usize>>,
    /// The row that the keyboard is at.
    pub(super) cursor: Signal<Option<usize>>,
    /// The key of a row that a link wants open as soon as it is there.
    pub(super) wanted: Signal<Option<String>>,
    /// Where the page stands.
    pub(super) phase: Signal<Phase>,
    /// How many runs were started.
    pub(super) runs: Signal<u32>,
    /// What is checked, for people.
    pub(super) subject: Signal<String>,
    /// What the run is doing, in its own words.
    pub(super) stage: Signal<String>,
    /// Where a person has to agree before the run goes on, and the code to confirm there.
    pub(super) confirm: Signal<Option<(String, String)>>,
    /// What a screen reader is told.
    pub(super) spoken: Signal<String>,
    /// The rows in the plan's order.
    pub(super) rows: Signal<Vec<RowHandle>>,
    /// Grows with every batch of results: what depends on many rows reads this and not their signals.
    pub(super) revision: Signal<u32>,
    /// How the rows are ordered.
    pub(super) order: Signal<Order>,
    /// How many rows there are of each kind.
    pub(super) counts: Signal<Counts>,
    /// The engine's own counts.
    pub(super) tally: Signal<Tally>,
    /// How many messages the whole plan will send.
    pub(super) planned_messages: Signal<u32>,
    /// Whole seconds since the run began.
    pub(super) seconds: Signal<u64>,
    /// What the card says.
    pub(super) agent: Signal<Option<Agent>>,
    /// What is known of the way to the agent, as it was told.
    pub(super) reached: Signal<Vec<StageResult>>,
    /// The server stack that fixes are shown for.
    pub(super) stack: Signal<String>,
    /// The lanes, for people.
    pub(super) lanes: Signal<Vec<String>>,
    /// The verdict, once there is one.
    pub(super) banner: Signal<Option<Banner>>,
    /// The values that are no signals.
    pub(super) run: RefCell<RunData>,
}

impl PageState {
    /// The state that a link describes.
    pub(super) fn of(link: Link, home: PageOrigin) -> Page {
        let mut settings = Settings::default();
        if let Some(packed) = super::store::credentials() {
            settings.unpack(&packed);
        }
        let state = Self {
            home,
            address: Signal::new(link.address),
            settings: Signal::new(settings),
            problem: Signal::new(String::new()),
            faults: Signal::new(Vec::new()),
            filter: Signal::new(link.filter),
            selected: Signal::new(None),
            cursor: Signal::new(None),
            wanted: Signal::new(link.row),
            phase: Signal::new(Phase::Empty),
            runs: Signal::new(0),
            subject: Signal::new(String::new()),
            stage: Signal::new(String::new()),
            confirm: Signal::new(None),
            spoken: Signal::new(String::new()),
            rows: Signal::new(Vec::new()),
            revision: Signal::new(0),
            order: Signal::new(Order::Planned),
            counts: Signal::new(Counts::default()),
            tally: Signal::new(Tally::default()),
            planned_messages: Signal::new(0),
            seconds: Signal::new(0),
            agent: Signal::new(None),
            reached: Signal::new(Vec::new()),
            stack: Signal::new(super::store::stack().unwrap_or_default()),
            lanes: Signal::new(Vec::new()),
            banner: Signal::new(None),
            run: RefCell::default(),
        };
        Box::leak(Box::new(state))
    }

    /// Whether a run goes on.
    pub(super) fn is_running(&self) -> bool {
        self.phase.get_untracked() == Phase::Running
    }

    /// The report of the run as far as it went; `None` before the first.
    pub(super) fn report(&self) -> Option<Report> {
        self.run.borrow().recorder.as_ref().map(ReportBuilder::report)
    }

    /// The row at a place of the plan.
    pub(super) fn row(&self, index: usize) -> Option<RowHandle> {
        self.rows.with_untracked(|rows| rows.get(index).cloned())
    }

    /// The groups of the table; tracks what they depend on.
    pub(super) fn groups(&self) -> Vec<Group> {
        let order = self.order.get();
        if order == Order::FailingFirst {
            self.revision.track();
        }
        let entry = |row: &RowHandle| Entry {
            index: row.info.index,
            category: row.info.category,
            rank: row.state.with_untracked(|state| state.rank),
        };
        self.rows.with(|rows| groups::group(rows.iter().map(entry), order))
    }

    /// The rows that the filter shows, from top to bottom; tracks what they depend on.
    pub(super) fn shown(&self) -> Vec<usize> {
        self.revision.track();
        let groups = self.groups();
        let filter = self.filter.get();
        self.rows.with(|rows| {
            let shows = |index: &usize| rows.get(*index).is_some_and(|row| row.shown_by(&filter));
            groups.iter().flat_map(|group| group.rows.iter().copied()).filter(shows).collect()
        })
    }

    /// What a category's heading says: how many rows, and what needs attention; tracks what it depends on.
    pub(super) fn heading(&self, category: usize) -> (usize, String) {
        self.revision.track();
        self.rows.with(|rows| {
            let mut kinds: Vec<Kind> = Vec::new();
            for row in rows.iter().filter(|row| row.info.category == category) {
                kinds.push(row.state.with_untracked(|state| state.kind));
            }
            (kinds.len(), groups::attention(&kinds))
        })
    }
}

impl RowHandle {
    /// Whether the filter shows it now; does not track.
    pub(super) fn shown_by(&self, filter: &Filter) -> bool {
        self.state.with_untracked(|state| filter.shows(&self.info, state.kind, &state.message))
    }
}
