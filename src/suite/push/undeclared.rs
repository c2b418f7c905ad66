//! Push operations and the extended card where the card does not declare them: whether they are refused, and with the right error.

use crate::a2a::model::{ErrorName, Operation};
use crate::engine::prelude::{Check, Driver, Judged, Scenario, Transcript};
use crate::engine::verdict::first_finding;
use crate::suite::messaging::finished;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "undeclared",
    title: "Call operations that the card does not declare",
    after: &["send"],
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    Check {
        id: "push.unsupported",
        title: "Push config operations without the capability return PushNotificationNotSupportedError",
        why: "A client whose webhook is accepted waits for calls that never come.",
        fix: "Return -32003 (PushNotificationNotSupportedError) for the four config operations, or declare \
              capabilities.pushNotifications.",
        judge: push,
        ..Check::tripped_by(&["undeclared-push"])
    },
    Check {
        id: "push.undeclared",
        title: "Push operations without the capability are refused",
        why: "A client that believes its webhook is registered waits for calls that never come. Older versions define \
              the error but do not require agents to implement the method at all.",
        fix: "Return -32003 (PushNotificationNotSupportedError), or declare capabilities.pushNotifications.",
        requirements: &["push.v03.unsupported"],
        judge: push_older,
        ..Check::tripped_by(&["undeclared-push"])
    },
    Check {
        id: "extended.unsupported",
        title: "The extended card without the capability returns UnsupportedOperationError",
        why: "A client that gets a card here takes it for the extended one.",
        fix: "Return -32004 (UnsupportedOperationError) for GetExtendedAgentCard, or declare \
              capabilities.extendedAgentCard.",
        judge: |t| {
            t.facts.undeclared("an extended card", |card| card.extended_card)?;
            t.refused_as("extended", "GetExtendedAgentCard without the capability", &[ErrorName::UnsupportedOperation])
        },
        ..Check::tripped_by(&["undeclared-extended"])
    },
];

const WITHOUT_CAPABILITY: &str = "a push notification operation without the capability";

async fn drive(d: &Driver) {
    if d.facts().undeclared("push notifications", |card| card.push_notifications).is_ok() {
        // With a real task only the missing capability can be the reason (T-ERR-6).
        let known = d.earlier("send").and_then(|transcript| finished(transcript).ok()?.id.clone());
        let task_id = known.unwrap_or_else(|| d.fresh_id());
        for (step, operation) in [("create", Operation::CreatePushConfig), ("list", Operation::ListPushConfigs)] {
            let params = d.push_params(operation, &task_id, Some("probe"), "https://example.com/webhook");
            d.call(step, d.operation(operation, params)).await;
        }
    }
    let is_missing = d.facts().undeclared("an extended card", |card| card.extended_card).is_ok();
    if is_missing && d.has_check("extended.unsupported") {
        d.call("extended", d.operation(Operation::GetExtendedCard, serde_json::json!({}))).await;
    }
}

fn push(t: &Transcript) -> Judged {
    t.facts.undeclared("push notifications", |card| card.push_notifications)?;
    let real = finished(t.earlier("send")?).is_ok();
    // T-ERR-6: without a real task "not found" may come first.
    let wanted = [ErrorName::PushNotificationNotSupported, ErrorName::TaskNotFound];
    let wanted = wanted.get(..if real { 1 } else { 2 }).unwrap_or_default();
    first_finding(["create", "list"].map(|name| t.refused_as(name, WITHOUT_CAPABILITY, wanted)))
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
    t.refused_as("create", WITHOUT_CAPABILITY, wanted.get(..if real { 3 } else { 4 }).unwrap_or_default())
}
