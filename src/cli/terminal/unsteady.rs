//! Results that are not the same in each of several runs: what each run concluded, with its exchanges.

use super::lines::{GUIDE, Lines, PLAIN, STRONG, Span, WARNED};
use crate::engine::plural::count_of;
use crate::report::Report;
use crate::report::text::one_line;

/// The longest conclusion.
const LONGEST: usize = 400;

/// The unsteady results, in the order of the plan.
pub(super) fn unsteady(lines: &mut Lines, report: &Report) {
    let number = report.unsteady().count();
    if number == 0 {
        return;
    }
    lines.gap();
    let runs = report.runs.unwrap_or_default();
    lines.say(0, STRONG, &format!("Unsteady ({}, not the same in each of {runs} runs)", count_of(number, "check")));
    for row in report.unsteady() {
        let lane = row.lane.as_deref().map(|lane| format!(" on {lane}")).unwrap_or_default();
        let name = Span::new(format!("{}{lane}", row.check), PLAIN);
        lines.spans(
            2,
            4,
            &[Span::new("unsteady ", WARNED), name, Span::new(format!(" ({})", row.level.as_str()), PLAIN)],
        );
        for each in &row.of_runs {
            let exchanges: Vec<String> = each.verdict.exchanges.iter().map(u32::to_string).collect();
            let seen = match exchanges.len() {
                0 => String::new(),
                1 => format!(" (exchange {})", exchanges.join("")),
                _ => format!(" (exchanges {})", exchanges.join(", ")),
            };
            let said = format!("{}: {}", each.runs_in_words(), one_line(&each.said(), LONGEST));
            lines.spans(4, 8, &[Span::new("--> ", GUIDE), Span::new(said, PLAIN), Span::new(seen, GUIDE)]);
        }
        lines.pair(4, "fix", row.remediation.as_deref().unwrap_or_default());
    }
}
