//! Base64 (RFC 4648), in both of its alphabets.

/// A way of writing base64.
#[derive(Debug, Clone, Copy)]
pub struct Base64 {
    alphabet: &'static [u8; 64],
    padded: bool,
}

/// With `+` and `/`, and padding (RFC 4648 §4): Basic credentials, and bodies that are not text.
pub const STANDARD: Base64 =
    Base64 { alphabet: b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", padded: true };

/// With `-` and `_`, without padding (RFC 7515 §2): signatures and keys.
pub const URL_SAFE: Base64 =
    Base64 { alphabet: b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", padded: false };

impl Base64 {
    /// The text of some bytes.
    #[must_use]
    pub fn encode(&self, bytes: &[u8]) -> String {
        let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
        for chunk in bytes.chunks(3) {
            let at = |index: usize| u32::from(chunk.get(index).copied().unwrap_or_default());
            let bits = at(0) << 16 | at(1) << 8 | at(2);
            for place in 0..=chunk.len() {
                let digit = (bits >> (18 - 6 * place)) & 63;
                out.extend(self.alphabet.get(digit as usize).map(|digit| char::from(*digit)));
            }
            if self.padded {
                out.extend(std::iter::repeat_n('=', 3 - chunk.len()));
            }
        }
        out
    }

    /// The bytes of a text; `None` when it is not this base64. Bits of the last character that belong to no byte may be set
    /// (RFC 4648 §3.5 leaves that to the decoder).
    #[must_use]
    pub fn decode(&self, text: &str) -> Option<Vec<u8>> {
        let digits = if self.padded { unpadded(text)? } else { text };
        let own = |digit: u8, value: &u8| self.alphabet.get(usize::from(*value)) == Some(&digit);
        bytes_of(digits, |digit| value_of(digit).filter(|value| own(digit, value)))
    }
}

/// The number that a digit of either alphabet stands for.
const fn value_of(digit: u8) -> Option<u8> {
    Some(match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    })
}

/// The bytes of digits, which have this value; `None` where one has none, or where their number is that of no bytes.
fn bytes_of(digits: &str, value: impl Fn(u8) -> Option<u8>) -> Option<Vec<u8>> {
    if digits.len() % 4 == 1 {
        return None;
    }
    let mut out = Vec::with_capacity(digits.len() * 3 / 4);
    let (mut bits, mut held) = (0_u32, 0_u32);
    for digit in digits.bytes() {
        bits = (bits << 6) | u32::from(value(digit)?);
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push(u8::try_from((bits >> held) & 0xff).ok()?);
        }
    }
    Some(out)
}

/// The bytes of a text that is base64 as readers of ProtoJSON take it; `None` when it is not.
#[must_use]
pub fn decode_any(text: &str) -> Option<Vec<u8>> {
    bytes_of(unpadded_if_padded(text)?, value_of)
}

/// Whether a text is base64 as readers of ProtoJSON take it: either alphabet, even mixed, padded or not.
#[must_use]
pub fn is_base64(text: &str) -> bool {
    let has_value = |digit: u8| value_of(digit).is_some();
    unpadded_if_padded(text).is_some_and(|digits| digits.len() % 4 != 1 && digits.bytes().all(has_value))
}

fn unpadded_if_padded(text: &str) -> Option<&str> {
    if text.ends_with('=') { unpadded(text) } else { Some(text) }
}

/// The text without its padding; `None` when that does not fill it up to four characters.
fn unpadded(text: &str) -> Option<&str> {
    let digits = text.trim_end_matches('=');
    (text.len().is_multiple_of(4) && text.len() - digits.len() <= 2).then_some(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standard_form_is_that_of_the_rfc() {
        for (plain, coded) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE=")]
        {
            assert_eq!(STANDARD.encode(plain.as_bytes()), coded);
            assert_eq!(STANDARD.decode(coded), Some(plain.as_bytes().to_vec()));
        }
        for bad in ["Zg=", "Zg", "Z===", "Zg==Zg", "Zg==Zg==", "Z!==", "====", "Z=g=", "_-8="] {
            assert_eq!(STANDARD.decode(bad), None, "{bad}");
        }
    }

    #[test]
    fn the_form_for_urls_is_what_jws_writes() {
        for (plain, coded) in [
            (br#"{"alg":"ES256"}"#.as_slice(), "eyJhbGciOiJFUzI1NiJ9"),
            (&[0xff, 0xef], "_-8"),
            (&[0xff], "_w"),
            (b"abcd", "YWJjZA"),
            (b"", ""),
        ] {
            assert_eq!(URL_SAFE.encode(plain), coded);
            assert_eq!(URL_SAFE.decode(coded).as_deref(), Some(plain));
        }
        for bad in ["a b", "a", "ab==", "+/+/"] {
            assert_eq!(URL_SAFE.decode(bad), None, "{bad}");
        }
    }

    #[test]
    fn readers_of_protojson_take_both_alphabets_and_either_padding() {
        for good in ["", "aGk=", "aGk", "-_-_", "+/+/", "YQ=="] {
            assert!(is_base64(good), "{good}");
            let of_url = good.trim_end_matches('=').replace('+', "-").replace('/', "_");
            assert_eq!(decode_any(good), URL_SAFE.decode(&of_url), "{good}");
        }
        for bad in ["a", "a b c", "YQ=", "!!!!", "YQ===", "===="] {
            assert!(!is_base64(bad), "{bad}");
            assert_eq!(decode_any(bad), None, "{bad}");
        }
    }
}
