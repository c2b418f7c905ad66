//! The exchanges that a verdict rests on: request and answer as two sheets, a stream as a timeline. Everything an agent
//! sent is text here.

use std::rc::Rc;

use leptos::prelude::*;

use super::downloads;
use super::view::format;
use super::view::wire::{self, Body, Event, Field, Mark, Sheet, TextLine};
use crate::engine::requirement::Level;
use crate::wire::exchange::Exchange;

/// The exchanges of a verdict, the first one open.
pub(super) fn evidence(exchanges: Vec<Rc<Exchange>>, mark: &Mark, level: Level) -> AnyView {
    if exchanges.is_empty() {
        return view! { <p class="note">"No exchange belongs to this result."</p> }.into_any();
    }
    let items: Vec<AnyView> =
        exchanges.into_iter().enumerate().map(|(place, exchange)| one(exchange, mark.clone(), place == 0)).collect();
    let tone = if level == Level::Must { "fail" } else { "advisory" };
    view! {
        <h3>"Evidence"</h3>
        <div class="evidence" data-tone=tone>{items}</div>
    }
    .into_any()
}

fn one(exchange: Rc<Exchange>, mark: Mark, is_first: bool) -> AnyView {
    let status = exchange.status().map_or_else(|| "no answer".to_owned(), |status| status.to_string());
    let summary = view! {
        <summary>
            <span class="step">{exchange.step.clone()}</span>
            <code class="method">{exchange.request.method.as_str()}</code>
            <code class="url">{exchange.request.url.clone()}</code>
            <code class="status">{status}</code>
            <span class="ms">{format::duration(exchange.duration_ms())}</span>
        </summary>
    };
    // A closed exchange costs nothing until it is opened.
    let was_opened = RwSignal::new(is_first);
    let exchange = StoredValue::new_local(exchange);
    let content = move || was_opened.get().then(|| exchange.with_value(|exchange| sheets(exchange, &mark)));
    view! { <details class="exchange" open=is_first on:toggle=move |_| was_opened.set(true)>{summary}{content}</details> }.into_any()
}

fn sheets(exchange: &Rc<Exchange>, mark: &Mark) -> AnyView {
    let answer = wire::response(exchange, mark);
    let none = answer.is_none();
    let ending = wire::ending(&exchange.end);
    let command = wire::curl(exchange);
    view! {
        {sheet("Request", wire::request(exchange))}
        {answer.map(|answer| sheet("Answer", answer))}
        {none.then(|| view! { <p class="note">"No answer."</p> })}
        {ending.map(|text| view! { <p class="ending">{text}</p> })}
        {downloads::copy("", "Copy as curl", "secrets are left out", move || command.clone())}
    }
    .into_any()
}

fn sheet(title: &'static str, sheet: Sheet) -> AnyView {
    let fields: Vec<AnyView> = sheet.headers.into_iter().map(field).collect();
    let body = match sheet.body {
        Body::Empty => view! { <p class="no-body">"No body"</p> }.into_any(),
        Body::Text { lines: text, cut } => lines(text, cut),
        Body::Timeline { events, cut } => timeline(events, cut),
    };
    view! {
        <section class="sheet" aria-label=title>
            <p class="sheet-line"><b>{title}</b><code>{sheet.line}</code></p>
            <dl class="headers">{fields}</dl>
            {body}
        </section>
    }
    .into_any()
}

fn field(field: Field) -> AnyView {
    view! { <div class:marked=field.marked><dt>{field.name}</dt><dd>{field.value}</dd></div> }.into_any()
}

fn lines(lines: Vec<TextLine>, cut: Option<String>) -> AnyView {
    let lines: Vec<AnyView> = lines
        .into_iter()
        .map(|line| {
            let spans: Vec<_> =
                line.spans.into_iter().map(|(style, text)| view! { <span class=style>{text}</span> }).collect();
            if line.marked { view! { <mark>{spans}</mark> "\n" }.into_any() } else { view! { {spans} "\n" }.into_any() }
        })
        .collect();
    view! {
        <pre class="body" tabindex="0"><code>{lines}</code></pre>
        {cut.map(|text| view! { <p class="note">{text}</p> })}
    }
    .into_any()
}

fn timeline(events: Vec<Event>, cut: Option<String>) -> AnyView {
    let items: Vec<AnyView> = events
        .into_iter()
        .map(|event| {
            let name = if event.name.is_empty() { String::new() } else { format!("{} ", event.name) };
            view! {
                <li data-gap=event.scale.to_string() class:marked=event.marked>
                    <details open=event.marked>
                        <summary>
                            <span class="at">{event.at}</span>
                            <span class="gap">"+" {event.gap}</span>
                            <span class="number">{name} {format!("event {}", event.number)}</span>
                            <code class="brief">{event.brief}</code>
                        </summary>
                        {lines(event.lines, event.cut)}
                    </details>
                </li>
            }
            .into_any()
        })
        .collect();
    view! {
        <ol class="timeline">{items}</ol>
        {cut.map(|text| view! { <p class="note">{text}</p> })}
    }
    .into_any()
}
