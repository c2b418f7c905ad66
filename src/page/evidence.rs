//! The exchanges that a verdict rests on: request and answer as two sheets, a stream as a timeline. Everything an agent
//! sent is text here.

use leptos::prelude::*;

use super::checker_client::when_answered;
use super::copy_button::CopyButton;
use super::widgets::said;
use crate::engine::requirement::Level;
use crate::view_model::evidence::Evidence;
use crate::view_model::messages::Question;
use crate::view_model::wire::{
    FullBody, HeaderField, HttpMessage, MessageSide, ShownBody, ShownEvent, Style, TextLine,
};

/// The exchanges of a verdict, or of a step, the first one open if wanted; without a row, any exchange of the run.
#[component]
pub(super) fn EvidenceList(
    row: Option<usize>,
    evidence: Vec<Evidence>,
    level: Level,
    /// Whether they stand under the heading of a step.
    #[prop(default = false)]
    is_step: bool,
    #[prop(default = true)] is_open: bool,
) -> impl IntoView {
    if evidence.is_empty() {
        return view! { <p class="note">"No exchange belongs to this result."</p> }.into_any();
    }
    let tone = if level == Level::Must { "fail" } else { "advisory" };
    let items = evidence.into_iter().enumerate();
    let items = items.map(|(place, exchange)| view! { <ExchangeFold row exchange is_first=is_open && place == 0/> });
    view! {
        {(!is_step).then(|| view! { <h3>"Evidence"</h3> }.into_any())}
        <div class="evidence" data-tone=tone>{items.collect_view()}</div>
    }
    .into_any()
}

#[component]
fn ExchangeFold(row: Option<usize>, exchange: Evidence, is_first: bool) -> impl IntoView {
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
    let content = move || was_opened.get().then(|| sheets(row, shown.get_value()));
    view! {
        <details class="exchange" open=is_first on:toggle=move |_| was_opened.set(true)>
            {summary}
            {move || content().into_any()}
        </details>
    }
}

#[derive(Clone, Copy)]
struct ExchangeOfRow {
    row: Option<usize>,
    exchange: u32,
}

fn sheets(row: Option<usize>, exchange: Evidence) -> AnyView {
    let place = ExchangeOfRow { row, exchange: exchange.id };
    let answer = match exchange.response {
        Some(answer) => sheet("Answer", place, MessageSide::Answer, answer),
        None => view! { <p class="note">"No answer."</p> }.into_any(),
    };
    let copy = |text: String, shell: &'static str| {
        view! {
            <CopyButton class="export" text=move || text.clone()>
                <b>"Copy as curl"</b>
                <span>{shell}</span>
            </CopyButton>
        }
        .into_any()
    };
    view! {
        {sheet("Request", place, MessageSide::Request, exchange.request)}
        {answer}
        {said("ending", None, exchange.ending)}
        {copy(exchange.curl, "for bash; secrets are left out")}
        {copy(exchange.power_shell, "for PowerShell; secrets are left out")}
    }
    .into_any()
}

fn sheet(title: &'static str, place: ExchangeOfRow, part: MessageSide, sheet: HttpMessage) -> AnyView {
    let field = |HeaderField { name, value, marked }: HeaderField| {
        view! {
            <div class=marked_class(marked)>
                <dt>{name}</dt>
                <dd>{value}</dd>
            </div>
        }
        .into_any()
    };
    let body = match sheet.body {
        ShownBody::Empty => view! { <p class="no-body">"No body"</p> }.into_any(),
        ShownBody::Text { lines, cut } => view! { <Text place part lines cut/> }.into_any(),
        ShownBody::Timeline { events, cut } => timeline(place, events, cut),
    };
    view! {
        <section class="sheet" aria-label=title>
            <p class="sheet-line">
                <b>{title}</b>
                <code>{sheet.line}</code>
            </p>
            <dl class="headers">{sheet.headers.into_iter().map(field).collect_view()}</dl>
            {said("note hides", None, sheet.hidden)}
            {body}
        </section>
    }
    .into_any()
}

