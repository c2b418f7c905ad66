//! The forms in which secrets are looked for, and where they stand in a text: one pass over it, whatever the number of secrets.

use std::ops::Range;

use super::base64::STANDARD;
use super::escaped_char::{may_begin_escape, readings};

/// The shortest secret that is also looked for in other case and backwards, and in pieces: shorter ones are in any text like that.
pub(super) const SHORTEST_IN_OTHER_FORMS: usize = 8;

/// The shortest form of a secret in base64 that is looked for: shorter ones are in any base64.
const SHORTEST_BASE64: usize = 5;

/// How the characters of a form are compared.
#[derive(Debug, Clone, Copy, PartialEq)]
enum FormComparison {
    /// As they are.
    Exact,
    /// Letters of ASCII in either case.
    AnyCase,
    /// Hexadecimal digits in either case, with something between every two of them or not.
    Hex,
    /// In either alphabet. Of the last character some bits may belong to the next byte; then it is masked, too.
    Base64 { is_cut: bool },
}

/// A form of a secret.
#[derive(Debug, PartialEq)]
struct Form {
    text: Vec<u8>,
    comparison: FormComparison,
}

/// The forms of some secrets, by the byte that they begin with.
#[derive(Debug)]
pub(super) struct SecretForms(Vec<Vec<Form>>);

impl Default for SecretForms {
    fn default() -> Self {
        Self((0..256).map(|_| Vec::new()).collect())
    }
}

impl SecretForms {
    /// Adds the forms of a secret: as it is, backwards, in hexadecimal, in base64 and in base64 of base64.
    pub(super) fn add(&mut self, secret: &[u8]) {
        let mut own = FormComparison::Exact;
        if secret.len() >= SHORTEST_IN_OTHER_FORMS {
            own = FormComparison::AnyCase;
            // A character beyond ASCII is turned as a whole.
            let backwards: String = String::from_utf8_lossy(secret).chars().rev().collect();
            self.push(backwards.into_bytes(), own);
        }
        self.push(secret.to_vec(), own);
        let digit = |digit: u8| digit + if digit < 10 { b'0' } else { b'a' - 10 };
        self.push(secret.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect(), FormComparison::Hex);
        self.push_base64(secret, true);
    }

    /// Adds the base64 of some bytes at each place that they may have among others: of three bytes that become four characters they may begin
    /// with the first, the second or the third. Then the same of that, in both alphabets.
    fn push_base64(&mut self, bytes: &[u8], is_first: bool) {
        for before in 0..3_usize {
            let bits = 8 * (before + bytes.len());
            let mut all = vec![0; before];
            all.extend_from_slice(bytes);
            let mut text = STANDARD.encode(&all).into_bytes();
            // Only characters that depend on nothing else.
            text.truncate(bits / 6);
            text.drain(..(8 * before).div_ceil(6));
            if text.len() < SHORTEST_BASE64 {
                continue;
            }
            if is_first {
                self.push_base64(&text, false);
                let of_urls: Vec<u8> = text.iter().map(|byte| of_urls(*byte)).collect();
                self.push_base64(&of_urls, false);
            }
            self.push(text, FormComparison::Base64 { is_cut: !bits.is_multiple_of(6) });
        }
    }

    fn push(&mut self, text: Vec<u8>, comparison: FormComparison) {
        let form = Form { text, comparison };
        let first = form.text.first().copied().unwrap_or_default();
        if let Some(forms) = self.0.get_mut(usize::from(folded(first))).filter(|forms| !forms.contains(&form)) {
            forms.push(form);
        }
    }

