//! Extensions: asked for, ignored, required.

crate::area! {
    /// A header that names extensions.
    negotiation,
    /// Extensions that the card declares.
    declared,
}
