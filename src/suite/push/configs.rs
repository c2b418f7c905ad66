//! Push notification configs of a living task: created, read, listed, deleted, unknown or without a URL, and webhooks in private
//! networks. Whether notifications arrive is another matter, for which somebody has to listen.

use std::rc::Rc;

use futures_util::future::join;
use serde_json::json;

use super::applicability::{declared, living_task};
use super::webhooks::call;
use crate::a2a::binding::ReplyKind;
use crate::a2a::dialect::write::Outgoing;
use crate::a2a::model::{ErrorName, Operation, Payload, PushConfig};
use crate::a2a::rule::Rule;
use crate::engine::drive::StepFuture;
use crate::engine::prelude::{Behaviour, Check, Driver, Judged, Scenario, Step, Transcript, Verdict, task_of};
use crate::suite::list_tasks::breaks_down;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "push-configs",
    title: "Create, read and delete push notification configs",
    messages: 1,
    rounds: 11,
    after: &["probe", "examples"],
    judged_after: &["params"],
    needs: declared,
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    Check {
        id: "push.create",
        title: "Create returns the config",
        why: "Without the config in the response, a client does not know whether it will be notified.",
        fix: "Store the config and return it with its url and taskId.",
        judge: create,
        ..Check::tripped_by(&["push-create-empty"])
    },
    Check {
        id: "push.create-id",
        title: "A config without an id gets one",
        why: "A config without an id can be neither read nor deleted.",
        fix: "Generate an id when the client sends none.",
        judge: create_id,
        ..Check::tripped_by(&["push-no-id"])
    },
    Check {
        id: "push.get",
        title: "Get returns the stored config",
        why: "Clients look up the configs they have created.",
        fix: "Return the stored config by taskId and id.",
        judge: get,
        ..Check::tripped_by(&["push-get-wrong-url"])
    },
    Check {
        id: "push.list",
        title: "List returns every config of the task",
        why: "Two listeners mean two configs; one must not replace the other.",
        fix: "Keep several configs per task, distinguished by id.",
        judge: list,
        ..Check::tripped_by(&["push-keeps-last-only"])
    },
    Check {
        id: "push.list-shape",
        title: "The list is an object with configs",
        why: "A bare array has no room for the token of the next page.",
        fix: "Return {\"configs\": [...]}; the member may be omitted when there are none.",
        requirements: &["push.list-shape", "push.list-pagination"],
        judge: |t| Ok(t.rule(Rule::PushList, || unseen(t, "list", "no list was returned"))),
        ..Check::tripped_by(&["push-list-array"])
    },
    Check {
        id: "push.config-members",
        title: "Configs have id, taskId and url",
        why: "A client needs these to know which task a config reports on and where.",
        fix: "Include id, taskId and url in every config.",
        requirements: &["push.create"],
        judge: |t| {
            // A config without a url is returned without one. That it was accepted is the finding of another check.
            let is_whole = |step: &Step| step.name != NO_URL;
            Ok(t.rule_in(Rule::PushConfig, is_whole, || unseen(t, "create", "no config was returned")))
        },
        ..Check::tripped_by(&["push-config-no-task"])
    },
    Check {
        id: "push.names-task",
        title: "Configs name the task that they were created for",
        why: "A client takes a config for the task that it names.",
        fix: "Return the taskId of the request with every config that is created, read or listed.",
        requirements: &["push.create"],
        judge: names_task,
        ..Check::tripped_by(&["push-config-other-task"])
    },
    Check {
        id: "push.persists",
        title: "A config stays until it is deleted",
        why: "Other calls must not make an agent forget whom to notify.",
        fix: "Keep a config until its task is done or the config is deleted.",
        judge: persists,
        ..Check::tripped_by(&["push-deletes-all"])
    },
    Check {
        id: "push.delete",
        title: "A deleted config is gone",
        why: "A client that deletes a config no longer wants notifications.",
        fix: "Remove the config permanently.",
        judge: delete,
        ..Check::tripped_by(&["push-delete-keeps"])
    },
    Check {
        id: "push.delete-idempotent",
        title: "Deleting a config twice succeeds",
        why: "A client that missed the first response deletes again.",
        fix: "Return success when the config is already gone.",
        judge: delete_twice,
        ..Check::tripped_by(&["push-delete-once"])
    },
    Check {
        id: "push.delete-result",
        title: "Delete returns an empty response",
        why: "A deletion has no result to return.",
        fix: "Return {} or null, 204 over HTTP, and google.protobuf.Empty over gRPC.",
        requirements: &["push.delete-result", "grpc.delete-empty"],
        judge: |t| Ok(t.rule(Rule::PushDeleted, || unseen(t, "delete", "no response to a deletion was seen"))),
        ..Check::tripped_by(&["push-delete-answers-config", "grpc-delete-answers"])
    },
    Check {
        id: "send.push-config-inline",
        title: "A config in the message is registered",
        why: "A client may ask for notifications in the message that starts the task.",
        fix: "Register configuration.taskPushNotificationConfig for the task that the message creates.",
        judge: inline,
        ..Check::tripped_by(&["push-inline-ignored"])
    },
    Check {
        id: "push.create-unknown-task",
        title: "Create for an unknown task is refused",
        why: "A config for a task that does not exist would never be used.",
        fix: "Look the task up first and return TaskNotFoundError.",
        judge: |t| t.refused_as("create-stray", "a config for a task that does not exist", &[ErrorName::TaskNotFound]),
        ..Check::tripped_by(&["push-create-any-task"])
    },
    Check {
        id: "push.create-missing-url",
        title: "Create without a URL is refused",
        why: "Without a URL, no notification can be sent.",
        fix: "Require url in every config, and refuse a config without it as invalid parameters.",
        judge: missing_url,
        ..Check::tripped_by(&["push-no-url-accepted"])
    },
    Check {
        id: "push.get-not-found",
        title: "Get of an unknown config is refused",
        why: "A success would show a config that does not exist.",
        fix: "Return TaskNotFoundError for configs that do not exist.",
        judge: |t| alive(t).and_then(|()| t.refused_somehow("get-stray", "a config that does not exist")),
        ..Check::tripped_by(&["push-get-any"])
    },
    Check {
        id: "push.get-not-found-code",
        title: "Get of an unknown config returns TaskNotFoundError",
        why: "Clients tell by the code whether the config is gone or something failed.",
        fix: "Return -32001 (TaskNotFoundError) for configs that do not exist.",
        requirements: &["push.get-not-found"],
        judge: |t| {
            alive(t)?;
            t.refused_with_code("get-stray", "a config that does not exist", &[ErrorName::TaskNotFound])
        },
        ..Check::tripped_by(&["push-get-internal"])
    },
    Check {
        id: "push.list-unknown-task",
        title: "List for an unknown task is refused",
        why: "An empty list suggests that the task exists and nobody is notified.",
        fix: "Look the task up first and return TaskNotFoundError.",
        judge: |t| t.refused_as("list-stray", "the configs of a task that does not exist", &[ErrorName::TaskNotFound]),
        ..Check::tripped_by(&["push-list-any-task"])
    },
    Check {
        id: "push.delete-unknown-task",
        title: "Delete for an unknown task is refused",
        why: "A success for a task that does not exist hides a mistake.",
        fix: "Look the task up first and return TaskNotFoundError.",
        judge: |t| {
            t.refused_as("delete-stray", "deleting a config of a task that does not exist", &[ErrorName::TaskNotFound])
        },
        ..Check::tripped_by(&["push-delete-any-task"])
    },
    Check {
        id: "push.ssrf",
        title: "Webhooks into private networks are refused",
        why: "An agent that calls any address for anyone exposes its own network to strangers.",
        fix: "Refuse webhook URLs with private, loopback or link-local addresses.",
        judge: private_webhook,
        ..Check::tripped_by(&["push-any-webhook"])
    },
];

