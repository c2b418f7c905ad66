//! A view beside the results, before a run and after it.

use leptos::prelude::*;

use super::card::Card;
use super::state::Page;
use super::tabs::panel_id;
use super::traffic::Traffic;
use super::workbench::Workbench;
use crate::view_model::tabs::Tab;

/// A view beside the results; what is in it is made when it is shown.
#[component]
pub(super) fn Panel(page: Page, tab: Tab) -> impl IntoView {
    let is_shown = Memo::new(move |_| page.tab.get() == tab);
    let content = move || match (is_shown.get(), tab) {
        (true, Tab::Traffic) => view! { <Traffic page/> }.into_any(),
        (true, Tab::Card) => view! { <Card page/> }.into_any(),
        (true, Tab::Workbench) => view! { <Workbench page/> }.into_any(),
        _ => ().into_any(),
    };
    view! {
        <div
            class="panel"
            role="tabpanel"
            id=panel_id(tab)
            aria-labelledby=format!("tab-{}", tab.id())
            hidden=move || !is_shown.get()
        >
            {move || content()}
        </div>
    }
}
