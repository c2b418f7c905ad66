//! The part of the page that is for paper only. It is made when somebody prints, so that a run has not to wait for it.

use leptos::ev;
use leptos::prelude::*;

use super::state::Page;
use super::widgets::fact;
use crate::view_model::printed::{PrintedFinding, PrintedRun};

/// The sheet, before it is printed.
#[component]
pub(super) fn Printed(page: Page) -> impl IntoView {
    let sheet = RwSignal::new(None::<PrintedRun>);
    // The handle is dropped and the listener stays: with the results this is there until the page is left.
    window_event_listener(ev::Custom::<web_sys::Event>::new("beforeprint"), move |_| {
        // The browser does not wait: what is printed was asked for when the report was saved.
        sheet.set(page.printed.get_untracked());
    });
    let content = move || sheet.get().map(|sheet| view! { <SheetOf sheet/> }.into_any());
    view! { <div class="printed">{move || content().into_any()}</div> }
}

#[component]
fn SheetOf(sheet: PrintedRun) -> impl IntoView {
    let title = if sheet.findings.is_empty() { "No findings" } else { "Findings" };
    view! {
        <dl class="printed-facts">{sheet.facts.into_iter().map(fact).collect_view()}</dl>
        <h2>{title}</h2>
        {sheet.findings.into_iter().map(finding).collect_view()}
    }
}

fn finding(finding: PrintedFinding) -> AnyView {
    let said = [("Expected", finding.expected), ("Received", finding.actual), ("Fix", finding.fix)];
    let said = said.into_iter().filter(|(_, text)| !text.is_empty()).map(|(name, text)| {
        view! {
            <p>
                <b>{name}</b>
                {format!(": {text}")}
            </p>
        }
        .into_any()
    });
    view! {
        <section class="printed-finding">
            <h3>{finding.title}</h3>
            <p>
                <code>{finding.place}</code>
            </p>
            <p>{finding.message}</p>
            {said.collect_view()}
        </section>
    }
    .into_any()
}
