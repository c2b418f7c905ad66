//! Features of HTTP+JSON alone: paths and verbs, media types of bodies, the version in the query, HTTP statuses, and unknown paths.

use serde_json::json;

use super::traffic::everywhere;
use crate::a2a::binding::rest::A2A_JSON;
use crate::a2a::binding::{Call, ReplyKind, VersionSelection};
use crate::a2a::model::{ErrorName, Operation, Payload};
use crate::a2a::rule::Rule;
use crate::engine::prelude::{Check, Driver, Judged, Scenario, Step, Transcript, Verdict};
use crate::engine::shared_requests::SharedQuestion;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "routes",
    title: "Try the routes of HTTP+JSON",
    after: &["probe"],
    // These read and cancel tasks that exist.
    judged_after: &["send", "cancel"],
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    Check {
        id: "rest.paths",
        title: "The routes exist",
        why: "Clients build the paths themselves from the table in the specification.",
        fix: "Serve GET /tasks/{id}, GET /tasks, POST /tasks/{id}:cancel and POST /message:send below the declared \
              URL.",
        judge: |t| routed(t, &[404]),
        ..Check::tripped_by(&["routes-under-v1"])
    },
    Check {
        id: "rest.verbs",
        title: "The routes accept their HTTP methods",
        why: "Clients use only the method in the table; a route under another method is never called.",
        fix: "Serve each route under the HTTP method in the table of 1.0 §5.3.",
        judge: |t| routed(t, &[405, 501]),
        ..Check::tripped_by(&["cancel-by-get"])
    },
    Check {
        id: "rest.request-a2a-json",
        title: "Requests of type application/a2a+json are accepted",
        why: "1.0.1 recommends application/a2a+json, and clients send it.",
        fix: "Accept application/a2a+json for request bodies.",
        judge: |t| read_body(t, "a2a-json", "a cancel typed application/a2a+json"),
        ..Check::tripped_by(&["a2a-json-refused"])
    },
    Check {
        id: "rest.request-application-json",
        title: "Requests of type application/json are accepted",
        why: "Clients of 1.0.0 send application/json.",
        fix: "Accept application/json for request bodies too.",
        judge: |t| read_body(t, "plain-json", "a cancel typed application/json"),
        ..Check::tripped_by(&["plain-json-refused"])
    },
    Check {
        id: "rest.cancel-body-optional",
        title: "A cancel with an empty body is accepted",
        why: "A cancel needs no body, and some clients send none.",
        fix: "Treat an empty body of a cancel as {}.",
        judge: |t| match t.lane.as_ref().and_then(|lane| lane.interface.tenant.as_ref()) {
            Some(_) => Err(Verdict::not_applicable("the interface has a tenant, which every request must carry")),
            None => read_body(t, "no-body", "a cancel without a body"),
        },
        ..Check::tripped_by(&["empty-cancel-refused"])
    },
    Check {
        id: "rest.status-fits",
        title: "HTTP statuses match the errors",
        why: "Proxies, logs and clients tell by the status who is at fault.",
        fix: "Return 404 for a task that does not exist, and another 4xx for other client errors.",
        requirements: &["rest.v03.status-codes"],
        judge: status_fits,
        ..Check::tripped_by(&["rest-errors-ok"])
    },
    Check {
        id: "rest.error-json",
        title: "Errors are JSON objects",
        why: "A client that cannot read an error cannot explain it to its user either.",
        fix: "Return errors as a JSON object with a message.",
        requirements: &["rest.v03.error-json"],
        judge: error_json,
        ..Check::tripped_by(&["errors-as-text"])
    },
    Check {
        id: "list.rest-list",
        title: "A list of tasks is a list, or not implemented",
        why: "Listing is optional here; an agent that offers it must return tasks.",
        fix: "Respond to GET /v1/tasks with an array of tasks, or with 404, 405 or 501.",
        requirements: &["list.v03.rest-list"],
        judge: rest_list,
        ..Check::tripped_by(&["list-odd"])
    },
    Check {
        id: "rest.unknown-route",
        title: "An unknown path is refused",
        why: "A success for a path that does not exist hides every misspelling.",
        fix: "Return 404 for paths that you do not serve.",
        judge: unknown,
        ..Check::tripped_by(&["any-route-answers"])
    },
    Check {
        id: "version.query-parameter",
        title: "A2A-Version is also read from the query",
        why: "The specification lets clients put the version into the query, although elsewhere it requires the \
              header.",
        fix: "If you like, read ?A2A-Version= too, for clients that cannot set headers; A2A does not require it.",
        judge: version_in_query,
        ..Check::tripped_by(&["version-query-ignored"])
    },
    Check {
        id: "rest.other-media-type",
        title: "A body of another media type is no fault of the agent",
        why: "A client that is told of an internal error tries again, and reports a bug to the wrong people.",
        fix: "Refuse a body whose media type is not JSON with HTTP 415 or 400, or read it as JSON all the same.",
        judge: |t| {
            let step = t.answered(AS_TEXT)?;
            let is_theirs = step.exchange.status().is_none_or(|status| status < 500 || status == 501);
            step.claim(is_theirs, "HTTP 415, or another status below 500", step.reply.kind.describe(), "")
        },
        ..Check::tripped_by(&["other-media-type-internal"])
    },
    Check {
        id: "rest.response-content-type",
        title: "Responses are application/a2a+json or application/json",
        why: "Strict HTTP clients refuse a body whose media type they do not expect.",
        fix: "Send Content-Type: application/a2a+json with every response that is not a stream.",
        requirements: &["rest.response-content-type", "rest.v03.content-type"],
        judge: |t| everywhere(t, Rule::MediaType, "JSON response"),
        ..Check::tripped_by(&["answers-text-plain"])
    },
];

