//! What is printed as `next`: advice about an agent that showed no card, or refuses access.

use super::evidence::with_agent;
use crate::engine::event::Completion;
use crate::engine::run::REQUIRES_CREDENTIALS;
use crate::engine::security_schemes::{COOKIE, MUTUAL_TLS, SecurityScheme};
use crate::report::groups::distinct;
use crate::report::{Rating, Report};
use crate::wire::exchange::{End, TransportError, TransportErrorKind};

/// The next step, by what came back first; `None` where the verdict already says it.
pub(super) fn next_step(report: &Report) -> Option<String> {
    if report.completion == Some(Completion::Stopped) {
        return None;
    }
    let Some(first) = with_agent(report).next() else {
        // Nothing was sent to the agent: a token could not be had, or the address names nothing.
        return Some("correct what is named above, and run it again".to_owned());
    };
    let url = first.request.url.as_str();
    Some(match (&first.response, &first.end) {
        (None, End::NoAnswer(trouble)) => unreachable_step(trouble, url),
        (None, End::Deadline(_)) => {
            format!("look whether the agent hangs (curl -i {url}), or wait longer with --reach-timeout SECONDS")
        }
        (None, _) => format!("look at what the agent sends: curl -i {url}"),
        (Some(response), _) => match response.status {
            401 | 403 => GIVE_SOME.to_owned(),
            429 | 503 => "wait, and run it again".to_owned(),
            _ => "give the card's own URL, or judge a card file with --card FILE, or an interface without a card with \
                  --endpoint URL --binding jsonrpc"
                .to_owned(),
        },
    })
}

const GIVE_SOME: &str = "give credentials: --bearer, --basic, --api-key or --header";

/// What to give to an agent that shows its card and refuses access without credentials; `None` for any other.
pub(super) fn credentials_to_give(report: &Report) -> Option<String> {
    let asks = &report.agent.as_ref()?.asks;
    let Rating::NotRated(why) = &report.assessment.rating else { return None };
    // Any of the options, each of which is named once.
    let options = distinct(asks.iter().flat_map(options_of));
    let give =
        if options.is_empty() { GIVE_SOME.to_owned() } else { format!("give credentials: {}", options.join(", or ")) };
    why.contains(REQUIRES_CREDENTIALS).then_some(give)
}

/// The options that give the credentials of a scheme.
fn options_of(scheme: &SecurityScheme) -> Vec<String> {
    let token = || "--bearer TOKEN".to_owned();
    match scheme {
        SecurityScheme::Bearer => vec![token()],
        SecurityScheme::Basic => vec!["--basic USER:PASSWORD".to_owned()],
        SecurityScheme::Key { name, in_query: false } => vec![format!("--api-key {name}=KEY")],
        SecurityScheme::Key { name, in_query: true } => vec![format!("--api-key-query {name}=KEY")],
        // A person confirms what this client asks for, which has no secret.
        SecurityScheme::OAuth { device_url, .. } if !device_url.is_empty() => {
            vec!["--client-id ID".to_owned(), token()]
        }
        SecurityScheme::OAuth { .. } | SecurityScheme::OpenId { .. } => {
            vec!["--client-id ID --client-secret SECRET".to_owned(), token()]
        }
        SecurityScheme::Other(name) if name == MUTUAL_TLS => vec!["--cert FILE --key FILE".to_owned()],
        SecurityScheme::Other(name) if name == COOKIE => vec!["--header \"Cookie: NAME=VALUE\"".to_owned()],
        SecurityScheme::Other(name) => vec![format!("--header with what {name} asks for")],
    }
}

fn unreachable_step(trouble: &TransportError, url: &str) -> String {
    // A cause that is known has its remedy behind it.
    if let Some((_, remedy)) = trouble.detail.split_once("; ") {
        return format!("{remedy}: curl -iv {url}");
    }
    match trouble.kind {
        TransportErrorKind::Tls => {
            format!("correct the agent's certificate, or use its http address: curl -iv {url}")
        }
        TransportErrorKind::Redirect => format!("give the address that it redirects to: curl -i {url}"),
        _ => format!("start the agent, or correct the host and the port: curl -i {url}"),
    }
}
