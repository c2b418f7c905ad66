//! The checker as a module of its own: the engine, the suite, the reports and the scripted agent. For the page, which talks to
//! it in messages (`answers`), and for scripts, as the npm package's module (`scripts`). Elsewhere it is nothing.

#[cfg(target_arch = "wasm32")]
mod answers;
#[cfg(target_arch = "wasm32")]
mod exports;
#[cfg(target_arch = "wasm32")]
mod runs;
#[cfg(target_arch = "wasm32")]
mod scripted_agent;
#[cfg(target_arch = "wasm32")]
mod several_agents;
#[cfg(target_arch = "wasm32")]
mod target;
#[cfg(target_arch = "wasm32")]
mod test_files;
#[cfg(target_arch = "wasm32")]
mod watched;
#[cfg(target_arch = "wasm32")]
mod workbench;

fn main() {}
