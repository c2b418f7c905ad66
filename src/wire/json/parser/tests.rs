//! Tests of the tolerant reader: tables, and `serde_json` as the judge of what is JSON and what it means.

use super::super::samples::{CORPUS, Random};
use super::*;
use FlawKind::{
    ByteOrderMark, DuplicateKey, Empty, LoneSurrogate, NotJson, NotUtf8, NumberRange, Syntax, TooDeep, TrailingText,
};
use serde_json::json;

/// A text, its value if any, and its flaws: kind, offset, pointer.
#[track_caller]
fn check(text: impl AsRef<[u8]>, value: Option<Value>, flaws: &[(FlawKind, usize, &str)]) {
    let parsed = parse(text.as_ref());
    let found: Vec<_> = parsed.flaws.iter().map(|flaw| (flaw.kind, flaw.offset, flaw.pointer.as_str())).collect();
    assert_eq!((parsed.value, found.as_slice()), (value, flaws), "{}", text.as_ref().escape_ascii());
}

#[track_caller]
fn check_detail(text: impl AsRef<[u8]>, detail: &str) {
    let parsed = parse(text.as_ref());
    assert_eq!(parsed.flaws.last().map(|flaw| flaw.detail.as_str()), Some(detail));
}

/// `serde_json` takes exactly the texts in which we find at most repeated names, and reads them as we do.
#[track_caller]
fn check_against_serde_json(text: &[u8]) {
    let ours = parse(text);
    let shown = text.escape_ascii();
    assert!(ours.value.is_some() || !ours.flaws.is_empty(), "no value and no reason: {shown}");
    assert!(ours.flaws.iter().all(|flaw| flaw.offset <= text.len()), "{shown}");
    assert_eq!(read(text), serde_json::from_slice(text).ok(), "{shown}");
    let clean = ours.flaws.iter().all(|flaw| flaw.kind == DuplicateKey);
    match serde_json::from_slice::<Value>(text) {
        Ok(theirs) => {
            assert!(clean, "{shown}: {:?}", ours.flaws);
            assert!(ours.value.is_some_and(|ours| nearly_equal(&ours, &theirs)), "{shown}");
        }
        Err(error) => assert!(!clean, "{shown}: {error}"),
    }
}

/// Equal, but for the last bits of doubles: `serde_json` rounds them quickly, we exactly.
fn nearly_equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) if a.is_f64() && b.is_f64() => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            a.is_sign_negative() == b.is_sign_negative() && (a - b).abs() <= a.abs() * 1e-15
        }
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| nearly_equal(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|((k, a), (l, b))| k == l && nearly_equal(a, b))
        }
        _ => a == b,
    }
}

#[test]
fn a_legal_text_has_no_flaws() {
    check(" [1, -2.5e3, \"\\u20ac\", {\"a\": null}]\n", Some(json!([1, -2500.0, "€", {"a": null}])), &[]);
}

#[test]
fn a_body_without_text_is_empty() {
    check("", None, &[(Empty, 0, "")]);
    check(" \r\n\t", None, &[(Empty, 4, "")]);
    check("\u{feff} ", None, &[(ByteOrderMark, 0, ""), (Empty, 4, "")]);
}

#[test]
fn a_byte_order_mark_is_passed_over() {
    check("\u{feff}{\"a\":1}", Some(json!({"a": 1})), &[(ByteOrderMark, 0, "")]);
    check("{\u{feff}}", None, &[(Syntax, 1, "")]);
}

#[test]
fn the_last_of_two_members_of_one_name_wins() {
    check("{\"a\":1,\"b\":2,\"a\":3}", Some(json!({"a": 3, "b": 2})), &[(DuplicateKey, 13, "/a")]);
    check("[{\"x/\":{\"k\":1,\"\\u006b\":2}}]", Some(json!([{"x/": {"k": 2}}])), &[(DuplicateKey, 14, "/0/x~1/k")]);
    check_detail("{\"a\":1,\"a\":2}", "the name \"a\" occurs twice in its object");
}

#[test]
fn text_behind_the_value_is_left_unread() {
    check("{}\n{}", Some(json!({})), &[(TrailingText, 3, "")]);
    check("200 OK", Some(json!(200)), &[(TrailingText, 4, "")]);
    check_detail("null <html>", "there is more text after the end of the value: \"<html>\"");
}

