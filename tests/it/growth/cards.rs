//! The things of a card that grow.

use a2a_conformance::engine::options::Options;
use serde_json::{Value, json};

use super::{Dimension, Part, TO_1M, TO_10K, TO_100K, list, map};
use crate::support::AGENT;

fn card(name: &'static str, sizes: &'static [usize], grow: fn(&mut Value, usize)) -> Dimension {
    Dimension::new(name, sizes, Part::Card(grow))
}

fn interface(url: String) -> Value {
    json!({ "url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0" })
}

fn skill(at: usize) -> Value {
    json!({ "id": format!("s{at}"), "name": "s", "description": "s", "tags": ["t"] })
}

fn key(at: usize) -> Value {
    json!({ "apiKeySecurityScheme": { "location": "header", "name": format!("K{at}") } })
}

fn requirement(at: usize) -> Value {
    json!({ "schemes": { format!("m{at}"): { "list": ["a"] } } })
}

/// A card with one scheme of OAuth, which has these scopes.
fn oauth(scopes: Value) -> Value {
    let flow = json!({ "tokenUrl": "https://id.example/token", "scopes": scopes });
    json!({ "o": { "oauth2SecurityScheme": { "flows": { "clientCredentials": flow } } } })
}

pub(super) fn dimensions() -> Vec<Dimension> {
    vec![
        card("interfaces", &[50, 500, 5_000], |card, n| {
            card["supportedInterfaces"] = list(n, |at| interface(format!("{AGENT}/rpc?{at}")));
        })
        .with(|options| Options { first_interface_only: false, ..options })
        .told("16 of the 5000 interfaces of the card were checked"),
        card("interfaces-0.3", TO_10K, |card, n| {
            let one = |at| json!({ "url": format!("{AGENT}/0.3/rpc?{at}"), "transport": "JSONRPC" });
            card["additionalInterfaces"] = list(n, one);
        })
        .with(|options| Options { address: format!("{AGENT}/0.3"), first_interface_only: false, ..options })
        .told("16 of the 10001 interfaces of the card were checked"),
        card("interfaces-broken", TO_10K, |card, n| {
            let one = |at: usize| json!({ "url": "r", "protocolBinding": format!("b{at}"), "protocolVersion": at.to_string() });
            let broken = list(n, one);
            card["supportedInterfaces"].as_array_mut().unwrap().extend(broken.as_array().unwrap().clone());
        }),
        card("skills", TO_10K, |card, n| card["skills"] = list(n, skill)),
        card("skills-0.3", TO_10K, |card, n| card["skills"] = list(n, skill))
            .with(|options| Options { address: format!("{AGENT}/0.3"), ..options }),
        card("skills-of-one-id", TO_10K, |card, n| card["skills"] = list(n, |_| skill(0))),
        card("skills-broken", TO_10K, |card, n| {
            card["skills"] = list(n, |at| json!({ "id": at, "name": [], "descriptions": "s", "tags": "t" }));
        }),
        card("skills-with-modes", TO_10K, |card, n| {
            card["skills"] = list(n, |at| {
                let mut skill = skill(at);
                skill["inputModes"] = json!(["text/plain", format!("t/x{at}")]);
                skill["outputModes"] = json!([format!("t/x{at}")]);
                skill
            });
        }),
        card("skills-with-examples", TO_10K, |card, n| {
            card["skills"] = list(n, |at| {
                let mut skill = skill(at);
                skill["examples"] = json!([format!("do {at}")]);
                skill
            });
        })
        .with(|options| Options { is_thorough: true, ..options }),
        card("tags", TO_100K, |card, n| card["skills"][0]["tags"] = list(n, |at| json!(format!("t{at}")))),
        card("tags-broken", TO_100K, |card, n| card["skills"][0]["tags"] = list(n, |at| json!(at))),
        card("examples", TO_100K, |card, n| {
            card["skills"][0]["examples"] = list(n, |at| json!(format!("t{at} process this data")));
        }),
        card("modes-of-skill", TO_100K, |card, n| {
            card["skills"][0]["inputModes"] = list(n, |at| json!(format!("t/x{at}")));
            card["skills"][0]["outputModes"] = card["skills"][0]["inputModes"].clone();
        }),
        card("default-modes", TO_100K, |card, n| {
            card["defaultInputModes"] = list(n, |at| json!(format!("t/x{at}")));
            card["defaultOutputModes"] = card["defaultInputModes"].clone();
        }),
        card("default-modes-of-one-name", TO_100K, |card, n| {
            card["defaultInputModes"] = list(n, |_| json!("text/plain"));
            card["defaultOutputModes"] = card["defaultInputModes"].clone();
        }),
        card("schemes", TO_10K, |card, n| card["securitySchemes"] = map(n, key)),
        card("schemes-required", &[100, 1_000, 5_000], |card, n| {
            card["securitySchemes"] = map(n, key);
            card["securityRequirements"] = list(n, requirement);
        }),
        card("requirements", TO_10K, |card, n| card["securityRequirements"] = list(n, requirement)),
        card("requirements-of-skill", TO_10K, |card, n| {
            card["skills"][0]["securityRequirements"] = list(n, requirement);
        }),
        card("scopes-required", TO_100K, |card, n| {
            card["securitySchemes"] = oauth(json!({}));
            let scopes = list(n, |at| json!(format!("s{at}")));
            card["securityRequirements"] = json!([{ "schemes": { "o": { "list": scopes } } }]);
        }),
        card("scopes", TO_100K, |card, n| card["securitySchemes"] = oauth(map(n, |_| json!("s")))),
        card("extensions", TO_10K, |card, n| {
            let one = |at| json!({ "uri": format!("https://x.example/{at}"), "description": "d", "required": false });
            card["capabilities"]["extensions"] = list(n, one);
        }),
        card("extensions-required", TO_10K, |card, n| {
            let one = |at| json!({ "uri": format!("https://x.example/{at}"), "description": "d", "required": true });
            card["capabilities"]["extensions"] = list(n, one);
        }),
        card("params-of-extension", TO_100K, |card, n| {
            let params = map(n, |at| json!(at));
            card["capabilities"]["extensions"] = json!([{ "uri": "https://x.example/", "params": params }]);
        }),
        card("signatures", TO_10K, |card, n| {
            let protected = "eyJhbGciOiJFUzI1NiIsImtpZCI6ImsifQ";
            card["signatures"] = list(n, |at| json!({ "protected": protected, "signature": format!("s{at}AA") }));
        })
        .told("signature"),
        // The user trusts them; whether one of so many made a signature is not found out.
        card("keys", &[1], |card, _| {
            let protected = "eyJhbGciOiJFUzI1NiIsImtpZCI6ImsifQ";
            card["signatures"] = json!([{ "protected": protected, "signature": "c2ln" }]);
        })
        .with(|options| {
            let keys = list(33, |_| json!({ "kty": "EC", "crv": "P-256", "x": "AA", "y": "AA" }));
            Options { jwks: json!({ "keys": keys }).to_string(), ..options }
        })
        .told("more than 32 keys may have made it"),
        card("unknown-members", TO_100K, |card, n| {
            let members = map(n, |at| json!(at));
            card.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        }),
        Dimension::new(
            "members-of-one-name",
            TO_100K,
            Part::Text(&[], |text, n| text.replacen('{', &format!("{{{}", "\"x\":1,".repeat(n)), 1)),
        ),
        Dimension::new(
            "halves-of-characters",
            TO_100K,
            Part::Text(&[], |text, n| text.replacen('{', &format!("{{\"x\":\"{}\",", "\\ud800".repeat(n)), 1)),
        ),
        Dimension::new(
            "levels",
            TO_100K,
            Part::Text(&[], |text, n| text.replacen('{', &format!("{{\"x\":{}{},", "[".repeat(n), "]".repeat(n)), 1)),
        )
        .told("more than 128 nested arrays and objects"),
        card("length-of-name", TO_1M, |card, n| card["name"] = json!("x".repeat(n))),
        card("length-of-url", TO_1M, |card, n| {
            card["supportedInterfaces"][0] = interface(format!("{AGENT}/rpc?{}", "x".repeat(n)));
        })
        .told("its URL is longer than the 8000 bytes that every server takes"),
        card("length-of-tenant", TO_1M, |card, n| card["supportedInterfaces"][0]["tenant"] = json!("x".repeat(n)))
            .told("the answers in this run have used up the memory allowed"),
        card("length-of-version", TO_1M, |card, n| {
            card["supportedInterfaces"][0]["protocolVersion"] = json!(format!("2.{}1", "0".repeat(n)));
        })
        .told("and 32 is the most that is looked at"),
        card("length-of-extension", TO_1M, |card, n| {
            let uri = format!("https://x.example/{}", "x".repeat(n));
            card["capabilities"]["extensions"] = json!([{ "uri": uri, "required": true }]);
        })
        .told("the answers in this run have used up the memory allowed"),
        card("length-of-examples", TO_100K, |card, n| {
            card["skills"] = list(9, |at| {
                let mut skill = skill(at);
                skill["examples"] = json!([format!("{at}{}", "x ".repeat(n))]);
                skill
            });
        }),
    ]
}
