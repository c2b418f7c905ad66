//! Interfaces of one agent compared with each other (1.0 §5.1), and what an interface declares about itself.

crate::area! {
    /// Two interfaces of one version side by side.
    pair,
    /// The tenant of an interface.
    tenant,
}
