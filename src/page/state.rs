//! The state of the page: the signals of the run, its rows and lines, the filter, the form, and what is open. All of it are
//! signals, also what no view follows.

use std::sync::Arc;

use leptos::prelude::*;

use super::storage;
use super::workbench_state::BenchState;
use crate::engine::event::{Agent, Tally};
use crate::engine::user_waits::Waiting;
use crate::host::probe::PageOrigin;
use crate::view_model::agents_switch::AgentsSwitch;
use crate::view_model::banner::Banner;
use crate::view_model::comparison::ComparisonView;
use crate::view_model::filter::Filter;
use crate::view_model::grid::Grid;
use crate::view_model::groups::{self, LineGroup, Unfolded};
use crate::view_model::lines::{LineState, Summary};
use crate::view_model::messages::Confirm;
use crate::view_model::past_runs::PastRunEntry;
use crate::view_model::printed::PrintedRun;
use crate::view_model::reach::ReachView;
use crate::view_model::rows::{Counts, RowInfo, RowState, RowStatus};
use crate::view_model::settings::Settings;
use crate::view_model::setup::Setup;
use crate::view_model::several_agents::AgentLines;
use crate::view_model::share_link::Link;
use crate::view_model::tabs::Tab;
use crate::view_model::test_files::TestFiles;
use crate::view_model::watched_client::WatchedClient;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum RunPhase {
    /// Nothing was run.
    #[default]
    Empty,
    /// A run goes on.
    Running,
    /// A run ended, or was stopped.
    Done,
}

/// The agent that was checked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) enum RunTarget {
    /// The agent at that address, as it was typed.
    Agent(String),
    /// The demo agent.
    #[default]
    Demo,
    /// None just now: a report that was opened.
    Opened,
}

/// A row: what never changes, and a signal of its own for what does, so that a result touches one row.
#[derive(Debug, Clone)]
pub(super) struct RowHandle {
    pub(super) info: Arc<RowInfo>,
    /// Its line's place among the lines.
    pub(super) line: usize,
    pub(super) state: ArcRwSignal<RowState>,
}

/// A line of the list: a check with its rows on all lanes.
#[derive(Debug, Clone)]
pub(super) struct LineHandle {
    pub(super) check: String,
    pub(super) title: String,
    /// The category's place among the categories.
    pub(super) category: usize,
    /// Its rows; more come with each lane.
    pub(super) rows: ArcRwSignal<Vec<RowHandle>>,
}

/// A handle to everything the page holds. There is one page, and it lives as long as its tab: a plain reference is the
/// smallest thing that every closure of a view can keep.
pub(super) type Page = &'static PageState;

