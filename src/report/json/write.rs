//! Writes the file from the view of the run. The shape is the one by which a file is read again;
//! `docs/report-v1.schema.json` holds it.

use std::rc::Rc;

use super::words::{CATEGORIES, SCHEMA_VERSION, completion_word};
use crate::engine::event::{Agent, LeftOut, Tally};
use crate::engine::run_settings::RunSettings;
use crate::engine::upgrade::Upgrade;
use crate::engine::verdict::VerdictOfRuns;
use crate::report::checked_row::CheckedRow;
use crate::report::connection::{Connection, PageAccess};
use crate::report::headline::{headline, incomplete};
use crate::report::json_writer::JsonWriter;
use crate::report::level::{Assessment, LaneReport};
use crate::report::load_figures;
use crate::report::model::Report;
use crate::report::recording;
use crate::report::reward_total::RewardTotal;
use crate::report::spec_links;
use crate::report::text::rfc3339;
use crate::report::tool::TOOL;

/// The report as a file's text: two spaces of indentation, LF, a trailing newline; the same report always gives the
/// same text.
#[must_use]
pub fn write(report: &Report) -> String {
    write_to(JsonWriter::default(), report)
}

/// The same with every recorded byte, from which other formats are made.
#[must_use]
pub fn write_whole(report: &Report) -> String {
    write_to(JsonWriter::whole(), report)
}

fn write_to(mut writer: JsonWriter, report: &Report) -> String {
    write_as(&mut writer, "", report);
    writer.finish() + "\n"
}

/// The report as a member of that name, or as the whole text.
pub(crate) fn write_as(w: &mut JsonWriter, name: &str, report: &Report) {
    w.open(name, '{');
    w.number("schemaVersion", SCHEMA_VERSION);
    tool(w, report);
    connection(w, &report.connection);
    requirement_set(w, report);
    agent(w, report);
    left_out(w, &report.left_out);
    load_figures::write(w, report);
    if let Some(runs) = report.runs {
        w.number("runs", u64::from(runs));
    }
    settings(w, &report.settings);
    course(w, report);
    w.open("lanes", '[');
    for each in &report.lanes {
        lane(w, report, each);
    }
    w.close(']');
    summary(w, &report.tally);
    rewards(w, report);
    categories(w, report);
    level(w, "conformanceLevel", report, &report.assessment);
    w.text("capabilities", &report.coverage());
    recommendations(w, report);
    if let Some(each) = &report.upgrade {
        upgrade(w, each);
    }
    agents(w, "agents", &report.agents);
    agents(w, "clients", &report.clients);
    w.open("exchanges", '[');
    for exchange in &report.exchanges {
        recording::write(w, exchange);
    }
    w.close(']');
    w.close('}');
}

/// The two agents of a report about both, or an agent's client, each with its own report.
fn agents(w: &mut JsonWriter, member: &str, agents: &[Rc<Report>]) {
    if agents.is_empty() {
        return;
    }
    w.open(member, '[');
    for agent in agents {
        w.open("", '{');
        w.text("address", &agent.address);
        w.text("name", &agent.agent_name());
        w.text("verdict", agent.word.as_str());
        w.text("headline", &headline(agent));
        summary(w, &agent.tally);
        write_as(w, "report", agent);
        w.close('}');
    }
    w.close(']');
}

/// The program that judged.
fn tool(w: &mut JsonWriter, report: &Report) {
    w.open("tool", '{');
    w.text("name", TOOL);
    w.text("version", &report.environment.tool_version);
    w.text("suite", &report.suite);
    w.text("host", &report.environment.host);
    w.maybe("userAgent", report.environment.user_agent.as_deref());
    w.close('}');
}

