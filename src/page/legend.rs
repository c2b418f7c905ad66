//! What each kind of result means, in words, as a part that unfolds.

use leptos::prelude::*;

use super::widgets::Shape;
use crate::view_model::rows::RowKind;

#[component]
pub(super) fn Legend() -> impl IntoView {
    let rows = [
        (RowKind::Fail, "The agent was seen to break a must of the specification. This counts."),
        (
            RowKind::Advisory,
            "The agent was seen to break a should of the specification. This is shown, but does not count.",
        ),
        (RowKind::Unsteady, "Several runs do not agree. This does not count."),
        (
            RowKind::Blocked,
            "Something stopped the check before it could be judged: credentials, the network, the \
                         browser.",
        ),
        (
            RowKind::Skip,
            "Not declared by your agent, not visible from here, or never observed. This is not held against \
                      it.",
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
                "The levels are those of the specification: a must is required, a should is advice that an agent may have \
                 a reason not to follow, and a may is a choice: a finding about one is a note and costs nothing."
            </p>
        </details>
    }
}
