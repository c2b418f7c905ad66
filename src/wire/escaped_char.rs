//! One character of a text, however it is escaped there: as in JSON, in a URL, in HTML, or as one within another.

/// How many escapes may lie in each other: a string of JSON in a string of JSON in the query of a URL has three.
const MOST_LEVELS: u8 = 3;

/// The bytes of a character; of a percent-encoded one that is not ASCII, only its first.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Unit {
    bytes: [u8; 4],
    length: usize,
}

impl Unit {
    fn of_char(char: char) -> Self {
        let mut bytes = [0; 4];
        let length = char.encode_utf8(&mut bytes).len();
        Self { bytes, length }
    }

    const fn of_byte(byte: u8) -> Self {
        Self { bytes: [byte, 0, 0, 0], length: 1 }
    }

    /// The bytes.
    pub(super) fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }

    /// The only byte; 0 of a character that has more.
    pub(super) const fn byte(self) -> u8 {
        if self.length == 1 { self.bytes[0] } else { 0 }
    }

    fn digit(self, radix: u32) -> Option<u32> {
        char::from(self.byte()).to_digit(radix)
    }
}

/// Whether an escape may begin with this byte.
pub(super) const fn may_begin_escape(byte: u8) -> bool {
    matches!(byte, b'%' | b'\\' | b'&')
}

/// What may stand at the beginning of a text, each with the text behind it: the byte itself, and what it is the escape of. A percent sign,
/// a backslash or an ampersand may stand for itself, so that all ways to read it count.
pub(super) fn readings(text: &[u8], take: &mut dyn FnMut(Unit, &[u8])) {
    let Some(first) = text.first() else { return };
    let levels = if may_begin_escape(*first) { MOST_LEVELS } else { 0 };
    let mut last = usize::MAX;
    for level in 0..=levels {
        let Some((unit, rest)) = read(text, level) else { continue };
        // With nothing more to take apart, the next level reads the same.
        if rest.len() != last {
            last = rest.len();
            take(unit, rest);
        }
    }
}

