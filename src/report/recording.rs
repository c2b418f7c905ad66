//! A recorded exchange in a file, and the way back: a recording out of a file can be judged again. It is written as it was
//! recorded, that is redacted.

mod read;
mod words;
mod write;

pub(super) use read::exchange as read;
pub(super) use write::write;

#[cfg(test)]
mod tests;
