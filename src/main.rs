//! The two programs: the page on wasm32, the command line everywhere else.

#[cfg(target_arch = "wasm32")]
fn main() {
    a2a_conformance::page::start();
}

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    a2a_conformance::cli::main()
}
