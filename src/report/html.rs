//! The report as one HTML file, section by section, styled by `html/style.css`: no script, nothing from anywhere else, links within
//! the file. Whatever an agent had a hand in is text.

mod evidence;
pub mod pair_matrix;
pub mod support_matrix;
mod tags;

use super::checked_row::CheckedRow;
use super::groups::{distinct, grouped};
use super::headline::{causes, counts, is_open, numbers, remarks};
use super::level::LaneReport;
use super::load_figures;
use super::model::Report;
use super::text::{rfc3339, tidy_ms};
use super::tool::TOOL;
use crate::engine::check::Category;
use crate::engine::event::named_interfaces;
use crate::engine::lane_name::lane_name;
use crate::engine::plural::{count, count_of};
use crate::engine::requirement::Level;
use crate::engine::transcript::whole_ms;
use crate::engine::verdict::Outcome;
use tags::HtmlWriter;

/// Nothing is loaded, run or sent; the style sheet is in the file.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
const STYLE: &str = include_str!("html/style.css");

/// The report as an HTML file.
#[must_use]
pub fn write(report: &Report) -> String {
    let mut page = HtmlWriter::default();
    let title = format!("A2A conformance of {}: {}", report.agent_name(), report.word.title().to_ascii_lowercase());
    page.begin(&title, POLICY, STYLE);
    page.raw("<header>\n");
    page.element("h1", "", &format!("A2A conformance: {}", report.word.title().to_ascii_lowercase()));
    page.element("p", "", &counts(report));
    for remark in remarks(report) {
        page.element("p", "", &remark);
    }
    tally(&mut page, report);
    let sections = sections(report);
    page.raw("<nav aria-label=\"Contents\">\n<ul>\n");
    for section in &sections {
        page.raw("<li>");
        page.link(&format!("#{}", section.id), &section.title);
        page.raw("</li>\n");
    }
    page.raw("</ul>\n</nav>\n</header>\n<main>\n");
    for section in &sections {
        page.raw(&format!("<section id=\"{}\">\n", section.id));
        page.element("h2", "", &section.title);
        (section.write)(&mut page, report);
        page.raw("</section>\n");
    }
    page.raw("</main>\n</body>\n</html>\n");
    page.finish()
}

/// A part of the file, which the contents lead to.
struct Section {
    id: &'static str,
    title: String,
    /// Writes what is below the heading.
    write: fn(&mut HtmlWriter, &Report),
}

/// The sections that have something in them.
fn sections(report: &Report) -> Vec<Section> {
    let mut sections = vec![Section { id: "agent", title: "Agent and run".to_owned(), write: facts }];
    let mut add = |id, number: usize, title: &str, write: fn(&mut HtmlWriter, &Report)| {
        if number > 0 {
            sections.push(Section { id, title: format!("{title} ({number})"), write });
        }
    };
    let number = |wanted: fn(&CheckedRow) -> bool| causes(report, wanted).len();
    add("musts", number(CheckedRow::is_breach), "Required rules that are broken", |page, report| {
        findings(page, report, "fail", CheckedRow::is_breach);
    });
    add("advice", number(CheckedRow::is_advice), "Suggestions", |page, report| {
        findings(page, report, "advice", CheckedRow::is_advice);
    });
    add("unsteady", number(is_unsteady), "Unsteady: not the same in each run", |page, report| {
        findings(page, report, "advice", is_unsteady);
    });
    let open_rows = report.results.iter().filter(|row| is_open(report, row)).count();
    add("open", open_rows, "Could not be judged", open);
    add("notes", number(is_note), "Notes, which never count", |page, report| findings(page, report, "note", is_note));
    if let Some(upgrade) = &report.upgrade {
        let title = format!("From version {} to {}", upgrade.from, upgrade.to);
        sections.push(Section { id: "upgrade", title, write: changes });
    }
    if !report.results.is_empty() {
        let title = format!("All {}", count(report.tally.total, "result"));
        sections.push(Section { id: "all", title, write: everything });
    }
    let cited = evidence::cited(report).len();
    if cited > 0 {
        let title = format!("Exchanges behind the findings ({cited})");
        sections.push(Section { id: "exchanges", title, write: evidence::exchanges });
    }
    sections
}

fn is_note(result: &CheckedRow) -> bool {
    result.outcome == Outcome::Note
}

fn is_unsteady(result: &CheckedRow) -> bool {
    result.outcome == Outcome::Unsteady
}

