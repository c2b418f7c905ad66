//! Reads the security schemes of a card, in any dialect: for a form that offers them, and for fetching a token.

use super::plural::count_of;
use crate::a2a::dialect::SCHEME_KINDS;
use crate::wire::json::Value;
use crate::wire::limits::MOST_SCHEMES;
use crate::wire::place_index::IdentitySet;

/// A security scheme that a card names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SecurityScheme {
    /// `Authorization: Bearer`.
    Bearer,
    /// `Authorization: Basic`.
    Basic,
    /// A key in a header field or in the query.
    Key {
        /// The name of the field or of the parameter.
        name: String,
        /// Whether it is a parameter of the query.
        in_query: bool,
    },
    /// A flow of OAuth 2.0.
    OAuth {
        /// Where tokens are fetched from; empty when the flow does not say.
        token_url: String,
        /// Where people sign in, in the authorization code flow; else empty.
        authorize_url: String,
        /// The device authorization endpoint, in the device flow; else empty.
        device_url: String,
        /// The scopes that the card requires of a token, with spaces between.
        scopes: String,
    },
    /// An authorization server that describes itself: an OpenID provider, or one with metadata of OAuth 2.0 (RFC 8414).
    OpenId {
        /// Where its description is.
        url: String,
        /// As above.
        scopes: String,
    },
    /// A scheme that this checker does not support, by its name.
    Other(String),
}

impl SecurityScheme {
    /// Its name, for people: `bearer token`.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Bearer => "a bearer token",
            Self::Basic => "HTTP Basic",
            Self::Key { .. } => "an API key",
            Self::OAuth { .. } => "OAuth 2.0",
            Self::OpenId { .. } => "OpenID Connect",
            Self::Other(name) => name,
        }
    }
}

/// The flows that a client can use, the most fitting first. The others are not for programs, or deprecated.
const FLOWS: [&str; 3] = ["clientCredentials", "authorizationCode", "deviceCode"];

/// The names of schemes that are given in a way of their own: a certificate, and a key in a cookie.
pub const MUTUAL_TLS: &str = "mutualTLS";
/// The second of them.
pub const COOKIE: &str = "a cookie";

/// The schemes of a card, each once, in the card's order.
#[must_use]
pub fn schemes_of(card: &Value) -> Vec<SecurityScheme> {
    let mut found: Vec<SecurityScheme> = Vec::new();
    let mut add = |scheme: SecurityScheme| {
        if !found.contains(&scheme) {
            found.push(scheme);
        }
    };
    let declared = card.get("securitySchemes").and_then(Value::as_object);
    for (name, scheme) in declared.into_iter().flatten().take(MOST_SCHEMES) {
        let wrapped = SCHEME_KINDS.iter().find_map(|(member, kind)| Some((*kind, scheme.get(member)?)));
        let (kind, body) = wrapped.unwrap_or_else(|| (text(scheme, "type"), scheme));
        let scopes = scopes_of(card, name);
        if kind == "oauth2" {
            let flows = FLOWS.iter().filter_map(|name| body.get("flows")?.get(name));
            let mut has_endpoint = false;
            for flow in flows {
                has_endpoint |= !text(flow, "tokenUrl").is_empty();
                add(SecurityScheme::OAuth {
                    token_url: text(flow, "tokenUrl").to_owned(),
                    authorize_url: text(flow, "authorizationUrl").to_owned(),
                    device_url: text(flow, "deviceAuthorizationUrl").to_owned(),
                    scopes: scopes.clone(),
                });
            }
            let metadata = text(body, "oauth2MetadataUrl");
            if !has_endpoint && !metadata.is_empty() {
                add(SecurityScheme::OpenId { url: metadata.to_owned(), scopes });
            }
        } else {
            add(read(kind, body, scopes));
        }
    }
    let more = declared.map_or(0, |declared| declared.len().saturating_sub(MOST_SCHEMES));
    if more > 0 {
        add(SecurityScheme::Other(format!("one of {} of the card", count_of(more, "more scheme"))));
    }
    // 0.1 §5.5.3 has names only.
    let names = card.get("authentication").and_then(|block| block.get("schemes")).and_then(Value::as_array);
    for name in names.into_iter().flatten().filter_map(Value::as_str).take(MOST_SCHEMES) {
        add(if name.eq_ignore_ascii_case("apikey") {
            SecurityScheme::Key { name: "X-API-Key".to_owned(), in_query: false }
        } else {
            http(name)
        });
    }
    found
}

/// The scopes that the card requires of a scheme (1.0 §4.5.1, 0.3 §5.5), each once, with spaces between.
fn scopes_of(card: &Value, scheme: &str) -> String {
    let required = ["securityRequirements", "security"].into_iter().filter_map(|member| card.get(member)?.as_array());
    let of_scheme = required.flatten().filter_map(|alternative| {
        let listed = alternative.get("schemes").unwrap_or(alternative).get(scheme)?;
        listed.get("list").unwrap_or(listed).as_array()
    });
    let mut known = IdentitySet::default();
    let scopes: Vec<&str> = of_scheme.flatten().filter_map(Value::as_str).filter(|scope| known.add(&[scope])).collect();
    scopes.join(" ")
}

