//! How a client shows who it is: with credentials where they are needed, by a declared scheme, in headers, and to nobody else.

use super::client_check::{ClientCheck, judge_calls, judge_places};
use super::conversation::{ClientCall, ClientConversation};
use crate::a2a::model::Operation;
use crate::engine::check::Check;
use crate::engine::security_schemes::{SecurityScheme, schemes_of};
use crate::engine::verdict::{Judged, Verdict};
use crate::wire::json::{Pointer, Value};
use crate::wire::mask::MASK;
use crate::wire::url::path_of;

/// For rules about credentials when the agent asks for none.
const NOT_PROTECTED: &str =
    "the agent asks for no credentials; --fault protected makes it ask for the token open-sesame";

/// For rules about credentials when there are none.
const NO_CREDENTIALS: &str = "the client sent no credentials";

pub(super) static CHECKS: &[ClientCheck] = &[
    Check {
        id: "client.credentials-sent",
        title: "A client that has credentials sends them with every request",
        why: "An agent knows nothing of earlier requests, and refuses one without credentials.",
        fix: "Send the credentials with every request, streams and push configs included.",
        ..Check::tripped_by(&["credentials-forgotten", "extended-without-credentials"])
    }
    .judging_clients_by(sent),
    Check {
        id: "client.declared-scheme",
        title: "Credentials are of a scheme that the card declares",
        why: "An agent cannot check credentials of a scheme that it does not know.",
        fix: "Choose one of the card's securitySchemes, and send what it asks for.",
        ..Check::tripped_by(&["basic-credentials"])
    }
    .judging_clients_by(declared_scheme),
    Check {
        id: "client.extended-authenticated",
        title: "The extended card is fetched with credentials",
        why: "The extended card is for clients that the agent knows, and is refused to others.",
        fix: "Authenticate the request by one of the schemes of the public card.",
        ..Check::tripped_by(&["extended-without-credentials"])
    }
    .judging_clients_by(extended_authenticated),
    Check {
        id: "client.credentials-in-headers",
        title: "Credentials stand in headers, and not in bodies or URLs",
        why: "Bodies and URLs are logged and stored, and whoever reads them has the credentials.",
        fix: "Send credentials in Authorization, or in the header that the card's scheme names.",
        ..Check::tripped_by(&["token-in-query", "token-in-metadata"])
    }
    .judging_clients_by(in_headers),
    Check {
        id: "client.credentials-asked-for",
        title: "Credentials go only to agents whose card asks for them",
        why: "Whoever serves an agent without a security scheme has no use for the credentials, and can misuse them.",
        fix: "Send credentials only where the card declares a security scheme that they are for.",
        ..Check::tripped_by(&["credentials-unasked"])
    }
    .judging_clients_by(asked_for),
    Check {
        id: "client.credentials-not-forwarded",
        title: "Credentials do not follow a redirect to another origin",
        why: "Whoever can answer one call with a redirect would get the credentials of the client.",
        fix: "Remove Authorization and keys when a redirect leads to another origin than the card's interface.",
        ..Check::tripped_by(&["credentials-forwarded"])
    }
    .judging_clients_by(not_forwarded),
];

fn is_let_in(call: &ClientCall) -> bool {
    let status = call.received.exchange.status().unwrap_or(401);
    call.received.scheme.is_some() && !matches!(status, 401 | 403) && !is_redirected_call(call)
}

fn sent(c: &ClientConversation<'_>) -> Judged {
    if !c.card.requires_auth {
        return Err(Verdict::excluded_by_card(NOT_PROTECTED));
    }
    let Some(first) = c.calls().find(|call| is_let_in(call)) else {
        return Err(Verdict::not_applicable(
            "no request had the credentials of this agent, which are the bearer token open-sesame",
        ));
    };
    let later = c.calls().filter(|call| call.id() > first.id() && call.received.is_client_of(&first.received));
    let later = later.filter(|call| !is_redirected_call(call));
    judge_calls(later, "one request had credentials, and none came after it", |call| {
        let breach = || call.fail("credentials, as before", "none").at("Authorization").seen_in(first.id());
        call.received.scheme.is_none().then(breach)
    })
}

