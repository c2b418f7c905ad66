//! The verdict banner: progress while the run goes on, the level and the exports after it. One place, so that nothing jumps.

use leptos::prelude::*;

use super::downloads;
use super::erase::{Child, El, Fixed, View, el, live, pair, tag};
use super::signal::derived;
use super::state::{Page, Phase};
use super::view::banner::{Advice, Banner, progress};
use super::view::format;
use crate::engine::event::Agent;
use crate::report::Format;

/// The banner; nothing before the first run.
pub(super) fn banner(page: Page) -> View {
    let level = move || match (page.phase.get(), page.banner.with(|banner| banner.as_ref().map(|banner| banner.id))) {
        (Phase::Running, _) => "running".to_owned(),
        (_, Some(id)) => id.to_owned(),
        _ => "none".to_owned(),
    };
    let is_running = derived(move || page.phase.get() == Phase::Running);
    let runs = is_running.clone();
    let words = move || {
        if runs.get() {
            return Some(running(page));
        }
        page.banner.get().map(|banner| verdict(page, &banner))
    };
    let doing = move || if is_running.get() { "Checking ".to_owned() } else { "Conformance level of ".to_owned() };
    let subject = el("p", &[("class", "subject")]).text(doing).child(el("b", &[]).text(move || page.subject.get()));
    let fixed: Fixed =
        &[("class", "verdict"), ("id", "verdict"), ("tabindex", "-1"), ("aria-labelledby", "verdict-level")];
    el("section", fixed)
        .live("data-level", level)
        .live("data-run", move || page.runs.get().to_string())
        .child(subject)
        .child(live(words))
        .child(lanes(page))
        .view()
}

fn running(page: Page) -> View {
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
    let bar = el("progress", &[("id", "progress"), ("aria-label", "Checks judged")])
        .live("max", move || page.tally.get().total.max(1).to_string())
        .prop("value", move || f64::from(page.tally.get().judged));
    vec![
        el("h2", &[("class", "level"), ("id", "verdict-level")]).text(done).view(),
        el("p", &[("class", "reason"), ("id", "stage")]).text(move || page.stage.get()).view(),
        el("p", &[("class", "denominator"), ("id", "progress-text")]).text(spent).view(),
        bar.view(),
        live(move || page.confirm.get().map(confirm)),
    ]
    .view()
}

/// Where a person has to agree, and what to type there.
fn confirm((url, code): (String, String)) -> El {
    el("p", &[("class", "reason"), ("id", "confirm")])
        .child("To give this run access, open ")
        .child(card_link(&url))
        .child(" and confirm the code ")
        .child(tag("code", "", code))
}

fn verdict(page: Page, banner: &Banner) -> View {
    let spent = move || progress(page.tally.get(), page.seconds.get());
    let counted = el("p", &[("class", "denominator")])
        .child(el("span", &[("id", "denominator")]).child(banner.denominator.clone()))
        .child(el("span", &[("id", "progress-text")]).text(spent));
    vec![
        el("h2", &[("class", "level"), ("id", "verdict-level")]).child(banner.level).view(),
        el("p", &[("class", "reason"), ("id", "verdict-reason")]).child(banner.reason.clone()).view(),
        give_credentials(page, banner).view(),
        counted.view(),
        exports(page),
    ]
    .view()
}

/// After a run that came to nothing at an agent whose card asks for credentials.
fn give_credentials(page: Page, banner: &Banner) -> Option<El> {
    let wanted = |agent: &Option<Agent>| agent.as_ref().is_some_and(|agent| !agent.asks.is_empty());
    if banner.id != "not-rated" || !page.agent.with_untracked(wanted) {
        return None;
    }
    let press = |_| {
        if let Some(settings) = document().get_element_by_id("settings") {
            let _ = settings.set_attribute("open", "");
        }
        super::keys::focus("bearer");
    };
    let button = el("button", &[("type", "button"), ("class", "plain"), ("id", "give")]).on("click", press);
    Some(el("p", &[]).child(button.child("Give credentials")))
}

fn exports(page: Page) -> View {
    let here = move || window().location().href().unwrap_or_default();
    el("div", &[("class", "exports"), ("role", "group"), ("aria-label", "Export and share")])
        .child(downloads::button(page, Format::Json, "download-json", "JSON", "for programs"))
        .child(downloads::button(page, Format::Markdown, "download-markdown", "Markdown", "for an issue"))
        .child(downloads::button(page, Format::JUnit, "download-junit", "JUnit", "for CI"))
        .child(downloads::copy("copy-link", "Copy link", "without secrets", here))
        .view()
}

