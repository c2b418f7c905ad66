//! The view of the workbench, with its labels: a request is chosen, edited and sent, its answer watched as it comes, judged and
//! shown in full. What it holds is in `workbench_calls.rs`, the conversation in `conversation.rs`.

use leptos::ev;
use leptos::prelude::*;

use super::conversation::Conversation;
use super::evidence::EvidenceList;
use super::focus::{focus, focus_with_next_frame};
use super::state::Page;
use super::widgets::{Shape, button, button_unless, lines, problem, submitted};
use super::workbench_calls::{compose, is_demo, read_card, send, stop};
use crate::engine::requirement::Level;
use crate::view_model::coloured::coloured;
use crate::view_model::format::count;
use crate::view_model::reach::Panel;
use crate::view_model::tabs::Tab;
use crate::view_model::workbench::{AnswerJudgement, Ask, BrokenRule, FinishedExchange};

#[component]
pub(super) fn Workbench(page: Page) -> impl IntoView {
    Effect::new(move || {
        // Whatever the request depends on.
        page.bench.draft.track();
        page.address.track();
        page.settings.track();
        page.phase.track();
        page.faults.track();
        compose(page, Ask::Compose);
    });
    let submit = submitted(move || send(page, false));
    view! {
        <div class="workbench">
            <form class="bench-form" novalidate=true aria-label="Request" on:submit=submit>
                <Choices page/>
                <Editor page/>
                <Sending page/>
            </form>
            <Answer page/>
            <Conversation page/>
        </div>
    }
}

/// The choice of agent, format and operation.
#[component]
fn Choices(page: Page) -> impl IntoView {
    let of = move |what: fn(&crate::view_model::workbench::Composed) -> &String| {
        page.bench.composed.with(|it| what(it).clone())
    };
    let choose = move |event| page.bench.choose("agent", &event_target_value(&event));
    let address = move || {
        let address = page.address.get();
        if address.trim().is_empty() {
            "The agent of the form above".to_owned()
        } else {
            format!("The agent {address}")
        }
    };
    view! {
        <h2>"Request"</h2>
        <div class="bench-choices">
            <label>
                <span>"Agent"</span>
                <select id="bench-agent" on:change=choose>
                    <option value="address" prop:selected=move || !is_demo(page)>{move || address()}</option>
                    <option value="demo" prop:selected=move || is_demo(page)>"The demo agent, in this page"</option>
                </select>
            </label>
            <p class="note bench-known">
                <span id="bench-known" role="status">{move || of(|it| &it.agent)}</span>
                " "
                {button("quiet", "bench-card", "Read the card", move || read_card(page))}
            </p>
            <Select page name="format" label="Format"/>
            <Select page name="interface" label="Interface"/>
            <Select page name="operation" label="Operation"/>
            <Field page name="at" label="Address"/>
            <Field page name="text" label="Message"/>
            <Field page name="task" label="Task id"/>
            <Field page name="context" label="Context id"/>
            <Field page name="config" label="Config id"/>
            <Field page name="notify" label="Notification URL"/>
        </div>
        <p class="note" id="bench-about">{move || of(|it| &it.about)}</p>
        <p class="bench-warning" id="bench-warning" role="status">{move || of(|it| &it.warning)}</p>
        <p class="problem" id="bench-missing" role="status">{move || of(|it| &it.problem)}</p>
    }
}

/// A list to choose from; hidden where it does not apply.
#[component]
fn Select(page: Page, name: &'static str, label: &'static str) -> impl IntoView {
    let choice = Memo::new(move |_| page.bench.composed.with(|it| it.choice(name).cloned().unwrap_or_default()));
    let options = move || {
        let choice = choice.get();
        let option = |(value, label, can): (String, String, bool)| {
            let is_chosen = value == choice.chosen;
            view! { <option value=value prop:selected=is_chosen disabled=!can>{label}</option> }.into_any()
        };
        choice.options.into_iter().map(option).collect_view().into_any()
    };
    view! {
        <label hidden=move || choice.with(|choice| choice.options.is_empty())>
            <span>{label}</span>
            <select id=format!("bench-{name}") on:change=move |event| page.bench.choose(name, &event_target_value(&event))>
                {move || options()}
            </select>
        </label>
    }
}

