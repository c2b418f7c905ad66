//! The module of the npm package: the checker and the scripted agent for scripts, without the page. `index.js` beside it is
//! what people import. Elsewhere it is nothing.

#[cfg(target_arch = "wasm32")]
mod exports;
#[cfg(target_arch = "wasm32")]
#[path = "../on_demand/demo_agent.rs"]
mod scripted_agent;

fn main() {}
