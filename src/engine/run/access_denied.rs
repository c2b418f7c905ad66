//! The words for an agent that refuses access, and the words, pages and statuses by which a refusal is recognised. Many agents
//! refuse in another way than by the status that is for it: by an error with HTTP 200, by a page where people sign in, by a task
//! that fails.

use crate::a2a::binding::ReplyKind;
use crate::a2a::headers::OWN;
use crate::a2a::model::{Content, ErrorName, Part, Payload};
use crate::engine::transcript::{RunFacts, Step, Transcript, unavailable};
use crate::engine::verdict::Verdict;
use crate::wire::exchange::{End, TransportErrorKind};
use crate::wire::limits::LONGEST_CHALLENGE;
use crate::wire::url::Url;

/// The step of the probe that asks an interface over gRPC whether it serves calls.
pub const GRPC_HEALTH: &str = "grpc-health";

/// The verdict of everything behind a refused first call, which carries the user's own credentials.
pub(super) fn access_denied(probe: &Transcript, step: &Step, status: u16) -> Verdict {
    let what = match (status, credentials_in(step)) {
        (401, Some(what)) => format!("your {what} refused"),
        (403, Some(what)) => format!("access was denied although your {what} sent"),
        (401, None) => REQUIRES_CREDENTIALS.to_owned(),
        (403, None) => "the agent denies access".to_owned(),
        (503, _) if step.is_over_grpc() => return Verdict::blocked(not_available(probe)),
        _ => return unavailable(status),
    };
    // A page may not see the header; another check judges whether the agent sends one.
    let challenge = probe.header(step, "www-authenticate").ok().flatten().unwrap_or_default().trim();
    let quoted: String = challenge.chars().filter(|c| !c.is_control()).take(LONGEST_CHALLENGE).collect();
    let more = if challenge.chars().nth(LONGEST_CHALLENGE).is_some() { "\u{2026}" } else { "" };
    let asks = if quoted.is_empty() { String::new() } else { format!(": {quoted}{more}") };
    Verdict::blocked(format!("{what} ({}{asks})", step.refusal(status)))
}

/// How the verdict begins about an agent that was given no credentials and wants some.
pub const REQUIRES_CREDENTIALS: &str = "the agent requires credentials";

/// The step of the probe that shows whether an agent says the same of every call.
pub const GATE: &str = "gate";

/// Whether an error may be the refusal of a client without credentials: it is not about the task, and the card asks for credentials that
/// were not given, or the error does.
#[must_use]
pub fn may_refuse_access(facts: &RunFacts, step: &Step) -> bool {
    let ReplyKind::Error(error) = &step.reply.kind else { return false };
    let is_about_call = error.is(ErrorName::TaskNotFound)
        || error.is_missing_method()
        || matches!(error.name, Some(ErrorName::VersionNotSupported | ErrorName::MethodNotFound));
    let asks = error.message.as_deref().is_some_and(asks_for_credentials) || lacks_credentials(facts, step);
    asks && !is_about_call
}

/// Whether the answer is a page where people sign in, or leads to one. Many other pages link to one, so that words count only where the
/// card asks for credentials that were not given.
#[must_use]
pub fn is_sign_in_page(facts: &RunFacts, step: &Step) -> bool {
    let Some(response) = step.exchange.response.as_ref() else { return false };
    let is_page = response.headers.media_type().is_some_and(|of| of == "text/html") && response.status < 400;
    let body = String::from_utf8_lossy(&response.body).to_ascii_lowercase();
    let asked = &step.exchange.request.url;
    // Where an agent leads away from itself that asks for nothing, it may as well have moved.
    let may_lead_there = lacks_credentials(facts, step) || origin(asked) == origin(&response.url);
    let leads_there = response.redirected && may_lead_there && leads_to_sign_in(&response.url, asked);
    let asks = body.contains(PASSWORD_FIELD)
        || (lacks_credentials(facts, step) && SIGN_IN_WORDS.iter().any(|word| body.contains(word)));
    matches!(step.reply.kind, ReplyKind::Unreadable(_)) && is_page && (leads_there || asks)
}

