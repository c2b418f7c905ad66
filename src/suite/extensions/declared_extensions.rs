//! The extensions that the card declares: required ones left out or in another version, several in one header, named in the
//! response, and inactive unless asked for.

use std::rc::Rc;

use crate::a2a::binding::{Call, ReplyKind};

use crate::a2a::model::{ErrorName, Operation};
use crate::engine::drive::StepFuture;
use crate::engine::prelude::{Behaviour, Check, Driver, Judged, RunFacts, Scenario, Step, Transcript, Verdict};
use crate::wire::order;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "extensions",
    title: "Request the declared extensions",
    messages: 3,
    after: &["send"],
    needs: declares,
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    Check {
        id: "ext.required-missing",
        title: "A send without a required extension is refused",
        why: "A client that does not support the extension must be refused, not half served.",
        fix: "Compare A2A-Extensions with the required extensions, and return -32008 (ExtensionSupportRequiredError).",
        judge: missing,
        ..Check::tripped_by(&["ext-not-required"])
    },
    Check {
        id: "ext.required-present",
        title: "A send with the required extension is accepted",
        why: "A client that requests the required extension has done what the card asks.",
        fix: "Compare the URIs exactly as they are in the card.",
        judge: present,
        ..Check::tripped_by(&["ext-never-enough"])
    },
    Check {
        id: "ext.no-version-fallback",
        title: "No other version of an extension is activated",
        why: "Another version of an extension is another extension.",
        fix: "Compare whole extension URIs, and do not fall back to the version you have.",
        judge: fallback,
        ..Check::tripped_by(&["ext-any-version"])
    },
    Check {
        id: "ext.required-version-error",
        title: "A wrong version of a required extension is refused",
        why: "A required extension in the wrong version counts as missing.",
        fix: "Refuse the request unless the required URI itself is among those sent.",
        judge: wrong_version,
        ..Check::tripped_by(&["ext-any-version"])
    },
    Check {
        id: "ext.response-header",
        title: "Activated extensions are listed in the response header",
        why: "A client has to know which of the requested extensions are in use.",
        fix: "Return the activated URIs in A2A-Extensions.",
        judge: echoed,
        ..Check::tripped_by(&["ext-not-echoed"])
    },
    Check {
        id: "ext.comma-list",
        title: "Several extensions in one header are read",
        why: "Such headers are lists; a URI after a comma counts as much as the first.",
        fix: "Split A2A-Extensions at commas and trim the parts.",
        judge: listed,
        ..Check::tripped_by(&["ext-first-only"])
    },
    Check {
        id: "ext.inactive-by-default",
        title: "Extensions are inactive unless requested",
        why: "Extensions change what messages mean; a client that requested none expects none.",
        fix: "Activate an extension for a request only when the request names it.",
        judge: inactive,
        ..Check::tripped_by(&["ext-always-on"])
    },
];

/// Where an answer names the extensions that are active.
const ACTIVATED: &str = "header A2A-Extensions";

const UNKNOWN: &str = "https://example.com/a2a-conformance/unknown/v1";

fn declares(facts: &RunFacts) -> Result<(), Verdict> {
    if facts.declares(|card| !card.extensions.is_empty()) {
        return Ok(());
    }
    Err(Verdict::excluded_by_card("the card declares no extension"))
}

/// The declared extensions, those that are required first.
fn declared(facts: &RunFacts) -> Vec<(String, bool)> {
    let mut all = facts.card.as_ref().map(|card| card.extensions.clone()).unwrap_or_default();
    order::sort_by_key(&mut all, |(_, required)| !required);
    all
}

async fn drive(d: &Driver) {
    let Some(message) = d.prompt(Behaviour::Complete) else { return };
    let all: Vec<String> = declared(d.facts()).into_iter().map(|(uri, _)| uri).collect();
    send(d, "none", &message.text, Vec::new()).await;
    let mut list = vec![UNKNOWN.to_owned()];
    list.extend(all.iter().cloned());
    send(d, "list", &message.text, list).await;
    send(d, "other-version", &message.text, all.iter().map(|uri| format!("{uri}/v999")).collect()).await;
}

fn send<'a>(d: &'a Driver, step: &'static str, text: &str, extensions: Vec<String>) -> StepFuture<'a> {
    let call = d.sending(Operation::SendMessage, &d.outgoing(text));
    d.call(step, Call { extensions: Some(extensions), ..call })
}

