//! The arguments by which an agent is told to call another, and the agent of ours that it calls.

use std::rc::Rc;

use anyhow::{Context, Result};
use clap::Args;

use crate::engine::delegation::{DelegationOptions, DelegationTemplate, address_of};
use crate::engine::discover::normalise;
use crate::engine::options::Options;
use crate::wire::url::Url;

// No doc comment: clap would show it as the description of the command.
#[derive(Debug, Args, Default)]
#[command(next_help_heading = "Delegation: the agent is told to call another one, and what arrives there is the proof")]
pub(super) struct DelegationArgs {
    /// The message that tells the agent to call another: {peer_url} or {peer_card_url} stands for its address, and {token} for what
    /// the call has to carry. An agent of ours is called, and judges the call. `itk` for an agent that takes the instructions of
    /// a2aproject/a2a-itk
    #[arg(long, value_name = "TEMPLATE", conflicts_with_all = ["card"])]
    delegate: Option<String>,
    /// The same for the peer
    #[arg(long, value_name = "TEMPLATE", requires = "peer")]
    peer_delegate: Option<String>,
    /// Where that agent of ours listens [default: 127.0.0.1:0, for an agent on this machine]
    #[arg(long, value_name = "ADDRESS")]
    pub(super) beacon_listen: Option<String>,
    /// The origin under which the agent reaches that address, such as that of a tunnel
    #[arg(long, value_name = "URL", requires = "beacon_listen", value_parser = origin)]
    pub(super) beacon_url: Option<String>,
}

fn origin(text: &str) -> Result<String, String> {
    let url = Url::parse(text).map_err(|problem| problem.to_string())?;
    let origin = url.origin();
    if text.trim_end_matches('/') == origin {
        return Ok(origin);
    }
    Err(format!("the agent is served below no path; give an origin, such as {origin}"))
}

impl DelegationArgs {
    /// Adds what the agent is told to the options of its run, where the peer is at this address. What is wrong with a template is said
    /// before anything is sent.
    pub(super) fn add_to(&self, options: &mut Options, peer: Option<&str>) -> Result<()> {
        let [own, other] = self.templates()?;
        options.delegation = delegation(own, other.as_ref(), peer);
        Ok(())
    }

    /// The same for the peer, where the first agent is at this address.
    pub(super) fn add_to_peer(&self, options: &mut Options, first: &str) -> Result<()> {
        let [other, own] = self.templates()?;
        options.delegation = delegation(own, other.as_ref(), Some(first));
        Ok(())
    }

    fn templates(&self) -> Result<[Option<DelegationTemplate>; 2]> {
        let read = |option: &'static str, given: &Option<String>| {
            given.as_deref().map(DelegationTemplate::parse).transpose().context(option)
        };
        Ok([read("--delegate", &self.delegate)?, read("--peer-delegate", &self.peer_delegate)?])
    }

    /// Whether any agent is told to call another.
    pub(super) const fn is_wanted(&self) -> bool {
        self.delegate.is_some() || self.peer_delegate.is_some()
    }
}

/// What an agent is told. Where both take instructions, a chain of calls leads through the other, which is at this address.
fn delegation(
    own: Option<DelegationTemplate>,
    other: Option<&DelegationTemplate>,
    address: Option<&str>,
) -> Option<Rc<DelegationOptions>> {
    let template = own?;
    let both = template == DelegationTemplate::Itk && other == Some(&DelegationTemplate::Itk);
    let address = address.filter(|_| both).and_then(|url| normalise(url).ok());
    let further: Vec<String> = address.iter().map(|address| address_of(address).url).collect();
    Some(Rc::new(DelegationOptions { template, further }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beacon_has_an_origin_and_no_path() {
        assert_eq!(origin("https://tunnel.example.com/"), Ok("https://tunnel.example.com".to_owned()));
        assert!(origin("https://tunnel.example.com/agent").is_err_and(|problem| problem.contains("give an origin")));
        assert!(origin("tunnel").is_err());
    }
}
