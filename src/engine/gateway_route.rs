//! The way through a gateway: which URL behind it is which of the agent's own, and the other way round.

use std::cell::{Cell, OnceCell};
use std::rc::Rc;

use super::discover::{self, Address, AddressProblem, CARD_PATH, LEGACY_CARD_PATH};
use super::shared_requests::Asked;
use super::transcript::Lane;
use crate::a2a::model::{Card, Interface};
use crate::wire::url::Url;

/// What the ids of lanes through a gateway begin with. The rest is the id of the lane that is called directly.
pub const PREFIX: &str = "gateway-";

/// The address of an agent and that of the gateway before it.
#[derive(Debug, Clone)]
pub struct GatewayRoute {
    agent: Url,
    gateway: Url,
    cards: Vec<String>,
}

impl GatewayRoute {
    /// The way to an agent through the gateway at the address that a user typed.
    ///
    /// # Errors
    /// Why that is no address.
    pub fn new(agent: &Address, typed: &str) -> Result<Self, AddressProblem> {
        let gateway = discover::normalise(typed)?;
        let cards = gateway.candidates();
        Ok(Self { agent: base(agent), gateway: base(&gateway), cards })
    }

    /// Whether both are the same address, so that there is nothing to compare.
    #[must_use]
    pub fn is_agent_itself(&self) -> bool {
        same_origin(&self.agent, &self.gateway) && self.agent.path == self.gateway.path
    }

    /// The gateway, for people.
    #[must_use]
    pub fn name(&self) -> String {
        let text = self.gateway.to_string();
        text.strip_suffix('/').unwrap_or(&text).to_owned()
    }

    /// Whether a URL leads through the gateway.
    #[must_use]
    pub fn leads_through(&self, url: &str) -> bool {
        Url::parse(url).is_ok_and(|url| self.is_gateways(&url))
    }

    /// Whether a URL is on the agent's host, whichever port, and does not lead through the gateway.
    #[must_use]
    pub fn is_on_agents_host(&self, url: &str) -> bool {
        Url::parse(url).is_ok_and(|url| same_host(&self.agent, &url) && !self.is_gateways(&url))
    }

    /// Whether a URL leads to the agent itself, and not through the gateway.
    #[must_use]
    pub fn is_agents_own(&self, url: &str) -> bool {
        let is_own = |url: &Url| same_origin(&self.agent, url) && !self.is_gateways(url);
        Url::parse(url).is_ok_and(|url| is_own(&url))
    }

    /// Whether a URL is below the gateway. On a host that both share it belongs to the one whose path is longer.
    fn is_gateways(&self, url: &Url) -> bool {
        let is_narrower = self.gateway.path.len() >= self.agent.path.len();
        below(&self.gateway, url).is_some() && (is_narrower || below(&self.agent, url).is_none())
    }

    /// The URL by which something of the agent is reached through the gateway: the same path there.
    #[must_use]
    pub fn through(&self, url: &str) -> String {
        let Ok(parsed) = Url::parse(url) else { return url.to_owned() };
        if self.is_gateways(&parsed) {
            return url.to_owned();
        }
        moved(&parsed, below(&self.agent, &parsed), &self.gateway)
    }

    /// The URL by which something is reached without the gateway.
    #[must_use]
    pub fn directly(&self, url: &str) -> String {
        match Url::parse(url) {
            Ok(parsed) if self.is_gateways(&parsed) => moved(&parsed, below(&self.gateway, &parsed), &self.agent),
            _ => url.to_owned(),
        }
    }

    /// A card whose interfaces lead past the gateway. An agent may declare the address that clients are to use.
    #[must_use]
    pub fn past_it(&self, card: &Card) -> Card {
        let interfaces = card.interfaces.iter();
        let interfaces =
            interfaces.map(|interface| Interface { url: self.directly(&interface.url), ..interface.clone() }).collect();
        Card { interfaces, ..card.clone() }
    }

    /// Where the gateway may have the card that the agent has at this URL, best first.
    #[must_use]
    pub fn card_urls(&self, direct: &str) -> Vec<String> {
        let mut urls = vec![self.through(direct)];
        if let [only] = self.cards.as_slice() {
            // The user named the card itself.
            urls = vec![only.clone()];
        }
        // At the origin of a gateway that has a path of its own there may be the card of another agent.
        for url in self.cards.iter().filter(|url| self.leads_through(url)) {
            if !urls.contains(url) {
                urls.push(url.clone());
            }
        }
        urls
    }

    /// The lane through the gateway that a direct one is compared with: the interface that the gateway's card has in its place, if that
    /// leads through the gateway; otherwise the same path there. `None` where the agent has the interface on another origin.
    #[must_use]
    pub fn twin(&self, lane: &Lane, shown: Option<&Card>) -> Option<Rc<Lane>> {
        let declared = shown.map(|card| discover::lanes(card).0).unwrap_or_default();
        let declared = declared.iter().find(|other| other.id == lane.id).map(|other| other.interface.url.clone());
        let url = declared.filter(|url| self.leads_through(url));
        let own = || self.is_agents_own(&lane.interface.url).then(|| self.through(&lane.interface.url));
        let url = url.or_else(own)?;
        Some(Rc::new(Lane {
            id: format!("{PREFIX}{}", lane.id),
            interface: Interface { url, ..lane.interface.clone() },
            dialect: lane.dialect,
            binding: lane.binding,
            other_verb: Cell::new(lane.other_verb.get()),
            form: Cell::new(lane.form.get()),
            named_version: lane.named_version.get().map_or_else(OnceCell::new, |version| version.clone().into()),
            wants_output_modes: Cell::new(lane.wants_output_modes.get()),
            asked: Asked::default(),
        }))
    }
}

/// The place below which an address has its card and its interfaces.
fn base(address: &Address) -> Url {
    let url = address.parsed();
    let path = url.path.as_str();
    let card = [CARD_PATH, LEGACY_CARD_PATH].into_iter().find_map(|card| path.strip_suffix(card));
    let path = match card {
        Some(base) => base,
        None if address.names_card() => path.rsplit_once('/').map_or("", |(folder, _)| folder),
        None => path,
    };
    let path = format!("{}/", path.trim_end_matches('/'));
    Url { path, query: None, ..url.clone() }
}

/// Whether two URLs have one host. This machine has several names.
fn same_host(one: &Url, other: &Url) -> bool {
    one.host == other.host || (one.is_loopback() && other.is_loopback())
}

/// Whether two URLs are of one origin.
fn same_origin(one: &Url, other: &Url) -> bool {
    let port = |url: &Url| url.port.unwrap_or(url.own_port());
    same_host(one, other) && one.scheme == other.scheme && port(one) == port(other)
}

/// The rest of a URL's path below a base, if it is there.
fn below<'a>(base: &Url, url: &'a Url) -> Option<&'a str> {
    let folder = base.path.trim_end_matches('/');
    let rest = url.path.strip_prefix(folder).filter(|rest| rest.is_empty() || rest.starts_with('/'));
    rest.filter(|_| same_origin(base, url))
}

/// A URL at another base: the rest below it, or the whole path at its origin.
fn moved(url: &Url, rest: Option<&str>, base: &Url) -> String {
    let path = match rest {
        Some("") if base.path == "/" => "/".to_owned(),
        Some(rest) => format!("{}{rest}", base.path.trim_end_matches('/')),
        None => url.path.clone(),
    };
    Url { path, query: url.query.clone(), ..base.clone() }.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route(agent: &str, gateway: &str) -> GatewayRoute {
        let agent = discover::normalise(agent).expect("an address");
        GatewayRoute::new(&agent, gateway).expect("another address")
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
}
