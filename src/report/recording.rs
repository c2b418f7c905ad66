//! A recorded exchange in a file, and the way back: a recording out of a file can be judged again. It is written as it was
//! recorded, that is redacted.

mod read;
mod restore;
mod types;
mod write;

pub(super) use read::exchange as read;
pub use restore::RestoreError;
pub use types::{
    Encoding, EndKind, JsonBody, JsonEnd, JsonExchange, JsonFrame, JsonHeader, JsonOddity, JsonRequest, JsonResponse,
    JsonTransportErrorKind, LONG, MAX_BODY, MAX_BODY_OF_LONG,
};
pub(super) use write::write;

#[cfg(test)]
mod tests;