/// Where notifications would go: a name that is reserved for examples (RFC 2606).
const HOOK: &str = "https://example.com/a2a-conformance/hook";

/// The step that makes a config without a url.
const NO_URL: &str = "create-no-url";

async fn drive(d: &Driver) {
    // A task of its own for each, lest an agent that takes the first has something to list and to delete.
    let strays = d.together([
        make(d, "create-stray", &d.fresh_id(), Some("stray"), Some(HOOK)),
        call(d, "list-stray", Operation::ListPushConfigs, &d.fresh_id(), None),
        call(d, "delete-stray", Operation::DeletePushConfig, &d.fresh_id(), Some("stray")),
    ]);
    join(strays, configs_of_a_task(d)).await;
}

/// Makes configs for a task, reads and deletes them. Calls that change them go one after another; reads go side by side.
async fn configs_of_a_task(d: &Driver) {
    let Some((behaviour, message)) = living_task(d) else { return };
    let config = json!({ "id": "inline", "url": HOOK });
    let at_once = (behaviour != Behaviour::InputRequired).then_some(true);
    let sent = d.send("send", &Outgoing { push_config: Some(config), return_immediately: at_once, ..message }).await;
    let Some(id) = task_of(&sent.reply).and_then(|task| task.id.clone()) else { return };
    call(d, "list-inline", Operation::ListPushConfigs, &id, None).await;
    make(d, "create-private", &id, Some("private"), Some("http://169.254.169.254/latest")).await;
    make(d, "create", &id, Some("first"), Some(HOOK)).await;
    let unnamed = make(d, "create-unnamed", &id, None, Some("https://example.com/a2a-conformance/other")).await;
    let mut readings = vec![call(d, "get", Operation::GetPushConfig, &id, Some("first"))];
    let made = match &unnamed.reply.kind {
        ReplyKind::Result(Payload::PushConfig(config)) => config.id.clone(),
        _ => None,
    };
    if let Some(name) = made.filter(|name| !name.is_empty()) {
        readings.push(call(d, "get-unnamed", Operation::GetPushConfig, &id, Some(&name)));
    }
    readings.push(call(d, "get-stray", Operation::GetPushConfig, &id, Some(&d.fresh_id())));
    readings.push(d.get("look", &id, None));
    readings.push(call(d, "list", Operation::ListPushConfigs, &id, None));
    d.together(readings).await;
    call(d, "delete", Operation::DeletePushConfig, &id, Some("first")).await;
    call(d, "delete-again", Operation::DeletePushConfig, &id, Some("first")).await;
    d.together([
        call(d, "get-deleted", Operation::GetPushConfig, &id, Some("first")),
        call(d, "list-left", Operation::ListPushConfigs, &id, None),
    ])
    .await;
    // Last, lest an agent that takes it repeats it in a list.
    make(d, NO_URL, &id, Some("nowhere"), None).await;
    d.cancel("cancel", &id).await;
}

