//! Settings become options, or a sentence.

use super::super::form::{fields, second_fields};
use super::*;
use crate::engine::prompt::Profile;
use crate::engine::security_schemes::SecurityScheme;
use crate::engine::timeouts::Timeouts;

#[test]
fn what_the_card_asks_for_becomes_credentials() {
    let asks = [
        SecurityScheme::Bearer,
        SecurityScheme::Basic,
        SecurityScheme::Key { name: "X-Key".into(), in_query: false },
        SecurityScheme::Key { name: "k".into(), in_query: true },
        SecurityScheme::OAuth {
            token_url: String::new(),
            authorize_url: String::new(),
            device_url: String::new(),
            scopes: String::new(),
        },
        SecurityScheme::OpenId { url: String::new(), scopes: String::new() },
    ];
    let elsewhere = ["https://id.example".to_owned()];
    let names = |given: &[(String, String)]| {
        fields(&asks, &elsewhere, given).into_iter().map(|field| field.name).collect::<Vec<_>>()
    };
    let expected =
        ["basic", "key:X-Key", "query:k", "id", "secret", "scope", "token", "refresh", "allow:https://id.example"];
    assert_eq!(names(&[]), expected);
    let mut settings = Settings::default();
    for name in expected {
        settings.set_field(name, "a:bcde".to_owned());
    }
    settings.set_field("token", "https://id.example/token".to_owned());
    settings.set_field("allow:https://id.example", YES.to_owned());
    assert_eq!(names(&settings.given).len(), expected.len());
    assert_eq!(fields(&[], &[], &settings.given).len(), expected.len());
    let options = settings.options("h.example").unwrap();
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(options.headers, [pair("Authorization", "Basic YTpiY2Rl"), pair("X-Key", "a:bcde")]);
    assert_eq!(options.query, [pair("k", "a:bcde")]);
    assert_eq!(options.origins, ["https://id.example"]);
    assert_eq!(options.client.as_ref().map(|client| client.secret.as_str()), Some("a:bcde"));

    settings.headers = "X-B: 2345".to_owned();
    let mut again = Settings::default();
    again.unpack(&settings.packed("h.example"));
    assert_eq!(again, Settings { kept: true, owner: "https://h.example".to_owned(), ..settings.clone() });

    settings.bearer = "token".to_owned();
    assert!(settings.options("h.example").unwrap_err().contains("two credentials"));
    let half = Settings { given: vec![pair("secret", "canary")], ..Settings::default() };
    assert!(half.options("h.example").unwrap_err().contains("id"));
}

#[test]
fn a_second_identity_has_fields_of_its_own_and_only_those() {
    let asks = [
        SecurityScheme::Basic,
        SecurityScheme::Key { name: "X-Key".into(), in_query: false },
        SecurityScheme::Key { name: "k".into(), in_query: true },
        SecurityScheme::OpenId { url: String::new(), scopes: String::new() },
    ];
    let names: Vec<_> = second_fields(&asks, &[]).into_iter().map(|field| field.name).collect();
    let fixed = ["second:bearer", "second:header", "second:basic", "second:key:X-Key", "second:query:k"];
    let client = ["second:id", "second:secret", "second:refresh"];
    assert_eq!(names, [&fixed[..], &client[..]].concat());
    let mut settings = Settings { bearer: "first".to_owned(), ..Settings::default() };
    for (name, value) in [
        ("second:basic", "a:bcde"),
        ("second:key:X-Key", "other"),
        ("second:query:k", "other"),
        ("second:header", "X-B: 2345"),
    ] {
        settings.set_field(name, value.to_owned());
    }
    assert!(fields(&[], &[], &settings.given).is_empty());
    assert_eq!(second_fields(&[], &settings.given).len(), fixed.len());
    let options = settings.options("h.example").unwrap();
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(options.headers, [pair("Authorization", "Bearer first")]);
    let second = [pair("Authorization", "Basic YTpiY2Rl"), pair("X-Key", "other"), pair("X-B", "2345")];
    assert_eq!(options.second.headers, second);
    assert_eq!(options.second.query, [pair("k", "other")]);
    assert_eq!(options.second_client, None);
    // Its client takes the scopes and the endpoint of the first.
    let mut clients = Settings::default();
    for (name, value) in [("id", "me"), ("secret", "s3cret"), ("scope", "all"), ("token", "https://id.example/t")] {
        clients.set_field(name, value.to_owned());
    }
    assert_eq!(clients.options("h.example").unwrap().second_client, None);
    clients.set_field("second:secret", "canary".to_owned());
    let problem = clients.options("h.example").unwrap_err();
    assert!(problem.contains("second identity") && !problem.contains("canary"), "{problem}");
    clients.set_field("second:id", "you".to_owned());
    let of_clients = clients.options("h.example").unwrap();
    let (first, second) = (of_clients.client.unwrap(), of_clients.second_client.unwrap());
    assert_eq!((second.id.as_str(), second.secret.as_str()), ("you", "canary"));
    assert_eq!((second.scope, second.token_url), (first.scope, first.token_url));
    // They belong to the agent of the first identity, and are put aside with its credentials.
    assert_eq!(settings.switch_to("one.example"), Ok(()));
    assert!(settings.switch_to("two.example").is_err() && settings.given.is_empty());

    for (bearer, name, value, part) in [
        ("", "second:bearer", "canary", "first"),
        ("canary", "second:bearer", "canary", "same"),
        ("first", "second:bearer", "a canary", "second identity"),
        ("first", "second:header", "Cookie: canary", "browsers do not"),
        ("first", "second:header", "canary", "NAME: VALUE"),
    ] {
        let mut settings = Settings { bearer: bearer.to_owned(), ..Settings::default() };
        settings.set_field(name, value.to_owned());
        let problem = settings.options("h.example").unwrap_err();
        assert!(problem.contains(part) && !problem.contains("canary"), "{problem}");
    }
}

