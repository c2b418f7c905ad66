//! Security schemes of a card, their required members, what the card requires of them, and the endpoints and flows of OAuth.

use super::reading::{card, finding, missing, of_card, unless};
use crate::a2a::cursor::Cursor;
use crate::engine::prelude::{Check, Judged, Scenario, Transcript, Verdict};
use crate::wire::url::Url;

pub(super) static SCENARIO: Scenario = of_card("card-security", "Check the card's security schemes", CHECKS);

const CHECKS: &[Check] = &[
    Check {
        id: "card.security-scheme-oneof",
        title: "Each security scheme has exactly one scheme member",
        why: "In 1.0 the member's name identifies the scheme; a client that finds none, or two, cannot authenticate.",
        fix: "Wrap each scheme in exactly one of apiKeySecurityScheme, httpAuthSecurityScheme, oauth2SecurityScheme, \
              openIdConnectSecurityScheme and mtlsSecurityScheme.",
        judge: one_member,
        ..Check::tripped_by(&["card-scheme-flat"])
    },
    Check {
        id: "card.security-scheme-fields",
        title: "Security schemes have their required members",
        why: "Without these, a client knows that it must authenticate but not how.",
        fix: "apiKeySecurityScheme needs location (query, header or cookie) and name, httpAuthSecurityScheme scheme, \
              oauth2SecurityScheme flows, openIdConnectSecurityScheme openIdConnectUrl.",
        judge: members,
        ..Check::tripped_by(&["card-scheme-incomplete"])
    },
    Check {
        id: "card.security-requirements-shape",
        title: "securityRequirements has the 1.0 shape",
        why: "Clients may read requirements of another shape as \"nothing is required\".",
        fix: "Write securityRequirements as [{\"schemes\": {\"name\": {\"list\": [\"scope\"]}}}].",
        judge: requirement_shape,
        ..Check::tripped_by(&["card-requirements-flat"])
    },
    Check {
        id: "card.security-requirements-resolve",
        title: "Security requirements name declared schemes",
        why: "No client can meet a requirement that names an undeclared scheme.",
        fix: "Declare every scheme that a requirement names in securitySchemes, under the same name.",
        judge: resolve,
        ..Check::tripped_by(&["card-requirements-dangling"])
    },
    Check {
        id: "card.oauth-flow-fields",
        title: "OAuth flows have their endpoints",
        why: "No client can follow a flow that lacks its endpoints.",
        fix: "authorizationCode needs authorizationUrl and tokenUrl, clientCredentials tokenUrl, deviceCode \
              deviceAuthorizationUrl and tokenUrl, implicit authorizationUrl, password tokenUrl.",
        judge: oauth_fields,
        ..Check::tripped_by(&["card-oauth-no-token-url"])
    },
    Check {
        id: "card.oauth-no-deprecated-flow",
        title: "No deprecated OAuth flow is offered",
        why: "The implicit and password flows expose tokens or passwords to eavesdroppers; OAuth 2.1 removed them.",
        fix: "Use authorizationCode with PKCE for people and clientCredentials for machines.",
        judge: oauth_deprecated,
        ..Check::tripped_by(&["card-oauth-implicit"])
    },
    Check {
        id: "card.oauth-urls-https",
        title: "OAuth endpoints are https URLs",
        why: "Tokens travel over these URLs.",
        fix: "Serve the OAuth endpoints over https.",
        judge: oauth_https,
        ..Check::tripped_by(&["card-oauth-http"])
    },
];

const SCHEMES: [&str; 5] = [
    "apiKeySecurityScheme",
    "httpAuthSecurityScheme",
    "oauth2SecurityScheme",
    "openIdConnectSecurityScheme",
    "mtlsSecurityScheme",
];

fn schemes<'a>(cursor: &Cursor<'a>) -> Result<Vec<(&'a str, Cursor<'a>)>, Verdict> {
    let list: Vec<_> = cursor.member("securitySchemes").iter().flat_map(Cursor::members).collect();
    if list.is_empty() { Err(Verdict::excluded_by_card("the card declares no security scheme")) } else { Ok(list) }
}

fn one_member(t: &Transcript) -> Judged {
    let (id, cursor) = card(t)?;
    // Hybrid cards also have 0.3 members such as type; those are ignored here.
    let count = |scheme: &Cursor<'_>| SCHEMES.iter().filter(|name| scheme.member(name).is_some()).count();
    let odd = schemes(&cursor)?.into_iter().find(|(_, scheme)| count(scheme) != 1);
    unless(id, odd.map(|(_, scheme)| finding(id, &scheme, &format!("exactly one of {}", SCHEMES.join(", ")))))
}

fn members(t: &Transcript) -> Judged {
    let (id, cursor) = card(t)?;
    let mut judged = false;
    for (_, scheme) in schemes(&cursor)? {
        for (kind, required) in [
            ("apiKeySecurityScheme", &["location", "name"][..]),
            ("httpAuthSecurityScheme", &["scheme"]),
            ("oauth2SecurityScheme", &["flows"]),
            ("openIdConnectSecurityScheme", &["openIdConnectUrl"]),
        ] {
            let Some(body) = scheme.member(kind) else { continue };
            judged = true;
            let is_there = |name: &str| body.member(name).is_some_and(|member| member.value.as_str() != Some(""));
            if let Some(name) = required.iter().find(|name| !is_there(name)) {
                return Ok(missing(id, &body, name, &format!("{name} in {kind}")));
            }
            let location = body.member("location").filter(|_| kind == "apiKeySecurityScheme");
            let is_known = |place: &Cursor<'_>| matches!(place.value.as_str(), Some("query" | "header" | "cookie"));
            if let Some(place) = location.filter(|place| !is_known(place)) {
                return Ok(finding(id, &place, "query, header or cookie"));
            }
        }
        judged |= scheme.member("mtlsSecurityScheme").is_some();
    }
    if judged {
        Ok(Verdict::pass().seen_in(id))
    } else {
        Err(Verdict::blocked("no scheme has a form that 1.0 defines"))
    }
}

