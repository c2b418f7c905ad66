//! Push notification configs of the first identity's task: whether the second can read, create or delete them.

use super::second_identity_replies::{REFUSED, Refusal, Seen, asked, hidden, refusal, separates_identities, task_at};
use crate::a2a::binding::{Call, Credentials, ReplyKind};
use crate::a2a::model::{Operation, Payload};
use crate::engine::drive::StepFuture;
use crate::engine::prelude::{Driver, Judged, Transcript, Verdict};

/// Where notifications of these configs would go: a name that is reserved for examples (RFC 2606).
pub(in crate::suite) const HOOK: &str = "https://example.com/a2a-conformance/second-identity";

/// The id of the config that the first identity creates.
const CONFIG: &str = "private";

/// Lets the first identity create a config, and the second ask for it, delete it and create another.
pub(super) async fn ask(d: &Driver, task: &str) {
    let own = |step, operation, config| call(d, step, operation, Credentials::Own, (task, config));
    let second = |step, operation, config| call(d, step, operation, Credentials::Second, (task, config));
    own("own-config", Operation::CreatePushConfig, CONFIG).await;
    let nowhere = d.fresh_id();
    d.together([
        own("own-read", Operation::GetPushConfig, CONFIG),
        own("own-read-missing", Operation::GetPushConfig, "missing"),
        call(d, "configs-missing", Operation::ListPushConfigs, Credentials::Second, (&nowhere, "")),
        second("configs", Operation::ListPushConfigs, ""),
        second("config", Operation::GetPushConfig, CONFIG),
    ])
    .await;
    if d.has_check("auth.foreign-push-delete") {
        second("delete-config", Operation::DeletePushConfig, CONFIG).await;
        own("own-read-again", Operation::GetPushConfig, CONFIG).await;
    }
    second("create-config", Operation::CreatePushConfig, "another").await;
}

/// A call about a config of a task.
fn call<'a>(
    d: &'a Driver,
    step: &'static str,
    operation: Operation,
    credentials: Credentials,
    (task, config): (&str, &str),
) -> StepFuture<'a> {
    let url = if operation == Operation::CreatePushConfig { HOOK } else { "" };
    let params = d.push_params(operation, task, (!config.is_empty()).then_some(config), url);
    d.call(step, Call { credentials, ..d.operation(operation, params) })
}

/// That the agent has configs, and tells the identities apart.
fn applies(t: &Transcript) -> Result<(), Verdict> {
    t.facts.declared("push notifications", |card| card.push_notifications)?;
    separates_identities(t)
}

/// That the second identity can neither read nor create configs.
pub(super) fn shown_or_created(t: &Transcript) -> Judged {
    applies(t)?;
    let task = task_at(t, "config")?;
    let mut last = None;
    for name in ["config", "configs", "create-config"] {
        if matches!(&t.step(name)?.reply.kind, ReplyKind::NotExpressible(_)) {
            continue;
        }
        let Seen { step, refused } = asked(t, name)?;
        let shown = match &step.reply.kind {
            ReplyKind::Result(Payload::PushConfig(_)) => Some("a push notification config".to_owned()),
            ReplyKind::Result(Payload::PushConfigs(list)) if !list.is_empty() => {
                Some("a list of push notification configs".to_owned())
            }
            _ => None,
        };
        if let Some(actual) = shown {
            return step.claim(false, REFUSED, actual, "");
        }
        last = Some((step, refused));
    }
    // Nothing can be hidden that is not there.
    t.succeeded("own-config")?;
    match last {
        Some((step, refused)) => hidden(t, step, refused, task),
        None => Err(Verdict::inconclusive("nothing was called")),
    }
}

/// That a config is still there for its owner after the second identity deleted it. What the deletion was answered with does
/// not tell (T-AUTH-12).
pub(super) fn deleted(t: &Transcript) -> Judged {
    applies(t)?;
    t.succeeded("own-config")?;
    t.succeeded("own-read")?;
    let Seen { step, refused } = asked(t, "delete-config")?;
    let reading = t.answered("own-read-again")?;
    if refusal(reading).is_some_and(|refusal| is_missing(t, refusal)) {
        // A task that was purged meanwhile has no configs either.
        t.task("after-cancel")?;
        let actual = format!("{}, and its owner could not read the config any more", step.reply.kind.describe());
        return Ok(reading.fail(REFUSED, actual).seen_in(step.exchange.id));
    }
    t.succeeded("own-read-again")?;
    let verdict = match refused {
        Some(_) => Verdict::pass(),
        None => Verdict::pass_with("the call was accepted, and nothing was deleted"),
    };
    Ok(verdict.seen_in(step.exchange.id).seen_in(reading.exchange.id))
}

/// Whether a refusal to read a config means that the config does not exist.
fn is_missing(t: &Transcript, refused: Refusal<'_>) -> bool {
    let missing = t.step("own-read-missing").ok().and_then(|step| refusal(step));
    refused.is_not_found() || missing.is_some_and(|missing| refused.is_like(missing))
}
