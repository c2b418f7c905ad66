//! The part of a card that is signed (1.0 §8.4), as canonical text in each of the forms that signers use. The specification says in
//! one place that required members stay when they have the default value, and in others that defaults are left out, and signers
//! differ in more than that. A signature counts when it is one of any of these texts.

use serde_json::Value;

use crate::wire::json::canonical;

/// Members that 1.0 §8.4.1 keeps though they hold a default: those that are required, or that know whether they were set.
const KEPT: [&str; 28] = [
    "name",
    "description",
    "supportedInterfaces",
    "version",
    "capabilities",
    "defaultInputModes",
    "defaultOutputModes",
    "skills",
    "documentationUrl",
    "iconUrl",
    "streaming",
    "pushNotifications",
    "extendedAgentCard",
    "url",
    "protocolBinding",
    "protocolVersion",
    "organization",
    "id",
    "tags",
    "location",
    "scheme",
    "flows",
    "openIdConnectUrl",
    "authorizationUrl",
    "tokenUrl",
    "deviceAuthorizationUrl",
    "scopes",
    "list",
];

/// Members that are maps, whose default is to be empty; another empty object is a message that was set.
const MAPS: [&str; 2] = ["securitySchemes", "schemes"];

/// Which members go: by name (none for the element of a list) and value, once their own members are gone.
type Removal = fn(Option<&str>, &Value) -> bool;

/// The texts that a signature of a card may be of, each with what it is; an error for a number whose canonical form is beyond us.
pub fn forms(card: &Value) -> Result<Vec<(&'static str, String)>, &'static str> {
    let mut card = card.clone();
    if let Value::Object(map) = &mut card {
        map.shift_remove("signatures");
    }
    let stated = pruned(&card, stated_default);
    let bare = pruned(&card, |_, value| is_empty(value));
    let least = pruned(&card, |name, value| name.is_some() && (is_empty(value) || is_zero(value)));
    let forms = [
        ("the canonical form of 1.0 §8.4.1", &stated, false),
        ("the card as it is served", &card, false),
        ("the card without its empty members", &bare, false),
        ("the card without its empty members, written in ASCII", &bare, true),
        ("the card without default values", &least, false),
    ];
    let text = |(what, card, ascii): (&'static str, &Value, bool)| Some((what, canonical(card, ascii)?));
    forms.into_iter().map(text).collect::<Option<_>>().ok_or("the card contains numbers that are not integers")
}

/// Whether a value is null, or has nothing in it.
pub(super) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

fn is_zero(value: &Value) -> bool {
    *value == false || *value == 0
}

fn stated_default(name: Option<&str>, value: &Value) -> bool {
    let Some(name) = name else { return false };
    let default =
        if value.is_object() { MAPS.contains(&name) && is_empty(value) } else { is_empty(value) || is_zero(value) };
    value.is_null() || (default && !KEPT.contains(&name))
}

fn pruned(value: &Value, gone: Removal) -> Value {
    match value {
        Value::Object(map) => map
            .iter()
            .map(|(name, value)| (name, pruned(value, gone)))
            .filter(|(name, value)| !gone(Some(name.as_str()), value))
            .map(|(name, value)| (name.clone(), value))
            .collect(),
        Value::Array(list) => list.iter().map(|value| pruned(value, gone)).filter(|value| !gone(None, value)).collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_example_of_the_specification_has_its_canonical_form() {
        let card = json!({
            "name": "Example Agent", "description": "", "signatures": [{"protected": "x", "signature": "y"}],
            "capabilities": {"streaming": false, "pushNotifications": false, "extensions": []}, "skills": []
        });
        let forms = forms(&card).unwrap();
        let texts: Vec<_> = forms.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(
            texts,
            [
                r#"{"capabilities":{"pushNotifications":false,"streaming":false},"description":"","name":"Example Agent","skills":[]}"#,
                r#"{"capabilities":{"extensions":[],"pushNotifications":false,"streaming":false},"description":"","name":"Example Agent","skills":[]}"#,
                r#"{"capabilities":{"pushNotifications":false,"streaming":false},"name":"Example Agent"}"#,
                r#"{"capabilities":{"pushNotifications":false,"streaming":false},"name":"Example Agent"}"#,
                r#"{"name":"Example Agent"}"#,
            ]
        );
    }

    #[test]
    fn a_card_with_fractions_has_no_form_that_we_know() {
        assert!(forms(&json!({"skills": [{"weight": 0.5}]})).is_err());
    }
}
