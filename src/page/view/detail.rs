//! One result in full: what the rule says, what was expected and what came, how to fix it, and the exchanges it rests on.

use serde::{Deserialize, Serialize};

use super::format;
use super::wire::{self, Mark, Sheet};
use crate::engine::event::CheckResult;
use crate::engine::requirement::{self, Basis, Level};
use crate::engine::sdk::Sdk;
use crate::report;
use crate::wire::exchange::Exchange;

/// A result in full.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Detail {
    /// What the conversation does that was judged.
    pub scenario: String,
    /// What was concluded, where expected and received do not say it already; else empty.
    pub message: String,
    /// What was expected and what came instead, for a finding.
    pub pair: Option<(String, String)>,
    /// Where; else empty.
    pub place: String,
    /// What to do about a finding; else empty.
    pub fix: String,
    /// Why the check matters.
    pub why: String,
    /// Why a breach is only advice, where that is so; else empty.
    pub advisory: String,
    /// The level that the result has.
    pub level: Level,
    /// What it judges by.
    pub rules: Vec<Rule>,
    /// The exchanges that it rests on.
    pub evidence: Vec<Evidence>,
}

/// A statement of the specification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    /// What it demands.
    pub title: String,
    /// Its section: `1.0 §3.1.1`.
    pub cite: String,
    /// Where that is published; empty for what the specification does not say.
    pub url: String,
}

/// An exchange as it is shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// What it was for.
    pub step: String,
    /// The method.
    pub method: String,
    /// The URL.
    pub url: String,
    /// The status, or that there was no answer.
    pub status: String,
    /// How long it took, in words.
    pub duration: String,
    /// What was sent.
    pub request: Sheet,
    /// What came, if anything did.
    pub response: Option<Sheet>,
    /// How it ended, if not simply with its last byte; else empty.
    pub ending: String,
    /// The request as a command.
    pub curl: String,
}

impl Detail {
    /// What the page shows of a result; the exchanges are those of the run, in any order.
    pub fn of<'a>(result: &CheckResult, run: impl Iterator<Item = &'a Exchange> + Clone) -> Self {
        let (check, verdict) = (result.row.check, &result.verdict);
        let place = verdict.pointer.clone().unwrap_or_default();
        let mark = Mark::parse(&place);
        let pair = verdict.expected.clone().zip(verdict.actual.clone());
        let says_more = pair.is_none() || !verdict.message.starts_with("expected ");
        let fix = verdict.expected.as_ref().map(|_| {
            let hint = Sdk::of(run.clone()).and_then(|sdk| sdk.hint(check.id)).unwrap_or_default();
            format!("{} {hint}", check.fix).trim_end().to_owned()
        });
        let of_id = |id: &u32| run.clone().find(|exchange| exchange.id == *id);
        Self {
            scenario: result.row.scenario.title.to_owned(),
            message: if says_more { verdict.message.clone() } else { String::new() },
            pair,
            place,
            fix: fix.unwrap_or_default(),
            why: check.why.to_owned(),
            advisory: check.advisory.unwrap_or_default().to_owned(),
            level: result.level,
            rules: rules(result),
            evidence: verdict
                .exchanges
                .iter()
                .filter_map(of_id)
                .map(|exchange| Evidence::of(exchange, &mark))
                .collect(),
        }
    }
}

fn rules(result: &CheckResult) -> Vec<Rule> {
    let version = result.row.version;
    let rule = |requirement: &requirement::Requirement| {
        let section = requirement.section(version).filter(|_| requirement.basis != Basis::Practical);
        let cite = requirement.cite(version);
        let url = section.and_then(|section| report::spec_url(version, section));
        Rule {
            title: requirement.title.to_owned(),
            cite: if url.is_some() { format!("A2A {cite}") } else { cite },
            url: url.unwrap_or_default(),
        }
    };
    result.row.check.requirements().into_iter().map(rule).collect()
}

impl Evidence {
    /// What the page shows of an exchange.
    pub(crate) fn of(exchange: &Exchange, mark: &Mark) -> Self {
        Self {
            step: exchange.step.clone(),
            method: exchange.request.method.as_str().to_owned(),
            url: exchange.request.url.clone(),
            status: exchange.status().map_or_else(|| "no answer".to_owned(), |status| status.to_string()),
            duration: format::duration(exchange.duration_ms()),
            request: wire::request(exchange),
            response: wire::response(exchange, mark),
            ending: wire::ending(&exchange.end).unwrap_or_default(),
            curl: wire::curl(exchange),
        }
    }
}
