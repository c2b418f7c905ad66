//! Listing tasks.

crate::area! {
    /// One list, and one filtered by context.
    list,
}
