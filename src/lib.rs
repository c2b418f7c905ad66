//! Checks whether an A2A (Agent2Agent protocol) agent conforms to the specification.
//!
//! One engine judges the bytes that an agent sends. This package compiles it to WebAssembly for a page and natively for a
//! command line. As a library it is that engine, its checks, its reports, and a scripted agent that can be told to be
//! wrong in hundreds of ways: take it with `default-features = false`, on any target.
//!
//! ```
//! use a2a_conformance::{Format, Options, ScriptedAgent, VerdictWord, VirtualClock, check};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let clock = VirtualClock::default();
//! let agent = ScriptedAgent::new(&clock, [])?;
//! let report = clock.block_on(check(agent.host(), Options::new(agent.address()), |_| ()));
//!
//! assert_eq!(report.verdict(), VerdictWord::Conformant);
//! println!("{}", report.write(Format::Markdown));
//! # Ok(())
//! # }
//! ```
//!
//! [`Host::new`] takes any [`Transport`] and [`Clock`]. Two hosts come with the package: `Host::native` (feature
//! `native-host`, by reqwest) and `Host::web` (feature `web-host`, by fetch).
//!
//! The features `cli` and `page`, on by default, are the programs. They open the rooms of this package to its own tests; what
//! they open is not part of the library and changes without notice. `docs/ARCHITECTURE.md` draws the rooms.

// Without the programs much of the engine is unused.
#![cfg_attr(
    not(feature = "internals"),
    allow(
        dead_code,
        unused_imports,
        unreachable_pub,
        unfulfilled_lint_expectations,
        reason = "the programs use more than the library"
    )
)]

#[cfg(not(feature = "internals"))]
mod a2a;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod a2a;
#[cfg(not(feature = "internals"))]
mod agent;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod agent;
#[cfg(not(feature = "internals"))]
mod engine;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod engine;
#[cfg(not(feature = "internals"))]
mod host;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod host;
#[cfg(not(feature = "internals"))]
mod report;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod report;
#[cfg(not(feature = "internals"))]
mod suite;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod suite;
#[cfg(not(feature = "internals"))]
mod wire;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod wire;

mod api;
#[cfg(all(feature = "test-agent", not(feature = "internals"), not(target_arch = "wasm32")))]
mod server;
#[cfg(all(feature = "test-agent", feature = "internals", not(target_arch = "wasm32")))]
#[doc(hidden)]
pub mod server;

#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod acts;
#[cfg(feature = "page")]
#[doc(hidden)]
pub mod checker;
#[cfg(all(feature = "cli", not(target_arch = "wasm32")))]
#[doc(hidden)]
pub mod cli;
#[cfg(all(feature = "cli", not(target_arch = "wasm32")))]
#[doc(hidden)]
pub mod clients;
#[cfg(feature = "page")]
#[doc(hidden)]
pub mod js_api;
#[cfg(all(feature = "page", target_arch = "wasm32"))]
#[doc(hidden)]
pub mod page;
#[cfg(feature = "page")]
#[doc(hidden)]
pub mod view_model;

pub use agent::fault::UnknownFault;
pub use agent::{CapturedRequest, InvalidResponses, PresentedIdentity, responses_directive};
#[cfg(all(feature = "test-agent", not(target_arch = "wasm32")))]
pub use api::TestAgent;
pub use api::{CheckResult, CredentialError, Host, Options, Report, ScriptedAgent, Update, check};
pub use engine::requirement::Level;
pub use engine::verdict::{Outcome, Status};
pub use host::virtual_clock::VirtualClock;
pub use host::{Clock, StreamedResponse, Transport};
pub use report::{ConformanceLevel, Format, VerdictWord};
pub use wire::exchange::{TransportError, TransportErrorKind};
pub use wire::http::{Headers, Method, Request, ResponseHead};
