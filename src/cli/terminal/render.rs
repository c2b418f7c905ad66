//! The whole report, in the order in which it is read.

use super::detail::Verbosity;
use super::disputed::disputed;
use super::facts::facts;
use super::findings::findings;
use super::lines::{FAINT, Lines};
use super::look::TerminalStyle;
use super::next_step::{credentials_to_give, next_step};
use super::open::open;
use super::unsteady::unsteady;
use super::{areas, rows};
use crate::report::Report;

/// The report for a terminal.
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
    match detail {
        Verbosity::Quiet => {}
        // Everything is open for the one reason that was just told.
        Verbosity::Usual if !saw_agent => {}
        Verbosity::Usual => {
            unsteady(&mut lines, report);
            open(&mut lines, report, detail);
            disputed(&mut lines, report);
            areas::areas(&mut lines, report);
            lines.gap();
            lines.say(0, FAINT, "Every check: --verbose. Every exchange: --format json -o report.json.");
        }
        Verbosity::Verbose => {
            unsteady(&mut lines, report);
            open(&mut lines, report, detail);
            rows::upgrade(&mut lines, report);
            rows::rows(&mut lines, report);
        }
    }
    lines.finish()
}
