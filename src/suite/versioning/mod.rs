//! Version negotiation.

crate::area! {
    /// Other versions than the declared one.
    negotiation,
    /// A header that older versions do not have.
    older,
}
