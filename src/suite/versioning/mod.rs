//! Version negotiation.

crate::area! {
    /// Other versions than the declared one.
    negotiation,
}