/// How the agent was reached, where the host knows it.
fn connection(w: &mut JsonWriter, connection: &Connection) {
    if *connection == Connection::default() {
        return;
    }
    w.open("connection", '{');
    texts(w, "remarks", &connection.remarks);
    w.flag("insecure", connection.is_insecure);
    texts(w, "proxies", &connection.proxies);
    if let Some(access) = &connection.page {
        page_access(w, access);
    }
    w.open("certificates", '[');
    for each in &connection.certificates {
        w.open("", '{');
        w.text("host", &each.host);
        w.flag("trusted", each.is_trusted);
        w.flag("expired", each.days_left < 0);
        w.number("daysLeft", u64::try_from(each.days_left).unwrap_or_default());
        w.open("chain", '[');
        for link in &each.chain {
            w.open("", '{');
            w.text("subject", &link.subject);
            w.text("issuer", &link.issuer);
            w.text("notBefore", &link.not_before);
            w.text("notAfter", &link.not_after);
            w.close('}');
        }
        w.close(']');
        w.close('}');
    }
    w.close(']');
    w.close('}');
}

/// What a page meets on its way to the agent.
fn page_access(w: &mut JsonWriter, access: &PageAccess) {
    w.open("page", '{');
    w.text("origin", &access.origin);
    records(w, "stages", &["stage", "title", "state", "inWords"], &access.stages);
    w.open("obstacles", '[');
    for obstacle in &access.obstacles {
        w.open("", '{');
        w.text("reason", &obstacle.reason);
        w.text("title", &obstacle.title);
        w.text("meaning", &obstacle.meaning);
        w.text("remedy", &obstacle.remedy);
        w.text("url", &obstacle.url);
        texts(w, "observed", &obstacle.observed);
        texts(w, "causes", &obstacle.causes);
        w.close('}');
    }
    w.close(']');
    records(w, "fixes", &["stack", "place", "text"], &access.fixes);
    w.close('}');
}

/// A list of objects that have texts only.
fn records<const N: usize>(w: &mut JsonWriter, name: &str, members: &[&str; N], list: &[[String; N]]) {
    w.open(name, '[');
    for each in list {
        w.open("", '{');
        members.iter().zip(each).for_each(|(member, text)| w.text(member, text));
        w.close('}');
    }
    w.close(']');
}

/// The agent that was judged, and the version whose rules were used.
fn agent(w: &mut JsonWriter, report: &Report) {
    if report.is_of_client() {
        w.text("subject", "client");
    }
    w.text("agentUrl", &report.address);
    w.text("agentName", &report.agent_name());
    w.text("agentVersion", report.agent.as_ref().map_or("", |agent| &agent.version));
    if let Some((version, why)) = report.agent.as_ref().map(|agent| &agent.detected) {
        w.open("detected", '{');
        w.text("version", version);
        w.text("why", why);
        w.close('}');
    }
    if let Some(agent) = &report.agent {
        of_card(w, agent);
    }
}

/// When the run was, how it ended, and the verdict.
fn course(w: &mut JsonWriter, report: &Report) {
    w.text("testDate", &rfc3339(report.started_ms.unwrap_or_default()));
    w.ms("duration_ms", report.duration_ms);
    w.text("verdict", report.word.as_str());
    w.text("headline", &headline(report));
    w.text("completion", completion_word(report.completion.as_ref()));
    w.maybe("cause", report.cause.as_deref());
    w.maybe("incomplete", incomplete(report).as_deref());
}

/// What tests that a user wrote have earned, if they earn something.
fn rewards(w: &mut JsonWriter, report: &Report) {
    let Some(total) = RewardTotal::of(report) else { return };
    w.open("rewards", '{');
    w.size("tests", total.tests);
    w.decimal("sum", total.earned);
    w.decimal("worth", total.worth);
    w.decimal("mean", total.mean());
    w.close('}');
}

fn summary(w: &mut JsonWriter, tally: &Tally) {
    w.open("summary", '{');
    for (name, count) in [
        ("total", tally.total),
        ("passed", tally.passed),
        ("failed", tally.failed),
        ("skipped", tally.skipped),
        ("failedRequired", tally.failed_required),
        ("failedAdvisory", tally.failed_advisory),
        ("inconclusive", tally.inconclusive),
        ("blocked", tally.blocked),
    ] {
        w.number(name, count.into());
    }
    if tally.unsteady > 0 {
        w.number("unsteady", u64::from(tally.unsteady));
    }
    w.close('}');
}

