//! Where and how the card says the agent can be reached.

use super::reading::{card, finding, lacks_text, listed, missing};
use crate::a2a::binding::base_url;
use crate::a2a::cursor::Cursor;
use crate::engine::check::{Check, Scenario, Scope, tripped_by};
use crate::engine::transcript::Transcript;
use crate::engine::verdict::{Judged, Verdict};
use crate::wire::json::{Pointer, Value};
use crate::wire::url::{Url, is_absolute_uri};

/// The scenario of this file.
pub(super) static SCENARIO: Scenario = Scenario {
    id: "card-interfaces",
    title: "Check the card's interfaces",
    scope: Scope::Agent,
    after: &["discovery"],
    checks: CHECKS,
    ..Scenario::DEFAULTS
};

const CHECKS: &[Check] = &[
    Check {
        id: "card.interface-required-fields",
        title: "Each interface has url, protocolBinding and protocolVersion",
        why: "Without all three, no client can call the interface.",
        fix: "Give every entry of supportedInterfaces a url, a protocolBinding and a protocolVersion.",
        faults: tripped_by(&["card-interface-incomplete"]),
        judge: required,
        ..Check::DEFAULTS
    },
    Check {
        id: "card.interface-url-form",
        title: "Interface URLs are absolute",
        why: "A client has no base to resolve a relative URL against.",
        fix: "Write the interface's full URL with scheme and host; behind a proxy, build it from the public address.",
        faults: tripped_by(&["card-interface-relative"]),
        judge: url_form,
        ..Check::DEFAULTS
    },
    Check {
        id: "card.interface-https",
        title: "Public interfaces use https",
        why: "Messages and credentials travel over this URL.",
        fix: "Serve production interfaces over https and declare the https URL. This does not concern agents on a \
              private network or on this machine.",
        requirements: &["card.interface-https", "transport.https"],
        faults: tripped_by(&["card-interface-http-public"]),
        judge: https,
        ..Check::DEFAULTS
    },
    Check {
        id: "grpc.tls",
        title: "gRPC runs over TLS in production",
        why: "Everybody on the way reads and changes messages that are not encrypted.",
        fix: "Serve gRPC with TLS, and declare host:port or an https URL. This does not concern agents on a private \
              network or on this machine.",
        faults: tripped_by(&["card-grpc-plain"]),
        judge: grpc_tls,
        ..Check::DEFAULTS
    },
    Check {
        id: "card.interface-version-major-minor",
        title: "protocolVersion is Major.Minor",
        why: "Clients compare major and minor; with a patch number, strict clients do not match the interface.",
        fix: "Write protocolVersion as \"1.0\", not \"1.0.1\".",
        faults: tripped_by(&["card-version-patch"]),
        judge: version_form,
        ..Check::DEFAULTS
    },
    Check {
        id: "card.interface-binding-name",
        title: "protocolBinding is a core name or a URI",
        why: "Clients ignore a binding whose name they do not know.",
        fix: "Use exactly JSONRPC, GRPC or HTTP+JSON, or an absolute URI for a custom binding.",
        requirements: &["card.interface-binding-name", "interop.custom-binding"],
        faults: tripped_by(&["card-binding-misspelled"]),
        judge: binding_name,
        ..Check::DEFAULTS
    },
    Check {
        id: "card.interface-tenant-string",
        title: "A tenant is a non-empty string",
        why: "Clients must return the tenant unchanged, as a string.",
        fix: "Write tenant as a non-empty string, or leave it out.",
        faults: tripped_by(&["card-tenant-number"]),
        judge: tenant,
        ..Check::DEFAULTS
    },
    Check {
        id: "card.extension-uri",
        title: "Extension declarations carry a URI",
        why: "Clients cannot activate an extension without its URI.",
        fix: "Give every entry of capabilities.extensions a uri; if present, required is a boolean and params an \
              object.",
        faults: tripped_by(&["card-extension-no-uri"]),
        judge: extension_uri,
        ..Check::DEFAULTS
    },
    Check {
        id: "card.extension-uri-versioned",
        title: "Extension URIs carry a version",
        why: "When an extension changes, its users do not all change at once; the version in the URI keeps them apart.",
        fix: "End the URI with a version, such as .../geo/v1.",
        faults: tripped_by(&["card-extension-unversioned"]),
        judge: extension_version,
        ..Check::DEFAULTS
    },
];

