//! The verdict banner with its labels and buttons: progress while the run goes on, then the verdict in one sentence with its details
//! folded; its sentences are in `view_model/banner.rs`. One place, as tall in both, so that nothing jumps.

use leptos::prelude::*;

use super::export_menu::ExportMenu;
use super::focus::{focus, focus_first, unfold};
use super::grid::GridPicture;
use super::reach::Lamps;
use super::share::Share;
use super::state::{Page, RunPhase};
use super::waiting::WaitingFor;
use super::widgets::{Shape, fact, said};
use crate::engine::event::{Agent, named_interfaces};
use crate::report::VerdictWord;
use crate::view_model::banner::{Banner, progress};
use crate::view_model::demo;
use crate::view_model::format;
use crate::view_model::messages::Confirm;
use crate::view_model::waiting;

#[component]
pub(super) fn VerdictBanner(page: Page) -> impl IntoView {
    let is_running = Memo::new(move |_| page.phase.get() == RunPhase::Running);
    let level =
        move || match (is_running.get(), page.banner.with(|banner| banner.as_ref().map(|banner| banner.id.clone()))) {
            (true, _) => "running".to_owned(),
            (false, Some(id)) => id,
            (false, None) => "none".to_owned(),
        };
    let word = move || match is_running.get() {
        true => String::new(),
        false => page.banner.with(|banner| banner.as_ref().map_or("", |banner| banner.word.as_str())).to_owned(),
    };
    let content = move || {
        if is_running.get() {
            return view! { <Progress page/> }.into_any();
        }
        page.banner.get().map(|banner| view! { <Verdict page banner/> }.into_any()).into_any()
    };
    let opened = move || said("opened", Some("opened"), page.opened.get());
    let details = move || {
        let banner = page.banner.get().filter(|_| !is_running.get());
        banner.map(|banner| view! { <Details page paragraphs=banner.details/> }.into_any())
    };
    view! {
        <section
            class="verdict"
            id="verdict"
            tabindex="-1"
            aria-labelledby="verdict-level"
            data-level=move || level()
            data-word=move || word()
            data-run=move || page.runs.get().to_string()
        >
            <div class="verdict-head">
                <p class="subject">
                    {move || if is_running.get() { "Checking ".to_owned() } else { "Verdict on ".to_owned() }}
                    <b>{move || page.subject.get()}</b>
                </p>
                {move || opened().into_any()}
                {move || content()}
            </div>
            <GridPicture page/>
            <div class="actions">
                // Made once: what was found so far can be saved while the run goes on, and a button keeps the focus when it ends.
                <button type="button" class="plain" id="share-open" popovertarget="share">"Save or share"</button>
                {move || details().into_any()}
                <span class="note" id="since">{move || page.since.get()}</span>
                <Lamps page/>
            </div>
            <div class="exports" id="share" popover="auto" role="group" aria-labelledby="share-open">
                <h3>"Save or share"</h3>
                <div>
                    <ExportMenu page/>
                    <Share page/>
                </div>
            </div>
        </section>
    }
}

#[component]
fn Progress(page: Page) -> impl IntoView {
    let spent = move || {
        let messages = page.tally.with(|tally| tally.messages);
        let planned = page.planned_messages.get();
        let messages = if planned > messages {
            format!("{messages} of about {planned} messages")
        } else {
            format::count(messages, "message")
        };
        format!("{} \u{b7} {messages}", format::seconds(page.seconds.get().into()))
    };
    view! {
        <h2 class="level" id="verdict-level">{move || waiting::progress(page.tally.get())}</h2>
        <div class="now">
            <div>
                <p class="reason" id="stage">{move || page.stage.get()}</p>
                <p class="denominator" id="progress-text">{move || spent()}</p>
            </div>
            <WaitingFor page/>
        </div>
        <progress
            id="progress"
            aria-label="Checks judged"
            max=move || waiting::bar_end(page.tally.get()).to_string()
            prop:value=move || page.tally.with(|tally| f64::from(tally.judged))
        />
        {move || page.confirm.get().map(|confirm| view! { <ConfirmElsewhere confirm/> }.into_any()).into_any()}
    }
}

/// The request to a person to give access: the page to open, and the code to type there.
#[component]
fn ConfirmElsewhere(confirm: Confirm) -> impl IntoView {
    let Confirm { whom, url, code, .. } = confirm;
    view! {
        <p class="reason" id="confirm">
            "To give " {whom} " access, open "
            <CardLink url/>
            " and confirm the code "
            <code>{code}</code>
        </p>
    }
}

