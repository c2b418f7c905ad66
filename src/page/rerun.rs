//! Running a check again, or a group, or what failed, or everything. Only the rows change: verdict, findings and report stay those
//! of the whole run, and the page says so.

use leptos::prelude::*;

use super::checker_client::{CheckerAnswer, when_answered};
use super::focus::focus;
use super::results::{Changes, finish_again};
use super::run;
use super::state::{Page, RowHandle, RunPhase, RunTarget};
use super::waiting;
use super::widgets::button_idle_while;
use crate::engine::discover::normalise;
use crate::view_model::agents_switch::AgentsSwitch;
use crate::view_model::messages::Question;
use crate::view_model::rerun::{self, RerunSummary};
use crate::view_model::rows::{RowKind, RowState};

/// Some checks of two agents alone would say nothing of both.
const ONLY_ALL: &str = "With two agents, everything is run again, not single checks.";

/// Runs these checks again, on all their lanes; nothing while something is under way.
pub(super) fn run(page: Page, checks: Vec<String>) {
    if page.is_busy_now() || checks.is_empty() {
        return;
    }
    if page.agents_switch.with_untracked(AgentsSwitch::is_given) {
        page.again_note.set(ONLY_ALL.to_owned());
        return page.spoken.set(ONLY_ALL.to_owned());
    }
    let is_same = match page.target.get_untracked() {
        RunTarget::Agent(address) => page.address.with_untracked(|now| *now == address),
        RunTarget::Demo => true,
        RunTarget::Opened => return,
    };
    // Settings that were typed for another agent are not for this one.
    if is_same
        && page.target.get_untracked() != RunTarget::Demo
        && run::look_at_form(page).map_err(|problem| page.problem.set(problem)).is_err()
    {
        focus("address");
        return;
    }
    let settings = is_same.then(|| Box::new(page.settings.get_untracked()));
    let mut changes = Changes::watched_on(page);
    let mut rows = Vec::new();
    for row in page.rows.get_untracked() {
        if checks.contains(&row.info.check) {
            let before = row.state.get_untracked();
            changes.become_state(&row, RowState::RUNNING.after(Some(before.status)));
            rows.push((row.info.index, before));
        }
    }
    changes.show(page);
    page.again_note.set(rerun::begun(checks.len()));
    page.again.set(Some(rows));
    page.runs.update(|runs| *runs += 1);
    let number = page.runs.get_untracked();
    run::tick(page);
    when_answered(&Question::Rerun { checks, settings, run: number }, move |begun: CheckerAnswer<()>| {
        if let Err(why) = begun
            && page.runs.get_untracked() == number
        {
            finish_again(page, RerunSummary { judged: 0, asked: 0, why });
        }
    });
}

pub(super) fn run_failed(page: Page) {
    let failed = |kind| matches!(kind, RowKind::Fail | RowKind::Advisory);
    run(page, checks_of(page, |row| row.state.with_untracked(|state| failed(state.status.kind()))));
}

pub(super) fn run_group(page: Page, category: usize) {
    run(page, checks_of(page, |row| row.info.category == category));
}

fn checks_of(page: Page, wanted: impl Fn(&RowHandle) -> bool) -> Vec<String> {
    let mut checks: Vec<String> = Vec::new();
    for row in page.rows.get_untracked().iter().filter(|row| wanted(row)) {
        if !checks.contains(&row.info.check) {
            checks.push(row.info.check.clone());
        }
    }
    checks
}

/// Runs everything again; the row that is open stays open, and the filters stay.
pub(super) fn run_all(page: Page) {
    if page.is_busy_now() {
        return;
    }
    let status = |row: &RowHandle| (row.info.key.clone(), row.state.with_untracked(|state| state.status));
    let before = page.rows.with_untracked(|rows| rows.iter().map(status).collect());
    let open = untrack(|| page.selected_key());
    // The reports of two agents have rows of the same keys.
    let is_of_two = page.agents_switch.with_untracked(AgentsSwitch::is_given);
    match page.target.get_untracked() {
        RunTarget::Agent(address) => {
            page.address.set(address);
            run::start_again(page);
        }
        RunTarget::Demo if page.tests.is_run.get_untracked() => run::start_tests(page, true),
        RunTarget::Demo => run::start_demo(page),
        RunTarget::Opened => return,
    }
    if !is_of_two {
        page.before.set(before);
        page.wanted.set(open);
    }
}

/// The buttons beside the heading of the list, and what was run again.
#[component]
pub(super) fn RerunBanner(page: Page) -> impl IntoView {
    let failed = move || {
        page.counts.with(|counts| {
            [RowKind::Fail, RowKind::Advisory].iter().filter_map(|kind| counts.get(kind.index())).sum::<u32>()
        })
    };
    let is_off = move || page.is_busy() || page.agents_switch.with(AgentsSwitch::is_given);
    view! {
        <div class="again">
            // Not before the end, so that it keeps the focus until then.
            <span class:hidden=move || failed() == 0 && page.again.with(Option::is_none)>
                {button_idle_while(is_off, "quiet", "again-failed", "Run the failed again", move || run_failed(page))}
            </span>
            {button_idle_while(move || page.is_busy(), "quiet", "again-all", "Run all again", move || run_all(page))}
            <Follow page/>
            <span class="note" id="again-note">{move || page.again_note.get()}</span>
        </div>
        {move || page.again.with(Option::is_some).then(|| view! { <waiting::WaitingFor page/> }.into_any()).into_any()}
    }
}

/// Whether to run again, after a run of an agent on this machine.
#[component]
fn Follow(page: Page) -> impl IntoView {
    let is_local = move || matches!(page.target.get(), RunTarget::Agent(typed) if normalise(&typed).is_ok_and(|at| at.is_loopback()));
    view! {
        <label class="tick" id="follow" class:hidden=move || page.phase.get() != RunPhase::Done || !is_local()>
            <input type="checkbox" on:change=move |event| page.follows.set(event_target_checked(&event))/>
            " Run again when the agent restarts"
        </label>
    }
}
