//! The report as GitHub-flavoured Markdown, section by section, for pull requests and step summaries: the verdict first, then what
//! to do, then everything else folded away. Whatever an agent had a hand in can neither break a table nor become markup, a link or
//! a mention.

pub mod comparison;
mod document;
pub(super) mod escape;
pub mod pair_matrix;
mod several_agents;
pub mod support_matrix;

use super::checked_row::CheckedRow;
use super::groups::grouped;
use super::headline::{causes, counts, numbers_in_words, remarks};
use super::load_figures;
use super::model::Report;
use super::reward_total::RewardTotal;
use super::text::{rfc3339, tidy_ms};
use super::tool::TOOL;
use crate::engine::check::Category;
use crate::engine::event::named_interfaces;
use crate::engine::lane_name::lane_name;
use crate::engine::plural::count;
use crate::engine::transcript::whole_ms;
use crate::engine::verdict::Outcome;
use document::{Cell, Document};
use escape::{code, ours, prose, shell_word};
pub(super) use several_agents::write_several;

/// The longest text for an issue, in bytes: people read it where they look for something else.
pub const LONGEST_ISSUE: usize = 8_000;
/// Of these so many are kept for headings and the closing lines.
const CLOSING: usize = 1_800;
/// And in them for the command: prompts may be of any length.
const LONGEST_COMMAND: usize = 700;

/// The report as Markdown.
#[must_use]
pub fn write(report: &Report) -> String {
    write_as(report, true)
}

/// The report as a text that fits an issue or a comment: the verdict, the findings, what to do about them, and how to see the rest.
#[must_use]
pub fn write_issue(report: &Report) -> String {
    write_as(report, false)
}

fn write_as(report: &Report, is_whole: bool) -> String {
    let title = format!("A2A conformance: {}", report.word.title().to_ascii_lowercase());
    let mut page = Document::titled_within(&title, if is_whole { document::MAX } else { LONGEST_ISSUE - CLOSING });
    if is_whole {
        summary(&mut page, report);
        lanes(&mut page, report);
    } else {
        page.line(format_args!("{}", ours(&counts(report), 600)));
    }
    findings(&mut page, "Required rules that are broken", report, CheckedRow::is_breach);
    findings(&mut page, "Suggestions", report, CheckedRow::is_advice);
    if is_whole {
        unsteady(&mut page, report);
        unseen(&mut page, report);
    }
    recommendations(&mut page, report);
    if is_whole {
        upgrade(&mut page, report);
        findings(&mut page, "Notes (never counted)", report, |result| result.outcome == Outcome::Note);
        everything(&mut page, report);
        environment(&mut page, report);
        load(&mut page, report);
    }
    page.section("Reproduce");
    if !is_whole {
        page.line(format_args!("The HTML and JSON reports have all results with their evidence."));
        page.gap();
    }
    let command = arguments(report);
    if is_whole || command.len() <= LONGEST_COMMAND {
        page.line(format_args!("```sh"));
        page.line(format_args!("{TOOL} check {command}"));
        page.line(format_args!("```"));
    }
    page.finish()
}

/// How long answers took under load.
fn load(page: &mut Document, report: &Report) {
    let Some(figures) = &report.load else { return };
    page.section("Under load");
    page.line(format_args!("{}", load_figures::LATENCIES_IN_WORDS));
    page.gap();
    page.head(&load_figures::COLUMNS);
    for row in load_figures::latencies(figures) {
        page.row(&row.each_ref().map(|cell| Cell::Plain(cell)));
    }
    page.foot();
}

fn summary(page: &mut Document, report: &Report) {
    page.line(format_args!("{}", ours(&counts(report), 600)));
    page.gap();
    for remark in remarks(report) {
        page.line(format_args!("- Why: {}", prose(&remark, 300)));
    }
    let agent = report.agent.as_ref();
    let version = agent.map(|agent| agent.version.as_str()).filter(|version| !version.is_empty());
    let version = version.map_or_else(String::new, |version| format!(" {}", code(version, 40)));
    page.line(format_args!(
        "- {}: {}{version} at {}",
        report.subject_title(),
        code(&report.agent_name(), 80),
        code(&report.address, 200)
    ));
    let coverage = report.coverage();
    if !coverage.is_empty() {
        page.line(format_args!("- Features: {}", prose(&coverage, 300)));
    }
    page.line(format_args!("- Results: {}", numbers_in_words(report)));
    if let Some(runs) = report.runs {
        page.line(format_args!("- Runs: {runs}, one after another"));
    }
    if !report.left_out.is_empty() {
        page.line(format_args!("- Left to a thorough run: {}", prose(&report.left_out_in_words(), 300)));
    }
    if let Some(figures) = &report.load {
        for (name, value) in load_figures::facts(figures) {
            page.line(format_args!("- Load, {}: {}", name.to_ascii_lowercase(), prose(&value, 400)));
        }
    }
    if let Some(total) = RewardTotal::from_report(report) {
        page.line(format_args!("- Reward: {total}"));
    }
    if let Some(late) = report.cold_start() {
        page.line(format_args!("- Note: {}", prose(&late, 200)));
    }
}

