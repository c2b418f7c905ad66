//! What a page would meet on its way to the agent, and what to paste so that it gets through.

use super::detail::Verbosity;
use super::lines::{Lines, PLAIN, STRONG};
use crate::report::Report;

/// The stages of the way, a line for all; with every detail the obstacles and the settings that mend them.
pub(super) fn page_access(lines: &mut Lines, report: &Report, detail: Verbosity) {
    let Some(access) = &report.connection.page else { return };
    let stages: Vec<String> = access.stages.iter().map(|[_, title, _, word]| format!("{title}: {word}")).collect();
    lines.pair(0, "page", &format!("{} ({})", access.origin, stages.join(", ")));
    if detail != Verbosity::Verbose {
        if !access.fixes.is_empty() {
            let stacks: Vec<&str> = access.fixes.iter().map(|[stack, ..]| stack.as_str()).collect();
            lines.pair(0, "fix", &format!("--verbose has the settings to paste for {}", stacks.join(", ")));
        }
        return;
    }
    for obstacle in &access.obstacles {
        lines.gap();
        lines.say(2, STRONG, &obstacle.title);
        lines.say(2, PLAIN, &obstacle.meaning);
        lines.say(2, PLAIN, &obstacle.remedy);
        for line in obstacle.observed.iter().chain(&obstacle.causes) {
            lines.say(2, PLAIN, &format!("- {line}"));
        }
    }
    for [stack, place, text] in &access.fixes {
        lines.gap();
        lines.say(2, STRONG, &format!("{stack}, {place}"));
        lines.verbatim(4, text);
    }
    lines.gap();
}
