//! The checks of clients, by area, and the requirements that they judge, which are in `requirements.txt`.

use super::client_check::ClientCheck;
use super::{
    capability_checks, card_checks, credential_checks, json_rpc_checks, message_checks, message_form_checks,
    moved_checks, push_checks, request_checks, retry_checks, stream_checks, task_checks,
};
use crate::engine::check::{Area, Category, Scenario, Scope};
use crate::engine::requirement::add_table;

/// The requirements, in the form of the engine's table.
const REQUIREMENTS: &str = include_str!("requirements.txt");

/// Checks of one topic.
pub(super) struct CheckGroup {
    pub(super) area: &'static Area,
    pub(super) scenario: &'static Scenario,
    pub(super) checks: &'static [ClientCheck],
}

const fn area(name: &'static str, category: Category, is_optional: bool) -> Area {
    Area { name, category, is_optional, scenarios: &[] }
}

const fn scenario(id: &'static str, title: &'static str, scope: Scope) -> Scenario {
    Scenario { id, title, scope, ..Scenario::DEFAULTS }
}

static CARD: Area = area("client-card", Category::AgentCard, false);
static REQUESTS: Area = area("client-requests", Category::Interop, false);
static MESSAGES: Area = area("client-messages", Category::Lifecycle, false);
static TASKS: Area = area("client-tasks", Category::Lifecycle, false);
static MOVES: Area = area("client-moves", Category::Interop, true);
static STREAMS: Area = area("client-streams", Category::Streaming, true);
static CREDENTIALS: Area = area("client-credentials", Category::ErrorHandling, false);

static FETCHING: Scenario = scenario("client-card", "The client finds the agent", Scope::Agent);
static REQUESTING: Scenario = scenario("client-requests", "The client makes requests", Scope::Traffic);
static ENVELOPES: Scenario = scenario("client-json-rpc", "The client uses JSON-RPC", Scope::Traffic);
static MESSAGE_FORMS: Scenario = scenario("client-message-form", "The client writes messages", Scope::Traffic);
static SENDING: Scenario = scenario("client-messages", "The client sends messages", Scope::Traffic);
static MANAGING: Scenario = scenario("client-tasks", "The client manages tasks", Scope::Traffic);
static CHOOSING: Scenario = scenario("client-capabilities", "The client uses what the card declares", Scope::Traffic);
static PUSHING: Scenario = scenario("client-push", "The client configures push notifications", Scope::Traffic);
static STREAMING: Scenario = scenario("client-streams", "The client streams", Scope::Traffic);
static FOLLOWING: Scenario = scenario("client-moves", "The client follows what has moved", Scope::Agent);
static REPEATING: Scenario = scenario("client-retries", "The client repeats what got no answer", Scope::Traffic);
static IDENTIFYING: Scenario = scenario("client-credentials", "The client shows who it is", Scope::Traffic);

/// Every group, in the order in which it is shown.
pub(super) static GROUPS: &[CheckGroup] = &[
    CheckGroup { area: &CARD, scenario: &FETCHING, checks: card_checks::CHECKS },
    CheckGroup { area: &MOVES, scenario: &FOLLOWING, checks: moved_checks::CHECKS },
    CheckGroup { area: &REQUESTS, scenario: &REQUESTING, checks: request_checks::CHECKS },
    CheckGroup { area: &REQUESTS, scenario: &ENVELOPES, checks: json_rpc_checks::CHECKS },
    CheckGroup { area: &MESSAGES, scenario: &MESSAGE_FORMS, checks: message_form_checks::CHECKS },
    CheckGroup { area: &MESSAGES, scenario: &SENDING, checks: message_checks::CHECKS },
    CheckGroup { area: &MESSAGES, scenario: &REPEATING, checks: retry_checks::CHECKS },
    CheckGroup { area: &TASKS, scenario: &MANAGING, checks: task_checks::CHECKS },
    CheckGroup { area: &TASKS, scenario: &CHOOSING, checks: capability_checks::CHECKS },
    CheckGroup { area: &TASKS, scenario: &PUSHING, checks: push_checks::CHECKS },
    CheckGroup { area: &STREAMS, scenario: &STREAMING, checks: stream_checks::CHECKS },
    CheckGroup { area: &CREDENTIALS, scenario: &IDENTIFYING, checks: credential_checks::CHECKS },
];

// A declaration that lacks something does not compile.
const _: () = {
    let mut groups = GROUPS;
    while let [group, others @ ..] = groups {
        let mut checks = group.checks;
        while let [check, others @ ..] = checks {
            assert!(check.declared.is_complete(), "a check has an id, a title, a why, a fix and a fault");
            checks = others;
        }
        groups = others;
    }
};

/// Makes the requirements of clients known, by which their checks have level and section. Again does nothing.
pub fn add_requirements() {
    add_table(REQUIREMENTS);
}

/// Every check of clients, with its area and its scenario.
pub fn every_client_check() -> impl Iterator<Item = (&'static Area, &'static Scenario, &'static ClientCheck)> {
    GROUPS.iter().flat_map(|group| group.checks.iter().map(move |check| (group.area, group.scenario, check)))
}
