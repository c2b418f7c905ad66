//! What every request to an interface has: version, tenant, extensions, media type, route, and names in camelCase.

use super::client_check::{ClientCheck, judge_calls, judge_places};
use super::conversation::{ClientCall, ClientConversation};
use super::message_form_checks::NO_MESSAGE;
use super::served_lanes::query_value;
use crate::a2a::headers;
use crate::a2a::snake_case::has_own_names;
use crate::engine::check::Check;
use crate::engine::verdict::{Judged, Verdict};
use crate::wire::json::{Pointer, Value};

/// For a rule about calls when there are none.
const NO_CALL: &str = "the client called no operation";
/// For a rule about versions when none is named.
const NO_VERSION: &str = "the client named no version";
/// For a rule about what stands in bodies, or beside them.
const NO_BODY: &str = "the client sent no request with a body";

pub(super) static CHECKS: &[ClientCheck] = &[
    Check {
        id: "client.version-header",
        title: "Every request names its version of A2A",
        why: "A request without A2A-Version is read as one of 0.3, and an agent of 1.0 refuses it.",
        fix: "Send the header A2A-Version with every request to an interface of 1.0.",
        ..Check::tripped_by(&["no-version"])
    }
    .judging_clients_by(version_header),
    Check {
        id: "client.version-format",
        title: "The version is Major.Minor",
        why: "An agent may take a version with a patch number for one that it does not know.",
        fix: "Send A2A-Version: 1.0, without a patch number.",
        ..Check::tripped_by(&["version-with-patch"])
    }
    .judging_clients_by(version_format),
    Check {
        id: "client.version-matches",
        title: "The version is that of the interface",
        why: "An interface speaks the version that the card declares for it, and refuses others.",
        fix: "Send the protocolVersion of the interface that is called.",
        ..Check::tripped_by(&["other-version"])
    }
    .judging_clients_by(version_matches),
    Check {
        id: "client.tenant",
        title: "Requests have the tenant of their interface, and none where it has none",
        why: "An agent that serves several tenants finds the right one by this member.",
        fix: "Copy tenant of the chosen interface into every request; leave it out where the interface has none.",
        advisory: Some("the rule is of 1.0.1, and a client of 1.0.0 cannot be told from one of 1.0.1 (1.0 §3.6)"),
        ..Check::tripped_by(&["tenant-forgotten", "tenant-invented"])
    }
    .judging_clients_by(tenant),
    Check {
        id: "client.required-extensions",
        title: "Messages request the extensions that the card requires",
        why: "An agent refuses messages of clients that do not declare support for an extension which it requires.",
        fix: "Send the URI of each required extension in A2A-Extensions, or do not use this agent.",
        ..Check::tripped_by(&["extension-not-requested"])
    }
    .judging_clients_by(required_extensions),
    Check {
        id: "client.extensions-field",
        title: "The extensions are one header field, separated by commas",
        why: "Some servers read only the first header field of a name.",
        fix: "Join the URIs with commas in one A2A-Extensions.",
        ..Check::tripped_by(&["two-extension-fields"])
    }
    .judging_clients_by(extensions_field),
    Check {
        id: "client.routes",
        title: "Requests use the routes of the version",
        why: "An agent answers 404 or 405 to a route of another version.",
        fix: "Use the method and the path that the interface's version has for the operation.",
        ..Check::tripped_by(&["routes-of-another-version"])
    }
    .judging_clients_by(routes),
    Check {
        id: "client.media-type",
        title: "Bodies have the media type of their binding",
        why: "A server may refuse a body of another media type with 415.",
        fix: "Send Content-Type: application/json, or application/a2a+json over HTTP+JSON of 1.0.",
        requirements: &["client.rpc-media-type", "client.rest-media-type"],
        ..Check::tripped_by(&["text-plain"])
    }
    .judging_clients_by(media_type),
    Check {
        id: "client.member-names",
        title: "Members have their camelCase names",
        why: "An agent that reads JSON by the specification does not find a member with another name.",
        fix: "Serialise requests by the JSON names of the proto: messageId, not message_id.",
        ..Check::tripped_by(&["snake-case"])
    }
    .judging_clients_by(member_names),
];

/// The version that a request names, by header or by parameter (1.0 §3.6.1 allows both).
fn version(call: &ClientCall) -> Option<String> {
    let in_header = call.received.header(headers::VERSION).map(|version| version.trim().to_owned());
    let named = in_header.or_else(|| query_value(&call.received.exchange.request.url, headers::VERSION));
    named.filter(|version| !version.is_empty())
}

/// The calls that name a version, each with it.
fn versions<'a>(c: &ClientConversation<'a>) -> impl Iterator<Item = (&'a ClientCall, String)> + use<'a> {
    c.calls().filter_map(|call| Some((call, version(call)?)))
}

fn version_header(c: &ClientConversation<'_>) -> Judged {
    judge_calls(c.calls(), NO_CALL, |call| {
        version(call).is_none().then(|| call.fail("A2A-Version: 1.0", "no version").at(headers::VERSION))
    })
}

fn version_format(c: &ClientConversation<'_>) -> Judged {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    judge_places(versions(c), NO_VERSION, |call, version| {
        let fits = version.split_once('.').is_some_and(|(major, minor)| is_number(major) && is_number(minor));
        (!fits).then(|| call.fail("Major.Minor, such as 1.0", format!("{version:?}")).at(headers::VERSION))
    })
}

fn version_matches(c: &ClientConversation<'_>) -> Judged {
    judge_places(versions(c), NO_VERSION, |call, version| {
        let declared = call.dialect().version;
        let rest = version.strip_prefix(declared);
        if rest.is_some_and(|patch| patch.is_empty() || patch.starts_with('.')) {
            return None;
        }
        let expected = format!("{declared}, as the card declares for this interface");
        Some(call.fail(expected, version).at(headers::VERSION))
    })
}

