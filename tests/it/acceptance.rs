//! The agents of AgentBin's acceptance tests, as the scripted agent plays them, and the profile that runs those tests.

use a2a_conformance::engine::event::Event;
use a2a_conformance::engine::options::Options;

use crate::support::check_at;

#[test]
fn the_agents_of_the_acceptance_tests_conform_and_have_the_skills_that_the_tests_name() {
    const SKILLS: [&str; 8] = [
        "message-only",
        "task-lifecycle",
        "task-failure",
        "task-cancel",
        "multi-turn",
        "streaming",
        "long-running",
        "data-types",
    ];
    for (path, skills, lanes) in [
        ("/echo", ["echo"].as_slice(), ["jsonrpc-1.0", "rest-1.0"]),
        ("/spec", &SKILLS, ["jsonrpc-1.0", "rest-1.0"]),
        ("/spec03", &SKILLS, ["jsonrpc-0.3", "rest-0.3"]),
    ] {
        let told = check_at(path, &[], Options::default());
        assert_eq!(told.findings(), [""; 0], "{path}");
        let mut judged: Vec<_> = told.judged().into_iter().filter_map(|(_, lane)| lane).collect();
        judged.sort_unstable();
        judged.dedup();
        assert_eq!(judged, lanes, "{path}");
        let card = told.exchanges.iter().find(|exchange| exchange.request.url.ends_with("agent-card.json"));
        let body = card.and_then(|card| card.response.as_ref()).map(|response| response.body.clone());
        let card: serde_json::Value = serde_json::from_slice(&body.expect("a card")).expect("JSON");
        let ids: Vec<_> = card["skills"].as_array().expect("skills").iter().map(|skill| &skill["id"]).collect();
        assert_eq!(ids, skills, "{path}");
        assert!(told.events.iter().any(|event| matches!(event, Event::Finished { .. })));
    }
}
