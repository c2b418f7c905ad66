//! The text on what a run sends and to whom, for a reader who wants to know before the first request.

use leptos::prelude::*;

use crate::a2a::headers::OWN;

/// The sentence of the foot, and behind it every header.
#[component]
pub(super) fn WhatIsSent() -> impl IntoView {
    let header = |name: &'static str| view! { <li><code>{name}</code></li> }.into_any();
    view! {
        <p>"Requests go from this browser to your agent and nowhere else. Nothing is collected."</p>
        <details class="fold sent" id="sent">
            <summary>"What is sent"</summary>
            <p>"To your agent: what a client of its version sends, with these headers where a call has a use for them:"</p>
            <ul class="sent-headers">{OWN.map(header).into_iter().collect_view()}</ul>
            <p>
                "Then the credentials and headers that you fill in, and what your browser adds to every request \
                 (Origin, User-Agent, Accept-Language and others). No cookies, and no referrer."
            </p>
            <p>
                "Other addresses are called only where the card names them: other interfaces, an authorization server, \
                 keys. Credentials go there only when you allow it."
            </p>
        </details>
    }
}
