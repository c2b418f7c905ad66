//! `Host::web`: the host of programs in a page.

use super::host::Host;
use crate::a2a::headers::OWN;
use crate::host::web;

impl Host {
    /// The page that this program runs in: fetch, and streams read as they come. It sees what CORS lets it see.
    #[must_use]
    pub fn web() -> Self {
        Self { inner: web::host(&OWN), name: "page" }
    }
}
