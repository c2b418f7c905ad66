//! Reading agent cards: no JSON makes it panic, and a member that is broken costs only itself.

use a2a_conformance::a2a::dialect::DIALECTS;
use a2a_conformance::a2a::model::Card;
use a2a_conformance::engine::detect::{detect, force, join, read};
use a2a_conformance::wire::json::{Value, parse};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Map, json};

use super::config;
use super::json::{changes, document, mutated};

/// A card of each layout with every member that is read.
fn cards() -> [Value; 3] {
    let capabilities = json!({
        "streaming": true, "pushNotifications": true, "extendedAgentCard": true, "stateTransitionHistory": true,
        "extensions": [{ "uri": "https://e.test/1", "required": true }, { "uri": "https://e.test/2" }],
    });
    let shared = json!({
        "name": "n", "version": "1", "description": "d", "capabilities": capabilities,
        "defaultInputModes": ["text/plain", "application/json"],
        "skills": [{ "id": "a", "examples": ["one", "two"] }, { "id": "b" }],
    });
    let with = |members: Value| -> Value {
        let [Value::Object(shared), Value::Object(members)] = [shared.clone(), members] else { panic!("objects") };
        shared.into_iter().chain(members).collect::<Map<_, _>>().into()
    };
    [
        with(json!({
            "supportedInterfaces": [
                { "url": "https://a.test/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0", "tenant": "t" },
                { "url": "https://a.test/v1", "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0" },
            ],
            "securityRequirements": [{ "schemes": { "bearer": { "list": [] } } }],
        })),
        with(json!({
            "url": "https://a.test/rpc", "preferredTransport": "JSONRPC", "protocolVersion": "0.3.0",
            "additionalInterfaces": [{ "url": "https://a.test/v1", "transport": "HTTP+JSON" }],
            "security": [{ "bearer": [] }], "supportsAuthenticatedExtendedCard": true,
        })),
        with(json!({ "url": "https://a.test/rpc", "authentication": { "schemes": ["Bearer"] } })),
    ]
}

/// The rules that the reading of a card notes for each of its members.
fn readings(card: &Card) -> Vec<(&'static [&'static str], String)> {
    let Card { name, version, skills, input_modes, interfaces, .. } = card;
    vec![
        (&["name"], format!("{name:?}")),
        (&["version"], format!("{version:?}")),
        (&["skills"], format!("{skills:?}")),
        (&["defaultInputModes"], format!("{input_modes:?}")),
        (
            &["supportedInterfaces", "url", "preferredTransport", "additionalInterfaces", "protocolVersion"],
            format!("{interfaces:?}"),
        ),
        (
            &["capabilities"],
            format!("{:?}", (card.streaming, card.push_notifications, card.state_history, &card.extensions)),
        ),
        (&["capabilities", "supportsAuthenticatedExtendedCard"], format!("{:?}", card.extended_card)),
        (&["securityRequirements", "security", "authentication"], format!("{:?}", card.requires_auth)),
    ]
}

/// Every place in a value that is not the whole.
fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    let inner: Vec<(String, &Value)> = match value {
        Value::Object(members) => members.iter().map(|(name, value)| (format!("{at}/{name}"), value)).collect(),
        Value::Array(elements) => (0..).zip(elements).map(|(index, value)| (format!("{at}/{index}"), value)).collect(),
        _ => Vec::new(),
    };
    for (at, value) in inner {
        places(value, &at, found);
        found.push(at);
    }
}

/// Reads a document in every way that there is, and checks what each must keep.
fn check(document: &Value) -> Result<(), TestCaseError> {
    let detected = detect(document);
    prop_assert!(!detected.why.is_empty());
    let mut card = read(document, &detected);
    prop_assert_eq!(&card.raw, document);
    for dialect in DIALECTS {
        let (forced, _) = force(document, dialect);
        prop_assert_eq!(&forced.raw, document);
        prop_assert!(forced.interfaces.iter().all(|interface| !interface.url.is_empty()));
        join(&mut card, &forced);
        let bindings: Vec<&str> = card.interfaces.iter().map(|interface| interface.binding.as_str()).collect();
        prop_assert!(forced.interfaces.iter().all(|listed| bindings.contains(&listed.binding.as_str())));
    }
    Ok(())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn any_json_is_read_as_a_card_and_kept(
        document in document(), name in select(vec!["url", "skills", "capabilities"]),
    ) {
        let value = parse(document.text.as_bytes()).value.expect("JSON");
        check(&value)?;
        for card in cards() {
            let mut card = card;
            card[name] = value.clone();
            check(&card)?;
        }
    }

    #[test]
    fn a_card_with_bytes_changed_is_read_if_it_still_is_json(card in 0..3_usize, changes in changes()) {
        let bytes = cards()[card].to_string().into_bytes();
        if let Some(value) = parse(&mutated(bytes, changes)).value {
            check(&value)?;
        }
    }

    #[test]
    fn a_member_that_is_broken_costs_only_itself(card in 0..3_usize, at: Index, put in document()) {
        let card = &cards()[card];
        let detected = detect(card);
        let mut found = Vec::new();
        places(card, "", &mut found);
        let place = &found[at.index(found.len())];
        let mut broken = card.clone();
        *broken.pointer_mut(place).expect("a place of the card") = parse(put.text.as_bytes()).value.expect("JSON");
        check(&broken)?;
        let member = place.split('/').nth(1).unwrap_or_default();
        let (before, after) = (readings(&read(card, &detected)), readings(&read(&broken, &detected)));
        for ((members, before), (_, after)) in before.into_iter().zip(after) {
            prop_assert!(members.contains(&member) || before == after, "{place}: {before} {after}");
        }
    }

    #[test]
    fn an_element_that_is_broken_leaves_its_neighbours(at in 0..3_usize, put in document()) {
        let interface = |url: &str| json!({ "url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0" });
        let mut list = vec![interface("https://a.test/"), interface("https://b.test/")];
        list.insert(at, parse(put.text.as_bytes()).value.expect("JSON"));
        let document = json!({ "supportedInterfaces": list });
        let urls: Vec<String> =
            read(&document, &detect(&document)).interfaces.into_iter().map(|interface| interface.url).collect();
        prop_assert_eq!(urls, ["https://a.test/", "https://b.test/"]);
    }
}
