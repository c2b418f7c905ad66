//! The text on what a run sends and to whom, for a reader who wants to know before the first request; and where to read on.

use leptos::prelude::*;

use crate::a2a::headers::OWN;

/// What the checks are based on.
const SPECIFICATION: &str = "https://a2a-protocol.org/latest/specification/";

/// The sentence below the address.
pub(super) const WHERE_REQUESTS_GO: &str =
    "Requests go from this browser to your agent and nowhere else. Nothing is collected.";

/// Every header, in the foot.
#[component]
pub(super) fn WhatIsSent() -> impl IntoView {
    let header = |name: &'static str| view! { <li><code>{name}</code></li> }.into_any();
    view! {
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

/// Where to read on.
pub(super) fn about() -> AnyView {
    let link = |title: &'static str, url: String| {
        view! { <a target="_blank" rel="noreferrer" href=url>{title}</a> }.into_any()
    };
    let source = match option_env!("A2A_SOURCE_URL") {
        Some(source) => vec![
            link("Source", source.to_owned()),
            link("Documentation", format!("{source}/tree/HEAD/docs#readme")),
            link("Command line", format!("{source}/blob/HEAD/docs/USAGE.md")),
        ],
        None => vec!["Source, documentation and command line: in the folder that this page was built from".into_any()],
    };
    view! { <p class="about">{link("A2A specification", SPECIFICATION.to_owned())} {source}</p> }.into_any()
}