fn lanes(page: &mut Document, report: &Report) {
    if report.lanes.is_empty() {
        return;
    }
    page.section("Interfaces");
    page.head(&["Interface", "Binding", "Protocol version", "URL"]);
    for lane in &report.lanes {
        page.row(&[
            Cell::Code(&lane_name(&lane.id)),
            Cell::Code(&lane.binding),
            Cell::Ours(&lane.protocol_version),
            Cell::Code(&lane.url),
        ]);
    }
    page.foot();
}

fn findings(page: &mut Document, title: &str, report: &Report, wanted: fn(&CheckedRow) -> bool) {
    let causes = causes(report, wanted);
    if causes.is_empty() {
        return;
    }
    page.section(&format!("{title} ({})", causes.len()));
    page.head(&["Test", "Interface", "What it checks", "Expected", "Actual", "Specification"]);
    // The same on several interfaces stands once.
    let same = |row: &&CheckedRow, first: &&CheckedRow| {
        (&row.expected, &row.actual, &row.message) == (&first.expected, &first.actual, &first.message)
    };
    for rows in causes.into_iter().flat_map(|rows| grouped(rows, same)) {
        let Some(result) = rows.first() else { continue };
        let lanes: Vec<String> = rows.iter().map(|row| lane(row)).collect();
        page.row(&[
            Cell::Code(result.check),
            Cell::Code(&lanes.join(", ")),
            Cell::Ours(result.title),
            Cell::Prose(result.expected.as_deref().unwrap_or(&result.message)),
            Cell::Prose(result.actual.as_deref().unwrap_or_default()),
            Cell::specification(result),
        ]);
    }
    page.foot();
}

/// The results that are not the same in each of several runs, with what each run concluded.
fn unsteady(page: &mut Document, report: &Report) {
    if report.unsteady().next().is_none() {
        return;
    }
    page.section("Unsteady");
    page.line(format_args!(
        "Not the same in each of {} runs: neither passed nor failed.",
        report.runs.unwrap_or_default()
    ));
    page.gap();
    page.head(&["Test", "Interface", "What it checks", "Runs", "Result", "Exchanges", "Specification"]);
    for result in report.unsteady() {
        let lane = lane(result);
        for each in &result.of_runs {
            let exchanges: Vec<String> = each.verdict.exchanges.iter().map(u32::to_string).collect();
            page.row(&[
                Cell::Code(result.check),
                Cell::Code(&lane),
                Cell::Ours(result.title),
                Cell::Plain(&each.runs_in_words()),
                Cell::Prose(&each.said()),
                Cell::Code(&exchanges.join(", ")),
                Cell::specification(result),
            ]);
        }
    }
    page.foot();
}

/// The results that could not be judged, one row for each reason, with the way to have them judged.
fn unseen(page: &mut Document, report: &Report) {
    let order =
        [Outcome::HarnessError, Outcome::Blocked, Outcome::NotObservable, Outcome::Inconclusive, Outcome::NotRun];
    let of = |outcome| report.results.iter().filter(move |result| result.outcome == outcome);
    let groups = grouped(order.into_iter().flat_map(of), |result, first| {
        first.outcome == result.outcome && first.message == result.message
    });
    if groups.is_empty() {
        return;
    }
    page.section("Could not be judged");
    page.head(&["Results", "Why", "What would help", "Tests"]);
    for results in &groups {
        let Some(first) = results.first() else { continue };
        let keys: Vec<String> = results.iter().map(|result| result.key()).collect();
        page.row(&[
            Cell::Plain(&keys.len().to_string()),
            Cell::Prose(&first.message),
            Cell::Ours(way_out(first.outcome)),
            Cell::Code(&keys.join(", ")),
        ]);
    }
    page.foot();
}

/// The user's way to have such a result judged the next time.
#[must_use]
pub const fn way_out(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Blocked => "Resolve what the reason names, and run again.",
        Outcome::NotObservable => {
            "Use the command line, which sees what is hidden from a page, or let the agent expose it."
        }
        Outcome::Inconclusive => "Where the reason names a prompt or an option, give it.",
        Outcome::Unsteady => "Compare what the runs saw: the same agent answered them differently.",
        Outcome::NotRun => "Run the whole suite to its end.",
        Outcome::HarnessError => "This is a bug in the checker: please report it with this file.",
        Outcome::Pass | Outcome::Fail | Outcome::Note | Outcome::NotApplicable => "",
    }
}

