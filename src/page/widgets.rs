//! Small parts of views: the shape beside the word for a result, and a list of numbers.

use leptos::prelude::*;

/// The shape of a kind of result, by the kind's id; `index.html` holds the drawings.
#[component]
pub(super) fn Shape(#[prop(into)] id: String) -> impl IntoView {
    view! {
        <svg class="shape" aria-hidden="true">
            <use href=format!("#shape-{id}")></use>
        </svg>
    }
}

/// A line of a list of facts: a name and its value.
pub(super) fn fact((name, value): (impl Into<String>, String)) -> AnyView {
    let name: String = name.into();
    view! {
        <div>
            <dt>{name}</dt>
            <dd>{value}</dd>
        </div>
    }
    .into_any()
}

/// A view for each number of a list, kept as long as the list has the number. It is `<For>` for one type, so that the page
/// carries that code once.
#[component]
pub(super) fn ForEach(numbers: Memo<Vec<usize>>, #[prop(into)] view: Callback<(usize,), AnyView>) -> impl IntoView {
    view! { <For each=move || numbers.get() key=|number| *number children=move |number| view.run((number,))/> }
}
