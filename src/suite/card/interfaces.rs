//! The interfaces of a card: required members, form and encryption of URLs, version, binding and tenant; and the URIs of its
//! extensions.

use super::reading::{card, extensions, finding, lacks_text, listed, missing, of_card, unless};
use crate::a2a::binding::base_url;
use crate::a2a::cursor::Cursor;
use crate::engine::prelude::{Check, Judged, Scenario, Transcript, Verdict};
use crate::wire::json::{Pointer, Value};
use crate::wire::url::{Url, is_absolute_uri};

pub(super) static SCENARIO: Scenario = of_card("card-interfaces", "Check the card's interfaces", CHECKS);

const CHECKS: &[Check] = &[
    Check {
        id: "card.interface-required-fields",
        title: "Each interface has url, protocolBinding and protocolVersion",
        why: "Without all three, no client can call the interface.",
        fix: "Give every entry of supportedInterfaces a url, a protocolBinding and a protocolVersion.",
        judge: required,
        ..Check::tripped_by(&["card-interface-incomplete"])
    },
    Check {
        id: "card.interface-url-form",
        title: "Interface URLs are absolute",
        why: "A client has no base to resolve a relative URL against.",
        fix: "Write the interface's full URL with scheme and host; behind a proxy, build it from the public address.",
        judge: url_form,
        ..Check::tripped_by(&["card-interface-relative"])
    },
    Check {
        id: "card.interface-https",
        title: "Public interfaces use https",
        why: "Messages and credentials travel over this URL.",
        fix: "Serve production interfaces over https and declare the https URL. This does not concern agents on a \
              private network or on this machine.",
        requirements: &["card.interface-https", "transport.https"],
        judge: https,
        ..Check::tripped_by(&["card-interface-http-public"])
    },
    Check {
        id: "grpc.tls",
        title: "gRPC runs over TLS in production",
        why: "Everybody on the way reads and changes messages that are not encrypted.",
        fix: "Serve gRPC with TLS, and declare host:port or an https URL. This does not concern agents on a private \
              network or on this machine.",
        judge: grpc_tls,
        ..Check::tripped_by(&["card-grpc-plain"])
    },
    Check {
        id: "card.interface-version-major-minor",
        title: "protocolVersion is Major.Minor",
        why: "Clients compare major and minor; with a patch number, strict clients do not match the interface.",
        fix: "Write protocolVersion as \"1.0\", not \"1.0.1\".",
        judge: version_form,
        ..Check::tripped_by(&["card-version-patch"])
    },
    Check {
        id: "card.interface-binding-name",
        title: "protocolBinding is a core name or a URI",
        why: "Clients ignore a binding whose name they do not know.",
        fix: "Use exactly JSONRPC, GRPC or HTTP+JSON, or an absolute URI for a custom binding.",
        requirements: &["card.interface-binding-name", "interop.custom-binding"],
        judge: binding_name,
        ..Check::tripped_by(&["card-binding-misspelled"])
    },
    Check {
        id: "card.interface-tenant-string",
        title: "A tenant is a non-empty string",
        why: "Clients must return the tenant unchanged, as a string.",
        fix: "Write tenant as a non-empty string, or leave it out.",
        judge: tenant,
        ..Check::tripped_by(&["card-tenant-number"])
    },
    Check {
        id: "card.extension-uri",
        title: "Extension declarations carry a URI",
        why: "Clients cannot activate an extension without its URI.",
        fix: "Give every entry of capabilities.extensions a uri; if present, required is a boolean and params an \
              object.",
        judge: extension_uri,
        ..Check::tripped_by(&["card-extension-no-uri"])
    },
    Check {
        id: "card.extension-uri-versioned",
        title: "Extension URIs carry a version",
        why: "When an extension changes, its users do not all change at once; the version in the URI keeps them apart.",
        fix: "End the URI with a version, such as .../geo/v1.",
        judge: extension_version,
        ..Check::tripped_by(&["card-extension-unversioned"])
    },
];

/// The names of the core bindings.
const JSONRPC: &str = "JSONRPC";
const GRPC: &str = "GRPC";
const HTTP_JSON: &str = "HTTP+JSON";