/// A text that goes into the request; hidden where it has no room for it.
#[component]
fn Field(page: Page, name: &'static str, label: &'static str) -> impl IntoView {
    view! {
        <label hidden=move || !page.bench.composed.with(|it| it.has(name))>
            <span>{label}</span>
            <input
                id=format!("bench-{name}")
                type="text"
                autocomplete="off"
                autocapitalize="off"
                spellcheck="false"
                prop:value=move || page.bench.draft.with(|draft| draft.get(name).to_owned())
                on:input=move |event| page.bench.choose(name, &event_target_value(&event))
            />
        </label>
    }
}

/// The request as it will be sent.
#[component]
fn Editor(page: Page) -> impl IntoView {
    let [method, url, headers, body] = page.bench.editor;
    let edit = move |signal: RwSignal<String>, event: ev::Event| {
        page.bench.edited.set(true);
        signal.set(event_target_value(&event));
    };
    let ink = move || {
        let piece = |(style, text): (crate::view_model::wire::Style, &str)| {
            let text = text.to_owned();
            view! { <span class=style.id()>{text}</span> }.into_any()
        };
        body.with(|text| coloured(text).into_iter().map(piece).collect_view()).into_any()
    };
    let one_method = move |name: &'static str| {
        view! { <option value=name prop:selected=move || method.get() == name>{name}</option> }.into_any()
    };
    let anew = move || {
        page.bench.edited.set(false);
        compose(page, Ask::Compose);
        focus("bench-body");
    };
    view! {
        <fieldset class="bench-editor">
            <legend>"The exact request"</legend>
            <div class="bench-line">
                <select id="bench-method" aria-label="Method" on:change=move |event| edit(method, event)>
                    {["GET", "POST", "PUT", "DELETE"].map(one_method).into_iter().collect_view()}
                </select>
                <input
                    id="bench-url"
                    type="text"
                    aria-label="URL"
                    inputmode="url"
                    autocomplete="off"
                    autocapitalize="off"
                    spellcheck="false"
                    prop:value=move || url.get()
                    on:input=move |event| edit(url, event)
                />
            </div>
            <label>
                <span>"Headers"</span>
                <textarea
                    id="bench-headers"
                    rows="4"
                    autocomplete="off"
                    spellcheck="false"
                    prop:value=move || headers.get()
                    on:input=move |event| edit(headers, event)
                ></textarea>
            </label>
            <p class="note" id="bench-credentials">{move || page.bench.composed.with(|it| it.credentials.clone())}</p>
            <label>
                <span>"Body"</span>
                <span class="bench-body">
                    <code class="body ink" aria-hidden="true">
                        {move || ink()}
                        "\n"
                    </code>
                    <textarea
                        id="bench-body"
                        autocomplete="off"
                        autocapitalize="off"
                        spellcheck="false"
                        aria-describedby="bench-problem"
                        prop:value=move || body.get()
                        on:input=move |event| edit(body, event)
                    ></textarea>
                </span>
            </label>
            <p class="note" id="bench-edited" hidden=move || !page.bench.edited.get()>
                "You edited this request: what you choose above does not change it. "
                {button("quiet", "bench-anew", "Reset the request", anew)}
            </p>
        </fieldset>
    }
}

