//! The checks of cards before 1.0: required members, transports and their URLs, skills, provider, security and 0.1's
//! authentication.

use super::reading::{
    card, extensions, finding, is_filled, is_list_of_texts, lacks, lacks_text, listed, missing, of_card, provider,
    skills, unless,
};
use crate::a2a::cursor::Cursor;
use crate::engine::detect::{lists_interfaces, near_name};
use crate::engine::prelude::{Check, Judged, Scenario, Transcript, Verdict};
use crate::wire::json::Value;
use crate::wire::place_index::PlaceIndex;

pub(super) static SCENARIO: Scenario = of_card("card-older", "Check what cards contained before 1.0", CHECKS);

const CHECKS: &[Check] = &[
    Check {
        id: "card.release-candidate",
        title: "The card belongs to a released version",
        why: "The release candidate of 1.0 differs from 1.0 in its card, its parameters and its errors, and released \
              clients do not speak it.",
        fix: "Move to 1.0: protocolVersion on every interface, returnImmediately, flat push notification configs.",
        requirements: &["card.interface-required-fields"],
        judge: released,
        ..Check::tripped_by(&["card-release-candidate"])
    },
    Check {
        id: "card.older-required-fields",
        title: "The card has every required member of its version",
        why: "Clients parse the card into a type; a missing member, or one of the wrong type, makes parsing fail \
              before anything else happens.",
        fix: "Give the card name, description, url, version, capabilities, defaultInputModes, defaultOutputModes and \
              skills, each with its required type, and from 0.2.5 on protocolVersion.",
        requirements: &["card.v03.required-fields"],
        judge: required,
        ..Check::tripped_by(&["card-no-description", "card-many-missing", "card-no-url"])
    },
    Check {
        id: "card.first-required-fields",
        title: "The card has every required member of 0.1",
        why: "0.1 requires only these few members, and clients rely on them.",
        fix: "Give the card name, url, version, capabilities and skills, each with its required type.",
        requirements: &["card.v01.required-fields"],
        judge: |t| card(t).and_then(|(id, card)| lacking(id, &card, &REQUIRED_0_1)),
        ..Check::tripped_by(&["card-no-version"])
    },
    Check {
        id: "card.first-description",
        title: "The card describes the agent",
        why: "0.1 lets a card do without a description, and then nobody knows what the agent is for; every later version \
              requires one.",
        fix: "Give the card a description: one sentence on what the agent does.",
        requirements: &["card.v01.description"],
        judge: |t| card(t).and_then(|(id, card)| unless(id, lacks_text(id, &card, &["description"]))),
        ..Check::tripped_by(&["card-no-description"])
    },
    Check {
        id: "card.first-skill-fields",
        title: "Each skill has id and name",
        why: "Without an id and a name, nobody can refer to a skill.",
        fix: "Give every skill an id and a name.",
        requirements: &["card.v01.skill-fields"],
        judge: |t| have_texts(t, skills, &["id", "name"]),
        ..Check::tripped_by(&["card-skill-no-id"])
    },
    Check {
        id: "card.first-skill-modes",
        title: "Each skill has input and output modes",
        why: "A skill's modes tell a client what to send and what to expect.",
        fix: "Set inputModes and outputModes on every skill, or rely on the card's defaults.",
        requirements: &["card.v01.skill-modes"],
        judge: skill_modes,
        ..Check::tripped_by(&["card-skill-no-modes"])
    },
    Check {
        id: "card.preferred-transport",
        title: "preferredTransport is set",
        why: "Without it, a client has to guess which transport url serves.",
        fix: "Set preferredTransport to the transport that url serves: JSONRPC, GRPC or HTTP+JSON.",
        requirements: &["card.v03.preferred-transport"],
        advisory: Some("the schema makes it optional, with JSONRPC as the default"),
        judge: |t| {
            card(t)
                .and_then(|(id, card)| lacking(id, &card, &[("preferredTransport", "a non-empty string", is_filled)]))
        },
        ..Check::tripped_by(&["card-no-preferred-transport"])
    },
    Check {
        id: "card.additional-interfaces",
        title: "Additional interfaces have url and transport",
        why: "Without both, no client can call the entry.",
        fix: "Give every entry of additionalInterfaces a url and a transport.",
        requirements: &["card.v03.additional-interfaces-shape"],
        judge: |t| have_texts(t, interfaces, &["url", "transport"]),
        ..Check::tripped_by(&["card-additional-incomplete"])
    },
    Check {
        id: "card.additional-complete",
        title: "Additional interfaces repeat the main one",
        why: "Clients that choose only from the list do not find the main endpoint.",
        fix: "List url with preferredTransport among additionalInterfaces too.",
        requirements: &["card.v03.additional-interfaces-complete"],
        judge: repeats,
        ..Check::tripped_by(&["card-additional-lacks-main"])
    },
    Check {
        id: "card.distinct-urls",
        title: "Each transport has a URL of its own",
        why: "Clients tell transports apart by their URLs; at one URL, most servers speak only one.",
        fix: "Serve each transport at its own URL, or remove the entries of transports that the URL does not speak.",
        requirements: &["card.v03.distinct-urls"],
        judge: distinct_urls,
        ..Check::tripped_by(&["card-one-url"])
    },
    Check {
        id: "card.first-provider",
        title: "The provider has an organization",
        why: "A provider block without a name does not say who provides the agent.",
        fix: "Give provider an organization, or leave it out.",
        requirements: &["card.v01.provider"],
        judge: |t| provider(t, &["organization"]),
        ..Check::tripped_by(&["card-provider-unnamed"])
    },
    Check {
        id: "card.transport-names",
        title: "Transports have core names",
        why: "Clients ignore a transport they do not know.",
        fix: "Use JSONRPC, GRPC or HTTP+JSON exactly.",
        requirements: &["card.v03.transport-core-value"],
        judge: names,
        ..Check::tripped_by(&["card-transport-misspelled"])
    },
    Check {
        id: "card.older-extension-uri",
        title: "Extension declarations carry a URI, as their version requires",
        why: "Clients cannot activate an extension without its URI.",
        fix: "Give every entry of capabilities.extensions a uri.",
        requirements: &["card.v03.extension-uri"],
        judge: |t| have_texts(t, extensions, &["uri"]),
        ..Check::tripped_by(&["card-extension-no-uri"])
    },
    Check {
        id: "card.older-security-schemes",
        title: "Security schemes have their type and its members",
        why: "Without these, a client knows that it must authenticate but not how.",
        fix: "Give every scheme its type and the members that type needs: in and name for apiKey, scheme for http, \
              flows for oauth2, openIdConnectUrl for openIdConnect.",
        requirements: &["card.v03.security-scheme-shape"],
        judge: schemes,
        ..Check::tripped_by(&["card-scheme-incomplete"])
    },
    Check {
        id: "card.older-security",
        title: "security lists schemes with their scopes",
        why: "Clients may read requirements of another shape as \"nothing is required\".",
        fix: "Write security as [{\"name\": [\"scope\"]}].",
        requirements: &["card.v03.security-shape"],
        judge: security,
        ..Check::tripped_by(&["card-security-odd"])
    },
    Check {
        id: "card.authentication",
        title: "authentication lists its schemes",
        why: "Clients read the schemes to learn how to authenticate.",
        fix: "Write authentication as {\"schemes\": [\"Bearer\"]}, with a credentials string beside it if it needs \
              more.",
        requirements: &["card.v01.authentication-shape"],
        judge: authentication,
        ..Check::tripped_by(&["card-authentication-odd"])
    },
    Check {
        id: "card.credentials",
        title: "credentials describe oauth2 and apiKey",
        why: "A client cannot use the scheme without its URL or header name.",
        fix: "In credentials, state where oauth2 tokens come from (tokenUrl) and which header carries an apiKey \
              (headerName).",
        requirements: &["card.v01.credentials"],
        judge: credentials,
        ..Check::tripped_by(&["card-credentials-silent"])
    },
];