/// The counts, for people and, by their names, for programs.
fn tally(page: &mut HtmlWriter, report: &Report) {
    page.raw("<ul class=\"counts\">\n");
    for (name, number, words) in std::iter::once(("total", report.results.len(), "results")).chain(numbers(report)) {
        page.raw(&format!("<li data-count=\"{name}\"><b>{number}</b> {words}</li>\n"));
    }
    page.raw("</ul>\n");
}

fn facts(page: &mut HtmlWriter, report: &Report) {
    let agent = report.agent.as_ref();
    page.raw("<dl>\n");
    page.fact(report.subject_title(), &report.agent_name());
    page.fact("Version of the agent", agent.map_or("", |agent| &agent.version));
    page.fact("Address", &report.address);
    page.fact("Card", agent.map_or("", |agent| &agent.card_url));
    page.fact("Speaks", &agent.map_or_else(String::new, crate::engine::event::Agent::speaks));
    page.fact("Features", &report.coverage());
    for (interface, why) in named_interfaces(agent.map_or(&[][..], |agent| &agent.silent_interfaces)) {
        page.fact("Not checked", &format!("{interface}: {why}"));
    }
    page.fact("Runs", &report.runs.map(|runs| format!("{runs}, one after another")).unwrap_or_default());
    page.fact("Left to a thorough run", &report.left_out_in_words());
    if let Some(figures) = &report.load {
        for (name, value) in load_figures::facts(figures) {
            page.fact(&format!("Load: {}", name.to_ascii_lowercase()), &value);
        }
    }
    page.fact("Note", &report.cold_start().unwrap_or_default());
    page.fact("Started", &report.started_ms.map(rfc3339).unwrap_or_default());
    let tenths = whole_ms(tidy_ms(report.duration_ms) / 100.0);
    let requests = count_of(report.exchanges.len(), "request");
    page.fact("Duration", &format!("{}.{} s, {requests}", tenths / 10, tenths % 10));
    let environment = &report.environment;
    page.fact("Checked by", &format!("{TOOL} {}, {}", environment.tool_version, environment.host));
    for remark in &report.connection.remarks {
        page.fact("Connection", remark);
    }
    page.fact("Browser", environment.user_agent.as_deref().unwrap_or_default());
    page.fact("Requirement set", &report.suite);
    page.raw("</dl>\n");
    if let Some(figures) = &report.load {
        page.text_table(load_figures::COLUMNS, &[], &load_figures::latencies(figures));
        page.raw(&format!("<p>{}</p>\n", load_figures::LATENCIES_IN_WORDS));
    }
    if report.lanes.is_empty() {
        return;
    }
    let lane = |lane: &LaneReport| {
        let LaneReport { id, binding, protocol_version, url, .. } = lane.clone();
        [id, binding, protocol_version, url]
    };
    let lanes: Vec<_> = report.lanes.iter().map(lane).collect();
    page.text_table(["Interface", "Binding", "Version", "URL"], &[0, 1, 3], &lanes);
}

/// The findings of a kind: an article for each check, and in it what was seen on each interface, once where it is the same.
fn findings(page: &mut HtmlWriter, report: &Report, class: &str, wanted: fn(&CheckedRow) -> bool) {
    for rows in causes(report, wanted) {
        let Some(first) = rows.first() else { continue };
        page.raw(&format!("<article id=\"{}\" class=\"{class}\">\n", anchor(report, first)));
        page.element("h3", "", first.title);
        page.element("p", "dim", &format!("{} · {}", first.check, first.level_in_words()));
        let same = |row: &&CheckedRow, first: &&CheckedRow| {
            (&row.expected, &row.actual, &row.message) == (&first.expected, &first.actual, &first.message)
                && row.of_runs.is_empty()
        };
        for rows in grouped(rows.iter().copied(), same) {
            observed(page, report, &rows);
        }
        page.raw("<dl>\n");
        let same =
            |row: &&CheckedRow, first: &&CheckedRow| (&row.remediation, &row.spec) == (&first.remediation, &first.spec);
        for rows in grouped(rows.iter().copied(), same) {
            let Some(first) = rows.first() else { continue };
            page.fact("Fix", first.remediation.as_deref().unwrap_or_default());
            page.raw("<dt>Specification</dt><dd>");
            specification(page, first);
            page.raw("</dd>\n");
        }
        page.raw("</dl>\n</article>\n");
    }
}

