//! What every request to an interface has: version, tenant, extensions, media type, route.

use super::client_check::{ClientCheck, judge_places};
use super::conversation::{ClientCall, ClientConversation};
use super::served_lanes::query_value;
use crate::a2a::headers;
use crate::a2a::snake_case::has_own_names;
use crate::engine::check::{Check, tripped_by};
use crate::engine::verdict::{Judged, Verdict};
use crate::wire::json::{Pointer, Value};

/// For a rule about calls when there are none.
const NO_CALL: &str = "the client called no operation";

pub(super) static CHECKS: &[ClientCheck] = &[
    ClientCheck {
        declared: Check {
            id: "client.version-header",
            title: "Every request names its version of A2A",
            why: "A request without A2A-Version is read as one of 0.3, and an agent of 1.0 refuses it.",
            fix: "Send the header A2A-Version with every request to an interface of 1.0.",
            faults: tripped_by(&["no-version"]),
            ..Check::DEFAULTS
        },
        judge: version_header,
    },
    ClientCheck {
        declared: Check {
            id: "client.version-format",
            title: "The version is Major.Minor",
            why: "An agent may take a version with a patch number for one that it does not know.",
            fix: "Send A2A-Version: 1.0, without a patch number.",
            faults: tripped_by(&["version-with-patch"]),
            ..Check::DEFAULTS
        },
        judge: version_format,
    },
    ClientCheck {
        declared: Check {
            id: "client.version-matches",
            title: "The version is that of the interface",
            why: "An interface speaks the version that the card declares for it, and refuses others.",
            fix: "Send the protocolVersion of the interface that is called.",
            faults: tripped_by(&["other-version"]),
            ..Check::DEFAULTS
        },
        judge: version_matches,
    },
    ClientCheck {
        declared: Check {
            id: "client.tenant",
            title: "Requests have the tenant of their interface, and none where it has none",
            why: "An agent that serves several tenants finds the right one by this member.",
            fix: "Copy tenant of the chosen interface into every request; leave it out where the interface has none.",
            faults: tripped_by(&["tenant-forgotten", "tenant-invented"]),
            advisory: Some("the rule is of 1.0.1, and a client of 1.0.0 cannot be told from one of 1.0.1 (1.0 §3.6)"),
            ..Check::DEFAULTS
        },
        judge: tenant,
    },
    ClientCheck {
        declared: Check {
            id: "client.required-extensions",
            title: "Messages request the extensions that the card requires",
            why: "An agent refuses messages of clients that do not declare support for an extension which it requires.",
            fix: "Send the URI of each required extension in A2A-Extensions, or do not use this agent.",
            faults: tripped_by(&["extension-not-requested"]),
            ..Check::DEFAULTS
        },
        judge: required_extensions,
    },
    ClientCheck {
        declared: Check {
            id: "client.extensions-field",
            title: "The extensions are one header field, separated by commas",
            why: "Some servers read only the first header field of a name.",
            fix: "Join the URIs with commas in one A2A-Extensions.",
            faults: tripped_by(&["two-extension-fields"]),
            ..Check::DEFAULTS
        },
        judge: extensions_field,
    },
    ClientCheck {
        declared: Check {
            id: "client.routes",
            title: "Requests use the routes of the version",
            why: "An agent answers 404 or 405 to a route of another version.",
            fix: "Use the method and the path that the interface's version has for the operation.",
            faults: tripped_by(&["routes-of-another-version"]),
            ..Check::DEFAULTS
        },
        judge: routes,
    },
    ClientCheck {
        declared: Check {
            id: "client.media-type",
            title: "Bodies have the media type of their binding",
            why: "A server may refuse a body of another media type with 415.",
            fix: "Send Content-Type: application/json, or application/a2a+json over HTTP+JSON of 1.0.",
            requirements: &["client.rpc-media-type", "client.rest-media-type"],
            faults: tripped_by(&["text-plain"]),
            ..Check::DEFAULTS
        },
        judge: media_type,
    },
    ClientCheck {
        declared: Check {
            id: "client.member-names",
            title: "Members have their camelCase names",
            why: "An agent that reads JSON by the specification does not find a member with another name.",
            fix: "Serialise requests by the JSON names of the proto: messageId, not message_id.",
            faults: tripped_by(&["snake-case"]),
            ..Check::DEFAULTS
        },
        judge: member_names,
    },
];

/// The version that a request names, by header or by parameter (1.0 §3.6.1 allows both).
fn version(call: &ClientCall) -> Option<String> {
    let in_header = call.received.header(headers::VERSION).map(|version| version.trim().to_owned());
    in_header.or_else(|| query_value(&call.received.exchange.request.url, headers::VERSION))
}

fn version_header(c: &ClientConversation<'_>) -> Judged {
    let breach = |call: &&_| {
        let named = version(call).filter(|version| !version.is_empty());
        named.is_none().then(|| Verdict::fail(call.id(), "A2A-Version: 1.0", "no version").at(headers::VERSION))
    };
    judge_places(c.calls().map(|call| &**call), |call| call.id(), breach, NO_CALL)
}

fn version_format(c: &ClientConversation<'_>) -> Judged {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let named = c.calls().filter_map(|call| Some((call.id(), version(call).filter(|version| !version.is_empty())?)));
    let breach = |(id, version): &(u32, String)| {
        let fits = version.split_once('.').is_some_and(|(major, minor)| is_number(major) && is_number(minor));
        (!fits).then(|| Verdict::fail(*id, "Major.Minor, such as 1.0", format!("{version:?}")).at(headers::VERSION))
    };
    judge_places(named, |(id, _)| *id, breach, "the client named no version")
}

