//! Bytes for tests of long files (`sample_bytes`), which whoever expects them makes by themselves, and the most of them.

/// The most bytes: as base64 they still fit into a request that the scripted agent reads.
pub const MAX_SAMPLE: usize = 16_000_000;

/// So many bytes of which no part is like another: the highest bytes of the numbers that the generator 1664525 n + 1013904223
/// makes of 1, modulo 2^32.
#[must_use]
pub fn sample_bytes(length: usize) -> Vec<u8> {
    let mut state = 1_u32;
    let next = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let [highest, ..] = state.to_be_bytes();
        highest
    };
    (0..length).map(next).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_are_always_the_same() {
        assert_eq!(sample_bytes(4), [0x3c, 0x5e, 0x81, 0xb4]);
        assert_eq!(sample_bytes(3), sample_bytes(9)[..3]);
    }
}
