//! The first calls on a lane: whether it speaks its binding and version at its URL, and its methods have their names; and reading
//! an unknown task. Where it does not work, others show whether it was the operation or the interface.

use std::rc::Rc;

use serde_json::json;

use super::grpc_help::{ask_for_health, ask_for_services};
use crate::a2a::binding::jsonrpc::JSONRPC;
use crate::a2a::binding::{Call, ReplyKind, VersionSelection};
use crate::a2a::dialect::write::ListQuery;
use crate::a2a::dialect::{DIALECTS, Dialect};
use crate::a2a::model::{ErrorName, Operation, Payload};
use crate::engine::prelude::{Behaviour, Check, Driver, Judged, Scenario, Step, StreamControl, Transcript, Verdict};
use crate::engine::run::{AT_URL, ELSEWHERE, GATE, is_sign_in_page, may_refuse_access};
use crate::engine::shared_requests::SharedQuestion;
use crate::suite::discovery::looks_like_a_card;
use crate::wire::http::Request;
use crate::wire::json::Value;
use crate::wire::url::Url;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "probe",
    title: "Read a task that does not exist",
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    Check {
        id: "card.interface-accurate",
        title: "The declared interface speaks its binding",
        why: "A wrong URL in the card sends every client to a dead end.",
        fix: "Declare the URL at which the endpoint really responds; behind a proxy or a path prefix, the public one.",
        requirements: &[
            "card.interface-accurate",
            "card.v03.url-serves-preferred-transport",
            "card.v02.url-serves-jsonrpc",
            "card.v03.no-conflicting-transports",
        ],
        judge: accurate,
        ..Check::tripped_by(&["endpoint-404", "canned-empty"])
    },
    Check {
        id: "card.interface-direct",
        title: "The declared URL is where the endpoint is",
        why: "Many clients, the official Python one among them, do not follow a redirect of a POST, and nobody can call 0.0.0.0.",
        fix: "Put the final URL into the card: with the slash at its end if the framework asks for one, and with the host under \
              which clients reach the agent.",
        judge: direct,
        ..Check::tripped_by(&["endpoint-redirects", "card-listening-address"])
    },
    Check {
        id: "jsonrpc.accepts-json-post",
        title: "The endpoint accepts JSON by POST",
        why: "Every JSON-RPC client posts JSON to the interface's URL.",
        fix: "Accept POST with Content-Type: application/json at the interface's URL, with and without a charset, or correct the URL in \
              the card.",
        judge: accepts,
        ..Check::tripped_by(&["endpoint-415"])
    },
    Check {
        id: "jsonrpc.method-names",
        title: "The methods have their 1.0 names",
        why: "Clients call methods by the names of the version that the interface declares.",
        fix: "Register the 1.0 names: SendMessage, GetTask, CancelTask and so on, not message/send.",
        judge: method_names,
        ..Check::tripped_by(&["methods-of-0.3"])
    },
    Check {
        id: "version.supported",
        title: "The declared version is accepted",
        why: "A client that uses the declared version must be served.",
        fix: "Serve the version that the interface declares, and compare only the major and minor number of \
              A2A-Version.",
        requirements: &["version.supported", "version.header-case"],
        judge: version,
        ..Check::tripped_by(&["version-refused", "card-version-unknown"])
    },
    Check {
        id: "get.unknown-refused",
        title: "An unknown task id is refused",
        why: "Any other response for a task that does not exist hides real mistakes from clients.",
        fix: "Look the id up, and return TaskNotFoundError if the task does not exist.",
        requirements: &["get.not-found"],
        judge: refused,
        ..Check::tripped_by(&["get-unknown-found"])
    },
    Check {
        id: "get.not-found",
        title: "An unknown task id returns TaskNotFoundError",
        why: "Clients tell by the code whether to give up on a task or to try again.",
        fix: "Return -32001 (TaskNotFoundError) for a task that does not exist, not a general error.",
        requirements: &["get.not-found", "error.map-jsonrpc", "error.v03.codes", "error.v02.codes", "error.v01.codes"],
        judge: not_found,
        ..Check::tripped_by(&["get-unknown-internal", "error-code-outside"])
    },
];

/// The state of a task that does not exist, in the versions that have one for it.
const UNKNOWN: &str = "unknown";

