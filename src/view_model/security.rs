//! A card's security schemes and requirements, and its signatures, in words.

use serde_json::Value;

use crate::wire::base64::URL_SAFE;
use crate::wire::json;

/// The schemes of a card, and which of them a call needs.
#[must_use]
pub fn facts(card: &Value) -> Vec<(String, String)> {
    let schemes = card.get("securitySchemes").and_then(Value::as_object);
    let schemes = schemes.into_iter().flatten().map(|(name, scheme)| (name.clone(), scheme_in_words(scheme)));
    // 0.1 and 0.2 have a list of names.
    let old = card.pointer("/authentication/schemes").and_then(Value::as_array);
    let old = old.into_iter().flatten().filter_map(Value::as_str).map(|name| ("Scheme".to_owned(), name.to_owned()));
    let wanted = ["securityRequirements", "security"].into_iter().find_map(|list| card.get(list)?.as_array());
    let wanted: Vec<String> = wanted.into_iter().flatten().map(requirement_in_words).collect();
    let calls = (!wanted.is_empty()).then(|| ("Calls need".to_owned(), wanted.join("; or ")));
    schemes.chain(old).chain(calls).collect()
}

fn scheme_in_words(scheme: &Value) -> String {
    // 1.0 has a member for each kind of scheme, older versions a `type`.
    let wrapped = scheme.as_object().filter(|_| scheme.get("type").is_none()).and_then(|members| members.iter().next());
    let (kind, inner) = match wrapped {
        Some((name, inner)) => (name.trim_end_matches("SecurityScheme"), inner),
        None => (scheme.get("type").and_then(Value::as_str).unwrap_or("a scheme without a type"), scheme),
    };
    let text = |member: &str| inner.get(member).and_then(Value::as_str);
    let place = text("location").or_else(|| text("in"));
    let parts = [
        text("scheme").map(str::to_owned),
        text("bearerFormat").map(|format| format!("({format})")),
        text("name").map(|name| format!("{name} in {}", place.unwrap_or("an unnamed place"))),
        text("openIdConnectUrl").or_else(|| text("oauth2MetadataUrl")).map(str::to_owned),
        inner.get("flows").and_then(Value::as_object).map(|flows| flows.keys().cloned().collect::<Vec<_>>().join(", ")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    format!("{kind} {}", parts.join(" ")).trim_end().chars().take(500).collect()
}

fn requirement_in_words(requirement: &Value) -> String {
    let schemes = requirement.get("schemes").unwrap_or(requirement).as_object();
    let one = |(name, scopes): (&String, &Value)| {
        let scopes = scopes.get("list").unwrap_or(scopes).as_array();
        let scopes: Vec<&str> = scopes.into_iter().flatten().filter_map(Value::as_str).collect();
        if scopes.is_empty() { name.clone() } else { format!("{name} with {}", scopes.join(" ")) }
    };
    let all: Vec<String> = schemes.into_iter().flatten().map(one).collect();
    if all.is_empty() { "nothing".to_owned() } else { all.join(" and ") }
}

/// The signatures of a card: what each says of how it was made.
#[must_use]
pub fn signatures(card: &Value) -> Vec<(String, String)> {
    let list = card.get("signatures").and_then(Value::as_array);
    let signature = |(at, signature): (usize, &Value)| {
        let header = signature.get("protected").and_then(Value::as_str);
        let header = header.and_then(|text| URL_SAFE.decode(text)).and_then(|bytes| json::read(&bytes));
        let words = header.as_ref().map_or_else(
            || "its protected header cannot be read".to_owned(),
            |header| {
                let member =
                    |name: &str| header.get(name).and_then(Value::as_str).map(|value| format!("{name} {value}"));
                ["alg", "kid", "typ", "jku"].into_iter().filter_map(member).collect::<Vec<_>>().join(", ")
            },
        );
        (format!("Signature {}", at + 1), words.chars().take(500).collect())
    };
    list.into_iter().flatten().take(20).enumerate().map(signature).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn schemes_of_every_version_are_said_in_words() {
        let card = json!({
            "securitySchemes": {
                "b": {"httpAuthSecurityScheme": {"scheme": "Bearer", "bearerFormat": "JWT"}},
                "k": {"type": "apiKey", "name": "X-Key", "in": "header"},
                "o": {"type": "oauth2", "flows": {"clientCredentials": {}, "deviceCode": {}}},
                "x": 7,
            },
            "securityRequirements": [{"schemes": {"b": {"list": []}, "o": {"list": ["read"]}}}, {"schemes": {}}],
        });
        let facts = facts(&card);
        let of = |name: &str| facts.iter().find(|(known, _)| known == name).map_or("", |(_, words)| words.as_str());
        assert_eq!(of("b"), "httpAuth Bearer (JWT)");
        assert_eq!(of("k"), "apiKey X-Key in header");
        assert_eq!(of("o"), "oauth2 clientCredentials, deviceCode");
        assert_eq!(of("x"), "a scheme without a type");
        assert_eq!(of("Calls need"), "b and o with read; or nothing");
        assert_eq!(super::facts(&json!({"security": [{"k": []}]}))[0].1, "k");
        assert_eq!(super::facts(&json!({"authentication": {"schemes": ["basic"]}}))[0].1, "basic");
    }

    #[test]
    fn a_signature_says_how_it_was_made() {
        // {"alg":"ES256","kid":"k1"}
        let card = json!({"signatures": [{"protected": "eyJhbGciOiJFUzI1NiIsImtpZCI6ImsxIn0"}, {"protected": "!"}, 7]});
        let words: Vec<String> = signatures(&card).into_iter().map(|(_, words)| words).collect();
        let broken = "its protected header cannot be read";
        assert_eq!(words, ["alg ES256, kid k1", broken, broken]);
    }
}