fn released(t: &Transcript) -> Judged {
    let (id, cursor) = card(t)?;
    let actual = "the release candidate's layout: protocolVersions on the card, no protocolVersion on its interfaces";
    let finding = || Verdict::fail(id, "a card of 1.0 or of an older version", actual);
    unless(id, t.facts.candidate.then(|| finding().at(cursor.at.key("protocolVersions").as_str())))
}

/// A member, what it is to be, and whether a value is that.
type WantedMember = (&'static str, &'static str, fn(&Value) -> bool);

/// How the entries of one of the card's lists are found.
type Entries = for<'a> fn(&Cursor<'a>) -> Result<Vec<Cursor<'a>>, Verdict>;

fn lacking(id: u32, cursor: &Cursor<'_>, wanted: &[WantedMember]) -> Judged {
    unless(id, lacks(id, cursor, wanted.iter().map(|(name, what, is)| (*name, format!("{name}: {what}"), *is))))
}

const REQUIRED_0_1: [WantedMember; 5] = [
    ("name", "a non-empty string", is_filled),
    ("url", "a non-empty string", is_filled),
    ("version", "a non-empty string", is_filled),
    ("capabilities", "an object", Value::is_object),
    ("skills", "an array", Value::is_array),
];

const REQUIRED: [WantedMember; 3] = [
    ("description", "a non-empty string", is_filled),
    ("defaultInputModes", "an array", Value::is_array),
    ("defaultOutputModes", "an array", Value::is_array),
];

