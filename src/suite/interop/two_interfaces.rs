//! Two interfaces of one agent compared: whether they share tasks, members, history, operations and errors.

use std::rc::Rc;

use super::readings::{compared, read_again, same_history};
use crate::a2a::binding::ReplyKind;
use crate::a2a::model::{ErrorName, Operation};
use crate::engine::prelude::{Check, Driver, Judged, Scenario, Scope, Step, Transcript, Verdict};
use crate::suite::messaging::finished;
use crate::suite::task_differences::{ABOUT, CONTENT};

pub(super) static SCENARIO: Scenario = Scenario {
    id: "pair",
    title: "Compare two interfaces of the agent",
    scope: Scope::Pair,
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    Check {
        id: "interop.shared-tasks",
        title: "A task created on one interface exists on the other",
        why: "A client that switches to another binding expects its tasks to be there.",
        fix: "Use one task store for every binding.",
        judge: shared,
        ..Check::tripped_by(&["bindings-own-stores"])
    },
    Check {
        id: "interop.equivalent-results",
        title: "Both interfaces show the same task",
        why: "If two views of one task differ, nobody knows which is right.",
        fix: "Build the responses of every binding from the same objects.",
        judge: |t| compared(t, CONTENT),
        ..Check::tripped_by(&["rest-drops-artifacts", "rest-drops-rejected"])
    },
    Check {
        id: "interop.same-members",
        title: "Both interfaces show all that is known of a task",
        why: "A client that reads by another binding misses names, media types, times, metadata or extensions.",
        fix: "Convert every member of tasks, artifacts, messages and parts for every binding, at every depth.",
        requirements: &["interop.equivalent-results"],
        judge: |t| compared(t, ABOUT),
        ..Check::tripped_by(&["rest-drops-names", "rest-drops-file-names", "rest-drops-part-members"])
    },
    Check {
        id: "interop.same-history",
        title: "Both interfaces show a task's history, or neither",
        why: "The conversation is gone for a client that comes back by another binding.",
        fix: "Treat a missing historyLength the same in every binding, and store a message whole, whichever binding brought it.",
        judge: same_history,
        ..Check::tripped_by(&["rest-without-history", "rest-loses-extensions"])
    },
    Check {
        id: "interop.same-operations",
        title: "Both interfaces have the same operations",
        why: "Clients of one binding cannot use an operation that only the other has.",
        fix: "Register every operation on every binding.",
        judge: operations,
        ..Check::tripped_by(&["rest-without-list", "rest-without-push-list"])
    },
    Check {
        id: "interop.same-errors",
        title: "Both interfaces report the same errors",
        why: "Clients react to errors by name, whichever the binding.",
        fix: "Map the agent's errors in one place, following the table in 1.0 §5.4.",
        judge: errors,
        ..Check::tripped_by(&["rest-other-errors"])
    },
];

/// The task of the message that carries all that a message may.
fn told(context: Option<&Rc<Transcript>>) -> Option<String> {
    context?.task("second").ok()?.1.id.clone()
}

async fn drive(d: &Driver) {
    let id = |transcript: Option<&Rc<Transcript>>| {
        transcript.and_then(|transcript| finished(transcript).ok()).and_then(|task| task.id.clone())
    };
    let get = |id: &str| d.about_task(Operation::GetTask, id);
    // No call depends on another, so that all of them take an agent no longer than one, where there is room for them.
    let mut calls = Vec::new();
    if let Some(theirs) = id(d.peer().and_then(|peer| Transcript::find(&peer.transcripts, "send"))) {
        calls.push(d.call("theirs-here", get(&theirs)));
        calls.push(d.call_on_peer("theirs-there", get(&theirs)));
        calls.extend(read_again(d, &theirs));
        // Other scenarios try these on every interface of 1.0.
        if d.facts().declares(|card| card.push_notifications) && d.earlier("push-configs").is_none() {
            let config = d.fresh_id();
            for (here, on_peer, operation, _) in PAIRS {
                let call = || d.about_push_configs(operation, &theirs, Some(&config));
                calls.push(d.call(here, call()));
                calls.push(d.call_on_peer(on_peer, call()));
            }
        }
    }
    // Of the tasks of this interface, the one whose message carries most.
    if let Some(ours) = told(d.earlier("context")).or_else(|| id(d.earlier("send"))) {
        calls.push(d.call_on_peer("ours-there", get(&ours)));
    }
    d.together(calls).await;
}

/// Judges that a task made on one lane was found on the other.
fn found(t: &Transcript, name: &str, what: &str) -> Judged {
    let step = t.answered(name)?;
    match &step.reply.kind {
        ReplyKind::Error(error) if error.is(ErrorName::TaskNotFound) => {
            step.claim(false, &format!("the task, which was created {what}"), error.describe(), &error.at)
        }
        _ => t.task(name).map(|(step, _)| step.pass()),
    }
}

