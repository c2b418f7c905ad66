//! The cards that an agent serves, as whoever judges its clients needs them.

use super::situations::{ELSEWHERE, MOVED, Situations, moved};
use crate::agent::ScriptedAgent;
use crate::agent::fault::{Faults, VARIANTS};
use crate::host::native;
use crate::wire::http::Request;
use crate::wire::json::{self, Value};
use crate::wire::received::ServedCard;

/// The versions, newest first, and the paths of their cards.
const CARDS: [(&str, &str); 4] = [
    ("1.0", "/.well-known/agent-card.json"),
    ("0.3", "/0.3/.well-known/agent-card.json"),
    ("0.2", "/0.2/.well-known/agent.json"),
    ("0.1", "/0.1/.well-known/agent.json"),
];

/// The cards that an agent with these faults serves.
pub async fn served_cards(agent: &ScriptedAgent, faults: &Faults) -> Vec<ServedCard> {
    let host = native::host();
    let variants = faults.iter().filter(|fault| VARIANTS.iter().any(|known| known.id == fault.as_str()));
    let meant = ScriptedAgent::new(agent.base(), host.clock, host.ids, variants.collect());
    let mut cards = Vec::new();
    for (version, path) in CARDS {
        let url = format!("{}{path}", agent.base());
        let (meant, served) = (card(&meant, &url).await, card(agent, &url).await);
        cards.push(ServedCard { version, url, meant, served });
    }
    cards
}

/// The same cards where situations move them to; none without situations.
#[must_use]
pub fn moved_cards(cards: &[ServedCard], base: &str, situations: &Situations) -> Vec<ServedCard> {
    let prefixes: &[&str] = if situations.is_empty() { &[] } else { &[MOVED, ELSEWHERE] };
    let behind = |prefix: &'static str| {
        cards.iter().map(move |card| ServedCard {
            version: card.version,
            url: format!("{base}{prefix}{}", card.url.strip_prefix(base).unwrap_or_default()),
            meant: moved(card.meant.clone(), prefix, base),
            served: moved(card.served.clone(), prefix, base),
        })
    };
    prefixes.iter().flat_map(|prefix| behind(prefix)).collect()
}

async fn card(agent: &ScriptedAgent, url: &str) -> Value {
    let Ok(answer) = agent.respond(Request::get(url)).await else { return Value::Null };
    json::read(&answer.collected().await.1).unwrap_or_default()
}