/// The declared interfaces.
fn entries<'a>(cursor: &Cursor<'a>) -> Result<Vec<Cursor<'a>>, Verdict> {
    listed(cursor, "supportedInterfaces", || Verdict::blocked("the card declares no interface"))
}

fn required(t: &Transcript) -> Judged {
    let (id, cursor) = card(t)?;
    for entry in entries(&cursor)? {
        if let Some(finding) = lacks_text(id, &entry, &["url", "protocolBinding", "protocolVersion"]) {
            return Ok(finding);
        }
    }
    Ok(Verdict::pass().seen_in(id))
}

/// The URLs in the layout of older versions, one and from 0.2.4 on more of them, and whether each is declared as gRPC.
fn older_urls<'a>(card: &Cursor<'a>) -> impl Iterator<Item = (bool, Pointer, &'a str)> {
    let more = card.member("additionalInterfaces").map(|list| list.elements().collect::<Vec<_>>()).unwrap_or_default();
    let holders = std::iter::once((card.clone(), "preferredTransport"));
    holders.chain(more.into_iter().map(|entry| (entry, "transport"))).filter_map(|(holder, transport)| {
        let text = |name| holder.value.get(name).and_then(Value::as_str);
        Some((text(transport) == Some("GRPC"), holder.at.key("url"), text("url")?))
    })
}

/// The URLs of the interfaces over gRPC.
fn grpc_urls<'a>(card: &Cursor<'a>) -> Result<Vec<(Pointer, &'a str)>, Verdict> {
    if !card.has("supportedInterfaces") {
        return Ok(older_urls(card).filter(|(is_grpc, ..)| *is_grpc).map(|(_, at, url)| (at, url)).collect());
    }
    let listed = entries(card)?.into_iter().filter_map(|entry| {
        let text = |name| entry.value.get(name).and_then(Value::as_str);
        Some((entry.at.key("url"), text("url").filter(|_| text("protocolBinding") == Some("GRPC"))?))
    });
    Ok(listed.collect())
}

/// The URLs of the interfaces of an HTTP binding.
fn http_urls<'a>(cursor: &Cursor<'a>) -> Result<Vec<(Pointer, &'a str)>, Verdict> {
    let mut urls = Vec::new();
    if !cursor.has("supportedInterfaces") {
        urls.extend(older_urls(cursor).filter(|(is_grpc, ..)| !is_grpc).map(|(_, at, url)| (at, url)));
        if !urls.is_empty() {
            return Ok(urls);
        }
    }
    for entry in entries(cursor)? {
        let text = |name| entry.value.get(name).and_then(Value::as_str);
        if let (Some("JSONRPC" | "HTTP+JSON"), Some(url)) = (text("protocolBinding"), text("url")) {
            urls.push((entry.at.key("url"), url));
        }
    }
    Ok(urls)
}

fn url_form(t: &Transcript) -> Judged {
    let (id, cursor) = card(t)?;
    for (at, url) in http_urls(&cursor)? {
        if let Err(problem) = Url::parse(url) {
            return Ok(
                Verdict::fail(id, "an absolute http or https URL", format!("\"{url}\": {problem}")).at(at.as_str())
            );
        }
    }
    // T-CARD-12: gRPC URLs may be host:port (HEAD) or URLs (1.0.0, 1.0.1); any text passes here.
    Ok(Verdict::pass().seen_in(id))
}

fn https(t: &Transcript) -> Judged {
    let (id, cursor) = card(t)?;
    let mut in_public = false;
    for (at, url) in http_urls(&cursor)? {
        // T-CARD-13: agents on this machine or a private network are not "in production", and a name in a cluster tells nothing.
        let Some(url) = Url::parse(url).ok().filter(Url::is_public) else { continue };
        in_public = true;
        if url.scheme != "https" {
            return Ok(Verdict::fail(id, "an https URL on a public host", url.to_string()).at(at.as_str()));
        }
    }
    if in_public {
        Ok(Verdict::pass().seen_in(id))
    } else {
        Err(Verdict::not_applicable("no interface is on a host that is certainly on the public internet"))
    }
}

