//! Makes text that agents had a hand in fit for one line (how long, each format says), addresses fit to be shown, and times as the
//! formats write them.

use std::borrow::Cow;

use time::OffsetDateTime;

use crate::wire::mask::MASK;
use crate::wire::url::Url;

/// The text on one line of at most `max` characters: white space runs become one space, what would steer a terminal, turn the
/// direction of writing or give a CI server a command has U+FFFD in it, and what is cut off becomes `…`.
#[must_use]
pub fn one_line(text: &str, max: usize) -> String {
    let mut line = String::new();
    let mut length = 0;
    let mut space = false;
    for c in text.chars() {
        if c.is_whitespace() || matches!(c, '\0' | '\u{feff}') {
            space = length > 0;
            continue;
        }
        if length + usize::from(space) + 1 > max {
            if length == max {
                line.pop();
            }
            line.extend((max > 0).then_some('…'));
            return line;
        }
        if space {
            line.push(' ');
            length += 1;
            space = false;
        }
        push_harmless(&mut line, c);
        length += 1;
    }
    line
}

/// The text with its lines and tabs, and otherwise as [`one_line`] would have it.
#[must_use]
pub fn harmless_lines(text: &str) -> String {
    let mut lines = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '\n' | '\t') { lines.push(c) } else { push_harmless(&mut lines, c) }
    }
    lines
}

fn push_harmless(text: &mut String, c: char) {
    if begins_command(text, c) {
        text.pop();
        text.push(char::REPLACEMENT_CHARACTER);
    }
    text.push(harmless(c));
}

/// Whether a text that goes on so would be a command in a log that a CI server reads: `##[…]`, `##vso[…]` and `##teamcity[…]` wherever
/// they stand, and `::name::` at the begin of a line. A line may begin with any word where a terminal is narrow.
fn begins_command(text: &str, next: char) -> bool {
    let is_word = |rest: &str| rest.is_empty() || rest.ends_with(char::is_whitespace);
    (text.ends_with("##") && matches!(next, '[' | 'v' | 'V' | 't' | 'T'))
        || (next.is_ascii_alphabetic() && text.strip_suffix("::").is_some_and(is_word))
}

/// A text for a cell of a table. People paste tables into spreadsheets, which run formulas: one that would be taken for a formula
/// begins with an apostrophe, which makes it a text there.
pub(super) fn in_cell(text: &str) -> Cow<'_, str> {
    let begin = text.trim();
    if begin.starts_with(['=', '@', '+', '-']) && begin != "-" && begin.parse::<f64>().is_err() {
        return format!("'{text}").into();
    }
    text.into()
}

/// A character, or U+FFFD in the place of one that steers.
pub(crate) fn harmless(c: char) -> char {
    if steers(c) { char::REPLACEMENT_CHARACTER } else { c }
}

/// Whether a character would steer a terminal, turn the direction of writing, or hide a text: controls, those that have
/// `Bidi_Control` (UAX #9), separators of lines that few readers know, and tags.
pub(super) fn steers(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}'
        )
}

/// The heads of a table whose columns are numbered from 1 behind the first.
pub(super) fn numbered_heads(first: &str, columns: usize) -> Vec<String> {
    std::iter::once(first.to_owned()).chain((1..=columns).map(|number| number.to_string())).collect()
}

/// The start of a text, at most `max` bytes of it and ending between two characters.
#[must_use]
pub fn head(text: &str, max: usize) -> &str {
    let mut end = max.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or(text)
}

/// The host that an address names, for file names and headings; `agent` if it names none.
#[must_use]
pub fn host(address: &str) -> String {
    Url::parse(address).map_or_else(|_| split_authority(address).0, |url| url.host)
}

/// Host and port that an address names, for file names: `127.0.0.1:8080`. A port that is the scheme's own is left out.
#[must_use]
pub fn host_and_port(address: &str) -> String {
    if let Ok(url) = Url::parse(address) {
        let origin = url.origin();
        return origin.split_once("://").map_or_else(|| url.host.clone(), |(_, rest)| rest.to_owned());
    }
    match split_authority(address) {
        (host, Some(port)) if !port.is_empty() => format!("{host}:{}", one_line(port, 5)),
        (host, _) => host,
    }
}

/// Host and port in a text that is not a URL.
fn split_authority(address: &str) -> (String, Option<&str>) {
    let rest = address.trim().rsplit_once("://").map_or(address.trim(), |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let authority = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => (host, Some(port)),
        _ => (authority, None),
    };
    (if host.is_empty() { "agent".to_owned() } else { one_line(host, 100) }, port)
}

