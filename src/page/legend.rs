//! What each kind of result means, in words, as a part that unfolds.

use leptos::prelude::*;

use super::widgets::Shape;
use crate::view_model::rows::RowKind;

#[component]
pub(super) fn Legend() -> impl IntoView {
    let rows = [
        (RowKind::Fail, "A required rule (a must) is broken. This counts."),
        (RowKind::Advisory, "A recommended rule (a should) is broken. This does not count."),
        (RowKind::Unsteady, "Several runs do not agree. This does not count."),
        (
            RowKind::NotJudged,
            "The rule applies, and nothing shows whether it is kept. Files say why in a word: blocked, inconclusive, not observable.",
        ),
        (RowKind::Skip, "Not declared by the agent, or not asked for. This is not held against it."),
        (RowKind::Pass, "The rule is kept."),
    ];
    let row = |(kind, text): (RowKind, &'static str)| {
        view! {
            <div data-status=kind.id()>
                <dt class="result">
                    <Shape id=kind.id()/>
                    <span class="word">{kind.title()}</span>
                </dt>
                <dd>{text}</dd>
            </div>
        }
        .into_any()
    };
    view! {
        <details class="fold legend" id="legend">
            <summary>"What the results mean"</summary>
            <dl>{rows.into_iter().map(row).collect_view()}</dl>
            <p class="note">
                "Each check is judged on each interface; files call it a lane. An optional rule (a may) that is not kept is a note."
            </p>
        </details>
    }
}
