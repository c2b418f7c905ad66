//! The report for a terminal, told like a compiler's: the verdict, the facts of the agent, one block for each finding with
//! its lanes together, what stayed open and why, and counts for the rest.

mod areas;
mod detail;
mod disputed;
mod evidence;
mod facts;
mod findings;
mod lines;
mod look;
mod next_step;
mod open;
mod page_access;
mod render;
mod rows;
mod unsteady;

pub use detail::Verbosity;
pub use look::TerminalStyle;
pub(super) use look::progress_width;
pub use render::render;
