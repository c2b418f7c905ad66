//! Bodies that are not JSON, hardly JSON, or more of it than anybody needs (RFC 8259).

use super::attack::Attack;
use super::attack::Place::{Calls, Card, Gets, Sends, Unary};
use super::harm::{acts, body, changed, flood, json_head, ok, send};

/// The attacks of this family.
pub(crate) fn attacks() -> Vec<Attack> {
    [greatness(), encodings(), syntax(), values()].into_iter().flatten().collect()
}

fn greatness() -> Vec<Attack> {
    vec![
        Attack::new(
            "1,000,000 levels of arrays",
            Sends,
            body(format!("{}{}", "[".repeat(1_000_000), "]".repeat(1_000_000))),
        ),
        Attack::new("1,000,000 levels that are never closed", Sends, body("[".repeat(1_000_000))),
        Attack::new(
            "500,000 levels of objects",
            Sends,
            body(format!("{}1{}", "{\"a\":".repeat(500_000), "}".repeat(500_000))),
        ),
        Attack::new(
            "1,000,000 levels of a card",
            Card,
            body(format!("{}{}", "[".repeat(1_000_000), "]".repeat(1_000_000))),
        ),
        Attack::new(
            "100 levels of metadata",
            Sends,
            changed(|text| in_front(&text, &format!("\"x-deep\":{}{},", "[".repeat(100), "]".repeat(100)))),
        ),
        Attack::new("500,000 members", Sends, body(format!("{{{}\"a\":1}}", "\"b\":1,".repeat(500_000)))),
        Attack::new("a number of 4 MB", Sends, body(format!("{{\"a\":{}}}", "9".repeat(4 << 20)))).heavy(),
        Attack::new("a key of 4 MB", Sends, body(format!("{{\"{}\":1}}", "k".repeat(4 << 20)))).heavy(),
        Attack::new("a string of 4 MB in escapes", Sends, body(format!("{{\"a\":\"{}\"}}", "\\u0041".repeat(700_000))))
            .heavy(),
        Attack::new("a string that never ends", Sends, flood(json_head() + "{\"a\":\"", vec![b'x'; 65536], 16_384)),
        Attack::new(
            "4 MB of blanks around the answer",
            Sends,
            changed(|text| format!("{}{text}", " ".repeat(4 << 20)).into_bytes()),
        )
        .heavy(),
        Attack::new(
            "10,000 keys, each twice",
            Sends,
            body(format!("{{{}\"a\":1}}", (0..10_000).map(|n| format!("\"{n}\":1,\"{n}\":2,")).collect::<String>())),
        ),
        Attack::new(
            "keys that collide in a hash",
            Sends,
            body(format!("{{{}\"a\":1}}", (0..50_000).map(|n| format!("\"{:08x}\":1,", n << 16)).collect::<String>())),
        ),
    ]
}

/// An object with more members before its own.
fn in_front(text: &str, members: &str) -> Vec<u8> {
    text.replacen('{', &format!("{{{members}"), 1).into_bytes()
}

fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(bytes).collect()
}

fn encodings() -> Vec<Attack> {
    vec![
        Attack::new("a byte order mark", Sends, changed(|text| format!("\u{feff}{text}").into_bytes())),
        Attack::new("two byte order marks", Sends, changed(|text| format!("\u{feff}\u{feff}{text}").into_bytes())),
        Attack::new("UTF-16, little end first", Sends, changed(|text| utf16(&text, u16::to_le_bytes))),
        Attack::new("UTF-16, big end first", Sends, changed(|text| utf16(&text, u16::to_be_bytes))),
        Attack::new("UTF-32", Sends, changed(|text| text.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect())),
        Attack::new(
            "Latin-1",
            Sends,
            changed(|text| {
                let mut bytes = in_front(&text, "\"x-latin\":\"~\",");
                bytes.iter_mut().filter(|byte| **byte == b'~').for_each(|byte| *byte = 0xe4);
                bytes
            }),
        ),
        Attack::new("bytes that are not UTF-8 at all", Sends, body([0xff; 1000])),
        Attack::new("a surrogate in three bytes", Sends, body(*b"{\"a\":\"\xed\xa0\x80\"}")),
        Attack::new("a slash in two bytes too many", Sends, body(*b"{\"a\":\"\xe0\x80\xaf\"}")),
        Attack::new("a lone surrogate", Sends, changed(|text| in_front(&text, "\"x-lone\":\"\\ud800\","))),
        Attack::new(
            "surrogates in the wrong order",
            Sends,
            changed(|text| in_front(&text, "\"x-pair\":\"\\udc00\\ud800\",")),
        ),
        Attack::new("NUL in a string", Sends, changed(|text| in_front(&text, "\"x-nul\":\"\\u0000\","))),
        Attack::new("every character escaped", Unary, changed(|text| escaped(&text))),
    ]
}

/// The same document with every letter of its strings written as an escape.
fn escaped(text: &str) -> Vec<u8> {
    let (mut out, mut is_inside, mut is_after_escape) = (String::new(), false, false);
    for letter in text.chars() {
        match letter {
            '"' if !is_after_escape => {
                is_inside = !is_inside;
                out.push('"');
            }
            letter if is_inside && letter.is_ascii_alphabetic() && !is_after_escape => {
                out.push_str(&format!("\\u{:04x}", u32::from(letter)));
            }
            letter => out.push(letter),
        }
        is_after_escape = letter == '\\' && !is_after_escape;
    }
    out.into_bytes()
}

