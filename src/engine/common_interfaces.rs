//! Which interface two agents have in common, by their cards: of the same version and the same binding. An agent is assumed to be able
//! to call, as a client, what it serves.

use std::rc::Rc;

use super::discover;
use super::transcript::{Lane, RunFacts};
use crate::a2a::dialect::DIALECTS;
use crate::wire::order;

/// Why two agents have no interface in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NothingInCommon {
    /// Why, in words: `no common version`.
    pub reason: String,
    /// What each of them serves.
    pub served: String,
    /// The smallest change that would help.
    pub change: String,
}

/// The interfaces of an agent that this checker speaks.
#[must_use]
pub fn served_by(facts: &RunFacts) -> Vec<Rc<Lane>> {
    let card = facts.card.as_deref().filter(|_| !facts.candidate);
    card.map(|card| discover::lanes(card).0).unwrap_or_default()
}

/// The places of the interfaces that two agents have in common, the newest version first, and then in the order of the first card; an
/// error is why there are none.
pub fn common(first: &[Rc<Lane>], second: &[Rc<Lane>]) -> Result<Vec<(usize, usize)>, NothingInCommon> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (place, lane) in first.iter().enumerate() {
        let other = second.iter().position(|other| is_same(lane, other));
        found.extend(other.map(|other| (place, other)));
    }
    order::sort_by_key(&mut found, |(place, _)| first.get(*place).map_or(0, |lane| age(version(lane))));
    if found.is_empty() { Err(nothing_in_common(first, second)) } else { Ok(found) }
}

fn is_same(lane: &Lane, other: &Lane) -> bool {
    version(lane) == version(other) && lane.binding.id == other.binding.id
}

fn version(lane: &Lane) -> &'static str {
    lane.dialect.version
}

/// How old a version is: the newest has 0.
fn age(version: &str) -> usize {
    DIALECTS.iter().position(|dialect| dialect.version == version).unwrap_or(DIALECTS.len())
}

/// The interfaces in words: `JSON-RPC 1.0 and HTTP+JSON 1.0`.
#[must_use]
pub fn in_words(lanes: &[Rc<Lane>]) -> String {
    let names: Vec<_> = lanes.iter().map(|lane| format!("{} {}", lane.binding.title, version(lane))).collect();
    if names.is_empty() { "no interface that this checker speaks".to_owned() } else { names.join(" and ") }
}

fn nothing_in_common(first: &[Rc<Lane>], second: &[Rc<Lane>]) -> NothingInCommon {
    let served = format!("agent A serves {}, and agent B {}", in_words(first), in_words(second));
    let shares = |is_shared: fn(&Lane, &Lane) -> bool| {
        let pairs = first.iter().flat_map(|lane| second.iter().map(move |other| (lane, other)));
        let mut pairs: Vec<_> = pairs.filter(|(lane, other)| is_shared(lane, other)).collect();
        order::sort_by_key(&mut pairs, |(lane, other)| age(version(lane)).min(age(version(other))));
        pairs.first().copied()
    };
    let same_version = shares(|lane, other| version(lane) == version(other));
    let same_binding = shares(|lane, other| lane.binding.id == other.binding.id);
    let (reason, change) = match (same_version, same_binding, first.first(), second.first()) {
        (.., None, _) | (.., None) => {
            let who = if first.is_empty() { "agent A" } else { "agent B" };
            let other = first.iter().chain(second).next();
            let wanted = other.map_or_else(|| "an interface".to_owned(), |lane| in_words(std::slice::from_ref(lane)));
            (format!("{who} has no interface that can be called"), format!("let {who} serve {wanted}"))
        }
        (Some((lane, _)), None, ..) => ("no common binding".to_owned(), add("agent B", lane, version(lane))),
        (Some((lane, _)), Some(_), ..) => {
            ("no interface of the same version and the same binding".to_owned(), add("agent B", lane, version(lane)))
        }
        (None, same_binding, Some(lane), Some(other)) => {
            // The older of the two learns the newer version, over a binding that it has.
            let (lane, other) = same_binding.unwrap_or((lane, other));
            let is_first_newer = age(version(lane)) < age(version(other));
            let change = match is_first_newer {
                true => add("agent B", if same_binding.is_some() { other } else { lane }, version(lane)),
                false => add("agent A", if same_binding.is_some() { lane } else { other }, version(other)),
            };
            ("no common version".to_owned(), change)
        }
    };
    NothingInCommon { reason, served, change }
}

fn add(who: &str, lane: &Lane, version: &str) -> String {
    format!("let {who} serve {} {version}, too", lane.binding.title)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::a2a::model::{Card, Interface};

    fn lanes(served: &[(&str, &str)]) -> Vec<Rc<Lane>> {
        let interfaces = served.iter().enumerate().map(|(number, (binding, version))| Interface {
            url: format!("http://h/{number}"),
            binding: (*binding).to_owned(),
            version: (*version).to_owned(),
            tenant: None,
        });
        discover::lanes(&Card { interfaces: interfaces.collect(), ..Card::default() }).0
    }

    #[test]
    fn the_newest_common_version_comes_first() {
        let first = lanes(&[("JSONRPC", "0.3"), ("HTTP+JSON", "1.0"), ("JSONRPC", "1.0")]);
        let second = lanes(&[("JSONRPC", "1.0"), ("JSONRPC", "0.3"), ("HTTP+JSON", "1.0")]);
        assert_eq!(common(&first, &second), Ok(vec![(1, 2), (2, 0), (0, 1)]));
    }

    #[test]
    fn why_two_agents_have_nothing_in_common_is_told_with_the_smallest_change() {
        let told = |first: &[(&str, &str)], second: &[(&str, &str)]| {
            let why = common(&lanes(first), &lanes(second)).expect_err("nothing in common");
            format!("{}: {}", why.reason, why.change)
        };
        for (first, second, expected) in [
            (
                &[("JSONRPC", "1.0")][..],
                &[("JSONRPC", "0.3")][..],
                "no common version: let agent B serve JSON-RPC 1.0, too",
            ),
            (&[("JSONRPC", "0.2")], &[("JSONRPC", "0.3")], "no common version: let agent A serve JSON-RPC 0.3, too"),
            (&[("HTTP+JSON", "1.0")], &[("JSONRPC", "0.3")], "no common version: let agent B serve HTTP+JSON 1.0, too"),
            (&[("JSONRPC", "1.0")], &[("HTTP+JSON", "1.0")], "no common binding: let agent B serve JSON-RPC 1.0, too"),
            (
                &[("JSONRPC", "1.0"), ("HTTP+JSON", "0.3")],
                &[("HTTP+JSON", "1.0"), ("JSONRPC", "0.3")],
                "no interface of the same version and the same binding: let agent B serve JSON-RPC 1.0, too",
            ),
            (&[("JSONRPC", "1.0")], &[], "agent B has no interface that can be called: let agent B serve JSON-RPC 1.0"),
            (&[], &[], "agent A has no interface that can be called: let agent A serve an interface"),
        ] {
            assert_eq!(told(first, second), expected);
        }
    }
}
