//! Lists without filters and by context: whether they work, their required members and page token, and whether artifacts are left
//! out.

use super::every_list::none;
use super::filtered_lists::breaks_down;
use crate::a2a::binding::{Call, ReplyKind};
use crate::a2a::dialect::write::ListQuery;
use crate::a2a::model::{ErrorName, Operation};
use crate::a2a::rule::Rule;
use crate::engine::prelude::{Check, Driver, Judged, Scenario, Transcript, Verdict, count_of};
use crate::suite::messaging::finished;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "list",
    title: "List tasks",
    after: &["send"],
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    Check {
        id: "list.answers",
        title: "ListTasks is available",
        why: "Listing has no capability flag, so every 1.0 client may rely on it.",
        fix: "Return a list of tasks from ListTasks, and no error; an agent that keeps no tasks returns an empty list.",
        requirements: &["interop.core-operations"],
        judge: answers,
        ..Check::tripped_by(&["list-missing", "list-internal"])
    },
    Check {
        id: "jsonrpc.params-omitted",
        title: "ListTasks works without params",
        why: "No member of the request is required, so clients may leave params out.",
        fix: "Treat missing params as an empty object.",
        judge: params_omitted,
        ..Check::tripped_by(&["list-params-required"])
    },
    Check {
        id: "list.response-fields",
        title: "A list has its four required members",
        why: "Clients page by these, and a missing member is not the same as zero.",
        fix: "Include tasks, nextPageToken, pageSize and totalSize even when they are empty or zero (ProtoJSON omits \
              them by default).",
        judge: |t| rule(t, Rule::ListMembers),
        ..Check::tripped_by(&["list-no-total"])
    },
    Check {
        id: "list.next-page-token",
        title: "nextPageToken is always present",
        why: "An absent token and an empty one mean different things to a client that pages.",
        fix: "Always return nextPageToken; on the last page, return \"\".",
        judge: |t| rule(t, Rule::ListToken),
        ..Check::tripped_by(&["list-no-token"])
    },
    Check {
        id: "list.includes-created",
        title: "A created task is listed",
        why: "A client that did not note a task's id can find the task only in the list.",
        fix: "List every task the caller may see, including finished ones.",
        judge: includes,
        ..Check::tripped_by(&["list-empty"])
    },
    Check {
        id: "list.filter-context",
        title: "contextId filters the list",
        why: "A client that asks for one conversation must not get tasks of others.",
        fix: "When contextId is given, list only tasks with that contextId.",
        requirements: &["list.filter-context", "rest.query-camel-case"],
        judge: filters,
        ..Check::tripped_by(&["list-ignores-context", "list-context-internal"])
    },
    Check {
        id: "list.artifacts-omitted",
        title: "Artifacts are left out by default",
        why: "Artifacts can be large, and the client did not ask for them.",
        fix: "Omit the artifacts member, even an empty one, unless includeArtifacts is true.",
        judge: no_artifacts,
        ..Check::tripped_by(&["list-with-artifacts"])
    },
];

async fn drive(d: &Driver) {
    let mut calls = vec![d.call("page", d.list_tasks(&ListQuery { page_size: Some(1), ..ListQuery::default() }))];
    // Without params there is no place for the tenant that a request must name.
    if d.tenant().is_none() {
        let call = d.operation(Operation::ListTasks, crate::wire::json::Value::Null);
        calls.push(d.call("plain", Call { params: None, ..call }));
    }
    let context =
        d.earlier("send").and_then(|transcript| finished(transcript).ok()).and_then(|task| task.context_id.clone());
    if let Some(context_id) = context {
        let query = ListQuery { context_id: Some(context_id), ..ListQuery::default() };
        calls.push(d.call("context", d.list_tasks(&query)));
    }
    let stranger = ListQuery { context_id: Some(d.fresh_id()), ..ListQuery::default() };
    calls.push(d.call("stranger", d.list_tasks(&stranger)));
    d.together(calls).await;
}

