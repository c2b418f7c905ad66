//! Advice about an agent that showed no card, or refuses access.

use super::evidence::with_agent;
use crate::engine::event::Completion;
use crate::engine::run::REQUIRES_CREDENTIALS;
use crate::engine::security_schemes::SecurityScheme;
use crate::report::{Rating, Report};
use crate::wire::exchange::{End, Exchange, TransportError, TransportErrorKind};

/// The next step, by what came back first; `None` where the verdict already says it.
pub(super) fn next_step(report: &Report) -> Option<String> {
    if report.completion == Some(Completion::Stopped) {
        return None;
    }
    let Some(first) = with_agent(report).next() else {
        // Nothing was sent to the agent: a token could not be had, or the address names nothing.
        return Some("correct what is named above, and run it again".to_owned());
    };
    Some(match (&first.response, &first.end) {
        (None, End::NoAnswer(trouble)) => unreachable_step(trouble, first),
        (None, End::Deadline(_)) => {
            format!(
                "look whether the agent hangs (curl -i {}), or wait longer with --reach-timeout SECONDS",
                url(first)
            )
        }
        (None, _) => format!("look at what the agent sends: curl -i {}", url(first)),
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
    let options: Vec<_> = asks.iter().map(option_of).collect();
    why.contains(REQUIRES_CREDENTIALS).then(|| {
        if options.is_empty() { GIVE_SOME.to_owned() } else { format!("give credentials: {}", options.join(", or ")) }
    })
}

/// The option that gives the credentials of a scheme.
fn option_of(scheme: &SecurityScheme) -> String {
    match scheme {
        SecurityScheme::Bearer => "--bearer TOKEN".to_owned(),
        SecurityScheme::Basic => "--basic USER:PASSWORD".to_owned(),
        SecurityScheme::Key { name, in_query: false } => format!("--api-key {name}=KEY"),
        SecurityScheme::Key { name, in_query: true } => format!("--api-key-query {name}=KEY"),
        SecurityScheme::OAuth { .. } | SecurityScheme::OpenId { .. } => {
            "--client-id ID --client-secret SECRET, or --bearer TOKEN".to_owned()
        }
        SecurityScheme::Other(name) => format!("--header with what {name} asks for"),
    }
}

fn url(exchange: &Exchange) -> &str {
    &exchange.request.url
}

fn unreachable_step(trouble: &TransportError, first: &Exchange) -> String {
    // A cause that is known has its remedy behind it.
    if let Some((_, remedy)) = trouble.detail.split_once("; ") {
        return format!("{remedy}: curl -iv {}", url(first));
    }
    match trouble.kind {
        TransportErrorKind::Tls => {
            format!("correct the agent's certificate, or use its http address: curl -iv {}", url(first))
        }
        TransportErrorKind::Redirect => format!("give the address that it redirects to: curl -i {}", url(first)),
        _ => format!("start the agent, or correct the host and the port: curl -i {}", url(first)),
    }
}