fn required(t: &Transcript) -> Judged {
    let (id, cursor) = card(t)?;
    let verdict = lacking(id, &cursor, &[REQUIRED_0_1.as_slice(), &REQUIRED].concat())?;
    if verdict.expected.is_some() {
        return Ok(verdict);
    }
    // Before 0.2.5 there was none, and such cards are told by other members.
    let name = "protocolVersion";
    let expected = format!("{name}: a string");
    match cursor.member(name) {
        Some(version) if !version.value.is_string() => Ok(finding(id, &version, &expected)),
        // Clients of the version that it names find no interface in it, and clients of its own version do not know that one.
        Some(version) if version.value.as_str().is_some_and(lists_interfaces) => {
            let expected = format!("{name}: the version of the card's layout and of the agent, such as 0.3.0");
            let named = version.value.as_str().unwrap_or_default();
            let actual = format!("{named}, whose cards list their interfaces in supportedInterfaces; this one has url");
            Ok(Verdict::fail(id, expected, actual).at(version.at.as_str()))
        }
        None if near_name(&cursor, name).is_some() => Ok(missing(id, &cursor, name, &expected)),
        _ => Ok(Verdict::pass().seen_in(id)),
    }
}

/// Judges that each entry of a list has these members as non-empty texts.
fn have_texts(t: &Transcript, entries: Entries, names: &[&str]) -> Judged {
    let (id, cursor) = card(t)?;
    unless(id, entries(&cursor)?.iter().find_map(|entry| lacks_text(id, entry, names)))
}

fn skill_modes(t: &Transcript) -> Judged {
    let (id, cursor) = card(t)?;
    let mut modes =
        skills(&cursor)?.into_iter().flat_map(|skill| ["inputModes", "outputModes"].map(|name| (skill.clone(), name)));
    let is_empty =
        |(skill, name): &(Cursor<'_>, &str)| skill.member(name).is_none_or(|list| list.elements().next().is_none());
    let lack = modes.find(is_empty);
    unless(id, lack.map(|(skill, name)| missing(id, &skill, name, &format!("at least one mode in {name}"))))
}

fn interfaces<'a>(cursor: &Cursor<'a>) -> Result<Vec<Cursor<'a>>, Verdict> {
    listed(cursor, "additionalInterfaces", || Verdict::excluded_by_card("the card lists no additional interface"))
}

fn repeats(t: &Transcript) -> Judged {
    let (id, cursor) = card(t)?;
    let entries = interfaces(&cursor)?;
    let preferred = cursor.text("preferredTransport").unwrap_or_else(|| "JSONRPC".to_owned());
    let main = cursor.text("url").unwrap_or_default();
    let there = entries
        .iter()
        .any(|entry| entry.text("url").as_ref() == Some(&main) && entry.text("transport").as_ref() == Some(&preferred));
    let finding = || Verdict::fail(id, format!("an entry for {preferred} at {main}"), "none");
    unless(id, (!there).then(|| finding().at(cursor.at.key("additionalInterfaces").as_str())))
}

/// T-CARD-18: one URL for several transports is allowed where it speaks them all.
fn distinct_urls(t: &Transcript) -> Judged {
    let (id, cursor) = card(t)?;
    let main = cursor.text("preferredTransport").unwrap_or_else(|| "JSONRPC".to_owned());
    let first = cursor.text("url").unwrap_or_default();
    let mut places = PlaceIndex::default();
    places.insert(&[&first], 0);
    let mut known = vec![(first, main)];
    for entry in interfaces(&cursor)? {
        let (Some(url), Some(transport)) = (entry.text("url"), entry.text("transport")) else { continue };
        let place = places.find(&[&url]);
        // All at one URL are of one transport as long as none of another was met.
        let of_url = place.and_then(|place| known.get(place));
        if let Some((_, other)) = of_url.filter(|(_, other)| *other != transport) {
            let expected = format!("another URL for {transport} than for {other}");
            return Ok(Verdict::fail(id, expected, url).at(entry.at.key("url").as_str()));
        }
        if place.is_none() {
            places.insert(&[&url], known.len());
            known.push((url, transport));
        }
    }
    Ok(Verdict::pass().seen_in(id))
}

fn names(t: &Transcript) -> Judged {
    let (id, cursor) = card(t)?;
    let entries = cursor.member("additionalInterfaces");
    let transports = entries.iter().flat_map(Cursor::elements).filter_map(|entry| entry.member("transport"));
    let odd = cursor
        .member("preferredTransport")
        .into_iter()
        .chain(transports)
        .find(|name| !matches!(name.value.as_str(), Some("JSONRPC" | "GRPC" | "HTTP+JSON")));
    unless(id, odd.map(|name| finding(id, &name, "JSONRPC, GRPC or HTTP+JSON")))
}