/// The results, by category. A result's number is its place in the plan.
fn categories(w: &mut JsonWriter, report: &Report) {
    w.open("categories", '{');
    for (name, category) in CATEGORIES {
        w.open(name, '[');
        for (number, each) in report.results.iter().enumerate() {
            if each.category == category {
                result(w, number + 1, each);
            }
        }
        w.close(']');
    }
    w.close('}');
}

fn recommendations(w: &mut JsonWriter, report: &Report) {
    w.open("recommendations", '[');
    for item in &report.recommendations {
        w.open("", '{');
        w.text("test", item.test);
        w.text("category", item.category.as_str());
        w.text("message", &item.message);
        w.text("recommendation", &item.recommendation);
        w.close('}');
    }
    w.close(']');
}

/// The changes that would bring the agent to a newer version.
fn upgrade(w: &mut JsonWriter, upgrade: &Upgrade) {
    w.open("upgrade", '{');
    w.text("from", &upgrade.from);
    w.text("to", &upgrade.to);
    w.open("changes", '[');
    for change in &upgrade.changes {
        w.open("", '{');
        w.text("what", &change.what);
        w.text("section", &change.section);
        w.close('}');
    }
    w.close(']');
    w.close('}');
}

/// The members of the report that the card gives, besides name and version.
fn of_card(w: &mut JsonWriter, agent: &Agent) {
    w.text("profile", &agent.profile);
    w.text("cardUrl", &agent.card_url);
    w.open("declares", '[');
    for (name, declared) in &agent.capabilities {
        w.open("", '{');
        w.text("capability", name);
        w.flag("declared", *declared);
        w.close('}');
    }
    w.close(']');
    w.open("notChecked", '[');
    for (interface, why) in &agent.silent_interfaces {
        w.open("", '{');
        w.text("interface", interface);
        w.text("why", why);
        w.close('}');
    }
    w.close(']');
}

/// The set of statements that the agent was judged by, and the releases of the specification that it covers.
fn requirement_set(w: &mut JsonWriter, report: &Report) {
    w.open("requirementSet", '{');
    w.text("id", &report.suite);
    w.text("version", &report.environment.tool_version);
    w.open("specifications", '[');
    for release in spec_links::releases() {
        w.text("", release);
    }
    w.close(']');
    w.close('}');
}

/// What a thorough run would do besides.
fn left_out(w: &mut JsonWriter, left_out: &[LeftOut]) {
    w.open("leftOut", '[');
    for each in left_out {
        w.open("", '{');
        w.text("scenario", &each.title);
        w.number("messages", u64::from(each.messages));
        w.close('}');
    }
    w.close(']');
}

/// How the user wanted the run, so that it can be repeated.
fn settings(w: &mut JsonWriter, settings: &RunSettings) {
    w.open("options", '{');
    w.maybe("source", Some(settings.source).filter(|source| !source.is_empty()));
    w.maybe("protocolVersion", settings.version.as_deref());
    w.maybe("profile", settings.profile);
    texts(w, "only", &settings.only);
    w.flag("thorough", settings.thorough);
    if let Some(most) = settings.interfaces {
        w.size("interfaces", most);
    }
    texts(w, "skills", &settings.skills);
    w.open("prompts", '{');
    for (behaviour, text) in &settings.prompts {
        w.text(behaviour, text);
    }
    w.close('}');
    texts(w, "credentials", &settings.credentials);
    w.flag("secondIdentity", settings.second_identity);
    w.flag("trustedKeys", settings.trusted_keys);
    w.size("concurrency", settings.concurrency);
    if settings.repeat > 1 {
        w.number("repeat", u64::from(settings.repeat));
    }
    w.open("timeouts_ms", '{');
    for (name, ms) in &settings.timeouts_ms {
        w.ms(name, *ms);
    }
    w.close('}');
    w.close('}');
}

