//! The exchanges that a verdict rests on: request and answer as two sheets, a stream as a timeline. Everything an agent
//! sent is text here.

use leptos::prelude::*;

use super::copy_button::CopyButton;
use super::view::detail::Evidence;
use super::view::wire::{Body, Event, Field, Sheet, TextLine};
use crate::engine::requirement::Level;

/// The exchanges of a verdict, the first one open.
#[component]
pub(super) fn EvidenceList(evidence: Vec<Evidence>, level: Level) -> impl IntoView {
    if evidence.is_empty() {
        return view! { <p class="note">"No exchange belongs to this result."</p> }.into_any();
    }
    let tone = if level == Level::Must { "fail" } else { "advisory" };
    let items = evidence.into_iter().enumerate();
    let items = items.map(|(place, exchange)| view! { <ExchangeFold exchange is_first=place == 0/> });
    view! {
        <h3>"Evidence"</h3>
        <div class="evidence" data-tone=tone>{items.collect_view()}</div>
    }
    .into_any()
}

#[component]
fn ExchangeFold(exchange: Evidence, is_first: bool) -> impl IntoView {
    let summary = view! {
        <summary>
            <span class="step">{exchange.step.clone()}</span>
            <code class="method">{exchange.method.clone()}</code>
            <code class="url">{exchange.url.clone()}</code>
            <code class="status">{exchange.status.clone()}</code>
            <span class="ms">{exchange.duration.clone()}</span>
        </summary>
    };
    // A closed exchange costs nothing until it is opened.
    let was_opened = RwSignal::new(is_first);
    let shown = StoredValue::new(exchange);
    let content = move || was_opened.get().then(|| sheets(shown.get_value()));
    view! {
        <details class="exchange" open=is_first on:toggle=move |_| was_opened.set(true)>
            {summary}
            {move || content().into_any()}
        </details>
    }
}

fn sheets(exchange: Evidence) -> AnyView {
    let answer = match exchange.response {
        Some(answer) => sheet("Answer", answer),
        None => view! { <p class="note">"No answer."</p> }.into_any(),
    };
    let ending = (!exchange.ending.is_empty()).then(|| view! { <p class="ending">{exchange.ending}</p> }.into_any());
    let command = exchange.curl;
    view! {
        {sheet("Request", exchange.request)}
        {answer}
        {ending}
        <CopyButton class="export" text=move || command.clone()>
            <b>"Copy as curl"</b>
            <span>"secrets are left out"</span>
        </CopyButton>
    }
    .into_any()
}

fn sheet(title: &'static str, sheet: Sheet) -> AnyView {
    let field = |Field { name, value, marked }: Field| {
        view! {
            <div class=marked_class(marked)>
                <dt>{name}</dt>
                <dd>{value}</dd>
            </div>
        }
        .into_any()
    };
    let body = match sheet.body {
        Body::Empty => view! { <p class="no-body">"No body"</p> }.into_any(),
        Body::Text { lines: text, cut } => lines(text, cut),
        Body::Timeline { events, cut } => timeline(events, cut),
    };
    view! {
        <section class="sheet" aria-label=title>
            <p class="sheet-line">
                <b>{title}</b>
                <code>{sheet.line}</code>
            </p>
            <dl class="headers">{sheet.headers.into_iter().map(field).collect_view()}</dl>
            {body}
        </section>
    }
    .into_any()
}

/// The class of what a finding is about.
const fn marked_class(is_marked: bool) -> Option<&'static str> {
    if is_marked { Some("marked") } else { None }
}

fn lines(lines: Vec<TextLine>, cut: Option<String>) -> AnyView {
    let line = |line: TextLine| {
        let spans =
            line.spans.into_iter().map(|(style, text)| view! { <span class=style.id()>{text}</span> }.into_any());
        let spans = spans.collect_view();
        let spans = if line.marked { view! { <mark>{spans}</mark> }.into_any() } else { spans.into_any() };
        view! {
            {spans}
            "\n"
        }
        .into_any()
    };
    view! {
        <pre class="body" tabindex="0">
            <code>{lines.into_iter().map(line).collect_view()}</code>
        </pre>
        {note(cut)}
    }
    .into_any()
}

fn note(text: Option<String>) -> Option<AnyView> {
    text.map(|text| view! { <p class="note">{text}</p> }.into_any())
}

fn timeline(events: Vec<Event>, cut: Option<String>) -> AnyView {
    let item = |event: Event| {
        let name = if event.name.is_empty() { String::new() } else { format!("{} ", event.name) };
        view! {
            <li data-gap=event.scale.to_string() class=marked_class(event.marked)>
                <details open=event.marked>
                    <summary>
                        <span class="at">{event.at}</span>
                        <span class="gap">{format!("+{}", event.gap)}</span>
                        <span class="number">{format!("{name}event {}", event.number)}</span>
                        <code class="brief">{event.brief}</code>
                    </summary>
                    {lines(event.lines, event.cut)}
                </details>
            </li>
        }
        .into_any()
    };
    view! {
        <ol class="timeline">{events.into_iter().map(item).collect_view()}</ol>
        {note(cut)}
    }
    .into_any()
}
