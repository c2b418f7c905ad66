//! Requests that are wrong on purpose, each in one way only.

crate::area! {
    /// Bytes and envelopes that are no requests.
    malformed,
    /// Parameters that do not fit.
    params,
    /// Messages that lack something.
    messages,
}
