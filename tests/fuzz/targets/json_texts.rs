//! The tolerant JSON reader against `serde_json`, and what works on values that were read: canonical text, differences, coloured lines.

use a2a_conformance::wire::json::{FlawKind, Pointer, Value, brief, canonical, diff, parse, read, tokens};
use a2a_conformance::wire::limits::{MOST_DIFFERENCES, MOST_FLAWS, MOST_LEVELS, MOST_LINES};
use serde_json::{from_slice, from_str};

/// How many arrays and objects lie in each other.
fn depth(value: &Value) -> usize {
    match value {
        Value::Array(elements) => 1 + elements.iter().map(depth).max().unwrap_or_default(),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or_default(),
        _ => 0,
    }
}

/// Any bytes.
pub(crate) fn run(data: &[u8]) {
    let parsed = parse(data);
    let strict = from_slice::<Value>(data);
    let innocent = parsed.flaws.iter().all(|flaw| flaw.kind == FlawKind::DuplicateKey);
    match &strict {
        Ok(value) => {
            assert_eq!(parsed.value.as_ref().map(Value::to_string), Some(value.to_string()));
            assert!(innocent, "{:?}", parsed.flaws);
            assert_eq!(read(data).as_ref(), Some(value));
        }
        // One container more than `serde_json` takes.
        Err(_) => {
            let deepest = parsed.value.as_ref().is_some_and(|value| depth(value) == MOST_LEVELS);
            assert!(!innocent || deepest, "{strict:?}");
        }
    }
    assert!(parsed.flaws.len() <= MOST_FLAWS + 10);
    assert!(parsed.flaws.iter().all(|flaw| flaw.offset <= data.len() && !flaw.detail.is_empty()));
    if let Some(value) = &parsed.value {
        of_value(value);
        // Two values: what the first half and the whole differ by.
        if let Some(other) = parse(&data[data.len() / 2..]).value {
            let differences = diff(value, &other);
            assert!(differences.len() <= MOST_DIFFERENCES);
            // 1 and 1.0 are two values without a difference.
            assert!(*value != other || differences.is_empty());
        }
    }
}

fn of_value(value: &Value) {
    for ascii in [false, true] {
        let Some(text) = canonical(value, ascii) else { continue };
        assert!(!ascii || text.is_ascii());
        let again: Value = from_str(&text).expect("canonical text is JSON");
        assert_eq!(*value, again, "canonical text is another value");
        assert_eq!(canonical(&again, ascii).as_deref(), Some(&*text), "canonical text has another canonical text");
    }
    assert!(diff(value, value).is_empty());
    let lines = tokens(value);
    assert!(!lines.is_empty() && lines.len() <= MOST_LINES + 2, "{} lines", lines.len());
    assert!(brief(value, 40).chars().count() <= 41);
    let root = Pointer::root();
    assert_eq!(root.resolve(value), Some(value));
    if let Value::Object(members) = value {
        for (name, member) in members {
            let pointer = root.key(name);
            assert_eq!(pointer.resolve(value), Some(member));
            assert_eq!(Pointer::parse(pointer.as_str()).as_ref(), Some(&pointer));
            assert_eq!(pointer.last().as_deref(), Some(name.as_str()));
        }
    }
}

/// Texts of every kind of value and flaw.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let texts = [
        r#"{"a":[1,-2.5e3,true,null,"\u00e9\ud83d\ude00\n"],"b":{"":{}},"a":0}"#,
        "\u{feff}[1e999, 18446744073709551615, -9223372036854775808, 0.1]",
        r#"{"jsonrpc":"2.0","id":"1","result":{"task":{"id":"t","status":{"state":"TASK_STATE_WORKING"}}}} trailing"#,
        "\"\\ud800\"",
        "[[[[[[[[]]]]]]]]",
        "<html>",
    ];
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}