fn make<'a>(d: &'a Driver, step: &'static str, task: &str, config: Option<&str>, url: Option<&str>) -> StepFuture<'a> {
    let mut params = d.push_params(Operation::CreatePushConfig, task, config, url.unwrap_or_default());
    if let (None, Some(map)) = (url, params.as_object_mut()) {
        map.remove("url");
    }
    d.call(step, d.operation(Operation::CreatePushConfig, params))
}

/// That there was a task to make configs for, and that the agent took one.
fn alive(t: &Transcript) -> Result<(), Verdict> {
    match t.task("send")? {
        (_, task) if task.is_over() => {
            Err(Verdict::inconclusive("the task was finished before a config could be created"))
        }
        _ => Ok(()),
    }
}

/// Why nothing of a kind was seen: there was no task to ask with, or the call of that name did not succeed.
fn unseen(t: &Transcript, name: &str, why: &str) -> Verdict {
    alive(t).and_then(|()| t.succeeded(name).map(drop)).err().unwrap_or_else(|| Verdict::blocked(why))
}

fn config<'a>(t: &'a Transcript, name: &str) -> Result<(&'a Rc<Step>, &'a PushConfig), Verdict> {
    alive(t)?;
    let (step, payload) = t.succeeded(name)?;
    match payload {
        Payload::PushConfig(config) => Ok((step, config)),
        _ => Err(step.blocked(format!("{name} did not return a config"))),
    }
}

