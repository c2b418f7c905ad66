//! The way through a gateway, from the addresses that a user typed.

use super::normalise;
use crate::engine::gateway_route::GatewayRoute;

fn route(agent: &str, gateway: &str) -> GatewayRoute {
    let agent = normalise(agent).expect("an address");
    agent.through(gateway).expect("another address")
}

#[test]
fn a_url_of_the_agent_has_its_place_behind_the_gateway_and_back() {
    for (agent, gateway, direct, through) in [
        ("http://a:1", "http://g:2", "http://a:1/rpc", "http://g:2/rpc"),
        ("http://a:1", "http://g:2/agents/a", "http://a:1/rpc", "http://g:2/agents/a/rpc"),
        ("http://a:1/x/", "https://g/y", "http://a:1/x/rest?k=v", "https://g/y/rest?k=v"),
        ("http://a:1/x", "https://g/y", "http://a:1/x", "https://g/y"),
        ("http://a:1/x/.well-known/agent-card.json", "https://g", "http://a:1/x/rpc", "https://g/rpc"),
        ("http://localhost:1", "http://h/g", "http://127.0.0.1:1/rpc", "http://h/g/rpc"),
        ("http://a:1", "http://a:1/gateway", "http://a:1/0.3/rpc", "http://a:1/gateway/0.3/rpc"),
    ] {
        let route = route(agent, gateway);
        assert_eq!(route.through(direct), through, "{agent} {gateway}");
        assert_eq!(route.through(through), through, "{agent} {gateway}");
        let host = |url: &str| url.replace("127.0.0.1", "localhost");
        assert_eq!(route.directly(through), host(direct), "{agent} {gateway}");
        assert!(route.is_agents_own(direct) && !route.is_agents_own(through), "{agent} {gateway}");
        assert!(route.leads_through(through) && !route.is_agent_itself(), "{agent} {gateway}");
    }
}

#[test]
fn an_agent_below_its_gateway_on_one_host_is_told_from_it() {
    let route = route("http://h/internal/a", "http://h");
    assert_eq!(route.through("http://h/internal/a/rpc"), "http://h/rpc");
    assert!(route.is_agents_own("http://h/internal/a/rpc") && !route.is_agents_own("http://h/rpc"));
    assert_eq!(route.directly("http://h/rpc"), "http://h/internal/a/rpc");
}

#[test]
fn an_address_that_is_the_agents_own_is_no_gateway() {
    for (agent, gateway) in [("http://a:1", "http://a:1/"), ("http://localhost:1/x", "http://127.0.0.1:1/x/")] {
        assert!(route(agent, gateway).is_agent_itself(), "{agent} {gateway}");
    }
    assert!(!route("http://a:1", "http://a:2").is_agent_itself());
}

#[test]
fn the_card_is_looked_for_where_the_agent_has_it() {
    let route = route("http://a:1/x", "http://g:2/y");
    let urls = route.card_urls("http://a:1/x/.well-known/agent.json");
    assert_eq!(urls.first().map(String::as_str), Some("http://g:2/y/.well-known/agent.json"));
    assert!(urls.contains(&"http://g:2/y/.well-known/agent-card.json".to_owned()));
}
