//! The second address as it was typed, what is said of it and refused of it, and what it makes of the options of a run: another
//! agent, or a gateway.

use super::form::{Refused, add_line, once_only, sentence};
use crate::engine::credentials::parse::GivenCredentials;
use crate::engine::discover::normalise;
use crate::engine::options::{Options, Source, TWO_AGENTS_ONCE};
use crate::view_model::binary_encoding::binary_encoding;

/// What is at the second address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SecondKind {
    /// Another agent, which is checked alone and together with the first: `check --peer`.
    #[default]
    Peer,
    /// A gateway before the agent, through which it is checked as well: `check --via`.
    Gateway,
}

binary_encoding! { enum SecondKind { Peer, Gateway } }

impl SecondKind {
    /// Both, in the order in which they are offered.
    pub const ALL: [Self; 2] = [Self::Peer, Self::Gateway];

    /// Its name in a link.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Peer => "peer",
            Self::Gateway => "via",
        }
    }

    /// The one of that name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    /// What it is, for people.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Peer => "another agent that this one works with",
            Self::Gateway => "a gateway in front of this agent",
        }
    }

    /// What a run does with it, and who gets which credentials.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Peer => {
                "Each is checked alone, then both together. This credential goes to the other agent alone, and is neither kept nor in the link."
            }
            Self::Gateway => {
                "What comes through it is compared with the agent's own answers. The credentials above go there, too."
            }
        }
    }
}

/// The second address as it was typed, and the credential of the agent there. The credential is in this tab's memory alone.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SecondAddress {
    /// The address; empty for none.
    pub address: String,
    /// What is there.
    pub kind: SecondKind,
    /// A bearer token or a header line for the agent there.
    credential: String,
    /// The origin of the agent that the credential is for; empty while there is no address.
    owner: String,
}

binary_encoding! { struct SecondAddress { address, kind, credential, owner } }

impl SecondAddress {
    /// Whether there is one.
    #[must_use]
    pub fn is_given(&self) -> bool {
        !self.address.trim().is_empty()
    }

    /// The credential for the agent that is there now. One that was typed for another origin is not for this one.
    #[must_use]
    pub fn credential(&self) -> &str {
        let is_its_own = self.owner.is_empty() || self.owner == self.origin();
        if is_its_own && self.kind == SecondKind::Peer { self.credential.trim() } else { "" }
    }

    /// Types a credential, which is for the agent that is there now.
    pub fn set_credential(&mut self, typed: String) {
        self.owner = self.origin();
        self.credential = typed;
    }

    /// From now on the credential is for the agent that is there now, unless it was for another.
    pub fn settle(&mut self) {
        if self.owner.is_empty() {
            self.owner = self.origin();
        }
    }

    fn origin(&self) -> String {
        normalise(self.address.trim()).map(|address| address.parsed().origin()).unwrap_or_default()
    }

    /// Adds the gateway to the options of a run of the first agent, if it is one. The error is one sentence for the user on what
    /// cannot be used, also of another agent.
    pub fn add_to(&self, options: &mut Options) -> Result<(), String> {
        if !self.is_given() {
            return Ok(());
        }
        if matches!(options.source, Source::Card(_)) {
            return Err("a card that is pasted is judged by itself, so leave the second address empty".to_owned());
        }
        match self.kind {
            SecondKind::Peer if options.repeat > 1 => Err(once_only(TWO_AGENTS_ONCE)),
            SecondKind::Peer => self.read_peer().map(|_| ()),
            SecondKind::Gateway => {
                let gateway = self.read_address()?;
                if gateway == options.address {
                    return Err("the second address is the address of the agent itself".to_owned());
                }
                options.via = Some(self.address.trim().to_owned());
                Ok(())
            }
        }
    }

    /// The options of the run of the other agent, beside those of the first, or one sentence for the user on what cannot be used;
    /// `None` where there is no other.
    pub fn peer(&self, first: &Options) -> Result<Option<Options>, String> {
        if !self.is_given() || self.kind != SecondKind::Peer {
            return Ok(None);
        }
        let (address, given) = self.read_peer()?;
        let mut options = first.of_peer(address);
        given.put_into(&mut options);
        Ok(Some(options))
    }

