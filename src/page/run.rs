//! Starting and stopping a run, and what its events do to the page.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use futures_util::future::{LocalBoxFuture, abortable};
use leptos::leptos_dom::helpers::IntervalHandle;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::queue::Queue;
use super::signal::Signal;
use super::state::{Page, Phase, RowHandle, RunData};
use super::view::banner::Banner;
use super::view::groups::Order;
use super::view::rows::{Counts, Kind, RowInfo, RowState, lane_label};
use super::{demo, store};
use crate::engine::event::{CheckResult, Completion, Event, Row, Tally};
use crate::engine::options::Options;
use crate::engine::run::run;
use crate::host::{Host, web};
use crate::report::{self, Format};
use crate::suite;

/// How often the report is kept for a reload, at most, in milliseconds.
const KEEP_EVERY: f64 = 2_000.0;

/// Checks the agent of the form.
pub(super) fn start(page: Page) {
    let address = page.address.get_untracked();
    let mut turned = Ok(());
    page.settings.update(|settings| turned = settings.turn_to(&address));
    page.settings.with_untracked(|settings| super::form::keep(page, settings));
    match turned.and_then(|()| page.settings.with_untracked(|settings| settings.options(&address))) {
        Ok(options) => {
            page.problem.set(String::new());
            let subject = options.address.clone();
            begin(page, web::host(), options, subject);
        }
        Err(problem) => {
            page.problem.set(problem);
            super::keys::focus("address");
        }
    }
}

/// Checks the agent that lives in this page, with the faults that were chosen.
pub(super) fn start_demo(page: Page) {
    let faults = page.faults.get_untracked();
    let (host, headers, address) = demo::host(&faults);
    let options = Options { address, headers, ..Options::default() };
    let subject = match faults.len() {
        0 => "the demo agent".to_owned(),
        1 => "the demo agent with 1 fault".to_owned(),
        count => format!("the demo agent with {count} faults"),
    };
    page.problem.set(String::new());
    begin(page, host, options, subject);
    // The button that was pressed may be gone.
    request_animation_frame(|| {
        super::keys::focus("verdict");
    });
}

/// What every report says of this program.
pub(super) fn environment() -> report::Environment {
    let user_agent = window().navigator().user_agent().unwrap_or_default();
    report::Environment {
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        host: "page".to_owned(),
        user_agent: Some(user_agent),
    }
}

/// A run of all there is to check. One type for those who await it, so that the page carries its machinery once.
pub(super) fn checking(host: Host, options: Options, emit: Rc<dyn Fn(Event)>) -> LocalBoxFuture<'static, ()> {
    Box::pin(run(host, suite::AREAS, options, emit))
}

fn now_ms() -> f64 {
    window().performance().map_or(0.0, |performance| performance.now())
}

fn begin(page: Page, host: Host, options: Options, subject: String) {
    stop(page);
    clear(page);
    page.subject.set(subject);
    page.runs.update(|runs| *runs += 1);
    page.phase.set(Phase::Running);
    let queue = Queue::new(move |events| apply(page, events));
    let emit = Rc::clone(&queue);
    let (checking, handle) = abortable(checking(host, options, Rc::new(move |event| emit.push(event))));
    let started_ms = now_ms();
    page.run.replace(RunData {
        recorder: Some(report::ReportBuilder::new(environment())),
        stop: Some(handle),
        queue: Some(Rc::clone(&queue)),
        started_ms,
        kept_ms: started_ms,
        ..RunData::default()
    });
    tick(page, started_ms);
    spawn_local(async move {
        // Aborted: `stop` has told the page already.
        if checking.await.is_ok() {
            queue.close();
        }
    });
    super::keys::reveal("verdict");
}

