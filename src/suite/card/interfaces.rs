//! Where and how the card says the agent can be reached.

use super::{card, finding, lacks_text, listed, missing};
use crate::a2a::look::Look;
use crate::engine::check::{anyone, silent};
use crate::engine::take::Take;
use crate::engine::verdict::{Judged, Verdict};
use crate::scenario;
use crate::wire::json::{Pointer, Value};
use crate::wire::url::{Url, is_absolute_uri};

scenario! {
    "card-interfaces", "Look at the card's interfaces", in Card, scope: Agent,
    messages: 0, streams: 0, after: ["discovery"], needs: anyone, drive: silent,
    checks: {
        /// An entry that lacks one of these cannot be called by anybody.
        ///
        /// Fix: Give every entry of supportedInterfaces a url, a protocolBinding and a protocolVersion.
        "card.interface-required-fields", "Each interface has url, protocolBinding and protocolVersion",
        requires: ["card.interface-required-fields"], faults: ["card-interface-incomplete"], judge: required;

        /// A client has no base to resolve a relative URL against.
        ///
        /// Fix: Write the interface's full URL with scheme and host; behind a proxy, build it from the public address.
        "card.interface-url-form", "Interface URLs are absolute",
        requires: ["card.interface-url-form"], faults: ["card-interface-relative"], judge: url_form;

        /// Messages and credentials travel over this URL.
        ///
        /// Fix: Serve production interfaces over https and declare the https URL; agents on a private network or this
        /// machine are not meant.
        "card.interface-https", "Public interfaces use https",
        requires: ["card.interface-https", "transport.https"], faults: ["card-interface-http-public"], judge: https;

        /// Clients compare major and minor; a patch number makes strict ones miss the interface.
        ///
        /// Fix: Write protocolVersion as "1.0", not "1.0.1".
        "card.interface-version-major-minor", "protocolVersion is Major.Minor",
        requires: ["card.interface-version-major-minor"], faults: ["card-version-patch"], judge: version_form;

        /// A name that nobody knows is a binding that nobody uses.
        ///
        /// Fix: Use JSONRPC, GRPC or HTTP+JSON exactly, or an absolute URI for a binding of your own.
        "card.interface-binding-name", "protocolBinding is a core name or a URI",
        requires: ["card.interface-binding-name", "interop.custom-binding"], faults: ["card-binding-misspelled"], judge: binding_name;

        /// Clients must send the tenant back as it stands, as a string.
        ///
        /// Fix: Write tenant as a non-empty string, or leave it out.
        "card.interface-tenant-string", "A tenant is a non-empty string",
        requires: ["card.interface-tenant-string"], faults: ["card-tenant-number"], judge: tenant;

        /// Without its URI an extension cannot be asked for.
        ///
        /// Fix: Give every entry of capabilities.extensions a uri; required is a boolean and params an object.
        "card.extension-uri", "Extension declarations carry a URI",
        requires: ["card.extension-uri"], faults: ["card-extension-no-uri"], judge: extension_uri;

        /// An extension changes, its users do not all at once: the URI tells them apart.
        ///
        /// Fix: End the URI with a version, such as .../geo/v1.
        "card.extension-uri-versioned", "Extension URIs carry a version",
        requires: ["card.extension-uri-versioned"], faults: ["card-extension-unversioned"], judge: extension_version;
    }
}

/// The declared interfaces.
fn entries<'a>(look: &Look<'a>) -> Result<Vec<Look<'a>>, Verdict> {
    listed(look, "supportedInterfaces", || Verdict::blocked("the card declares no interface"))
}

fn required(t: &Take) -> Judged {
    let (id, look) = card(t)?;
    for entry in entries(&look)? {
        if let Some(finding) = lacks_text(id, &entry, &["url", "protocolBinding", "protocolVersion"]) {
            return Ok(finding);
        }
    }
    Ok(Verdict::pass().seen_in(id))
}

