//! Starting and stopping a run, what its messages do to the page, and when its report is saved for a reload. The rows are in
//! `results.rs`, what is run again in `rerun.rs`.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use js_sys::Promise;
use leptos::leptos_dom::helpers::IntervalHandle;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen_futures::JsFuture;

use super::checker_client::{CheckerAnswer, answer, when_answered};
use super::focus::{focus, focus_with_next_frame, focused_id, fold_up, is_within, reveal};
use super::past_store;
use super::results::{Changes, clear_rows, finish_again, leave_unjudged};
use super::state::{Page, RunPhase, RunTarget};
use super::{second_address, selection, storage, waiting};
use crate::engine::event::Tally;
use crate::view_model::agents_switch::AgentsSwitch;
use crate::view_model::banner::Banner;
use crate::view_model::groups::Unfolded;
use crate::view_model::messages::{Batch, CheckerMessage, Opened, Question, SavedRun};
use crate::view_model::past_runs::PastRunEntry;
use crate::view_model::settings::Settings;
use crate::view_model::setup::Setup;
use crate::view_model::share_link::Link;

/// How often the report is saved for a reload, at most, in milliseconds.
const SAVE_EVERY_MS: f64 = 2_000.0;

thread_local! {
    /// When the run began whose seconds are counted, by the page's clock.
    static STARTED_MS: Cell<f64> = const { Cell::new(0.0) };
    /// When a report was last saved for a reload.
    static SAVED_MS: Cell<f64> = const { Cell::new(0.0) };
}

/// What is said when storage is full, or forbidden.
const NOT_KEPT: &str =
    "This browser could not keep the run (its storage is full or switched off): save the report before you leave.";

/// The text until the checker names its activity.
const STARTING: &str = "Starting the checker";

/// Looks at the form before anything is asked: the credentials belong to the agent at its address. An
/// error is one sentence on what cannot be used.
pub(super) fn look_at_form(page: Page) -> Result<(), String> {
    let address = page.address.get_untracked();
    let mut turned = Ok(());
    page.settings.update(|settings| {
        turned = settings.switch_to(&address);
        settings.second.settle();
    });
    page.settings.with_untracked(|settings| page.save_credentials(settings));
    turned?;
    page.is_second_refused.set(false);
    page.settings.with_untracked(|settings| {
        let mut options = settings.first_options(&address)?;
        let of_second = settings.second.add_to(&mut options);
        page.is_second_refused.set(of_second.is_err());
        of_second
    })
}

/// Says what cannot be used, at its field.
fn refuse(page: Page, problem: String) {
    page.problem.set(problem);
    if page.is_second_refused.get_untracked() {
        second_address::open();
        focus(second_address::FIELD);
    } else {
        focus("address");
    }
}

/// Checks the agent of the form.
pub(super) fn start(page: Page) {
    if let Err(problem) = look_at_form(page) {
        return refuse(page, problem);
    }
    let (address, settings, subject) = aim(page, false);
    let home = page.home.clone();
    begin(page, subject, page.problem, |run| Question::Check { address, settings, home, run });
}

/// Remembers what a run is of, the demo agent or the agent of the form. Answers its address, the settings, and the agent in words.
fn aim(page: Page, is_demo: bool) -> (String, Box<Settings>, String) {
    let settings = Box::new(page.settings.get_untracked());
    let (address, subject, target) = if is_demo {
        (String::new(), "the demo agent".to_owned(), RunTarget::Demo)
    } else {
        let address = page.address.get_untracked();
        let subject = settings.options(&address).map(|options| options.address).unwrap_or_default();
        (address.clone(), subject, RunTarget::Agent(address))
    };
    page.judged.set(Link { address: address.clone(), setup: Setup::from_settings(&settings), ..Link::default() });
    page.target.set(target);
    (address, settings, subject)
}

