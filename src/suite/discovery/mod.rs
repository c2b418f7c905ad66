//! Finding the card: where it is, and how it is served.

crate::area! {
    /// Fetches the card.
    fetch,
}