/// The name of the article that a result stands in: that of the first result of its check and kind.
fn anchor(report: &Report, row: &CheckedRow) -> String {
    let is_same = |other: &CheckedRow| (other.check, other.in_words()) == (row.check, row.in_words());
    let place = report.results.iter().position(is_same).unwrap_or_default();
    format!("r{}", place + 1)
}

/// What was seen on some interfaces, the same on each.
fn observed(page: &mut HtmlWriter, report: &Report, rows: &[&CheckedRow]) {
    let Some(first) = rows.first() else { return };
    page.raw("<dl>\n");
    let lanes: Vec<String> = rows.iter().filter_map(|row| row.lane.as_deref().map(lane_name)).collect();
    page.fact("Interface", &if lanes.is_empty() { "agent card".to_owned() } else { lanes.join(", ") });
    match &first.expected {
        Some(expected) => page.fact("Expected", expected),
        None => page.fact("Found", &first.message),
    }
    page.fact("Received", first.actual.as_deref().unwrap_or_default());
    page.fact("Where", &distinct(rows.iter().filter_map(|row| row.pointer.as_deref())).join(", "));
    for each in &first.of_runs {
        let exchanges: Vec<String> = each.verdict.exchanges.iter().map(|id| format!("#{id}")).collect();
        let exchanges = if exchanges.is_empty() { String::new() } else { format!(" ({})", exchanges.join(", ")) };
        page.fact(&each.runs_in_words(), &format!("{}{exchanges}", each.said()));
    }
    let known = |id: &&u32| report.exchanges.iter().any(|exchange| exchange.id == **id);
    let recorded: Vec<&u32> = rows.iter().flat_map(|row| &row.exchanges).filter(known).collect();
    if !recorded.is_empty() {
        page.raw("<dt>Exchanges</dt><dd>");
        for id in recorded {
            page.link(&format!("#x{id}"), &format!("#{id}"));
            page.raw(" ");
        }
        page.raw("</dd>\n");
    }
    page.raw("</dl>\n");
}

fn specification(page: &mut HtmlWriter, result: &CheckedRow) {
    match &result.spec_url {
        Some(url) => page.link(url, &result.spec),
        None => page.text(&result.spec),
    }
}

fn open(page: &mut HtmlWriter, report: &Report) {
    page.table(&["Check", "Interface", "Rule", "Why"]);
    for result in report.results.iter().filter(|result| is_open(report, result)) {
        page.raw("<tr>");
        page.code_cell(result.check);
        page.code_cell(result.lane.as_deref().unwrap_or_default());
        page.cell(result.level_in_words());
        page.cell(&result.message);
        page.raw("</tr>\n");
    }
    page.end_table();
}

fn changes(page: &mut HtmlWriter, report: &Report) {
    page.raw("<p>Not a failure, but what the next version of the protocol would require:</p>\n<ul>\n");
    for change in report.upgrade.iter().flat_map(|upgrade| &upgrade.changes) {
        page.element("li", "", &format!("{} ({})", change.what, change.section));
    }
    page.raw("</ul>\n");
}

fn everything(page: &mut HtmlWriter, report: &Report) {
    for category in Category::ALL {
        let rows = || report.results.iter().filter(|result| result.category == category);
        if rows().next().is_none() {
            continue;
        }
        page.element("h3", "", category.title());
        page.table(&["Check", "Title", "Interface", "Rule", "Result", "Specification"]);
        for result in rows() {
            let (class, word) = (class(result), result.in_words());
            page.raw(&format!("<tr data-status=\"{}\">", result.outcome.status().as_str()));
            page.code_cell(result.check);
            page.cell(result.title);
            page.code_cell(result.lane.as_deref().unwrap_or_default());
            page.cell(result.level_in_words());
            page.raw(&format!("<td class=\"{class}\">"));
            // Every finding has an article of its own.
            if matches!(result.outcome, Outcome::Fail | Outcome::Note | Outcome::Unsteady) {
                page.link(&format!("#{}", anchor(report, result)), word);
            } else {
                page.text(word);
            }
            page.raw("</td><td>");
            specification(page, result);
            page.raw("</td></tr>\n");
        }
        page.end_table();
    }
}

const fn class(result: &CheckedRow) -> &'static str {
    match result.outcome {
        Outcome::Pass | Outcome::Note => "pass",
        Outcome::Fail if matches!(result.level, Level::Must) => "fail",
        Outcome::Fail | Outcome::Unsteady => "advice",
        _ => "dim",
    }
}
