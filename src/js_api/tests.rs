//! The options that scripts may give, and the errors that they get.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::options::{CREDENTIAL_TEXTS, SETTING_TEXTS};
use super::{Code, Problem, list, names, read, script_events};
use crate::engine::event::{Activity, Completion, Event, Tally};
use crate::engine::options::{Options, Source};
use crate::engine::prompt::{Behaviour, Profile};

fn accepted(asked: &Value) -> Options {
    read(asked, true).unwrap_or_else(|problem| panic!("{asked}: {problem}")).first
}

fn refused(asked: &Value) -> Problem {
    match read(asked, true) {
        Ok(_) => panic!("{asked} was accepted"),
        Err(problem) => problem,
    }
}

fn pair(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

#[test]
fn a_second_address_is_another_agent_or_a_gateway() {
    let asked = json!({
        "url": "https://one.example",
        "bearer": "token-of-a",
        "only": ["pair.*"],
        "timeoutSeconds": 9,
        "peer": "two.example",
        "peerBearer": "token-of-b",
        "peerHeaders": { "X-Key": "key-of-b" },
        "peerQuery": { "key": "query-of-b" },
        "peerLaneHeaders": { "rest-1.0": { "X-Lane": "lane-of-b" } },
        "peerClientId": "b",
        "peerClientSecret": "secret-of-b",
        "peerScope": "all",
        "peerTokenUrl": "https://id.example/token",
        "peerAllowOrigins": ["https://id.example"],
        "peerPrompts": { "complete": "Book a flight" },
    });
    let given = read(&asked, true).expect("all of it can be used");
    let (first, peer) = (given.first, given.peer.expect("a second agent"));
    assert_eq!(first.headers, [pair("Authorization", "Bearer token-of-a")]);
    assert_eq!((peer.address.as_str(), peer.timeout_ms), ("https://two.example/", 9000.0));
    assert_eq!(peer.headers, [pair("Authorization", "Bearer token-of-b"), pair("X-Key", "key-of-b")]);
    assert_eq!(peer.query, [pair("key", "query-of-b")]);
    assert_eq!(peer.lanes.len(), 1);
    assert_eq!(peer.client.as_ref().map(|client| client.token_url.as_str()), Some("https://id.example/token"));
    assert_eq!(peer.origins, ["https://id.example"]);
    assert_eq!(peer.prompts.get(Behaviour::Complete), Some("Book a flight"));
    assert_eq!(first.prompts.get(Behaviour::Complete), None);

    let basic = json!({ "url": "https://one.example", "peer": "two.example", "peerBasic": "b:password" });
    let peer = read(&basic, true).expect("it can be used").peer.expect("a second agent");
    assert_eq!(peer.headers, [pair("Authorization", "Basic YjpwYXNzd29yZA==")]);

    let gateway = json!({ "url": "https://one.example", "via": "gate.example/a" });
    assert_eq!(accepted(&gateway).via.as_deref(), Some("gate.example/a"));

    for (asked, option, part) in [
        (json!({ "url": "h.example", "via": "ftp://h" }), "via", "ftp"),
        (json!({ "url": "h.example", "via": "https://h.example" }), "via", "the agent itself"),
        (json!({ "card": {}, "via": "https://h.example" }), "via", "needs an agent"),
        (json!({ "card": {}, "peer": "https://h.example" }), "peer", "needs an agent"),
        (json!({ "url": "h.example", "peer": "ftp://h" }), "peer", "ftp"),
        (json!({ "url": "h.example", "peerBearer": "canary" }), "peer", "none was given"),
        (json!({ "url": "h.example", "peer": "b.example", "repeat": 2 }), "repeat", "three runs"),
        (json!({ "card": {}, "repeat": 2 }), "repeat", "a card alone"),
        (
            json!({ "url": "h.example", "clientId": "me", "clientSecret": "canary", "refreshToken": "canary-2", "repeat": 2 }),
            "repeat",
            "refresh token",
        ),
        (json!({ "url": "h.example", "only": ["pair.*"] }), "only", "no check matches"),
        (
            json!({ "url": "h.example", "peer": "b.example", "peerHeaders": { "Cookie": "canary" } }),
            "peerHeaders",
            "browsers",
        ),
    ] {
        let problem = refused(&asked);
        assert_eq!(problem.option, option, "{asked}");
        assert!(problem.message.contains(part) && !problem.message.contains("canary"), "{}", problem.message);
    }
}

#[test]
fn everything_that_can_be_asked_for_ends_up_in_the_options() {
    let options = accepted(&json!({
        "url": "localhost:9999/agent",
        "bearer": "first-token",
        "headers": { "X-Api-Key": "header-key" },
        "query": { "key": "query-key" },
        "laneHeaders": { "rest-1.0": { "X-Lane": "lane-key" } },
        "clientId": "me",
        "clientSecret": "client-secret",
        "scope": "a b",
        "tokenUrl": "https://id.example/token",
        "refreshToken": "refresh-token",
        "allowOrigins": ["https://id.example"],
        "secondBearer": "second-token",
        "secondHeaders": { "X-Second": "second-key" },
        "secondQuery": { "key": "second-query" },
        "secondClientId": "you",
        "secondRefreshToken": "second-refresh",
        "jwks": { "keys": [] },
        "protocolVersion": "0.3",
        "profile": "acts",
        "prompts": { "input-required": " Book a flight " },
        "skills": ["weather"],
        "only": ["card.*"],
        "thorough": true,
        "concurrency": 2,
        "timeoutSeconds": 90,
        "timeouts": { "reach": 1, "answer": 2, "event": 3, "idle": 4, "run": 0.5 },
        "signal": null,
        "basic": null,
    }));
    assert_eq!(options.address, "http://localhost:9999/agent");
    assert_eq!(options.headers, [pair("Authorization", "Bearer first-token"), pair("X-Api-Key", "header-key")]);
    assert_eq!(options.query, [pair("key", "query-key")]);
    assert_eq!(options.lanes.len(), 1);
    let client = options.client.expect("a client");
    assert_eq!((client.id.as_str(), client.secret.as_str(), client.scope.as_str()), ("me", "client-secret", "a b"));
    assert_eq!((client.token_url.as_str(), client.refresh.as_str()), ("https://id.example/token", "refresh-token"));
    assert_eq!(options.origins, ["https://id.example"]);
    let second = options.second_client.expect("a client of the second identity");
    assert_eq!((second.id.as_str(), second.refresh.as_str()), ("you", "second-refresh"));
    // The scopes and the endpoint are those of the first.
    assert_eq!((second.scope.as_str(), second.token_url.as_str()), ("a b", "https://id.example/token"));
    assert_eq!(options.second.headers, [pair("Authorization", "Bearer second-token"), pair("X-Second", "second-key")]);
    assert_eq!(options.second.query, [pair("key", "second-query")]);
    assert_eq!(options.jwks, r#"{"keys":[]}"#);
    assert_eq!((options.version.as_deref(), options.profile), (Some("0.3"), Some(Profile::Tck)));
    assert_eq!(options.prompts.get(Behaviour::InputRequired), Some("Book a flight"));
    assert_eq!((options.concurrency, options.repeat), (2, 1));
    assert_eq!(accepted(&json!({ "url": "h.example", "repeat": 3 })).repeat, 3);
    assert_eq!(accepted(&json!({ "url": "h.example", "interfaces": 100 })).most_interfaces, 100);
    assert_eq!((options.skills, options.only), (vec!["weather".into()], vec!["card.*".into()]));
    assert!(options.is_thorough);
    let times = options.timeouts;
    assert_eq!((options.timeout_ms, times.reach_ms, times.answer_ms), (90_000.0, 1_000.0, 2_000.0));
    assert_eq!((times.first_event_ms, times.idle_ms, times.run_ms), (3_000.0, 4_000.0, 500.0));
}

#[test]
fn a_run_begins_with_an_address_a_card_or_an_endpoint() {
    let card = json!({ "name": "A card", "version": "1" });
    for given in [card.clone(), card.to_string().into()] {
        let Source::Card(bytes) = accepted(&json!({ "card": given })).source else { panic!("no card") };
        assert_eq!(serde_json::from_slice::<Value>(&bytes).unwrap(), card);
    }
    let endpoint = json!({
        "endpoint": "http://h.example/rpc", "binding": "HTTP+JSON", "tenant": "t", "extensions": ["urn:x"],
        "declares": ["streaming", "extendedAgentCard"],
    });
    let Source::Endpoint(read) = accepted(&endpoint).source else { panic!("no endpoint") };
    assert_eq!((read.binding.as_str(), read.tenant.as_deref()), ("HTTP+JSON", Some("t")));
    assert_eq!((read.streaming, read.push_notifications, read.extended_card), (true, false, true));
    assert_eq!(read.extensions, ["urn:x"]);
    let over_grpc = accepted(&json!({ "endpoint": "grpc://h.example:50051", "binding": "GRPC" }));
    assert_eq!(over_grpc.address, "http://h.example:50051/");

    for (asked, code, option) in [
        (json!({}), Code::MissingOption, "url"),
        (json!({ "url": null }), Code::MissingOption, "url"),
        (json!({ "url": "h", "card": {} }), Code::InvalidOption, "card"),
        (json!({ "card": "[]" }), Code::InvalidOption, "card"),
        (json!({ "endpoint": "http://h.example" }), Code::MissingOption, "binding"),
        (json!({ "endpoint": "http://h.example", "binding": "SOAP" }), Code::InvalidOption, "binding"),
        (json!({ "url": "h.example", "declares": ["streaming"] }), Code::InvalidOption, "declares"),
        (json!({ "url": "ftp://h.example" }), Code::InvalidOption, "url"),
    ] {
        let problem = refused(&asked);
        assert_eq!((problem.code, problem.option.as_str()), (code, option), "{asked}: {problem}");
    }
}

#[test]
fn a_misspelt_option_is_refused_with_the_nearest_name() {
    let problem = refused(&json!({ "url": "h.example", "timeoutSecond": 3 }));
    assert_eq!((problem.code, problem.option.as_str()), (Code::UnknownOption, "timeoutSecond"));
    assert_eq!(problem.message, "there is no option `timeoutSecond`; the nearest is `timeoutSeconds`");
    // Also where it holds nothing.
    assert_eq!(refused(&json!({ "url": "h.example", "signals": null })).code, Code::UnknownOption);
}

#[test]
fn a_value_that_cannot_be_used_is_refused_and_no_secret_repeated() {
    for (name, value) in [
        ("bearer", json!(5)),
        ("bearer", json!("a canary")),
        ("basic", json!("canary")),
        ("headers", json!("X: canary")),
        ("headers", json!({ "X": 5 })),
        ("headers", json!({ "X Y": "canary" })),
        ("headers", json!({ "Cookie": "canary" })),
        ("laneHeaders", json!({ "rest-1.0": "canary" })),
        ("query", json!({ "": "canary" })),
        ("clientSecret", json!("canary")),
        ("allowOrigins", json!("https://h.example")),
        ("secondBearer", json!("canary")),
        ("jwks", json!({ "kty": "EC" })),
        ("protocolVersion", json!("2.0")),
        ("profile", json!("canary")),
        ("prompts", json!({ "dance": "Dance" })),
        ("prompts", json!({ "cancel": " " })),
        ("only", json!("card.*")),
        ("only", json!(["no-such.*"])),
        ("concurrency", json!(0)),
        ("interfaces", json!(0)),
        ("repeat", json!(0)),
        ("repeat", json!(101)),
        ("repeat", json!("3")),
        ("concurrency", json!(1.5)),
        ("timeoutSeconds", json!(0)),
        ("timeoutSeconds", json!("60")),
        ("timeouts", json!({ "answers": 5 })),
        ("timeouts", json!({ "answer": -1 })),
        ("signal", json!({})),
    ] {
        let problem = refused(&json!({ "url": "h.example", name: value }));
        assert_eq!(problem.code, Code::InvalidOption, "{name}: {value}");
        let about = if name == "clientSecret" { "clientId" } else { name };
        assert_eq!(problem.option, about, "{value}: {problem}");
        let is_secret = !matches!(name, "profile");
        assert!(!is_secret || !problem.message.contains("canary"), "{problem}");
    }
    assert_eq!(refused(&json!([])).option, "options");
}

#[test]
fn only_a_browser_keeps_headers_back_and_has_six_connections() {
    let asked = json!({ "url": "h.example", "headers": { "Cookie": "session=1" } });
    let elsewhere = read(&asked, false).expect("no browser forbids it").first;
    assert_eq!(elsewhere.headers, [pair("Cookie", "session=1")]);
    assert_eq!((elsewhere.concurrency, accepted(&json!({ "url": "h.example" })).concurrency), (8, 6));
}

/// The head of a table of options in the guide.
const TABLE: &str = "\n| option | what it holds |\n|---|---|\n";

/// A file with another text between these two.
fn with_part(file: &str, before: &str, part: &str, behind: &str) -> String {
    let (head, rest) = file.split_once(before).expect(before);
    let (_, tail) = rest.split_once(behind).expect(behind);
    format!("{head}{before}{part}{behind}{tail}")
}

/// The guide with other rows in the table of this chapter.
fn with_rows(guide: &str, chapter: &str, rows: &str) -> String {
    let (head, rest) = guide.split_once(chapter).expect(chapter);
    format!("{head}{chapter}{}", with_part(rest, TABLE, rows.trim_end(), "\n\n"))
}

/// A member of the options in TypeScript.
fn typed(name: &str, kind: &str, lines: &[&str]) -> String {
    let text = match lines {
        [line] => format!("  /**{line} */\n"),
        lines => format!("  /**\n{}   */\n", lines.iter().map(|line| format!("   *{line}\n")).collect::<String>()),
    };
    format!("{text}  {name}?: {kind} | null;\n")
}

/// A row of the guide.
fn row(names: &[&str], text: &str) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    format!("| {} | {} |\n", names.join(", "), text.trim_end_matches('.'))
}

/// With `UPDATE_OPTIONS=1` it writes them.
#[test]
fn types_and_guide_are_made_of_the_tables_of_options() {
    let [mut members, mut how, mut credentials] = [const { String::new() }; 3];
    let named = |whose: usize| -> Vec<&str> {
        CREDENTIAL_TEXTS.iter().map(|(names, ..)| names[whose]).filter(|name| !name.is_empty()).collect()
    };
    for ([own, ..], kind, lines) in CREDENTIAL_TEXTS {
        members.push_str(&typed(own, kind, lines));
        credentials.push_str(&row(&[own], lines.concat().trim()));
    }
    for (whose, typed_as, told) in [
        (
            1,
            "for another user, who must not see the first one's tasks",
            "The same of another user, who must not see the first one's tasks: the run checks that the agent keeps the two apart",
        ),
        (2, "for the `peer`", "The same of the `peer`; neither agent is sent what was given for the other"),
    ] {
        for (names, kind, _) in CREDENTIAL_TEXTS.iter().filter(|(names, ..)| !names[whose].is_empty()) {
            members.push_str(&typed(names[whose], kind, &[&format!(" As `{}`, {typed_as}.", names[0])]));
        }
        credentials.push_str(&row(&named(whose), told));
    }
    for (name, kind, lines) in SETTING_TEXTS {
        members.push_str(&typed(name, kind, lines));
        how.push_str(&row(&[name], lines.concat().trim()));
    }
    let types = include_str!("../bin/checker/npm/index.d.ts");
    let guide = include_str!("../../docs/SCRIPTS.md");
    let new_types = with_part(types, "export interface CheckSettings {\n", &members, "}\n");
    let new_guide = with_rows(&with_rows(guide, "## How\n", &how), "## Credentials\n", &credentials);
    if std::env::var_os("UPDATE_OPTIONS").is_some() {
        let root = env!("CARGO_MANIFEST_DIR");
        std::fs::write(format!("{root}/src/bin/checker/npm/index.d.ts"), &new_types).expect("the types are written");
        std::fs::write(format!("{root}/docs/SCRIPTS.md"), &new_guide).expect("the guide is written");
        return;
    }
    assert!(new_types == types && new_guide == guide, "run the test with UPDATE_OPTIONS=1");
    for behaviour in Behaviour::ALL {
        assert!(types.contains(&format!("  | '{}'", behaviour.as_str())), "{behaviour:?}");
    }
    let sources = ["url", "card", "endpoint", "binding", "declares", "tenant", "extensions"];
    for source in sources {
        let is_typed = [":", "?:"].iter().any(|colon| types.contains(&format!("\n  {source}{colon} ")));
        assert!(is_typed && guide.contains(&format!("`{source}`")), "{source}");
    }
    let texts = SETTING_TEXTS.iter().map(|(name, ..)| *name);
    let all: BTreeSet<_> = sources.into_iter().chain(texts).chain((0..3).flat_map(named)).collect();
    assert_eq!(all, names().collect::<BTreeSet<_>>());
}

#[test]
fn a_script_is_told_of_stages_and_of_the_end() {
    let types = include_str!("../bin/checker/npm/index.d.ts");
    let tally = Tally { total: 3, judged: 2, passed: 2, ..Tally::default() };
    let events = [
        Event::Activity(Activity::WaitingForPermission),
        Event::Confirm {
            whom: "the second identity",
            url: "https://h.example".into(),
            complete: String::new(),
            code: "AB-12".into(),
        },
        Event::Finished {
            completion: Completion::Incomplete("no card".into()),
            tally,
            cause: Some("one cause".into()),
            duration_ms: 5.0,
        },
    ];
    let told: Vec<Value> = events.iter().flat_map(script_events).collect();
    let kinds: Vec<_> = told.iter().filter_map(|told| told.get("type")?.as_str()).collect();
    assert_eq!(kinds, ["stage", "confirm", "progress", "finished"]);
    assert_eq!(
        told[1],
        json!({ "type": "confirm", "whom": "the second identity", "url": "https://h.example", "code": "AB-12" })
    );
    assert_eq!((&told[2]["total"], &told[2]["judged"]), (&json!(3), &json!(2)));
    assert_eq!(
        told[3],
        json!({
            "type": "finished", "completion": "incomplete", "incomplete": "no card", "cause": "one cause",
            "duration_ms": 5.0,
        })
    );
    for kind in kinds {
        assert!(types.contains(&format!("type: '{kind}';")), "{kind}");
    }
}

#[test]
fn the_list_names_every_check() {
    let list = list();
    let list = list.as_array().expect("an array");
    assert_eq!(list.len(), crate::suite::checks().count());
    assert!(list.iter().all(|check| ["id", "title", "level"].iter().all(|name| check[*name].is_string())));
}
