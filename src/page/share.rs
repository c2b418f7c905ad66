//! Sharing a run: the link to what was judged, and the same link as a QR code.

use leptos::ev;
use leptos::prelude::*;
use web_sys::Element;

use super::checker_client::show_answer;
use super::copy_button::CopyButton;
use super::state::{Page, RunPhase};
use crate::view_model::messages::{CODING_AGENT, File, QrCode, Question};
use crate::view_model::share_link::Link;

/// The link to what was judged, whatever was typed since; tracks.
fn link(page: Page) -> Link {
    Link { filter: page.filter.get(), row: page.selected_key(), tab: page.tab.get(), ..page.judged.get() }
}

/// The address of this page with a link's setup.
pub(super) fn url(link: &Link) -> String {
    let location = window().location();
    let base = location.origin().unwrap_or_default() + &location.pathname().unwrap_or_default();
    format!("{base}#{}", link.fragment())
}

#[component]
pub(super) fn Share(page: Page) -> impl IntoView {
    view! {
        <CopyButton class="export" id="copy-link" text=move || untrack(|| url(&link(page)))>
            <b>"Copy link"</b>
            <span id="link-holds">{move || format!("{}; no secrets", link(page).holds())}</span>
        </CopyButton>
        <ForCodingAgent page/>
        <QrFold page/>
    }
}

/// The findings as a coding agent takes them, to copy. They are asked for when somebody is about to, since copying waits for nothing.
#[component]
fn ForCodingAgent(page: Page) -> impl IntoView {
    let findings = RwSignal::new(None::<File>);
    Effect::new(move || {
        if page.phase.get() == RunPhase::Done {
            show_answer(&Question::Report(CODING_AGENT.to_owned()), findings);
        }
    });
    let text = move || findings.with_untracked(|file| file.as_ref().map(|file| file.text.clone())).unwrap_or_default();
    view! {
        <span class:hidden=move || findings.with(Option::is_none)>
            <CopyButton class="export" id="copy-agent" text>
                <b>"Copy for my coding agent"</b>
                <span>"what to fix, with evidence"</span>
            </CopyButton>
        </span>
    }
}

#[component]
fn QrFold(page: Page) -> impl IntoView {
    let code = RwSignal::new(None::<QrCode>);
    let is_open = RwSignal::new(false);
    Effect::new(move || {
        if !is_open.get() {
            return;
        }
        show_answer(&Question::Qr(url(&link(page))), code);
    });
    let picture = move || {
        code.get().map(|QrCode { size, path }| {
            view! {
                <svg class="qr" role="img" aria-label="QR code of the link" viewBox=format!("0 0 {size} {size}")>
                    <path class="qr-light" d=format!("M0 0h{size}v{size}h-{size}z")></path>
                    <path class="qr-dark" d=path></path>
                </svg>
            }
            .into_any()
        })
    };
    let toggle = move |event: ev::Event| is_open.set(event_target::<Element>(&event).has_attribute("open"));
    view! {
        <details class="export qr-fold" id="qr" on:toggle=toggle>
            <summary>
                <b>"QR code"</b>
                <span>" of the link"</span>
            </summary>
            {move || picture().into_any()}
        </details>
    }
}
