//! Push notification configs before 1.0, nested ones: set, read, sent with a message, and from 0.2.5 on listed and deleted.

use std::rc::Rc;

use serde_json::json;

use super::applicability::{declared, living_task};
use super::webhooks::call;
use crate::a2a::binding::ReplyKind;
use crate::a2a::binding::rest::REST;
use crate::a2a::dialect::write::Outgoing;
use crate::a2a::model::{ErrorName, Operation, Payload};
use crate::a2a::rule::Rule;
use crate::engine::prelude::{Check, Driver, Judged, Scenario, Step, Transcript, Verdict, count_of, task_of};
use crate::suite::noted_failure::broken;

/// Where notifications would go; nobody listens there.
const HOOK: &str = "https://example.com/a2a-conformance/older";

/// The same for a config that comes with the message.
const INLINE: &str = "https://example.com/a2a-conformance/inline";
const WITH_MESSAGE: &str = "push.with-message";

pub(super) static SCENARIO: Scenario = Scenario {
    id: "push-older",
    title: "Set, read, list and delete a nested push config",
    messages: 1,
    rounds: 6,
    after: &["send"],
    needs: declared,
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    Check {
        id: "push.set",
        title: "Set returns the nested config",
        why: "The returned config shows a client where its notifications will go.",
        fix: "Return {\"taskId\", \"pushNotificationConfig\": {\"url\"}}; in 0.1 {\"id\", \"pushNotificationConfig\"}.",
        requirements: &["push.v03.set", "push.v03.rest-configs", "push.v01.set-get"],
        judge: |t| holds(t, "set"),
        ..Check::tripped_by(&["push-set-flat", "push-config-other-task"])
    },
    Check {
        id: "push.read",
        title: "Get returns the nested config",
        why: "A config that was set must be readable.",
        fix: "Return the stored config, nested as in the response to set.",
        requirements: &["push.v03.get", "push.v03.rest-configs", "push.v01.set-get"],
        judge: |t| holds(t, "get"),
        ..Check::tripped_by(&["push-get-lost", "push-config-other-task"])
    },
    Check {
        id: "push.listed",
        title: "List returns an array",
        why: "Clients iterate over the list.",
        fix: "Return an array of configs (over HTTP also {\"configs\": [...]}).",
        requirements: &["push.v03.list", "push.v03.rest-configs"],
        judge: listed,
        ..Check::tripped_by(&["push-list-wrapped"])
    },
    Check {
        id: WITH_MESSAGE,
        title: "A config in the message is set",
        why: "A client may ask for notifications in the message that starts the task.",
        fix: "Set configuration.pushNotificationConfig for the task that the message creates.",
        requirements: &["push.v03.with-message"],
        judge: with_message,
        ..Check::tripped_by(&["push-inline-ignored"])
    },
    Check {
        id: "push.deleted",
        title: "Delete returns null",
        why: "If the config stays, its webhook keeps being called.",
        fix: "Remove the config and return null.",
        requirements: &["push.v03.delete"],
        judge: deleted,
        ..Check::tripped_by(&["push-delete-answers-config"])
    },
];

async fn drive(d: &Driver) {
    let Some((_, message)) = living_task(d) else { return };
    let inline = json!({ "url": INLINE });
    let sent = d.send("send", &Outgoing { return_immediately: Some(true), push_config: Some(inline), ..message }).await;
    let Some(id) = task_of(&sent.reply).and_then(|task| task.id.clone()) else { return };
    if d.has_check(WITH_MESSAGE) {
        call(d, "list-inline", Operation::ListPushConfigs, &id, None).await;
    }
    let create = d.push_params(Operation::CreatePushConfig, &id, Some("first"), HOOK);
    let set = d.call("set", d.operation(Operation::CreatePushConfig, create)).await;
    let name = match &set.reply.kind {
        ReplyKind::Result(Payload::PushConfig(config)) => config.id.clone(),
        _ => None,
    };
    // A config that is stored without an id of its own has the task's (0.2 before ids).
    let name = name.unwrap_or_else(|| id.clone());
    d.together([
        call(d, "get", Operation::GetPushConfig, &id, Some(&name)),
        call(d, "list", Operation::ListPushConfigs, &id, None),
    ])
    .await;
    call(d, "delete", Operation::DeletePushConfig, &id, Some(&name)).await;
    d.cancel("cancel", &id).await;
}

