//! Whether a test applies to an agent: its binding and version, its preconditions, and what the runner is capable of.

use serde_json::Value;

use super::client;
use super::corpus;
use super::document::{ActsStep, ActsTest, RawRequest, StepAction};
use super::test_run::TestRun;
use crate::a2a::binding::grpc::GRPC;
use crate::engine::drive::Driver;
use crate::engine::transcript::Lane;
use crate::engine::verdict::Verdict;

/// What this runner does not do, by the word of the format.
const MISSING: [(&str, &str); 3] = [
    ("webhook_endpoint", "receive push notifications"),
    ("concurrent_streams", "hold two streams of one test open at once"),
    ("stream_disconnect", "leave a stream in the middle"),
];

/// Why a test is not run, if it is not.
pub(super) fn reason_to_skip(run: &TestRun<'_>) -> Option<Verdict> {
    let TestRun { document, test, settings, driver } = *run;
    let lane = driver.lane()?;
    of_lane(test, &document.spec_version, lane)
        .or_else(|| of_card(test, driver))
        .or_else(|| corpus::unsaid_precondition(test, driver))
        .or_else(|| of_runner(test, driver))
        .or_else(|| of_steps(test, lane, driver))
        .or_else(|| {
            let is_missing =
                |name: &&String| settings.behaviors.iter().any(|(known, words)| known == *name && words.is_empty());
            let missing = test.behaviors.iter().find(is_missing)?;
            Some(Verdict::not_applicable(format!(
                "the agent does not have the behaviour {missing}, as --behavior says"
            )))
        })
}

fn of_lane(test: &ActsTest, spec_version: &str, lane: &Lane) -> Option<Verdict> {
    let slug = lane.binding.slug;
    for bindings in [&test.transport, &test.preconditions.transport] {
        if !bindings.is_empty() && bindings.iter().all(|binding| binding != slug) {
            let only = bindings.join(" and ");
            return Some(Verdict::not_applicable(format!("the test is for {only}, and this interface is {slug}")));
        }
    }
    let version = lane.dialect.version;
    let is_same = version == spec_version || spec_version.starts_with(&format!("{version}."));
    (!is_same).then(|| {
        Verdict::not_applicable(format!(
            "the test is for A2A {spec_version}, and this interface is judged by {version}"
        ))
    })
}

/// What the card must declare. An endpoint that was given without a card has one that says what the user said.
fn of_card(test: &ActsTest, driver: &Driver) -> Option<Verdict> {
    let card = driver.facts().card.as_deref();
    let raw = card.map(|card| &card.raw).unwrap_or(&Value::Null);
    let not_declared = |what: String| {
        let why =
            if driver.facts().without_card { "there is no card that declares" } else { "the card does not declare" };
        Some(Verdict::excluded_by_card(format!("precondition: {why} {what}")))
    };
    for (name, wanted) in &test.preconditions.capabilities {
        let declared = match (name.as_str(), card) {
            // The card of an endpoint is made up and has no document.
            ("streaming", Some(card)) => Value::Bool(card.streaming),
            ("pushNotifications", Some(card)) => Value::Bool(card.push_notifications),
            ("extendedAgentCard", Some(card)) => Value::Bool(card.extended_card),
            _ => raw.pointer(&format!("/capabilities/{name}")).cloned().unwrap_or(Value::Bool(false)),
        };
        if declared != *wanted {
            return not_declared(format!("capabilities.{name}: {wanted}"));
        }
    }
    let skills = || card.iter().flat_map(|card| &card.skills);
    if let Some(missing) = test.preconditions.skills.iter().find(|id| skills().all(|skill| skill.id != **id)) {
        return not_declared(format!("the skill {missing}"));
    }
    let extensions = || card.iter().flat_map(|card| &card.extensions);
    if let Some(missing) = test.preconditions.extensions.iter().find(|uri| extensions().all(|(known, _)| known != *uri))
    {
        return not_declared(format!("the extension {missing}"));
    }
    None
}

/// What is written in the file is not completed: it may not fit this interface.
fn of_steps(test: &ActsTest, lane: &Lane, driver: &Driver) -> Option<Verdict> {
    let required = driver.required_extensions();
    let why = |step: &ActsStep| match &step.action {
        StepAction::Client { payload, .. } if !client::is_of_binding(payload, lane) => {
            Some(format!("the payload of step {} is not one of {}", step.id, lane.binding.slug))
        }
        StepAction::Raw(raw) if raw.agent.is_some() => None,
        StepAction::Raw(_) if lane.binding.id == GRPC.id => {
            let why = "is an HTTP request with its text, and the requests of gRPC are not text";
            Some(format!("step {} {why}", step.id))
        }
        StepAction::Raw(raw) if lane.interface.tenant.is_some() && !mentions(raw, "tenant") => {
            let why = "this interface has a tenant, which every request names (1.0 §8.3.2)";
            Some(format!("{why}, and the request of step {} does not", step.id))
        }
        StepAction::Raw(raw) if !required.is_empty() && !mentions(raw, "a2a-extensions") => {
            let why = format!("the agent requires the extension {}", required.join(", "));
            Some(format!("{why}, and the request of step {} does not name it", step.id))
        }
        _ => None,
    };
    test.steps.iter().find_map(why).map(Verdict::not_applicable)
}

/// Whether a request has this word anywhere.
fn mentions(raw: &RawRequest, word: &str) -> bool {
    let RawRequest { path, headers, body, body_raw, .. } = raw;
    let names = headers.iter().map(|(name, _)| name.as_str());
    let body = body.as_ref().map(Value::to_string);
    let texts = names.chain([path.as_str()]).chain(body.as_deref()).chain(body_raw.as_deref());
    texts.into_iter().any(|text| text.to_ascii_lowercase().contains(word))
}

fn of_runner(test: &ActsTest, driver: &Driver) -> Option<Verdict> {
    for requirement in &test.runner_requirements {
        if let Some((_, what)) = MISSING.iter().find(|(word, _)| word == requirement) {
            return Some(Verdict::not_observable(format!(
                "runner_requirements: this runner cannot {what} ({requirement})"
            )));
        }
        if requirement == "auth_credentials" && !driver.has_credentials() {
            return Some(Verdict::not_applicable("runner_requirements: no credentials were given (auth_credentials)"));
        }
    }
    None
}