/// Everything the page holds.
#[derive(Default)]
pub(super) struct PageState {
    /// The address that the page was loaded from.
    pub(super) home: PageOrigin,
    /// The address as it is typed.
    pub(super) address: RwSignal<String>,
    /// Whether it was changed since the last run; then the page shows again what it will fetch.
    pub(super) edited: RwSignal<bool>,
    /// The rest of the form.
    pub(super) settings: RwSignal<Settings>,
    /// Why the form was refused; empty if it was not.
    pub(super) problem: RwSignal<String>,
    /// The faults that the demo agent gets.
    pub(super) faults: RwSignal<Vec<String>>,
    /// A message about loading the demo agent; usually empty.
    pub(super) demo_note: RwSignal<String>,
    pub(super) filter: RwSignal<Filter>,
    /// How many steps of the history were gone: each may have brought an older address back.
    pub(super) history_steps: RwSignal<u32>,
    /// The row that is open.
    pub(super) selected: RwSignal<Option<usize>>,
    /// The line that the keyboard is at.
    pub(super) cursor: RwSignal<Option<usize>>,
    /// The categories whose lines are all shown.
    pub(super) unfolded: RwSignal<Unfolded>,
    /// The key of a row that a link wants open as soon as it is there.
    pub(super) wanted: RwSignal<Option<String>>,
    /// The row that was opened because a link wanted it.
    pub(super) linked_row: RwSignal<Option<usize>>,
    /// The view of the run that is shown.
    pub(super) tab: RwSignal<Tab>,
    /// The link that the page was opened by, or that was pasted, until something is run or opened.
    pub(super) linked: RwSignal<Link>,
    /// The address of the report that a link asks for, or that is shown; empty for none.
    pub(super) report_url: RwSignal<String>,
    /// The address that was judged last, with the setup of that run.
    pub(super) judged: RwSignal<Link>,
    /// A sentence on the report that was opened: that it is one, and when it was made; empty for a run.
    pub(super) opened: RwSignal<String>,
    /// Whether its user gives the credentials that the last run lacked.
    pub(super) is_giving: RwSignal<bool>,
    /// Whether the view of several agents is shown.
    pub(super) several: RwSignal<bool>,
    /// Their list as it is typed.
    pub(super) agents_text: RwSignal<String>,
    /// The agents that were read from it.
    pub(super) agents_read: RwSignal<Vec<String>>,
    /// What of it could not be used, and why.
    pub(super) agents_unread: RwSignal<Vec<String>>,
    /// A sentence on the file or catalogue that was added last.
    pub(super) agents_told: RwSignal<Vec<String>>,
    /// Why they cannot be run; empty for nothing.
    pub(super) agents_problem: RwSignal<String>,
    /// Addresses with what was typed for each. In memory alone.
    pub(super) agents_credentials: RwSignal<Vec<(String, String)>>,
    /// How their runs stand.
    pub(super) agents: RwSignal<AgentLines>,
    /// The number of the latest request for that; an earlier one ends when there is a later.
    pub(super) agents_asked: RwSignal<u32>,
    /// Whether the form was refused for its second address.
    pub(super) is_second_refused: RwSignal<bool>,
    /// The reports of a run of two agents.
    pub(super) agents_switch: RwSignal<AgentsSwitch>,
    /// Why the last file could not be used; empty for none.
    pub(super) file_problem: RwSignal<String>,
    /// The runs that this browser keeps.
    pub(super) past: RwSignal<Vec<PastRunEntry>>,
    pub(super) comparison: RwSignal<Option<ComparisonView>>,
    /// What differs from the last run of the same agent; empty for nothing to say.
    pub(super) since: RwSignal<String>,
    /// Whether the agent is run again when it was started again.
    pub(super) follows: RwSignal<bool>,
    pub(super) phase: RwSignal<RunPhase>,
    /// Whether what is below the verdict may be made. With the first run it comes in a task of its own, as all at once would keep
    /// the page from answering.
    pub(super) is_below_verdict: RwSignal<bool>,
    /// How many runs were started.
    pub(super) runs: RwSignal<u32>,
    /// The subject of the run, for people.
    pub(super) subject: RwSignal<String>,
    /// The run's current activity, in its own words.
    pub(super) stage: RwSignal<String>,
    /// To whom a person has to give access before the run goes on, where, and the code to confirm there.
    pub(super) confirm: RwSignal<Option<Confirm>>,
    /// The message for screen readers.
    pub(super) spoken: RwSignal<String>,
    /// The rows in the plan's order.
    pub(super) rows: RwSignal<Vec<RowHandle>>,
    /// The lines in the plan's order.
    pub(super) lines: RwSignal<Vec<LineHandle>>,
    /// Grows with every batch of results: what depends on many rows reads this and not their signals.
    pub(super) revision: RwSignal<u32>,
    pub(super) counts: RwSignal<Counts>,
    /// The engine's own counts.
    pub(super) tally: RwSignal<Tally>,
    /// How many messages the whole plan will send.
    pub(super) planned_messages: RwSignal<u32>,
    /// Whole seconds since the run began.
    pub(super) seconds: RwSignal<u32>,
    /// The facts of the card.
    pub(super) agent: RwSignal<Option<Agent>>,
    /// The diagnosis of the way to the agent so far.
    pub(super) way: RwSignal<ReachView>,
    /// The server stack that fixes are shown for.
    pub(super) stack: RwSignal<String>,
    pub(super) lanes: RwSignal<Vec<String>>,
    /// The verdict, once there is one.
    pub(super) banner: RwSignal<Option<Banner>>,
    /// The rows that are run again, with what they were before; `None` while none are.
    pub(super) again: RwSignal<Option<Vec<(usize, RowState)>>>,
    /// A message about the checks that were run again; usually empty.
    pub(super) again_note: RwSignal<String>,
    /// The waits of the run, the longest first.
    pub(super) waiting: RwSignal<Vec<Waiting>>,
    /// The agent that was checked last.
    pub(super) target: RwSignal<RunTarget>,
    /// The results of the run before, by the keys of their rows; for a run of everything again.
    pub(super) before: RwSignal<Vec<(String, RowStatus)>>,
    /// The part that is printed beside what is shown.
    pub(super) printed: RwSignal<Option<PrintedRun>>,
    pub(super) tests: TestsState,
    pub(super) watch: WatchState,
    pub(super) bench: BenchState,
}

/// Tests that users write: their files, and whether the run that is shown is of them.
#[derive(Default)]
pub(super) struct TestsState {
    /// Whether the files are shown.
    pub(super) is_open: RwSignal<bool>,
    pub(super) files: RwSignal<TestFiles>,
    /// What the user says about them: variables, texts for behaviours and further agents.
    pub(super) given: RwSignal<String>,
    /// Why something could not be done; empty for nothing.
    pub(super) problem: RwSignal<String>,
    /// Whether the run that is shown is of these tests.
    pub(super) is_run: RwSignal<bool>,
}

