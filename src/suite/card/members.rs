//! The members of a card from 1.0 on: which it must have, their types, capabilities and provider; and credentials that no card may
//! show, with their patterns.

use super::reading::{all_of, card, finding, missing, of_card, provider, unless};
use crate::a2a::cursor::Cursor;
use crate::engine::detect::lists_interfaces;
use crate::engine::prelude::{Check, Judged, Scenario, Transcript, Verdict};
use crate::wire::json::Value;
use crate::wire::url::is_absolute_uri;

pub(super) static SCENARIO: Scenario = of_card("card-members", "Check the card's members", CHECKS);

const CHECKS: &[Check] = &[
    Check {
        id: "card.required-fields",
        title: "The card has every required member",
        why: "Clients parse the card into a type; a missing member, or one of the wrong type, makes parsing fail \
              before anything else happens.",
        fix: "Give the card name, description, supportedInterfaces, version, capabilities, defaultInputModes, \
              defaultOutputModes and skills, each with its required type.",
        judge: |t| card(t).and_then(|(id, card)| unless(id, lacking(id, &card, "supportedInterfaces"))),
        ..Check::tripped_by(&["card-no-description", "card-many-missing", "card-wrapped", "card-no-interfaces"])
    },
    Check {
        id: "card.required-arrays-nonempty",
        title: "Required arrays hold at least one element",
        why: "Without input modes, output modes or skills, a card does not show how the agent can be used.",
        fix: "List at least one media type in defaultInputModes and defaultOutputModes, and at least one skill.",
        advisory: Some("the specification's own canonicalisation example shows an empty skills array (1.0 §8.4.1)"),
        judge: arrays_nonempty,
        ..Check::tripped_by(&["card-empty-modes", "card-empty-skills"])
    },
    Check {
        id: "card.capability-types",
        title: "Capabilities have the right types",
        why: "Some clients ignore a capability of the wrong type, and others fail on it.",
        fix: "Write streaming, pushNotifications and every other flag as true or false, and extensions as an array of \
              objects.",
        judge: capability_types,
        ..Check::tripped_by(&["card-capability-text"])
    },
    Check {
        id: "card.provider-fields",
        title: "The provider has an organization and a URL",
        why: "A provider block promises a contact; half of one breaks strict parsers.",
        fix: "Give provider both organization and url, or leave it out.",
        judge: |t| provider(t, &["organization", "url"]),
        ..Check::tripped_by(&["card-provider-incomplete"])
    },
    Check {
        id: "card.urls-wellformed",
        title: "Optional URLs are URLs",
        why: "Tools display these as links.",
        fix: "Write documentationUrl, iconUrl and provider.url as absolute URLs, or leave them out.",
        judge: urls,
        ..Check::tripped_by(&["card-bad-documentation-url"])
    },
    Check {
        id: "discovery.no-secrets-in-card",
        title: "The public card contains no credentials",
        why: "Everybody can read the public card; a key in it is a key given away.",
        fix: "Remove secrets from the card, let clients obtain credentials out of band, and replace any secret that \
              was exposed.",
        requirements: &["discovery.no-secrets-in-card", "discovery.v01.no-secrets-in-authentication"],
        judge: |t| card(t).and_then(|(id, card)| no_secrets(id, &card, "no credential in a public card")),
        ..Check::tripped_by(&["card-secret"])
    },
    Check {
        id: "card.extended-capability-place",
        title: "Extended card support is declared in capabilities",
        why: "1.0 clients look for this flag only among the capabilities.",
        fix: "Declare capabilities.extendedAgentCard, either instead of or in addition to the older top-level flag.",
        judge: extended_place,
        ..Check::tripped_by(&["card-extended-legacy-flag"])
    },
];

/// The finding about the required members that a card lacks. `place` is where the card says how the agent is reached.
pub(super) fn lacking(id: u32, cursor: &Cursor<'_>, place: &'static str) -> Option<Verdict> {
    let text: fn(&Value) -> bool = Value::is_string;
    let members = [
        ("name", "a string", text),
        ("description", "a string", text),
        ("version", "a string", text),
        if place == "url" { (place, "a string", text) } else { (place, "an array", Value::is_array) },
        ("capabilities", "an object", Value::is_object),
        ("defaultInputModes", "an array", Value::is_array),
        ("defaultOutputModes", "an array", Value::is_array),
        ("skills", "an array", Value::is_array),
    ];
    let lacks = members.iter().filter_map(|(name, what, is)| {
        let expected = format!("{name}: {what}");
        let lack = match cursor.member(name) {
            Some(member) if is(member.value) && member.value.as_str() != Some("") => return None,
            Some(member) if is(member.value) => missing(id, cursor, name, &format!("{name}: a non-empty string")),
            Some(member) => finding(id, &member, &expected),
            None if *name == "supportedInterfaces" && cursor.has("url") => {
                let actual = "missing; the card has url, as in 0.3, where clients of 1.0 do not look";
                Verdict::fail(id, expected.as_str(), actual).at(cursor.at.key(name).as_str())
            }
            None => missing(id, cursor, name, &expected),
        };
        Some((*name, lack))
    });
    if let Some(lack) = all_of(lacks) {
        return Some(lack);
    }
    // 1.0 §5.7: without an interface there is no agent to talk to; the other arrays are advice (T-CARD-3).
    let interfaces = cursor.member("supportedInterfaces");
    if interfaces.is_some_and(|list| list.elements().next().is_none()) {
        return Some(missing(id, cursor, "supportedInterfaces", "at least one entry in supportedInterfaces"));
    }
    None
}

