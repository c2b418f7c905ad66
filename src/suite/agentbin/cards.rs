//! AgentBin's tests of the three cards: their members, the eight skills, and the version in a header where the version has one.

use serde_json::Value;

use super::applicability::{echo_only, spec_only};
use super::judging::{Claim, expect, test};
use crate::engine::prelude::{Check, Driver, Judged, Scenario, Step, Transcript, Verdict};
use crate::wire::http::Request;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "agentbin-card",
    title: "AgentBin: fetch the card",
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    test(
        "agent-card-echo",
        "The card of the echo agent has what a client needs to call it",
        "Publish a card of 1.0 with an interface for JSON-RPC, a skill, and default input and output modes.",
        &["card-empty-modes"],
        echo,
    ),
    test(
        "agent-card-spec",
        "The card declares streaming and exactly eight complete skills",
        "Declare streaming, and list the eight skills of the list, each with id, name and description.",
        &["card-skill-incomplete"],
        spec,
    ),
    test(
        "spec03-agent-card",
        "The card is one of 0.3, with its own url and no supportedInterfaces",
        "Publish a card with url and protocolVersion \"0.3.0\", and without supportedInterfaces.",
        &["card-no-url"],
        spec03,
    ),
];

/// How many skills AgentBin has.
const SKILLS: usize = 8;

async fn drive(d: &Driver) {
    for url in d.address().candidates() {
        let mut request = Request::get(url);
        if let Some(header) = d.dialect().version_header {
            request.headers.push(header, d.version());
        }
        let step = d.fetch("card", request).await;
        if step.reply.document.as_deref().is_some_and(Value::is_object) {
            break;
        }
    }
}

/// The card, and the step that it came with.
fn card(t: &Transcript) -> Result<(&Step, &Value), Verdict> {
    let step = t.answered("card")?;
    let document = step.reply.document.as_deref().filter(|document| document.is_object());
    Ok((step, document.ok_or_else(|| step.fail("a card", "no JSON object"))?))
}

fn has_text(object: &Value, name: &str) -> bool {
    object.get(name).and_then(Value::as_str).is_some_and(|text| !text.is_empty())
}

fn listed<'a>(object: &'a Value, name: &str) -> &'a [Value] {
    object.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// That a card has these members as texts.
fn has_texts<'a>(card: &Value, names: [&'a str; 3]) -> Claim<'a> {
    let lacking = names.into_iter().find(|name| !has_text(card, name));
    (lacking.is_none(), "a card with name, description and version", format!("no {}", lacking.unwrap_or_default()))
}

fn echo(t: &Transcript) -> Judged {
    echo_only(&t.facts)?;
    let (step, card) = card(t)?;
    let first = listed(card, "supportedInterfaces").first().unwrap_or(&Value::Null);
    let names = |name: &str, wanted: &str| first.get(name).and_then(Value::as_str) == Some(wanted);
    let none = || "none".to_owned();
    expect(
        step,
        &[
            has_texts(card, ["name", "description", "version"]),
            (has_text(first, "url"), "a first interface with a url", none()),
            (names("protocolBinding", "JSONRPC"), "JSONRPC as the first interface", first.to_string()),
            (
                names("protocolVersion", t.facts.version),
                "the version of the list for the first interface",
                first.to_string(),
            ),
            (!listed(card, "skills").is_empty(), "at least one skill", none()),
            (!listed(card, "defaultInputModes").is_empty(), "defaultInputModes", none()),
            (!listed(card, "defaultOutputModes").is_empty(), "defaultOutputModes", none()),
        ],
    )
}

fn spec(t: &Transcript) -> Judged {
    spec_only(&t.facts)?;
    let (step, card) = card(t)?;
    let skills = listed(card, "skills");
    let incomplete =
        skills.iter().find(|skill| !["id", "name", "description"].iter().all(|name| has_text(skill, name)));
    let streams = card.pointer("/capabilities/streaming") == Some(&Value::Bool(true));
    expect(
        step,
        &[
            has_texts(card, ["name", "description", "version"]),
            (streams, "capabilities.streaming true", "false or none".to_owned()),
            (skills.len() == SKILLS, "exactly 8 skills", skills.len().to_string()),
            (
                incomplete.is_none(),
                "skills with id, name and description",
                incomplete.map(ToString::to_string).unwrap_or_default(),
            ),
        ],
    )
}

fn spec03(t: &Transcript) -> Judged {
    let (step, card) = card(t)?;
    let named = card.get("protocolVersion").map(ToString::to_string).unwrap_or_default();
    expect(
        step,
        &[
            (named == "\"0.3.0\"", "protocolVersion \"0.3.0\"", named),
            (has_text(card, "url"), "a url", "none".to_owned()),
            (card.get("supportedInterfaces").is_none(), "no supportedInterfaces", "supportedInterfaces".to_owned()),
        ],
    )
}
