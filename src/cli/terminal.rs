//! The report for a terminal, told like a compiler's: the verdict, the facts of the agent, one block for each finding with
//! its lanes together, what stayed open and why, and counts for the rest.

mod evidence;
mod facts;
mod findings;
mod lines;
mod look;
mod next_step;
mod open;
mod rows;
mod uncounted;

use crate::report::Report;
use facts::facts;
use findings::findings;
use lines::{FAINT, Lines};
pub(super) use look::progress_width;
pub use look::{TerminalStyle, Verbosity};
use next_step::{credentials_to_give, next_step};
use open::open;
use rows::{areas, rows, upgrade};
use uncounted::{disputed, unsteady};

/// The whole report, in the order in which it is read.
#[must_use]
pub fn render(report: &Report, detail: Verbosity, look: TerminalStyle) -> String {
    let mut lines = Lines::new(look);
    facts(&mut lines, report, detail);
    findings(&mut lines, report, detail == Verbosity::Verbose);
    let saw_agent = report.agent.is_some();
    if !saw_agent && let Some(next) = next_step(report) {
        if report.tally.failed > 0 {
            lines.gap();
        }
        lines.pair(0, "next", &next);
    }
    if let Some(next) = credentials_to_give(report) {
        lines.gap();
        lines.pair(0, "next", &next);
    }
    // Everything is open for the one reason that was just told.
    if detail == Verbosity::Quiet || (detail == Verbosity::Usual && !saw_agent) {
        return lines.finish();
    }
    unsteady(&mut lines, report);
    open(&mut lines, report, detail);
    if detail == Verbosity::Verbose {
        upgrade(&mut lines, report);
        rows(&mut lines, report);
    } else {
        disputed(&mut lines, report);
        areas(&mut lines, report);
        lines.gap();
        lines.say(0, FAINT, "Every check: --verbose. Every exchange: --format json -o report.json.");
    }
    lines.finish()
}
