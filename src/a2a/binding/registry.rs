//! The bindings that this build speaks.

use super::definition::Binding;
use super::grpc::GRPC;
use super::jsonrpc::JSONRPC;
use super::rest::REST;

/// Every binding this build speaks.
pub static BINDINGS: &[&Binding] = &[&JSONRPC, &REST, &GRPC];

impl Binding {
    /// The binding that an interface declares.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        BINDINGS.iter().copied().find(|binding| binding.id == name)
    }
}