#[test]
fn bytes_that_are_no_utf8_are_read_as_replacement_characters() {
    check(b"{\"a\":[\"x\xff\xe2\x82\"]}", Some(json!({"a": ["x\u{fffd}\u{fffd}"]})), &[(NotUtf8, 8, "/a/0")]);
    check(b"{\"\xff\":1}", Some(json!({"\u{fffd}": 1})), &[(NotUtf8, 2, "")]);
    check(b"[\xff]", None, &[(NotUtf8, 1, "/0"), (Syntax, 1, "/0")]);
}

#[test]
fn half_a_surrogate_pair_is_read_as_a_replacement_character() {
    check(r#"["\ud83d\ude00"]"#, Some(json!(["😀"])), &[]);
    check(r#"["\ud83d"]"#, Some(json!(["\u{fffd}"])), &[(LoneSurrogate, 2, "/0")]);
    check(
        r#"["\ude00\ud83d"]"#,
        Some(json!(["\u{fffd}\u{fffd}"])),
        &[(LoneSurrogate, 2, "/0"), (LoneSurrogate, 8, "/0")],
    );
    check(r#"["\ud83dA\uD83D\uDE00"]"#, Some(json!(["\u{fffd}A😀"])), &[(LoneSurrogate, 2, "/0")]);
    check_detail(r#""\ud83d""#, "the escape \\ud83d is half of a surrogate pair");
}

#[test]
fn numbers_keep_what_they_amount_to() {
    let text = format!("[{},{},{},1e2,-0]", u64::MAX, i64::MIN, "18446744073709551616");
    check(text, Some(json!([u64::MAX, i64::MIN, 18_446_744_073_709_551_616.0, 100.0, -0.0])), &[]);
    check("{\"a\":[1e400]}", Some(json!({"a": [null]})), &[(NumberRange, 6, "/a/0")]);
    check(format!("-{}", "9".repeat(400)), Some(json!(null)), &[(NumberRange, 0, "")]);
}

#[test]
fn a_text_that_does_not_begin_as_json_is_named() {
    for (text, kind) in [
        ("<!DOCTYPE html><html>", "an HTML page"),
        ("\n <HTML lang=en>", "an HTML page"),
        ("<?xml version=\"1.0\"?>", "HTML or XML"),
        ("data: {\"jsonrpc\":\"2.0\"}\n\n", "an event stream"),
        (": ping\n", "an event stream"),
        ("Not Found", "plain text"),
        ("nullable", "plain text"),
        ("Ошибка", "plain text"),
        ("\0\u{1}", "binary data"),
    ] {
        let parsed = parse(text.as_bytes());
        assert_eq!((parsed.value, parsed.flaws.len()), (None, 1));
        assert_eq!(parsed.flaws[0].kind, NotJson);
        assert!(parsed.flaws[0].detail.starts_with(&format!("this is {kind}: ")), "{}", parsed.flaws[0]);
    }
    check(b"\x1f\x8b\x08", None, &[(NotJson, 0, "")]);
    check(b"\xff\xfe{\0}\0", None, &[(NotUtf8, 0, ""), (NotJson, 0, "")]);
    check_detail("Not Found\nhere", "this is plain text: it begins with \"Not Found\\n\"");
}

#[test]
fn a_syntax_error_says_where_and_what_was_expected() {
    for (text, offset, pointer, detail) in [
        ("{\"a\":[1,]}", 8, "/a/1", "expected a value, found \"]}\""),
        ("{\"a\":1,}", 7, "", "expected a member name in double quotes, found \"}\""),
        ("{a:1}", 1, "", "expected a member name in double quotes, found \"a:1}\""),
        ("{\"a\" 1}", 5, "/a", "expected `:` after a member name, found \"1}\""),
        ("{\"a\":1 \"b\":2}", 7, "", "expected `,` or `}`, found \"\\\"b\\\":2}\""),
        ("[1 2]", 3, "", "expected `,` or `]`, found \"2]\""),
        ("[1, 2", 5, "", "expected `,` or `]`, found the end of the text"),
        ("[True]", 1, "/0", "expected a value, found \"True]\""),
        ("[01]", 2, "/0", "expected no more digits after a leading 0, found \"1]\""),
        ("[1.]", 3, "/0", "expected a digit, found \"]\""),
        ("[\"a\tb\"]", 3, "/0", "expected the rest of a string, with control characters escaped, found \"\\tb\\\"]\""),
        ("[\"a", 3, "/0", "expected the rest of a string, with control characters escaped, found the end of the text"),
        ("[\"\\u12g4\"]", 4, "/0", "expected four hexadecimal digits, found \"12g4\\\"]\""),
        ("[\"\\x\"]", 3, "/0", "expected one of `\"\\/bfnrtu` after a backslash, found \"x\\\"]\""),
    ] {
        check(text, None, &[(Syntax, offset, pointer)]);
        check_detail(text, detail);
    }
}

#[test]
fn a_quotation_is_short_and_ends_with_its_line() {
    let long = format!("[{}", "é".repeat(1000));
    check_detail(&long, &format!("expected a value, found \"{}…\"", "é".repeat(QUOTED)));
    check_detail("[x\ny", "expected a value, found \"x\\n\"");
}

#[test]
fn nesting_is_bounded() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert_eq!(parse(nested(MOST_LEVELS).as_bytes()).flaws, []);
    for text in [nested(MOST_LEVELS + 1), "[".repeat(1 << 20), "{\"a\":".repeat(1 << 20)] {
        let parsed = parse(text.as_bytes());
        assert_eq!((parsed.value, parsed.flaws.len()), (None, 1));
        assert_eq!(parsed.flaws[0].kind, TooDeep);
    }
}

#[test]
fn flaws_are_bounded_in_number_and_size() {
    let name = "n".repeat(1 << 20);
    let text = format!("{{\"{name}\":{{{}\"a\":0}}}}", "\"a\":0,".repeat(10_000));
    let parsed = parse(text.as_bytes());
    assert_eq!(parsed.flaws.len(), MOST_FLAWS);
    assert!(parsed.flaws.iter().all(|flaw| flaw.pointer.as_str().len() + flaw.detail.len() < 8192));
    assert_eq!(parsed.value, Some(json!({name: {"a": 0}})));
    // The first of another kind is kept in any case, and so is the one that ends the reading.
    let trailing = parse(format!("{text} x").as_bytes());
    assert_eq!(trailing.flaws.last().map(|flaw| flaw.kind), Some(TrailingText));
    let cut = parse(&text.as_bytes()[..text.len() - 2]);
    assert_eq!(cut.flaws.last().map(|flaw| flaw.kind), Some(Syntax));
}

#[test]
fn a_flaw_shows_its_words_and_its_byte() {
    assert_eq!(parse(b"[1").flaws[0].to_string(), "expected `,` or `]`, found the end of the text (byte 2)");
}

#[test]
fn the_corpus_reads_as_serde_json_reads_it() {
    for text in CORPUS {
        check_against_serde_json(text.as_bytes());
        check_against_serde_json(format!("{{\"k\": [{text}]}}").as_bytes());
    }
}

#[test]
fn any_value_comes_back_as_it_was_written() {
    let mut random = Random::new(1);
    for _ in 0..2000 {
        let value = random.value(5);
        check(value.to_string(), Some(value.clone()), &[]);
        check(serde_json::to_string_pretty(&value).unwrap(), Some(value), &[]);
    }
}

#[test]
fn no_cut_or_mutated_text_breaks_the_reader() {
    let mut random = Random::new(2);
    let mut texts: Vec<Vec<u8>> = CORPUS.iter().map(|text| text.as_bytes().to_vec()).collect();
    texts.extend((0..200).map(|_| random.value(4).to_string().into_bytes()));
    for text in &texts {
        for end in 0..text.len() {
            check_against_serde_json(&text[..end]);
        }
        for _ in 0..100 {
            let mut text = text.clone();
            for _ in 0..=random.below(3) {
                mutate(&mut text, &mut random);
            }
            check_against_serde_json(&text);
        }
    }
}

fn mutate(text: &mut Vec<u8>, random: &mut Random) {
    let likely = b"{}[]\",:\\u0019-+.eEtfn \n\xff\xc3\xed\xa0\x80\0";
    let at = random.below(text.len() + 1);
    let byte = likely[random.below(likely.len())];
    match random.below(4) {
        0 => text.insert(at, byte),
        1 if at < text.len() => text[at] = byte,
        2 if at < text.len() => drop(text.remove(at)),
        _ => {
            let end = at + random.below(text.len() - at + 1);
            text.extend_from_within(at..end);
        }
    }
}
