//! Redaction: no secret survives in any mix of escapes, and a text without a secret stays as it is.

use a2a_conformance::wire::base64::{STANDARD, URL_SAFE};
use a2a_conformance::wire::mask::MASK;
use a2a_conformance::wire::redact::{Redactor, SHORTEST_SECRET};
use proptest::prelude::*;
use proptest::sample::select;

use super::config;

/// A secret: never a word of the protocol, since it has a letter that they do not have.
fn secret() -> impl Strategy<Value = String> {
    let usual = "[a-zA-Z0-9 +/=%\\\\\"._~-]{3,12}";
    let hard = "[%25uU0\\\\\"/+ n]{3,10}";
    let wide = "[a-z\u{e4}\u{20ac}\u{1f600}\t\u{7f}\"\\\\%]{3,8}";
    (prop_oneof![3 => usual, 1 => hard, 1 => wide], 0..3_usize).prop_map(|(text, at)| {
        let at = text.char_indices().nth(at).map_or(0, |(at, _)| at);
        format!("{}Q{}", &text[..at], &text[at..])
    })
}

fn percent(text: &str, sign: &str, upper: bool) -> String {
    let code = |byte: u8| if upper { format!("{sign}{byte:02X}") } else { format!("{sign}{byte:02x}") };
    text.bytes().map(code).collect()
}

/// The JSON escape of a character by its number, as two where it needs a pair.
fn by_number(char: char, upper: bool) -> String {
    let unit = |unit: &u16| if upper { format!("\\u{unit:04X}") } else { format!("\\u{unit:04x}") };
    char.encode_utf16(&mut [0; 2]).iter().map(unit).collect()
}

/// The escape of JSON that has a letter of its own, or the character itself.
fn short(char: char) -> String {
    match char {
        '"' | '\\' | '/' => format!("\\{char}"),
        '\t' => "\\t".to_owned(),
        _ => char.to_string(),
    }
}

/// A character as some writer may put it.
fn escaped(char: char, how: usize) -> String {
    let text = char.to_string();
    match how {
        0 => short(char),
        1 => by_number(char, false),
        2 => by_number(char, true),
        3 => percent(&text, "%", true),
        4 => percent(&text, "%", false),
        5 => percent(&text, "%25", true),
        6 if char == ' ' => "+".to_owned(),
        // JSON as a string of JSON.
        7 => serde_json::to_string(&short(char)).map(|text| text[1..text.len() - 1].to_owned()).unwrap_or_default(),
        8 => by_number(char, false).replace('\\', "\\\\"),
        _ => text,
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_secret_is_masked_as_it_is_and_in_every_mix_of_escapes(
        secret in secret(),
        ways in prop::collection::vec(prop_oneof![3 => Just(9_usize), 4 => 0..9_usize], 16),
        before in "[<> .{}]{0,4}",
        after in "[<> .{}]{0,4}",
    ) {
        let redactor = Redactor::default();
        redactor.learn(&secret);
        let expected = format!("{before}{MASK}{after}");
        prop_assert_eq!(redactor.text(&format!("{before}{secret}{after}")), &*expected);
        let written: String = secret.chars().zip(ways).map(|(char, how)| escaped(char, how)).collect();
        prop_assert_eq!(redactor.text(&format!("{before}{written}{after}")), &*expected, "{}", written);
        let bytes = redactor.bytes(format!("{before}{written}{after}").into_bytes());
        prop_assert_eq!(bytes, expected.into_bytes());
    }

    #[test]
    fn a_secret_is_masked_in_what_each_writer_makes_of_it(secret in secret(), key in "[a-c]{1,3}") {
        let redactor = Redactor::default();
        redactor.learn(&secret);
        let json = serde_json::json!({ key.as_str(): secret }).to_string();
        let nested = serde_json::json!({ "body": json }).to_string();
        let form = url::form_urlencoded::Serializer::new(String::new()).append_pair(&key, &secret).finish();
        let nested_form = url::form_urlencoded::Serializer::new(String::new()).append_pair("next", &form).finish();
        let coded = [STANDARD.encode(secret.as_bytes()), URL_SAFE.encode(secret.as_bytes())];
        for text in [json, nested, form, nested_form].into_iter().chain(coded) {
            let masked = redactor.text(&text);
            prop_assert!(masked.contains(MASK) && masked.matches('Q').count() == 0, "{} {}", text, masked);
        }
    }

    #[test]
    fn text_without_the_secret_is_unchanged(
        secret in secret(),
        text in "([a-pr-zA-PR-Z\u{e4} {}\":,/+-]|%[2346][0-9a-f]|\\\\[\"\\\\/n]|\\\\u00[a-f][0-9]){0,40}",
    ) {
        // Q is in the secret; here it is neither itself nor %51 or \u0051.
        let coded = STANDARD.encode(secret.as_bytes());
        prop_assume!(!text.contains(coded.trim_end_matches('=')));
        let redactor = Redactor::default();
        redactor.learn(&secret);
        prop_assert_eq!(redactor.text(&text), &*text);
        prop_assert_eq!(redactor.bytes(text.clone().into_bytes()), text.into_bytes());
    }

    #[test]
    fn any_bytes_are_taken_and_several_secrets_are_masked_however_they_lie(
        secrets in prop::collection::vec(secret(), 1..4),
        bytes: Vec<u8>,
        order in prop::collection::vec(0..4_usize, 0..8),
    ) {
        let redactor = Redactor::default();
        for secret in &secrets {
            redactor.learn(secret);
        }
        let _ = redactor.bytes(bytes);
        let text: String = order.iter().filter_map(|at| secrets.get(*at)).map(|secret| format!("<{secret}>")).collect();
        let masked = redactor.text(&text);
        prop_assert_eq!(masked.matches('Q').count(), 0, "{}", masked);
    }

    #[test]
    fn a_header_that_holds_credentials_is_masked_whatever_it_holds(
        name in select(vec!["Authorization", "Cookie", "X-Api-Key", "X-Mine"]), token in secret(),
    ) {
        let redactor = Redactor::for_headers(&[(name.to_owned(), format!("Bearer {token}"))]);
        prop_assume!(token.trim().len() >= SHORTEST_SECRET);
        // Blanks around the value of a header are not part of it.
        let masked = redactor.text(&format!("<{}> <Bearer {token}>", token.trim()));
        prop_assert_eq!(masked.matches('Q').count(), 0, "{}", masked);
    }
}