    /// Where the secrets stand in a text, in order; places that overlap are one.
    pub(super) fn find(&self, text: &[u8]) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        let mut rest = if self.0.iter().all(Vec::is_empty) { &[] } else { text };
        while let Some((first, behind)) = rest.split_first() {
            let start = text.len() - rest.len();
            if let Some(length) = self.longest_at(*first, rest) {
                let end = start + length;
                match found.last_mut().filter(|last| start < last.end) {
                    Some(last) => last.end = last.end.max(end),
                    None => found.push(start..end),
                }
            }
            rest = behind;
        }
        found
    }

    /// The length of the longest form at the beginning of a text.
    fn longest_at(&self, first: u8, text: &[u8]) -> Option<usize> {
        if !may_begin_escape(first) {
            return self.beginning_with(first, text);
        }
        let mut longest = None;
        readings(text, &mut |unit, _| {
            // Of a character that has more bytes the first one counts.
            let first = unit.bytes().first().copied().unwrap_or_default();
            longest = longest.max(self.beginning_with(first, text));
        });
        longest
    }

    fn beginning_with(&self, first: u8, text: &[u8]) -> Option<usize> {
        let forms = self.0.get(usize::from(folded(first)))?.iter();
        forms.filter(|form| form.may_follow(text)).filter_map(|form| form.length_at(text)).max()
    }
}

/// A character of base64 in the alphabet for URLs.
const fn of_urls(byte: u8) -> u8 {
    match byte {
        b'+' => b'-',
        b'/' => b'_',
        _ => byte,
    }
}

/// Bytes that may be equal in some comparison are the same byte.
const fn folded(byte: u8) -> u8 {
    match byte {
        b'-' => b'+',
        b'_' => b'/',
        // A blank in a form.
        b' ' => b'+',
        _ => byte.to_ascii_lowercase(),
    }
}

impl Form {
    fn is_same(&self, found: u8, wanted: u8) -> bool {
        found == wanted
            || (found == b'+' && wanted == b' ')
            || match self.comparison {
                FormComparison::Exact => false,
                FormComparison::AnyCase | FormComparison::Hex => found.eq_ignore_ascii_case(&wanted),
                FormComparison::Base64 { .. } => found == of_urls(wanted),
            }
    }

    /// Whether the second byte of a text does not speak against it: most texts are not looked at any further.
    fn may_follow(&self, text: &[u8]) -> bool {
        let (Some([first, second]), Some(wanted)) = (text.first_chunk::<2>(), self.text.get(1)) else { return true };
        let may_be_other = |byte: &u8| may_begin_escape(*byte) || matches!(byte, b'\r' | b'\n');
        may_be_other(first) || may_be_other(second) || self.is_same(*second, *wanted)
    }

    /// How much of a text it takes, which begins there, however its characters are escaped. A sign that may begin an escape may also stand for
    /// itself: all ways to read it are followed side by side, and the longest counts.
    fn length_at(&self, text: &[u8]) -> Option<usize> {
        let plain = self.plain_length_at(text);
        // How much is left of the form and of the text on each way, in order. The one with the most left goes on first, so that ways that
        // meet are one from there.
        let mut ways = vec![(self.text.len() - plain, text.len() - plain)];
        let mut is_cut_off = false;
        while let Some((left, rest)) = ways.pop() {
            if left == 0 {
                let shortest = ways.first().map_or(rest, |(_, rest)| *rest);
                return Some(text.len() - shortest + self.shared_character(text.get(text.len() - shortest..)));
            }
            let wanted = self.text.get(self.text.len() - left..)?;
            let here = text.get(text.len() - rest..)?;
            let has_begun = left < self.text.len();
            let mut go_on = |left: usize, rest: usize| {
                if let Err(place) = ways.binary_search(&(left, rest)) {
                    ways.insert(place, (left, rest));
                }
            };
            readings(here, &mut |unit, behind| {
                if let ([found], Some(first)) = (unit.bytes(), wanted.first()) {
                    if self.is_same(*found, *first) {
                        go_on(left - 1, behind.len());
                    } else if has_begun && (matches!(found, b'\r' | b'\n') || self.is_between(*found, left)) {
                        go_on(left, behind.len());
                    }
                } else if wanted.starts_with(unit.bytes()) {
                    go_on(left - unit.bytes().len(), behind.len());
                }
            });
            if has_begun && self.comparison == FormComparison::Hex && here.starts_with(b"0x") && left.is_multiple_of(2)
            {
                go_on(left, rest - 2);
            }
            // What was cut at a limit of ours, or by a connection that broke, may end within a secret.
            is_cut_off |= rest == 0 && self.text.len() - left >= SHORTEST_IN_OTHER_FORMS.max(self.text.len() / 2);
        }
        is_cut_off.then_some(text.len())
    }

