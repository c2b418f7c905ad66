//! Calls without credentials, and with invalid, expired or other ones: whether they are refused, with which status and challenge,
//! and whether the user's own are accepted.

use serde_json::json;

use super::access::{let_in, required, send};
use crate::a2a::binding::{Call, Credentials, ReplyKind};
use crate::a2a::model::{ErrorName, Operation};
use crate::engine::prelude::{Behaviour, Check, Driver, Judged, Scenario, Transcript, Verdict};
use crate::engine::shared_requests::SharedQuestion;
use crate::suite::messaging::finished;
use crate::suite::transport::is_in_doubt;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "auth",
    title: "Call without credentials and with invalid ones",
    after: &["send"],
    judged_after: &["auth-tasks"],
    needs: required,
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    Check {
        id: "auth.missing-credentials",
        title: "Calls without credentials are refused",
        why: "An agent that declares credentials but does not check them is open to everybody.",
        fix: "Check credentials before every operation, not only before send.",
        judge: |t| turned_away(t, &["list-none", "get-none", "send-none"], "a call without credentials"),
        ..Check::tripped_by(&["auth-not-checked", "auth-send-open"])
    },
    Check {
        id: "auth.invalid-credentials",
        title: "Invalid credentials are refused",
        why: "A token that is read but not verified keeps nobody out.",
        fix: "Verify the credential itself: its signature, its issuer, or its entry in your table.",
        judge: |t| turned_away(t, &["list-wrong", "send-wrong"], "a call with invalid credentials"),
        ..Check::tripped_by(&["auth-any-token"])
    },
    Check {
        id: "auth.expired-credentials",
        title: "An expired token is refused",
        why: "Someone who should no longer have access may still hold an old token.",
        fix: "Verify the token's signature and refuse it once its exp has passed.",
        requirements: &["auth.invalid-credentials"],
        judge: expired,
        ..Check::tripped_by(&["auth-expired-token"])
    },
    Check {
        id: "auth.other-scheme",
        title: "Invalid credentials of another scheme are refused",
        why: "An agent that verifies only the credentials it expects lets in anyone who sends others.",
        fix: "Refuse every call without valid credentials of a declared scheme, whatever else it contains.",
        requirements: &["auth.invalid-credentials"],
        judge: |t| turned_away(t, &["list-foreign"], "a call with invalid credentials of another scheme"),
        ..Check::tripped_by(&["auth-other-scheme"])
    },
    Check {
        id: "auth.status-401",
        title: "Refusals have status 401 or 403",
        why: "Clients get a new token on 401 and give up on anything else.",
        fix: "Return HTTP 401 for missing or invalid credentials, and 403 for insufficient ones.",
        requirements: &["auth.status-401", "auth.v01.codes"],
        judge: status,
        ..Check::tripped_by(&["auth-refused-with-400"])
    },
    Check {
        id: "auth.challenge",
        title: "A refusal for lack of credentials carries a challenge",
        why: "The challenge tells a client how to authenticate.",
        fix: "Refuse calls without credentials with 401, and send WWW-Authenticate with the scheme in the response.",
        judge: challenge,
        ..Check::tripped_by(&["auth-no-challenge", "auth-refused-with-403"])
    },
    Check {
        id: "auth.valid-credentials",
        title: "The user's credentials are accepted",
        why: "If a declared scheme does not work, clients that follow the card are locked out.",
        fix: "Accept what the card's schemes describe on every interface and for every operation, or change the card. \
              Return 403 for what a client is not permitted to do.",
        requirements: &["auth.valid-credentials", "interop.same-auth"],
        judge: valid,
        ..Check::tripped_by(&["auth-some-refused"])
    },
];

async fn drive(d: &Driver) {
    let with = |operation, params, credentials| Call { credentials, ..d.operation(operation, params) };
    let ours = d.earlier("send").and_then(|transcript| finished(transcript).ok()?.id.clone());
    let listed = |credentials| Call { credentials, ..d.harmless_call() };
    // An agent that does not know the operation refuses it to everybody alike.
    let has_list = d.dialect().method(Operation::ListTasks).is_some()
        && !(d.has_credentials() && is_in_doubt(d.ask("own-list", SharedQuestion::List).await.as_ref()));
    let harmless = |credentials| match &ours {
        // Without lists it takes a task that is there: one that is not may be hidden from everybody alike.
        Some(id) if !has_list => with(Operation::GetTask, (d.dialect().task_params)(id, None), credentials),
        _ => listed(credentials),
    };
    let unknown = || json!({ "id": d.fresh_id() });
    // T-AUTH-8: an empty message would be refused by everybody who lets it in, which shows nothing.
    let message = |d: &Driver| {
        let text = d.facts().prompts.text(Behaviour::Complete).unwrap_or_default();
        (d.dialect().send_params)(d.dialect(), &d.outgoing(text))
    };
    let mut calls = vec![
        d.call("list-none", harmless(Credentials::None)),
        d.call("get-none", with(Operation::GetTask, unknown(), Credentials::None)),
        send(d, "send-none", with(Operation::SendMessage, message(d), Credentials::None)),
    ];
    if d.has_credentials() {
        calls.push(d.call("list-wrong", harmless(Credentials::Wrong)));
        calls.push(send(d, "send-wrong", with(Operation::SendMessage, message(d), Credentials::Wrong)));
        if d.has_check("auth.expired-credentials") && d.has_bearer() {
            calls.push(d.call("list-expired", harmless(Credentials::Expired)));
        }
        calls.push(d.call("list-foreign", harmless(Credentials::Foreign)));
        calls.push(d.ask("own", SharedQuestion::GetUnknown));
        if !has_list {
            calls.push(d.call("own-list", harmless(Credentials::Own)));
        }
        calls.push(d.ask("own-cancel", SharedQuestion::CancelUnknown));
    }
    d.together(calls).await;
}

