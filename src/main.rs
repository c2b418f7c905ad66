//! The two programs: the page on wasm32, the command line everywhere else.

#[cfg(target_arch = "wasm32")]
fn main() {
    a2a_conformance::page::start();
}

/// What the page's module offers to other scripts, on `window.wasmBindings`. Declared here and not in the library: whatever
/// that exports, the module `on-demand` would export and carry as well.
#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    a2a_conformance::cli::main()
}
