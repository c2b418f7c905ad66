//! The verdict banner: progress while the run goes on, the level and the exports after it. One place, so that nothing jumps.

use leptos::prelude::*;

use super::downloads;
use super::state::{Page, Phase};
use super::view::banner::{Advice, Banner, progress};
use super::view::format;
use crate::engine::event::Agent;
use crate::report::Format;

/// The banner; nothing before the first run.
pub(super) fn banner(page: Page) -> AnyView {
    let level = move || match (page.phase.get(), page.banner.with(|banner| banner.as_ref().map(|banner| banner.id))) {
        (Phase::Running, _) => "running",
        (_, Some(id)) => id,
        _ => "none",
    };
    let is_running = Memo::new(move |_| page.phase.get() == Phase::Running);
    let words = move || {
        if is_running.get() {
            return running(page);
        }
        match page.banner.get() {
            Some(banner) => verdict(page, &banner),
            None => ().into_any(),
        }
    };
    view! {
        <section class="verdict" id="verdict" tabindex="-1" aria-labelledby="verdict-level" data-level=level data-run=move || page.runs.get().to_string()>
            <p class="subject">{move || if is_running.get() { "Checking " } else { "Conformance level of " }}<b>{move || page.subject.get()}</b></p>
            {words}
            {lanes(page)}
        </section>
    }
    .into_any()
}

fn running(page: Page) -> AnyView {
    let done = move || {
        let tally = page.tally.get();
        format!("{} of {}", tally.judged, tally.total)
    };
    let spent = move || {
        let messages = page.tally.with(|tally| tally.messages);
        let planned = page.planned_messages.get();
        let messages = if planned > messages {
            format!("{messages} of about {planned} messages")
        } else {
            format::count(messages, "message")
        };
        format!("{} \u{b7} {messages}", format::seconds(page.seconds.get()))
    };
    view! {
        <h2 class="level" id="verdict-level">{done}</h2>
        <p class="reason" id="stage">{move || page.stage.get()}</p>
        <p class="denominator" id="progress-text">{spent}</p>
        <progress id="progress" aria-label="Checks judged" max=move || page.tally.get().total.max(1).to_string()
            prop:value=move || f64::from(page.tally.get().judged)></progress>
    }
    .into_any()
}

fn verdict(page: Page, banner: &Banner) -> AnyView {
    let spent = move || progress(page.tally.get(), page.seconds.get());
    view! {
        <h2 class="level" id="verdict-level">{banner.level}</h2>
        <p class="reason" id="verdict-reason">{banner.reason.clone()}</p>
        <p class="denominator"><span id="denominator">{banner.denominator.clone()}</span><span id="progress-text">{spent}</span></p>
        {exports(page)}
    }
    .into_any()
}

fn exports(page: Page) -> AnyView {
    view! {
        <div class="exports" role="group" aria-label="Export and share">
            {downloads::button(page, Format::Json, "download-json", "JSON", "for programs")}
            {downloads::button(page, Format::Markdown, "download-markdown", "Markdown", "for an issue")}
            {downloads::button(page, Format::JUnit, "download-junit", "JUnit", "for CI")}
            {downloads::copy("copy-link", "Copy link", "without secrets", move || window().location().href().unwrap_or_default())}
        </div>
    }
    .into_any()
}

fn lanes(page: Page) -> AnyView {
    let chips = move || {
        page.lanes
            .get()
            .into_iter()
            .map(|lane| view! { <li class="lane">{lane}</li> }.into_any())
            .collect::<Vec<AnyView>>()
    };
    let capabilities = move || {
        let declared =
            page.agent.with(|agent| agent.as_ref().map(|agent| agent.capabilities.clone()).unwrap_or_default());
        let chip = |(name, is_declared): (String, bool)| {
            let text = if is_declared { format!("{name} yes") } else { format!("{name} not declared") };
            view! { <li class="capability" class:declared=is_declared>{text}</li> }.into_any()
        };
        declared.into_iter().map(chip).collect::<Vec<AnyView>>()
    };
    view! { <ul class="lanes" aria-label="Lanes and capabilities">{chips}{capabilities}</ul> }.into_any()
}

/// What keeps the agent from the next level, and what to do.
pub(super) fn reasons(page: Page) -> AnyView {
    let content = move || {
        page.banner.get().map(|banner| {
            let reasons: Vec<AnyView> = banner.reasons.into_iter().map(|reason| view! { <li>{reason}</li> }.into_any()).collect();
            let advice: Vec<AnyView> = banner.advice.into_iter().map(advice).collect();
            let why = if banner.id == "not-rated" { "Why there is no level" } else { "Why not the next level" };
            let (has_reasons, has_advice) = (!reasons.is_empty(), !advice.is_empty());
            view! {
                {has_reasons.then(|| view! { <details class="fold" id="level-reasons"><summary>{why}</summary><ul>{reasons}</ul></details> })}
                {has_advice.then(|| view! { <details class="fold" id="recommendations"><summary>"What to fix"</summary><ul class="advice">{advice}</ul></details> })}
            }
            .into_any()
        })
    };
    view! { <div class="folds">{content}</div> }.into_any()
}

fn advice(advice: Advice) -> AnyView {
    view! { <li><code>{advice.check}</code> <p>{advice.message}</p> <p class="fix-text">{advice.fix}</p></li> }
        .into_any()
}

/// What the card says; a rail of its own on a wide screen. It stands there from the start, so that nothing moves when the
/// card comes.
pub(super) fn agent(page: Page) -> AnyView {
    let name = move || match (page.agent.with(|agent| agent.as_ref().map(|agent| agent.name.clone())), page.phase.get())
    {
        (Some(name), _) => name,
        (None, Phase::Running) => "Reading the agent card".to_owned(),
        (None, _) => "No agent card was read".to_owned(),
    };
    view! {
        <section class="agent" aria-labelledby="agent-title">
            <h2 id="agent-title">{name}</h2>
            <dl>{move || page.agent.get().map(facts)}</dl>
        </section>
    }
    .into_any()
}

fn facts(agent: Agent) -> AnyView {
    let silent: Vec<AnyView> = agent
        .silent_interfaces
        .into_iter()
        .map(|(name, why)| view! { <div><dt>"Not checked: " {name}</dt><dd>{why}</dd></div> }.into_any())
        .collect();
    view! {
        <div><dt>"Version"</dt><dd>{agent.version}</dd></div>
        <div><dt>"Card"</dt><dd>{card_link(&agent.card_url)}</dd></div>
        <div><dt>"Messages by"</dt><dd>{agent.profile} " profile"</dd></div>
        {silent}
    }
    .into_any()
}

/// Only http and https are links, and the demo agent's address leads nowhere.
fn card_link(url: &str) -> AnyView {
    let is_link = (url.starts_with("http://") || url.starts_with("https://")) && !url.starts_with(super::demo::ADDRESS);
    let text = url.to_owned();
    if is_link {
        view! { <a href=url.to_owned() target="_blank" rel="noreferrer noopener">{text}</a> }.into_any()
    } else {
        view! { <code>{text}</code> }.into_any()
    }
}