fn texts(w: &mut JsonWriter, name: &str, texts: &[String]) {
    w.open(name, '[');
    for text in texts {
        w.text("", text);
    }
    w.close(']');
}

fn lane(w: &mut JsonWriter, report: &Report, lane: &LaneReport) {
    w.open("", '{');
    w.text("id", &lane.id);
    w.text("url", &lane.url);
    w.text("binding", &lane.binding);
    w.text("protocolVersion", &lane.protocol_version);
    w.maybe("tenant", lane.tenant.as_deref());
    level(w, "level", report, &lane.assessment);
    w.close('}');
}

/// The level, and why it is not the next one up.
fn level(w: &mut JsonWriter, name: &str, report: &Report, assessment: &Assessment) {
    w.maybe(name, assessment.rating.level().map(|level| level.as_str()));
    w.text("levelInWords", &report.rating_in_words(&assessment.rating));
    w.open("levelReasons", '[');
    for reason in &assessment.reasons {
        w.text("", &reason.to_string());
    }
    w.close(']');
}

fn result(w: &mut JsonWriter, number: usize, result: &CheckedRow) {
    let was_read = !result.exchanges.is_empty();
    w.open("", '{');
    w.size("number", number);
    w.text("test", result.check);
    w.text("category", result.category.as_str());
    w.text("status", result.outcome.status().as_str());
    w.maybe("message", Some(result.message.as_str()).filter(|message| !message.is_empty()));
    if was_read {
        w.ms("duration_ms", result.duration_ms);
    }
    w.maybe("lane", result.lane.as_deref());
    w.text("level", result.level.as_str());
    if result.good_practice {
        w.flag("goodPractice", true);
    }
    w.open("requirement", '[');
    for id in &result.requirements {
        w.text("", id);
    }
    w.close(']');
    w.text("spec", &result.spec);
    w.maybe("specUrl", result.spec_url.as_deref());
    w.maybe("reason", result.outcome.reason_in_files());
    w.maybe("expected", result.expected.as_deref());
    w.maybe("actual", result.actual.as_deref());
    w.maybe("pointer", result.pointer.as_deref());
    if was_read {
        numbers(w, "exchanges", &result.exchanges);
    }
    repeated(w, &result.of_runs);
    w.maybe("remediation", result.remediation.as_deref());
    if let Some(reward) = result.reward {
        w.open("reward", '{');
        w.decimal("earned", reward.earned);
        w.decimal("worth", reward.worth);
        w.close('}');
    }
    described(w, result);
    w.close('}');
}

fn numbers(w: &mut JsonWriter, name: &str, numbers: &[u32]) {
    w.open(name, '[');
    for number in numbers {
        w.number("", u64::from(*number));
    }
    w.close(']');
}

/// What each of several runs concluded, where they differ.
fn repeated(w: &mut JsonWriter, of_runs: &[VerdictOfRuns]) {
    if of_runs.is_empty() {
        return;
    }
    w.open("repeated", '[');
    for VerdictOfRuns { runs, verdict } in of_runs {
        w.open("", '{');
        numbers(w, "runs", runs);
        w.text("status", verdict.outcome.status().as_str());
        w.maybe("reason", verdict.outcome.reason_in_files());
        w.maybe("message", Some(verdict.message.as_str()).filter(|message| !message.is_empty()));
        w.maybe("expected", verdict.expected.as_deref());
        w.maybe("actual", verdict.actual.as_deref());
        w.maybe("pointer", verdict.pointer.as_deref());
        if !verdict.exchanges.is_empty() {
            numbers(w, "exchanges", &verdict.exchanges);
        }
        w.close('}');
    }
    w.close(']');
}

/// What a page would not know of the check of a result.
fn described(w: &mut JsonWriter, result: &CheckedRow) {
    if !result.is_described {
        return;
    }
    w.open("described", '{');
    w.text("title", result.title);
    w.text("why", result.declaration.why);
    w.text("area", result.area.name);
    w.text("scenario", result.scenario.id);
    w.text("scenarioTitle", result.scenario.title);
    w.close('}');
}