#[cfg(test)]
thread_local! {
    /// How many characters were read, for the test that says how many that may be.
    pub(super) static CHARACTERS_READ: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// The first character, with so many levels of escapes taken apart.
fn read(text: &[u8], level: u8) -> Option<(Unit, &[u8])> {
    #[cfg(test)]
    CHARACTERS_READ.set(CHARACTERS_READ.get() + 1);
    let Some(below) = level.checked_sub(1) else {
        let (first, rest) = text.split_first()?;
        return Some((Unit::of_byte(*first), rest));
    };
    let (unit, rest) = read(text, below)?;
    let escaped = match unit.byte() {
        b'%' => byte(rest, below),
        b'\\' => backslash(rest, below),
        b'&' => reference(rest, below),
        _ => None,
    };
    Some(escaped.unwrap_or((unit, rest)))
}

/// The number that so many hexadecimal digits write.
fn number(mut text: &[u8], level: u8, digits: usize) -> Option<(u32, &[u8])> {
    let mut number = 0;
    for _ in 0..digits {
        let (digit, rest) = read(text, level)?;
        number = number * 16 + digit.digit(16)?;
        text = rest;
    }
    Some((number, text))
}

/// The byte that two hexadecimal digits write.
fn byte(text: &[u8], level: u8) -> Option<(Unit, &[u8])> {
    let (code, rest) = number(text, level, 2)?;
    Some((Unit::of_byte(u8::try_from(code).ok()?), rest))
}

/// Behind a backslash, as in JSON (RFC 8259 §7) and in JavaScript.
fn backslash(text: &[u8], level: u8) -> Option<(Unit, &[u8])> {
    let (letter, rest) = read(text, level)?;
    let byte = match letter.byte() {
        byte @ (b'"' | b'\'' | b'\\' | b'/') => byte,
        b'b' => 8,
        b'f' => 12,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'x' => return byte(rest, level),
        b'u' => return utf16(rest, level),
        _ => return None,
    };
    Some((Unit::of_byte(byte), rest))
}

/// The character whose number stands here; one that needs two UTF-16 units has another escape behind it.
fn utf16(text: &[u8], level: u8) -> Option<(Unit, &[u8])> {
    let (high, rest) = number(text, level, 4)?;
    if let Some(char) = char::from_u32(high) {
        return Some((Unit::of_char(char), rest));
    }
    let (sign, rest) = read(rest, level)?;
    let (letter, rest) = read(rest, level)?;
    if (sign.byte(), letter.byte()) != (b'\\', b'u') {
        return None;
    }
    let (low, rest) = number(rest, level, 4)?;
    let units = [u16::try_from(high).ok()?, u16::try_from(low).ok()?];
    let char = char::decode_utf16(units).next()?.ok()?;
    Some((Unit::of_char(char), rest))
}

/// The named references of HTML for characters of ASCII, each behind its character; letters and digits have none.
const NAMES: &str = "\tTab \nNewLine !excl \"quot #num $dollar %percnt &amp 'apos (lpar )rpar *ast +plus ,comma .period /sol :colon ;semi \
                     <lt =equals >gt ?quest @commat [lsqb \\bsol ]rsqb ^Hat _lowbar `grave {lcub |verbar }rcub ~tilde";

/// Behind an ampersand: a reference of HTML by number, with its semicolon or without, or by name (HTML §13.5).
fn reference(text: &[u8], level: u8) -> Option<(Unit, &[u8])> {
    let mut rest = text;
    // Of a name, its letters; of a number, its value, by a radix that its beginning says.
    let (mut name, mut value, mut radix) = (String::new(), 0_u32, 36);
    loop {
        // The last number of a text may have no semicolon.
        let (next, behind) = read(rest, level).unwrap_or((Unit::of_byte(0), rest));
        match next.byte() {
            b'#' if name.is_empty() && radix == 36 => radix = 10,
            b'x' | b'X' if name.is_empty() && radix == 10 => radix = 16,
            byte => match next.digit(radix).filter(|_| name.len() < 8) {
                Some(digit) => {
                    value = value.wrapping_mul(radix).wrapping_add(digit);
                    name.push(char::from(byte));
                }
                None => {
                    let is_closed = byte == b';';
                    let char = if radix < 36 && !name.is_empty() {
                        char::from_u32(value)?
                    } else {
                        NAMES
                            .split(' ')
                            .filter(|_| is_closed)
                            .find_map(|known| known.strip_suffix(&name)?.parse().ok())?
                    };
                    return Some((Unit::of_char(char), if is_closed { behind } else { rest }));
                }
            },
        }
        rest = behind;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All that a text may begin with.
    fn read_all(text: &str) -> Vec<String> {
        let mut all = Vec::new();
        readings(text.as_bytes(), &mut |unit, rest| {
            all.push(format!("{}|{}", String::from_utf8_lossy(unit.bytes()), String::from_utf8_lossy(rest)));
        });
        all
    }

    #[test]
    fn a_character_is_read_as_itself_and_as_what_it_is_the_escape_of() {
        for (text, last) in [
            ("se", "s|e"),
            ("%73e", "s|e"),
            ("%2573e", "s|e"),
            ("%252573e", "s|e"),
            ("%7", "%|7"),
            (r"\u0073e", "s|e"),
            (r"\x73e", "s|e"),
            (r"\\u0073e", "s|e"),
            (r"\ud83d\uDE00e", "\u{1f600}|e"),
            (r"\u00e4e", "\u{e4}|e"),
            (r"\u0026#115;e", "s|e"),
            ("&#115;e", "s|e"),
            ("&#115e", "s|e"),
            ("&#115", "s|"),
            ("&#0115;e", "s|e"),
            ("&#x73;e", "s|e"),
            ("&amp;#x73;e", "s|e"),
            ("%26%23115%3Be", "s|e"),
            ("&quot;e", "\"|e"),
            ("&sol;e", "/|e"),
            ("&foo;e", "&|foo;e"),
            ("&", "&|"),
            (r"\", r"\|"),
        ] {
            let all = read_all(text);
            assert_eq!(all.last(), Some(&last.to_owned()), "{text} {all:?}");
            assert_eq!(all[0], format!("{}|{}", &text[..1], &text[1..]));
        }
        assert_eq!(read_all("%2573e"), ["%|2573e", "%|73e", "s|e"]);
        assert_eq!(read_all(""), [""; 0]);
    }
}