/// The step that sends JSON as a text.
const AS_TEXT: &str = "as-text";

async fn drive(d: &Driver) {
    let mut calls = vec![d.ask("get", SharedQuestion::GetUnknown), d.ask("list", SharedQuestion::List)];
    let cancel = |d: &Driver| d.operation(Operation::CancelTask, json!({ "id": d.fresh_id() }));
    calls.push(d.call("plain-json", cancel(d)));
    calls.push(d.call("a2a-json", Call { media_type: Some(A2A_JSON), ..cancel(d) }));
    // Without a body there is no place for the tenant that a request must name.
    if d.tenant().is_none() {
        calls.push(d.call("no-body", Call { body: Some(Vec::new()), ..cancel(d) }));
    }
    if d.has_check("rest.other-media-type") {
        let message = d.operation(Operation::SendMessage, json!({ "message": {} }));
        let text = Call { media_type: Some("text/plain"), ..message.called("a message typed text/plain") };
        calls.push(d.call(AS_TEXT, text));
    }
    calls.push(d.call("unknown", Call { method: Some("noSuchRoute".to_owned()), ..Call::default() }));
    if d.has_check("rest.status-fits") {
        calls.push(d.ask("nothing", SharedQuestion::EmptyMessage));
    }
    if d.has_check("version.query-parameter") {
        let query = json!({ "A2A-Version": d.dialect().version });
        let list = d.operation(Operation::ListTasks, query);
        calls.push(d.call("query-version", Call { version: VersionSelection::Absent, ..list }));
    }
    d.together(calls).await;
}

/// Whether that route is not served: the status says so, and the answer is not about a task.
fn unrouted(step: &Step, statuses: &[u16]) -> bool {
    let about_nothing = match &step.reply.kind {
        ReplyKind::Unreadable(_) => true,
        // The framework's refusal may have the form of the protocol. A list names no task that may be missing.
        ReplyKind::Error(error) => {
            error.name.is_none() && (error.status == 405 || (error.status == 404 && step.name == "list"))
        }
        _ => false,
    };
    about_nothing && step.exchange.status().is_some_and(|status| statuses.contains(&status))
}

const ROUTES: [(&str, &str); 3] =
    [("get", "GET /tasks/{id}"), ("list", "GET /tasks"), ("plain-json", "POST /tasks/{id}:cancel")];

fn routed(t: &Transcript, statuses: &[u16]) -> Judged {
    for (name, route) in ROUTES {
        let step = t.answered(name)?;
        let names_task = matches!(step.sent.operation, Some(Operation::GetTask | Operation::CancelTask));
        let is_there = names_task && (is_served(t, step.sent.operation) || is_told_apart(t, step));
        if unrouted(step, statuses) && !is_there {
            return step.claim(false, &format!("{route} to be served"), step.reply.kind.describe(), "");
        }
    }
    Ok(t.answered("get")?.pass())
}

/// Whether the agent answered that operation in the protocol anywhere: what it says of a task that does not exist may have
/// the form of the web framework.
fn is_served(t: &Transcript, operation: Option<Operation>) -> bool {
    let steps = t.before.iter().flat_map(|earlier| &earlier.steps).chain(&t.steps);
    let mut of_operation = steps.filter(|step| step.sent.operation == operation);
    of_operation.any(|step| match &step.reply.kind {
        ReplyKind::Result(_) => true,
        // Others may say that there is no such operation here.
        ReplyKind::Error(error) => error.is(ErrorName::TaskNotFound) || error.is(ErrorName::TaskNotCancelable),
        _ => false,
    })
}

