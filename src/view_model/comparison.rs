//! The words for the differences between two runs, and which results are listed as fixed, newly broken, changed otherwise, or in
//! one run only.

use super::format;
use super::text_table::TextTable;
use crate::engine::lane_name::lane_name;
use crate::report::comparison::{ComparedVerdict, ResultDifference, UnpairedResult};
use crate::report::groups::distinct;
use crate::report::{self, RunSummary};
use crate::view_model::binary_encoding::binary_encoding;
use crate::wire::timestamp;

/// The difference of two runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparisonView {
    /// The earlier run.
    pub before: String,
    /// The later run.
    pub after: String,
    /// A caution that a reader should know before trusting it.
    pub notes: Vec<String>,
    /// The differences, those that matter most first; empty groups are left out.
    pub groups: Vec<ChangeGroup>,
    /// How much is the same.
    pub unchanged: String,
    /// The figures of two loads side by side, if one of them was a load.
    pub load: Option<TextTable>,
}

binary_encoding! { struct ComparisonView { before, after, notes, groups, unchanged, load } }

/// Differences of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeGroup {
    /// `fixed`, `broken`, `changed`, `gone`, `new`.
    pub id: String,
    /// The kind of change.
    pub title: String,
    /// The rows.
    pub lines: Vec<ChangeLine>,
}

binary_encoding! { struct ChangeGroup { id, title, lines } }

/// A row that is different.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeLine {
    /// The row's key.
    pub key: String,
    /// The title of the check, with its lane.
    pub title: String,
    /// The results before and after: `pass → fail`.
    pub change: String,
    /// Why it is what it is now; else empty.
    pub message: String,
}

binary_encoding! { struct ChangeLine { key, title, change, message } }

impl ComparisonView {
    /// A comparison as the page shows it; `title` knows checks by their ids.
    #[must_use]
    pub fn new(comparison: &report::Comparison, title: &dyn Fn(&str) -> Option<String>) -> Self {
        let name = |check: &str, lane: Option<&str>| {
            let title = title(check).unwrap_or_else(|| check.to_owned());
            lane.map_or_else(|| title.clone(), |lane| format!("{title} ({})", lane_name(lane)))
        };
        let line = |check: &str, lane: Option<&str>, change: String, now: &ComparedVerdict| ChangeLine {
            key: lane.map_or_else(|| check.to_owned(), |lane| format!("{check}@{lane}")),
            title: name(check, lane),
            change,
            message: now.message.clone(),
        };
        let differences = |list: &[ResultDifference]| {
            let change =
                |each: &ResultDifference| format!("{} \u{2192} {}", each.before.in_words(), each.after.in_words());
            let lines = list.iter().map(|each| line(&each.check, each.lane.as_deref(), change(each), &each.after));
            lines.collect::<Vec<_>>()
        };
        let singles = |list: &[UnpairedResult]| {
            let lines =
                list.iter().map(|each| line(&each.check, each.lane.as_deref(), each.said.in_words(), &each.said));
            lines.collect::<Vec<_>>()
        };
        let groups = [
            ("broken", "Newly broken", differences(&comparison.newly_broken)),
            ("fixed", "Fixed", differences(&comparison.fixed)),
            ("changed", "Changed in other ways", differences(&comparison.changed)),
            ("new", "Only in the later run", singles(&comparison.only_after)),
            ("gone", "Only in the earlier run", singles(&comparison.only_before)),
        ];
        let group = |(id, title, lines): (&str, &str, Vec<ChangeLine>)| {
            let title = format!("{title}: {}", lines.len());
            (!lines.is_empty()).then(|| ChangeGroup { id: id.to_owned(), title, lines })
        };
        Self {
            before: side(&comparison.before),
            after: side(&comparison.after),
            notes: notes(comparison),
            groups: groups.into_iter().filter_map(group).collect(),
            unchanged: match comparison.unchanged {
                1 => "1 result is the same in both.".to_owned(),
                same => format!("{same} results are the same in both."),
            },
            load: (!comparison.load.is_empty()).then(|| {
                let mut table = TextTable::new("compared-load", "Loads compared", &["Figure", "Earlier", "Later"]);
                comparison.load.iter().for_each(|row| table.push(row.clone()));
                table
            }),
        }
    }

    /// The same beside a verdict, by checks: `Since your last run of this agent: 2 fixed, 1 newly broken`.
    #[must_use]
    pub fn since_the_last(&self) -> String {
        let number = |(id, words): (&str, &str)| {
            let group = self.groups.iter().find(|group| group.id == id)?;
            let checks = distinct(group.lines.iter().map(|line| line.key.split('@').next().unwrap_or_default()));
            Some(format!("{} {words}", checks.len()))
        };
        let kinds = [("fixed", "fixed"), ("broken", "newly broken"), ("changed", "changed in other ways")];
        let numbers: Vec<String> = kinds.into_iter().filter_map(number).collect();
        let numbers = if numbers.is_empty() { "nothing changed".to_owned() } else { numbers.join(", ") };
        format!("Since your last run of this agent: {numbers}")
    }

    /// The message for screen readers: `Newly broken: 1, Fixed: 2. 440 results are the same in both.`
    #[must_use]
    pub fn spoken(&self) -> String {
        let groups: Vec<&str> = self.groups.iter().map(|group| group.title.as_str()).collect();
        let groups = if groups.is_empty() { "Nothing is different".to_owned() } else { groups.join(", ") };
        format!("{groups}. {}", self.unchanged)
    }
}

fn notes(comparison: &report::Comparison) -> Vec<String> {
    let mut notes = Vec::new();
    if !comparison.is_same_address() {
        let (before, after) = (&comparison.before.address, &comparison.after.address);
        notes.push(format!("These are runs of two agents: {before} and {after}."));
    }
    if !comparison.is_same_suite() {
        notes.push("Two versions of the checker made them, so a difference may be the checker\u{2019}s.".to_owned());
    }
    for (which, side) in [("earlier", &comparison.before), ("later", &comparison.after)] {
        if let Some(why) = &side.incomplete {
            notes.push(format!("The {which} run is incomplete: {why}."));
        }
    }
    notes
}

/// `21 Nov 2026, 00:31 UTC: Not conformant, 3 failed`.
fn side(side: &RunSummary) -> String {
    let verdict = match side.verdict {
        Some(_) => format::capitalised(&side.verdict_in_words()),
        None => "no verdict".to_owned(),
    };
    // Whole seconds of this century are exact in a double.
    let date = timestamp::parse(&side.date).map(|(seconds, _)| format::date(seconds as f64 * 1000.0));
    let date = date.unwrap_or_else(|| side.date.clone());
    format!("{date}: {verdict}, {} passed, {} failed", side.passed, side.failed)
}