fn arrays_nonempty(t: &Transcript) -> Judged {
    let (id, cursor) = card(t)?;
    let is_empty =
        |name: &&str| cursor.member(name).is_some_and(|list| list.value.as_array().is_some_and(Vec::is_empty));
    let empty = ["defaultInputModes", "defaultOutputModes", "skills"].into_iter().find(is_empty);
    unless(id, empty.map(|name| missing(id, &cursor, name, &format!("at least one element in {name}"))))
}

fn capability_types(t: &Transcript) -> Judged {
    let (id, cursor) = card(t)?;
    let Some(capabilities) = cursor.member("capabilities").filter(|member| member.value.is_object()) else {
        return Err(Verdict::blocked("the card has no capabilities object"));
    };
    // The last is gone since 1.0, where nobody looks at it (T-CARD-17).
    let older = (!cursor.has("supportedInterfaces")).then_some("stateTransitionHistory");
    for name in ["streaming", "pushNotifications", "extendedAgentCard"].into_iter().chain(older) {
        if let Some(member) = capabilities.member(name).filter(|member| !member.value.is_boolean()) {
            return Ok(finding(id, &member, "true or false"));
        }
    }
    if let Some(extensions) = capabilities.member("extensions") {
        if !extensions.value.is_array() {
            return Ok(finding(id, &extensions, "an array of extension objects"));
        }
        if let Some(entry) = extensions.elements().find(|entry| !entry.value.is_object()) {
            return Ok(finding(id, &entry, "an extension object"));
        }
    }
    Ok(Verdict::pass().seen_in(id))
}

fn urls(t: &Transcript) -> Judged {
    let (id, cursor) = card(t)?;
    let of_provider = cursor.member("provider").and_then(|provider| provider.member("url"));
    let places = [cursor.member("documentationUrl"), cursor.member("iconUrl"), of_provider].into_iter().flatten();
    let filled: Vec<_> = places.filter(|place| place.value.as_str() != Some("")).collect();
    if filled.is_empty() {
        return Err(Verdict::excluded_by_card("the card sets none of these members"));
    }
    let odd = filled.iter().find(|place| !place.value.as_str().is_some_and(is_absolute_uri));
    unless(id, odd.map(|place| finding(id, place, "an absolute URL")))
}

/// Beginnings of well-known secret formats: long, unmistakable, and never part of prose.
const SECRET_STARTS: [&str; 8] =
    ["sk-live-", "sk-proj-", "sk-ant-", "ghp_", "github_pat_", "xoxb-", "AKIA", "-----BEGIN"];

/// Judges that no text of a card looks like a credential.
pub(super) fn no_secrets(id: u32, card: &Cursor<'_>, expected: &str) -> Judged {
    let mut places = vec![card.clone()];
    while let Some(place) = places.pop() {
        if let Some(start) = place.value.as_str().and_then(secret_in) {
            let actual = format!("text that looks like a credential (\"{start}...\")");
            return Ok(Verdict::fail(id, expected, actual).at(place.at.as_str()));
        }
        // Signatures are long and random, and public.
        places.extend(place.members().filter(|(name, _)| *name != "signatures").map(|(_, member)| member));
        places.extend(place.elements());
    }
    unless(id, None)
}

/// The start of a word that has the form of a credential: a known beginning followed by enough random characters.
fn secret_in(text: &str) -> Option<&'static str> {
    if text.contains("-----BEGIN") && text.contains("PRIVATE KEY") {
        return Some("-----BEGIN");
    }
    let words = text.split(|c: char| c.is_whitespace() || matches!(c, '=' | '"' | '\'' | ',' | ';' | ':'));
    for word in words {
        for start in SECRET_STARTS {
            let tail = word.strip_prefix(start).unwrap_or_default();
            let random = tail.len() >= 16
                && tail.bytes().any(|b| b.is_ascii_digit())
                && tail.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
            if random {
                return Some(start);
            }
        }
    }
    None
}

fn extended_place(t: &Transcript) -> Judged {
    let (id, cursor) = card(t)?;
    let capability = cursor.member("capabilities").and_then(|capabilities| capabilities.member("extendedAgentCard"));
    let newer = capability.is_some_and(|flag| flag.value == true);
    // T-CARD-7: a card that also serves 0.3 carries the older flag for its 0.3 readers.
    let serves_no_older = cursor.member("supportedInterfaces").is_some_and(|list| {
        list.elements().all(|entry| entry.text("protocolVersion").is_some_and(|version| lists_interfaces(&version)))
    });
    for name in ["supportsAuthenticatedExtendedCard", "supportsExtendedAgentCard"] {
        if let Some(flag) = cursor.member(name).filter(|flag| flag.value == true) {
            if newer || !serves_no_older {
                return Ok(Verdict::pass_with("declared in both places").seen_in(id));
            }
            let verdict = Verdict::fail(id, "capabilities.extendedAgentCard", format!("only the older {name}"));
            return Ok(verdict.at(flag.at.as_str()));
        }
    }
    if newer {
        return Ok(Verdict::pass().seen_in(id));
    }
    Err(Verdict::not_applicable("no extended card is declared"))
}

#[cfg(test)]
mod tests {
    use super::secret_in;

    #[test]
    fn secrets_are_told_from_prose_about_secrets() {
        assert_eq!(secret_in("api_key=sk-live-4f9d8c7b6a5e4d3c2b1a0f9e8d7c6b5a"), Some("sk-live-"));
        assert_eq!(secret_in("-----BEGIN RSA PRIVATE KEY-----\nMIIE"), Some("-----BEGIN"));
        for prose in [
            "Send Authorization: Bearer <token>",
            "sk-live-...",
            "keys begin with ghp_",
            "AKIA",
            "sk-live-your-key-goes-here",
        ] {
            assert_eq!(secret_in(prose), None, "{prose}");
        }
    }
}