fn requires(t: &Transcript) -> Result<(), Verdict> {
    if declared(&t.facts).iter().any(|(_, required)| *required) {
        return Ok(());
    }
    Err(Verdict::excluded_by_card("the card requires no extension"))
}

/// The send of another scenario, which asks for the required extensions and no other (T-EXT-3).
fn plain(t: &Transcript) -> Result<&Rc<Step>, Verdict> {
    t.earlier("send")?.answered("send")
}

fn refused_for_it(step: &Step) -> bool {
    matches!(&step.reply.kind, ReplyKind::Error(error) if error.name == Some(ErrorName::ExtensionSupportRequired))
}

fn missing(t: &Transcript) -> Judged {
    requires(t)?;
    t.refused_as("none", "a send without the required extension", &[ErrorName::ExtensionSupportRequired])
}

fn present(t: &Transcript) -> Judged {
    requires(t)?;
    // T-EXT-2: the extension may still refuse what the message says.
    let step = plain(t)?;
    step.claim(!refused_for_it(step), "the message to be accepted", step.reply.kind.describe(), "")
}

fn wrong_version(t: &Transcript) -> Judged {
    requires(t)?;
    t.refused_somehow("other-version", "a send with another version of the required extension")
}

/// The activated extensions that an answer names; *not observable* when a page cannot see the header.
fn activated(t: &Transcript, step: &Step) -> Result<Vec<String>, Verdict> {
    let values = t.header(step, "A2A-Extensions")?.unwrap_or_default();
    Ok(values.split(',').map(str::trim).filter(|uri| !uri.is_empty()).map(str::to_owned).collect())
}

fn fallback(t: &Transcript) -> Judged {
    let step = t.answered("other-version")?;
    let list = activated(t, step)?;
    // An extension that is active without being requested is the finding of another check.
    let always = activated(t, plain(t)?)?;
    let known = declared(&t.facts);
    let active =
        |uri: &&String| known.iter().any(|(known, required)| known == *uri && (*required || !always.contains(known)));
    // A refusal for want of the required extension activates nothing.
    let Some(uri) = list.iter().find(active) else { return Ok(step.pass()) };
    Ok(step.fail("only requested extensions", format!("{uri} is activated")).at(ACTIVATED))
}

fn echoed(t: &Transcript) -> Judged {
    let step = t.answered("list")?;
    if refused_for_it(step) {
        return Err(Verdict::inconclusive("the agent refused the message because of a required extension"));
    }
    let list = activated(t, step)?;
    let names_one = declared(&t.facts).iter().any(|(known, _)| list.contains(known));
    let actual = if list.is_empty() { "no A2A-Extensions".to_owned() } else { list.join(", ") };
    step.claim(names_one, "A2A-Extensions with the declared extensions", actual, ACTIVATED)
}

fn listed(t: &Transcript) -> Judged {
    let step = t.answered("list")?;
    if requires(t).is_ok() {
        if refused_for_it(plain(t)?) {
            return Err(Verdict::blocked("a message is refused even if it requests only the required extension"));
        }
        // The required one stands behind an unknown one: who let the message in has read the whole list.
        let expected = "the second URI of the list to be read";
        return step.claim(!refused_for_it(step), expected, step.reply.kind.describe(), "");
    }
    let list = activated(t, step)?;
    if list.is_empty() {
        return Err(Verdict::inconclusive("the agent does not report which extensions are active"));
    }
    let all = declared(&t.facts);
    let missing = all.iter().find(|(uri, _)| !list.contains(uri));
    let Some((uri, _)) = missing else { return Ok(step.pass()) };
    Ok(step.fail(format!("{uri} among them"), list.join(", ")).at(ACTIVATED))
}

fn inactive(t: &Transcript) -> Judged {
    let all = declared(&t.facts);
    if all.iter().all(|(_, required)| *required) {
        return Err(Verdict::not_applicable("every declared extension is required and was therefore requested"));
    }
    let step = plain(t)?;
    let mut list = activated(t, step)?;
    list.retain(|uri| !all.iter().any(|(known, required)| known == uri && *required));
    step.claim(list.is_empty(), "only requested extensions", list.join(", "), ACTIVATED)
}