/// The URLs of the interfaces of an HTTP binding.
fn http_urls<'a>(look: &Look<'a>) -> Result<Vec<(Pointer, &'a str)>, Verdict> {
    let mut urls = Vec::new();
    if !look.has("supportedInterfaces") {
        // The layout of older versions: one URL, and more of them from 0.2.4 on.
        for (holder, transport) in std::iter::once((look.clone(), "preferredTransport")).chain(
            look.member("additionalInterfaces").iter().flat_map(Look::elements).map(|entry| (entry, "transport")),
        ) {
            let grpc = holder.value.get(transport).and_then(Value::as_str).is_some_and(|name| name == "GRPC");
            if let Some(url) = holder.value.get("url").and_then(Value::as_str).filter(|_| !grpc) {
                urls.push((holder.at.key("url"), url));
            }
        }
        if !urls.is_empty() {
            return Ok(urls);
        }
    }
    for entry in entries(look)? {
        let text = |name| entry.value.get(name).and_then(Value::as_str);
        if let (Some("JSONRPC" | "HTTP+JSON"), Some(url)) = (text("protocolBinding"), text("url")) {
            urls.push((entry.at.key("url"), url));
        }
    }
    Ok(urls)
}

fn url_form(t: &Take) -> Judged {
    let (id, look) = card(t)?;
    for (at, url) in http_urls(&look)? {
        if let Err(problem) = Url::parse(url) {
            return Ok(
                Verdict::fail(id, "an absolute http or https URL", format!("\"{url}\": {problem}")).at(at.as_str())
            );
        }
    }
    // T-CARD-12: gRPC URLs may be host:port (HEAD) or URLs (1.0.0, 1.0.1); any text passes here.
    Ok(Verdict::pass().seen_in(id))
}

fn https(t: &Take) -> Judged {
    let (id, look) = card(t)?;
    let mut in_public = false;
    for (at, url) in http_urls(&look)? {
        // T-CARD-13: agents on this machine or a private network are not "in production".
        let Some(url) = Url::parse(url).ok().filter(|url| !url.is_local()) else { continue };
        in_public = true;
        if url.scheme != "https" {
            return Ok(Verdict::fail(id, "an https URL on a public host", url.to_string()).at(at.as_str()));
        }
    }
    if in_public {
        Ok(Verdict::pass().seen_in(id))
    } else {
        Err(Verdict::not_applicable("every interface is on this machine or a private network"))
    }
}

fn version_form(t: &Take) -> Judged {
    let (id, look) = card(t)?;
    for entry in entries(&look)? {
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

fn binding_name(t: &Take) -> Judged {
    let (id, look) = card(t)?;
    for entry in entries(&look)? {
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

fn tenant(t: &Take) -> Judged {
    let (id, look) = card(t)?;
    let mut declared = false;
    for entry in entries(&look)? {
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

fn extension_version(t: &Take) -> Judged {
    let (id, look) = card(t)?;
    let extensions = look.member("capabilities").and_then(|capabilities| capabilities.member("extensions"));
    let uris: Vec<_> = extensions.iter().flat_map(Look::elements).filter_map(|entry| entry.member("uri")).collect();
    if uris.is_empty() {
        return Err(Verdict::not_applicable("the card declares no extension"));
    }
    // v1, 1.2, 2026-01: anything that counts.
    let counts = |look: &Look<'_>| look.value.as_str().is_some_and(|uri| uri.bytes().any(|b| b.is_ascii_digit()));
    match uris.iter().find(|uri| !counts(uri)) {
        Some(uri) => Ok(finding(id, uri, "a URI with a version")),
        None => Ok(Verdict::pass().seen_in(id)),
    }
}

fn extension_uri(t: &Take) -> Judged {
    let (id, look) = card(t)?;
    let extensions = look.member("capabilities").and_then(|capabilities| capabilities.member("extensions"));
    let Some(extensions) = extensions.filter(|list| list.elements().next().is_some()) else {
        return Err(Verdict::not_applicable("the card declares no extension"));
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