/// Whether the 404 of a route that names a task is another than that of a path that does not exist: then somebody looked for the
/// task. One that repeats the path is another each time.
fn is_told_apart(t: &Transcript, step: &Step) -> bool {
    if step.exchange.status() != Some(404) {
        return false;
    }
    let Ok(unknown) = t.step("unknown") else { return false };
    let text = |step: &Step| {
        let body = step.exchange.response.as_ref().map(|response| response.body.as_slice());
        String::from_utf8_lossy(body.unwrap_or_default()).into_owned()
    };
    let (shown, router) = (text(step), text(unknown));
    let names_path = |text: &str| text.contains("/tasks") || text.contains("noSuchRoute");
    unknown.exchange.status() == Some(404) && shown != router && !names_path(&shown) && !names_path(&router)
}

/// Judges that a cancel of an unknown task came as far as looking for the task.
fn read_body(t: &Transcript, name: &str, what: &str) -> Judged {
    let step = t.answered(name)?;
    let other = t.answered(if name == "plain-json" { "a2a-json" } else { "plain-json" })?;
    let found = |step: &Step| step.reply.kind.is_error(ErrorName::TaskNotFound);
    if found(step) {
        return Ok(step.pass());
    }
    if !found(other) {
        return Err(Verdict::blocked(format!("a cancel was answered with {}", other.reply.kind.describe())));
    }
    Ok(Verdict::not_refused(step.exchange.id, format!("TaskNotFoundError for {what}"), step.reply.kind.describe()))
}

fn status_fits(t: &Transcript) -> Judged {
    let step = t.answered("get")?;
    let status = step.exchange.status().unwrap_or_default();
    if matches!(&step.reply.kind, ReplyKind::Result(Payload::Task(task)) if task.id.is_some()) {
        return Err(step.blocked("a task that does not exist was not refused"));
    }
    if status != 404 {
        return step.claim(false, "HTTP 404 for a task that does not exist", step.reply.kind.describe(), "");
    }
    // Another check judges whether such a message is refused.
    let nothing = t.answered("nothing")?;
    if nothing.exchange.status().is_some_and(|status| status >= 500) {
        let expected = "a status of 400 to 499 for a body without a message";
        return Ok(Verdict::not_refused(nothing.exchange.id, expected, nothing.reply.kind.describe()));
    }
    Ok(step.pass())
}

fn error_json(t: &Transcript) -> Judged {
    let step = t.answered("get")?;
    match (&step.reply.kind, step.reply.notes.broken(Rule::StatusBody)) {
        (_, Some(place)) => Ok(crate::suite::noted_failure::broken(step, place)),
        (ReplyKind::Unreadable(what), None) => step.claim(false, "an error as a JSON object", what.as_str(), ""),
        (ReplyKind::Error(_), None) => Ok(step.pass()),
        _ => Err(step.blocked("a task that does not exist was not refused")),
    }
}

fn rest_list(t: &Transcript) -> Judged {
    let step = t.answered("list")?;
    let fits = matches!(step.exchange.status(), Some(404 | 405 | 501))
        || step.reply.document.as_deref().is_some_and(|list| list.is_array() || list.get("tasks").is_some());
    step.claim(fits, "an array of tasks, or HTTP 404, 405 or 501", step.reply.kind.describe(), "")
}

fn unknown(t: &Transcript) -> Judged {
    let step = t.answered("unknown")?;
    let refused = step.exchange.status().is_some_and(|status| (400..600).contains(&status));
    let not_refused = || Verdict::not_refused(step.exchange.id, "a status of 4xx", step.reply.kind.describe());
    Ok(if refused { step.pass() } else { not_refused() })
}

fn version_in_query(t: &Transcript) -> Judged {
    t.succeeded("list")?;
    let step = t.answered("query-version")?;
    let read = matches!(step.reply.kind, ReplyKind::Result(_));
    step.claim(read, "the list, as with the header", step.reply.kind.describe(), "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::transcript::examples::{answered, recorded, step};

    #[test]
    fn a_route_is_told_apart_by_a_404_that_is_another_than_that_of_no_route() {
        let of = |name, status, body: &str| {
            answered(step(name, 1, ReplyKind::Unreadable("an object".to_owned())), status, body)
        };
        for (shown, router, is_told_apart) in [
            ((404, "no such task"), (404, "Not Found"), true),
            ((404, "Not Found"), (404, "Not Found"), false),
            ((405, "no such task"), (404, "Not Found"), false),
            ((404, "no such task"), (405, "Not Found"), false),
            ((404, "no route /tasks/x"), (404, "no route /noSuchRoute"), false),
            ((404, "no such task"), (404, "no route /noSuchRoute"), false),
            ((404, "no route /tasks/x"), (404, "Not Found"), false),
        ] {
            let t = recorded("routes", [of("unknown", router.0, router.1)]);
            assert_eq!(super::is_told_apart(&t, &of("get", shown.0, shown.1)), is_told_apart, "{shown:?} {router:?}");
        }
    }
}