fn schemes(t: &Transcript) -> Judged {
    let (id, cursor) = card(t)?;
    let Some(map) = cursor.member("securitySchemes").filter(|map| map.members().next().is_some()) else {
        return Err(Verdict::excluded_by_card("the card declares no security scheme"));
    };
    for (_, scheme) in map.members() {
        let required: &[&str] = match scheme.text("type").as_deref() {
            Some("apiKey") => &["in", "name"],
            Some("http") => &["scheme"],
            Some("openIdConnect") => &["openIdConnectUrl"],
            Some("oauth2" | "mutualTLS") => &[],
            _ => return Ok(finding(id, &scheme, "a type: apiKey, http, oauth2, openIdConnect or mutualTLS")),
        };
        if let Some(lack) = lacks_text(id, &scheme, required) {
            return Ok(lack);
        }
        let flows = scheme.member("flows").is_some_and(|flows| flows.value.is_object());
        if scheme.text("type").as_deref() == Some("oauth2") && !flows {
            return Ok(missing(id, &scheme, "flows", "flows: an object"));
        }
    }
    Ok(Verdict::pass().seen_in(id))
}

fn security(t: &Transcript) -> Judged {
    let (id, cursor) = card(t)?;
    let Some(list) = cursor.member("security") else {
        return Err(Verdict::excluded_by_card("the card requires no credentials"));
    };
    if !list.value.is_array() {
        return Ok(finding(id, &list, "an array"));
    }
    let has_scopes = |entry: &Cursor<'_>| entry.value.as_object().is_some_and(|map| map.values().all(is_list_of_texts));
    let odd = list.elements().find(|entry| !has_scopes(entry));
    unless(id, odd.map(|entry| finding(id, &entry, "{name: [scope]}")))
}

/// 0.1's authentication block; `null` and nothing are the same (0.1 §5.5.3).
fn block<'a>(cursor: &Cursor<'a>) -> Result<Cursor<'a>, Verdict> {
    cursor.member("authentication").ok_or_else(|| Verdict::excluded_by_card("the card has no authentication block"))
}

fn authentication(t: &Transcript) -> Judged {
    let (id, cursor) = card(t)?;
    let block = block(&cursor)?;
    lacking(id, &block, &[("schemes", "an array of strings", is_list_of_texts)])
}

fn credentials(t: &Transcript) -> Judged {
    let (id, cursor) = card(t)?;
    let block = block(&cursor)?;
    let is_wanted = |name: &Value, wanted: &str| name.as_str().is_some_and(|name| name.eq_ignore_ascii_case(wanted));
    let list = block.member("schemes");
    let named = |wanted| list.iter().flat_map(Cursor::elements).any(|name| is_wanted(name.value, wanted));
    // A text of JSON, as the schema has it, or the object itself, as people write it.
    let held = block.member("credentials").map(|member| match member.value.as_str() {
        Some(text) => text.to_owned(),
        None => member.value.to_string(),
    });
    let mut asked = false;
    for (scheme, member) in [("oauth2", "tokenUrl"), ("apiKey", "headerName")] {
        if named(scheme) {
            asked = true;
            if !held.as_ref().is_some_and(|text| text.contains(member)) {
                return Ok(missing(id, &block, "credentials", &format!("{member} for {scheme} in credentials")));
            }
        }
    }
    if asked { Ok(Verdict::pass().seen_in(id)) } else { Err(Verdict::not_applicable("no scheme needs a description")) }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use serde_json::json;

    use super::*;
    use crate::a2a::binding::ReplyKind;
    use crate::engine::run::DISCOVERY;
    use crate::engine::transcript::examples::{recorded, step};

    #[test]
    fn the_version_that_a_card_names_is_a_text_and_one_of_its_layout() {
        for (version, actual) in [
            (json!("0.3.0"), None),
            (json!(0.3), Some("0.3")),
            (json!("1.0"), Some("1.0, whose cards list their interfaces in supportedInterfaces; this one has url")),
        ] {
            let mut card = step("card", 1, ReplyKind::Unreadable("a card".to_owned()));
            card.reply.document = Some(Rc::new(json!({
                "name": "a", "description": "b", "url": "https://a.test/", "version": "1", "protocolVersion": version,
                "capabilities": {}, "skills": [], "defaultInputModes": ["text"], "defaultOutputModes": ["text"],
            })));
            let before = vec![Rc::new(recorded(DISCOVERY, [card]))];
            let found = required(&Transcript { before, ..recorded("card-older", []) }).unwrap();
            assert_eq!(found.actual.as_deref(), actual, "{version}");
        }
    }
}