/// A check that needs the user's credentials says so.
fn given(t: &Transcript) -> Result<(), Verdict> {
    if t.every("own").next().is_some() {
        return Ok(());
    }
    // Where no call was made at all, it is not for want of credentials.
    t.step("list-none")?;
    Err(Verdict::inconclusive("no credentials were given; run the check again with credentials"))
}

fn turned_away(t: &Transcript, names: &[&str], what: &str) -> Judged {
    if !names.contains(&"list-none") {
        given(t)?;
    }
    let mut last = None;
    for name in names {
        let step = t.answered_or_unauthorized(name)?;
        if let_in(step) {
            return step.claim(false, &format!("{what} to be refused"), step.reply.kind.describe(), "");
        }
        // An error that the operation does not exist says nothing about who may call it.
        if matches!(&step.reply.kind, ReplyKind::Error(error) if error.name == Some(ErrorName::MethodNotFound)) {
            continue;
        }
        if name.starts_with("list") && step.reply.kind.is_error(ErrorName::TaskNotFound) {
            let why = "TaskNotFoundError is also what a caller gets for a task that does not exist or is hidden";
            return Err(step.inconclusive(why));
        }
        last = Some(step);
    }
    let unknown = || Verdict::inconclusive("the operations that were called do not exist here, whoever asks");
    last.map_or_else(|| Err(unknown()), |step| Ok(step.pass()))
}

fn expired(t: &Transcript) -> Judged {
    given(t)?;
    if t.every("list-expired").next().is_none() {
        return Err(Verdict::not_applicable("the credentials are not a bearer token"));
    }
    turned_away(t, &["list-expired"], "a call with an expired token")
}

fn status(t: &Transcript) -> Judged {
    let step = t.answered_or_unauthorized("list-none")?;
    if let_in(step) {
        return Err(Verdict::blocked("calls without credentials are not refused"));
    }
    let status = step.exchange.status().unwrap_or_default();
    // 1.0 §3.3.2 allows an error of the binding in a plain 200 answer as well (T-AUTH-2).
    let own_error = status == 200 && matches!(step.reply.kind, ReplyKind::Error(_));
    step.claim(matches!(status, 401 | 403) || own_error, "HTTP 401 or 403", format!("HTTP {status}"), "")
}

fn challenge(t: &Transcript) -> Judged {
    let step = t.answered_or_unauthorized("list-none")?;
    let dialect = t.lane.as_ref().map(|lane| lane.dialect);
    // 1.0 §3.3.2 and §7.4 ask for it in every refusal, older versions in a 401. An error of the protocol may carry it in words.
    let any_refusal = dialect.is_some_and(|dialect| dialect.version_header.is_some());
    if !(step.exchange.status() == Some(401) || (any_refusal && step.exchange.status() == Some(403))) {
        return Err(Verdict::not_applicable("the refusal is neither a 401 nor, from 1.0 on, a 403"));
    }
    let challenge = t.header(step, "WWW-Authenticate")?;
    step.claim(challenge.is_some(), "WWW-Authenticate", "none", "header WWW-Authenticate")
}

fn valid(t: &Transcript) -> Judged {
    given(t)?;
    let steps = [
        t.answered_or_unauthorized("own")?,
        t.answered_or_unauthorized("own-list")?,
        t.answered_or_unauthorized("own-cancel")?,
    ];
    let Some(step) = steps.iter().find(|step| !matches!(step.reply.kind, ReplyKind::Unavailable(401 | 403))) else {
        // They may be mistyped, or have run out.
        return Err(Verdict::inconclusive("every call was refused, so the credentials themselves may be wrong"));
    };
    // A client may know who it is and still not be allowed to do everything: that is 403.
    let refused = steps.iter().find(|step| step.reply.kind == ReplyKind::Unavailable(401));
    let expected = "the credentials to be accepted, as they are for another call";
    let shown = refused.unwrap_or(step);
    shown.claim(refused.is_none(), expected, shown.refusal(401), "")
}
