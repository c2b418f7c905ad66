//! What the checks of a card share: the recorded card, its lists, and the words for members that are missing.

use std::rc::Rc;

use crate::a2a::cursor::Cursor;
use crate::a2a::dialect::Dialect;
use crate::engine::detect::{near_name, newer_card};
use crate::engine::prelude::{Check, Judged, RunFacts, Scenario, Scope, Step, Transcript, Verdict};
use crate::engine::run::DISCOVERY;
use crate::suite::no_card::no_card;
use crate::wire::json::Value;

/// A scenario without a conversation, over the card that was fetched.
pub(super) const fn of_card(id: &'static str, title: &'static str, checks: &'static [Check]) -> Scenario {
    Scenario { id, title, scope: Scope::Agent, after: &["discovery"], ..Scenario::judged_by(checks) }
}

/// The step in which the card came by which the run goes.
pub(super) fn card_step<'a>(discovery: &'a Transcript, facts: &RunFacts) -> Result<&'a Rc<Step>, Verdict> {
    let goes_by_newest = Dialect::of_version(facts.version).is_some_and(Dialect::is_newest);
    newer_card(discovery).filter(|_| goes_by_newest).map_or_else(|| discovery.step("card"), Ok)
}

/// The card as it was received, and the exchange it came in; *blocked* when there is no card.
pub(super) fn card(t: &Transcript) -> Result<(u32, Cursor<'_>), Verdict> {
    let step = t.earlier(DISCOVERY).and_then(|found| card_step(found, &t.facts)).map_err(|why| no_card(&why))?;
    let document = step.reply.document.as_deref().filter(|document| document.is_object());
    let document = document.ok_or_else(|| Verdict::blocked("the agent card is not a JSON object"))?;
    Ok((step.exchange.id, Cursor::root(document)))
}

/// The finding about a card, or that it passes when there is none.
pub(super) fn unless(id: u32, found: Option<Verdict>) -> Judged {
    Ok(found.unwrap_or_else(|| Verdict::pass().seen_in(id)))
}

/// The entries of one of the card's lists. `none` says why there is nothing to judge when it has none.
pub(super) fn listed<'a>(cursor: &Cursor<'a>, name: &str, none: fn() -> Verdict) -> Result<Vec<Cursor<'a>>, Verdict> {
    let entries: Vec<_> = cursor.member(name).iter().flat_map(Cursor::elements).collect();
    if entries.is_empty() { Err(none()) } else { Ok(entries) }
}

pub(super) fn extensions<'a>(card: &Cursor<'a>) -> Result<Vec<Cursor<'a>>, Verdict> {
    let list = card.member("capabilities").and_then(|capabilities| capabilities.member("extensions"));
    let entries: Vec<_> = list.iter().flat_map(Cursor::elements).collect();
    if entries.is_empty() { Err(Verdict::excluded_by_card("the card declares no extension")) } else { Ok(entries) }
}

pub(super) fn skills<'a>(card: &Cursor<'a>) -> Result<Vec<Cursor<'a>>, Verdict> {
    listed(card, "skills", || Verdict::excluded_by_card("the card lists no skill"))
}

/// The finding about the provider, if there is one, without these members.
pub(super) fn provider(t: &Transcript, names: &[&str]) -> Judged {
    let (id, cursor) = card(t)?;
    match cursor.member("provider") {
        Some(provider) => unless(id, lacks_text(id, &provider, names)),
        None => Err(Verdict::excluded_by_card("the card names no provider")),
    }
}

/// The finding about the members among these that an entry does not have as non-empty strings.
pub(super) fn lacks_text(id: u32, entry: &Cursor<'_>, names: &[&str]) -> Option<Verdict> {
    let wanted =
        names.iter().map(|name| (*name, format!("a non-empty string {name}"), is_filled as fn(&Value) -> bool));
    lacks(id, entry, wanted)
}

/// The finding about the members among these, each with what is expected of it, that an entry does not have so.
pub(super) fn lacks<'a>(
    id: u32,
    entry: &Cursor<'_>,
    wanted: impl Iterator<Item = (&'a str, String, fn(&Value) -> bool)>,
) -> Option<Verdict> {
    all_of(wanted.filter_map(|(name, expected, is)| match entry.member(name) {
        Some(member) if is(member.value) => None,
        Some(member) => Some((name, finding(id, &member, &expected))),
        None => Some((name, missing(id, entry, name, &expected))),
    }))
}

pub(super) fn is_filled(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.is_empty())
}

/// One finding about everything that an object lacks: an author who corrects one member at a time runs the check many times.
/// Each comes with the member's name. The place is that of the first.
pub(super) fn all_of<'a>(lacks: impl Iterator<Item = (&'a str, Verdict)>) -> Option<Verdict> {
    let mut lacks = lacks.peekable();
    let (name, first) = lacks.next()?;
    if lacks.peek().is_none() {
        return Some(first);
    }
    let mut expected = first.expected.clone().unwrap_or_default();
    let mut actual = format!("{name}: {}", first.actual.as_deref().unwrap_or_default());
    for (name, lack) in lacks {
        expected = format!("{expected}; {}", lack.expected.as_deref().unwrap_or_default());
        actual = format!("{actual}; {name}: {}", lack.actual.as_deref().unwrap_or_default());
    }
    let exchange = first.exchanges.first().copied().unwrap_or_default();
    Some(Verdict::fail(exchange, expected, actual).at(first.pointer.clone().unwrap_or_default()))
}

pub(super) fn is_list_of_texts(value: &Value) -> bool {
    value.as_array().is_some_and(|list| list.iter().all(Value::is_string))
}

/// A finding about a place of the card.
pub(super) fn finding(id: u32, cursor: &Cursor<'_>, expected: &str) -> Verdict {
    Verdict::fail(id, expected, cursor.describe()).at(cursor.at.as_str())
}

/// A finding about a member that is not there. One that is nearly called so is the likely cause.
pub(super) fn missing(id: u32, holder: &Cursor<'_>, name: &str, expected: &str) -> Verdict {
    let near = near_name(holder, name).map(|near| format!("missing; {near} is most likely meant as {name}"));
    let actual = near.unwrap_or_else(|| holder.absence(name).to_owned());
    Verdict::fail(id, expected, actual).at(holder.at.key(name).as_str())
}