fn lanes(page: Page) -> El {
    let chips = move || page.lanes.get().into_iter().map(|lane| tag("li", "lane", lane)).collect::<Vec<View>>();
    let capabilities = move || {
        let declared =
            page.agent.with(|agent| agent.as_ref().map(|agent| agent.capabilities.clone()).unwrap_or_default());
        let chip = |(name, is_declared): (String, bool)| {
            let (class, says) =
                if is_declared { ("capability declared", "yes") } else { ("capability", "not declared") };
            tag("li", class, format!("{name} {says}"))
        };
        declared.into_iter().map(chip).collect::<Vec<View>>()
    };
    el("ul", &[("class", "lanes"), ("aria-label", "Lanes and capabilities")])
        .child(live(chips))
        .child(live(capabilities))
}

/// What keeps the agent from the next level, and what to do.
pub(super) fn reasons(page: Page) -> View {
    let content = move || {
        page.banner.get().map(|banner| {
            let reasons: Vec<View> = banner.reasons.into_iter().map(|reason| tag("li", "", reason)).collect();
            let advice: Vec<View> = banner.advice.into_iter().map(advice).collect();
            let why = if banner.id == "not-rated" { "Why there is no level" } else { "Why not the next level" };
            let (has_reasons, has_advice) = (!reasons.is_empty(), !advice.is_empty());
            let reasons = el("details", &[("class", "fold"), ("id", "level-reasons")])
                .child(tag("summary", "", why))
                .child(tag("ul", "", reasons));
            let advice = el("details", &[("class", "fold"), ("id", "recommendations")])
                .child(tag("summary", "", "What to fix"))
                .child(tag("ul", "advice", advice));
            let upgrade = banner.upgrade.map(|upgrade| {
                let changes: Vec<View> =
                    upgrade.changes.into_iter().map(|c| tag("li", "", format!("{} ({})", c.what, c.section))).collect();
                el("details", &[("class", "fold"), ("id", "upgrade")])
                    .child(tag("summary", "", format!("From version {} to {}", upgrade.from, upgrade.to)))
                    .child(tag("ul", "", changes))
            });
            vec![has_reasons.then_some(reasons).view(), has_advice.then_some(advice).view(), upgrade.view()]
        })
    };
    tag("div", "folds", live(content))
}

fn advice(advice: Advice) -> View {
    el("li", &[])
        .child(tag("code", "", advice.check))
        .child(tag("p", "", advice.message))
        .child(tag("p", "fix-text", advice.fix))
        .view()
}

/// What the card says; a rail of its own on a wide screen. It stands there from the start, so that nothing moves when the
/// card comes.
pub(super) fn agent(page: Page) -> View {
    let name = move || match (page.agent.with(|agent| agent.as_ref().map(|agent| agent.name.clone())), page.phase.get())
    {
        (Some(name), _) => name,
        (None, Phase::Running) => "Reading the agent card".to_owned(),
        (None, _) => "No agent card was read".to_owned(),
    };
    el("section", &[("class", "agent"), ("aria-labelledby", "agent-title")])
        .child(el("h2", &[("id", "agent-title")]).text(name))
        .child(el("dl", &[]).child(live(move || page.agent.get().map(facts))))
        .view()
}

fn facts(agent: Agent) -> Vec<View> {
    let speaks = agent.speaks();
    let silent: Vec<View> = agent
        .silent_interfaces
        .into_iter()
        .map(|(name, why)| pair(format!("Not checked: {name}"), why).view())
        .collect();
    vec![
        pair("Version", agent.version).view(),
        pair("Card", card_link(&agent.card_url)).view(),
        pair("Speaks", speaks).view(),
        pair("Messages by", format!("{} profile", agent.profile)).view(),
        silent.view(),
    ]
}

/// Only http and https are links, and the demo agent's address leads nowhere.
fn card_link(url: &str) -> View {
    let is_link = (url.starts_with("http://") || url.starts_with("https://")) && !url.starts_with(super::demo::ADDRESS);
    let text = url.to_owned();
    if is_link {
        el("a", &[("target", "_blank"), ("rel", "noreferrer noopener")]).attr("href", text.clone()).child(text).view()
    } else {
        tag("code", "", text)
    }
}