/// An address as a report may show it: without a password, and without the values of query parameters that look like
/// credentials.
#[must_use]
pub fn plain_address(address: &str) -> String {
    let (before, rest) = match address.split_once("://") {
        Some((scheme, rest)) => (format!("{scheme}://"), rest),
        None => (String::new(), address),
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let rest = match authority.rsplit_once('@') {
        Some((user, _)) => format!("{MASK}{}", rest.get(user.len()..).unwrap_or_default()),
        None => rest.to_owned(),
    };
    let Some((path, query)) = rest.split_once('?') else { return format!("{before}{rest}") };
    let fields: Vec<String> = query
        .split('&')
        .map(|field| match field.split_once('=') {
            Some((name, _)) if is_secret(name) => format!("{name}={MASK}"),
            _ => field.to_owned(),
        })
        .collect();
    format!("{before}{path}?{}", fields.join("&"))
}

fn is_secret(name: &str) -> bool {
    const SIGNS: [&str; 7] = ["token", "key", "secret", "pass", "auth", "sig", "credential"];
    let name = name.to_ascii_lowercase();
    SIGNS.iter().any(|sign| name.contains(sign))
}

/// A moment in UTC, from milliseconds since 1970; one that no calendar knows becomes the first of 1970.
fn moment(wall_ms: f64) -> OffsetDateTime {
    // Whole milliseconds, because a double has not room for the nanoseconds of this century. The cast saturates, and what is
    // out of range is refused right after it.
    let ms = wall_ms as i64;
    let second = OffsetDateTime::from_unix_timestamp(ms.div_euclid(1000));
    let millisecond = u16::try_from(ms.rem_euclid(1000)).unwrap_or_default();
    second.and_then(|second| second.replace_millisecond(millisecond)).unwrap_or(OffsetDateTime::UNIX_EPOCH)
}

/// `2026-11-21T08:00:00.123Z` (RFC 3339).
#[must_use]
pub fn rfc3339(wall_ms: f64) -> String {
    format!("{}.{:03}Z", iso_seconds(wall_ms), moment(wall_ms).millisecond())
}

/// `2026-11-21T08:00:00`, in UTC without saying so, as JUnit's readers want it.
#[must_use]
pub fn iso_seconds(wall_ms: f64) -> String {
    let at = moment(wall_ms);
    let (year, month, day) = at.to_calendar_date();
    let (hour, minute, second) = at.to_hms();
    format!("{year:04}-{:02}-{day:02}T{hour:02}:{minute:02}:{second:02}", u8::from(month))
}

/// `20261121-080000Z`, for file names.
#[must_use]
pub fn compact(wall_ms: f64) -> String {
    format!("{}Z", iso_seconds(wall_ms).replace(['-', ':'], "").replace('T', "-"))
}

/// A time span for a file: finite, not negative (a sum over nothing is -0.0), three decimals.
#[must_use]
pub fn tidy_ms(ms: f64) -> f64 {
    if ms.is_finite() && ms > 0.0 { (ms * 1000.0).round() / 1000.0 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_one_line_and_keeps_its_length() {
        assert_eq!(one_line("  a\n\tb\u{2028}c  ", 20), "a b c");
        assert_eq!(one_line("a\u{1b}[31m\u{202e}b", 20), "a\u{fffd}[31m\u{fffd}b");
        for (text, max) in [("abcdef", 4), ("ab cd ef", 4), ("ab cd ef", 3), ("ééééé", 3), ("a b", 1), ("ab", 1)] {
            let line = one_line(text, max);
            assert!(line.chars().count() <= max && line.ends_with('…'), "{text:?} {max} {line:?}");
        }
        for (text, safe) in [
            ("##vso[task.complete]", "#\u{fffd}vso[task.complete]"),
            ("a ##[add-mask]b", "a #\u{fffd}[add-mask]b"),
            ("####teamcity[x]", "###\u{fffd}teamcity[x]"),
            ("\n ::add-mask::b", ":\u{fffd}add-mask::b"),
            ("a ::error::b", "a :\u{fffd}error::b"),
            ("## a ::1 b::c", "## a ::1 b::c"),
        ] {
            assert_eq!(one_line(text, 40), safe);
        }
        assert_eq!(harmless_lines("a\n\t::error::b\r\u{61c}"), "a\n\t:\u{fffd}error::b\u{fffd}\u{fffd}");
        assert_eq!(one_line("abcd ", 4), "abcd");
        assert_eq!(one_line("abcd", 0), "");
        assert_eq!(one_line("", 4), "");
    }

    #[test]
    fn no_cell_is_a_formula() {
        for formula in ["=1+1", " =cmd|' /C x'!A0", "@SUM(1)", "+1+x", "-1-x", "-x", "\t=1"] {
            assert_eq!(in_cell(formula), format!("'{formula}"));
        }
        for text in ["", "-", "-32001", "a=b", "+1", "3 of 4"] {
            assert_eq!(in_cell(text), text);
        }
    }

    #[test]
    fn an_address_is_shown_without_its_secrets() {
        for (address, shown) in [
            ("https://h/a?x=1&api_key=s3cret&y=2", "https://h/a?x=1&api_key=[redacted]&y=2"),
            ("https://user:s3cret@h/a", "https://[redacted]@h/a"),
            ("https://user:s3c@ret@h/a@b", "https://[redacted]@h/a@b"),
            ("user:s3cret@h", "[redacted]@h"),
            ("https://h/a", "https://h/a"),
            ("", ""),
        ] {
            assert_eq!(plain_address(address), shown);
        }
    }

    #[test]
    fn a_host_is_found_in_whatever_was_typed() {
        for (address, expected) in [
            ("https://Agent.Example.com:8443/x", "agent.example.com"),
            ("agent.example.com/x", "agent.example.com"),
            ("localhost:9999", "localhost"),
            ("http://u:p@h/", "h"),
            ("", "agent"),
            ("://", "agent"),
        ] {
            assert_eq!(host(address), expected, "{address}");
        }
    }

    #[test]
    fn times_have_the_form_their_format_wants() {
        let at = 1_795_248_000_123.0;
        assert_eq!(rfc3339(at), "2026-11-21T08:00:00.123Z");
        assert_eq!(iso_seconds(at), "2026-11-21T08:00:00");
        assert_eq!(rfc3339(1_795_248_003_210.0), "2026-11-21T08:00:03.210Z");
        assert_eq!(compact(at), "20261121-080000Z");
        for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e300] {
            assert_eq!(rfc3339(odd), "1970-01-01T00:00:00.000Z");
            assert!(tidy_ms(odd).is_finite());
        }
        assert_eq!(tidy_ms(1.234_56), 1.235);
        assert!(tidy_ms(-0.0).is_sign_positive() && tidy_ms([0.0; 0].iter().sum()).is_sign_positive());
    }
}