/// Where a call was led whose redirect to another origin was not followed, if people sign in there, as far as its address shows. It counts
/// only where the card asks for credentials that were not given: an agent that has moved redirects calls as well.
fn sign_in_elsewhere<'a>(facts: &RunFacts, step: &'a Step) -> Option<&'a str> {
    let End::NoAnswer(trouble) = &step.exchange.end else { return None };
    let is_unfollowed = trouble.kind == TransportErrorKind::Redirect && lacks_credentials(facts, step);
    let led = trouble.detail.split(';').next().unwrap_or_default();
    (is_unfollowed && leads_to_sign_in(led, &step.exchange.request.url)).then_some(led)
}

/// Whether an address is one at which people sign in. Words that the agent's own address has show nothing.
fn leads_to_sign_in(to: &str, asked: &str) -> bool {
    let (to, asked) = (to.to_ascii_lowercase(), asked.to_ascii_lowercase());
    SIGN_IN_PATHS.iter().any(|word| to.contains(word) && !asked.contains(word))
}

fn origin(url: &str) -> Option<String> {
    Url::parse(url).map(|url| url.origin()).ok()
}

/// The verdict of everything behind an agent that refuses the probe for lack of credentials without the status that says so.
pub(super) fn refused_in_words(probe: &Transcript) -> Option<Verdict> {
    let step = probe.step("get").ok()?;
    if is_sign_in_page(&probe.facts, step) {
        let url = step.exchange.response.as_ref().map(|response| response.url.as_str()).unwrap_or_default();
        return Some(step.blocked(format!("{}: it answers with a page where people sign in, {url}", wants(step))));
    }
    if let Some(led) = sign_in_elsewhere(&probe.facts, step) {
        return Some(step.blocked(format!("{}: a call was {led}", wants(step))));
    }
    let other = probe.step(GATE).ok()?;
    let (ReplyKind::Error(error), ReplyKind::Error(gate)) = (&step.reply.kind, &other.reply.kind) else { return None };
    let is_same = (error.code, error.grpc_code, &error.message) == (gate.code, gate.grpc_code, &gate.message);
    (is_same && may_refuse_access(&probe.facts, step)).then(|| {
        let known = if error.message.as_deref().is_some_and(asks_for_credentials) {
            String::new()
        } else {
            "seems so by its card, because ".to_owned()
        };
        let why = format!("{}: {known}every call is answered with {}", wants(step), error.describe());
        step.blocked(why).seen_in(other.exchange.id)
    })
}

/// The same of an agent that takes the first message, and says in its answer that credentials are missing.
pub(super) fn refused_in_answer(send: &Transcript) -> Option<Verdict> {
    let step = send.every("send").last()?;
    if !lacks_credentials(&send.facts, step) {
        return None;
    }
    let said = send.steps.iter().find_map(|step| {
        let said = texts(step).find(|said| asks_for_credentials(said))?;
        Some((step, said.chars().take(LONGEST_CHALLENGE).collect::<String>()))
    });
    let (step, said) = said?;
    Some(step.blocked(format!("{}: it answers a message with \"{said}\"", wants(step))))
}

/// What the agent said in an answer: the message of a task's state, or one instead of a task, and what the task made.
fn texts(step: &Step) -> impl Iterator<Item = &str> {
    let (task, message) = match &step.reply.kind {
        ReplyKind::Result(Payload::Sent { task, message }) => (task.as_ref(), message.as_ref()),
        ReplyKind::Result(Payload::Task(task)) => (Some(task), None),
        _ => (None, None),
    };
    let told = task.and_then(|task| task.status_message.as_ref());
    let made = task.and_then(|task| task.artifacts.as_ref()).into_iter().flatten().flat_map(|artifact| &artifact.parts);
    let parts = message.into_iter().chain(told).flat_map(|message| &message.parts).chain(made);
    parts.filter_map(|part: &Part| match &part.content {
        Some(Content::Text(text)) => Some(text.as_str()),
        _ => None,
    })
}