fn listed<'a>(t: &'a Transcript, name: &str) -> Result<(&'a Rc<Step>, &'a [PushConfig]), Verdict> {
    alive(t)?;
    let (step, payload) = t.succeeded(name)?;
    match payload {
        Payload::PushConfigs(configs) => Ok((step, configs)),
        _ => Err(step.blocked(format!("{name} did not return a list"))),
    }
}

fn ids(configs: &[PushConfig]) -> String {
    let ids: Vec<_> = configs.iter().map(|config| config.id.as_deref().unwrap_or("(none)")).collect();
    if ids.is_empty() { "no config".to_owned() } else { format!("the configs {}", ids.join(", ")) }
}

fn holds(configs: &[PushConfig], id: &str) -> bool {
    configs.iter().any(|config| config.id.as_deref() == Some(id))
}

fn create(t: &Transcript) -> Judged {
    alive(t)?;
    let step = t.answered("create")?;
    if let ReplyKind::Error(error) = &step.reply.kind {
        // T-PUSH-5: an agent may have rules for webhooks that ours does not meet.
        if error.is(ErrorName::InvalidParams) {
            let why = format!("the agent does not accept the webhook {HOOK}: {}", error.describe());
            return Err(step.inconclusive(why));
        }
        return step.claim(false, "the stored config", error.describe(), error.at.as_str());
    }
    let (_, config) = config(t, "create")?;
    let url = config.url.clone().unwrap_or_else(|| "none".to_owned());
    step.claim(config.url.as_deref() == Some(HOOK), &format!("the url {HOOK}"), url, config.at.key("url").as_str())
}

fn create_id(t: &Transcript) -> Judged {
    let (step, config) = config(t, "create-unnamed")?;
    let Some(id) = config.id.as_deref().filter(|id| !id.is_empty()) else {
        return step.claim(false, "an id generated by the agent", "none", config.at.key("id").as_str());
    };
    let read = t.answered("get-unnamed")?;
    let found = matches!(read.reply.kind, ReplyKind::Result(_));
    let expected = format!("the config {id}, by the id that create returned");
    let claimed = read.claim(found, &expected, read.reply.kind.describe(), "")?;
    if found && t.task("send")?.1.id.as_deref() == Some(id) {
        let actual = "the id of the task: a second config without an id takes the place of the first";
        return Ok(step.fail("an id of its own", actual).at(config.at.key("id").as_str()).as_note());
    }
    Ok(claimed)
}

fn get(t: &Transcript) -> Judged {
    config(t, "create")?;
    let step = t.answered("get")?;
    let ReplyKind::Result(Payload::PushConfig(config)) = &step.reply.kind else {
        return step.claim(false, "the stored config", step.reply.kind.describe(), "");
    };
    // T-PUSH-3: what is secret may come back masked.
    let actual =
        format!("{} at {}", config.id.as_deref().unwrap_or("no id"), config.url.as_deref().unwrap_or("no url"));
    let same = config.url.as_deref() == Some(HOOK) && config.id.as_deref() == Some("first");
    step.claim(same, &format!("first at {HOOK}"), actual, config.at.as_str())
}

