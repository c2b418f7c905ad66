//! Choices that a target reads from the bytes of its input.

/// The bytes of an input. Where they end, every further choice is the first.
#[derive(Debug, Clone)]
pub(crate) struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    /// The choices in these bytes.
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// The next byte.
    pub(crate) fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    /// The next bytes, as a number.
    pub(crate) fn number(&mut self, bytes: usize) -> u64 {
        (0..bytes).fold(0, |number, _| number << 8 | u64::from(self.byte()))
    }

    /// A number below that one.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::from(self.byte()) % end.max(1)
    }

    /// One of them.
    pub(crate) fn pick<'b, T>(&mut self, all: &'b [T]) -> &'b T {
        &all[self.below(all.len())]
    }

    /// What is left.
    pub(crate) const fn rest(self) -> &'a [u8] {
        self.0
    }

    /// What is left, as text.
    pub(crate) fn text(self) -> std::borrow::Cow<'a, str> {
        String::from_utf8_lossy(self.0)
    }
}

/// The bytes cut into chunks whose lengths follow from the first number.
pub(crate) fn chunks(bytes: &[u8], seed: u64) -> Vec<&[u8]> {
    let mut random = super::random::Random::new(seed);
    let most = 1 + random.below(64);
    let mut rest = bytes;
    let mut chunks = Vec::new();
    while !rest.is_empty() {
        let (chunk, behind) = rest.split_at(random.below(most + 1).min(rest.len()));
        chunks.push(chunk);
        rest = behind;
    }
    chunks
}
