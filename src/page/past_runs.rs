//! The list of runs that this browser keeps, its labels and buttons: one is opened, compared with what is shown, or deleted.

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::files::{self, Contents, OF_LIST};
use super::focus::focus;
use super::past_store;
use super::state::Page;
use super::widgets::{FilePicker, button};
use crate::view_model::past_runs::PastRunEntry;

async fn refresh(page: Page) {
    page.past.set(past_store::list().await);
}

/// Reads what the browser keeps.
pub(super) fn read(page: Page) {
    spawn_local(refresh(page));
}

/// Opens a run of the list, or compares it with what is shown.
fn take(page: Page, id: u32, is_compared: bool) {
    spawn_local(async move {
        match past_store::report(id).await.map(Contents::Text) {
            Some(contents) if is_compared => files::compare(page, OF_LIST, contents),
            Some(contents) => files::open(page, OF_LIST.to_owned(), contents),
            // Another tab has deleted it.
            None => refresh(page).await,
        }
    });
}

/// Deletes a run, or all of them.
fn delete(page: Page, which: Option<u32>) {
    spawn_local(async move {
        past_store::forget(which).await;
        refresh(page).await;
        // The button that was pressed is gone, and so is the list with its last run.
        let is_list_gone = which.is_none() || page.past.with_untracked(Vec::is_empty);
        focus(if is_list_gone { "address" } else { "past-title" });
    });
}

/// On the start page: reports to open.
#[component]
pub(super) fn PastRuns(page: Page) -> impl IntoView {
    // The list is made once, so that its heading keeps the focus when a run is deleted.
    let is_empty = Memo::new(move |_| page.past.with(Vec::is_empty));
    view! {
        <section class="past" aria-label="Reports and past runs">
            {move || (!is_empty.get()).then(|| view! { <PastList page/> }.into_any()).into_any()}
            <FilePicker purpose="show" label="Open a JSON report, a HAR file or an agent card, or drop it onto this page"/>
        </section>
    }
}

#[component]
fn PastList(page: Page) -> impl IntoView {
    view! {
        <h2 id="past-title" tabindex="-1">"Past runs"</h2>
        <ol class="past-list" id="past">
            {move || page.past.get().into_iter().map(|run| line(page, run, false)).collect_view().into_any()}
        </ol>
        <p class="buttons">
            {button("quiet", "past-delete-all", "Delete all past runs", move || delete(page, None))}
        </p>
        <p class="note">
            "The last ten runs are kept in this browser, without credentials. Whoever uses this browser can open them."
        </p>
    }
}

fn line(page: Page, run: PastRunEntry, is_compared: bool) -> AnyView {
    let PastRunEntry { id, about } = run;
    let name = format!("the run of {}, {}", about.address, about.date);
    let verdict = about.verdict.clone();
    let (verb, whole_name) = if is_compared { ("Compare", format!("with {name}")) } else { ("Open", name.clone()) };
    let take_button = act("plain", verb, whole_name, Box::new(move || take(page, id, is_compared)));
    let delete_button = (!is_compared).then(|| act("quiet", "Delete", name, Box::new(move || delete(page, Some(id)))));
    view! {
        <li>
            <span class="past-words">
                <b>{about.address}</b>
                <span>{about.date}</span>
                <span>{verdict}</span>
            </span>
            {take_button}
            {delete_button}
        </li>
    }
    .into_any()
}

/// A button with a word, and for a screen reader the name of the run.
fn act(class: &'static str, verb: &'static str, name: String, press: Box<dyn Fn()>) -> AnyView {
    view! {
        <button type="button" class=class on:click=move |_| press()>
            {verb}
            " "
            <span class="visually-hidden">{name}</span>
        </button>
    }
    .into_any()
}

/// Beside the results: another report to open, or one to compare with.
#[component]
pub(super) fn OtherReports(page: Page) -> impl IntoView {
    let list = move || {
        let lines = page.past.get().into_iter().map(|run| line(page, run, true)).collect_view();
        view! { <ol class="past-list" id="compare-list">{lines}</ol> }.into_any()
    };
    view! {
        <details class="fold" id="compare">
            <summary>"Compare, or open another report"</summary>
            <div class="past">
                <FilePicker purpose="compare" label="Compare with a JSON report"/>
                {move || list()}
                <FilePicker purpose="show" label="Open another JSON report instead"/>
            </div>
        </details>
    }
}
