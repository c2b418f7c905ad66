//! The page's second module: what few visitors need. The page fetches it when it is idle and starts it when somebody asks for
//! it (`page/on_demand.rs`). Elsewhere it is nothing.

#[cfg(target_arch = "wasm32")]
mod demo_agent;
#[cfg(target_arch = "wasm32")]
mod explanations;
#[cfg(target_arch = "wasm32")]
mod exports;

fn main() {}