fn declared_scheme(c: &ClientConversation<'_>) -> Judged {
    let schemes = schemes_of(&c.card.raw);
    let is_known = |scheme: &SecurityScheme| !matches!(scheme, SecurityScheme::Other(_));
    if schemes.is_empty() || !schemes.iter().all(is_known) {
        return Err(Verdict::excluded_by_card(NOT_PROTECTED));
    }
    let fits = |call: &ClientCall, scheme: &str| {
        schemes.iter().any(|declared| match declared {
            SecurityScheme::Basic => scheme.eq_ignore_ascii_case("basic"),
            SecurityScheme::Key { name, in_query } => !in_query && call.received.header(name).is_some(),
            _ => scheme.eq_ignore_ascii_case("bearer"),
        })
    };
    let with_credentials = c.calls().filter_map(|call| Some((call, call.received.scheme.as_deref()?)));
    judge_places(with_credentials, NO_CREDENTIALS, |call, scheme| {
        let breach = || call.fail("credentials of a scheme that the card declares", scheme).at("Authorization");
        (!fits(call, scheme)).then(breach)
    })
}

fn extended_authenticated(c: &ClientConversation<'_>) -> Judged {
    if !c.card.extended_card {
        return Err(Verdict::excluded_by_card("the agent has no extended card; --fault protected gives it one"));
    }
    let fetches = c.calls().filter(|call| call.is(&[Operation::GetExtendedCard]));
    judge_calls(fetches, "the client did not fetch the extended card", |call| {
        call.received.scheme.is_none().then(|| call.fail("credentials", "none").at("Authorization"))
    })
}

fn in_headers(c: &ClientConversation<'_>) -> Judged {
    let may_be_in_query =
        schemes_of(&c.card.raw).iter().any(|scheme| matches!(scheme, SecurityScheme::Key { in_query: true, .. }));
    let is_in_query = |call: &ClientCall| call.received.exchange.request.url.contains(MASK) && !may_be_in_query;
    let place = |call: &ClientCall| call.body.as_ref().and_then(|body| masked_place(body, &Pointer::root()));
    let carries = |call: &&ClientCall| call.received.scheme.is_some() || is_in_query(call) || place(call).is_some();
    judge_calls(c.calls().filter(carries), NO_CREDENTIALS, |call| {
        let found = |actual: &str, at: &str| call.fail("credentials in headers only", actual).at(at);
        if is_in_query(call) {
            return Some(found("credentials in the query", "query"));
        }
        place(call).map(|at| found("credentials in the body", at.as_str()))
    })
}

/// Where a body has the credentials, which the record masks. What a user writes and what is for a webhook is not meant.
fn masked_place(value: &Value, at: &Pointer) -> Option<Pointer> {
    const OTHERS: [&str; 5] = ["parts", "token", "credentials", "authentication", "url"];
    match value {
        Value::String(text) => text.contains(MASK).then(|| at.clone()),
        Value::Object(map) => {
            let mut members = map.iter().filter(|(name, _)| !OTHERS.contains(&name.as_str()));
            members.find_map(|(name, inner)| masked_place(inner, &at.key(name)))
        }
        Value::Array(list) => list.iter().enumerate().find_map(|(place, inner)| masked_place(inner, &at.index(place))),
        _ => None,
    }
}

/// The beginning of the paths to which the agent redirects calls: the same agent under another origin.
const REDIRECTED: &str = "/elsewhere/";

fn is_redirected_call(call: &ClientCall) -> bool {
    path_of(&call.received.exchange.request.url).starts_with(REDIRECTED)
}

fn asked_for(c: &ClientConversation<'_>) -> Judged {
    if !schemes_of(&c.card.raw).is_empty() || c.card.requires_auth {
        return Err(Verdict::excluded_by_card("the card declares security schemes"));
    }
    judge_calls(c.calls(), "the client called no operation", with_credentials)
}

/// The note about a call that has credentials.
fn with_credentials(call: &ClientCall) -> Option<Verdict> {
    let scheme = call.received.scheme.as_deref()?;
    Some(call.fail("no credentials", scheme).at("Authorization").as_note())
}

fn not_forwarded(c: &ClientConversation<'_>) -> Judged {
    let without = "the client followed no redirect to another origin; --situation calls-redirected redirects its calls";
    judge_calls(c.calls().filter(|call| is_redirected_call(call)), without, with_credentials)
}
