//! The wire format of Protocol Buffers: keys, varints and the four wire types that are in use.

/// A record of a message: the number of its field, and its value.
pub(super) type Record<'a> = (u64, WireValue<'a>);

/// A value, as far as the wire tells its type.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum WireValue<'a> {
    Varint(u64),
    Fixed64(u64),
    Bytes(&'a [u8]),
    Fixed32(u32),
}

impl WireValue<'_> {
    /// The name of its wire type, for a finding.
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::Varint(_) => "a varint",
            Self::Fixed64(_) => "64 bits",
            Self::Bytes(_) => "a value with a length",
            Self::Fixed32(_) => "32 bits",
        }
    }
}

/// Reads the records of a message one by one. An error says why the rest cannot be read.
pub(super) struct Records<'a> {
    rest: &'a [u8],
}

impl<'a> Records<'a> {
    pub(super) const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    fn read(&mut self) -> Result<Record<'a>, &'static str> {
        let key = self.varint()?;
        let number = key >> 3;
        if number == 0 || number >= 1 << 29 {
            return Err("a field number that does not exist");
        }
        let value = match key & 7 {
            0 => WireValue::Varint(self.varint()?),
            1 => WireValue::Fixed64(u64::from_le_bytes(self.fixed()?)),
            2 => {
                let length = usize::try_from(self.varint()?).map_err(|_| TRUNCATED)?;
                WireValue::Bytes(self.take(length)?)
            }
            5 => WireValue::Fixed32(u32::from_le_bytes(self.fixed()?)),
            _ => return Err("a wire type that proto3 does not have"),
        };
        Ok((number, value))
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], &'static str> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(TRUNCATED)?;
        self.rest = rest;
        Ok(taken)
    }

    fn fixed<const N: usize>(&mut self) -> Result<[u8; N], &'static str> {
        self.take(N)?.try_into().map_err(|_| TRUNCATED)
    }

    fn varint(&mut self) -> Result<u64, &'static str> {
        let mut value = 0;
        for shift in (0..70).step_by(7) {
            let [byte] = self.fixed()?;
            // Only the lowest bit of the tenth byte fits.
            value |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or_default();
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err("a varint of more than ten bytes")
    }
}

const TRUNCATED: &str = "a value that is longer than the message";

impl<'a> Iterator for Records<'a> {
    type Item = Result<Record<'a>, &'static str>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let record = self.read();
        if record.is_err() {
            self.rest = &[];
        }
        Some(record)
    }
}

pub(super) fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.extend(u8::try_from(value & 0x7f).map(|low| low | 0x80));
        value >>= 7;
    }
    out.extend(u8::try_from(value));
}

/// Appends a field whose value is a varint.
pub(super) fn put_number(out: &mut Vec<u8>, number: u64, value: u64) {
    put_varint(out, number << 3);
    put_varint(out, value);
}

pub(super) fn put_double(out: &mut Vec<u8>, number: u64, value: f64) {
    put_varint(out, number << 3 | 1);
    out.extend(value.to_le_bytes());
}

/// Appends a field whose value has a length.
pub(super) fn put_bytes(out: &mut Vec<u8>, number: u64, value: &[u8]) {
    put_varint(out, number << 3 | 2);
    put_varint(out, value.len() as u64);
    out.extend(value);
}