/// A text of an object; empty when it is not there.
pub(super) fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn http(scheme: &str) -> SecurityScheme {
    if scheme.eq_ignore_ascii_case("bearer") {
        SecurityScheme::Bearer
    } else if scheme.eq_ignore_ascii_case("basic") {
        SecurityScheme::Basic
    } else {
        SecurityScheme::Other(scheme.to_owned())
    }
}

fn read(kind: &str, body: &Value, scopes: String) -> SecurityScheme {
    match kind {
        "http" => http(text(body, "scheme")),
        "apiKey" => {
            let place = if body.get("location").is_some() { "location" } else { "in" };
            match text(body, place) {
                "cookie" => SecurityScheme::Other(COOKIE.to_owned()),
                place => SecurityScheme::Key { name: text(body, "name").to_owned(), in_query: place == "query" },
            }
        }
        "openIdConnect" => SecurityScheme::OpenId { url: text(body, "openIdConnectUrl").to_owned(), scopes },
        other => SecurityScheme::Other(other.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn schemes_are_read_in_every_dialect() {
        let flows = json!({
            "authorizationCode": { "authorizationUrl": "https://id.example/in", "tokenUrl": "https://id.example/other" },
            "clientCredentials": { "tokenUrl": "https://id.example/token", "scopes": {} },
            "deviceCode": { "deviceAuthorizationUrl": "https://id.example/code", "tokenUrl": "https://id.example/token" },
            "implicit": { "authorizationUrl": "https://id.example/in" },
        });
        let key = SecurityScheme::Key { name: "K".to_owned(), in_query: true };
        let flow = |[token_url, authorize_url, device_url]: [&str; 3]| SecurityScheme::OAuth {
            token_url: token_url.to_owned(),
            authorize_url: authorize_url.to_owned(),
            device_url: device_url.to_owned(),
            scopes: String::new(),
        };
        let oauth = [
            flow(["https://id.example/token", "", ""]),
            flow(["https://id.example/other", "https://id.example/in", ""]),
            flow(["https://id.example/token", "", "https://id.example/code"]),
        ];
        let wrapped = json!({ "securitySchemes": {
            "a": { "apiKeySecurityScheme": { "location": "query", "name": "K" } },
            "b": { "httpAuthSecurityScheme": { "scheme": "BASIC" } },
            "c": { "oauth2SecurityScheme": { "flows": flows } },
            "d": { "mtlsSecurityScheme": {} },
        } });
        let other = SecurityScheme::Other("mutualTLS".to_owned());
        let with = |before: &[SecurityScheme], after: SecurityScheme| [before, &oauth, &[after]].concat();
        assert_eq!(schemes_of(&wrapped), with(&[key.clone(), SecurityScheme::Basic], other));
        let flat = json!({ "securitySchemes": {
            "a": { "type": "apiKey", "in": "query", "name": "K" },
            "b": { "type": "http", "scheme": "bearer" },
            "c": { "type": "oauth2", "flows": flows },
            "d": { "type": "openIdConnect", "openIdConnectUrl": "https://id.example/about" },
        } });
        let open = SecurityScheme::OpenId { url: "https://id.example/about".to_owned(), scopes: String::new() };
        assert_eq!(schemes_of(&flat), with(&[key, SecurityScheme::Bearer], open));
        let oldest = json!({ "authentication": { "schemes": ["Bearer", "bearer", "OAuth2"] } });
        assert_eq!(schemes_of(&oldest), [SecurityScheme::Bearer, SecurityScheme::Other("OAuth2".to_owned())]);
        for nonsense in [json!(null), json!({ "securitySchemes": [1], "authentication": 7 })] {
            assert_eq!(schemes_of(&nonsense), []);
        }
    }

    #[test]
    fn scopes_and_metadata_come_from_the_card() {
        let newest = json!({
            "securitySchemes": { "o": { "oauth2SecurityScheme": {
                "flows": { "clientCredentials": { "tokenUrl": "https://id.example/token", "scopes": { "read": "", "write": "" } } },
                "oauth2MetadataUrl": "https://id.example/about",
            } } },
            "securityRequirements": [
                { "schemes": { "o": { "list": ["read", "agent"] } } },
                { "schemes": { "o": { "list": ["read"] }, "other": { "list": ["no"] } } },
            ],
        });
        let found = schemes_of(&newest);
        let [SecurityScheme::OAuth { scopes, .. }] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(scopes, "read agent");
        // A flow without an endpoint leaves it to the server's own description.
        let older = json!({
            "securitySchemes": { "o": { "type": "oauth2", "flows": {}, "oauth2MetadataUrl": "https://id.example/about" } },
            "security": [{ "o": ["read"] }],
        });
        let found = schemes_of(&older);
        let [SecurityScheme::OpenId { url, scopes }] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((url.as_str(), scopes.as_str()), ("https://id.example/about", "read"));
    }
}
