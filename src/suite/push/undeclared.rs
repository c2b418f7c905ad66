//! Operations that the card does not declare must say so: a client that is not refused waits for what never comes.

use futures_util::future::LocalBoxFuture;

use crate::a2a::dialect::write::PushConfigRequest;
use crate::a2a::model::{ErrorName, Operation};
use crate::engine::check::{Check, Scenario, Scope, tripped_by};
use crate::engine::drive::Driver;
use crate::engine::transcript::Transcript;
use crate::engine::verdict::{Judged, Verdict};
use crate::suite::messaging::finished;

/// The scenario of this file.
pub(super) static SCENARIO: Scenario = Scenario {
    id: "undeclared",
    title: "Call operations that the card does not declare",
    scope: Scope::Lane,
    after: &["send"],
    drive,
    checks: CHECKS,
    ..Scenario::DEFAULTS
};

const CHECKS: &[Check] = &[
    Check {
        id: "push.unsupported",
        title: "Push config operations without the capability return PushNotificationNotSupportedError",
        why: "A client whose webhook is accepted waits for calls that never come.",
        fix: "Return -32003 (PushNotificationNotSupportedError) for the four config operations, or declare \
              capabilities.pushNotifications.",
        faults: tripped_by(&["undeclared-push"]),
        judge: push,
        ..Check::DEFAULTS
    },
    Check {
        id: "push.undeclared",
        title: "Push operations without the capability are refused",
        why: "A client that believes its webhook is registered waits for calls that never come. Older versions define \
              the error but do not require agents to implement the method at all.",
        fix: "Return -32003 (PushNotificationNotSupportedError), or declare capabilities.pushNotifications.",
        requirements: &["push.v03.unsupported"],
        faults: tripped_by(&["undeclared-push"]),
        judge: push_older,
        ..Check::DEFAULTS
    },
    Check {
        id: "extended.unsupported",
        title: "The extended card without the capability returns UnsupportedOperationError",
        why: "A client that gets a card here takes it for the extended one.",
        fix: "Return -32004 (UnsupportedOperationError) for GetExtendedAgentCard, or declare \
              capabilities.extendedAgentCard.",
        faults: tripped_by(&["undeclared-extended"]),
        judge: extended,
        ..Check::DEFAULTS
    },
];

fn drive(d: &Driver) -> LocalBoxFuture<'_, ()> {
    Box::pin(async move {
        if d.facts().undeclared("push notifications", |card| card.push_notifications).is_ok() {
            // With a real task only the missing capability can be the reason (T-ERR-6).
            let task =
                d.earlier("send").and_then(|transcript| finished(transcript).ok()).and_then(|task| task.id.clone());
            let task_id = task.unwrap_or_else(|| d.fresh_id());
            let target = PushConfigRequest {
                task_id,
                config_id: Some("probe".to_owned()),
                url: "https://example.com/webhook".to_owned(),
            };
            for (step, operation) in [("create", Operation::CreatePushConfig), ("list", Operation::ListPushConfigs)] {
                d.call(step, d.operation(operation, (d.dialect().push_params)(operation, &target))).await;
            }
        }
        let is_missing = d.facts().undeclared("an extended card", |card| card.extended_card).is_ok();
        if is_missing && d.has_check("extended.unsupported") {
            d.call("extended", d.operation(Operation::GetExtendedCard, serde_json::json!({}))).await;
        }
    })
}

fn push(t: &Transcript) -> Judged {
    t.facts.undeclared("push notifications", |card| card.push_notifications)?;
    let real = finished(t.earlier("send")?).is_ok();
    for name in ["create", "list"] {
        let what = "a push notification operation without the capability";
        // T-ERR-6: without a real task "not found" may come first.
        let also = [ErrorName::PushNotificationNotSupported, ErrorName::TaskNotFound];
        let wanted = if real { also.get(..1) } else { Some(also.as_slice()) };
        let verdict = t.refused_as(name, what, wanted.unwrap_or_default())?;
        if verdict.expected.is_some() {
            return Ok(verdict);
        }
    }
    Ok(Verdict::pass())
}

fn push_older(t: &Transcript) -> Judged {
    t.facts.undeclared("push notifications", |card| card.push_notifications)?;
    // T-03-2: a method that is not there is refused as such. Without a real task "not found" may come first.
    let wanted = [
        ErrorName::PushNotificationNotSupported,
        ErrorName::UnsupportedOperation,
        ErrorName::MethodNotFound,
        ErrorName::TaskNotFound,
    ];
    let real = finished(t.earlier("send")?).is_ok();
    let wanted = wanted.get(..if real { 3 } else { 4 }).unwrap_or_default();
    t.refused_as("create", "a push notification operation without the capability", wanted)
}

fn extended(t: &Transcript) -> Judged {
    t.facts.undeclared("an extended card", |card| card.extended_card)?;
    t.refused_as("extended", "GetExtendedAgentCard without the capability", &[ErrorName::UnsupportedOperation])
}
