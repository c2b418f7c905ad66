//! A comparison of two reports as Markdown, for a pull request, and the words for its outcomes, which the terminal shows too.

use super::document::{Cell, Document};
use super::escape::{code, prose};
use crate::engine::plural::count_of;
use crate::report::comparison::{Comparison, ResultDifference, UnpairedResult};

/// The comparison as Markdown.
#[must_use]
pub fn write(comparison: &Comparison) -> String {
    let mut page = Document::titled(&format!("A2A conformance: {}", summary(comparison)));
    page.head(&["Report", "Agent", "Address", "Date", "Verdict", "Passed", "Failed", "Requirement set"]);
    for (name, side) in [("before", &comparison.before), ("after", &comparison.after)] {
        page.row(&[
            Cell::Plain(name),
            Cell::Code(&side.agent),
            Cell::Code(&side.address),
            Cell::Code(&side.date),
            Cell::Plain(&side.verdict_in_words()),
            Cell::Plain(&side.passed.to_string()),
            Cell::Plain(&side.failed.to_string()),
            Cell::Code(&side.suite),
        ]);
    }
    page.foot();
    for remark in remarks(comparison) {
        page.gap();
        page.line(format_args!("{remark}"));
    }
    differences(&mut page, "Newly broken", &comparison.newly_broken);
    differences(&mut page, "Fixed", &comparison.fixed);
    differences(&mut page, "Changed", &comparison.changed);
    singles(&mut page, "Only in the later report", &comparison.only_after);
    singles(&mut page, "Only in the earlier report", &comparison.only_before);
    load(&mut page, comparison);
    page.finish()
}

/// The figures of the two loads, if there are any.
fn load(page: &mut Document, comparison: &Comparison) {
    if comparison.load.is_empty() {
        return;
    }
    page.section("Under load");
    page.head(&["Figure", "Before", "After"]);
    for row in &comparison.load {
        page.row(&row.each_ref().map(|cell| Cell::Prose(cell)));
    }
    page.foot();
}

/// `2 fixed, 1 newly broken, 3 changed, 200 unchanged`.
#[must_use]
pub fn summary(comparison: &Comparison) -> String {
    let parts = [
        (comparison.newly_broken.len(), "newly broken"),
        (comparison.fixed.len(), "fixed"),
        (comparison.changed.len(), "changed"),
        (comparison.only_after.len(), "only in the later report"),
        (comparison.only_before.len(), "only in the earlier report"),
    ];
    let parts: Vec<String> =
        parts.iter().filter(|(number, _)| *number > 0).map(|(number, words)| format!("{number} {words}")).collect();
    let same = format!("{} unchanged", comparison.unchanged);
    if parts.is_empty() { format!("no difference, {same}") } else { format!("{}, {same}", parts.join(", ")) }
}

/// Differences in set-up that make two reports harder to compare.
#[must_use]
pub fn remarks(comparison: &Comparison) -> Vec<String> {
    let mut remarks = Vec::new();
    if !comparison.is_same_suite() {
        remarks.push(format!(
            "The reports were judged by different requirement sets ({} and {}, of versions {} and {}): a difference may \
             come from the checker.",
            code(&comparison.before.suite, 80),
            code(&comparison.after.suite, 80),
            code(&comparison.before.tool_version, 40),
            code(&comparison.after.tool_version, 40),
        ));
    }
    if !comparison.is_same_address() {
        remarks.push("The reports are of different addresses.".to_owned());
    }
    for (name, side) in [("earlier", &comparison.before), ("later", &comparison.after)] {
        if let Some(why) = &side.incomplete {
            remarks.push(format!("The {name} run is not a whole one: {}.", prose(why, 300)));
        }
    }
    remarks
}

fn differences(page: &mut Document, title: &str, list: &[ResultDifference]) {
    if list.is_empty() {
        return;
    }
    page.section(&format!("{title}: {}", count_of(list.len(), "result")));
    page.head(&["Test", "Interface", "Before", "After", "What the later report says"]);
    for each in list {
        page.row(&[
            Cell::Code(&each.check),
            Cell::Code(each.lane.as_deref().unwrap_or_default()),
            Cell::Prose(&each.before.in_words()),
            Cell::Prose(&each.after.in_words()),
            Cell::Prose(&each.after.message),
        ]);
    }
    page.foot();
}

fn singles(page: &mut Document, title: &str, list: &[UnpairedResult]) {
    if list.is_empty() {
        return;
    }
    page.open(&format!("{title}: {}", count_of(list.len(), "result")));
    page.gap();
    page.head(&["Test", "Interface", "Rule", "Result", "Message"]);
    for each in list {
        page.row(&[
            Cell::Code(&each.check),
            Cell::Code(each.lane.as_deref().unwrap_or_default()),
            Cell::Plain(each.said.level.title()),
            Cell::Prose(&each.said.in_words()),
            Cell::Prose(&each.said.message),
        ]);
    }
    page.foot();
    page.close();
}