fn shared(t: &Transcript) -> Judged {
    finished(t.on_peer("send")?)?;
    // An agent that does not keep finished tasks at all shows so on the lane that made them.
    t.task("theirs-there").map_err(|_| Verdict::inconclusive("the agent does not keep finished tasks"))?;
    let verdict = found(t, "theirs-here", "on the other interface")?;
    if verdict.expected.is_some() || t.every("ours-there").next().is_none() {
        return Ok(verdict);
    }
    found(t, "ours-there", "on this interface")
}

/// Where each operation was first called, what it is called, and whether the call named a task, which may be missing.
const CALLS: [(&str, &str, &str, bool); 6] = [
    ("probe", "get", "GetTask", true),
    ("list", "page", "ListTasks", false),
    ("params", "cancel-unknown", "CancelTask", true),
    ("stream", "stream", "SendStreamingMessage", false),
    ("push-configs", "create-stray", "the push notification configs", true),
    ("extended-card", "own", "GetExtendedAgentCard", false),
];

/// The same for operations that are called here on both, on a task that is there; the deletion is one of an unknown config.
const PAIRS: [(&str, &str, Operation, &str); 2] = [
    ("list-here", "list-there", Operation::ListPushConfigs, "the list of push notification configs"),
    ("delete-here", "delete-there", Operation::DeletePushConfig, "the deletion of a push notification config"),
];

/// Whether an operation is there: anything but "no such method" and a page of the web framework. `None` when it was not
/// called, or nothing came.
fn has(step: &Step, names_a_task: bool) -> Option<bool> {
    match &step.reply.kind {
        // A web framework's refusal may have the form of an error of the protocol.
        ReplyKind::Error(error) if error.is_no_route(&[404, 405, 501]) => {
            (error.status == 405 || !names_a_task).then_some(false)
        }
        ReplyKind::NoAnswer(_) | ReplyKind::Unavailable(_) | ReplyKind::NotExpressible(_) => None,
        ReplyKind::Error(error) => Some(error.name != Some(ErrorName::MethodNotFound)),
        // A task that does not exist may be a 404 in the form of the web framework.
        ReplyKind::Unreadable(_) if names_a_task && step.exchange.status() == Some(404) => None,
        ReplyKind::Unreadable(_) => Some(!matches!(step.exchange.status(), Some(404 | 405 | 501))),
        ReplyKind::Result(_) | ReplyKind::Stream(_) => Some(true),
    }
}

fn operations(t: &Transcript) -> Judged {
    let elsewhere = CALLS.iter().filter_map(|(scenario, name, operation, names_a_task)| {
        let (here, on_peer) = (t.earlier(scenario).ok()?, t.on_peer(scenario).ok()?);
        Some((here.step(name).ok()?, on_peer.step(name).ok()?, *operation, *names_a_task))
    });
    let task_is_there = t.task("theirs-here").is_ok() && t.task("theirs-there").is_ok();
    let paired = PAIRS.iter().filter(|_| task_is_there).filter_map(|(here, on_peer, operation, name)| {
        Some((t.step(here).ok()?, t.step(on_peer).ok()?, *name, *operation == Operation::DeletePushConfig))
    });
    let mut compared = None;
    for (here, on_peer, operation, names_a_task) in elsewhere.chain(paired) {
        let (Some(ours), Some(theirs)) = (has(here, names_a_task), has(on_peer, names_a_task)) else { continue };
        if ours != theirs {
            let lacking = if ours { on_peer } else { here };
            let expected = format!("{operation}, which the other interface has");
            return lacking.claim(false, &expected, lacking.reply.kind.describe(), "");
        }
        compared = Some(here);
    }
    compared.map(|step| step.pass()).ok_or_else(|| Verdict::blocked("no operation was called on both interfaces"))
}

fn errors(t: &Transcript) -> Judged {
    let mut compared = None;
    for (scenario, name) in [("probe", "get"), ("finished", "cancel"), ("finished", "message")] {
        let (Ok(here), Ok(on_peer)) = (t.earlier(scenario), t.on_peer(scenario)) else { continue };
        let (Ok((here, ours)), Ok((on_peer, theirs))) = (here.refused(name), on_peer.refused(name)) else { continue };
        let same = match (ours.name, theirs.name) {
            (Some(ours), Some(theirs)) => ours == theirs,
            // Over HTTP an error without ErrorInfo may be any that its status stands for.
            (Some(sure), None) => theirs.is(sure),
            (None, Some(sure)) => ours.is(sure),
            (None, None) => true,
        };
        if !same {
            let expected = format!("{}, as on the other interface", theirs.describe());
            return Ok(here.fail(expected, ours.describe()).at(&ours.at).seen_in(on_peer.exchange.id));
        }
        compared = Some(here);
    }
    compared.map(|step| step.pass()).ok_or_else(|| Verdict::blocked("no call was refused on both interfaces"))
}