fn entries<'a>(cursor: &Cursor<'a>) -> Result<Vec<Cursor<'a>>, Verdict> {
    listed(cursor, "supportedInterfaces", || Verdict::blocked("the card declares no interface"))
}

fn required(t: &Transcript) -> Judged {
    let (id, cursor) = card(t)?;
    let lacks = |entry| lacks_text(id, entry, &["url", "protocolBinding", "protocolVersion"]);
    unless(id, entries(&cursor)?.iter().find_map(lacks))
}

/// The URL of each interface with its place and the name of its binding. In the layout of older versions, one URL and from 0.2.4 on more
/// of them, whatever is not declared as gRPC counts as JSON-RPC.
fn declared_urls<'a>(card: &Cursor<'a>) -> Result<Vec<(&'a str, Pointer, &'a str)>, Verdict> {
    let text = |holder: &Cursor<'a>, name| holder.value.get(name).and_then(Value::as_str);
    let with_url = |holder: &Cursor<'a>, binding| Some((binding, holder.at.key("url"), text(holder, "url")?));
    if card.has("supportedInterfaces") {
        let listed = entries(card)?;
        return Ok(listed.iter().filter_map(|entry| with_url(entry, text(entry, "protocolBinding")?)).collect());
    }
    let more = card.member("additionalInterfaces");
    let more = more.iter().flat_map(Cursor::elements).map(|entry| (entry, "transport"));
    let older = std::iter::once((card.clone(), "preferredTransport")).chain(more).filter_map(|(holder, transport)| {
        let binding = text(&holder, transport).filter(|name| *name == GRPC);
        with_url(&holder, binding.unwrap_or(JSONRPC))
    });
    Ok(older.collect())
}

fn grpc_urls<'a>(card: &Cursor<'a>) -> Result<Vec<(Pointer, &'a str)>, Verdict> {
    let all = declared_urls(card)?.into_iter();
    Ok(all.filter(|(binding, ..)| *binding == GRPC).map(|(_, at, url)| (at, url)).collect())
}

fn http_urls<'a>(card: &Cursor<'a>) -> Result<Vec<(Pointer, &'a str)>, Verdict> {
    let all = declared_urls(card)?.into_iter();
    let urls: Vec<_> =
        all.filter(|(binding, ..)| [JSONRPC, HTTP_JSON].contains(binding)).map(|(_, at, url)| (at, url)).collect();
    if urls.is_empty() {
        // Of the older layout there was none at all.
        entries(card)?;
    }
    Ok(urls)
}

fn url_form(t: &Transcript) -> Judged {
    let (id, cursor) = card(t)?;
    let odd = http_urls(&cursor)?.into_iter().find_map(|(at, url)| {
        let actual = format!("\"{url}\": {}", Url::parse(url).err()?);
        Some(Verdict::fail(id, "an absolute http or https URL", actual).at(at.as_str()))
    });
    // T-CARD-12: gRPC URLs may be host:port (HEAD) or URLs (1.0.0, 1.0.1); any text passes here.
    unless(id, odd)
}

fn https(t: &Transcript) -> Judged {
    let (id, cursor) = card(t)?;
    let urls = http_urls(&cursor)?.into_iter().filter_map(|(at, url)| Some((at, Url::parse(url).ok()?)));
    let is_plain = |url: &Url| (url.scheme != "https").then(|| url.to_string());
    let none = "no interface is on a host that is certainly on the public internet";
    encrypted_in_public(id, urls.map(|(at, url)| (at, is_plain(&url), url)), "an https URL on a public host", none)
}

/// The URLs of interfaces over gRPC that name plain text: without a scheme an address says nothing of it (T-CARD-12).
fn grpc_tls(t: &Transcript) -> Judged {
    let (id, cursor) = card(t)?;
    let urls = grpc_urls(&cursor)?.into_iter().filter_map(|(at, url)| {
        let base = base_url(url).and_then(|base| Url::parse(&base)).ok()?;
        Some((at, (base.scheme == "http").then(|| url.to_owned()), base))
    });
    let none = "no interface over gRPC is on a host that is certainly on the public internet";
    encrypted_in_public(id, urls, "gRPC with TLS on a public host", none)
}