fn tenant(c: &ClientConversation<'_>) -> Judged {
    // Where a request has no body, the text does not say where the tenant would stand.
    let with_body = c.calls().filter(|call| call.body.is_some() && call.operation.is_some());
    judge_calls(with_body, NO_BODY, |call| {
        let given = call.text("tenant");
        let declared = call.lane.interface.tenant.as_deref().filter(|tenant| !tenant.is_empty());
        let in_path = |tenant: &str| call.received.exchange.request.url.contains(&format!("/{tenant}/"));
        let expected = match (declared, given) {
            (Some(declared), given) if given != Some(declared) && !in_path(declared) => {
                format!("the tenant {declared:?} of the interface")
            }
            (None, Some(_)) => "no tenant, as the interface has none".to_owned(),
            _ => return None,
        };
        let actual = given.map_or_else(|| "none".to_owned(), |given| format!("{given:?}"));
        Some(call.fail(expected, actual).at(call.place("tenant")))
    })
}

/// The URIs of extensions that a request names, in whatever number of fields.
fn requested_extensions(call: &ClientCall) -> Vec<&str> {
    let Some(name) = call.dialect().extensions_header else { return Vec::new() };
    let values = fields(call, name).flat_map(|value| value.split(','));
    values.map(str::trim).filter(|uri| !uri.is_empty()).collect()
}

/// The values of the header fields of that name.
fn fields<'a>(call: &'a ClientCall, name: &str) -> impl Iterator<Item = &'a str> {
    let all = call.received.exchange.request.headers.iter();
    all.filter(move |(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

fn required_extensions(c: &ClientConversation<'_>) -> Judged {
    let required: Vec<&str> =
        c.card.extensions.iter().filter(|(_, required)| *required).map(|(uri, _)| uri.as_str()).collect();
    if required.is_empty() {
        return Err(Verdict::not_applicable(
            "the agent requires no extension; --fault extensions makes it require one",
        ));
    }
    if c.session.cards.is_empty() {
        return Err(Verdict::not_applicable("the client fetched no card, which names the extensions"));
    }
    judge_calls(c.calls().filter(|call| call.is_send()), NO_MESSAGE, |call| {
        let requested = requested_extensions(call);
        let missing = required.iter().find(|uri| !requested.contains(uri))?;
        let name = call.dialect().extensions_header.unwrap_or(headers::EXTENSIONS);
        let actual = if requested.is_empty() { "none".to_owned() } else { requested.join(", ") };
        Some(call.fail(format!("{missing}, which the card requires"), actual).at(name))
    })
}

fn extensions_field(c: &ClientConversation<'_>) -> Judged {
    let name = headers::EXTENSIONS;
    let counted = c.calls().map(|call| (call, fields(call, name).count())).filter(|(_, number)| *number > 0);
    judge_places(counted, "the client requested no extension", |call, number| {
        (number > 1).then(|| call.fail("one header field", number.to_string()).at(name))
    })
}

fn routes(c: &ClientConversation<'_>) -> Judged {
    judge_calls(c.calls(), NO_CALL, |call| {
        if call.operation.is_some() {
            return None;
        }
        let request = &call.received.exchange.request;
        let expected = format!("a route of A2A {}", call.dialect().version);
        Some(call.fail(expected, format!("{} {}", request.method, request.url)))
    })
}

fn media_type(c: &ClientConversation<'_>) -> Judged {
    let with_body =
        c.calls().filter(|call| call.received.exchange.request.body.as_ref().is_some_and(|body| !body.is_empty()));
    judge_calls(with_body, NO_BODY, |call| {
        let media_type = call.received.exchange.request.headers.media_type();
        let fits = match media_type.as_deref() {
            Some("application/json") => true,
            Some("application/a2a+json") => !call.is_json_rpc(),
            _ => false,
        };
        let expected = if call.is_json_rpc() { "application/json" } else { "application/a2a+json or application/json" };
        let actual = media_type.unwrap_or_else(|| "no Content-Type".to_owned());
        (!fits).then(|| call.fail(expected, actual).at("Content-Type"))
    })
}

/// Names that requests have with underscores in the proto, beside those that answers share with them.
const SNAKE: [&str; 15] = [
    "message_id",
    "context_id",
    "task_id",
    "reference_task_ids",
    "media_type",
    "accepted_output_modes",
    "history_length",
    "return_immediately",
    "task_push_notification_config",
    "push_notification_config",
    "page_size",
    "page_token",
    "include_artifacts",
    "status_timestamp_after",
    "push_notification_config_id",
];

/// The first member whose name has underscores, in what has the names of A2A.
fn first_snake(value: &Value, at: &Pointer) -> Option<(String, Pointer)> {
    match value {
        Value::Object(map) => map.iter().find_map(|(name, inner)| {
            if SNAKE.contains(&name.as_str()) {
                return Some((name.clone(), at.key(name)));
            }
            if has_own_names(name) { None } else { first_snake(inner, &at.key(name)) }
        }),
        Value::Array(list) => list.iter().enumerate().find_map(|(place, inner)| first_snake(inner, &at.index(place))),
        _ => None,
    }
}

fn member_names(c: &ClientConversation<'_>) -> Judged {
    let with_params = c.calls().filter(|call| call.params.as_object().is_some_and(|params| !params.is_empty()));
    judge_calls(with_params, "the client sent no parameters", |call| {
        let root = if call.is_json_rpc() { Pointer::root().key("params") } else { Pointer::root() };
        let (name, at) = first_snake(&call.params, &root)?;
        Some(call.fail("names in camelCase", name).at(at))
    })
}
