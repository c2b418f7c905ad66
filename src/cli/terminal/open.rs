//! Checks that could not be judged: each reason once, with what would let its checks run.

use super::lines::{LONGEST, Lines, PLAIN, STRONG, Span, WARNED};
use super::look::Verbosity;
use crate::engine::event::Completion;
use crate::engine::plural::count_of;
use crate::engine::prompt::Behaviour;
use crate::engine::requirement::Level;
use crate::engine::verdict::Outcome;
use crate::report::groups::{distinct, grouped};
use crate::report::headline::{capitalised, is_open};
use crate::report::text::one_line;
use crate::report::{CheckedRow, LaneReport, Report};

/// How many checks of a reason are named.
const NAMED: usize = 4;
/// The text between a reason and what would let the check run (`docs/STYLE.md`).
const WAY_OUT: &str = "; to run this check, ";

/// Why checks were not judged, where the verdict explains it.
const AS_TOLD: &str = "for the reason in the verdict";

/// Whether every interface was given up for the reason that the verdict gives, such as credentials that are missing: what is open of
/// them is open for that one reason, in however many words.
fn was_kept_out(report: &Report) -> bool {
    let Some(Completion::Incomplete(why)) = &report.completion else { return false };
    let is_given_up = |lane: &LaneReport| {
        let mut rows = report.results.iter().filter(|row| row.lane.as_ref() == Some(&lane.id));
        rows.any(|row| row.outcome == Outcome::Blocked && row.message == *why)
    };
    !report.lanes.is_empty() && report.lanes.iter().all(is_given_up)
}

/// The checks that stayed open, the gravest reasons first.
pub(super) fn open(lines: &mut Lines, report: &Report, detail: Verbosity) {
    let open: Vec<_> = report.results.iter().filter(|row| is_open(report, row)).collect();
    if open.is_empty() {
        return;
    }
    let is_explained = |row: &&CheckedRow| {
        let follows = matches!(row.outcome, Outcome::Blocked | Outcome::Inconclusive | Outcome::NotRun);
        follows && row.lane.is_some() && detail != Verbosity::Verbose && was_kept_out(report)
    };
    let (explained, open): (Vec<_>, Vec<_>) = open.into_iter().partition(is_explained);
    let all = count_of(explained.len() + open.len(), "result");
    let why = match (explained.len(), open.len()) {
        (0, _) => String::new(),
        (_, 0) => format!(": {AS_TOLD}"),
        (some, _) => format!(": {some} of them {AS_TOLD}"),
    };
    lines.gap();
    lines.spans(0, 2, &[Span::new(format!("Not judged ({all})"), STRONG), Span::new(why, PLAIN)]);
    let order =
        [Outcome::HarnessError, Outcome::Blocked, Outcome::Inconclusive, Outcome::NotObservable, Outcome::NotRun];
    for outcome in order {
        let rows = open.iter().copied().filter(|row| row.outcome == outcome);
        for group in grouped(rows, |row, first| cause(row) == cause(first)) {
            reason(lines, &group);
        }
    }
}

/// The reason of a row, without the step of the conversation that met it first: `get: no HTTP answer`.
fn cause(row: &CheckedRow) -> &str {
    let is_step = |step: &str| step.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    match row.message.split_once(": ") {
        Some((step, cause)) if row.outcome == Outcome::Blocked && is_step(step) => cause,
        _ => &row.message,
    }
}

/// A reason, its way out, and the checks that it leaves open.
fn reason(lines: &mut Lines, rows: &[&CheckedRow]) {
    let Some(first) = rows.first() else { return };
    let (why, way_out) = cause(first).split_once(WAY_OUT).unwrap_or((cause(first), ""));
    lines.spans(2, 4, &[Span::new(capitalised(&one_line(why, LONGEST)), WARNED)]);
    if !way_out.is_empty() {
        lines.pair(4, "to open", &with_option(way_out));
    }
    let musts = rows.iter().filter(|row| row.level == Level::Must).count();
    let musts = if musts == 0 { String::new() } else { format!(" ({musts} required)") };
    let mut names = distinct(rows.iter().map(|row| row.check));
    let more = names.len().saturating_sub(NAMED);
    names.truncate(NAMED);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    lines.pair(4, "leaves", &format!("{}{musts}: {}{more}", count_of(rows.len(), "result"), names.join(", ")));
}

/// The advice that would let a check run, with the option of the command line behind the name of a prompt.
fn with_option(way_out: &str) -> String {
    let named = Behaviour::ALL.into_iter().find(|behaviour| way_out.contains(&format!("\"{}\"", behaviour.as_str())));
    match named {
        Some(behaviour) => {
            let option = format!("--prompt {}=TEXT", behaviour.as_str());
            let says_no_more = way_out == format!("set the prompt \"{}\"", behaviour.as_str());
            if says_no_more { option } else { format!("{way_out}: {option}") }
        }
        None => way_out.to_owned(),
    }
}
