//! Delegation that the user asked for: the template in which the agent is told to call another one, its placeholders, and what is
//! wrong with one.

use super::discover::{Address, CARD_PATH, LEGACY_CARD_PATH};
use crate::a2a::itk::{CallManner, InstructedCall, answer_with, call_with, written};

/// How the agent is told to call another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DelegationOptions {
    /// The user's template.
    pub template: DelegationTemplate,
    /// The addresses of further agents that take the same instructions, through which a chain of calls leads.
    pub further: Vec<String>,
}

/// Where an agent is that another one is told to call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeerAddress {
    /// Its address, below which its card is found.
    pub url: String,
    /// The address of its card.
    pub card_url: String,
}

/// The message that tells an agent to call another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DelegationTemplate {
    /// Words of the user's, with places for the address of the other agent and for the token that the call has to carry.
    Words(String),
    /// An instruction of a2aproject/a2a-itk.
    Itk,
}

/// The name of the instructions of a2aproject/a2a-itk in the place of a template.
const ITK: &str = "itk";

/// What a place in a template stands for: the address of the other agent.
pub const PEER_URL: &str = "{peer_url}";
/// The address of its card.
pub const PEER_CARD_URL: &str = "{peer_card_url}";
/// The token.
pub const TOKEN: &str = "{token}";

/// Why a text is not a template.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TemplateProblem {
    /// It has a place that stands for nothing.
    #[error("unknown placeholder {0}; there are {PEER_URL}, {PEER_CARD_URL} and {TOKEN}")]
    Unknown(String),
    /// It has no place for the token.
    #[error("the template has no {TOKEN}, by which the call is known")]
    NoToken,
    /// It has no place for an address.
    #[error("the template has neither {PEER_URL} nor {PEER_CARD_URL}, so that the agent would not know whom to call")]
    NoAddress,
}

impl DelegationTemplate {
    /// Reads a template, which has an address to call and the token by which a call is known. Braces around anything but a name in lower
    /// case are text.
    pub fn parse(text: &str) -> Result<Self, TemplateProblem> {
        if text == ITK {
            return Ok(Self::Itk);
        }
        let unknown = placeholders(text).find(|name| ![PEER_URL, PEER_CARD_URL, TOKEN].contains(name));
        if let Some(name) = unknown {
            return Err(TemplateProblem::Unknown(name.to_owned()));
        }
        if !text.contains(TOKEN) {
            return Err(TemplateProblem::NoToken);
        }
        if !text.contains(PEER_URL) && !text.contains(PEER_CARD_URL) {
            return Err(TemplateProblem::NoAddress);
        }
        Ok(Self::Words(text.to_owned()))
    }

    /// The message that tells an agent to call this peer with this token.
    #[must_use]
    pub fn filled(&self, peer_url: &str, peer_card_url: &str, token: &str) -> String {
        match self {
            Self::Words(words) => {
                words.replace(PEER_URL, peer_url).replace(PEER_CARD_URL, peer_card_url).replace(TOKEN, token)
            }
            Self::Itk => {
                let manner = CallManner::Plain;
                let call = InstructedCall { transport: "JSONRPC", agent: peer_url, streaming: false, manner };
                written(&call_with(call, answer_with(token)))
            }
        }
    }
}

/// Where an agent is that the user gave this address of.
#[must_use]
pub fn address_of(agent: &Address) -> PeerAddress {
    let card_url = agent.candidates().into_iter().next().unwrap_or_default();
    let base = [CARD_PATH, LEGACY_CARD_PATH].iter().find_map(|path| card_url.strip_suffix(path));
    PeerAddress { url: base.map_or_else(|| agent.parsed().origin(), str::to_owned), card_url }
}

/// The names in braces.
fn placeholders(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices('{').filter_map(move |(start, _)| {
        let rest = text.get(start..)?;
        let end = rest.find('}')?;
        let name = rest.get(1..end)?;
        let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        is_name.then(|| rest.get(..=end)).flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_is_filled_at_every_place() {
        let template = DelegationTemplate::parse(r#"{"a": {1}} Call {peer_url} ({peer_card_url}): {token}, {token}"#);
        let filled = template.expect("a template").filled("http://b", "http://b/card", "t-1");
        assert_eq!(filled, r#"{"a": {1}} Call http://b (http://b/card): t-1, t-1"#);
    }

    #[test]
    fn a_template_by_which_nothing_could_be_proven_is_refused() {
        for (text, problem) in [
            ("Call {peer} with {token}", TemplateProblem::Unknown("{peer}".to_owned())),
            ("Call {peer_url} with {token} at {when}", TemplateProblem::Unknown("{when}".to_owned())),
            ("Call {peer_url}", TemplateProblem::NoToken),
            ("Say {token}", TemplateProblem::NoAddress),
            ("", TemplateProblem::NoToken),
        ] {
            assert_eq!(DelegationTemplate::parse(text), Err(problem), "{text}");
        }
        let said = TemplateProblem::Unknown("{peer}".to_owned()).to_string();
        assert_eq!(said, "unknown placeholder {peer}; there are {peer_url}, {peer_card_url} and {token}");
    }
}
