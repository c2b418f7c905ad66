//! Starting and stopping a run, and what its events do to the page.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{LocalBoxFuture, abortable};
use leptos::leptos_dom::helpers::IntervalHandle;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::focus::{focus, focused_id, reveal};
use super::on_demand::NotLoaded;
use super::queue::Queue;
use super::state::{LineHandle, Page, Phase, RowHandle, RunData};
use super::view::banner::Banner;
use super::view::groups::Unfolded;
use super::view::rows::{Counts, Kind, RowInfo, RowState, lane_label};
use super::{demo_agent, storage};
use crate::a2a::headers::OWN;
use crate::engine::event::{CheckResult, Completion, Event, Row, Tally};
use crate::engine::options::Options;
use crate::engine::reach::{ReasonId, StageResult};
use crate::engine::run::run;
use crate::host::probe::Permission;
use crate::host::{Host, web};
use crate::report::{self, json};
use crate::suite;

/// How often the report is saved for a reload, at most, in milliseconds.
const SAVE_EVERY_MS: f64 = 2_000.0;

/// What the form asks for: the agent at its address, with the credentials that belong to it.
///
/// # Errors
/// One sentence on what cannot be used.
pub(super) fn options(page: Page) -> Result<Options, String> {
    let address = page.address.get_untracked();
    let mut turned = Ok(());
    page.settings.update(|settings| turned = settings.turn_to(&address));
    page.settings.with_untracked(|settings| page.save_credentials(settings));
    turned.and_then(|()| page.settings.with_untracked(|settings| settings.options(&address)))
}

/// Checks the agent of the form.
pub(super) fn start(page: Page) {
    match options(page) {
        Ok(options) => {
            page.problem.set(String::new());
            let subject = options.address.clone();
            begin(page, web::host(&OWN), options, subject);
        }
        Err(problem) => {
            page.problem.set(problem);
            focus("address");
        }
    }
}

/// Checks the agent that lives in this page, with the faults that were chosen, as soon as it is loaded.
pub(super) fn start_demo(page: Page) {
    let runs = page.runs.get_untracked();
    page.demo_note.set("Loading the demo agent\u{2026}".to_owned());
    spawn_local(async move {
        let faults = page.faults.get_untracked();
        let loaded = demo_agent::host(&faults).await;
        // If something else was started meanwhile, that is what the visitor wants.
        if page.runs.get_untracked() != runs {
            return;
        }
        match loaded {
            Ok((host, options)) => begin_demo(page, &faults, host, options),
            Err(NotLoaded) => page.demo_note.set(demo_agent::NOT_LOADED.to_owned()),
        }
    });
}

