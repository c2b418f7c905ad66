//! The views of a run as tabs: the arrow keys walk along them, and the one that is shown stands in the link.

use leptos::ev;
use leptos::prelude::*;

use super::focus::focus;
use super::state::Page;
use crate::view_model::tabs::Tab;

#[component]
pub(super) fn Tabs(page: Page) -> impl IntoView {
    let walk = move |event: ev::KeyboardEvent| {
        let tab = page.tab.get_untracked();
        let next = match event.key().as_str() {
            "ArrowRight" => tab.beside(1),
            "ArrowLeft" => tab.beside(-1),
            "Home" => Tab::Results,
            "End" => Tab::Workbench,
            _ => return,
        };
        event.prevent_default();
        page.tab.set(next);
        focus(&tab_id(next));
    };
    let tab = move |tab: Tab| {
        let is_shown = move || page.tab.get() == tab;
        view! {
            <button
                type="button"
                role="tab"
                class="tab"
                id=tab_id(tab)
                aria-controls=panel_id(tab)
                aria-selected=move || is_shown().to_string()
                tabindex=move || if is_shown() { "0".to_owned() } else { "-1".to_owned() }
                on:click=move |_| page.tab.set(tab)
            >
                {tab.title()}
            </button>
        }
        .into_any()
    };
    view! {
        <div class="tabs" role="tablist" aria-label="Views of the run" on:keydown=walk>
            {Tab::ALL.map(tab).into_iter().collect_view()}
        </div>
    }
}

fn tab_id(tab: Tab) -> String {
    format!("tab-{}", tab.id())
}

/// The id of a view.
pub(super) fn panel_id(tab: Tab) -> String {
    format!("panel-{}", tab.id())
}
