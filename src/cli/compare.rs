//! `compare`: two reports side by side for a terminal, and by the exit code whether a must is newly broken; what a comparison is:
//! `report/comparison.rs`.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result};

use super::args::{CompareArgs, CompareFormat};
use super::exit::Exit;
use super::input;
use super::out::{self, TextKind};
use crate::report::comparison::{ComparedVerdict, Comparison, ResultDifference, UnpairedResult};
use crate::report::markdown::comparison::{self, summary};
use crate::report::text::one_line;
use crate::report::{self, ReportFile, RunSummary, compare};
use crate::suite;

pub(super) fn run(args: &CompareArgs) -> Result<Exit> {
    let comparison = compare(&opened(&args.before)?, &opened(&args.after)?);
    let (kind, text) = match args.format {
        CompareFormat::Text => (TextKind::Lines, text(&comparison)),
        CompareFormat::Markdown => (TextKind::Markup, comparison::write(&comparison)),
    };
    let is_written = out::deliver_or_print(kind, &text, args.output.as_deref());
    let exit = if comparison.new_breaches() > 0 { Exit::Failures } else { Exit::Conformant };
    Ok(exit.unless_unwritten(is_written))
}

/// The report in a file, or on standard input.
pub(super) fn opened(path: &Path) -> Result<ReportFile> {
    let name = if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() };
    let text = input::text(path, input::REPORT).with_context(|| format!("{name} cannot be read"))?;
    report::read(&text, suite::declaration).with_context(|| name)
}

/// For a terminal: a line for each difference.
fn text(comparison: &Comparison) -> String {
    let mut text = format!("{}\n", summary(comparison));
    for (name, side) in [("before", &comparison.before), ("after", &comparison.after)] {
        let RunSummary { agent, address, date, passed, failed, .. } = side;
        let line =
            format!("{agent} at {address}, {date}: {}, {passed} passed, {failed} failed", side.verdict_in_words());
        let _ = writeln!(text, "{name:<8}{}", one_line(&line, 300));
    }
    for remark in comparison::remarks(comparison) {
        let _ = writeln!(text, "note    {}", remark.replace('`', ""));
    }
    for (title, list) in
        [("newly broken", &comparison.newly_broken), ("fixed", &comparison.fixed), ("changed", &comparison.changed)]
    {
        let line = |each: &ResultDifference| {
            let outcomes = format!("{} -> {}", each.before.in_words(), each.after.in_words());
            line(&each.check, each.lane.as_deref(), &outcomes, &each.after)
        };
        section(&mut text, title, list.iter().map(line));
    }
    for (title, list) in
        [("only in the later report", &comparison.only_after), ("only in the earlier report", &comparison.only_before)]
    {
        let line = |each: &UnpairedResult| line(&each.check, each.lane.as_deref(), &each.said.in_words(), &each.said);
        section(&mut text, title, list.iter().map(line));
    }
    if !comparison.load.is_empty() {
        text.push_str("\nunder load\n");
    }
    for [name, before, after] in &comparison.load {
        let _ = writeln!(text, "  {}", one_line(&format!("{name:<44} {before:>14} {after:>14}"), 300));
    }
    text
}

/// A title, and below it these lines; nothing without any.
fn section(text: &mut String, title: &str, lines: impl Iterator<Item = String>) {
    for (place, line) in lines.enumerate() {
        let title = if place == 0 { format!("\n{title}\n") } else { String::new() };
        let _ = writeln!(text, "{title}  {line}");
    }
}

fn line(check: &str, lane: Option<&str>, outcomes: &str, said: &ComparedVerdict) -> String {
    let lane = lane.map_or_else(String::new, |lane| format!("@{lane}"));
    let message = if said.message.is_empty() { String::new() } else { format!(": {}", said.message) };
    one_line(&format!("{check}{lane} ({}) {outcomes}{message}", said.level.title()), 300)
}
