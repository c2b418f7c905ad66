//! Reads the members of a report.

use super::types::{
    JsonCategories, JsonCategory, JsonChange, JsonCompletion, JsonDeclaration, JsonDescribedCheck, JsonDetected,
    JsonLane, JsonLeftOut, JsonLevel, JsonNotChecked, JsonOptions, JsonRecommendation, JsonReport, JsonResult,
    JsonRunsResult, JsonStatus, JsonStrength, JsonSummary, JsonTool, JsonUpgrade, JsonVerdict,
};
use crate::engine::verdict::Reward;
use crate::report::load_figures;
use crate::report::members::Members;
use crate::report::recording;

const CATEGORIES: [(&str, JsonCategory); 5] = [
    ("agent-card", JsonCategory::AgentCard),
    ("lifecycle", JsonCategory::Lifecycle),
    ("streaming", JsonCategory::Streaming),
    ("error-handling", JsonCategory::ErrorHandling),
    ("interop", JsonCategory::Interop),
];

const COMPLETIONS: [(&str, JsonCompletion); 10] = [
    ("running", JsonCompletion::Running),
    ("complete", JsonCompletion::Complete),
    ("filtered", JsonCompletion::Filtered),
    ("card-only", JsonCompletion::CardOnly),
    ("endpoint-only", JsonCompletion::EndpointOnly),
    ("written-tests", JsonCompletion::Written),
    ("pair", JsonCompletion::Pair),
    ("watched-client", JsonCompletion::Watched),
    ("stopped", JsonCompletion::Stopped),
    ("incomplete", JsonCompletion::Incomplete),
];

const LEVELS: [(&str, JsonLevel); 4] = [
    ("full", JsonLevel::Full),
    ("partial", JsonLevel::Partial),
    ("minimal", JsonLevel::Minimal),
    ("non-conformant", JsonLevel::NonConformant),
];

const STATUSES: [(&str, JsonStatus); 3] =
    [("pass", JsonStatus::Pass), ("fail", JsonStatus::Fail), ("skip", JsonStatus::Skip)];

const STRENGTHS: [(&str, JsonStrength); 3] =
    [("must", JsonStrength::Must), ("should", JsonStrength::Should), ("may", JsonStrength::May)];

const VERDICTS: [(&str, JsonVerdict); 4] = [
    ("conformant", JsonVerdict::Conformant),
    ("conformant-with-advice", JsonVerdict::ConformantWithAdvice),
    ("not-conformant", JsonVerdict::NotConformant),
    ("incomplete", JsonVerdict::Incomplete),
];

/// A whole report.
pub(super) fn report(m: Members<'_>) -> JsonReport {
    JsonReport {
        schema_version: m.count("schemaVersion"),
        tool: m.object("tool", tool),
        remarks: m.maybe_object("connection", |m| m.texts("remarks")).unwrap_or_default(),
        agent_url: m.text("agentUrl"),
        agent_name: m.text("agentName"),
        agent_version: m.text("agentVersion"),
        detected: m.maybe_object("detected", detected),
        profile: m.maybe_text("profile"),
        card_url: m.maybe_text("cardUrl"),
        declares: m.maybe_list("declares", declaration).unwrap_or_default(),
        not_checked: m.maybe_list("notChecked", not_checked).unwrap_or_default(),
        left_out: m.maybe_list("leftOut", left_out).unwrap_or_default(),
        load: m.maybe_object("load", load_figures::read),
        runs: m.maybe_count("runs"),
        options: m.maybe_object("options", options),
        test_date: m.text("testDate"),
        duration_ms: m.number("duration_ms"),
        verdict: m.maybe_word("verdict", &VERDICTS),
        headline: m.maybe_text("headline").unwrap_or_default(),
        completion: m.maybe_word("completion", &COMPLETIONS),
        cause: m.maybe_text("cause"),
        incomplete: m.maybe_text("incomplete"),
        lanes: m.list("lanes", lane),
        summary: m.object("summary", summary),
        categories: m.object("categories", categories),
        conformance_level: m.maybe_word("conformanceLevel", &LEVELS),
        level_in_words: m.maybe_text("levelInWords").unwrap_or_default(),
        level_reasons: m.texts("levelReasons"),
        capabilities: m.maybe_text("capabilities").unwrap_or_default(),
        recommendations: m.list("recommendations", recommendation),
        upgrade: m.maybe_object("upgrade", upgrade),
        agents: m.maybe_list("agents", |m| m.object("report", report)).unwrap_or_default(),
        clients: m.maybe_list("clients", |m| m.object("report", report)).unwrap_or_default(),
        exchanges: m.maybe_list("exchanges", recording::read),
    }
}

fn detected(m: Members<'_>) -> JsonDetected {
    JsonDetected { version: m.text("version"), why: m.text("why") }
}

fn tool(m: Members<'_>) -> JsonTool {
    JsonTool {
        name: m.text("name"),
        version: m.text("version"),
        suite: m.text("suite"),
        host: m.maybe_text("host").unwrap_or_default(),
        user_agent: m.maybe_text("userAgent"),
    }
}

fn declaration(m: Members<'_>) -> JsonDeclaration {
    JsonDeclaration { capability: m.text("capability"), declared: m.flag("declared") }
}

