//! Security schemes and what the card requires of them.

use super::{card, finding, missing};
use crate::a2a::look::Look;
use crate::engine::check::{anyone, silent};
use crate::engine::take::Take;
use crate::engine::verdict::{Judged, Verdict};
use crate::scenario;

scenario! {
    "card-security", "Look at the card's security", in Card, scope: Agent,
    messages: 0, streams: 0, after: ["discovery"], needs: anyone, drive: silent,
    checks: {
        /// In 1.0 the member's name says which scheme it is; a client that finds none, or two, cannot authenticate.
        ///
        /// Fix: Wrap each scheme in exactly one of apiKeySecurityScheme, httpAuthSecurityScheme, oauth2SecurityScheme,
        /// openIdConnectSecurityScheme and mtlsSecurityScheme.
        "card.security-scheme-oneof", "Each security scheme has exactly one scheme member",
        requires: ["card.security-scheme-oneof"], faults: ["card-scheme-flat"], judge: one_member;

        /// Without these a client knows that it must authenticate and not how.
        ///
        /// Fix: apiKeySecurityScheme needs location (query, header or cookie) and name, httpAuthSecurityScheme scheme,
        /// oauth2SecurityScheme flows, openIdConnectSecurityScheme openIdConnectUrl.
        "card.security-scheme-fields", "Security schemes have their required members",
        requires: ["card.security-scheme-fields"], faults: ["card-scheme-incomplete"], judge: members;

        /// Requirements of another shape are read as "nothing is required".
        ///
        /// Fix: Write securityRequirements as [{"schemes": {"name": {"list": ["scope"]}}}].
        "card.security-requirements-shape", "securityRequirements has the 1.0 shape",
        requires: ["card.security-requirements-shape"], faults: ["card-requirements-flat"], judge: requirement_shape;

        /// A requirement that names an undeclared scheme can be met by nobody.
        ///
        /// Fix: Declare every scheme that a requirement names in securitySchemes, under the same name.
        "card.security-requirements-resolve", "Security requirements name declared schemes",
        requires: ["card.security-requirements-resolve"], faults: ["card-requirements-dangling"], judge: resolve;
    }
}

const SCHEMES: [&str; 5] = [
    "apiKeySecurityScheme",
    "httpAuthSecurityScheme",
    "oauth2SecurityScheme",
    "openIdConnectSecurityScheme",
    "mtlsSecurityScheme",
];

fn schemes<'a>(look: &Look<'a>) -> Result<Vec<(&'a str, Look<'a>)>, Verdict> {
    let list: Vec<_> = look.member("securitySchemes").map(|map| map.members().collect()).unwrap_or_default();
    if list.is_empty() { Err(Verdict::not_applicable("the card declares no security scheme")) } else { Ok(list) }
}

fn one_member(t: &Take) -> Judged {
    let (id, look) = card(t)?;
    for (_, scheme) in schemes(&look)? {
        // Hybrid cards also carry 0.3 members such as type; those are nobody's business here.
        let count = SCHEMES.iter().filter(|name| scheme.member(name).is_some()).count();
        if count != 1 {
            return Ok(finding(id, &scheme, &format!("exactly one of {}", SCHEMES.join(", "))));
        }
    }
    Ok(Verdict::pass().seen_in(id))
}

fn members(t: &Take) -> Judged {
    let (id, look) = card(t)?;
    let mut judged = false;
    for (_, scheme) in schemes(&look)? {
        for (kind, required) in [
            ("apiKeySecurityScheme", &["location", "name"][..]),
            ("httpAuthSecurityScheme", &["scheme"]),
            ("oauth2SecurityScheme", &["flows"]),
            ("openIdConnectSecurityScheme", &["openIdConnectUrl"]),
        ] {
            let Some(body) = scheme.member(kind) else { continue };
            judged = true;
            for name in required {
                let there = body.member(name).is_some_and(|member| member.value.as_str() != Some(""));
                if !there {
                    return Ok(missing(id, &body, name, &format!("{name} in {kind}")));
                }
            }
            let location = body.member("location").filter(|_| kind == "apiKeySecurityScheme");
            if let Some(place) =
                location.filter(|place| !matches!(place.value.as_str(), Some("query" | "header" | "cookie")))
            {
                return Ok(finding(id, &place, "query, header or cookie"));
            }
        }
        judged |= scheme.member("mtlsSecurityScheme").is_some();
    }
    if judged { Ok(Verdict::pass().seen_in(id)) } else { Err(Verdict::blocked("no scheme has a form that 1.0 knows")) }
}

/// Every requirement list of the card: its own and those of its skills.
fn requirements<'a>(look: &Look<'a>) -> Vec<Look<'a>> {
    let own = look.member("securityRequirements");
    let skills = look.member("skills");
    let of_skills = skills.iter().flat_map(Look::elements).filter_map(|skill| skill.member("securityRequirements"));
    own.into_iter().chain(of_skills).collect()
}

fn requirement_shape(t: &Take) -> Judged {
    let (id, look) = card(t)?;
    let lists = requirements(&look);
    if lists.is_empty() {
        return Err(Verdict::not_applicable("the card requires no authentication by securityRequirements"));
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

fn resolve(t: &Take) -> Judged {
    let (id, look) = card(t)?;
    let declared = look.member("securitySchemes");
    let mut named = false;
    for list in requirements(&look) {
        for entry in list.elements() {
            for (name, place) in entry.member("schemes").iter().flat_map(Look::members) {
                named = true;
                if declared.as_ref().is_none_or(|schemes| !schemes.has(name)) {
                    let actual = format!("\"{name}\", which securitySchemes does not declare");
                    return Ok(Verdict::fail(id, "the name of a declared scheme", actual).at(place.at.as_str()));
                }
            }
        }
    }
    if named { Ok(Verdict::pass().seen_in(id)) } else { Err(Verdict::not_applicable("no requirement names a scheme")) }
}