async fn drive(d: &Driver) {
    let get = || d.about_task(Operation::GetTask, &d.fresh_id());
    let mut declared = None;
    if let Some(version) = d.unknown_version() {
        let version = VersionSelection::Other(version.to_owned());
        declared = Some(d.call("declared", Call { version, ..get() }).await);
    }
    let mut first = d.call("get", get()).await;
    // Everything else on the lane depends on it, and one closed connection may be an accident.
    if first.was_closed() {
        first = d.call("get", get()).await;
    }
    // The agent may not have the nearest version that we know.
    if declared.is_some_and(|declared| is_version_refused(&first) && !is_version_refused(&declared)) {
        d.name_declared_version();
        first = d.call("get", get()).await;
    }
    d.remember(SharedQuestion::GetUnknown, &first);
    // T-AUTH-11: a task that is not theirs may be denied to some who may do other things.
    let denied = is_denied(&first);
    if matches!(first.reply.kind, ReplyKind::Unavailable(503)) {
        ask_for_health(d).await;
    }
    if may_refuse_access(d.facts(), &first) {
        d.call(GATE, gate(d)).await;
    }
    if (!is_in_doubt(&first) && !denied) || is_sign_in_page(d.facts(), &first) {
        return;
    }
    if is_not_there(&first) {
        look_elsewhere(d).await;
    }
    // Is it this operation, or every one? A list needs nothing and harms nothing.
    if d.dialect().method(Operation::ListTasks).is_some() {
        let list = d.call("list", d.list_tasks(&ListQuery::default())).await;
        if !is_in_doubt(&list) && !is_denied(&list) {
            return;
        }
    }
    if !is_in_doubt(d.cancel("cancel", &d.fresh_id()).await.as_ref()) || denied {
        return;
    }
    // An agent may have nothing but this one, which costs it some work.
    let Some(message) = d.prompt(Behaviour::Complete) else { return };
    let sent = d.send("send", &message).await;
    if !is_in_doubt(&sent) {
        return;
    }
    if d.facts().declares(|card| card.streaming) {
        d.open("stream", &d.outgoing(message.text), |_| StreamControl::HangUp).await;
    }
    // Does it have the methods of another version?
    if is_unknown_method(&first) {
        for other in other_names(d.dialect()) {
            let params = (d.dialect().task_params)(&d.fresh_id(), None);
            let id = Value::from(d.fresh_id());
            let call = Call { method: Some(other.to_owned()), params: Some(params), id, ..Call::default() };
            if !is_unknown_method(d.call(OTHER_NAME, call.called("a method of another version")).await.as_ref()) {
                return;
            }
        }
    }
    if matches!(&first.reply.kind, ReplyKind::Error(error) if error.is_missing_method()) {
        ask_for_services(d).await;
    }
}

const USUAL_PATHS: [&str; 4] = ["/", "/v1", "/a2a", "/rpc"];

fn is_not_there(step: &Step) -> bool {
    matches!(step.reply.kind, ReplyKind::Unreadable(_)) && matches!(step.exchange.status(), Some(404 | 405))
}

/// Looks for the endpoint of an interface over JSON-RPC whose URL takes no calls, by calls that cost nothing.
async fn look_elsewhere(d: &Driver) {
    let Some(lane) = d.lane().filter(|lane| lane.binding.id == JSONRPC.id) else { return };
    let (Ok(url), Some(method)) = (Url::parse(&lane.interface.url), d.dialect().method(Operation::GetTask)) else {
        return;
    };
    d.fetch(AT_URL, Request::get(url.to_string())).await;
    let others = USUAL_PATHS.into_iter().filter(|path| url.path.trim_end_matches('/') != path.trim_end_matches('/'));
    for path in others {
        let params = (d.dialect().task_params)(&d.fresh_id(), None);
        let body = json!({"jsonrpc": "2.0", "id": d.fresh_id(), "method": method, "params": params}).to_string();
        let request = Request::post(format!("{}{path}", url.origin()), "application/json", body);
        if speaks_json_rpc(d.fetch(ELSEWHERE, request).await.as_ref()) {
            return;
        }
    }
}

fn speaks_json_rpc(step: &Step) -> bool {
    step.reply.document.as_deref().is_some_and(|document| document.get("jsonrpc").is_some())
}

/// What was found in place of an endpoint, as the rest of a sentence.
fn found_instead(t: &Transcript) -> String {
    let shows_card = t.every(AT_URL).any(|step| step.reply.document.as_deref().is_some_and(looks_like_a_card));
    let card = if shows_card { "; a GET there returns the agent card, whose address is not that of calls" } else { "" };
    let other = t.every(ELSEWHERE).find(|step| speaks_json_rpc(step.as_ref()));
    let other = other.map(|step| format!("; {} answers such calls", step.exchange.request.url)).unwrap_or_default();
    format!("{card}{other}")
}

/// A call that has nothing to do with a task: an agent that refuses access gives it the same answer.
fn gate(d: &Driver) -> Call {
    if d.lane().is_some_and(|lane| lane.binding.id == JSONRPC.id) {
        let id = Value::from(d.fresh_id());
        let call = Call { method: Some("NoSuchMethod".to_owned()), id, params: Some(json!({})), ..Call::default() };
        return call.called("an unknown method");
    }
    match d.dialect().method(Operation::ListTasks) {
        Some(_) => d.list_tasks(&ListQuery::default()),
        None => d.about_task(Operation::CancelTask, &d.fresh_id()),
    }
}

