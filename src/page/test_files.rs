//! The view of tests of one's own: the files that are open, the mistakes in them, and the buttons that open and run them.

use leptos::prelude::*;
use wasm_bindgen::JsValue;

use super::checker_client::{CheckerAnswer, when_answered_of};
use super::focus::{focus, focus_when_shown};
use super::run;
use super::state::Page;
use super::widgets::{FilePicker, address_field, button, button_idle_while, problem};
use crate::view_model::format::count;
use crate::view_model::messages::Question;
use crate::view_model::test_files::{TestFiles, TestMistake};

/// The heading, which has the focus when the files are shown.
const TITLE: &str = "tests-title";

pub(super) fn show(page: Page) {
    page.several.set(false);
    page.tests.is_open.set(true);
    focus_when_shown(TITLE);
}

/// Opens a file of this machine.
pub(super) fn open(page: Page, name: String, file: JsValue) {
    page.file_problem.set(String::new());
    if !page.tests.is_open.get_untracked() {
        show(page);
    }
    ask(page, Question::OpenTests { name, text: String::new() }, file);
}

/// Asks for something to be done with the files, and shows them as they are then.
fn ask(page: Page, question: Question, file: JsValue) {
    when_answered_of(&question, file, move |files: CheckerAnswer<TestFiles>| match files {
        Ok(files) => {
            page.spoken.set(summary(&files));
            page.tests.problem.set(files.problem.clone());
            page.tests.files.set(files);
        }
        Err(problem) => page.tests.problem.set(problem),
    });
}

/// What the files hold, in a sentence.
fn summary(files: &TestFiles) -> String {
    let number = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
    match (files.names.len(), files.mistakes.len()) {
        (0, _) => "No file is open yet.".to_owned(),
        (names, 0) => format!("{} with {}.", count(number(names), "file"), count(files.tests, "test")),
        (_, mistakes) => {
            format!(
                "The tests cannot be run: {}. Correct the file and open it again.",
                count(number(mistakes), "mistake")
            )
        }
    }
}

/// The way to the files: above the results of such tests, and elsewhere below all else that can be done.
#[component]
pub(super) fn TestsButton(page: Page, is_above: bool) -> impl IntoView {
    let is_here = Memo::new(move |_| page.tests.is_run.get() == is_above && !page.tests.is_open.get());
    let text = if is_above { "Show the test files" } else { "Tests of your own" };
    let button = move || {
        is_here.get().then(|| {
            view! {
                <p class="several-way">
                    {button("plain", "tests-open", text, move || show(page))}
                </p>
            }
            .into_any()
        })
    };
    view! { {move || button().into_any()} }
}

/// The files, while they are shown.
#[component]
pub(super) fn TestFilesPanel(page: Page) -> impl IntoView {
    let content = move || (page.tests.is_open.get() && !page.several.get()).then(|| view! { <Files page/> }.into_any());
    view! { {move || content().into_any()} }
}

#[component]
fn Files(page: Page) -> impl IntoView {
    let close = move || {
        page.tests.is_open.set(false);
        focus_when_shown("tests-open");
    };
    let name = move |name: String| {
        let label = format!("Close {name}");
        let own = name.clone();
        let press = move |_| {
            ask(page, Question::CloseTests(own.clone()), JsValue::UNDEFINED);
            focus(TITLE);
        };
        view! {
            <li>
                <code>{name}</code>
                " "
                <button type="button" class="quiet" aria-label=label on:click=press>"Close"</button>
            </li>
        }
        .into_any()
    };
    let names =
        move || page.tests.files.with(|files| files.names.clone()).into_iter().map(name).collect_view().into_any();
    let is_none = move || page.tests.files.with(|files| files.tests == 0);
    let own_agent = move || start(page, false);
    let demo = move || start(page, true);
    view! {
        <section class="test-files" id="tests" aria-labelledby=TITLE>
            <div class="several-head">
                <h2 id=TITLE tabindex="-1">"Tests of your own"</h2>
                {button("quiet", "tests-close", "Back", close)}
            </div>
            <p class="note">
                "A test is a file in YAML or JSON, in the format ACTS: steps to take, and what is expected of each answer. Drop files anywhere on this page, choose them, or name a URL. Files that a file includes are opened beside it."
            </p>
            <div class="several-sources">
                <FilePicker purpose="tests" label="Open test files"/>
                <FromUrl page/>
            </div>
            <ul class="test-names" id="tests-names">{move || names()}</ul>
            <p class="note" id="tests-summary">{move || page.tests.files.with(summary)}</p>
            {move || page.tests.files.with(|files| mistakes(&files.mistakes)).into_any()}
            <label class="field">
                <span>"Variables, messages and further agents, as on the command line, a line for each"</span>
                <textarea
                    id="tests-given"
                    rows="3"
                    spellcheck="false"
                    placeholder="--var name=Value"
                    prop:value=move || page.tests.given.get()
                    on:input=move |event| page.tests.given.set(event_target_value(&event))
                ></textarea>
            </label>
            {problem("tests-problem", page.tests.problem)}
            <p class="buttons">
                {button_idle_while(is_none, "plain", "tests-run", "Run them against the agent", own_agent)}
                {button_idle_while(is_none, "plain", "tests-demo", "Run them against the demo agent", demo)}
            </p>
        </section>
    }
}

/// The mistakes, a line for each.
fn mistakes(mistakes: &[TestMistake]) -> Option<AnyView> {
    let line = |mistake: &TestMistake| {
        let TestMistake { file, place, message } = mistake.clone();
        view! {
            <li>
                <code>{file}</code>
                " "
                <b>{place}</b>
                <span>{message}</span>
            </li>
        }
        .into_any()
    };
    (!mistakes.is_empty()).then(|| {
        view! { <ol class="test-mistakes" id="tests-mistakes">{mistakes.iter().map(line).collect_view()}</ol> }
            .into_any()
    })
}

fn start(page: Page, is_demo: bool) {
    let (names, tests) = page.tests.files.with_untracked(|files| (files.names.len(), files.tests));
    let problem = match (names, tests) {
        (0, _) => "Open a file with tests first.",
        (_, 0) => "There is no test that can be run.",
        _ if !is_demo && page.address.with_untracked(|address| address.trim().is_empty()) => {
            "Enter the agent's address above first."
        }
        _ => "",
    };
    page.tests.problem.set(problem.to_owned());
    if problem.is_empty() {
        run::start_tests(page, is_demo);
    } else if tests > 0 {
        focus("address");
    }
}

/// A file, by its URL.
#[component]
fn FromUrl(page: Page) -> impl IntoView {
    let url = RwSignal::new(String::new());
    let open = Callback::new(move |()| {
        let typed = url.get_untracked().trim().to_owned();
        if !typed.is_empty() {
            ask(page, Question::FetchTests(typed), JsValue::UNDEFINED);
        }
    });
    let label = "Open the test file at a URL";
    address_field(["tests-url", "tests-fetch"], label, "https://example.com/suite.acts.yaml", "Open", url, open)
}
