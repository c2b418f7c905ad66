//! One check in full: what the rule says, what was expected and what came, how to fix it, and the exchanges it rests on.

use std::rc::Rc;

use leptos::prelude::*;

use super::erase::{Child, El, Fixed, View, el, html, live, tag};
use super::signal::derived;
use super::state::{Page, Phase, RowHandle};
use super::view::rows::{Kind, RowState};
use super::view::wire::Mark;
use super::{evidence, keys, table};
use crate::engine::event::CheckResult;
use crate::engine::requirement::Basis;
use crate::engine::sdk::Sdk;
use crate::report;
use crate::wire::exchange::Exchange;

/// From this width on, the detail stands beside the list (`style/layout.css` says so too).
const BESIDE: &str = "(min-width: 960px)";

/// On a narrow screen the detail takes the list's place, so that the focus must go there.
pub(super) fn focus_when_stacked() {
    let is_beside = window().match_media(BESIDE).ok().flatten().is_some_and(|query| query.matches());
    if !is_beside {
        request_animation_frame(|| {
            keys::focus("detail-title");
            window().scroll_to_with_x_and_y(0.0, 0.0);
        });
    }
}

/// The detail, or what stands there while no check is open.
pub(super) fn detail(page: Page) -> View {
    let content = move || match page.selected.get().and_then(|index| page.row(index)) {
        Some(row) => {
            let state = row.state.clone();
            let is_running = derived(move || page.phase.get() == Phase::Running);
            // Another result of the same row, or the end of the run, shows the detail again.
            live(move || {
                is_running.track();
                open(page, &row, &state.get())
            })
        }
        None => legend(),
    };
    let fixed: Fixed = &[("class", "detail"), ("id", "detail"), ("aria-label", "Detail of the check")];
    el("section", fixed).child(live(content)).view()
}

fn open(page: Page, row: &RowHandle, state: &RowState) -> Vec<View> {
    let result = {
        let run = page.run.borrow();
        let of_row = run.results.iter().rfind(|(index, _)| *index == row.info.index);
        of_row.map(|(_, result)| Rc::clone(result))
    };
    let kind = state.kind;
    let lane = if row.info.lane_label.is_empty() { String::new() } else { format!(" \u{b7} {}", row.info.lane_label) };
    let within = result.as_ref().map(|result| format!(" \u{b7} {}", result.row.scenario.title));
    let body = match &result {
        Some(result) => judged(page, result),
        None => waiting(page, kind),
    };
    let close = el("button", &[("type", "button"), ("class", "quiet back"), ("id", "detail-close")])
        .on("click", move |_| keys::close_detail(page))
        .child("Close");
    let shown =
        el("p", &[("class", "result")]).child(table::shape(move || kind)).child(tag("span", "word", state.word));
    let title = el("h2", &[("id", "detail-title"), ("tabindex", "-1")]).child(row.info.title.clone());
    let ids = el("p", &[("class", "ids")]).child(tag("code", "", row.info.check)).child(lane).child(within);
    let head = el("header", &[("class", "detail-head")])
        .attr("data-status", kind.id())
        .child(close)
        .child(shown)
        .child(title)
        .child(ids);
    vec![head.view(), body]
}

fn waiting(page: Page, kind: Kind) -> View {
    let text = match (kind, page.is_running()) {
        (Kind::Running, _) => "The conversation that this check judges is in progress.",
        (_, true) => "The conversation that this check judges has not started.",
        (_, false) => "The run ended before this check was judged. Run again to judge it.",
    };
    tag("p", "", text)
}