fn answers(t: &Transcript) -> Judged {
    let step = t.answered("page")?;
    match &step.reply.kind {
        ReplyKind::Result(_) => Ok(step.pass()),
        // T-LIST-10: an agent that keeps no tasks may say so with the error that is there for it.
        ReplyKind::Error(error)
            if error.name == Some(ErrorName::UnsupportedOperation)
                || (error.name.is_none() && error.is(ErrorName::UnsupportedOperation)) =>
        {
            let why = format!(
                "the agent says that it cannot list, and no capability would tell clients so: {}",
                error.describe()
            );
            Ok(step.fail("a list", error.describe()).at(&error.at).as_note().because(why))
        }
        ReplyKind::Error(error) => {
            let finding = step.fail("a list of tasks", error.describe()).at(&error.at);
            Ok(finding.lacking(t.missing(step)))
        }
        other => Err(step.blocked(format!("the list request was answered with {}", other.describe()))),
    }
}

fn params_omitted(t: &Transcript) -> Judged {
    if t.lane.as_ref().is_some_and(|lane| lane.interface.tenant.is_some()) {
        return Err(Verdict::not_applicable("the interface has a tenant, which every request must carry"));
    }
    let step = t.answered("plain")?;
    match &step.reply.kind {
        ReplyKind::Error(error) if matches!(error.name, Some(ErrorName::InvalidParams | ErrorName::InvalidRequest)) => {
            Ok(step.fail("a list", error.describe()).at(&error.at))
        }
        ReplyKind::Result(_) => Ok(step.pass()),
        other => Err(step.blocked(format!("the list request was answered with {}", other.describe()))),
    }
}

/// Judges a rule over the lists.
fn rule(t: &Transcript, rule: Rule) -> Judged {
    // A server that wants params still lists with them.
    t.list("page").or_else(|_| t.list("plain"))?;
    Ok(t.rule(rule, || Verdict::inconclusive("no list was returned")))
}

fn includes(t: &Transcript) -> Judged {
    let task = finished(t.earlier("send")?)?;
    if task.context_id.is_none() {
        return Err(Verdict::inconclusive("the task has no contextId to filter by"));
    }
    let (step, list) = t.list("context")?;
    if list.tasks.iter().any(|listed| listed.id == task.id) {
        return Ok(step.pass());
    }
    let expected = format!("the task {}", task.id.as_deref().unwrap_or_default());
    Ok(step.fail(expected, count_of(list.tasks.len(), "other task")).at(list.at.key("tasks")))
}

fn filters(t: &Transcript) -> Judged {
    // An unknown context may be refused by name; breaking at one is not that.
    let stranger = t.answered("stranger")?;
    if let ReplyKind::Error(error) = &stranger.reply.kind
        && breaks_down(error)
    {
        let (base, _) = t.list("page")?;
        let verdict = stranger.claim(false, "a list of tasks, as without contextId", error.describe(), "")?;
        return Ok(verdict.seen_in(base.exchange.id));
    }
    let (step, none) = t.list("stranger")?;
    if let Some(task) = none.tasks.first() {
        let actual = count_of(none.tasks.len(), "task");
        return Ok(step.fail("no task for a context that does not exist", actual).at(&task.at));
    }
    Ok(step.pass())
}

fn no_artifacts(t: &Transcript) -> Judged {
    let mut seen = false;
    for name in ["context", "page", "plain"] {
        let Ok((step, list)) = t.list(name) else { continue };
        for task in &list.tasks {
            seen = true;
            if let Some(artifacts) = task.raw.get("artifacts") {
                let empty = artifacts.as_array().is_some_and(Vec::is_empty);
                let actual = if empty { "an empty artifacts array" } else { "artifacts" };
                return Ok(step.fail("no artifacts member", actual).at(task.at.key("artifacts")));
            }
        }
    }
    if seen { Ok(Verdict::pass()) } else { Err(none(t, "no task was listed")) }
}