/// Whether a method that the agent lacks on this interface is what the comparison of its interfaces says.
fn says_comparison(t: &Transcript, step: &Step) -> Result<(), Verdict> {
    let lacks = matches!(&step.reply.kind, ReplyKind::Error(error) if error.is_no_route(&[405, 501]));
    let is_rest = t.lane.as_ref().is_some_and(|lane| lane.binding.id == REST.id);
    if lacks && is_rest && t.facts.declares(|card| card.interfaces.len() > 1) {
        return Err(Verdict::blocked("the interface lacks the operation: see interop.same-operations"));
    }
    Ok(())
}

/// A config as it was set, answered in the form of the version.
fn holds(t: &Transcript, name: &str) -> Judged {
    let (_, task) = t.task("send")?;
    if name == "get" {
        t.succeeded("set")?;
    }
    let step = t.answered(name)?;
    says_comparison(t, step)?;
    if let Some(place) = step.reply.notes.broken(Rule::PushConfig) {
        return Ok(broken(step, place));
    }
    match &step.reply.kind {
        ReplyKind::Result(Payload::PushConfig(config)) => {
            if let (Some(wanted), Some(named)) = (&task.id, &config.task_id)
                && wanted != named
            {
                let expected = format!("the config of the task {wanted}");
                return step.claim(false, &expected, format!("that of the task {named}"), config.at.as_str());
            }
            let actual = config.url.clone().unwrap_or_else(|| "none".to_owned());
            // Which of several configs a get returns is open in versions whose configs have no ids.
            let is_one = actual == HOOK || (name == "get" && actual == INLINE);
            step.claim(is_one, &format!("the url {HOOK}"), actual, config.at.as_str())
        }
        other => step.claim(false, "the config", other.describe(), ""),
    }
}

/// Both methods came with 0.2.5, and an agent of an earlier patch does not know them. In what words it says so is open:
/// the SDKs of those days take an unknown method for an invalid request.
fn known<'a>(t: &'a Transcript, name: &str) -> Result<&'a Rc<Step>, Verdict> {
    t.succeeded("set")?;
    let step = t.answered(name)?;
    let declares = t.facts.declares(|card| card.raw.get("protocolVersion").is_some());
    let is_error = |name| step.reply.kind.is_error(name);
    if !declares && (is_error(ErrorName::MethodNotFound) || is_error(ErrorName::InvalidRequest)) {
        return Err(Verdict::not_applicable("the agent is of a version before 0.2.5, which has no such method"));
    }
    Ok(step)
}

fn listed(t: &Transcript) -> Judged {
    let step = known(t, "list")?;
    says_comparison(t, step)?;
    for rule in [Rule::PushList, Rule::PushConfig] {
        if let Some(place) = step.reply.notes.broken(rule) {
            return Ok(broken(step, place));
        }
    }
    match &step.reply.kind {
        ReplyKind::Result(Payload::PushConfigs(configs)) => {
            let there = configs.iter().any(|config| config.url.as_deref() == Some(HOOK));
            step.claim(there, "the config that was set", count_of(configs.len(), "other config"), "")
        }
        other => step.claim(false, "an array of configs", other.describe(), ""),
    }
}

/// Only a list shows it: without an id a get may return any config, and a second one may have taken its place.
fn with_message(t: &Transcript) -> Judged {
    if t.task("send")?.1.is_over() {
        return Err(Verdict::inconclusive("the task was finished at once"));
    }
    if t.succeeded("set").is_ok() && listed(t)?.expected.is_some() {
        return Err(Verdict::blocked("the list lacks a config that was set too: see push.listed"));
    }
    let (step, payload) = t.succeeded("list-inline")?;
    let Payload::PushConfigs(configs) = payload else {
        return Err(step.blocked("the list of configs cannot be read"));
    };
    let there = configs.iter().any(|config| config.url.as_deref() == Some(INLINE));
    let expected = format!("a config for {INLINE}, as requested in the message");
    step.claim(there, &expected, count_of(configs.len(), "config"), "")
}

fn deleted(t: &Transcript) -> Judged {
    let step = known(t, "delete")?;
    if let Some(place) = step.reply.notes.broken(Rule::PushDeleted) {
        return Ok(broken(step, place));
    }
    step.claim(matches!(step.reply.kind, ReplyKind::Result(_)), "null", step.reply.kind.describe(), "")
}
