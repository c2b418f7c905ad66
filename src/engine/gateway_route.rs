//! The way through a gateway: which URL behind it is which of the agent's own, and the other way round.

use crate::a2a::model::{Card, Interface};
use crate::wire::url::Url;

/// What the ids of lanes through a gateway begin with. The rest is the id of the lane that is called directly.
pub const PREFIX: &str = "gateway-";

/// The address of an agent and that of the gateway before it.
#[derive(Debug, Clone)]
pub struct GatewayRoute {
    /// The places below which each of them has its card and its interfaces; their paths end with a slash.
    pub(super) agent: Url,
    pub(super) gateway: Url,
    /// Where the gateway's card may be.
    pub(super) cards: Vec<String>,
}

impl GatewayRoute {
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
        Url::parse(url).is_ok_and(|url| same_origin(&self.agent, &url) && !self.is_gateways(&url))
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

    /// A card whose interfaces lead past the gateway (T-GW-4). An agent may declare the address that clients are to use.
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
