//! What is shown of one result in full: what the rule says, what was expected and what came, how to fix it, how it is tested, and
//! the exchanges it rests on.

use std::rc::Rc;

use super::evidence::Evidence;
use super::format;
use super::test_steps::TestStep;
use super::wire::Mark;
use crate::engine::check::Scope;
use crate::engine::event::CheckResult;
use crate::engine::lane_words::remedy;
use crate::engine::prompt::Behaviour;
use crate::engine::requirement::{self, Level};
use crate::engine::sdk::Sdk;
use crate::engine::verdict::Outcome;
use crate::report::quotes::{self, Quotation};
use crate::report::spec_links::sections;
use crate::view_model::binary_encoding::binary_encoding;
use crate::wire::exchange::Exchange;
use crate::wire::json;
use crate::wire::order;

const CALLS: usize = 40;

/// A result in full.
#[derive(Debug, Clone, PartialEq)]
pub struct Detail {
    /// The purpose of the conversation that was judged.
    pub scenario: String,
    /// The conclusion, where expected and received do not say it already; else empty.
    pub message: String,
    /// Expected and received, for a finding.
    pub pair: Option<(String, String)>,
    /// The place; else empty.
    pub place: String,
    /// The advice for a finding; else empty.
    pub fix: String,
    /// Why the check matters.
    pub why: String,
    /// Why a breach is only advice, where that is so; else empty.
    pub advisory: String,
    /// The level that the result has.
    pub level: Level,
    /// The requirements that it judges by.
    pub rules: Vec<CitedRule>,
    /// The exchanges that it rests on; empty where they stand with the steps.
    pub evidence: Vec<Evidence>,
    /// The steps of a test that a user wrote, or what each of several runs concluded that differ.
    pub steps: Vec<TestStep>,
    /// Whether the steps are runs.
    pub is_unsteady: bool,
    /// How it was tested.
    pub tested: Tested,
    /// The behaviour that no message was known to bring about, and what such a message does, where that kept the check from
    /// being judged.
    pub prompt: Option<(String, String)>,
    /// The checks of the same conversation.
    pub conversation: Vec<String>,
    /// The result as plain text, to open an issue with.
    pub issue: String,
    /// The same as Markdown.
    pub markdown: String,
}

binary_encoding! { struct Detail {
    scenario, message, pair, place, fix, why, advisory, level, rules, evidence, steps, is_unsteady, tested, prompt, conversation,
    issue, markdown,
} }

/// A statement of the specification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CitedRule {
    /// The requirement's title.
    pub title: String,
    /// The sections that it rests on, `A2A 1.0 §3.1.1`, each with the URL where it is published; empty where the
    /// specification is silent.
    pub cites: Vec<(String, String)>,
    /// The sentence of the specification that it rests on; `None` for a statement that is not a must.
    pub quote: Option<Quote>,
}

binary_encoding! { struct CitedRule { title, cites, quote } }

/// A sentence of the specification, cut short.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quote {
    /// The sentence.
    pub text: String,
    /// Its section: `1.0 §9.3`.
    pub place: String,
    /// The URL where that is published; empty where it is unknown.
    pub url: String,
}

binary_encoding! { struct Quote { text, place, url } }

/// How a check is tested.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tested {
    /// The purpose of the conversation, and the title of the check.
    pub purpose: String,
    /// The calls that were made, in order: step, call, what came.
    pub calls: Vec<(String, String)>,
    /// The faults of the scripted agent that the check was seen to find: ids and titles.
    pub faults: Vec<(String, String)>,
}

binary_encoding! { struct Tested { purpose, calls, faults } }

