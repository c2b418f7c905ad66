//! The words for an agent that lets nobody in: whether it had our credentials, and what it asks for.

use crate::a2a::headers::OWN;
use crate::engine::transcript::{Step, Transcript, unavailable};
use crate::engine::verdict::Verdict;

/// The step of the probe that asks an interface over gRPC whether it serves calls.
pub const GRPC_HEALTH: &str = "grpc-health";

/// So much of a challenge is quoted: any agent can write a book into a header.
const MAX_CHALLENGE: usize = 160;

/// The verdict of everything behind a refused first call, which carries the user's own credentials.
pub(super) fn access_denied(probe: &Transcript, step: &Step, status: u16) -> Verdict {
    let what = match (status, credentials_in(step)) {
        (401, Some(what)) => format!("your {what} refused"),
        (403, Some(what)) => format!("access was denied although your {what} sent"),
        (401, None) => "the agent requires credentials".to_owned(),
        (403, None) => "the agent denies access".to_owned(),
        (503, _) if is_over_grpc(step) => return Verdict::blocked(not_available(probe)),
        _ => return unavailable(status),
    };
    // A page may not see the header; that the agent has one is another check's to say.
    let challenge = probe.header(step, "www-authenticate").ok().flatten().unwrap_or_default().trim();
    let quoted: String = challenge.chars().filter(|c| !c.is_control()).take(MAX_CHALLENGE).collect();
    let more = if challenge.chars().nth(MAX_CHALLENGE).is_some() { "\u{2026}" } else { "" };
    let asks = if quoted.is_empty() { String::new() } else { format!(": {quoted}{more}") };
    Verdict::blocked(format!("{what} ({}{asks})", step.refusal(status)))
}

fn is_over_grpc(step: &Step) -> bool {
    step.exchange.response.as_ref().is_some_and(|response| response.grpc.is_some())
}

/// The words for UNAVAILABLE, with what the health service says, where there is one.
fn not_available(probe: &Transcript) -> String {
    let answer = probe.every(GRPC_HEALTH).last().and_then(|step| step.reply.document.as_ref());
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
