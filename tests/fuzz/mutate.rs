//! Inputs made of others, without a guide: bytes and runs of bytes changed, left out, repeated and put together.

use crate::targets::Random;

/// Bytes that mean something in one of the formats.
const PIECES: [&[u8]; 30] = [
    b"{",
    b"}",
    b"[",
    b"]",
    b"\"",
    b"\\",
    b"\\u",
    b":",
    b",",
    b"\n",
    b"\r",
    b"\r\n",
    b"\n\n",
    b"data:",
    b"null",
    b"true",
    b"-1",
    b"1e999",
    b"0",
    b"%",
    b"%25",
    b"\xef\xbb\xbf",
    b"\xff",
    b"\xf0\x9f\x98\x80",
    b"\0",
    b"://",
    b"&a",
    b"*a",
    b"\t",
    b"\x80\x80\x80\x01",
];

/// An input made of one of these, and maybe of another.
pub(crate) fn mutated(inputs: &[Vec<u8>], longest: usize, random: &mut Random) -> Vec<u8> {
    let mut bytes = if inputs.is_empty() { Vec::new() } else { random.pick(inputs).clone() };
    for _ in 0..1 + random.below(5) {
        let at = random.below(bytes.len() + 1);
        let end = (at + 1 + random.below(16)).min(bytes.len());
        match random.below(9) {
            0 | 1 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = random.next() as u8;
                }
            }
            2 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << random.below(8);
                }
            }
            3 => drop(bytes.drain(at..end)),
            4 | 5 => drop(bytes.splice(at..at, random.pick(&PIECES).iter().copied()).collect::<Vec<_>>()),
            6 => {
                let again = bytes[at..end].repeat(1 + random.below(20));
                drop(bytes.splice(at..at, again).collect::<Vec<_>>());
            }
            7 => bytes.truncate(at),
            _ if !inputs.is_empty() => {
                let other = random.pick(inputs);
                let from = random.below(other.len() + 1);
                let to = (from + random.below(64)).min(other.len());
                drop(bytes.splice(at..at, other[from..to].iter().copied()).collect::<Vec<_>>());
            }
            _ => bytes.push(random.next() as u8),
        }
    }
    bytes.truncate(longest);
    bytes
}