/// Runs the tests of the files that are open, against the demo agent or the agent of the form.
pub(super) fn start_tests(page: Page, is_demo: bool) {
    if !is_demo && let Err(problem) = look_at_form(page) {
        return refuse(page, problem);
    }
    let (address, settings, subject) = aim(page, is_demo);
    let home = page.home.clone();
    prepare(page, subject);
    page.tests.is_run.set(true);
    page.tests.is_open.set(false);
    // The author of a test looks for it, whether it passed or not.
    page.unfolded.set(Unfolded::ALL);
    let run = page.runs.get_untracked();
    let question = Question::RunTests { given: page.tests.given.get_untracked(), address, settings, home, run };
    when_answered(&question, move |begun: CheckerAnswer<Result<(), String>>| {
        if let Err(problem) = begun.flatten()
            && page.runs.get_untracked() == run
        {
            page.phase.set(RunPhase::Empty);
            page.tests.is_run.set(false);
            page.tests.is_open.set(true);
            page.tests.problem.set(problem);
        }
    });
    focus_with_next_frame("verdict");
}

/// Runs again what was run last against the agent of the form: the checks, or tests of files.
pub(super) fn start_again(page: Page) {
    if page.tests.is_run.get_untracked() { start_tests(page, false) } else { start(page) }
}

/// Checks the agent that lives in this page, with the faults that were chosen.
pub(super) fn start_demo(page: Page) {
    let faults = page.faults.get_untracked();
    let subject = match faults.len() {
        0 => "the demo agent".to_owned(),
        1 => "the demo agent with 1 fault".to_owned(),
        count => format!("the demo agent with {count} faults"),
    };
    page.judged.set(Link { setup: Setup::demo(faults.clone()), ..Link::default() });
    page.target.set(RunTarget::Demo);
    begin(page, subject, page.demo_note, |run| Question::CheckDemo { faults, run });
    // The button that was pressed is gone.
    focus_with_next_frame("verdict");
}

fn now_ms() -> f64 {
    window().performance().map_or(0.0, |performance| performance.now())
}

/// Begins a run; `trouble` is where it is said that there is no checker.
fn begin(page: Page, subject: String, trouble: RwSignal<String>, question: impl FnOnce(u32) -> Question) {
    prepare(page, subject);
    let run = page.runs.get_untracked();
    let question = question(run);
    when_answered(&question, move |begun: CheckerAnswer<()>| {
        if let Err(problem) = begun
            && page.runs.get_untracked() == run
        {
            page.phase.set(RunPhase::Empty);
            page.spoken.set(problem.clone());
            trouble.set(problem);
        }
    });
    reveal("verdict");
}

/// Takes what is shown away, for a run that begins.
fn prepare(page: Page, subject: String) {
    clear(page);
    // The verdict has its place below the form.
    if is_within("settings") {
        focus("run");
    }
    fold_up("settings");
    page.is_giving.set(false);
    page.report_url.set(String::new());
    page.problem.set(String::new());
    page.demo_note.set(String::new());
    page.subject.set(subject);
    page.edited.set(false);
    page.runs.update(|runs| *runs += 1);
    if page.phase.get_untracked() == RunPhase::Empty {
        page.is_below_verdict.set(false);
        set_timeout(move || page.is_below_verdict.set(true), Duration::ZERO);
    }
    page.phase.set(RunPhase::Running);
    page.stage.set(STARTING.to_owned());
    SAVED_MS.set(now_ms());
    tick(page);
}

/// Shows a report that was opened, as if its run had just ended.
pub(super) fn show(page: Page, opened: Opened, origin: &str) {
    let Opened { past, made_by, messages, tally, duration_ms } = opened;
    clear(page);
    page.problem.set(String::new());
    page.target.set(RunTarget::Opened);
    page.opened.set(format!("{origin}, checked {made_by}. Nothing was sent to the agent now."));
    page.judged.set(Link { address: past.address.clone(), ..Link::default() });
    page.subject.set(past.address);
    page.edited.set(false);
    page.runs.update(|runs| *runs += 1);
    // Whatever counted seconds is another run's.
    STARTED_MS.set(now_ms());
    // A saturating cast, rounded down.
    page.seconds.set((duration_ms / 1000.0) as u32);
    // The list is there before the rows, so that one that a link wants can be opened.
    page.is_below_verdict.set(true);
    page.phase.set(RunPhase::Done);
    apply_all(page, messages, tally, IsRun::No);
    focus_with_next_frame("verdict");
}