/// Judges URLs, each with its place and with its text if it names plain text. T-CARD-13: agents on this machine or a private network are not
/// "in production", and a name in a cluster tells nothing.
fn encrypted_in_public(
    id: u32,
    urls: impl Iterator<Item = (Pointer, Option<String>, Url)>,
    expected: &str,
    none: &str,
) -> Judged {
    let public: Vec<_> = urls.filter(|(.., url)| url.is_public()).collect();
    if public.is_empty() {
        return Err(Verdict::not_applicable(none));
    }
    let plain = public.into_iter().find_map(|(at, plain, _)| Some((at, plain?)));
    unless(id, plain.map(|(at, plain)| Verdict::fail(id, expected, plain).at(at.as_str())))
}

fn version_form(t: &Transcript) -> Judged {
    let (id, cursor) = card(t)?;
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let odd = entries(&cursor)?.into_iter().find_map(|entry| {
        let version = entry.value.get("protocolVersion").and_then(Value::as_str)?;
        let parts = version.split_once('.');
        let is_odd = parts.is_none_or(|(major, minor)| !is_number(major) || !is_number(minor));
        let finding = || Verdict::fail(id, "Major.Minor, such as \"1.0\"", format!("\"{version}\""));
        is_odd.then(|| finding().at(entry.at.key("protocolVersion").as_str()))
    });
    unless(id, odd)
}

fn binding_name(t: &Transcript) -> Judged {
    let (id, cursor) = card(t)?;
    let odd = entries(&cursor)?.into_iter().find_map(|entry| {
        let name = entry.text("protocolBinding").unwrap_or_default();
        let is_known = [JSONRPC, GRPC, HTTP_JSON, ""].contains(&name.as_str()) || is_absolute_uri(&name);
        let expected = "JSONRPC, GRPC, HTTP+JSON or an absolute URI";
        let finding = || Verdict::fail(id, expected, format!("\"{name}\""));
        (!is_known).then(|| finding().at(entry.at.key("protocolBinding").as_str()))
    });
    unless(id, odd)
}

fn tenant(t: &Transcript) -> Judged {
    let (id, cursor) = card(t)?;
    let tenants: Vec<_> = entries(&cursor)?.iter().filter_map(|entry| entry.member("tenant")).collect();
    if tenants.is_empty() {
        return Err(Verdict::not_applicable("no interface declares a tenant"));
    }
    let odd = tenants.iter().find(|member| !member.value.is_string());
    unless(id, odd.map(|member| finding(id, member, "a non-empty string")))
}

fn extension_version(t: &Transcript) -> Judged {
    let (id, cursor) = card(t)?;
    let uris: Vec<_> = extensions(&cursor)?.iter().filter_map(|entry| entry.member("uri")).collect();
    if uris.is_empty() {
        return Err(Verdict::excluded_by_card("the card declares no extension"));
    }
    // v1, 1.2, 2026-01: anything that counts.
    let counts = |cursor: &Cursor<'_>| cursor.value.as_str().is_some_and(|uri| uri.bytes().any(|b| b.is_ascii_digit()));
    unless(id, uris.iter().find(|uri| !counts(uri)).map(|uri| finding(id, uri, "a URI with a version")))
}

fn extension_uri(t: &Transcript) -> Judged {
    let (id, cursor) = card(t)?;
    for entry in extensions(&cursor)? {
        if entry.text("uri").is_none_or(|uri| uri.is_empty()) {
            return Ok(missing(id, &entry, "uri", "a uri"));
        }
        let is_odd = |letter: char| letter.is_control() || letter.is_whitespace();
        if let Some(member) =
            entry.member("uri").filter(|uri| uri.value.as_str().is_some_and(|uri| uri.contains(is_odd)))
        {
            return Ok(finding(id, &member, "a URI, without blanks and control characters"));
        }
        if let Some(member) = entry.member("required").filter(|member| !member.value.is_boolean()) {
            return Ok(finding(id, &member, "true or false"));
        }
        if let Some(member) = entry.member("params").filter(|member| !member.value.is_object()) {
            return Ok(finding(id, &member, "an object"));
        }
    }
    unless(id, None)
}
