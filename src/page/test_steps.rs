//! The steps of a test that a user wrote, each with its result and its exchanges.

use leptos::prelude::*;

use super::evidence::EvidenceList;
use super::widgets::Shape;
use crate::engine::requirement::Level;
use crate::view_model::test_steps::TestStep;

/// The steps, in order, or what several runs saw that differ; nothing for any other check. `pair` is what was expected and received where one
/// failed.
#[component]
pub(super) fn TestSteps(
    row: usize,
    steps: Vec<TestStep>,
    pair: Option<(String, String)>,
    level: Level,
    title: &'static str,
) -> impl IntoView {
    if steps.is_empty() {
        return ().into_any();
    }
    let step = move |step: TestStep| {
        let TestStep { id, action, shape, word, evidence } = step;
        let name = id.clone();
        let shape = ["pass", "fail", "blocked"].into_iter().find(|known| *known == shape).unwrap_or("skip");
        let pair = pair.clone().filter(|_| shape == "fail").map(|pair| difference("Expected", [None, None], pair));
        let evidence = (!evidence.is_empty()).then(|| {
            let is_open = shape == "fail";
            view! { <EvidenceList row=Some(row) evidence level is_step=true is_open/> }.into_any()
        });
        view! {
            <li class="test-step" data-step=name data-status=shape>
                <h4>
                    <span class="result">
                        <Shape id=shape/>
                        <span class="word">{word}</span>
                    </span>
                    <code>{id}</code>
                    <span class="note">{action}</span>
                </h4>
                {pair}
                {evidence}
            </li>
        }
        .into_any()
    };
    view! {
        <h3>{title}</h3>
        <ol class="test-steps" id="steps">{steps.into_iter().map(step).collect_view()}</ol>
    }
    .into_any()
}

/// What was expected, by whom, and what was received; with the ids of both.
pub(super) fn difference(
    expected_by: &'static str,
    [expected_id, actual_id]: [Option<&'static str>; 2],
    (expected, actual): (String, String),
) -> AnyView {
    view! {
        <dl class="pair">
            <div>
                <dt>{expected_by}</dt>
                <dd id=expected_id>{expected}</dd>
            </div>
            <div>
                <dt>"Received"</dt>
                <dd id=actual_id>{actual}</dd>
            </div>
        </dl>
    }
    .into_any()
}
