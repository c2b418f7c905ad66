//! Functions that the checks of a card share: the recorded card, and failures at a place of it.

use crate::a2a::cursor::Cursor;
use crate::engine::detect::near_name;
use crate::engine::run::DISCOVERY;
use crate::engine::transcript::Transcript;
use crate::engine::verdict::Verdict;
use crate::suite::no_card::no_card;

/// The card as it was received, and the exchange it came in.
///
/// # Errors
/// *Blocked* when there is no card.
pub(super) fn card(t: &Transcript) -> Result<(u32, Cursor<'_>), Verdict> {
    let step = t.earlier(DISCOVERY).and_then(|transcript| transcript.step("card")).map_err(|why| no_card(&why))?;
    let document = step.reply.document.as_ref().filter(|document| document.is_object());
    let document = document.ok_or_else(|| Verdict::blocked("the agent card is not a JSON object"))?;
    Ok((step.exchange.id, Cursor::root(document)))
}

/// The entries of one of the card's lists. `none` says why there is nothing to judge when it has none.
pub(super) fn listed<'a>(cursor: &Cursor<'a>, name: &str, none: fn() -> Verdict) -> Result<Vec<Cursor<'a>>, Verdict> {
    let entries: Vec<_> = cursor.member(name).map(|list| list.elements().collect()).unwrap_or_default();
    if entries.is_empty() { Err(none()) } else { Ok(entries) }
}

/// The finding about the members among these that an entry does not have as non-empty strings.
pub(super) fn lacks_text(id: u32, entry: &Cursor<'_>, names: &[&str]) -> Option<Verdict> {
    let lacks = names.iter().filter_map(|name| {
        let expected = format!("a non-empty string {name}");
        match entry.member(name) {
            Some(member) if member.value.as_str().is_some_and(|text| !text.is_empty()) => None,
            Some(member) => Some((*name, finding(id, &member, &expected))),
            None => Some((*name, missing(id, entry, name, &expected))),
        }
    });
    all_of(lacks)
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

/// A finding about a place of the card.
pub(super) fn finding(id: u32, cursor: &Cursor<'_>, expected: &str) -> Verdict {
    Verdict::fail(id, expected, cursor.describe()).at(cursor.at.as_str())
}

/// A finding about a member that is not there. One that is nearly called so is the likely cause.
pub(super) fn missing(id: u32, holder: &Cursor<'_>, name: &str, expected: &str) -> Verdict {
    let actual = near_name(holder, name).map_or_else(
        || holder.absence(name).to_owned(),
        |near| format!("missing; {near} is most likely meant as {name}"),
    );
    Verdict::fail(id, expected, actual).at(holder.at.key(name).as_str())
}
