//! Writes the JSON report from the view of the run: its members, and the version of its schema. The shape is the one by which a
//! file is read again; `docs/report-v1.schema.json` holds it.

use std::rc::Rc;

use crate::engine::check::Category;
use crate::engine::event::{Completion, Tally};
use crate::engine::run_settings::RunSettings;
use crate::engine::verdict::VerdictOfRuns;
use crate::report::checked_row::CheckedRow;
use crate::report::connection::{Connection, PageAccess};
use crate::report::headline::{headline, incomplete};
use crate::report::json_writer::JsonWriter;
use crate::report::level::Assessment;
use crate::report::load_figures;
use crate::report::model::Report;
use crate::report::recording;
use crate::report::reward_total::RewardTotal;
use crate::report::spec_links;
use crate::report::text::rfc3339;
use crate::report::tool::TOOL;

pub(super) const SCHEMA_VERSION: u64 = 1;

/// The categories by the names of their members.
pub(super) const CATEGORIES: [(&str, Category); 5] = [
    ("agentCard", Category::AgentCard),
    ("lifecycle", Category::Lifecycle),
    ("streaming", Category::Streaming),
    ("errorHandling", Category::ErrorHandling),
    ("interop", Category::Interop),
];

/// The word for how a run ended.
#[must_use]
pub const fn completion_word(completion: Option<&Completion>) -> &'static str {
    match completion {
        None => "running",
        Some(Completion::Complete) => "complete",
        Some(Completion::Filtered) => "filtered",
        Some(Completion::CardOnly) => "card-only",
        Some(Completion::EndpointOnly) => "endpoint-only",
        Some(Completion::Written) => "written-tests",
        Some(Completion::Pair) => "pair",
        Some(Completion::Watched) => "watched-client",
        Some(Completion::Stopped) => "stopped",
        Some(Completion::Incomplete(_)) => "incomplete",
    }
}

/// The report as a file's text. The same report always gives the same text.
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
    w.object(name, |w| members(w, report));
}

fn members(w: &mut JsonWriter, report: &Report) {
    w.number("schemaVersion", SCHEMA_VERSION);
    w.object("tool", |w| {
        w.text("name", TOOL);
        w.text("version", &report.environment.tool_version);
        w.text("suite", &report.suite);
        w.text("host", &report.environment.host);
        w.maybe("userAgent", report.environment.user_agent.as_deref());
    });
    // Not every host knows how the agent was reached.
    if report.connection != Connection::default() {
        w.object("connection", |w| connection(w, &report.connection));
    }
    // The set of statements that the agent was judged by, and the releases of the specification that it covers.
    w.object("requirementSet", |w| {
        w.text("id", &report.suite);
        w.text("version", &report.environment.tool_version);
        w.texts("specifications", spec_links::releases());
    });
    agent(w, report);
    w.objects("leftOut", &report.left_out, |w, each| {
        w.text("scenario", &each.title);
        w.number("messages", each.messages);
    });
    load_figures::write(w, report);
    w.maybe_number("runs", report.runs);
    w.object("options", |w| settings(w, &report.settings));
    course(w, report);
    w.objects("lanes", &report.lanes, |w, lane| {
        w.text("id", &lane.id);
        w.text("url", &lane.url);
        w.text("binding", &lane.binding);
        w.text("protocolVersion", &lane.protocol_version);
        w.maybe("tenant", lane.tenant.as_deref());
        level(w, "level", report, &lane.assessment);
    });
    summary(w, &report.tally);
    // What tests that a user wrote have earned.
    if let Some(total) = RewardTotal::from_report(report) {
        w.object("rewards", |w| {
            w.size("tests", total.tests);
            w.decimal("sum", total.earned);
            w.decimal("worth", total.worth);
            w.decimal("mean", total.mean());
        });
    }
    w.object("categories", |w| {
        for (name, category) in CATEGORIES {
            // A result's number is its place in the plan.
            let numbered = report.results.iter().enumerate();
            w.objects(name, numbered.filter(|(_, each)| each.category == category), result);
        }
    });
    level(w, "conformanceLevel", report, &report.assessment);
    w.text("capabilities", &report.coverage());
    w.objects("recommendations", &report.recommendations, |w, item| {
        w.text("test", item.test);
        w.text("category", item.category.as_str());
        w.text("message", &item.message);
        w.text("recommendation", &item.recommendation);
    });
    if let Some(upgrade) = &report.upgrade {
        w.object("upgrade", |w| {
            w.text("from", &upgrade.from);
            w.text("to", &upgrade.to);
            w.objects("changes", &upgrade.changes, |w, change| {
                w.text("what", &change.what);
                w.text("section", &change.section);
            });
        });
    }
    agents(w, "agents", &report.agents);
    agents(w, "clients", &report.clients);
    w.list("exchanges", &report.exchanges, |w, exchange| recording::write(w, exchange));
}