fn version_matches(c: &ClientConversation<'_>) -> Judged {
    let named = c.calls().filter_map(|call| Some((call, version(call).filter(|version| !version.is_empty())?)));
    judge_places(
        named,
        |(call, _)| call.id(),
        |(call, version)| {
            let expected = call.dialect().version;
            let rest = version.strip_prefix(expected);
            let fits = rest.is_some_and(|patch| patch.is_empty() || patch.starts_with('.'));
            (!fits).then(|| {
                Verdict::fail(
                    call.id(),
                    format!("{expected}, as the card declares for this interface"),
                    version.clone(),
                )
                .at(headers::VERSION)
            })
        },
        "the client named no version",
    )
}

fn tenant(c: &ClientConversation<'_>) -> Judged {
    // Where a request has no body, the text does not say where the tenant would stand.
    let with_body = c.calls().filter(|call| call.body.is_some() && call.operation.is_some());
    judge_places(
        with_body,
        |call| call.id(),
        |call| {
            let given = call.text("tenant");
            let declared = call.lane.interface.tenant.as_deref().filter(|tenant| !tenant.is_empty());
            let in_path = |tenant: &str| call.received.exchange.request.url.contains(&format!("/{tenant}/"));
            let at = call.place("tenant");
            match (declared, given) {
                (Some(declared), given) if given != Some(declared) && !in_path(declared) => {
                    let actual = given.map_or_else(|| "none".to_owned(), |given| format!("{given:?}"));
                    Some(
                        Verdict::fail(call.id(), format!("the tenant {declared:?} of the interface"), actual)
                            .at(at.as_str()),
                    )
                }
                (None, Some(given)) => Some(
                    Verdict::fail(call.id(), "no tenant, as the interface has none", format!("{given:?}"))
                        .at(at.as_str()),
                ),
                _ => None,
            }
        },
        "the client sent no request with a body",
    )
}

/// The URIs of extensions that a request names, in whatever number of fields.
fn requested_extensions(call: &ClientCall) -> Vec<&str> {
    let Some(name) = call.dialect().extensions_header else { return Vec::new() };
    let fields = call.received.exchange.request.headers.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name));
    fields.flat_map(|(_, value)| value.split(',')).map(str::trim).filter(|uri| !uri.is_empty()).collect()
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
    judge_places(
        c.sends(),
        |call| call.id(),
        |call| {
            let requested = requested_extensions(call);
            let missing = required.iter().find(|uri| !requested.contains(uri))?;
            let name = call.dialect().extensions_header.unwrap_or(headers::EXTENSIONS);
            let actual = if requested.is_empty() { "none".to_owned() } else { requested.join(", ") };
            Some(Verdict::fail(call.id(), format!("{missing}, which the card requires"), actual).at(name))
        },
        "the client sent no message",
    )
}

fn extensions_field(c: &ClientConversation<'_>) -> Judged {
    let name = headers::EXTENSIONS;
    let fields = |call: &ClientCall| {
        let all = call.received.exchange.request.headers.iter();
        all.filter(|(known, _)| known.eq_ignore_ascii_case(name)).count()
    };
    judge_places(
        c.calls().filter(|call| fields(call) > 0),
        |call| call.id(),
        |call| {
            let number = fields(call);
            (number > 1).then(|| Verdict::fail(call.id(), "one header field", number.to_string()).at(name))
        },
        "the client requested no extension",
    )
}

fn routes(c: &ClientConversation<'_>) -> Judged {
    judge_places(
        c.calls(),
        |call| call.id(),
        |call| {
            if call.operation.is_some() {
                return None;
            }
            let request = &call.received.exchange.request;
            let expected = format!("a route of A2A {}", call.dialect().version);
            Some(Verdict::fail(call.id(), expected, format!("{} {}", request.method, request.url)))
        },
        NO_CALL,
    )
}

fn media_type(c: &ClientConversation<'_>) -> Judged {
    let with_body =
        c.calls().filter(|call| call.received.exchange.request.body.as_ref().is_some_and(|body| !body.is_empty()));
    judge_places(
        with_body,
        |call| call.id(),
        |call| {
            let media_type = call.received.exchange.request.headers.media_type();
            let fits = match media_type.as_deref() {
                Some("application/json") => true,
                Some("application/a2a+json") => !call.is_json_rpc(),
                _ => false,
            };
            let expected =
                if call.is_json_rpc() { "application/json" } else { "application/a2a+json or application/json" };
            let actual = media_type.unwrap_or_else(|| "no Content-Type".to_owned());
            (!fits).then(|| Verdict::fail(call.id(), expected, actual).at("Content-Type"))
        },
        "the client sent no request with a body",
    )
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
    judge_places(
        c.calls().filter(|call| call.params.as_object().is_some_and(|params| !params.is_empty())),
        |call| call.id(),
        |call| {
            let root = if call.is_json_rpc() { Pointer::root().key("params") } else { Pointer::root() };
            let (name, at) = first_snake(&call.params, &root)?;
            Some(Verdict::fail(call.id(), "names in camelCase", name).at(at.as_str()))
        },
        "the client sent no parameters",
    )
}