fn begin_demo(page: Page, faults: &[String], host: Host, options: Options) {
    let subject = match faults.len() {
        0 => "the demo agent".to_owned(),
        1 => "the demo agent with 1 fault".to_owned(),
        count => format!("the demo agent with {count} faults"),
    };
    page.problem.set(String::new());
    begin(page, host, options, subject);
    // The button that was pressed may be gone.
    request_animation_frame(|| {
        focus("verdict");
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

/// A run of all there is to check.
pub(super) fn checking(host: Host, options: Options, emit: Rc<dyn Fn(Event)>) -> LocalBoxFuture<'static, ()> {
    run(host, suite::AREAS, options, emit)
}

fn now_ms() -> f64 {
    window().performance().map_or(0.0, |performance| performance.now())
}

fn begin(page: Page, host: Host, options: Options, subject: String) {
    stop(page);
    clear(page);
    page.demo_note.set(String::new());
    page.subject.set(subject);
    page.edited.set(false);
    page.runs.update(|runs| *runs += 1);
    page.phase.set(Phase::Running);
    let queue = Queue::new(move |events| apply(page, events));
    let emit = Rc::clone(&queue);
    let (checking, handle) = abortable(checking(host, options, Rc::new(move |event| emit.push(event))));
    let started_ms = now_ms();
    page.run.set_value(RunData {
        recorder: Some(report::ReportBuilder::new(environment())),
        stop: Some(handle),
        queue: Some(Rc::clone(&queue)),
        started_ms,
        saved_ms: started_ms,
        ..RunData::default()
    });
    tick(page, started_ms);
    spawn_local(async move {
        // Aborted: `stop` has told the page already.
        if checking.await.is_ok() {
            queue.close();
        }
    });
    reveal("verdict");
}

/// Ends the run at once; what was finished stays.
pub(super) fn stop(page: Page) {
    if !page.is_running() {
        return;
    }
    let (mut handle, mut queue, mut started_ms) = (None, None, 0.0);
    page.run.update_value(|run| (handle, queue, started_ms) = (run.stop.take(), run.queue.take(), run.started_ms));
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
    page.lines.set(Vec::new());
    page.unfolded.set(Unfolded::default());
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
            if page.is_asking() {
                asked_ms.set(asked_ms.get() + last_ms.get() - before_ms);
            }
            let is_mine = (page.run.with_value(|run| run.started_ms) - started_ms).abs() < f64::EPSILON;
            if !page.is_running() || !is_mine {
                if let Some(handle) = mine.get() {
                    handle.clear();
                }
                return;
            }
            // From a double to whole seconds, rounded down: a run does not last a century.
            let seconds = ((now_ms() - started_ms - asked_ms.get()) / 1000.0) as u32;
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
    let mut changes = Changes { counts: page.counts.get_untracked(), tally: None, touched: false, is_over: false };
    for event in events {
        page.run.update_value(|run| {
            if let Some(recorder) = &mut run.recorder {
                recorder.apply(&event);
            }
        });
        changes.apply(page, event);
    }
    if changes.touched {
        page.counts.set(changes.counts);
        page.revision.update(|revision| *revision = revision.wrapping_add(1));
    }
    if let Some(tally) = changes.tally {
        page.tally.set(tally);
    }
    if changes.is_over {
        finish(page);
    } else {
        save_report_now_and_then(page);
    }
}

/// What some events change together.
struct Changes {
    counts: Counts,
    tally: Option<Tally>,
    touched: bool,
    is_over: bool,
}

impl Changes {
    fn apply(&mut self, page: Page, event: Event) {
        match event {
            Event::Started { .. } => {}
            Event::Activity(activity) => {
                let text = activity.to_string();
                page.confirm.set(None);
                page.stage.set(text.clone());
                page.spoken.set(text);
            }
            Event::Confirm { whom, url, complete, code } => {
                page.spoken.set(format!("To give {whom} access, confirm the code {code} at {url}"));
                page.confirm.set(Some((whom, if complete.is_empty() { url } else { complete }, code)));
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
            Event::Exchanged(exchange) => page.run.update_value(|run| run.exchanges.push(exchange)),
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
        let mut lines = page.lines.get_untracked();
        let mut wanted = None;
        for row in rows {
            let info = RowInfo::new(handles.len(), row);
            let line = lines.iter().position(|line| line.check == info.check).unwrap_or_else(|| {
                let (title, category) = (info.title.clone(), info.category);
                lines.push(LineHandle { check: info.check, title, category, rows: ArcRwSignal::new(Vec::new()) });
                lines.len() - 1
            });
            let row = RowHandle { info: Arc::new(info), line, state: ArcRwSignal::new(RowState::PENDING) };
            if page.wanted.with_untracked(|wanted| wanted.as_ref() == Some(&row.info.key)) {
                wanted = Some(row.clone());
            }
            if let Some(line) = lines.get(line) {
                line.rows.update(|rows| rows.push(row.clone()));
            }
            handles.push(row);
            self.count(Kind::Pending, 1);
        }
        self.touched = true;
        page.rows.set(handles);
        page.lines.set(lines);
        if let Some(row) = wanted {
            page.wanted.set(None);
            page.uncover(&row);
            page.selected.set(Some(row.info.index));
        }
    }

    fn judge(&mut self, page: Page, result: &Rc<CheckResult>) {
        let key = result.row.key();
        let of_key = |rows: &Vec<RowHandle>| rows.iter().find(|row| row.info.key == key).cloned();
        let Some(row) = page.rows.with_untracked(of_key) else { return };
        page.run.update_value(|run| run.results.push((row.info.index, Rc::clone(result))));
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
    let banner = page.report().map(|report| Banner::of(&report, &|row| page.name(row)));
    if let Some(banner) = &banner {
        page.spoken.set(banner.spoken());
    }
    if focused_id() == "stop" {
        focus("run");
    }
    page.banner.set(banner);
    page.phase.set(Phase::Done);
    page.stage.set(String::new());
    save_report(page);
    watch_permission(page);
}

/// Rows without a result are shown as every report has them: not run.
fn leave_unjudged(page: Page) {
    let mut changes = Changes { counts: page.counts.get_untracked(), tally: None, touched: false, is_over: false };
    for row in page.rows.get_untracked() {
        if row.state.with_untracked(|state| matches!(state.kind, Kind::Running | Kind::Pending)) {
            changes.become_state(&row, RowState::NOT_RUN);
        }
    }
    page.counts.set(changes.counts);
    page.revision.update(|revision| *revision = revision.wrapping_add(1));
}

/// Saves the report for a reload, unless that was done a moment ago.
fn save_report_now_and_then(page: Page) {
    if page.run.with_value(|run| now_ms() - run.saved_ms >= SAVE_EVERY_MS && !run.results.is_empty()) {
        save_report(page);
    }
}

fn save_report(page: Page) {
    page.run.update_value(|run| run.saved_ms = now_ms());
    let Some(mut report) = page.report() else { return };
    let subject = page.subject.get_untracked();
    if !storage::save_report(&subject, &json::write(&report)) {
        // Browsers keep about 5 MB: rather the results alone than nothing.
        report.exchanges.clear();
        if !storage::save_report(&subject, &json::write(&report)) {
            storage::forget_report();
        }
    }
}

/// Runs again when the user has changed the permission that was denied.
fn watch_permission(page: Page) {
    let denied = |reached: &StageResult| {
        let diagnosis = reached.diagnosis.as_deref()?;
        (diagnosis.finding.reason.id == ReasonId::PermissionDenied).then_some(diagnosis.space)
    };
    let address = page.address.get_untracked();
    let Some(space) = page.reached.with_untracked(|all| all.iter().find_map(denied)) else { return };
    let runs = page.runs.get_untracked();
    spawn_local(async move {
        web::prober(&OWN).permission_changed(space, Permission::Denied).await;
        // Only what the user asked for, and nothing in between.
        if !page.is_running() && page.runs.get_untracked() == runs && page.address.get_untracked() == address {
            start(page);
        }
    });
}