fn recommendations(page: &mut Document, report: &Report) {
    if report.recommendations.is_empty() {
        return;
    }
    page.section("Recommendations");
    page.head(&["Test", "Category", "Message", "Recommendation"]);
    for item in &report.recommendations {
        page.row(&[
            Cell::Code(item.test),
            Cell::Plain(item.category.as_str()),
            Cell::Prose(&item.message),
            Cell::Advice(&item.recommendation),
        ]);
    }
    page.foot();
}

fn upgrade(page: &mut Document, report: &Report) {
    let Some(upgrade) = &report.upgrade else { return };
    page.open(&format!("From version {} to {}", upgrade.from, upgrade.to));
    page.gap();
    page.line(format_args!("Not a failure, but what the next version of the protocol would require:"));
    page.gap();
    for change in &upgrade.changes {
        page.line(format_args!("- {} ({})", prose(&change.what, 1_000), change.section));
    }
    page.close();
}

fn everything(page: &mut Document, report: &Report) {
    if report.results.is_empty() {
        return;
    }
    page.open(&format!("All {}", count(report.tally.total, "result")));
    for category in Category::ALL {
        let rows: Vec<&CheckedRow> = report.results.iter().filter(|result| result.category == category).collect();
        if rows.is_empty() {
            continue;
        }
        page.gap();
        page.line(format_args!("#### {}", category.title()));
        page.gap();
        page.head(&["Test", "Interface", "Rule", "Result", "Message"]);
        for result in rows {
            let lane = lane(result);
            page.row(&[
                Cell::Code(result.check),
                Cell::Code(&lane),
                Cell::Plain(result.level_in_words()),
                Cell::Plain(result.in_words()),
                Cell::Prose(&result.message),
            ]);
        }
        page.foot();
    }
    page.close();
}

fn environment(page: &mut Document, report: &Report) {
    page.open("Environment");
    page.gap();
    page.line(format_args!(
        "- Tool: {TOOL} {}, {}",
        ours(&report.environment.tool_version, 40),
        prose(&report.environment.host, 40)
    ));
    page.line(format_args!("- Requirement set: {}", code(&report.suite, 80)));
    for remark in &report.connection.remarks {
        page.line(format_args!("- Connection: {}", prose(remark, 300)));
    }
    if let Some(user_agent) = &report.environment.user_agent {
        page.line(format_args!("- Browser: {}", code(user_agent, 200)));
    }
    if let Some(started) = report.started_ms {
        page.line(format_args!("- Started: {}", rfc3339(started)));
    }
    let tenths = whole_ms(tidy_ms(report.duration_ms) / 100.0);
    page.line(format_args!("- Duration: {}.{} s", tenths / 10, tenths % 10));
    page.line(format_args!("- Requests: {}", report.exchanges.len()));
    if let Some(agent) = &report.agent {
        page.line(format_args!("- Card: {}", code(&agent.card_url, 200)));
        page.line(format_args!("- Prompts: {}", code(&agent.profile, 40)));
        if !agent.detected.0.is_empty() {
            page.line(format_args!("- Speaks: {}", code(&agent.speaks(), 200)));
        }
        for (name, why) in named_interfaces(&agent.silent_interfaces) {
            page.line(format_args!("- Not checked: {}, {}", code(&name, 160), prose(&why, 160)));
        }
    }
    page.close();
}

/// The arguments of the command line for the same run, but for credentials, trusted keys and limits of time.
pub(super) fn arguments(report: &Report) -> String {
    let settings = &report.settings;
    let address = shell_word(&report.address);
    let mut text = match (settings.source, report.lanes.first()) {
        ("card", _) => format!("--card {address}"),
        ("endpoint", Some(lane)) => {
            format!("--endpoint {address} --binding {}", shell_word(&lane.binding.to_ascii_lowercase()))
        }
        _ => address,
    };
    let mut add = |option: &str, value: &str| {
        text.push_str(option);
        text.push_str(&shell_word(value));
    };
    settings.version.iter().for_each(|version| add(" --protocol-version ", version));
    settings.profile.iter().for_each(|profile| add(" --profile ", profile));
    settings.only.iter().for_each(|pattern| add(" --only ", pattern));
    if settings.thorough {
        add(" --thorough", "");
    }
    settings.interfaces.iter().for_each(|most| add(" --interfaces ", &most.to_string()));
    if settings.repeat > 1 {
        add(" --repeat ", &settings.repeat.to_string());
    }
    if let Some(figures) = &report.load {
        add(" --load ", &format!("{}s", figures.duration_ms / 1000.0));
        add(" --rate ", &figures.rate.to_string());
        add(" --load-conversations ", &figures.conversations_at_once.to_string());
    }
    settings.skills.iter().for_each(|skill| add(" --skill ", skill));
    settings.prompts.iter().for_each(|(name, prompt)| add(" --prompt ", &format!("{name}={prompt}")));
    text
}

/// The interface as people name it.
fn lane(result: &CheckedRow) -> String {
    result.lane.as_deref().map(lane_name).unwrap_or_default()
}
