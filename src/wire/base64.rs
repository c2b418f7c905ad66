//! RFC 4648 §4, with padding: bodies that are no text, and credentials.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The text of some bytes.
#[must_use]
pub fn encode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let at = |index: usize| u32::from(chunk.get(index).copied().unwrap_or_default());
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for place in 0..4 {
            let digit = (bits >> (18 - 6 * place)) & 63;
            let known = ALPHABET.get(digit as usize).filter(|_| place <= chunk.len());
            out.push(known.map_or('=', |digit| char::from(*digit)));
        }
    }
    out
}

/// The bytes; `None` when the text is not base64 with its padding. Bits of the last character that belong to no byte may be
/// set (RFC 4648 §3.5 leaves that to the decoder).
#[must_use]
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let mut ended = false;
    for chunk in text.as_bytes().chunks(4) {
        let digits = chunk.iter().take_while(|byte| **byte != b'=').count();
        if ended || chunk.len() != 4 || digits < 2 || chunk.iter().skip(digits).any(|byte| *byte != b'=') {
            return None;
        }
        ended = digits < 4;
        let mut bits = 0_u32;
        for byte in chunk {
            let digit = ALPHABET.iter().position(|known| known == byte).unwrap_or_default();
            if *byte != b'=' && !ALPHABET.contains(byte) {
                return None;
            }
            bits = bits << 6 | u32::try_from(digit).ok()?;
        }
        out.extend(bits.to_be_bytes().into_iter().skip(1).take(digits - 1));
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_rfc() {
        for (plain, coded) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE=")]
        {
            assert_eq!(encode(plain.as_bytes()), coded);
            assert_eq!(decode(coded), Some(plain.as_bytes().to_vec()));
        }
        for bad in ["Zg=", "Z===", "Zg==Zg", "Zg==Zg==", "Z!==", "====", "Z=g="] {
            assert_eq!(decode(bad), None, "{bad}");
        }
    }
}