#[test]
fn credentials_belong_to_the_agent_that_they_were_used_for() {
    let mut settings = Settings { bearer: "first".to_owned(), ..Settings::default() };
    assert_eq!(settings.switch_to("one.example/a"), Ok(()));
    assert_eq!(settings.switch_to("https://one.example"), Ok(()));
    // A link or a slip of the hand leads elsewhere: nothing goes along.
    assert!(settings.switch_to("two.example").unwrap_err().contains("https://one.example"));
    assert!(!settings.has_credentials());
    assert_eq!(settings.switch_to("two.example"), Ok(()));
    settings.bearer = "second".to_owned();
    let mut again = Settings::default();
    again.unpack(&settings.packed("two.example"));
    assert!(again.switch_to("one.example").unwrap_err().contains("once more"));
    assert_eq!(again.bearer, "first");
    assert!(again.switch_to("two.example").is_err());
    assert_eq!(again.bearer, "second");
    // A value that is typed anew is meant for the address that is there, and takes nothing of another agent's along.
    again.set_field("key:X", "of the second".to_owned());
    assert!(again.meant_for("three.example", |again| again.bearer = "third".to_owned()).is_err());
    assert_eq!((again.switch_to("three.example"), again.bearer.as_str()), (Ok(()), "third"));
    assert_eq!(again.field("key:X"), "");
    assert!(again.switch_to("two.example").is_err());
    assert_eq!((again.bearer.as_str(), again.field("key:X")), ("second", "of the second"));
    // While the address cannot be read they stay whose they were.
    assert_eq!(again.meant_for("", |again| again.bearer.push('!')), Ok(()));
    assert!(again.switch_to("four.example").is_err() && !again.has_credentials());
    // Kept without anybody knowing for whom.
    again.owner.clear();
    again.unpack(&Settings { bearer: "x".to_owned(), ..Settings::default() }.packed(""));
    assert!(!again.has_credentials());
}

#[test]
fn a_line_may_be_for_one_interface() {
    let settings = Settings {
        headers: "X-A: k=12\nrest-1.0=Authorization: Bearer token\nrest-1.0 = X-B: 2345".to_owned(),
        ..Settings::default()
    };
    let options = settings.options("h.example").unwrap();
    assert_eq!(options.headers, [("X-A".to_owned(), "k=12".to_owned())]);
    let [(lane, keys)] = options.lanes.as_slice() else { panic!("{:?}", options.lanes) };
    assert_eq!((lane.as_str(), keys.headers.len()), ("rest-1.0", 2));
    let wrong = Settings { headers: "rest-1.0=canary".to_owned(), ..Settings::default() };
    assert!(!wrong.options("h.example").unwrap_err().contains("canary"));
}

fn headers(bearer: &str, lines: &str) -> Result<Vec<(String, String)>, String> {
    let settings = Settings { bearer: bearer.to_owned(), headers: lines.to_owned(), ..Settings::default() };
    settings.options("h.example").map(|options| options.headers)
}

#[test]
fn a_token_and_lines_become_headers() {
    let fields = headers(" Bearer abc.def ", "X-Api-Key: k : 1\n\n  X-B:2345 ").unwrap();
    let fields: Vec<_> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(fields, [("Authorization", "Bearer abc.def"), ("X-Api-Key", "k : 1"), ("X-B", "2345")]);
}