/// The two agents of a report about both, or an agent's client, each with its own report.
fn agents(w: &mut JsonWriter, member: &str, agents: &[Rc<Report>]) {
    if agents.is_empty() {
        return;
    }
    w.objects(member, agents, |w, agent| {
        w.text("address", &agent.address);
        w.text("name", &agent.agent_name());
        w.text("verdict", agent.word.as_str());
        w.text("headline", &headline(agent));
        summary(w, &agent.tally);
        write_as(w, "report", agent);
    });
}

fn connection(w: &mut JsonWriter, connection: &Connection) {
    w.texts("remarks", &connection.remarks);
    w.flag("insecure", connection.is_insecure);
    w.texts("proxies", &connection.proxies);
    if let Some(access) = &connection.page {
        w.object("page", |w| page_access(w, access));
    }
    w.objects("certificates", &connection.certificates, |w, each| {
        w.text("host", &each.host);
        w.flag("trusted", each.is_trusted);
        w.flag("expired", each.days_left < 0);
        w.number("daysLeft", u64::try_from(each.days_left).unwrap_or_default());
        w.objects("chain", &each.chain, |w, link| {
            w.text("subject", &link.subject);
            w.text("issuer", &link.issuer);
            w.text("notBefore", &link.not_before);
            w.text("notAfter", &link.not_after);
        });
    });
}

fn page_access(w: &mut JsonWriter, access: &PageAccess) {
    w.text("origin", &access.origin);
    w.objects("stages", &access.stages, |w, stage| named(w, ["stage", "title", "state", "inWords"], stage));
    w.objects("obstacles", &access.obstacles, |w, obstacle| {
        w.text("reason", &obstacle.reason);
        w.text("title", &obstacle.title);
        w.text("meaning", &obstacle.meaning);
        w.text("remedy", &obstacle.remedy);
        w.text("url", &obstacle.url);
        w.texts("observed", &obstacle.observed);
        w.texts("causes", &obstacle.causes);
    });
    w.objects("fixes", &access.fixes, |w, fix| named(w, ["stack", "place", "text"], fix));
}

/// Texts under these names.
fn named<const N: usize>(w: &mut JsonWriter, names: [&str; N], texts: &[String; N]) {
    names.iter().zip(texts).for_each(|(name, text)| w.text(name, text));
}

/// The agent that was judged, and the version whose rules were used.
fn agent(w: &mut JsonWriter, report: &Report) {
    if report.is_of_client() {
        w.text("subject", "client");
    }
    w.text("agentUrl", &report.address);
    w.text("agentName", &report.agent_name());
    w.text("agentVersion", report.agent.as_ref().map_or("", |agent| &agent.version));
    let Some(agent) = &report.agent else { return };
    let (version, why) = &agent.detected;
    w.object("detected", |w| {
        w.text("version", version);
        w.text("why", why);
    });
    w.text("profile", &agent.profile);
    w.text("cardUrl", &agent.card_url);
    w.objects("declares", &agent.capabilities, |w, (name, declared)| {
        w.text("capability", name);
        w.flag("declared", *declared);
    });
    w.objects("notChecked", &agent.silent_interfaces, |w, (interface, why)| {
        w.text("interface", interface);
        w.text("why", why);
    });
}

/// When the run was, how it ended, and the verdict.
fn course(w: &mut JsonWriter, report: &Report) {
    w.text("testDate", &rfc3339(report.started_ms.unwrap_or_default()));
    w.decimal("duration_ms", report.duration_ms);
    w.text("verdict", report.word.as_str());
    w.text("headline", &headline(report));
    w.text("completion", completion_word(report.completion.as_ref()));
    w.maybe("cause", report.cause.as_deref());
    w.maybe("incomplete", incomplete(report).as_deref());
}

