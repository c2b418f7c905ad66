//! Why declared responses cannot be played.

/// Why declared responses cannot be played.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place} {description}")]
pub struct InvalidResponses {
    /// The place of the problem: `responses_json[0][2].status.state`.
    pub place: String,
    /// The problem, as the end of a sentence that begins with the place.
    pub description: String,
}

impl InvalidResponses {
    pub(super) fn at(place: impl Into<String>, description: impl Into<String>) -> Self {
        Self { place: place.into(), description: description.into() }
    }
}
