//! Times that no clock shows.

use super::attack::Attack;
use super::attack::Place::{Card, Gets, Unary};
use super::harm::{Harm, acts, send, with_fields};

/// The agent's answers with this instead of every timestamp.
fn timestamps(value: &'static str) -> Harm {
    acts(move |strike, stream| {
        let (head, text) = strike.honest();
        let mut out = String::new();
        let mut rest = text.as_str();
        while let Some((before, after)) = rest.split_once("\"timestamp\":\"") {
            out.push_str(before);
            out.push_str(&format!("\"timestamp\":{value}"));
            rest = after.split_once('"').map_or("", |(_, rest)| rest);
        }
        out.push_str(rest);
        send(stream, format!("{head}\r\nContent-Length: {}\r\n\r\n{out}", out.len()).as_bytes());
    })
}

/// The attacks of this family.
pub(crate) fn attacks() -> Vec<Attack> {
    vec![
        Attack::new("the year 99999", Gets, timestamps("\"99999-01-01T00:00:00Z\"")),
        Attack::new("the year -1", Gets, timestamps("\"-0001-01-01T00:00:00Z\"")),
        Attack::new("the year 0", Gets, timestamps("\"0000-01-01T00:00:00Z\"")),
        Attack::new("a leap second", Gets, timestamps("\"2016-12-31T23:59:60Z\"")),
        Attack::new("a second that is no leap second", Gets, timestamps("\"2026-05-05T12:00:61Z\"")),
        Attack::new("24 o'clock", Gets, timestamps("\"2026-05-05T24:00:00Z\"")),
        Attack::new("the 30th of February", Gets, timestamps("\"2026-02-30T00:00:00Z\"")),
        Attack::new(
            "nanoseconds by the thousand digits",
            Gets,
            timestamps(Box::leak(format!("\"2026-05-05T00:00:00.{}Z\"", "1".repeat(1000)).into_boxed_str())),
        ),
        Attack::new("a zone of 99 hours", Gets, timestamps("\"2026-05-05T00:00:00+99:00\"")),
        Attack::new("a number of seconds", Gets, timestamps("1764356761")),
        Attack::new("1e308", Gets, timestamps("1e308")),
        Attack::new("an empty text", Gets, timestamps("\"\"")),
        Attack::new("an object", Gets, timestamps("{\"seconds\":1}")),
        Attack::new("a Date that is none", Unary, with_fields("Date: Yesterday, 99 Foo 12345 99:99:99 XYZ\r\n")),
        Attack::new(
            "a card that may be kept for ever",
            Card,
            with_fields(concat!(
                "Cache-Control: max-age=99999999999999999999\r\nExpires: -1\r\nETag: \"a\r\n",
                "Age: -7\r\n"
            )),
        ),
    ]
}
