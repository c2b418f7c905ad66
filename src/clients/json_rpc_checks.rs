//! The envelope of a client's JSON-RPC requests: version, id, params and method names.

use super::client_check::{ClientCheck, judge_calls, judge_places};
use super::conversation::{ClientCall, ClientConversation};
use crate::a2a::dialect::DIALECTS;
use crate::engine::check::Check;
use crate::engine::verdict::{Judged, Verdict};
use crate::wire::json::{Value, brief};

/// How much of a value a finding shows.
const SHOWN: usize = 40;
/// Methods that texts of 0.2 and 0.3 name beside those of their types.
const OTHER_NAMES: [&str; 4] =
    ["tasks/list", "agent/authenticatedExtendedCard", "agent/getAuthenticatedExtendedCard", "agent/getCard"];

pub(super) static CHECKS: &[ClientCheck] = &[
    Check {
        id: "client.request-object",
        title: "The body is a JSON-RPC request object",
        why: "An agent answers a body that is not JSON, or not an object, with an error at best.",
        fix: "Send one JSON object with jsonrpc, id, method and params.",
        ..Check::tripped_by(&["broken-json"])
    }
    .judging_clients_by(request_object),
    Check {
        id: "client.jsonrpc-version",
        title: "jsonrpc is \"2.0\"",
        why: "Servers tell JSON-RPC 2.0 from other bodies by this member.",
        fix: "Set jsonrpc to the string \"2.0\".",
        ..Check::tripped_by(&["no-jsonrpc-member"])
    }
    .judging_clients_by(jsonrpc_version),
    Check {
        id: "client.jsonrpc-id-type",
        title: "The id is a string, a number or null",
        why: "A server cannot return an id of another type, and may refuse the request.",
        fix: "Use a string or an integer.",
        ..Check::tripped_by(&["id-is-an-object"])
    }
    .judging_clients_by(id_type),
    Check {
        id: "client.jsonrpc-id-usable",
        title: "A request has an id by which its response is found",
        why: "A request without an id is a notification, which a server does not answer.",
        fix: "Give every request an id that is neither null nor a fraction.",
        ..Check::tripped_by(&["no-id"])
    }
    .judging_clients_by(id_usable),
    Check {
        id: "client.jsonrpc-params",
        title: "params is an object or a list",
        why: "JSON-RPC has no other parameters, and a server refuses them.",
        fix: "Put the request of the operation into params as an object, or leave the member out.",
        ..Check::tripped_by(&["params-are-text"])
    }
    .judging_clients_by(params),
    Check {
        id: "client.method-names",
        title: "Methods have the names of the interface's version",
        why: "An agent does not know the method names of another version.",
        fix: "Use the names of the version that the card declares for the interface: SendMessage in 1.0, message/send in \
              0.2 and 0.3, tasks/send in 0.1.",
        ..Check::tripped_by(&["method-of-another-version"])
    }
    .judging_clients_by(method_names),
];

/// The calls of the lane whose bodies are objects.
fn objects<'a>(c: &ClientConversation<'a>) -> impl Iterator<Item = (&'a ClientCall, &'a Value)> + use<'a> {
    c.calls().filter_map(|call| Some((call, call.body.as_ref().filter(|body| body.is_object())?)))
}

fn judge_objects(c: &ClientConversation<'_>, breach: impl Fn(&ClientCall, &Value) -> Option<Verdict>) -> Judged {
    judge_places(objects(c), "the client sent no request object", breach)
}

fn request_object(c: &ClientConversation<'_>) -> Judged {
    judge_calls(c.calls(), "the client called no operation", |call| {
        let actual = match &call.body {
            None => "no JSON".to_owned(),
            // A batch is for JSON-RPC; A2A has one request in a body.
            Some(body) if !body.is_object() => brief(body, SHOWN),
            Some(_) => return None,
        };
        Some(call.fail("a JSON object", actual))
    })
}

fn jsonrpc_version(c: &ClientConversation<'_>) -> Judged {
    judge_objects(c, |call, body| {
        let given = body.get("jsonrpc");
        let actual = || given.map_or_else(|| "none".to_owned(), |given| brief(given, SHOWN));
        (given.and_then(Value::as_str) != Some("2.0")).then(|| call.fail("jsonrpc \"2.0\"", actual()).at("/jsonrpc"))
    })
}

fn id_type(c: &ClientConversation<'_>) -> Judged {
    judge_objects(c, |call, body| {
        let id = body.get("id")?;
        let fits = id.is_string() || id.is_number() || id.is_null();
        (!fits).then(|| call.fail("a string, a number or null", brief(id, SHOWN)).at("/id"))
    })
}

fn id_usable(c: &ClientConversation<'_>) -> Judged {
    judge_objects(c, |call, body| {
        let actual = match body.get("id") {
            None => "no id".to_owned(),
            Some(Value::Null) => "null".to_owned(),
            Some(id) if id.as_f64().is_some_and(|number| number.fract() != 0.0) => brief(id, SHOWN),
            Some(_) => return None,
        };
        Some(call.fail("an id that is neither null nor a fraction", actual).at("/id"))
    })
}

fn params(c: &ClientConversation<'_>) -> Judged {
    judge_objects(c, |call, body| {
        let params = body.get("params")?;
        let fits = params.is_object() || params.is_array();
        (!fits).then(|| call.fail("an object or a list", brief(params, SHOWN)).at("/params"))
    })
}

fn method_names(c: &ClientConversation<'_>) -> Judged {
    judge_objects(c, |call, body| {
        let dialect = call.dialect();
        let expected = || format!("a method of A2A {}", dialect.version);
        let Some(method) = body.get("method").and_then(Value::as_str) else {
            let given = body.get("method").map_or_else(|| "none".to_owned(), |given| brief(given, SHOWN));
            return Some(call.fail(expected(), given).at("/method"));
        };
        let is_named_in_older = dialect.version_header.is_none() && OTHER_NAMES.contains(&method);
        if is_named_in_older || dialect.methods.iter().any(|(_, known)| *known == method) {
            return None;
        }
        let of_other = DIALECTS.iter().find(|other| other.methods.iter().any(|(_, known)| *known == method));
        // An extension may add methods (1.0 §4.6).
        let may_be_extended = dialect.extensions_header.is_some_and(|name| call.received.header(name).is_some());
        let actual = match of_other {
            Some(other) => format!("{method}, a method of A2A {}", other.version),
            None if may_be_extended => return None,
            None => brief(&Value::from(method), SHOWN),
        };
        Some(call.fail(expected(), actual).at("/method"))
    })
}