fn summary(w: &mut JsonWriter, tally: &Tally) {
    w.object("summary", |w| {
        w.number("total", tally.total);
        w.number("passed", tally.passed);
        w.number("failed", tally.failed);
        w.number("skipped", tally.skipped);
        w.number("failedRequired", tally.failed_required);
        w.number("failedAdvisory", tally.failed_advisory);
        w.number("inconclusive", tally.inconclusive);
        w.number("blocked", tally.blocked);
        w.maybe_number("unsteady", Some(tally.unsteady).filter(|number| *number > 0));
    });
}

/// How the user wanted the run, so that it can be repeated.
fn settings(w: &mut JsonWriter, settings: &RunSettings) {
    w.text_if_any("source", settings.source);
    w.maybe("protocolVersion", settings.version.as_deref());
    w.maybe("profile", settings.profile);
    w.texts("only", &settings.only);
    w.flag("thorough", settings.thorough);
    w.maybe_number("interfaces", settings.interfaces.map(|most| most as u64));
    w.texts("skills", &settings.skills);
    w.object("prompts", |w| settings.prompts.iter().for_each(|(behaviour, text)| w.text(behaviour, text)));
    w.texts("credentials", &settings.credentials);
    w.flag("secondIdentity", settings.second_identity);
    w.flag("trustedKeys", settings.trusted_keys);
    w.size("concurrency", settings.concurrency);
    w.maybe_number("repeat", Some(settings.repeat).filter(|repeat| *repeat > 1));
    w.object("timeouts_ms", |w| settings.timeouts_ms.iter().for_each(|(name, ms)| w.decimal(name, *ms)));
}

/// The level, and why it is not the next one up.
fn level(w: &mut JsonWriter, name: &str, report: &Report, assessment: &Assessment) {
    w.maybe(name, assessment.rating.level().map(|level| level.as_str()));
    w.text("levelInWords", &report.rating_in_words(&assessment.rating));
    w.texts("levelReasons", assessment.reasons.iter().map(ToString::to_string));
}

fn result(w: &mut JsonWriter, (place, result): (usize, &CheckedRow)) {
    let was_read = !result.exchanges.is_empty();
    w.size("number", place + 1);
    w.text("test", result.check);
    w.text("category", result.category.as_str());
    w.text("status", result.outcome.status().as_str());
    w.text_if_any("message", &result.message);
    if was_read {
        w.decimal("duration_ms", result.duration_ms);
    }
    w.maybe("lane", result.lane.as_deref());
    w.text("level", result.level.as_str());
    if result.good_practice {
        w.flag("goodPractice", true);
    }
    w.texts("requirement", &result.requirements);
    w.text("spec", &result.spec);
    w.maybe("specUrl", result.spec_url.as_deref());
    w.maybe("reason", result.outcome.reason_in_files());
    w.maybe("expected", result.expected.as_deref());
    w.maybe("actual", result.actual.as_deref());
    w.maybe("pointer", result.pointer.as_deref());
    if was_read {
        w.numbers("exchanges", &result.exchanges);
    }
    // Only where the runs differ.
    if !result.of_runs.is_empty() {
        w.objects("repeated", &result.of_runs, of_runs);
    }
    w.maybe("remediation", result.remediation.as_deref());
    if let Some(reward) = result.reward {
        w.object("reward", |w| {
            w.decimal("earned", reward.earned);
            w.decimal("worth", reward.worth);
        });
    }
    // A page would not know the check.
    if result.is_described {
        w.object("described", |w| {
            w.text("title", result.title);
            w.text("why", result.declaration.why);
            w.text("area", result.area.name);
            w.text("scenario", result.scenario.id);
            w.text("scenarioTitle", result.scenario.title);
        });
    }
}

/// What some of several runs concluded.
fn of_runs(w: &mut JsonWriter, VerdictOfRuns { runs, verdict }: &VerdictOfRuns) {
    w.numbers("runs", runs);
    w.text("status", verdict.outcome.status().as_str());
    w.maybe("reason", verdict.outcome.reason_in_files());
    w.text_if_any("message", &verdict.message);
    w.maybe("expected", verdict.expected.as_deref());
    w.maybe("actual", verdict.actual.as_deref());
    w.maybe("pointer", verdict.pointer.as_deref());
    if !verdict.exchanges.is_empty() {
        w.numbers("exchanges", &verdict.exchanges);
    }
}
