//! Agent cards: any document is read as a card of every version, and judged without an agent.

use a2a_conformance::a2a::canonical::forms;
use a2a_conformance::a2a::dialect::DIALECTS;
use a2a_conformance::engine::detect::{detect, force, join, read};
use a2a_conformance::engine::options::{Options, Source};
use a2a_conformance::wire::json::parse;
use serde_json::{Value, json};

use super::agents::{Setting, check, judged_well};

/// The bytes of a card.
pub(crate) fn run(data: &[u8]) {
    if let Some(document) = parse(data).value {
        let detected = detect(&document);
        assert!(!detected.why.is_empty());
        let mut card = read(&document, &detected);
        assert_eq!(card.raw, document);
        for dialect in DIALECTS {
            let (forced, _) = force(&document, dialect);
            assert!(forced.interfaces.iter().all(|interface| !interface.url.is_empty()));
            join(&mut card, &forced);
        }
        for (what, form) in forms(&document).unwrap_or_default() {
            assert!(!what.is_empty() && serde_json::from_str::<Value>(&form).is_ok());
        }
    }
    let options = Options { source: Source::Card(data.to_vec()), ..Options::default() };
    judged_well(&check(Setting { options, ..Setting::default() }), &[]);
}

/// A card of each layout, with every member that is read.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let shared = json!({
        "name": "n", "version": "1", "description": "d", "documentationUrl": "https://a.test/docs",
        "provider": {"organization": "o", "url": "https://a.test"},
        "capabilities": {"streaming": true, "pushNotifications": true, "extendedAgentCard": true,
            "extensions": [{"uri": "https://e.test/v1", "required": true, "params": {"a": 1}}]},
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "skills": [{"id": "a", "name": "n", "description": "d", "tags": ["t"], "examples": ["one"],
            "securityRequirements": [{"schemes": {"key": {"list": []}}}]}],
        "signatures": [{"protected": "eyJhbGciOiJFUzI1NiIsInR5cCI6IkpPU0UiLCJraWQiOiJrIn0", "signature": "AA", "header": {}}],
    });
    let new = json!({
        "supportedInterfaces": [
            {"url": "https://a.test/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0", "tenant": "t"},
            {"url": "https://a.test/v1", "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0"},
            {"url": "a.test:443", "protocolBinding": "GRPC", "protocolVersion": "1.0"}],
        "securitySchemes": {
            "key": {"apiKeySecurityScheme": {"location": "header", "name": "X-Key"}},
            "oauth": {"oauth2SecurityScheme": {"flows": {"clientCredentials": {"tokenUrl": "https://a.test/token", "scopes": {"s": "d"}}},
                "oauth2MetadataUrl": "https://a.test/meta"}},
            "oidc": {"openIdConnectSecurityScheme": {"openIdConnectUrl": "https://a.test/oidc"}},
            "http": {"httpAuthSecurityScheme": {"scheme": "Bearer", "bearerFormat": "JWT"}},
            "tls": {"mtlsSecurityScheme": {}}},
        "securityRequirements": [{"schemes": {"oauth": {"list": ["s"]}}}],
    });
    let old = json!({
        "url": "https://a.test/rpc", "preferredTransport": "JSONRPC", "protocolVersion": "0.3.0",
        "additionalInterfaces": [{"url": "https://a.test/v1", "transport": "HTTP+JSON"}],
        "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}, "key": {"type": "apiKey", "in": "query", "name": "k"}},
        "security": [{"bearer": []}], "supportsAuthenticatedExtendedCard": true,
    });
    let oldest = json!({"url": "https://a.test/rpc", "authentication": {"schemes": ["Bearer"]}});
    let with = |members: Value| -> Vec<u8> {
        let mut card = shared.clone();
        for (name, value) in members.as_object().into_iter().flatten() {
            card[name] = value.clone();
        }
        card.to_string().into_bytes()
    };
    vec![with(new), with(old), with(oldest)]
}