#[component]
fn Verdict(page: Page, banner: Banner) -> impl IntoView {
    view! {
        <h2 class="level" id="verdict-level">
            <Shape id=verdict_shape(banner.word)/>
            {banner.title}
        </h2>
        <p class="reason" id="verdict-reason">{banner.reason}</p>
        {untrack(|| page.wants_credentials()).then(|| view! { <GiveCredentials page/> }.into_any())}
    }
}

/// Every other number.
#[component]
fn Details(page: Page, paragraphs: Vec<String>) -> impl IntoView {
    let seconds = page.seconds.get_untracked().into();
    // How many messages were sent is in no file.
    let spent = match page.opened.with_untracked(String::is_empty) {
        true => progress(page.tally.get_untracked(), seconds),
        false => format::took(seconds),
    };
    let paragraph = |text: String| view! { <p>{text}</p> }.into_any();
    view! {
        <details class="details" id="details">
            <summary>"Details"</summary>
            {paragraphs.into_iter().chain([spent]).map(paragraph).collect_view()}
        </details>
    }
}

/// The shape that goes with a verdict.
pub(super) const fn verdict_shape(word: VerdictWord) -> &'static str {
    match word {
        VerdictWord::Conformant => "pass",
        VerdictWord::ConformantWithAdvice => "advisory",
        VerdictWord::NotConformant => "fail",
        VerdictWord::PartlyChecked | VerdictWord::Incomplete => "blocked",
    }
}

/// After a run that came to nothing at an agent whose card asks for credentials: the button to press, and no other.
#[component]
fn GiveCredentials(page: Page) -> impl IntoView {
    let press = move || {
        page.is_giving.set(true);
        unfold("settings");
        // The token's field is shown where the card has a use for it; else the first of those that the card asks for.
        if document().query_selector(".hidden > #bearer").ok().flatten().is_none() {
            focus("bearer");
        } else {
            focus_first("#settings input[data-key]");
        }
    };
    view! {
        <button
            type="button"
            class="plain"
            class:primary=move || page.is_for_credentials()
            id="give"
            on:click=move |_| press()
        >
            "Give credentials"
        </button>
    }
}

/// The facts of the card; a column of its own on a wide screen. It is there from the start, so that nothing moves when the
/// card comes.
#[component]
pub(super) fn AgentFacts(page: Page) -> impl IntoView {
    let name = move || match (page.agent.with(|agent| agent.as_ref().map(|agent| agent.name.clone())), page.phase.get())
    {
        (Some(name), _) => name,
        (None, RunPhase::Running) => "Reading the agent card".to_owned(),
        (None, _) => "No agent card was read".to_owned(),
    };
    view! {
        <section class="agent" aria-labelledby="agent-title">
            <h2 id="agent-title">{move || name()}</h2>
            <dl>{move || page.agent.get().map(facts).into_any()}</dl>
        </section>
    }
}

fn facts(agent: Agent) -> AnyView {
    let speaks = agent.speaks();
    let not_checked = named_interfaces(&agent.silent_interfaces);
    let not_checked = not_checked.into_iter().map(|(name, why)| fact((format!("Not checked: {name}"), why)));
    // A client has no card.
    let messages_by = if agent.profile.is_empty() { String::new() } else { format!("{} profile", agent.profile) };
    let known = |(name, value): (&'static str, String)| (!value.is_empty()).then(|| fact((name, value)));
    let card = (!agent.card_url.is_empty()).then(|| {
        view! {
            <div>
                <dt>"Card"</dt>
                <dd><CardLink url=agent.card_url/></dd>
            </div>
        }
        .into_any()
    });
    view! {
        {known(("Agent version", agent.version))}
        {card}
        {[("Speaks", speaks), ("Test messages", messages_by)].map(known).into_iter().collect_view()}
        {not_checked.collect_view()}
    }
    .into_any()
}

/// Only http and https are links, and the demo agent's address leads nowhere.
#[component]
fn CardLink(url: String) -> impl IntoView {
    let is_link = (url.starts_with("http://") || url.starts_with("https://")) && !url.starts_with(demo::ADDRESS);
    if is_link {
        view! {
            <a target="_blank" rel="noreferrer noopener" href=url>
                {url.clone()}
            </a>
        }
        .into_any()
    } else {
        view! { <code>{url}</code> }.into_any()
    }
}
