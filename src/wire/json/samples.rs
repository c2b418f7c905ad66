//! Texts and values for the tests of this module: a hand-written corpus and a small deterministic generator.

use super::{Map, Value};

/// Texts of every construct, legal and not.
pub(super) const CORPUS: [&str; 58] = [
    "",
    " ",
    "null",
    "true",
    "false",
    "nul",
    "nullable",
    "True",
    "NaN",
    "Infinity",
    "undefined",
    "0",
    "-0",
    "-",
    "01",
    "1.",
    ".5",
    "1.5e",
    "1e5",
    "1E+05",
    "-1.25e-3",
    "1e400",
    "-1e400",
    "1e-400",
    "0e99999999999",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775808",
    "-9223372036854775809",
    "123456789012345678901234567890",
    "\"\"",
    "\"a",
    "\"\\u00e9\\n\\/\\\\\\\"\\b\\f\\r\\t\"",
    "\"\\ud83d\\ude00\"",
    "\"\\ud83d\"",
    "\"\\ude00x\"",
    "\"\\ud83d\\u0041\"",
    "\"\\ud83d\\ud83d\\ude00\"",
    "\"\\x\"",
    "\"\\u12g4\"",
    "\"\\u+123\"",
    "\"tab\there\"",
    "\"€😀\u{7f}\u{2028}\"",
    "[]",
    "[1,]",
    "[,1]",
    "[1 2]",
    "[[[]], {}]",
    "{}",
    "{\"a\":1,}",
    "{\"a\" 1}",
    "{a:1}",
    "{\"a\":1,\"a\":{\"b\":[1,{\"b\":2}]},\"b\":null}",
    " { \"a\" : [ 1 , 2.5 ] }\r\n\t",
    "{} {}",
    "\u{feff}[]",
];

/// A generator with a fixed sequence for each seed (SplitMix64).
pub(super) struct Random(u64);

impl Random {
    pub(super) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which is not 0.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    fn string(&mut self) -> String {
        let alphabet = ['a', 'b', '/', '~', '"', '\\', '\n', '\0', '\u{1f}', 'é', '€', '😀', '\u{fffd}', '<', ' '];
        (0..self.below(6)).map(|_| alphabet[self.below(alphabet.len())]).collect()
    }

    /// A value of at most that many containers in each other.
    pub(super) fn value(&mut self, depth: usize) -> Value {
        match self.below(if depth == 0 { 7 } else { 11 }) {
            0 => Value::Null,
            1 => Value::Bool(self.below(2) == 0),
            2 => self.next().into(),
            3 => (self.next() as i64 >> self.below(64)).into(),
            // Any bit pattern; those that are not numbers become null.
            4 => f64::from_bits(self.next()).into(),
            5 | 6 => self.string().into(),
            7 | 8 => (0..self.below(5)).map(|_| self.value(depth - 1)).collect(),
            _ => {
                let members: Map<String, Value> =
                    (0..self.below(5)).map(|_| (self.string(), self.value(depth - 1))).collect();
                members.into()
            }
        }
    }
}
