//! Numbers that look random and are the same each time.

/// SplitMix64: a seed gives the same numbers on every machine.
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    /// The numbers of a seed.
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The numbers that belong to some bytes.
    pub(crate) fn of(seed: u64, bytes: &[u8]) -> Self {
        // FNV-1a
        let mix = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        Self(bytes.iter().fold(0xcbf2_9ce4_8422_2325 ^ seed, mix))
    }

    /// The next number.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below that one; 0 where there is none.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        if end == 0 { 0 } else { (self.next() % end as u64) as usize }
    }

    /// Whether something happens that does once in so many times.
    pub(crate) fn once_in(&mut self, times: usize) -> bool {
        self.below(times.max(1)) == 0
    }

    /// One of them.
    pub(crate) fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }

    /// In another order.
    pub(crate) fn shuffle<T>(&mut self, all: &mut [T]) {
        for at in (1..all.len()).rev() {
            all.swap(at, self.below(at + 1));
        }
    }
}
