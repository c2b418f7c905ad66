//! The tolerant JSON reader against `serde_json`.
//!
//! Ours reads everything that `serde_json` reads, and reads it the same. A text that `serde_json` refuses has a flaw; if its
//! meaning is clear all the same, ours has a value too, and the properties say which.

use a2a_conformance::wire::json::{FlawKind, Parsed, Value, parse, read};
use a2a_conformance::wire::limits::MOST_LEVELS;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Deserializer, from_slice, from_str};

use super::config;

/// A text that is JSON, and in how many places an object has a name again.
#[derive(Debug, Clone)]
pub(super) struct Document {
    pub(super) text: String,
    repeated: usize,
}

fn blank() -> impl Strategy<Value = &'static str> {
    select(vec!["", "", "", " ", "\n", "\r\n\t "])
}

/// The inside of a string, in every way that JSON can write it.
fn inside() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[a-c/~'é€😀\u{7f}\u{2028}\u{fffd} ]{1,3}",
        1 => select(vec![r"\n", r"\/", r"\\", r#"\""#, r"\b\f\r\t", r"\u0041", r"\u00E9", r"\uD83d\ude00", r"\u0000"])
            .prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..3).prop_map(|pieces| pieces.concat())
}

fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<i64>().prop_map(|number| number.to_string()),
        any::<u64>().prop_map(|number| number.to_string()),
        "-?(0|[1-9][0-9]{0,24})(\\.[0-9]{1,20})?([eE][+-]?[0-9]{1,2})?",
        any::<f64>().prop_filter("a number", |number| number.is_finite()).prop_map(|number| format!("{number:e}")),
    ]
}

pub(super) fn document() -> impl Strategy<Value = Document> {
    let leaf = prop_oneof![
        select(vec!["null", "true", "false"]).prop_map(str::to_owned),
        number(),
        inside().prop_map(|text| format!("\"{text}\"")),
    ];
    let leaf = leaf.prop_map(|text| Document { text, repeated: 0 });
    leaf.prop_recursive(5, 48, 6, |inner| {
        let array = (prop::collection::vec(inner.clone(), 0..6), blank()).prop_map(|(elements, blank)| {
            let texts: Vec<String> = elements.iter().map(|element| format!("{blank}{}{blank}", element.text)).collect();
            Document {
                text: format!("[{}{blank}]", texts.join(",")),
                repeated: elements.iter().map(|element| element.repeated).sum(),
            }
        });
        // Names of one letter, so that some occur again.
        let object = (prop::collection::vec(("[a-d]", inner), 0..6), blank()).prop_map(|(members, blank)| {
            let texts: Vec<String> =
                members.iter().map(|(name, value)| format!("{blank}\"{name}\"{blank}:{blank}{}", value.text)).collect();
            let repeated =
                (0..members.len()).filter(|&at| members[..at].iter().any(|(name, _)| *name == members[at].0)).count();
            Document {
                text: format!("{{{}{blank}}}", texts.join(",")),
                repeated: repeated + members.iter().map(|(_, value)| value.repeated).sum::<usize>(),
            }
        });
        prop_oneof![array, object]
    })
}

/// Bytes with some of them dropped, changed or put in.
pub(super) fn mutated(bytes: Vec<u8>, changes: Vec<(Index, Option<u8>, bool)>) -> Vec<u8> {
    changes.into_iter().fold(bytes, |mut bytes, (at, byte, keep)| {
        let at = at.index(bytes.len() + 1);
        let end = if keep { at } else { (at + 1).min(bytes.len()) };
        bytes.splice(at..end, byte);
        bytes
    })
}

pub(super) fn changes() -> impl Strategy<Value = Vec<(Index, Option<u8>, bool)>> {
    let byte = prop_oneof![3 => select(b"{}[]\",:\\/0123456789-+.eEuntfab \n\t\x00".to_vec()), 1 => any::<u8>()];
    prop::collection::vec((any::<Index>(), prop::option::of(byte), any::<bool>()), 0..4)
}

/// How many arrays and objects lie in each other.
fn depth(value: &Value) -> usize {
    match value {
        Value::Array(elements) => 1 + elements.iter().map(depth).max().unwrap_or_default(),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or_default(),
        _ => 0,
    }
}