fn not_checked(m: Members<'_>) -> JsonNotChecked {
    JsonNotChecked { interface: m.text("interface"), why: m.text("why") }
}

fn left_out(m: Members<'_>) -> JsonLeftOut {
    JsonLeftOut { scenario: m.text("scenario"), messages: m.count("messages") }
}

fn options(m: Members<'_>) -> JsonOptions {
    JsonOptions {
        source: m.maybe_text("source").unwrap_or_default(),
        protocol_version: m.maybe_text("protocolVersion"),
        profile: m.maybe_text("profile"),
        only: m.texts("only"),
        thorough: m.maybe_flag("thorough").unwrap_or_default(),
        interfaces: m.maybe_count("interfaces"),
        skills: m.maybe_texts("skills").unwrap_or_default(),
        prompts: m.map("prompts"),
        credentials: m.texts("credentials"),
        second_identity: m.maybe_flag("secondIdentity").unwrap_or_default(),
        trusted_keys: m.maybe_flag("trustedKeys").unwrap_or_default(),
        concurrency: m.maybe_count("concurrency").unwrap_or_default(),
        repeat: m.maybe_count("repeat").unwrap_or_default(),
        timeouts_ms: m.maybe_map("timeouts_ms").unwrap_or_default(),
    }
}

fn lane(m: Members<'_>) -> JsonLane {
    JsonLane {
        id: m.text("id"),
        url: m.text("url"),
        binding: m.text("binding"),
        protocol_version: m.text("protocolVersion"),
        tenant: m.maybe_text("tenant"),
        level: m.maybe_word("level", &LEVELS),
        level_in_words: m.maybe_text("levelInWords").unwrap_or_default(),
        level_reasons: m.maybe_texts("levelReasons").unwrap_or_default(),
    }
}

fn summary(m: Members<'_>) -> JsonSummary {
    JsonSummary {
        total: m.count("total"),
        passed: m.count("passed"),
        failed: m.count("failed"),
        skipped: m.count("skipped"),
        failed_required: m.count("failedRequired"),
        failed_advisory: m.count("failedAdvisory"),
        inconclusive: m.count("inconclusive"),
        blocked: m.count("blocked"),
    }
}

fn categories(m: Members<'_>) -> JsonCategories {
    JsonCategories {
        agent_card: m.list("agentCard", result),
        lifecycle: m.list("lifecycle", result),
        streaming: m.list("streaming", result),
        error_handling: m.list("errorHandling", result),
        interop: m.list("interop", result),
    }
}

fn result(m: Members<'_>) -> JsonResult {
    JsonResult {
        number: m.maybe_count("number"),
        test: m.text("test"),
        category: m.word("category", &CATEGORIES, JsonCategory::AgentCard),
        status: m.word("status", &STATUSES, JsonStatus::Skip),
        message: m.maybe_text("message"),
        duration_ms: m.maybe_number("duration_ms"),
        lane: m.maybe_text("lane"),
        level: m.word("level", &STRENGTHS, JsonStrength::May),
        good_practice: m.maybe_flag("goodPractice").unwrap_or_default(),
        requirement: m.texts("requirement"),
        spec: m.text("spec"),
        spec_url: m.maybe_text("specUrl"),
        reason: m.maybe_text("reason"),
        expected: m.maybe_text("expected"),
        actual: m.maybe_text("actual"),
        pointer: m.maybe_text("pointer"),
        exchanges: m.maybe_counts("exchanges"),
        remediation: m.maybe_text("remediation"),
        reward: m.maybe_object("reward", reward),
        repeated: m.maybe_list("repeated", runs_result).unwrap_or_default(),
        described: m.maybe_object("described", described),
    }
}

fn runs_result(m: Members<'_>) -> JsonRunsResult {
    JsonRunsResult {
        runs: m.maybe_counts("runs").unwrap_or_default(),
        status: m.word("status", &STATUSES, JsonStatus::Skip),
        reason: m.maybe_text("reason"),
        message: m.maybe_text("message"),
        expected: m.maybe_text("expected"),
        actual: m.maybe_text("actual"),
        pointer: m.maybe_text("pointer"),
        exchanges: m.maybe_counts("exchanges"),
    }
}

fn described(m: Members<'_>) -> JsonDescribedCheck {
    JsonDescribedCheck {
        title: m.text("title"),
        why: m.text("why"),
        area: m.text("area"),
        scenario: m.text("scenario"),
        scenario_title: m.text("scenarioTitle"),
    }
}

fn reward(m: Members<'_>) -> Reward {
    Reward { earned: m.number("earned"), worth: m.number("worth") }
}

fn recommendation(m: Members<'_>) -> JsonRecommendation {
    JsonRecommendation {
        test: m.text("test"),
        category: m.word("category", &CATEGORIES, JsonCategory::AgentCard),
        message: m.text("message"),
        recommendation: m.text("recommendation"),
    }
}

fn upgrade(m: Members<'_>) -> JsonUpgrade {
    JsonUpgrade { from: m.text("from"), to: m.text("to"), changes: m.list("changes", change) }
}

fn change(m: Members<'_>) -> JsonChange {
    JsonChange { what: m.text("what"), section: m.text("section") }
}
