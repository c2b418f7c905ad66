//! base64url without padding (RFC 7515 §2), as signatures are written.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The text of some bytes.
#[must_use]
pub fn encode(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let at = |index: usize| u32::from(chunk.get(index).copied().unwrap_or_default());
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for place in 0..=chunk.len() {
            let digit = (bits >> (18 - 6 * place)) & 63;
            out.extend(ALPHABET.get(digit as usize).map(|digit| char::from(*digit)));
        }
    }
    out
}

/// The bytes of a text; `None` when it is not base64url, or empty. Bits of the last character that belong to no byte may be
/// set (RFC 4648 §3.5 leaves that to the decoder).
#[must_use]
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() * 3 / 4);
    let (mut bits, mut held) = (0u32, 0u32);
    for byte in text.bytes() {
        let six = ALPHABET.iter().position(|known| *known == byte)?;
        bits = (bits << 6) | u32::try_from(six).ok()?;
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push(u8::try_from((bits >> held) & 0xff).ok()?);
        }
    }
    (text.len() % 4 != 1 && !text.is_empty()).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64url_is_what_jws_writes() {
        for (plain, coded) in [
            (br#"{"alg":"ES256"}"#.as_slice(), "eyJhbGciOiJFUzI1NiJ9"),
            (&[0xff, 0xef], "_-8"),
            (&[0xff], "_w"),
            (b"abcd", "YWJjZA"),
        ] {
            assert_eq!(encode(plain), coded);
            assert_eq!(decode(coded).as_deref(), Some(plain));
        }
        for bad in ["", "a b", "a", "ab=="] {
            assert_eq!(decode(bad), None, "{bad}");
        }
    }
}