/// Shows another report of the run that is over: its first message says which.
pub(super) fn show_report(page: Page, opened: Opened) {
    page.seconds.set((opened.duration_ms / 1000.0) as u32);
    apply_all(page, opened.messages, opened.tally, IsRun::No);
}

/// Ends the run at once; what was finished stays.
pub(super) fn stop(page: Page) {
    if page.is_busy_now() {
        // The checker tells the end; without a checker the start has failed, and that is told.
        when_answered(&Question::Stop, |_: CheckerAnswer<()>| {});
    }
}

fn clear(page: Page) {
    page.agents_switch.set(AgentsSwitch::default());
    page.before.set(Vec::new());
    page.tests.is_run.set(false);
    waiting::nothing(page);
    page.again.set(None);
    page.again_note.set(String::new());
    page.linked_row.set(None);
    clear_rows(page);
    page.unfolded.set(Unfolded::default());
    page.tally.set(Tally::default());
    page.seconds.set(0);
    page.stage.set(String::new());
    page.confirm.set(None);
    page.printed.set(None);
    page.opened.set(String::new());
    page.comparison.set(None);
    page.since.set(String::new());
    page.file_problem.set(String::new());
    page.linked.set(Link::default());
}

/// Counts the seconds from now on, while the run goes on.
pub(super) fn tick(page: Page) {
    let started_ms = now_ms();
    STARTED_MS.set(started_ms);
    // No signal: those belong to whatever was pressed, and the timer outlives it.
    let own: Rc<Cell<Option<IntervalHandle>>> = Rc::default();
    let mine = Rc::clone(&own);
    let (last_ms, asked_ms, last_second) = (Cell::new(started_ms), Cell::new(0.0), Cell::new(0));
    let handle = set_interval_with_handle(
        move || {
            // While the browser asks its user, nobody waits for the agent.
            let before_ms = last_ms.replace(now_ms());
            if page.is_asking() {
                asked_ms.set(asked_ms.get() + last_ms.get() - before_ms);
            }
            let is_mine = (STARTED_MS.get() - started_ms).abs() < f64::EPSILON;
            if !page.is_busy_now() || !is_mine {
                if let Some(handle) = mine.get() {
                    handle.clear();
                }
                return;
            }
            // From a double to whole seconds, rounded down: a run does not last a century.
            let seconds = ((now_ms() - started_ms - asked_ms.get()) / 1000.0) as u32;
            if last_second.replace(seconds) != seconds {
                // How long the whole run took stays as it was.
                if page.is_running() {
                    page.seconds.set(seconds);
                }
                waiting::ask(page);
            }
        },
        Duration::from_millis(250),
    );
    own.set(handle.ok());
}

/// Applies what happened, in order; each signal that it changes is set once.
pub(super) fn apply(page: Page, batch: Batch) {
    // The rest of a run that another has replaced.
    if batch.run != page.runs.get_untracked() {
        return;
    }
    apply_all(page, batch.messages, batch.tally, IsRun::Yes);
}

/// Whether what is shown was made just now.
#[derive(Clone, Copy, PartialEq)]
enum IsRun {
    Yes,
    No,
}

fn apply_all(page: Page, messages: Vec<CheckerMessage>, tally: Tally, is_run: IsRun) {
    let mut changes = Changes::watched_on(page);
    for message in messages {
        changes.apply(page, message);
    }
    changes.show(page);
    page.tally.set(tally);
    match (changes.banner, changes.again) {
        (Some(banner), _) => finish(page, *banner, is_run),
        (None, Some(over)) => finish_again(page, over),
        (None, None) if page.is_running() => save_report_now_and_then(page),
        (None, None) => {}
    }
}