/// Ends the run at once; what was finished stays.
pub(super) fn stop(page: Page) {
    if !page.is_running() {
        return;
    }
    let (handle, queue, started_ms) = {
        let mut run = page.run.borrow_mut();
        (run.stop.take(), run.queue.take(), run.started_ms)
    };
    if let Some(handle) = handle {
        handle.abort();
    }
    if let Some(queue) = queue {
        queue.close();
    }
    if page.is_running() {
        let tally = page.tally.get_untracked();
        let duration_ms = now_ms() - started_ms;
        apply(page, vec![Event::Finished { completion: Completion::Stopped, tally, cause: None, duration_ms }]);
    }
}

fn clear(page: Page) {
    page.selected.set(None);
    page.cursor.set(None);
    page.rows.set(Vec::new());
    page.order.set(Order::Planned);
    page.counts.set(Counts::default());
    page.tally.set(Tally::default());
    page.planned_messages.set(0);
    page.seconds.set(0);
    page.stage.set(String::new());
    page.confirm.set(None);
    page.agent.set(None);
    page.reached.set(Vec::new());
    page.lanes.set(Vec::new());
    page.banner.set(None);
}

/// Counts the seconds while the run goes on.
fn tick(page: Page, started_ms: f64) {
    // No signal: those belong to whatever was pressed, and the timer outlives it.
    let own: Rc<Cell<Option<IntervalHandle>>> = Rc::default();
    let mine = Rc::clone(&own);
    let (last_ms, asked_ms) = (Cell::new(started_ms), Cell::new(0.0));
    let handle = set_interval_with_handle(
        move || {
            // While the browser asks its user, nobody waits for the agent.
            let before_ms = last_ms.replace(now_ms());
            if super::reach::is_asking(page) {
                asked_ms.set(asked_ms.get() + last_ms.get() - before_ms);
            }
            let is_mine = (page.run.borrow().started_ms - started_ms).abs() < f64::EPSILON;
            if !page.is_running() || !is_mine {
                if let Some(handle) = mine.get() {
                    handle.clear();
                }
                return;
            }
            let seconds =
                Duration::from_secs_f64(((now_ms() - started_ms - asked_ms.get()) / 1000.0).max(0.0)).as_secs();
            if page.seconds.get_untracked() != seconds {
                page.seconds.set(seconds);
            }
        },
        Duration::from_millis(250),
    );
    own.set(handle.ok());
}

/// Applies some events, in order; each signal that they change is set once.
fn apply(page: Page, events: Vec<Event>) {
    let mut batch = Batch { counts: page.counts.get_untracked(), tally: None, touched: false, is_over: false };
    for event in events {
        if let Some(recorder) = &mut page.run.borrow_mut().recorder {
            recorder.apply(&event);
        }
        batch.apply(page, event);
    }
    if batch.touched {
        page.counts.set(batch.counts);
        page.revision.update(|revision| *revision = revision.wrapping_add(1));
    }
    if let Some(tally) = batch.tally {
        page.tally.set(tally);
    }
    if batch.is_over {
        finish(page);
    } else {
        keep(page, Pace::Bounded);
    }
}

/// What some events change together.
struct Batch {
    counts: Counts,
    tally: Option<Tally>,
    touched: bool,
    is_over: bool,
}

impl Batch {
    fn apply(&mut self, page: Page, event: Event) {
        match event {
            Event::Started { .. } => {}
            Event::Stage(text) => {
                page.confirm.set(None);
                page.stage.set(text.clone());
                page.spoken.set(text);
            }
            Event::Confirm { url, complete, code } => {
                page.spoken.set(format!("To give this run access, confirm the code {code} at {url}"));
                page.confirm.set(Some((if complete.is_empty() { url } else { complete }, code)));
            }
            Event::Reach(reached) => page.reached.update(|way| way.push(reached)),
            Event::Agent(agent) => page.agent.set(Some(agent)),
            Event::Lanes(lanes) => page.lanes.set(lanes.iter().map(|lane| lane_label(lane)).collect()),
            Event::Planned { rows, messages } => {
                page.planned_messages.update(|total| *total += messages);
                self.plan(page, &rows);
            }
            Event::ScenarioStarted { scenario, lane } => {
                let lane = lane.as_ref().map_or("", |lane| lane.id.as_str()).to_owned();
                let checks: Vec<&str> = scenario.checks.iter().map(|check| check.id).collect();
                let rows = page.rows.get_untracked();
                for row in rows.iter().filter(|row| row.info.lane == lane && checks.contains(&row.info.check)) {
                    self.become_state(row, RowState::RUNNING);
                }
            }
            Event::Exchanged(exchange) => page.run.borrow_mut().exchanges.push(exchange),
            Event::Judged { result, tally } => {
                self.tally = Some(tally);
                self.judge(page, &result);
            }
            Event::Finished { tally, .. } => {
                self.tally = Some(tally);
                self.is_over = true;
            }
        }
    }