fn syntax() -> Vec<Attack> {
    vec![
        Attack::new("NaN", Sends, changed(|text| in_front(&text, "\"x\":NaN,"))),
        Attack::new("Infinity", Sends, changed(|text| in_front(&text, "\"x\":-Infinity,"))),
        Attack::new("comments", Sends, changed(|text| format!("/* hello */{text}// end").into_bytes())),
        Attack::new("a comma too many", Sends, changed(|text| in_front(&text, "\"x\":[1,],"))),
        Attack::new("single quotes", Sends, changed(|text| text.replace('"', "'").into_bytes())),
        Attack::new("keys without quotes", Sends, body("{a:1}")),
        Attack::new("a document and rubbish", Sends, changed(|text| format!("{text}}}]rubbish").into_bytes())),
        Attack::new("two documents", Sends, changed(|text| format!("{text}{text}").into_bytes())),
        Attack::new("a document on each of 100,000 lines", Sends, body("{}\n".repeat(100_000))),
        Attack::new("a line feed in a string", Sends, changed(|text| in_front(&text, "\"x\":\"a\nb\","))),
        Attack::new(
            "a guard against hijacking before the answer",
            Sends,
            changed(|text| format!(")]}}',\n{text}").into_bytes()),
        ),
        Attack::new("JSON in a string of JSON", Sends, changed(|text| serde_json::to_vec(&text).unwrap())),
        Attack::new(
            "JSON that is called by a function",
            Sends,
            changed(|text| format!("callback({text});").into_bytes()),
        ),
        Attack::new("a number with zeros before it", Sends, changed(|text| in_front(&text, "\"x\":0123,"))),
        Attack::new("YAML", Sends, body("jsonrpc: '2.0'\nresult: &a [*a, *a]\n")),
        Attack::new(
            "XML with entities",
            Sends,
            body("<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY b SYSTEM \"file:///etc/passwd\">]><a>&b;</a>"),
        ),
    ]
}

fn values() -> Vec<Attack> {
    vec![
        Attack::new("1e999999", Sends, changed(|text| in_front(&text, "\"x\":1e999999,"))),
        Attack::new("1e999999 for an id", Sends, body("{\"jsonrpc\":\"2.0\",\"id\":1e999999,\"result\":{}}")),
        Attack::new("minus zero", Sends, changed(|text| in_front(&text, "\"x\":-0,"))),
        Attack::new(
            "a number of 400 digits",
            Sends,
            changed(|text| in_front(&text, &format!("\"x\":{},", "7".repeat(400)))),
        ),
        Attack::new(
            "__proto__",
            Sends,
            changed(|text| in_front(&text, "\"__proto__\":{\"admin\":true},\"constructor\":{\"prototype\":{}},")),
        ),
        Attack::new("an empty key", Sends, changed(|text| in_front(&text, "\"\":{\"\":{\"\":1}},"))),
        Attack::new(
            "the answer twice, the second one wrong",
            Sends,
            changed(|text| {
                text.strip_suffix('}')
                    .map(|text| format!("{text},\"result\":5,\"task\":5}}"))
                    .unwrap_or(text)
                    .into_bytes()
            }),
        ),
        Attack::new(
            "a context twice, once in escapes",
            Sends,
            changed(|text| text.replace("\"contextId\":", "\"context\\u0049d\":\"evil\",\"contextId\":").into_bytes()),
        ),
        Attack::new(
            "codes of errors in powers of ten",
            Unary,
            changed(|text| text.replace("\"code\":-32001", "\"code\":-3.2001e4").into_bytes()),
        ),
        Attack::new(
            "codes of errors with a fraction",
            Unary,
            changed(|text| text.replace("\"code\":-32001", "\"code\":-32001.5").into_bytes()),
        ),
        Attack::new("an answer and NUL", Sends, changed(|text| format!("{text}\0").into_bytes())),
        Attack::new(
            "an answer and 50 line ends",
            Sends,
            changed(|text| format!("{text}{}", "\r\n".repeat(50)).into_bytes()),
        ),
        Attack::new("null", Calls, body("null")),
        Attack::new("true", Calls, body("true")),
        Attack::new("an empty object", Calls, body("{}")),
        Attack::new("an empty array", Calls, body("[]")),
        Attack::new(
            "markup and a terminal's commands in every text",
            Unary,
            acts(|strike, stream| {
                let (head, text) = strike.honest();
                let evil = "\\u001b[2J\\u202e<script>alert(1)</script>\\u001b]8;;http://evil.example\\u0007";
                let text = text.replace("\"text\":\"", &format!("\"text\":\"{evil}"));
                send(stream, format!("{head}\r\nContent-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
            }),
        ),
        Attack::new(
            "a task in which every text is 1 MB",
            Gets,
            changed(|text| text.replace("\"text\":\"", &format!("\"text\":\"{}", "x".repeat(1 << 20))).into_bytes()),
        )
        .heavy(),
        Attack::new(
            "a card of nothing but null",
            Card,
            acts(|strike, stream| {
                let (_, text) = strike.honest();
                let card: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
                let keys =
                    card.as_object().map(|card| card.keys().map(|key| format!("\"{key}\":null")).collect::<Vec<_>>());
                send(stream, &ok("application/json", format!("{{{}}}", keys.unwrap_or_default().join(",")).as_bytes()));
            }),
        ),
    ]
}
