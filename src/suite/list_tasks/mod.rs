//! Listing tasks.

crate::area! {
    /// Plain lists and their members.
    list,
    /// Pages, filters and what a listed task holds.
    filters,
    /// Filters that do not exist.
    refused,
}