/// Whether the card asks for credentials and a request carried none.
fn lacks_credentials(facts: &RunFacts, step: &Step) -> bool {
    facts.declares(|card| card.requires_auth) && credentials_in(step).is_none()
}

fn wants(step: &Step) -> String {
    credentials_in(step).map_or_else(|| REQUIRES_CREDENTIALS.to_owned(), |what| format!("your {what} refused"))
}

/// Parts of the addresses at which people sign in.
const SIGN_IN_PATHS: [&str; 6] = ["login", "signin", "sign-in", "sign_in", "/auth", "/sso"];

/// What is found on such a page.
const PASSWORD_FIELD: &str = "type=\"password\"";
const SIGN_IN_WORDS: [&str; 3] = ["sign in", "log in", "login"];

/// Words that only a refusal has.
const REFUSING: [&str; 12] = [
    "unauthenticated",
    "not authenticated",
    "unauthorized",
    "unauthorised",
    "not authorized",
    "authentication required",
    "authentication failed",
    "requires authentication",
    "authorization required",
    "access denied",
    "please log in",
    "please sign in",
];

/// What stands for credentials, and what is said of it where it is refused.
const CREDENTIALS: [&str; 9] =
    ["token", "credential", "api key", "api-key", "apikey", "api_key", "authorization", "authentication", "bearer"];
const LACKING: [&str; 8] =
    ["missing", "required", "invalid", "expired", "no ", "not provided", "not found", "must provide"];

/// Whether a text says that credentials are missing or wrong, as far as its words tell.
fn asks_for_credentials(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    // A parser that cannot read what it got speaks of tokens too.
    text.len() <= MAX_REFUSAL && !text.contains("json") && (has(&REFUSING) || (has(&CREDENTIALS) && has(&LACKING)))
}

/// The longest refusal, in bytes: a long text about tokens is not one.
const MAX_REFUSAL: usize = 400;

/// The words for UNAVAILABLE, with what the health service says, where there is one.
fn not_available(probe: &Transcript) -> String {
    let answer = probe.every(GRPC_HEALTH).last().and_then(|step| step.reply.document.as_deref());
    let status = answer.and_then(|answer| answer.get("status")?.as_str());
    let told = status.map(|status| format!("; its health service says {status}")).unwrap_or_default();
    format!("the agent is not available (UNAVAILABLE{told})")
}

/// Which of the user's credentials a request carried, with a verb to go on with.
fn credentials_in(step: &Step) -> Option<&'static str> {
    let is_theirs = |name: &str| !OWN.iter().any(|own| own.eq_ignore_ascii_case(name));
    let headers = &step.exchange.request.headers;
    headers.iter().find(|(name, _)| is_theirs(name))?;
    let is_token = headers.get("authorization").is_some_and(|value| value.to_ascii_lowercase().starts_with("bearer "));
    Some(if is_token { "token was" } else { "credentials were" })
}

#[cfg(test)]
mod tests {
    use super::asks_for_credentials;

    #[test]
    fn a_refusal_for_lack_of_credentials_is_known_by_its_words() {
        for text in [
            "Missing token",
            "Missing authentication token",
            "Invalid API key provided.",
            "Authorization header is required",
            "User is not authenticated",
            "Unauthorized",
            "Bearer token not provided",
        ] {
            assert!(asks_for_credentials(text), "{text}");
        }
        for text in [
            "Task not found",
            "Internal error",
            "Unexpected token at position 3",
            "Invalid JSON: unexpected token",
            "Invalid parameters",
            "I have counted 12 tokens.",
            &"Every API key is required to be kept secret. ".repeat(20),
        ] {
            assert!(!asks_for_credentials(text), "{text}");
        }
    }
}
