//! The cards that an agent serves, as whoever judges its clients needs them.

use futures_util::StreamExt;

use crate::agent::ScriptedAgent;
use crate::agent::fault::{Faults, VARIANTS};
use crate::host::native;
use crate::wire::http::Request;
use crate::wire::json::{self, Value};

/// The paths of the cards of each version.
const CARDS: [&str; 4] = [
    "/.well-known/agent-card.json",
    "/0.3/.well-known/agent-card.json",
    "/0.2/.well-known/agent.json",
    "/0.1/.well-known/agent.json",
];

/// The card of each version that an agent with these faults serves: as it would be without the faults, and as it is. Null stands for
/// one that is not served.
pub async fn served_cards(agent: &ScriptedAgent, faults: &Faults) -> Vec<(Value, Value)> {
    let host = native::host();
    let variants = faults.iter().filter(|fault| VARIANTS.iter().any(|known| known.id == fault.as_str()));
    let meant = ScriptedAgent::new(agent.base(), host.clock, host.ids, variants.collect());
    let mut cards = Vec::new();
    for path in CARDS {
        cards.push((card(&meant, path).await, card(agent, path).await));
    }
    cards
}

async fn card(agent: &ScriptedAgent, path: &str) -> Value {
    let Ok(answer) = agent.respond(Request::get(format!("{}{path}", agent.base()))).await else { return Value::Null };
    let chunks: Vec<Result<Vec<u8>, String>> = answer.body.collect().await;
    let body: Vec<u8> = chunks.into_iter().filter_map(Result::ok).flatten().collect();
    json::read(&body).unwrap_or_default()
}
