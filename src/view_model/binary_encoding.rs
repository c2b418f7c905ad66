//! How values pass between the page and the checker: as bytes, the members of a value one after the other. Both are of one build
//! and read what the other writes, so that nothing names a member and nothing can be missing. With serde and its objects of
//! JavaScript the same cost the page's two modules 45 KB, and each value a call of JavaScript for each of its members.

/// A value that passes between the page and the checker.
pub trait BinaryEncoding: Sized {
    /// Writes it behind what is there.
    fn write(&self, out: &mut Vec<u8>);

    /// Reads what [`Self::write`] wrote.
    fn read(from: &mut Bytes<'_>) -> Self;
}

/// The bytes that are left to be read. When none are left, numbers are 0, and texts and lists are empty.
#[derive(Debug)]
pub struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at_checked(count).unwrap_or((self.0, &[]));
        self.0 = rest;
        taken
    }

    fn array<const N: usize>(&mut self) -> [u8; N] {
        self.take(N).try_into().unwrap_or([0; N])
    }
}

/// The bytes of a value.
pub fn to_bytes(value: &impl BinaryEncoding) -> Vec<u8> {
    let mut out = Vec::new();
    value.write(&mut out);
    out
}

/// The value of these bytes.
pub fn of_bytes<T: BinaryEncoding>(bytes: &[u8]) -> T {
    T::read(&mut Bytes(bytes))
}

/// How a struct passes, by all of its members (a tuple's by their numbers), or an enum, by all of its variants.
macro_rules! binary_encoding {
    (struct $name:ident { $($member:tt),+ $(,)? }) => {
        impl $crate::view_model::binary_encoding::BinaryEncoding for $name {
            fn write(&self, out: &mut Vec<u8>) {
                $($crate::view_model::binary_encoding::BinaryEncoding::write(&self.$member, out);)+
            }

            fn read(from: &mut $crate::view_model::binary_encoding::Bytes<'_>) -> Self {
                Self { $($member: $crate::view_model::binary_encoding::BinaryEncoding::read(from)),+ }
            }
        }
    };
    (enum $name:ident {
        $first:ident $(($($first_part:ident),+))? $({ $($first_member:ident),+ })?
        $(, $variant:ident $(($($part:ident),+))? $({ $($member:ident),+ })?)* $(,)?
    }) => {
        impl $crate::view_model::binary_encoding::BinaryEncoding for $name {
            fn write(&self, out: &mut Vec<u8>) {
                enum Variant { $first $(, $variant)* }
                match self {
                    Self::$first $(($($first_part),+))? $({ $($first_member),+ })? => {
                        out.push(Variant::$first as u8);
                        $($($crate::view_model::binary_encoding::BinaryEncoding::write($first_part, out);)+)?
                        $($($crate::view_model::binary_encoding::BinaryEncoding::write($first_member, out);)+)?
                    }
                    $(Self::$variant $(($($part),+))? $({ $($member),+ })? => {
                        out.push(Variant::$variant as u8);
                        $($($crate::view_model::binary_encoding::BinaryEncoding::write($part, out);)+)?
                        $($($crate::view_model::binary_encoding::BinaryEncoding::write($member, out);)+)?
                    })*
                }
            }

            fn read(from: &mut $crate::view_model::binary_encoding::Bytes<'_>) -> Self {
                #[expect(dead_code, reason = "the first is what is left when it is none of the others")]
                enum Variant { $first $(, $variant)* }
                let place: u8 = $crate::view_model::binary_encoding::BinaryEncoding::read(from);
                $(if place == Variant::$variant as u8 {
                    return Self::$variant
                        $(($({ let $part = $crate::view_model::binary_encoding::BinaryEncoding::read(from); $part }),+))?
                        $({ $($member: $crate::view_model::binary_encoding::BinaryEncoding::read(from)),+ })?;
                })*
                Self::$first
                    $(($({ let $first_part = $crate::view_model::binary_encoding::BinaryEncoding::read(from); $first_part }),+))?
                    $({ $($first_member: $crate::view_model::binary_encoding::BinaryEncoding::read(from)),+ })?
            }
        }
    };
}
pub(crate) use binary_encoding;

impl BinaryEncoding for () {
    fn write(&self, _: &mut Vec<u8>) {}

    fn read(_: &mut Bytes<'_>) -> Self {}
}

macro_rules! number_encoding {
    ($($number:ty),+) => {$(
        impl BinaryEncoding for $number {
            fn write(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }

            fn read(from: &mut Bytes<'_>) -> Self {
                Self::from_le_bytes(from.array())
            }
        }
    )+};
}
number_encoding!(u8, u32, f64);

impl BinaryEncoding for bool {
    fn write(&self, out: &mut Vec<u8>) {
        out.push((*self).into());
    }

    fn read(from: &mut Bytes<'_>) -> Self {
        u8::read(from) == 1
    }
}

/// Places in lists and lengths: a page's memory has no more than four gigabytes.
impl BinaryEncoding for usize {
    fn write(&self, out: &mut Vec<u8>) {
        u32::try_from(*self).unwrap_or(u32::MAX).write(out);
    }