    /// How much of the beginning of a text is that of the form, with one way to read it: what is like a long secret over and over is
    /// compared at each of its places, which following ways would make many times as slow.
    fn plain_length_at(&self, text: &[u8]) -> usize {
        let has_other_ways =
            |found: u8| may_begin_escape(found) || (found == b'0' && self.comparison == FormComparison::Hex);
        let pairs = text.iter().zip(&self.text);
        pairs.take_while(|(found, wanted)| !has_other_ways(**found) && self.is_same(**found, **wanted)).count()
    }

    /// Whether a byte may stand between two digits, of which so many are left.
    fn is_between(&self, byte: u8, left: usize) -> bool {
        self.comparison == FormComparison::Hex && left.is_multiple_of(2) && b" :-,._".contains(&byte)
    }

    /// 1 if the character behind it holds bits of it.
    fn shared_character(&self, behind: Option<&[u8]>) -> usize {
        let next = behind.and_then(<[u8]>::first);
        let is_shared = self.comparison == FormComparison::Base64 { is_cut: true }
            && next.is_some_and(|next| next.is_ascii_alphanumeric() || b"+/-_".contains(next));
        usize::from(is_shared)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::base64::URL_SAFE;
    use crate::wire::escaped_char::CHARACTERS_READ;

    const SECRET: &str = "Zq+9x/0a Kw~!";

    fn of(secret: &str) -> SecretForms {
        let mut forms = SecretForms::default();
        forms.add(secret.as_bytes());
        forms
    }

    /// The text with each secret as an asterisk.
    fn starred(forms: &SecretForms, text: &str) -> String {
        let mut out = text.as_bytes().to_vec();
        for place in forms.find(text.as_bytes()).into_iter().rev() {
            out.splice(place, *b"*");
        }
        String::from_utf8_lossy(&out).into_owned()
    }

    #[test]
    fn a_secret_is_found_in_every_form() {
        let forms = of(SECRET);
        let hex = |sign: &str| SECRET.bytes().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(sign);
        let each = |write: fn(char) -> String| SECRET.chars().map(write).collect::<String>();
        for text in [
            SECRET.to_owned(),
            SECRET.to_ascii_uppercase(),
            SECRET.to_ascii_lowercase(),
            SECRET.chars().rev().collect(),
            hex(""),
            hex("").to_uppercase(),
            hex(":"),
            hex(" "),
            hex(", 0x"),
            hex("\n"),
            each(|c| format!("&#{};", u32::from(c))),
            each(|c| format!("&#x{:X};", u32::from(c))),
            each(|c| format!("&amp;#{};", u32::from(c))),
            each(|c| format!("\\u{:04x}", u32::from(c))),
            each(|c| format!("\\u0026#{};", u32::from(c))),
            SECRET.bytes().map(|byte| format!("\\x{byte:02x}")).collect(),
            SECRET.bytes().map(|byte| format!("%{byte:02X}")).collect(),
            SECRET.replace('+', "&plus;").replace('/', "&sol;"),
            SECRET.replace("9x", "9\r\nx"),
        ] {
            assert_eq!(starred(&forms, &format!("<{text}>")), "<*>", "{text}");
        }
    }

    #[test]
    fn a_secret_is_found_wherever_it_stands_in_base64_and_in_base64_of_that() {
        let forms = of(SECRET);
        for before in 0..4 {
            for behind in 0..4 {
                let text = format!("{}{SECRET}{}", "?".repeat(before), "?".repeat(behind));
                for coded in [STANDARD.encode(text.as_bytes()), URL_SAFE.encode(text.as_bytes())] {
                    assert!(starred(&forms, &coded).contains('*'), "{coded}");
                    let lines: String = coded.chars().flat_map(|c| [c, '\n']).collect();
                    assert!(starred(&forms, &lines).contains('*'), "{lines}");
                    for twice in [STANDARD.encode(coded.as_bytes()), URL_SAFE.encode(coded.as_bytes())] {
                        assert!(starred(&forms, &twice).contains('*'), "{twice}");
                    }
                }
            }
        }
        // What is left of it is shorter than a byte.
        assert_eq!(starred(&forms, &STANDARD.encode(SECRET.as_bytes())).trim_end_matches('='), "*");
    }

    #[test]
    fn a_short_secret_is_looked_for_as_it_is_and_leaves_other_texts_alone() {
        let forms = of("Tea7");
        assert_eq!(starred(&forms, "Tea7 tea7 TEA7 7aeT %54ea7"), "* tea7 TEA7 7aeT *");
        assert_eq!(starred(&forms, &STANDARD.encode(b"Tea7")), "*==");
        assert_eq!(starred(&forms, "54656137"), "*");
        let prose = "A text of some length about tea, seven cups of it, and eaT7 or 7Tea.".repeat(50);
        assert_eq!(starred(&forms, &prose), prose);
    }

    #[test]
    fn a_secret_with_characters_beyond_ascii_is_found_backwards() {
        let forms = of("p\u{e4}ss\u{20ac}\u{1f600}word");
        for text in
            ["drow\u{1f600}\u{20ac}ss\u{e4}p", "DROW\u{1f600}\u{20ac}SS\u{e4}P", r"drow\ud83d\ude00\u20acss\u00e4p"]
        {
            assert_eq!(starred(&forms, &format!("<{text}>")), "<*>", "{text}");
        }
    }

    #[test]
    fn what_ends_within_a_secret_is_found_too_and_a_few_letters_are_not() {
        let forms = of("abcdefghijklmnop");
        assert_eq!(starred(&forms, "text: abcdefgh"), "text: *");
        assert_eq!(starred(&forms, "text: abcdefg"), "text: abcdefg");
        assert_eq!(starred(&forms, "abcdefgh and more"), "abcdefgh and more");
    }

    #[test]
    fn places_that_overlap_are_one() {
        let mut forms = of("abcdefgh");
        forms.add(b"efghijkl");
        assert_eq!(starred(&forms, "<abcdefghijkl>"), "<*>");
        assert_eq!(starred(&forms, "<abcdefghefghijkl>"), "<**>");
    }

    #[test]
    fn a_text_that_is_nothing_but_beginnings_takes_as_long_as_it_is() {
        let mut forms = of(r"\\secret\x");
        for secret in ["%25%secret", "&amp;&secret", &format!("{}1", "a".repeat(60))] {
            forms.add(secret.as_bytes());
        }
        let reads = |count: usize| {
            let texts = ["\\", "%25", "&amp;", "a", "\\u0026#x5c;", "&#&#", "6161 "].map(|text| text.repeat(count));
            CHARACTERS_READ.set(0);
            for text in &texts {
                assert!(forms.find(format!("{text}!").as_bytes()).is_empty());
            }
            CHARACTERS_READ.get()
        };
        let (short, long) = (reads(200), reads(2000));
        assert!(long < short * 11 && short < 20_000_000, "ten times the text: {short}, {long}");
    }

    #[test]
    fn a_text_that_is_like_a_long_secret_over_and_over_is_followed_on_no_way_of_its_own() {
        let reads = |piece: usize| {
            let mut forms = of(&"t".repeat(piece));
            forms.add(format!("{}!", "Tt".repeat(piece / 2)).as_bytes());
            CHARACTERS_READ.set(0);
            assert_eq!(starred(&forms, &"t".repeat(20_000)), "*");
            CHARACTERS_READ.get()
        };
        // At each place the end of what is alike, in each form; however long that is.
        assert!(reads(1024) <= reads(64) && reads(64) < 100_000, "{} and {}", reads(64), reads(1024));
    }
}