/// Whose clients are watched live, and what was found of them.
#[derive(Default)]
pub(super) struct WatchState {
    /// Whether the view is shown.
    pub(super) is_open: RwSignal<bool>,
    /// The address of the agent that watches, as it is typed.
    pub(super) address: RwSignal<String>,
    /// Whether it is looked at.
    pub(super) is_on: RwSignal<bool>,
    /// Why it cannot be seen; empty for nothing.
    pub(super) problem: RwSignal<String>,
    /// What was seen last.
    pub(super) seen: RwSignal<Option<WatchedClient>>,
    /// The number of the latest watch; an earlier one ends when there is a later.
    pub(super) asked: RwSignal<u32>,
}

impl PageState {
    /// The state that a link describes.
    pub(super) fn new(link: Link, home: PageOrigin) -> Page {
        let state = Self {
            home,
            is_below_verdict: RwSignal::new(true),
            stack: RwSignal::new(storage::stack().unwrap_or_default()),
            ..Self::default()
        };
        if let Some(packed) = storage::credentials() {
            state.settings.update(|settings| settings.unpack(&packed));
        }
        let page: Page = Box::leak(Box::new(state));
        page.follow(link);
        page
    }

    /// Takes over what a link asks for; nothing is run.
    pub(super) fn follow(&self, link: Link) {
        self.linked.set(link.clone());
        self.settings.update(|settings| link.setup.put_into(settings));
        self.address.set(link.address);
        self.faults.set(link.setup.faults.unwrap_or_default());
        self.filter.set(link.filter);
        self.wanted.set(link.row);
        self.bench.is_open.set(link.tab == Tab::Workbench);
        self.tab.set(link.tab);
        self.several.set(link.agents.is_some());
        self.agents_text.set(link.agents.unwrap_or_default().join("\n"));
        self.watch.is_open.set(link.watch.is_some());
        self.watch.address.set(link.watch.unwrap_or_default());
        self.report_url.set(link.report.unwrap_or_default());
    }

    /// The setup of a run of the form; tracks.
    pub(super) fn setup(&self) -> Setup {
        self.settings.with(Setup::from_settings)
    }

    pub(super) fn is_running(&self) -> bool {
        self.phase.get_untracked() == RunPhase::Running
    }

    /// Whether anything is under way: a run, or some checks of it again. Tracks.
    pub(super) fn is_busy(&self) -> bool {
        self.phase.get() == RunPhase::Running || self.again.with(Option::is_some)
    }

    /// The same without tracking.
    pub(super) fn is_busy_now(&self) -> bool {
        self.is_running() || self.again.with_untracked(Option::is_some)
    }

    /// Whether something is in the way to the agent, or credentials are; then its button is the one to press, and no other. Tracks.
    pub(super) fn is_blocked(&self) -> bool {
        self.phase.get() == RunPhase::Done && (self.is_in_the_way() || self.is_for_credentials())
    }

    /// Whether something is in the way to the agent. Tracks.
    fn is_in_the_way(&self) -> bool {
        self.way.with(|way| way.panel.is_some())
    }

    /// Whether the credentials are what to give next. Tracks.
    pub(super) fn is_for_credentials(&self) -> bool {
        self.wants_credentials() && !self.is_giving.get() && !self.is_in_the_way()
    }

    /// Whether a run came to nothing at an agent whose card asks for credentials. Tracks.
    pub(super) fn wants_credentials(&self) -> bool {
        self.banner.with(|banner| banner.as_ref().is_some_and(|banner| banner.id == "not-rated"))
            && self.agent.with(|agent| agent.as_ref().is_some_and(|agent| !agent.asks.is_empty()))
    }

    /// Whether the browser asks its user just now.
    pub(super) fn is_asking(&self) -> bool {
        self.way.with_untracked(|way| way.is_asking)
    }

    /// Saves the credentials for a reload, or forgets them, as the visitor wants it.
    pub(super) fn save_credentials(&self, settings: &Settings) {
        let packed = || self.address.with_untracked(|address| settings.packed(address));
        storage::save_credentials(settings.kept.then(packed).as_deref());
    }

    /// The result of that row in the run before, if everything is run again.
    pub(super) fn status_before(&self, place: usize, key: &str) -> Option<RowStatus> {
        self.before.with_untracked(|before| {
            // Plans of one agent are mostly the same.
            let same = before.get(place).filter(|(known, _)| known == key);
            same.or_else(|| before.iter().find(|(known, _)| known == key)).map(|(_, status)| *status)
        })
    }

    /// The row at a place of the plan.
    pub(super) fn row(&self, index: usize) -> Option<RowHandle> {
        self.rows.with_untracked(|rows| rows.get(index).cloned())
    }

