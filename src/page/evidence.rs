//! The exchanges that a verdict rests on: request and answer as two sheets, a stream as a timeline. Everything an agent
//! sent is text here.

use std::rc::Rc;

use super::downloads;
use super::erase::{Child, El, View, el, html, live, pair, tag};
use super::signal::Signal;
use super::view::format;
use super::view::wire::{self, Body, Event, Field, Mark, Sheet, TextLine};
use crate::engine::requirement::Level;
use crate::wire::exchange::Exchange;

/// The exchanges of a verdict, the first one open.
pub(super) fn evidence(exchanges: Vec<Rc<Exchange>>, mark: &Mark, level: Level) -> View {
    if exchanges.is_empty() {
        return html("<p class=\"note\">No exchange belongs to this result.</p>");
    }
    let items: Vec<View> =
        exchanges.into_iter().enumerate().map(|(place, exchange)| one(exchange, mark.clone(), place == 0)).collect();
    let tone = if level == Level::Must { "fail" } else { "advisory" };
    let evidence = el("div", &[("class", "evidence")]).attr("data-tone", tone).child(items);
    vec![html("<h3>Evidence</h3>"), evidence.view()].view()
}

fn one(exchange: Rc<Exchange>, mark: Mark, is_first: bool) -> View {
    let status = exchange.status().map_or_else(|| "no answer".to_owned(), |status| status.to_string());
    let summary = el("summary", &[])
        .child(tag("span", "step", exchange.step.clone()))
        .child(tag("code", "method", exchange.request.method.as_str()))
        .child(tag("code", "url", exchange.request.url.clone()))
        .child(tag("code", "status", status))
        .child(tag("span", "ms", format::duration(exchange.duration_ms())));
    // A closed exchange costs nothing until it is opened.
    let was_opened = Signal::new(is_first);
    let is_open = was_opened.clone();
    let content = move || is_open.get().then(|| sheets(&exchange, &mark));
    el("details", &[("class", "exchange")])
        .attr_if("open", is_first)
        .on("toggle", move |_| was_opened.set(true))
        .child(summary)
        .child(live(content))
        .view()
}

fn sheets(exchange: &Rc<Exchange>, mark: &Mark) -> Vec<View> {
    let answer = wire::response(exchange, mark);
    let ending = wire::ending(&exchange.end);
    let command = wire::curl(exchange);
    let answer =
        answer.map_or_else(|| html("<p class=\"note\">No answer.</p>"), |answer| sheet("Answer", answer).view());
    vec![
        sheet("Request", wire::request(exchange)).view(),
        answer,
        ending.map(|text| tag("p", "ending", text)).view(),
        downloads::copy("", "Copy as curl", "secrets are left out", move || command.clone()),
    ]
}

fn sheet(title: &'static str, sheet: Sheet) -> El {
    let fields: Vec<View> = sheet.headers.into_iter().map(field).collect();
    let body = match sheet.body {
        Body::Empty => html("<p class=\"no-body\">No body</p>"),
        Body::Text { lines: text, cut } => lines(text, cut),
        Body::Timeline { events, cut } => timeline(events, cut),
    };
    let line = el("p", &[("class", "sheet-line")]).child(tag("b", "", title)).child(tag("code", "", sheet.line));
    el("section", &[("class", "sheet")])
        .attr("aria-label", title)
        .child(line)
        .child(tag("dl", "headers", fields))
        .child(body)
}

fn field(field: Field) -> View {
    let row = pair(field.name, field.value);
    if field.marked { row.attr("class", "marked").view() } else { row.view() }
}

fn lines(lines: Vec<TextLine>, cut: Option<String>) -> View {
    let lines: Vec<View> = lines
        .into_iter()
        .map(|line| {
            let spans: Vec<View> = line
                .spans
                .into_iter()
                .map(|(style, text)| el("span", &[]).attr("class", style).child(text).view())
                .collect();
            let spans = if line.marked { tag("mark", "", spans) } else { spans.view() };
            vec![spans, "\n".view()].view()
        })
        .collect();
    let body = el("pre", &[("class", "body"), ("tabindex", "0")]).child(tag("code", "", lines));
    vec![body.view(), note(cut)].view()
}

fn note(text: Option<String>) -> View {
    text.map(|text| tag("p", "note", text)).view()
}

fn timeline(events: Vec<Event>, cut: Option<String>) -> View {
    let items: Vec<View> = events
        .into_iter()
        .map(|event| {
            let name = if event.name.is_empty() { String::new() } else { format!("{} ", event.name) };
            let summary = el("summary", &[])
                .child(tag("span", "at", event.at))
                .child(tag("span", "gap", format!("+{}", event.gap)))
                .child(tag("span", "number", format!("{name}event {}", event.number)))
                .child(tag("code", "brief", event.brief));
            let details =
                el("details", &[]).attr_if("open", event.marked).child(summary).child(lines(event.lines, event.cut));
            let item = el("li", &[]).attr("data-gap", event.scale.to_string());
            let item = if event.marked { item.attr("class", "marked") } else { item };
            item.child(details).view()
        })
        .collect();
    vec![tag("ol", "timeline", items), note(cut)].view()
}
