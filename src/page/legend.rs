//! What each kind of result means, in words, as a part that unfolds.

use leptos::prelude::*;

use super::widgets::Shape;
use crate::view_model::rows::RowKind;

#[component]
pub(super) fn Legend() -> impl IntoView {
    let rows = [
        (RowKind::Fail, "A required rule (a must of the specification) was seen to be broken. This counts."),
        (RowKind::Advisory, "A recommended rule (a should) was seen to be broken. This is shown, and does not count."),
        (RowKind::Unsteady, "Several runs do not agree. This does not count."),
        (
            RowKind::NotJudged,
            "The rule applies, and nothing was seen by which to judge it. Files call it blocked (something before it \
             failed), inconclusive (the agent never came into the state that it needs) or not observable (hidden from a \
             browser).",
        ),
        (
            RowKind::Skip,
            "The agent does not declare what the rule is about, or nobody asked for it. This is not held against it.",
        ),
        (RowKind::Pass, "The agent was seen to follow the rule."),
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
                "Each check is judged on each interface (a binding and a version, called a lane in files). An optional rule \
                 (a may) is a choice: a finding about one is a note."
            </p>
        </details>
    }
}
