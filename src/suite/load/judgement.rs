//! Judges of a load: what was found of each check, as a document of the record, and the verdict that follows.

use std::collections::BTreeMap;

use serde_json::json;

use super::tally::Found;
use crate::engine::plural::count_of;
use crate::engine::transcript::Transcript;
use crate::engine::verdict::{Judged, Verdict};
use crate::wire::json::Value;

/// The step of a message that is sent alone, and of what the load has shown.
pub(super) const LOAD: &str = "load";

/// What was seen: for each check the number of conversations, or why it sees nothing.
pub(super) fn document(seen: &BTreeMap<&'static str, u64>, missing: &BTreeMap<&'static str, &'static str>) -> Value {
    json!({ "seen": seen, "missing": missing })
}

pub(super) fn finding(found: &Found, begun: u64) -> Value {
    let evidence: Vec<u32> = found.kept.iter().map(|step| step.exchange.id).collect();
    json!({
        "expected": found.first.expected,
        "actual": found.first.actual,
        "at": found.first.at,
        "conversations": found.conversations,
        "begun": begun,
        "alone": found.is_seen_alone,
        "evidence": evidence,
    })
}

/// The judgement of a check by what was found of it.
pub(super) fn judged(t: &Transcript, check: &str) -> Judged {
    t.ran_to_its_end()?;
    let load = t.step(LOAD)?;
    let Ok(step) = t.step(check) else { return not_found(load.exchange.id, load.reply.document.as_deref(), check) };
    let found = step.reply.document.as_deref();
    let text = |name: &str| found.and_then(|found| found.get(name)?.as_str()).unwrap_or_default();
    let number = |name: &str| found.and_then(|found| found.get(name)?.as_u64()).unwrap_or_default();
    let evidence = || found.and_then(|found| found.get("evidence")?.as_array()).into_iter().flatten();
    let exchanges: Vec<u32> = evidence().filter_map(|id| u32::try_from(id.as_u64()?).ok()).collect();
    let (expected, actual) = (text("expected"), text("actual"));
    if found.and_then(|found| found.get("alone")?.as_bool()) == Some(true) {
        let why = format!("a conversation that is alone shows the same: expected {expected}, got {actual}");
        return Err(exchanges.iter().fold(Verdict::blocked(why), |verdict, id| verdict.seen_in(*id)));
    }
    let shown = usize::try_from(number("conversations")).unwrap_or_default();
    let among = format!("{} of {}", count_of(shown, "conversation"), number("begun"));
    let verdict = step.fail(expected, actual).because(format!(
        "expected {expected}, got {actual}; {among} under load, and none that was alone, showed this"
    ));
    let verdict = if text("at").is_empty() { verdict } else { verdict.at(text("at")) };
    Ok(exchanges.iter().fold(verdict, |verdict, id| verdict.seen_in(*id)))
}

/// The judgement where nothing odd was found.
fn not_found(exchange: u32, load: Option<&Value>, check: &str) -> Judged {
    if let Some(why) = load.and_then(|load| load.get("missing")?.get(check)?.as_str()) {
        return Err(Verdict::not_applicable(why));
    }
    let seen = load.and_then(|load| load.get("seen")?.get(check)?.as_u64()).unwrap_or_default();
    if seen == 0 {
        let why = "no conversation under load came so far that this could be seen";
        return Err(Verdict::inconclusive(why).seen_in(exchange));
    }
    let conversations = count_of(usize::try_from(seen).unwrap_or_default(), "conversation");
    Ok(Verdict::pass_with(format!("seen in {conversations} under load")).seen_in(exchange))
}