fn finish(page: Page, banner: Banner, is_run: IsRun) {
    waiting::nothing(page);
    leave_unjudged(page);
    page.spoken.set(banner.spoken());
    if focused_id() == "stop" {
        focus("run");
    }
    page.banner.set(Some(banner));
    page.phase.set(RunPhase::Done);
    page.stage.set(String::new());
    selection::show_linked(page);
    let is_past = is_run == IsRun::Yes && page.tally.with_untracked(|tally| tally.judged > 0);
    save_report(page, if is_past { WhenSaved::Over } else { WhenSaved::Shown });
    watch_permission(page);
}

/// Saves the report for a reload, unless that was done a moment ago.
fn save_report_now_and_then(page: Page) {
    if now_ms() - SAVED_MS.get() >= SAVE_EVERY_MS && page.tally.with_untracked(|tally| tally.judged > 0) {
        save_report(page, WhenSaved::Between);
    }
}

/// When a report is saved.
#[derive(Clone, Copy, PartialEq)]
enum WhenSaved {
    /// While its run goes on.
    Between,
    /// When its run is over.
    Over,
    /// When it is shown again.
    Shown,
}

/// Saves the report for a reload, and one of a run that is over among the past runs. While the run goes on, without the
/// exchanges: to hand the browser some megabytes takes it longer than all else that the page does then.
fn save_report(page: Page, moment: WhenSaved) {
    SAVED_MS.set(now_ms());
    spawn_local(async move {
        if let Ok(sheet) = answer(&Question::Printed).await {
            page.printed.set(sheet);
        }
        // The tests of a file are known as long as it is open: a report of them cannot be shown after a reload.
        if page.tests.is_run.get_untracked() {
            storage::forget_report();
            return;
        }
        let mut past = None;
        let mut is_saved = false;
        // Browsers keep about 5 MB: rather the results alone than nothing.
        let sizes: &[bool] = if moment == WhenSaved::Between { &[false] } else { &[true, false] };
        for whole in sizes.iter().copied() {
            let Ok(Some(kept)) = answer::<Option<SavedRun>>(&Question::Kept(whole)).await else { return };
            // A report of some megabytes is a task of its own each time that somebody takes it over.
            pause().await;
            is_saved = is_saved || storage::save_report(&kept);
            past = past.or_else(|| (moment == WhenSaved::Over).then_some(kept));
            if is_saved {
                break;
            }
        }
        if !is_saved {
            storage::forget_report();
        }
        if let Some(past) = past {
            pause().await;
            let is_of_same = |run: &&PastRunEntry| run.about.address == past.past.address;
            let before = page.past.with_untracked(|runs| runs.iter().find(is_of_same).map(|run| run.id));
            if !past_store::keep(&past).await {
                page.file_problem.set(NOT_KEPT.to_owned());
            }
            page.past.set(past_store::list().await);
            if let Some(before) = before {
                compare_with(page, before).await;
            }
        }
    });
}

/// Says what differs from an earlier run of the same agent.
async fn compare_with(page: Page, before: u32) {
    let run = page.runs.get_untracked();
    let Some(text) = past_store::report(before).await else { return };
    let since = answer(&Question::Since(text)).await.unwrap_or_default();
    if page.runs.get_untracked() == run {
        page.since.set(since);
    }
}

/// Lets the browser paint, and answer its user.
async fn pause() {
    let soon = Promise::new(&mut |resolve, _| {
        // A window that sets no timers any more waits for nothing.
        let _ = window().set_timeout_with_callback(&resolve);
    });
    // It is never rejected.
    let _ = JsFuture::from(soon).await;
}

/// Runs again when the user has changed the permission that was denied.
fn watch_permission(page: Page) {
    let address = page.address.get_untracked();
    let Some(space) = page.way.with_untracked(|way| way.denied) else { return };
    let runs = page.runs.get_untracked();
    when_answered(&Question::PermissionGiven(space), move |given: CheckerAnswer<()>| {
        // Only what the user asked for, and nothing in between.
        let same = page.runs.get_untracked() == runs && page.address.get_untracked() == address;
        if given.is_ok() && !page.is_running() && same {
            start_again(page);
        }
    });
}
