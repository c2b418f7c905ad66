//! What could not be judged, by its reason: each line narrows the list to its results.

use leptos::prelude::*;

use super::grid::narrow_to;
use super::state::{Page, RunPhase};
use crate::view_model::filter::{Filter, WHY_NOT_JUDGED};

/// The reasons with their counts, when the run is over; nothing where everything was judged.
#[component]
pub(super) fn NotJudged(page: Page) -> impl IntoView {
    let of = move |(reason, why): (&'static str, &'static str)| {
        let count = page.count_of(reason);
        let press = move |_| {
            let mut filter = Filter::default();
            filter.choose("w", reason);
            narrow_to(page, filter);
        };
        (count > 0).then(|| {
            view! {
                <li><button type="button" class="link" on:click=press>{format!("{count} {why}")}</button></li>
            }
            .into_any()
        })
    };
    let content = move || {
        let is_over = page.phase.get() == RunPhase::Done;
        let reasons: Vec<AnyView> = WHY_NOT_JUDGED.into_iter().filter(|_| is_over).filter_map(of).collect();
        (!reasons.is_empty()).then(|| {
            view! {
                <section class="not-judged" id="not-judged" aria-labelledby="not-judged-title">
                    <h2 id="not-judged-title">"What could not be judged"</h2>
                    <ul>{reasons}</ul>
                </section>
            }
            .into_any()
        })
    };
    view! { {move || content().into_any()} }
}
