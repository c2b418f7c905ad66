//! The address of the demo agent, which page and checker share.

/// The address that the demo agent names in its card; nothing is ever sent there.
pub const ADDRESS: &str = "https://demo.agent.invalid";