/// The buttons, and what keeps a request from being sent.
#[component]
fn Sending(page: Page) -> impl IntoView {
    let halt = move || {
        stop(page);
        focus("bench-send");
    };
    let is_busy = move || page.bench.is_busy.get();
    let insist = move |_| send(page, true);
    view! {
        {problem("bench-problem", page.bench.problem)}
        <p class="buttons">
            <button type="submit" class="plain" id="bench-send" aria-disabled=move || is_busy().to_string()>"Send"</button>
            <button type="button" class="plain" id="bench-insist" hidden=move || !page.bench.can_insist.get() on:click=insist>
                "Send it as it is"
            </button>
            {button_unless(move || !is_busy(), "plain", "bench-stop", "Stop", halt)}
        </p>
    }
}

/// The answer: events while they come, and in the end all of it.
#[component]
fn Answer(page: Page) -> impl IntoView {
    let line = |(at, said): (String, String)| {
        view! {
            <li>
                <span class="at">{at}</span>
                <code>{said}</code>
            </li>
        }
        .into_any()
    };
    let status = move || {
        let came = page.bench.heard.with(|heard| heard.count);
        match (page.bench.is_busy.get(), came) {
            (true, 0) => "Waiting for an answer.".to_owned(),
            (true, came) => format!("{} so far.", count(came, "event")),
            (false, _) => String::new(),
        }
    };
    // While a request is under way, the last answer belongs to an earlier one.
    let events = move || {
        let is_busy = page.bench.is_busy.get();
        let events = page.bench.heard.with(|heard| heard.events.clone());
        let events = if is_busy { events } else { Vec::new() };
        events.into_iter().map(line).collect_view().into_any()
    };
    let ended = move || {
        let ended = page.bench.heard.with(|heard| heard.ended.clone());
        ended.map(|ended| view! { <Over page ended=*ended/> }.into_any())
    };
    view! {
        <section class="bench-answer" aria-labelledby="bench-answer-title">
            <h2 id="bench-answer-title">"Answer to the request"</h2>
            <p class="note" id="bench-status" role="status">{move || status()}</p>
            <ol class="bench-events" id="bench-events">{move || events()}</ol>
            {move || ended().into_any()}
        </section>
    }
}

/// An answer that is over.
#[component]
fn Over(page: Page, ended: FinishedExchange) -> impl IntoView {
    let FinishedExchange { evidence, judged, way } = ended;
    let AnswerJudgement { tone, sentence, broken } = judged;
    let shape = tone.clone();
    let rule = move |BrokenRule { key, title, level, found }: BrokenRule| {
        let row = page.rows.with(|rows| rows.iter().position(|row| row.info.key == key));
        let title = match row {
            Some(index) => view! {
                <button type="button" class="link" data-row=key on:click=move |_| show_row(page, index)>{title}</button>
            }
            .into_any(),
            None => view! { <span data-row=key>{title}</span> }.into_any(),
        };
        view! {
            <li>
                <span class="rank">{level.title()}</span>
                " "
                {title}
                ": "
                {found}
            </li>
        }
        .into_any()
    };
    view! {
        {way.map(|panel| view! { <InTheWay panel/> }.into_any())}
        <p class="bench-judged" id="bench-judged" data-tone=tone>
            <Shape id=shape/>
            <span>{sentence}</span>
        </p>
        <ul class="bench-broken" id="bench-broken">{broken.into_iter().map(rule).collect_view()}</ul>
        <EvidenceList row=None evidence=vec![evidence] level=Level::Must/>
    }
}

fn show_row(page: Page, index: usize) {
    if let Some(row) = page.row(index) {
        page.tab.set(Tab::Results);
        page.uncover(&row);
        page.selected.set(Some(index));
        focus_with_next_frame("detail-title");
    }
}

/// Why the page could not see an answer.
#[component]
fn InTheWay(panel: Panel) -> impl IntoView {
    view! {
        <div class="bench-way" id="bench-way" data-reason=panel.reason>
            <h3>{panel.title}</h3>
            <p>{panel.meaning}</p>
            <p>{panel.remedy}</p>
            <ul>{lines(panel.causes)}</ul>
            <p class="note">"Run the checks to see what to paste into your server's settings."</p>
        </div>
    }
}
