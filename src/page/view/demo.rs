//! What page and checker have in common about the demo agent.

/// Where the demo agent says it lives; nothing is ever sent there.
pub const ADDRESS: &str = "https://demo.agent.invalid";