impl Detail {
    /// A result as the page shows it; the exchanges are those of the run, in any order. `hides_from` is the origin of the
    /// page from which a browser hides header fields; `None` where all are seen. The faults and the texts to copy are empty.
    pub fn new(result: &CheckResult, run: &[Rc<Exchange>], hides_from: Option<&str>) -> Self {
        let (check, verdict) = (result.row.check, &result.verdict);
        let place = verdict.pointer.clone().unwrap_or_default();
        let mark = Mark::parse(&place);
        let pair = verdict.expected.clone().zip(verdict.actual.clone());
        let says_more = pair.is_none() || !verdict.message.starts_with("expected ");
        let mut verdicts = verdict.of_runs.iter().map(|each| &each.verdict).chain([verdict]);
        let fix = verdicts.any(|verdict| verdict.expected.is_some()).then(|| {
            let sdk = Sdk::from_exchanges(run.iter().map(|exchange| &**exchange));
            let hint = sdk.and_then(|sdk| sdk.hint(check.id)).unwrap_or_default();
            format!("{} {hint}", remedy(result.row.lane.as_deref(), check.fix, verdict)).trim_end().to_owned()
        });
        let is_unsteady = !verdict.of_runs.is_empty();
        let steps = if is_unsteady {
            verdict.of_runs.iter().map(|each| TestStep::of_runs(each, run, hides_from)).collect()
        } else {
            TestStep::list(result, run, hides_from)
        };
        let of_step = |id: &u32| steps.iter().flat_map(|step| &step.evidence).any(|exchange| exchange.id == *id);
        let of_id = |id: &u32| run.iter().find(|exchange| exchange.id == *id);
        let evidence = verdict.exchanges.iter().filter(|id| !of_step(id)).filter_map(of_id);
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
            evidence: evidence.map(|exchange| Evidence::new(exchange, &mark, hides_from)).collect(),
            is_unsteady,
            tested: tested(result, run),
            steps,
            prompt: (verdict.outcome == Outcome::Inconclusive).then(|| wanted_prompt(&verdict.message)).flatten(),
            conversation: result.row.scenario.checks.iter().map(|check| check.id.to_owned()).collect(),
            issue: String::new(),
            markdown: String::new(),
        }
    }
}

fn rules(result: &CheckResult) -> Vec<CitedRule> {
    let version = result.row.version;
    let rule = |requirement: &requirement::Requirement| {
        let section = requirement.section(version).filter(|_| requirement.basis.is_specification());
        let linked = section.map(|section| sections(version, section)).unwrap_or_default();
        CitedRule {
            title: requirement.title.to_owned(),
            cites: if linked.is_empty() { vec![(requirement.cite(version), String::new())] } else { linked },
            quote: quotes::quoted(requirement.id, version).map(Quote::from_quotation),
        }
    };
    result.row.check.requirements().into_iter().map(rule).collect()
}

impl Quote {
    fn from_quotation(quoted: Quotation) -> Self {
        let url = quoted.url().unwrap_or_default();
        Self { text: quoted.text.to_owned(), place: quoted.place.to_owned(), url }
    }
}

fn tested(result: &CheckResult, run: &[Rc<Exchange>]) -> Tested {
    let scenario = result.row.scenario;
    let lane = result.row.lane.as_ref().map(|lane| lane.id.as_str());
    let purpose = match scenario.scope {
        Scope::Traffic => format!("{}. It judges everything that was exchanged on the interface.", scenario.title),
        _ => format!("{}.", scenario.title),
    };
    let of_conversation =
        |exchange: &&Rc<Exchange>| exchange.scenario == scenario.id && exchange.lane.as_deref() == lane;
    let mut exchanges: Vec<&Rc<Exchange>> = run.iter().filter(of_conversation).collect();
    order::sort_by_key(&mut exchanges, |exchange| exchange.id);
    let call = |exchange: &Rc<Exchange>| {
        let status = exchange.status().map_or_else(|| exchange.end.no_answer(), |status| format!("HTTP {status}"));
        let took = format::duration(exchange.duration_ms());
        (exchange.step.clone(), format!("{} \u{b7} {status} \u{b7} {took}", asked(exchange)))
    };
    Tested { purpose, calls: exchanges.into_iter().take(CALLS).map(call).collect(), faults: Vec::new() }
}

/// The name of a request: a method of JSON-RPC, or verb and path.
fn asked(exchange: &Exchange) -> String {
    let request = &exchange.request;
    let document = request.body.as_deref().and_then(json::read);
    let method = document.as_ref().and_then(|document| document.get("method")).and_then(json::Value::as_str);
    match method {
        Some(method) => method.to_owned(),
        None => format!("{} {}", request.method, request.url),
    }
}

/// The behaviour that a reason names which asks for a prompt.
fn wanted_prompt(message: &str) -> Option<(String, String)> {
    let (_, after) = message.split_once(" prompt \"")?;
    let behaviour = Behaviour::parse(after.split_once('"')?.0)?;
    Some((behaviour.as_str().to_owned(), behaviour.title().to_owned()))
}