/// The step that calls a method of another version.
const OTHER_NAME: &str = "other-name";

fn is_unknown_method(step: &Step) -> bool {
    step.reply.kind.is_surely_error(ErrorName::MethodNotFound)
}

/// The names that other versions have for the method that reads a task.
fn other_names(own: &Dialect) -> Vec<&'static str> {
    let mut names = Vec::new();
    for name in DIALECTS.iter().filter_map(|dialect| dialect.method(Operation::GetTask)) {
        if own.method(Operation::GetTask) != Some(name) && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The method of another version that the agent was seen to have.
pub(in crate::suite) fn known_other_name(probe: &Transcript) -> Option<&str> {
    let step = probe.step(OTHER_NAME).ok()?;
    let kind = &step.reply.kind;
    let known = matches!(kind, ReplyKind::Result(_)) || kind.is_error(ErrorName::TaskNotFound);
    let dialect = probe.lane.as_ref()?.dialect;
    other_names(dialect).into_iter().nth(probe.every(OTHER_NAME).count().saturating_sub(1)).filter(|_| known)
}

/// Whether another operation may still work here: the answer is not one of the protocol, or says that the operation or the
/// version does not exist.
pub(in crate::suite) fn is_in_doubt(step: &Step) -> bool {
    match &step.reply.kind {
        ReplyKind::Unreadable(_) => true,
        ReplyKind::Error(error) => {
            matches!(
                error.name,
                Some(ErrorName::VersionNotSupported | ErrorName::MethodNotFound | ErrorName::UnsupportedOperation)
            ) || error.is_no_route(&[405, 501])
                // A list names no task that may be missing.
                || (error.name.is_none() && error.status == 404 && step.sent.operation == Some(Operation::ListTasks))
        }
        _ => false,
    }
}

fn is_denied(step: &Step) -> bool {
    matches!(step.reply.kind, ReplyKind::Unavailable(403))
}

fn is_version_refused(step: &Step) -> bool {
    step.reply.kind.is_surely_error(ErrorName::VersionNotSupported)
}

/// A call of the probe that worked and needs no work of the agent: for tests of something else than an operation.
fn working_call_of(probe: &Transcript) -> Option<&Rc<Step>> {
    let harmless = |step: &&Rc<Step>| {
        step.name != "declared"
            && matches!(step.sent.operation, Some(Operation::GetTask | Operation::ListTasks | Operation::CancelTask))
    };
    let answered = |step: &&Rc<Step>| matches!(step.reply.kind, ReplyKind::Result(_) | ReplyKind::Error(_));
    probe.steps.iter().filter(harmless).find(|step| answered(step) && !is_in_doubt(step))
}

/// The call of the probe that worked, in a scenario that comes after it; *blocked* when none did.
pub(in crate::suite) fn working_call(t: &Transcript) -> Result<&Rc<Step>, Verdict> {
    working_call_of(t.earlier("probe")?).ok_or_else(|| t.stopped_or(no_working_call))
}

/// The same call once more, about another task. Where there is none, the conversation stops.
pub(in crate::suite) fn repeat_working_call(d: &Driver) -> Option<Call> {
    let seen = d.earlier("probe").and_then(|probe| working_call_of(probe)).and_then(|step| step.sent.operation);
    let Some(operation) = seen else {
        d.stop(no_working_call());
        return None;
    };
    Some(match operation {
        Operation::ListTasks => d.list_tasks(&ListQuery::default()),
        _ => d.about_task(operation, &d.fresh_id()),
    })
}

fn no_working_call() -> Verdict {
    Verdict::blocked("no operation that costs nothing was seen to work on this interface")
}

/// The first answer in the declared binding, or the first answer at all.
fn in_binding(t: &Transcript) -> Result<&Rc<Step>, Verdict> {
    let first = t.answered("get")?;
    let fits = |step: &&Rc<Step>| {
        let is_call = ![AT_URL, ELSEWHERE].contains(&step.name);
        is_call && matches!(step.reply.kind, ReplyKind::Result(_) | ReplyKind::Stream(_) | ReplyKind::Error(_))
    };
    Ok(t.steps.iter().find(fits).unwrap_or(first))
}

fn accurate(t: &Transcript) -> Judged {
    let step = in_binding(t)?;
    Ok(match &step.reply.kind {
        ReplyKind::Result(_) | ReplyKind::Stream(_) | ReplyKind::Error(_) => step.pass(),
        other => step.fail("a response in the declared binding", other.describe() + &found_instead(t)),
    })
}

fn direct(t: &Transcript) -> Judged {
    let lane = t.lane.as_ref().map(|lane| lane.interface.url.as_str()).unwrap_or_default();
    let host = Url::parse(lane).map(|url| url.host).unwrap_or_default();
    if matches!(host.as_str(), "0.0.0.0" | "[::]") {
        let actual = format!("{host}, which is an address to listen at");
        return t.step("get")?.claim(false, "a host that clients can call", actual, "");
    }
    let step = in_binding(t)?;
    let redirected = step.exchange.response.as_ref().filter(|response| response.redirected);
    let actual = redirected.map(|response| format!("a redirect to {}", response.url)).unwrap_or_default();
    step.claim(redirected.is_none(), &format!("an answer from {}", step.exchange.request.url), actual, "")
}

fn accepts(t: &Transcript) -> Judged {
    let step = in_binding(t)?;
    let is_other = matches!(step.reply.kind, ReplyKind::Unreadable(_))
        && matches!(step.exchange.status(), Some(404 | 405 | 406 | 415));
    Ok(if is_other { step.fail("a JSON-RPC response", step.reply.kind.describe()) } else { step.pass() })
}

fn method_names(t: &Transcript) -> Judged {
    let step = t.answered("get")?;
    match &step.reply.kind {
        ReplyKind::Error(error) if error.name == Some(ErrorName::MethodNotFound) => {
            let other = known_other_name(t).map(|name| format!("; the agent knows {name}")).unwrap_or_default();
            step.claim(false, "the method GetTask to exist", error.describe() + &other, error.at.as_str())
        }
        ReplyKind::Result(_) | ReplyKind::Error(_) => Ok(step.pass()),
        other => Err(Verdict::blocked(format!("the call was answered with {}", other.describe()))),
    }
}

fn version(t: &Transcript) -> Judged {
    let step = if t.every("declared").next().is_some() { t.answered("declared")? } else { in_binding(t)? };
    match &step.reply.kind {
        ReplyKind::Error(error) if error.name == Some(ErrorName::VersionNotSupported) => {
            let unknown = t.lane.as_ref().and_then(|lane| lane.unknown_version());
            let unknown = unknown.map(|version| format!("version {version}, which the card declares, to be accepted"));
            let expected = unknown.unwrap_or_else(|| "the declared version to be accepted".to_owned());
            Ok(step.fail(expected, error.describe()).at(error.at.as_str()))
        }
        // A web framework's answer for a missing operation says nothing about the version.
        ReplyKind::Error(error) if error.is_no_route(&[405, 501]) => {
            Err(step.blocked(format!("the call was answered with {}", error.describe())))
        }
        ReplyKind::Result(_) | ReplyKind::Stream(_) | ReplyKind::Error(_) => Ok(step.pass()),
        other => Err(Verdict::blocked(format!("the call was answered with {}", other.describe()))),
    }
}

fn refused(t: &Transcript) -> Judged {
    let step = t.answered("get")?;
    Ok(match &step.reply.kind {
        ReplyKind::Error(_) => step.pass(),
        // T-01-1: older agents answer with a task that says so itself.
        ReplyKind::Result(Payload::Task(task)) if task.state_text.as_deref() == Some(UNKNOWN) => {
            step.pass_with("answered with a task in the state unknown")
        }
        ReplyKind::Result(_) => step.fail("an error for a task that does not exist", step.reply.kind.describe()),
        other => return Err(Verdict::blocked(format!("the call was answered with {}", other.describe()))),
    })
}

fn not_found(t: &Transcript) -> Judged {
    if is_version_refused(t.answered("get")?) {
        return Err(Verdict::blocked("the declared version is refused"));
    }
    t.refused_with_code("get", "a task that does not exist", &[ErrorName::TaskNotFound])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::a2a::model::AgentError;
    use crate::engine::transcript::examples::call;

    #[test]
    fn a_404_leaves_open_whether_anything_works_where_no_task_was_asked_for() {
        let of = |operation, status| {
            let error = AgentError { status, ..AgentError::default() };
            call("first", 1, operation, ReplyKind::Error(error))
        };
        assert!(is_in_doubt(&of(Operation::ListTasks, 404)) && !is_in_doubt(&of(Operation::GetTask, 404)));
        assert!(is_in_doubt(&of(Operation::GetTask, 405)) && !is_in_doubt(&of(Operation::ListTasks, 400)));
    }

    #[test]
    fn each_name_of_another_version_is_asked_for_once() {
        for own in DIALECTS {
            let names = other_names(own);
            assert!(!names.is_empty());
            for (place, name) in names.iter().enumerate() {
                assert_ne!(own.method(Operation::GetTask), Some(*name), "{}", own.version);
                assert!(!names.iter().skip(place + 1).any(|later| later == name), "{}: {names:?}", own.version);
            }
        }
    }
}