/// Every requirement list of the card: its own and those of its skills.
fn requirements<'a>(cursor: &Cursor<'a>) -> Vec<Cursor<'a>> {
    // Of older versions the same is called security (0.3 §5.5).
    let name = if cursor.has("supportedInterfaces") { "securityRequirements" } else { "security" };
    let own = cursor.member(name);
    let skills = cursor.member("skills");
    own.into_iter().chain(skills.iter().flat_map(Cursor::elements).filter_map(|skill| skill.member(name))).collect()
}

/// Each OAuth flow of the card: which it is, and its object.
fn flows<'a>(cursor: &Cursor<'a>) -> Result<Vec<(&'a str, Cursor<'a>)>, Verdict> {
    let mut all = Vec::new();
    for (_, scheme) in schemes(cursor)? {
        let older = !cursor.has("supportedInterfaces");
        let body = if older { Some(scheme.clone()) } else { scheme.member("oauth2SecurityScheme") };
        let flows = body.and_then(|scheme| scheme.member("flows"));
        all.extend(flows.iter().flat_map(Cursor::members).filter(|(_, flow)| flow.value.is_object()));
    }
    if all.is_empty() { Err(Verdict::excluded_by_card("the card declares no OAuth flow")) } else { Ok(all) }
}

fn oauth_fields(t: &Transcript) -> Judged {
    let (id, cursor) = card(t)?;
    for (name, flow) in flows(&cursor)? {
        let wanted: &[&str] = match name {
            "authorizationCode" => &["authorizationUrl", "tokenUrl"],
            "clientCredentials" | "password" => &["tokenUrl"],
            "deviceCode" => &["deviceAuthorizationUrl", "tokenUrl"],
            "implicit" => &["authorizationUrl"],
            _ => &[],
        };
        // A map of no scopes is left out by ProtoJSON (T-CARD-5).
        if let Some(absent) = wanted.iter().find(|wanted| flow.text(wanted).is_none_or(|url| url.is_empty())) {
            return Ok(missing(id, &flow, absent, &format!("{absent} in {name}")));
        }
    }
    Ok(Verdict::pass().seen_in(id))
}

fn oauth_deprecated(t: &Transcript) -> Judged {
    let (id, cursor) = card(t)?;
    let deprecated = flows(&cursor)?.into_iter().find(|(name, _)| matches!(*name, "implicit" | "password"));
    let finding = |name| Verdict::fail(id, "a flow that is not deprecated", name);
    unless(id, deprecated.map(|(name, flow)| finding(name).at(flow.at.as_str())))
}

fn oauth_https(t: &Transcript) -> Judged {
    let (id, cursor) = card(t)?;
    let mut urls =
        flows(&cursor)?.into_iter().flat_map(|(_, flow)| flow.members()).filter(|(name, _)| name.ends_with("Url"));
    // As everywhere, agents under development are not meant (T-CARD-13).
    let is_plain = |url: Url| url.scheme != "https" && url.is_public();
    let plain =
        urls.find(|(_, member)| member.value.as_str().and_then(|url| Url::parse(url).ok()).is_some_and(is_plain));
    unless(id, plain.map(|(name, member)| finding(id, &member, &format!("an https {name}"))))
}

fn requirement_shape(t: &Transcript) -> Judged {
    let (id, cursor) = card(t)?;
    let lists = requirements(&cursor);
    if lists.is_empty() {
        return Err(Verdict::excluded_by_card("the card does not list securityRequirements"));
    }
    for list in lists {
        if !list.value.is_array() {
            return Ok(finding(id, &list, "an array"));
        }
        for entry in list.elements() {
            // ProtoJSON leaves an empty map out: {} is a requirement of nothing (T-CARD-5, T-AUTH-4).
            let empty = entry.value.as_object().is_some_and(|map| map.is_empty());
            let schemes = entry.member("schemes");
            let shaped = schemes.as_ref().is_some_and(|map| {
                map.value.is_object()
                    && map.members().all(|(_, scopes)| {
                        scopes.value.is_object() && scopes.member("list").is_none_or(|list| list.value.is_array())
                    })
            });
            if !empty && !shaped {
                return Ok(finding(id, &entry, "{\"schemes\": {name: {\"list\": [scope]}}}"));
            }
        }
    }
    Ok(Verdict::pass().seen_in(id))
}

fn resolve(t: &Transcript) -> Judged {
    let (id, cursor) = card(t)?;
    let declared = cursor.member("securitySchemes");
    let mut named = false;
    for list in requirements(&cursor) {
        for entry in list.elements() {
            let schemes = if cursor.has("supportedInterfaces") { entry.member("schemes") } else { Some(entry.clone()) };
            for (name, place) in schemes.iter().flat_map(Cursor::members) {
                named = true;
                if declared.as_ref().is_none_or(|schemes| !schemes.has(name)) {
                    let actual = format!("\"{name}\", which is not in securitySchemes");
                    return Ok(Verdict::fail(id, "the name of a declared scheme", actual).at(place.at.as_str()));
                }
            }
        }
    }
    if named { Ok(Verdict::pass().seen_in(id)) } else { Err(Verdict::not_applicable("no requirement names a scheme")) }
}
