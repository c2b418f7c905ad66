//! The verdict in one sentence, and what is known of the agent.

use super::evidence::tried;
use super::lines::{FAILED, GOOD, Lines, PLAIN, STRONG, Span, WARNED};
use super::look::Verbosity;
use crate::engine::event::named_interfaces;
use crate::engine::load::LoadFigures;
use crate::engine::plural::{count, count_of};
use crate::report::headline::numbers_in_words;
use crate::report::load_figures;
use crate::report::{Report, RewardTotal, VerdictWord, headline};

/// The verdict, then the facts, a line each.
pub(super) fn facts(lines: &mut Lines, report: &Report, detail: Verbosity) {
    verdict(lines, report);
    lines.gap();
    match &report.agent {
        Some(agent) => {
            let named = format!("{} {}", agent.name, agent.version);
            lines.pair(0, &report.subject_title().to_ascii_lowercase(), named.trim());
            lines.pair(0, "card", &agent.card_url);
            lines.pair(0, "speaks", &agent.speaks());
        }
        None => lines.pair(0, "tried", &tried(report)),
    }
    lines.pair(0, "note", &report.cold_start().unwrap_or_default());
    for remark in &report.connection.remarks {
        lines.named(0, "note", &[Span::new(remark.as_str(), WARNED)]);
    }
    if detail == Verbosity::Verbose {
        certificates(lines, report);
    }
    page_access(lines, report, detail);
    for lane in &report.lanes {
        lines.pair(0, "interface", &format!("{} at {}", lane.id, lane.url));
    }
    for (name, why) in report.agent.iter().flat_map(|agent| named_interfaces(&agent.silent_interfaces)) {
        lines.pair(0, "unchecked", &format!("{name}: {why}"));
    }
    if let Some(runs) = report.runs {
        let same = match (runs, report.tally.unsteady) {
            (0 | 1, _) => String::new(),
            (_, 0) => ", with the same results in each".to_owned(),
            (_, unsteady) => format!(", {} not the same in each", count(unsteady, "result")),
        };
        lines.pair(0, "runs", &format!("{runs} of {}{same}", report.settings.repeat));
    }
    let left_out = report.left_out_in_words();
    if !left_out.is_empty() {
        lines.pair(0, "left out", &format!("{left_out}; --thorough runs them"));
    }
    if let Some(figures) = &report.load {
        load(lines, figures);
    }
    // Nothing was seen of an agent that sent no card: the verdict says so.
    if report.agent.is_some() {
        lines.pair(0, "features", &report.coverage());
        counts(lines, report);
    }
}

/// What the agent did under load.
fn load(lines: &mut Lines, figures: &LoadFigures) {
    for (name, value) in load_figures::facts(figures) {
        lines.pair(0, "load", &format!("{}: {value}", name.to_ascii_lowercase()));
    }
    for [what, count, p50, p90, p99, max] in load_figures::latencies(figures) {
        lines.pair(0, "load", &format!("{what}: p50 {p50} ms, p90 {p90} ms, p99 {p99} ms, max {max} ms, of {count}"));
    }
    lines.pair(0, "load", load_figures::LATENCIES_IN_WORDS);
}

/// The certificates of each host, its own first.
fn certificates(lines: &mut Lines, report: &Report) {
    for each in &report.connection.certificates {
        let left = match each.days_left {
            ..0 => "expired".to_owned(),
            days => format!("{} left", count_of(usize::try_from(days).unwrap_or_default(), "day")),
        };
        let trust = if each.is_trusted { "" } else { ", not trusted by this machine" };
        lines.pair(0, "tls", &format!("{}: {left}{trust}", each.host));
        for link in &each.chain {
            let days = format!("{} to {}", link.not_before, link.not_after);
            lines.pair(0, "", &format!("- {}, issued by {}, {days}", link.subject, link.issuer));
        }
    }
}

/// What a page would meet on its way to the agent. The stages of the way, a line for all; with every detail the obstacles and the settings that mend them.
fn page_access(lines: &mut Lines, report: &Report, detail: Verbosity) {
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

fn verdict(lines: &mut Lines, report: &Report) {
    let sentence = headline(report);
    let title = report.verdict_title();
    let style = match report.word {
        VerdictWord::Conformant => GOOD,
        VerdictWord::NotConformant => FAILED,
        VerdictWord::PartlyChecked => STRONG,
        VerdictWord::ConformantWithAdvice | VerdictWord::Incomplete => WARNED,
    };
    match sentence.strip_prefix(title) {
        Some(rest) => lines.spans(0, 2, &[Span::new(title, style), Span::new(rest, PLAIN)]),
        None => lines.say(0, PLAIN, &sentence),
    }
}

fn counts(lines: &mut Lines, report: &Report) {
    lines.pair(0, "results", &numbers_in_words(report));
    if let Some(total) = RewardTotal::from_report(report) {
        lines.pair(0, "reward", &total.to_string());
    }
    let spent = count(report.tally.messages, "message");
    lines.pair(0, "took", &format!("{:.1} s, {spent} to the agent", report.duration_ms / 1000.0));
}