#[test]
fn a_bad_header_is_named_without_its_value() {
    for (bearer, lines, part) in [
        ("a canary", "", "token"),
        ("", "X-A: 1234\ncanary", "line 2"),
        ("", "X-A: 1234\n\nrest-1.0=canary", "line 3"),
        ("", "X-A: 123", "shorter"),
        ("123", "", "shorter"),
        ("", ": canary", "line 1"),
        ("", "X A: canary", "line 1"),
        ("", "Cookie: canary", "browsers do not"),
        ("", "Sec-Fetch-Mode: canary", "browsers do not"),
        ("", "rest-1.0=Cookie: canary", "browsers do not"),
        ("", "X-A: canary\u{7f}", "the value of X-A"),
        ("", "X-A: canary \u{2713}", "the value of X-A"),
        ("", "X-A: canary\nx-a: canary", "the header x-a has two values"),
        ("", "rest-1.0=X-A: canary\nrest-1.0=X-A: canary", "the header X-A has two values"),
        ("canary", "authorization: canary", "two credentials"),
    ] {
        let problem = headers(bearer, lines).unwrap_err();
        assert!(problem.contains(part) && !problem.contains("canary"), "{problem}");
    }
}

fn with(id: &str, typed: &str) -> Settings {
    let mut settings = Settings::default();
    settings.set_choice(id, typed.to_owned());
    settings
}

#[test]
fn the_convention_goes_by_the_card_unless_one_is_chosen() {
    let options = |profile: &str| with("profile", profile).options("h.example");
    assert_eq!(options("").unwrap().profile, None);
    assert_eq!(options("tck").unwrap().profile, Some(Profile::Tck));
    let skills = with("skills", " talk, ,ask");
    assert_eq!(skills.options("h.example").unwrap().skills, ["talk", "ask"]);
    assert_eq!(skills.summary(), "chosen skills");
}

#[test]
fn the_timeout_is_seconds() {
    for id in CHOICES.iter().filter(|choice| choice.place == ChoicePlace::Times).map(|choice| choice.id) {
        let settings = |typed: &str| with(id, typed);
        assert_eq!(settings("").options("h.example").unwrap(), {
            Options { address: "https://h.example/".into(), concurrency: CONNECTIONS_PER_ORIGIN, ..Options::default() }
        });
        let options = settings(" 2 ").options("h.example").unwrap();
        assert_ne!((options.timeout_ms, options.timeouts), (60_000.0, Timeouts::default()), "{id}");
        for text in ["0", "-1", "NaN", "inf", "1e9", "soon", "36001"] {
            assert!(settings(text).options("h.example").is_err(), "{id} {text}");
        }
        assert_eq!(settings("2").summary(), "waiting times");
    }
    assert!(Settings::default().options("ftp://h").is_err());
}

#[test]
fn runs_are_a_number_and_of_what_can_be_repeated() {
    let several = |typed: &str| with("repeat", typed);
    for (typed, runs) in [("", 1), (" 1 ", 1), ("100", 100)] {
        assert_eq!(several(typed).options("h.example").map(|options| options.repeat), Ok(runs), "{typed}");
    }
    for typed in ["0", "101", "-1", "2.5", "many"] {
        let problem = several(typed).options("h.example").unwrap_err();
        assert!(problem.contains("from 1 to 100"), "{problem}");
    }
    assert_eq!(several("5").summary(), "several runs");
    let mut of_two = several("5");
    of_two.second.address = "b.example".into();
    let mut renewed = several("5");
    for (name, value) in [("id", "me-1"), ("secret", "canary"), ("refresh", "canary-2")] {
        renewed.set_field(name, value.into());
    }
    for (settings, address, why) in [
        (of_two, "h.example", "three runs"),
        (renewed, "h.example", "refresh token"),
        (several("5"), r#"{"name":"A"}"#, "a card alone"),
    ] {
        let problem = settings.options(address).unwrap_err();
        assert!(problem.starts_with("this cannot be checked several times: ") && problem.contains(why), "{problem}");
        assert!(!problem.contains("canary"), "{problem}");
    }
}

#[test]
fn to_wait_longer_reaches_what_was_too_short() {
    let mut settings = Settings::default();
    settings.set_choice("timeout", "2".into());
    settings.wait("time-reach", 30);
    let options = settings.options("h.example").unwrap();
    assert_eq!((options.timeout_ms, options.timeouts.reach_ms), (60_000.0, 30_000.0));
    settings.set_choice("timeout", "100".into());
    settings.wait("time-answer", 90);
    let options = settings.options("h.example").unwrap();
    assert_eq!((options.timeout_ms, options.timeouts.answer_ms), (100_000.0, 90_000.0));
    settings.wait("time-answer", 270);
    assert_eq!(settings.options("h.example").unwrap().timeout_ms, 270_000.0);
}

#[test]
fn a_pasted_card_is_judged_by_itself() {
    let options = Settings::default().options(r#"{"name":"A"}"#).unwrap();
    assert_eq!(options.source, Source::Card(br#"{"name":"A"}"#.to_vec()));
    assert!(!options.address.contains('{'), "{}", options.address);
    assert!(Settings::default().options(r#"{"name":"#).unwrap_err().contains("whole card"));
}