    fn plan(&mut self, page: Page, rows: &[Row]) {
        let mut handles = page.rows.get_untracked();
        for row in rows {
            let info = RowInfo::new(handles.len(), row);
            if page.wanted.with_untracked(|wanted| wanted.as_ref() == Some(&info.key)) {
                page.wanted.set(None);
                page.selected.set(Some(info.index));
            }
            handles.push(RowHandle { info: Rc::new(info), state: Signal::new(RowState::PENDING) });
            self.count(Kind::Pending, 1);
        }
        self.touched = true;
        page.rows.set(handles);
    }

    fn judge(&mut self, page: Page, result: &Rc<CheckResult>) {
        let key = result.row.key();
        let of_key = |rows: &Vec<RowHandle>| rows.iter().find(|row| row.info.key == key).cloned();
        let Some(row) = page.rows.with_untracked(of_key) else { return };
        page.run.borrow_mut().results.push((row.info.index, Rc::clone(result)));
        self.become_state(&row, RowState::of(result));
    }

    fn become_state(&mut self, row: &RowHandle, state: RowState) {
        let before = row.state.with_untracked(|state| state.kind);
        self.count(before, -1);
        self.count(state.kind, 1);
        self.touched = true;
        row.state.set(state);
    }

    fn count(&mut self, kind: Kind, by: i32) {
        if let Some(count) = self.counts.get_mut(kind.index()) {
            *count = count.saturating_add_signed(by);
        }
    }
}

fn finish(page: Page) {
    leave_unjudged(page);
    let banner = page.report().map(|report| Banner::of(&report));
    if let Some(banner) = &banner {
        page.spoken.set(banner.spoken());
    }
    if document().active_element().is_some_and(|element| element.id() == "stop") {
        super::keys::focus("run");
    }
    page.banner.set(banner);
    page.order.set(Order::FailingFirst);
    page.phase.set(Phase::Done);
    page.stage.set(String::new());
    keep(page, Pace::Now);
    super::reach::watch_permission(page);
}

/// Rows without a result are shown as every report has them: not run.
fn leave_unjudged(page: Page) {
    let mut batch = Batch { counts: page.counts.get_untracked(), tally: None, touched: false, is_over: false };
    for row in page.rows.get_untracked() {
        if row.state.with_untracked(|state| matches!(state.kind, Kind::Running | Kind::Pending)) {
            batch.become_state(&row, RowState::NOT_RUN);
        }
    }
    page.counts.set(batch.counts);
    page.revision.update(|revision| *revision = revision.wrapping_add(1));
}

/// When the report is kept for a reload.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pace {
    /// Now and then.
    Bounded,
    /// In any case.
    Now,
}

fn keep(page: Page, when: Pace) {
    let now = now_ms();
    let is_due = {
        let run = page.run.borrow();
        now - run.kept_ms >= KEEP_EVERY && !run.results.is_empty()
    };
    if !is_due && when == Pace::Bounded {
        return;
    }
    page.run.borrow_mut().kept_ms = now;
    let Some(mut report) = page.report() else { return };
    let subject = page.subject.get_untracked();
    if !store::keep(&subject, &report::write_or_raw(&report, Format::Json).text) {
        // Browsers keep about 5 MB: rather the results alone than nothing.
        report.exchanges.clear();
        if !store::keep(&subject, &report::write_or_raw(&report, Format::Json).text) {
            store::forget();
        }
    }
}