/// The URLs of interfaces over gRPC that name plain text: without a scheme an address says nothing of it (T-CARD-12).
fn grpc_tls(t: &Transcript) -> Judged {
    let (id, cursor) = card(t)?;
    let mut in_public = false;
    for (at, url) in grpc_urls(&cursor)? {
        let base = base_url(url).and_then(|base| Url::parse(&base));
        let Some(base) = base.ok().filter(Url::is_public) else { continue };
        in_public = true;
        if base.scheme == "http" {
            return Ok(Verdict::fail(id, "gRPC with TLS on a public host", url).at(at.as_str()));
        }
    }
    if in_public {
        Ok(Verdict::pass().seen_in(id))
    } else {
        Err(Verdict::not_applicable("no interface over gRPC is on a host that is certainly on the public internet"))
    }
}

fn version_form(t: &Transcript) -> Judged {
    let (id, cursor) = card(t)?;
    for entry in entries(&cursor)? {
        let Some(version) = entry.value.get("protocolVersion").and_then(Value::as_str) else { continue };
        let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        if version.split_once('.').is_none_or(|(major, minor)| !is_number(major) || !is_number(minor)) {
            let place = entry.at.key("protocolVersion");
            let expected = "Major.Minor, such as \"1.0\"";
            return Ok(Verdict::fail(id, expected, format!("\"{version}\"")).at(place.as_str()));
        }
    }
    Ok(Verdict::pass().seen_in(id))
}

fn binding_name(t: &Transcript) -> Judged {
    let (id, cursor) = card(t)?;
    for entry in entries(&cursor)? {
        let name = entry.text("protocolBinding").unwrap_or_default();
        let known =
            matches!(name.as_str(), "JSONRPC" | "GRPC" | "HTTP+JSON") || is_absolute_uri(&name) || name.is_empty();
        if !known {
            let place = entry.at.key("protocolBinding");
            let expected = "JSONRPC, GRPC, HTTP+JSON or an absolute URI";
            return Ok(Verdict::fail(id, expected, format!("\"{name}\"")).at(place.as_str()));
        }
    }
    Ok(Verdict::pass().seen_in(id))
}

fn tenant(t: &Transcript) -> Judged {
    let (id, cursor) = card(t)?;
    let mut declared = false;
    for entry in entries(&cursor)? {
        if let Some(member) = entry.member("tenant") {
            declared = true;
            if !member.value.is_string() {
                return Ok(finding(id, &member, "a non-empty string"));
            }
        }
    }
    if declared {
        Ok(Verdict::pass().seen_in(id))
    } else {
        Err(Verdict::not_applicable("no interface declares a tenant"))
    }
}

fn extension_version(t: &Transcript) -> Judged {
    let (id, cursor) = card(t)?;
    let extensions = cursor.member("capabilities").and_then(|capabilities| capabilities.member("extensions"));
    let uris: Vec<_> = extensions.iter().flat_map(Cursor::elements).filter_map(|entry| entry.member("uri")).collect();
    if uris.is_empty() {
        return Err(Verdict::excluded_by_card("the card declares no extension"));
    }
    // v1, 1.2, 2026-01: anything that counts.
    let counts = |cursor: &Cursor<'_>| cursor.value.as_str().is_some_and(|uri| uri.bytes().any(|b| b.is_ascii_digit()));
    match uris.iter().find(|uri| !counts(uri)) {
        Some(uri) => Ok(finding(id, uri, "a URI with a version")),
        None => Ok(Verdict::pass().seen_in(id)),
    }
}

fn extension_uri(t: &Transcript) -> Judged {
    let (id, cursor) = card(t)?;
    let extensions = cursor.member("capabilities").and_then(|capabilities| capabilities.member("extensions"));
    let Some(extensions) = extensions.filter(|list| list.elements().next().is_some()) else {
        return Err(Verdict::excluded_by_card("the card declares no extension"));
    };
    for entry in extensions.elements() {
        if entry.text("uri").is_none_or(|uri| uri.is_empty()) {
            return Ok(missing(id, &entry, "uri", "a uri"));
        }
        if let Some(member) = entry.member("required").filter(|member| !member.value.is_boolean()) {
            return Ok(finding(id, &member, "true or false"));
        }
        if let Some(member) = entry.member("params").filter(|member| !member.value.is_object()) {
            return Ok(finding(id, &member, "an object"));
        }
    }
    Ok(Verdict::pass().seen_in(id))
}