    fn read_peer(&self) -> Result<(String, GivenCredentials), String> {
        let address = self.read_address()?;
        let mut given = GivenCredentials::default();
        let credential = self.credential();
        let added = match credential {
            "" => Ok(()),
            // A header line is written with a space behind its colon; without one it may be a token that has a colon.
            line if line.contains(": ") => add_line(&mut given, line).map_err(Refused::sentence),
            token => given.bearer(token).map_err(sentence),
        };
        added.map_err(|problem| format!("the credential of the second address: {problem}"))?;
        Ok((address, given))
    }

    fn read_address(&self) -> Result<String, String> {
        let address = normalise(self.address.trim()).map_err(|problem| format!("the second address: {problem}"))?;
        Ok(address.url())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn second(address: &str, kind: SecondKind) -> SecondAddress {
        SecondAddress { address: address.to_owned(), kind, ..SecondAddress::default() }
    }

    fn first() -> Options {
        Options { address: "https://one.example/".to_owned(), is_thorough: true, ..Options::default() }
    }

    #[test]
    fn a_gateway_is_an_option_of_the_run() {
        let mut options = first();
        assert_eq!(second("", SecondKind::Gateway).add_to(&mut options), Ok(()));
        assert_eq!(options.via, None);
        let gateway = second(" gate.example/agents ", SecondKind::Gateway);
        assert_eq!(gateway.add_to(&mut options), Ok(()));
        assert_eq!(options.via.as_deref(), Some("gate.example/agents"));
        assert_eq!(gateway.peer(&options), Ok(None));
    }

    #[test]
    fn another_agent_has_a_run_of_its_own() {
        let mut options = first();
        let mut peer = second("two.example", SecondKind::Peer);
        peer.set_credential(" token-of-b ".to_owned());
        assert_eq!(peer.add_to(&mut options), Ok(()));
        assert_eq!(options, first());
        let other = peer.peer(&options).unwrap().unwrap();
        assert_eq!((other.address.as_str(), other.is_thorough), ("https://two.example/", true));
        assert_eq!(other.headers, [("Authorization".to_owned(), "Bearer token-of-b".to_owned())]);
        peer.set_credential("X-Key: value: 1".to_owned());
        let other = peer.peer(&options).unwrap().unwrap();
        assert_eq!(other.headers, [("X-Key".to_owned(), "value: 1".to_owned())]);
    }

    #[test]
    fn what_cannot_be_used_is_said_without_the_credential() {
        let card = Options { source: Source::Card(b"{}".to_vec()), ..first() };
        for (second, mut options, part) in [
            (second("ftp://h", SecondKind::Peer), first(), "the second address: "),
            (second("ftp://h", SecondKind::Gateway), first(), "the second address: "),
            (second("https://one.example", SecondKind::Gateway), first(), "address of the agent itself"),
            (second("two.example", SecondKind::Peer), card, "judged by itself"),
        ] {
            let problem = second.add_to(&mut options).unwrap_err();
            assert!(problem.contains(part), "{problem}");
        }
        for typed in ["Cookie: canary", "a canary", "X A: canary"] {
            let mut peer = second("two.example", SecondKind::Peer);
            peer.set_credential(typed.to_owned());
            let problem = peer.peer(&first()).unwrap_err();
            assert!(
                problem.contains("the credential of the second address") && !problem.contains("canary"),
                "{problem}"
            );
        }
    }

    #[test]
    fn a_credential_is_for_the_agent_that_it_was_typed_for() {
        let mut peer = second("two.example/a", SecondKind::Peer);
        peer.set_credential("canary".to_owned());
        for (address, kind, sent) in [
            ("https://two.example/b", SecondKind::Peer, "canary"),
            ("three.example", SecondKind::Peer, ""),
            ("", SecondKind::Peer, ""),
            ("two.example", SecondKind::Gateway, ""),
            ("two.example", SecondKind::Peer, "canary"),
        ] {
            (peer.address, peer.kind) = (address.to_owned(), kind);
            assert_eq!(peer.credential(), sent, "{address}");
        }
        // Typed before the address, it is for the first that a run names.
        let mut early = SecondAddress::default();
        early.set_credential("canary".to_owned());
        early.address = "two.example".to_owned();
        early.settle();
        assert_eq!(early.credential(), "canary");
        early.address = "three.example".to_owned();
        assert_eq!(early.credential(), "");
    }
}
