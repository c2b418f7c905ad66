//! Two agents together: whether they can call each other, whether what one puts out arrives whole at the other, and whether they
//! stay apart while both are busy. Judged only where two agents are given (`check --peer`).

mod busy_tasks;
mod call;
mod cards;
mod delegated_call;
mod kept;
mod relay;
mod relayed;
mod together;
mod together_judgement;

use crate::engine::check::{Area, Category, Scenario, Scope};
use crate::engine::run::{DISCOVERY, PairSuite};
use crate::suite::discovery::fetch_card;

/// Two agents together.
pub static AREA: Area = Area {
    name: "two-agents",
    category: Category::Interop,
    is_optional: false,
    scenarios: &[&cards::SCENARIO, &call::SCENARIO, &relay::SCENARIO, &together::SCENARIO],
};

/// Two agents of which one at least is told to call the other.
static DELEGATION: Area = Area {
    name: "two-agents-delegation",
    category: Category::Interop,
    is_optional: false,
    scenarios: &[&delegated_call::SCENARIO],
};

/// Finds a card, and judges nothing: what is wrong with it is found where its agent is checked alone.
static FETCH: Scenario = Scenario {
    id: DISCOVERY,
    title: "Fetch the agent card",
    scope: Scope::Agent,
    drive: |d| Box::pin(fetch_card(d)),
    ..Scenario::DEFAULTS
};

static DISCOVERY_AREA: Area =
    Area { name: "discovery", category: Category::AgentCard, is_optional: false, scenarios: &[&FETCH] };

/// What two agents are checked by.
pub const SUITE: PairSuite = PairSuite { discovery: &[&DISCOVERY_AREA], agents: &[&AREA] };

/// The same where one of the two at least is told to call the other. A page tells none.
pub const DELEGATING_SUITE: PairSuite = PairSuite { agents: &[&AREA, &DELEGATION], ..SUITE };

// A declaration that lacks something does not compile.
const _: () =
    assert!(Area::are_complete(DELEGATING_SUITE.agents), "a check has an id, a title, a why, a fix and a fault");