    /// The key of the row that is open; tracks which.
    pub(super) fn selected_key(&self) -> Option<String> {
        self.selected.get().and_then(|index| self.row(index)).map(|row| row.info.key.clone())
    }

    /// The line at a place of the plan.
    pub(super) fn line(&self, index: usize) -> Option<LineHandle> {
        self.lines.with_untracked(|lines| lines.get(index).cloned())
    }

    /// The line that a row belongs to.
    pub(super) fn line_of(&self, row: usize) -> Option<usize> {
        self.row(row).map(|row| row.line)
    }

    /// The groups of the list; tracks what they depend on.
    pub(super) fn groups(&self) -> Vec<LineGroup> {
        self.lines.with(|lines| groups::group(lines.iter().map(|line| line.category)))
    }

    /// The lines that are shown of a group; tracks what they depend on.
    pub(super) fn shown_of(&self, category: usize, lines_of_group: &[usize]) -> Vec<usize> {
        self.revision.track();
        let filter = self.filter.get();
        let all = !filter.is_empty() || self.unfolded.with(|unfolded| unfolded.has(category));
        let attention = self.phase.get() == RunPhase::Done;
        if !all && !attention {
            return Vec::new();
        }
        self.lines.with(|lines| {
            let shows = |index: &usize| {
                let state = lines.get(*index).and_then(|line| line.state(&filter));
                state.is_some_and(|state| all || (attention && state.needs_attention()))
            };
            lines_of_group.iter().copied().filter(shows).collect()
        })
    }

    /// The lines that are shown, from top to bottom; tracks what they depend on.
    pub(super) fn shown(&self) -> Vec<usize> {
        self.groups().iter().flat_map(|group| self.shown_of(group.category, &group.lines)).collect()
    }

    /// The counts of a category in words; tracks what they depend on.
    pub(super) fn summary(&self, category: usize) -> String {
        self.revision.track();
        self.rows.with(|rows| {
            let mut summary = Summary::default();
            for row in rows.iter().filter(|row| row.info.category == category) {
                row.state.with_untracked(|state| summary.add(state));
            }
            summary.in_words()
        })
    }

    /// How many rows were not judged for that reason; tracks what it depends on.
    pub(super) fn count_of(&self, reason: &str) -> usize {
        self.revision.track();
        let is_it = |row: &&RowHandle| row.state.with_untracked(|state| state.status.reason() == reason);
        self.rows.with(|rows| rows.iter().filter(is_it).count())
    }

    /// The picture of categories and lanes; tracks what it depends on.
    pub(super) fn grid(&self) -> Grid {
        self.revision.track();
        self.rows.with(|rows| {
            let kinds: Vec<_> = rows
                .iter()
                .map(|row| (row.info.as_ref(), row.state.with_untracked(|state| state.status.kind())))
                .collect();
            Grid::from_rows(kinds.iter().copied())
        })
    }

    /// Opens a row wherever it is: what is folded away is unfolded, and the filter that hides it is taken off.
    pub(super) fn uncover(&self, row: &RowHandle) {
        if !self.filter.with_untracked(|filter| row.shown_by(filter)) {
            self.filter.set(Filter::default());
        }
        let Some(line) = self.line(row.line) else { return };
        let is_shown = line.state(&Filter::default()).is_some_and(|state| state.needs_attention());
        let category = row.info.category;
        if !is_shown && !self.unfolded.with_untracked(|unfolded| unfolded.has(category)) {
            self.unfolded.update(|unfolded| unfolded.toggle(category));
        }
    }
}

impl RowHandle {
    /// Whether the filter shows it now; does not track.
    pub(super) fn shown_by(&self, filter: &Filter) -> bool {
        self.state.with_untracked(|state| {
            let shows = |status: RowStatus| filter.shows(&self.info, status.kind(), status.reason(), &state.message);
            shows(state.status) || state.was.is_some_and(shows)
        })
    }
}

impl LineHandle {
    /// The state of a line from those of its rows that the filter shows; `None` when it shows none of them. Does not track.
    pub(super) fn state(&self, filter: &Filter) -> Option<LineState> {
        self.rows.with_untracked(|rows| {
            let shown = rows.iter().filter(|row| filter.is_empty() || row.shown_by(filter));
            shown.fold(None, |line, row| Some(row.state.with_untracked(|state| LineState::and(line, state))))
        })
    }

    /// The row to open for the line: the one that needs attention most.
    pub(super) fn worst(&self) -> Option<usize> {
        self.rows.with_untracked(|rows| {
            let worst = rows.iter().min_by_key(|row| row.state.with_untracked(|state| state.status.rank()));
            worst.map(|row| row.info.index)
        })
    }
}