/// Properties of the reading of any bytes.
fn check(bytes: &[u8]) -> Result<Parsed, TestCaseError> {
    let parsed = parse(bytes);
    let has = |kind| parsed.flaws.iter().any(|flaw| flaw.kind == kind);
    match from_slice::<Value>(bytes) {
        Ok(value) => {
            prop_assert_eq!(parsed.value.as_ref(), Some(&value));
            // Members stand in the same order, and 1 is not 1.0.
            prop_assert_eq!(parsed.value.as_ref().map(Value::to_string), Some(value.to_string()));
            prop_assert!(parsed.flaws.iter().all(|flaw| flaw.kind == FlawKind::DuplicateKey), "{:?}", parsed.flaws);
            prop_assert_eq!(read(bytes), Some(value));
        }
        Err(_) => {
            let refused = parsed.flaws.iter().any(|flaw| flaw.kind != FlawKind::DuplicateKey);
            let deepest = parsed.value.as_ref().is_some_and(|value| depth(value) == MOST_LEVELS);
            prop_assert!(refused || deepest, "{:?}", parsed);
            prop_assert!(deepest || read(bytes).is_none());
        }
    }
    // There is a value unless the last flaw ended the reading.
    let stops =
        [FlawKind::Empty, FlawKind::NotJson, FlawKind::Syntax, FlawKind::TooDeep].into_iter().filter(|kind| has(*kind));
    prop_assert_eq!(parsed.value.is_none(), stops.count() == 1);
    prop_assert!(parsed.flaws.iter().all(|flaw| flaw.offset <= bytes.len()));
    Ok(parsed)
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_document_reads_as_serde_json_reads_it_and_names_that_occur_again_are_told(document in document()) {
        let parsed = check(document.text.as_bytes())?;
        prop_assert!(parsed.value.is_some());
        prop_assert_eq!(parsed.flaws.len(), document.repeated);
    }

    #[test]
    fn a_broken_document_is_read_as_serde_json_reads_it_or_has_a_flaw(
        document in document(), changes in changes(),
    ) {
        check(&mutated(document.text.into_bytes(), changes))?;
    }

    #[test]
    fn any_bytes_are_read_as_serde_json_reads_them_or_have_a_flaw(
        bytes: Vec<u8>, text in r#"[\[\]{}",:0-9truefalsn\\ -]{0,24}"#,
    ) {
        check(&bytes)?;
        check(text.as_bytes())?;
    }

    #[test]
    fn text_behind_the_value_costs_nothing_of_the_value(
        document in document(), tail in r#"[ \n]([^ \t\r\n]|\PC{1,9}[^ \t\r\n])"#,
    ) {
        let text = format!("{}{tail}", document.text);
        let parsed = check(text.as_bytes())?;
        // The crate's reader of values in a row stops at the same place.
        let first = Deserializer::from_str(&text).into_iter::<Value>().next().transpose().ok().flatten();
        prop_assert_eq!(parsed.value, first);
        prop_assert_eq!(parsed.flaws.last().map(|flaw| flaw.kind), Some(FlawKind::TrailingText));
    }

    #[test]
    fn a_byte_order_mark_costs_nothing_of_the_value(document in document()) {
        let parsed = check(format!("\u{feff}{}", document.text).as_bytes())?;
        prop_assert_eq!(parsed.value, from_str(&document.text).ok());
        prop_assert_eq!(parsed.flaws[0].kind, FlawKind::ByteOrderMark);
    }

    #[test]
    fn bytes_that_are_no_utf8_are_read_as_replaced_where_json_can_have_them(
        document in document(), put in prop::collection::vec((any::<Index>(), 0x80_u8..), 1..4),
    ) {
        let mut bytes = document.text.into_bytes();
        for (at, byte) in put {
            bytes.insert(at.index(bytes.len() + 1), byte);
        }
        prop_assume!(!bytes.starts_with(b"\xef\xbb\xbf"));
        let parsed = check(&bytes)?;
        match std::str::from_utf8(&bytes) {
            Ok(_) => {}
            // Behind the value they are text like any other, and between two escapes they part a surrogate pair.
            Err(_) if parsed.flaws.iter().any(|flaw| {
                matches!(flaw.kind, FlawKind::TrailingText | FlawKind::LoneSurrogate)
            }) => {}
            Err(_) => {
                prop_assert_eq!(parsed.value, from_str(&String::from_utf8_lossy(&bytes)).ok());
                // In a string they are told; elsewhere nothing of JSON can begin with them.
                let told = [FlawKind::NotUtf8, FlawKind::Syntax, FlawKind::NotJson];
                prop_assert!(parsed.flaws.iter().any(|flaw| told.contains(&flaw.kind)), "{:?}", parsed.flaws);
            }
        }
    }

    #[test]
    fn escaped_units_are_read_as_utf16_and_half_pairs_as_replaced(
        units in prop::collection::vec(prop_oneof![any::<u16>(), 0xd7fe..0xe002_u16], 0..8),
    ) {
        let text: String = units.iter().map(|unit| format!("\\u{unit:04x}")).collect();
        let parsed = check(format!("\"{text}\"").as_bytes())?;
        prop_assert_eq!(parsed.value, Some(String::from_utf16_lossy(&units).into()));
        let halves = char::decode_utf16(units).filter(Result::is_err).count();
        prop_assert_eq!(parsed.flaws.len(), halves);
    }

    #[test]
    fn a_number_that_no_double_holds_is_null_and_the_rest_is_kept(exponent in 309..99_999_u32, sign in "-?") {
        let parsed = check(format!("[1, {sign}1e{exponent}, 2]").as_bytes())?;
        prop_assert_eq!(parsed.value, Some(serde_json::json!([1, null, 2])));
        prop_assert_eq!(parsed.flaws[0].kind, FlawKind::NumberRange);
    }
}

#[test]
fn one_container_more_lies_in_the_others_than_serde_json_takes() {
    for (containers, ours, theirs) in [(127, true, true), (128, true, false), (129, false, false)] {
        let text = format!("{}{}", "[".repeat(containers), "]".repeat(containers));
        let parsed = parse(text.as_bytes());
        assert_eq!((parsed.value.is_some(), from_str::<Value>(&text).is_ok()), (ours, theirs), "{containers}");
        assert_eq!(parsed.flaws.iter().any(|flaw| flaw.kind == FlawKind::TooDeep), !ours, "{containers}");
    }
}
