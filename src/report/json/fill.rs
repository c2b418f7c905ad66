//! Fills the types of the file from the view of the run.

use super::{
    JsonCategories, JsonCategory, JsonLane, JsonLevel, JsonRecommendation, JsonReport, JsonResult, JsonStatus,
    JsonStrength, JsonSummary, JsonTool, JsonVerdict, SCHEMA_VERSION,
};
use crate::engine::check::Category;
use crate::engine::requirement::Level;
use crate::engine::verdict::Status;
use crate::report::level::{Assessment, ConformanceLevel};
use crate::report::model::{Checked, LaneReport, Report, TOOL};
use crate::report::recording::JsonExchange;
use crate::report::text::{rfc3339, tidy_ms};
use crate::report::verdict::{Word, headline, incomplete};

impl From<&Report> for JsonReport {
    fn from(report: &Report) -> Self {
        let tally = &report.tally;
        let mut categories = JsonCategories::default();
        for result in &report.results {
            let list = match result.category {
                Category::AgentCard => &mut categories.agent_card,
                Category::Lifecycle => &mut categories.lifecycle,
                Category::Streaming => &mut categories.streaming,
                Category::ErrorHandling => &mut categories.error_handling,
                Category::Interop => &mut categories.interop,
            };
            list.push(JsonResult::from(result));
        }
        Self {
            schema_version: SCHEMA_VERSION,
            tool: JsonTool {
                name: TOOL.to_owned(),
                version: report.environment.tool_version.clone(),
                suite: report.suite.clone(),
                host: report.environment.host.clone(),
                user_agent: report.environment.user_agent.clone(),
            },
            agent_url: report.address.clone(),
            agent_name: report.agent_name(),
            agent_version: report.agent.as_ref().map(|agent| agent.version.clone()).unwrap_or_default(),
            test_date: rfc3339(report.started_ms.unwrap_or_default()),
            duration_ms: tidy_ms(report.duration_ms),
            verdict: Some(report.word.into()),
            headline: headline(report),
            cause: report.cause.clone(),
            incomplete: incomplete(report),
            lanes: report.lanes.iter().map(JsonLane::from).collect(),
            summary: JsonSummary {
                total: tally.total,
                passed: tally.passed,
                failed: tally.failed,
                skipped: tally.skipped,
                failed_required: tally.failed_required,
                failed_advisory: tally.failed_advisory,
                inconclusive: tally.inconclusive,
                blocked: tally.blocked,
            },
            categories,
            conformance_level: report.assessment.rating.level().map(JsonLevel::from),
            level_reasons: reasons(&report.assessment),
            capabilities: report.coverage(),
            recommendations: report
                .recommendations
                .iter()
                .map(|item| JsonRecommendation {
                    test: item.test.to_owned(),
                    category: item.category.into(),
                    message: item.message.clone(),
                    recommendation: item.recommendation.clone(),
                })
                .collect(),
            exchanges: Some(report.exchanges.iter().map(|exchange| JsonExchange::from(exchange.as_ref())).collect()),
        }
    }
}

fn reasons(assessment: &Assessment) -> Vec<String> {
    assessment.reasons.iter().map(ToString::to_string).collect()
}

impl From<&LaneReport> for JsonLane {
    fn from(lane: &LaneReport) -> Self {
        Self {
            id: lane.id.clone(),
            url: lane.url.clone(),
            binding: lane.binding.clone(),
            protocol_version: lane.protocol_version.to_owned(),
            tenant: lane.tenant.clone(),
            level: lane.assessment.rating.level().map(JsonLevel::from),
            level_reasons: reasons(&lane.assessment),
        }
    }
}

impl From<&Checked> for JsonResult {
    fn from(result: &Checked) -> Self {
        Self {
            test: result.check.to_owned(),
            category: result.category.into(),
            status: result.outcome.status().into(),
            message: (!result.message.is_empty()).then(|| result.message.clone()),
            duration_ms: (!result.exchanges.is_empty()).then(|| tidy_ms(result.duration_ms)),
            lane: result.lane.clone(),
            level: result.level.into(),
            requirement: result.requirements.iter().map(|id| (*id).to_owned()).collect(),
            spec: result.spec.clone(),
            reason: result.outcome.reason().map(ToOwned::to_owned),
            expected: result.expected.clone(),
            actual: result.actual.clone(),
            pointer: result.pointer.clone(),
            exchanges: (!result.exchanges.is_empty()).then(|| result.exchanges.clone()),
            remediation: result.remediation.clone(),
        }
    }
}

impl From<Word> for JsonVerdict {
    fn from(word: Word) -> Self {
        match word {
            Word::Conformant => Self::Conformant,
            Word::ConformantWithAdvice => Self::ConformantWithAdvice,
            Word::NotConformant => Self::NotConformant,
            Word::Incomplete => Self::Incomplete,
        }
    }
}

impl From<ConformanceLevel> for JsonLevel {
    fn from(level: ConformanceLevel) -> Self {
        match level {
            ConformanceLevel::Full => Self::Full,
            ConformanceLevel::Partial => Self::Partial,
            ConformanceLevel::Minimal => Self::Minimal,
            ConformanceLevel::NonConformant => Self::NonConformant,
        }
    }
}

impl From<Category> for JsonCategory {
    fn from(category: Category) -> Self {
        match category {
            Category::AgentCard => Self::AgentCard,
            Category::Lifecycle => Self::Lifecycle,
            Category::Streaming => Self::Streaming,
            Category::ErrorHandling => Self::ErrorHandling,
            Category::Interop => Self::Interop,
        }
    }
}

impl From<Status> for JsonStatus {
    fn from(status: Status) -> Self {
        match status {
            Status::Pass => Self::Pass,
            Status::Fail => Self::Fail,
            Status::Skip => Self::Skip,
        }
    }
}

impl From<Level> for JsonStrength {
    fn from(level: Level) -> Self {
        match level {
            Level::Must => Self::Must,
            Level::Should => Self::Should,
            Level::May => Self::May,
        }
    }
}