fn names_task(t: &Transcript) -> Judged {
    let (_, task) = t.task("send")?;
    let Some(wanted) = &task.id else { return Err(Verdict::blocked("the task has no id")) };
    let single = ["create", "create-unnamed", "get"].into_iter().filter_map(|name| config(t, name).ok());
    let lists = ["list", "list-left"].into_iter().filter_map(|name| listed(t, name).ok());
    let all = single.chain(lists.flat_map(|(step, configs)| configs.iter().map(move |config| (step, config))));
    let mut last = None;
    // Another check reports a config that names no task.
    for (step, config, named) in all.filter_map(|(step, config)| Some((step, config, config.task_id.as_ref()?))) {
        last = Some(step);
        if named != wanted {
            return Ok(step.fail(format!("taskId {wanted}"), named.as_str()).at(config.at.key("taskId").as_str()));
        }
    }
    match last {
        Some(step) => Ok(step.pass()),
        None => Err(config(t, "create").err().unwrap_or_else(|| Verdict::blocked("no config names a task"))),
    }
}

fn list(t: &Transcript) -> Judged {
    let (_, first) = config(t, "create")?;
    let (_, unnamed) = config(t, "create-unnamed")?;
    let (step, configs) = listed(t, "list")?;
    let wanted: Vec<&str> = [&first.id, &unnamed.id].into_iter().filter_map(|id| id.as_deref()).collect();
    let all = wanted.iter().all(|id| holds(configs, id));
    step.claim(all, &format!("the configs {}", wanted.join(" and ")), ids(configs), "")
}

fn persists(t: &Transcript) -> Judged {
    let (_, unnamed) = config(t, "create-unnamed")?;
    let Some(id) = unnamed.id.as_deref() else { return Err(Verdict::blocked("the config has no id")) };
    if !holds(listed(t, "list")?.1, id) {
        return Err(Verdict::blocked("the config was not listed in the first place"));
    }
    let (step, configs) = listed(t, "list-left")?;
    step.claim(holds(configs, id), &format!("the config {id}, which was not deleted"), ids(configs), "")
}

fn delete(t: &Transcript) -> Judged {
    config(t, "create")?;
    let step = t.answered("delete")?;
    if let ReplyKind::Error(error) = &step.reply.kind {
        return step.claim(false, "the config to be deleted", error.describe(), error.at.as_str());
    }
    let (left, configs) = listed(t, "list-left")?;
    if holds(configs, "first") {
        return left.claim(false, "a list without the deleted config", ids(configs), "");
    }
    if t.refused("get-stray").is_err() {
        // An agent that answers any id does not know this one.
        return Ok(left.pass());
    }
    t.refused_somehow("get-deleted", "a config that was deleted")
}

fn delete_twice(t: &Transcript) -> Judged {
    config(t, "create")?;
    t.succeeded("delete")?;
    let step = t.answered("delete-again")?;
    step.claim(matches!(step.reply.kind, ReplyKind::Result(_)), "a success", step.reply.kind.describe(), "")
}

fn inline(t: &Transcript) -> Judged {
    let (step, configs) = listed(t, "list-inline")?;
    let there = configs.iter().any(|config| config.url.as_deref() == Some(HOOK));
    step.claim(there, &format!("a config for {HOOK}, as requested in the message"), ids(configs), "")
}

/// An internal error shows that the agent broke at the config, and not what it lacks. An agent that breaks at every invalid
/// parameter, or at every config, has one finding, and that of another check.
fn missing_url(t: &Transcript) -> Judged {
    alive(t)?;
    let step = t.answered(NO_URL)?;
    let breaks = |step: &Step| matches!(&step.reply.kind, ReplyKind::Error(error) if breaks_down(error));
    let breaks_at_all = || t.earlier("params").is_ok_and(|params| params.steps.iter().any(|step| breaks(step)));
    if breaks(step) && t.succeeded("create").is_ok() && !breaks_at_all() {
        return step.claim(false, "an error about the missing url", step.reply.kind.describe(), "");
    }
    t.refused_somehow(NO_URL, "a config without a url")
}

fn private_webhook(t: &Transcript) -> Judged {
    config(t, "create")?;
    let host = t.lane.as_ref().and_then(|lane| crate::wire::url::Url::parse(&lane.interface.url).ok());
    if host.is_some_and(|url| url.is_local()) {
        return Err(Verdict::not_applicable("the agent itself is in a private network"));
    }
    t.refused_somehow("create-private", "a webhook at 169.254.169.254")
}