/// The class of what a finding is about.
const fn marked_class(is_marked: bool) -> Option<&'static str> {
    if is_marked { Some("marked") } else { None }
}

/// A body: laid out and cut, with all of it and its bytes as they came on demand.
#[component]
fn Text(place: ExchangeOfRow, part: MessageSide, lines: Vec<TextLine>, cut: Option<String>) -> impl IntoView {
    // All of it: as it came, which the flag says, or laid out.
    let whole = RwSignal::new(None::<(bool, FullBody)>);
    let shows = move |is_raw: bool| whole.with(|whole| whole.as_ref().is_some_and(|(known, _)| *known == is_raw));
    let is_cut = cut.is_some();
    let first = StoredValue::new((lines, cut.unwrap_or_default()));
    let turn = move |is_raw: bool| {
        if untrack(|| shows(is_raw)) {
            whole.set(None);
            return;
        }
        let ExchangeOfRow { row, exchange } = place;
        when_answered(&Question::Body { row, exchange, part, is_raw }, move |body| {
            // The detail may have been closed meanwhile.
            if let Ok(Some(body)) = body {
                whole.try_set(Some((is_raw, body)));
            }
        });
    };
    let text = move || match whole.get() {
        Some((_, whole)) => whole.text.into_any(),
        None => first.with_value(|(lines, _)| lines.iter().cloned().map(line).collect_view().into_any()),
    };
    let note = move || match whole.get() {
        Some((_, whole)) => whole.cut,
        None => first.with_value(|(_, cut)| cut.clone()),
    };
    let button = move |is_raw: bool, title: &'static str| {
        view! {
            <button
                type="button"
                class="quiet"
                aria-pressed=move || shows(is_raw).to_string()
                on:click=move |_| turn(is_raw)
            >
                {title}
            </button>
        }
        .into_any()
    };
    view! {
        <div class="body-tools">
            {button(true, "Raw")}
            {is_cut.then(|| button(false, "Show all of it"))}
        </div>
        <pre class="body" tabindex="0">
            <code>{move || text()}</code>
        </pre>
        <p class="note">{move || note()}</p>
    }
}

/// Pieces of a text, each in the colour of its kind.
pub(super) fn coloured_spans(spans: Vec<(Style, String)>) -> Vec<AnyView> {
    spans.into_iter().map(|(style, text)| view! { <span class=style.id()>{text}</span> }.into_any()).collect()
}

fn line(line: TextLine) -> AnyView {
    let spans = coloured_spans(line.spans);
    let spans = if line.marked { view! { <mark>{spans}</mark> }.into_any() } else { spans.into_any() };
    view! {
        {spans}
        "\n"
    }
    .into_any()
}

fn timeline(place: ExchangeOfRow, events: Vec<ShownEvent>, cut: Option<String>) -> AnyView {
    let item = |event: ShownEvent| view! { <EventFold place event/> }.into_any();
    view! {
        <ol class="timeline">{events.into_iter().map(item).collect_view()}</ol>
        {said("note", None, cut.unwrap_or_default())}
    }
    .into_any()
}

/// An event of a stream, with its data behind it.
#[component]
fn EventFold(place: ExchangeOfRow, event: ShownEvent) -> impl IntoView {
    let ShownEvent { number, at, gap, scale, name, brief, lines, cut, marked } = event;
    let name = if name.is_empty() { String::new() } else { format!("{name} ") };
    let was_opened = RwSignal::new(marked);
    let data = StoredValue::new((lines, cut));
    let content = move || {
        was_opened.get().then(|| {
            let (lines, cut) = data.get_value();
            view! { <Text place part=MessageSide::Event(number) lines cut/> }.into_any()
        })
    };
    view! {
        <li data-gap=scale.to_string() class=marked_class(marked)>
            <details open=marked on:toggle=move |_| was_opened.set(true)>
                <summary>
                    <span class="at">{at}</span>
                    <span class="gap">{format!("+{gap}")}</span>
                    <span class="number">{format!("{name}event {number}")}</span>
                    <code class="brief">{brief}</code>
                </summary>
                {move || content().into_any()}
            </details>
        </li>
    }
}
