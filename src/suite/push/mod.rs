//! Push notification configs.

crate::area! {
    /// What is not declared is refused.
    undeclared,
    /// Configs where they are declared.
    configs,
    /// The same before 1.0.
    older,
}