fn judged(page: Page, result: &Rc<CheckResult>) -> View {
    let check = result.row.check;
    let verdict = &result.verdict;
    let stack = Sdk::of(page.run.borrow().exchanges.iter().map(|exchange| &**exchange));
    let hint = stack.and_then(|stack| stack.hint(check.id)).unwrap_or_default();
    let fix = format!("{} {hint}", check.fix).trim_end().to_owned();
    let mut exchanges: Vec<Rc<Exchange>> = Vec::new();
    for id in &verdict.exchanges {
        exchanges.extend(page.run.borrow().exchanges.iter().rfind(|exchange| exchange.id == *id).cloned());
    }
    let place = verdict.pointer.clone().unwrap_or_default();
    let mark = Mark::parse(&place);
    let needs_fix = verdict.expected.is_some() && !fix.is_empty();
    let pairs = verdict.expected.clone().zip(verdict.actual.clone()).map(|(expected, actual)| {
        el("dl", &[("class", "pair")])
            .child(stated("Expected (per spec)", "expected", expected))
            .child(stated("Received", "actual", actual))
    });
    let says_more = pairs.is_none() || !verdict.message.starts_with("expected ");
    let message = (says_more && !verdict.message.is_empty())
        .then(|| el("p", &[("class", "message"), ("id", "message")]).child(verdict.message.clone()));
    let at =
        (!place.is_empty()).then(|| el("p", &[("class", "place")]).child("At ").child(tag("code", "", place.clone())));
    let fix = needs_fix.then(|| {
        el("div", &[("class", "fix")]).child(html("<h3>Fix</h3>")).child(el("p", &[("id", "fix")]).child(fix))
    });
    vec![
        message.view(),
        pairs.view(),
        at.view(),
        fix.view(),
        html("<h3>The rule</h3>"),
        el("p", &[("id", "why")]).child(check.why).view(),
        requirements(result),
        check.advisory.map(|why| tag("p", "note", why)).view(),
        evidence::evidence(exchanges, &mark, result.level),
    ]
    .view()
}

fn stated(term: &'static str, id: &'static str, what: String) -> El {
    el("div", &[]).child(tag("dt", "", term)).child(el("dd", &[]).attr("id", id).child(what))
}

/// The requirements with their level and a link to the section.
fn requirements(result: &CheckResult) -> View {
    let version = result.row.version();
    let level = result.level.as_str();
    let items: Vec<View> = result
        .row
        .check
        .requirements()
        .into_iter()
        .map(|requirement| {
            let cite = requirement.cite(version);
            let section = requirement.section(version).filter(|_| requirement.basis != Basis::Practical);
            let link = match section.and_then(|section| report::spec_url(version, section)) {
                Some(url) => el("a", &[("target", "_blank"), ("rel", "noreferrer")])
                    .attr("href", url)
                    .child(format!("A2A {cite}"))
                    .view(),
                None => tag("span", "", cite),
            };
            el("li", &[])
                .child(el("span", &[("class", "badge")]).attr("data-level", level).child(level))
                .child(tag("span", "", requirement.title))
                .child(tag("span", "cite", link))
                .view()
        })
        .collect();
    tag("ul", "requirements", items)
}

/// What the shapes mean, while no check is open.
fn legend() -> View {
    let rows = [
        (Kind::Fail, "The agent was seen to break a must of the specification. This counts."),
        (
            Kind::Advisory,
            "The agent was seen to break a should of the specification. This is shown, but does not count.",
        ),
        (
            Kind::Blocked,
            "Something stopped the check before it could be judged: credentials, the network, the \
                         browser.",
        ),
        (
            Kind::Skip,
            "Not declared by your agent, not visible from here, or never observed. This is not held against \
                      it.",
        ),
        (Kind::Pass, "The agent was seen to follow the rule."),
    ];
    let rows: Vec<View> = rows
        .into_iter()
        .map(|(kind, text)| {
            let term = el("dt", &[("class", "result")]).child(table::shape(move || kind)).child(tag(
                "span",
                "word",
                kind.title(),
            ));
            el("div", &[]).attr("data-status", kind.id()).child(term).child(tag("dd", "", text)).view()
        })
        .collect();
    el("div", &[("class", "legend")])
        .child(html(
            "<p>Choose a check to see its evidence: the rule, what was returned, and the exchange it was read \
             from.</p>",
        ))
        .child(tag("dl", "", rows))
        .view()
}