    fn read(from: &mut Bytes<'_>) -> Self {
        u32::read(from).try_into().unwrap_or(Self::MAX)
    }
}

impl BinaryEncoding for String {
    fn write(&self, out: &mut Vec<u8>) {
        self.len().write(out);
        out.extend_from_slice(self.as_bytes());
    }

    fn read(from: &mut Bytes<'_>) -> Self {
        let length = usize::read(from);
        // It was a text when it was written.
        std::str::from_utf8(from.take(length)).unwrap_or_default().to_owned()
    }
}

impl<T: BinaryEncoding> BinaryEncoding for Box<T> {
    fn write(&self, out: &mut Vec<u8>) {
        T::write(self, out);
    }

    fn read(from: &mut Bytes<'_>) -> Self {
        Self::new(T::read(from))
    }
}

impl<T: BinaryEncoding> BinaryEncoding for Option<T> {
    fn write(&self, out: &mut Vec<u8>) {
        self.is_some().write(out);
        if let Some(value) = self {
            value.write(out);
        }
    }

    fn read(from: &mut Bytes<'_>) -> Self {
        bool::read(from).then(|| T::read(from))
    }
}

impl<T: BinaryEncoding, E: BinaryEncoding> BinaryEncoding for Result<T, E> {
    fn write(&self, out: &mut Vec<u8>) {
        self.is_ok().write(out);
        match self {
            Ok(value) => value.write(out),
            Err(problem) => problem.write(out),
        }
    }

    fn read(from: &mut Bytes<'_>) -> Self {
        if bool::read(from) { Ok(T::read(from)) } else { Err(E::read(from)) }
    }
}

impl<T: BinaryEncoding> BinaryEncoding for Vec<T> {
    fn write(&self, out: &mut Vec<u8>) {
        self.len().write(out);
        for value in self {
            value.write(out);
        }
    }

    fn read(from: &mut Bytes<'_>) -> Self {
        let mut list = Self::new();
        for _ in 0..usize::read(from) {
            // Every value of a list has a byte at least.
            if from.0.is_empty() {
                break;
            }
            list.push(T::read(from));
        }
        list
    }
}

impl<T: BinaryEncoding, const N: usize> BinaryEncoding for [T; N] {
    fn write(&self, out: &mut Vec<u8>) {
        for value in self {
            value.write(out);
        }
    }

    fn read(from: &mut Bytes<'_>) -> Self {
        std::array::from_fn(|_| T::read(from))
    }
}

impl<A: BinaryEncoding, B: BinaryEncoding> BinaryEncoding for (A, B) {
    fn write(&self, out: &mut Vec<u8>) {
        self.0.write(out);
        self.1.write(out);
    }

    fn read(from: &mut Bytes<'_>) -> Self {
        (A::read(from), B::read(from))
    }
}

impl<A: BinaryEncoding, B: BinaryEncoding, C: BinaryEncoding> BinaryEncoding for (A, B, C) {
    fn write(&self, out: &mut Vec<u8>) {
        self.0.write(out);
        self.1.write(out);
        self.2.write(out);
    }

    fn read(from: &mut Bytes<'_>) -> Self {
        (A::read(from), B::read(from), C::read(from))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Debug;

    #[derive(Debug, Clone, PartialEq)]
    struct Row {
        place: usize,
        texts: Vec<String>,
        pair: Option<(f64, u32)>,
    }
    binary_encoding! { struct Row { place, texts, pair } }

    #[derive(Debug, PartialEq)]
    struct Of(u8);
    binary_encoding! { struct Of { 0 } }

    #[derive(Debug, Clone, PartialEq)]
    enum Kind {
        First,
        Of(u32, String),
        Named { row: Box<Row>, is_last: bool },
    }
    binary_encoding! { enum Kind { First, Of(number, text), Named { row, is_last } } }

    fn row() -> Row {
        Row { place: 7, texts: vec![String::new(), "é😀\u{0}".to_owned()], pair: Some((0.1, u32::MAX)) }
    }

    #[track_caller]
    fn passes<T: BinaryEncoding + PartialEq + Debug>(value: &T) {
        let bytes = to_bytes(value);
        assert_eq!(&of_bytes::<T>(&bytes), value);
        // Whatever is cut off, reading ends.
        for end in 0..bytes.len() {
            let _ = of_bytes::<T>(&bytes[..end]);
        }
    }

    #[test]
    fn what_is_written_is_read() {
        passes(&row());
        for kind in [Kind::First, Kind::Of(3, "a".to_owned()), Kind::Named { row: Box::new(row()), is_last: true }] {
            passes(&kind);
        }
        passes(&vec![Ok(row()), Err("no".to_owned())]);
        passes(&[[1_u8, 2], [3, 4]]);
        passes(&());
        passes(&(Of(4), "b".to_owned(), 1.5));
        passes(&vec![(f64::MIN_POSITIVE, true), (-0.5, false)]);
    }

    #[test]
    fn a_length_that_lies_fills_no_memory() {
        assert_eq!(of_bytes::<Vec<String>>(&[0xff; 5]), [String::new()]);
        assert_eq!(of_bytes::<String>(&[0xff, 0xff, 0xff, 0xff, b'a']), "a");
    }
}
