//! A value as one text and no other: the JSON Canonicalization Scheme (RFC 8785).

use serde_json::Value;

use crate::wire::order;

/// The canonical text. With `ascii` every other character is escaped, which RFC 8785 forbids and some signers do all the
/// same. `None` for a number that is not an integer or is too large to be exact: writing those is a science of its own.
#[must_use]
pub fn canonical(value: &Value, ascii: bool) -> Option<String> {
    let mut out = String::new();
    write(value, ascii, &mut out)?;
    Some(out)
}

fn write(value: &Value, ascii: bool, out: &mut String) -> Option<()> {
    match value {
        Value::Object(map) => {
            // By UTF-16 code units (RFC 8785 §3.2.3).
            let mut names: Vec<&str> = map.keys().map(String::as_str).collect();
            order::sort_by(&mut names, |one, other| one.encode_utf16().cmp(other.encode_utf16()));
            let mut before = '{';
            for name in &names {
                out.push(before);
                write_text(name, ascii, out);
                out.push(':');
                write(map.get(*name)?, ascii, out)?;
                before = ',';
            }
            out.push_str(if names.is_empty() { "{}" } else { "}" });
        }
        Value::Array(list) => {
            let mut before = '[';
            for entry in list {
                out.push(before);
                write(entry, ascii, out)?;
                before = ',';
            }
            out.push_str(if list.is_empty() { "[]" } else { "]" });
        }
        Value::String(text) => write_text(text, ascii, out),
        Value::Number(number) => {
            const EXACT: i64 = 1 << 53;
            let whole = number.as_i64().filter(|whole| (-EXACT..=EXACT).contains(whole))?;
            out.push_str(&whole.to_string());
        }
        Value::Bool(_) | Value::Null => out.push_str(&value.to_string()),
    }
    Some(())
}

fn write_text(text: &str, ascii: bool, out: &mut String) {
    // serde_json escapes what RFC 8785 §3.2.2.2 names, and in its spelling.
    for c in Value::from(text).to_string().chars() {
        if ascii && !(' '..='~').contains(&c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                out.push_str("\\u");
                for place in [12, 8, 4, 0] {
                    out.extend(char::from_digit(u32::from(*unit >> place & 15), 16));
                }
            }
        } else {
            out.push(c);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn members_are_sorted_by_utf16_and_texts_escaped_as_the_rfc_says() {
        // RFC 8785 §3.2.3
        let value = json!({
            "\u{20ac}": "Euro Sign", "\r": "Carriage Return", "\u{fb33}": "Hebrew Letter Dalet With Dagesh",
            "1": "One", "\u{1f600}": "Emoji: Grinning Face", "\u{80}": "Control", "\u{f6}": "Latin Small Letter O With Diaeresis"
        });
        let text = canonical(&value, false).unwrap();
        let order: Vec<_> = ["Carriage", "One", "Control", "Latin", "Euro", "Emoji", "Hebrew"]
            .iter()
            .map(|name| text.find(name))
            .collect();
        assert!(order.is_sorted(), "{text}");
        assert_eq!(
            canonical(&json!({"b": [1, -2, {}, []], "a": null}), false).unwrap(),
            r#"{"a":null,"b":[1,-2,{},[]]}"#
        );
        assert_eq!(canonical(&json!("\u{1}\n\"/é"), false).unwrap(), r#""\u0001\n\"/é""#);
        assert_eq!(canonical(&json!("é😀\u{7f}"), true).unwrap(), r#""\u00e9\ud83d\ude00\u007f""#);
        assert_eq!(canonical(&json!(0.5), false), None);
    }
}
