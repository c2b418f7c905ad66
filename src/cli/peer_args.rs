//! The arguments for a second agent, with which the first is checked together, and its credentials. They have no `Debug` that would
//! print credentials.

use clap::Args;

use super::arg_values::prompt;
use super::credential_args::CredentialArgs;
use crate::engine::prompt::Behaviour;

// No doc comment: clap would show it as the description of the command.
#[derive(Args, Default)]
#[command(next_help_heading = "A second agent, the peer: each is checked alone, and then both together")]
pub(super) struct PeerArgs {
    /// The second agent: an origin, a base path or the URL of its card. The run also checks whether the two can call each other,
    /// whether what one puts out arrives whole at the other, and whether they stay apart while both are busy
    #[arg(id = "peer", long = "peer", value_name = "URL", conflicts_with_all = ["card", "endpoint"])]
    pub(super) url: Option<String>,
    /// Send `Authorization: Bearer TOKEN` with every request to the peer (or the environment variable A2A_PEER_BEARER)
    #[arg(id = "peer-bearer", long, value_name = "TOKEN", requires = "peer")]
    pub(super) bearer: Option<String>,
    /// Send `Authorization: Basic` with every request to the peer (or A2A_PEER_BASIC)
    #[arg(id = "peer-basic", long, value_name = "USER:PASSWORD", requires = "peer")]
    pub(super) basic: Option<String>,
    /// Send this key in a header with every request to the peer (or A2A_PEER_API_KEY). May be repeated
    #[arg(id = "peer-api-key", long, value_name = "NAME=VALUE", requires = "peer")]
    pub(super) api_keys: Vec<String>,
    /// Send this key in the query of every request to the peer (or A2A_PEER_API_KEY_QUERY). May be repeated
    #[arg(id = "peer-api-key-query", long, value_name = "NAME=VALUE", requires = "peer")]
    pub(super) query_keys: Vec<String>,
    /// Send this header with every request to the peer; its value is treated as a secret. May be repeated
    #[arg(id = "peer-header", long, value_name = "NAME: VALUE", requires = "peer")]
    pub(super) headers: Vec<String>,
    /// Send this header, and no other credentials, to one interface of the peer, by its id. May be repeated
    #[arg(id = "peer-lane-header", long, value_name = "LANE=NAME: VALUE", requires = "peer")]
    pub(super) lane_headers: Vec<String>,
    /// Get a token for the peer by OAuth 2.0 as this client (or A2A_PEER_CLIENT_ID)
    #[arg(id = "peer-client-id", long, value_name = "ID", requires = "peer")]
    pub(super) client_id: Option<String>,
    /// The secret of that client (or A2A_PEER_CLIENT_SECRET)
    #[arg(id = "peer-client-secret", long, value_name = "SECRET", requires = "peer")]
    pub(super) client_secret: Option<String>,
    /// The scopes to request of the peer
    #[arg(id = "peer-scope", long, value_name = "SCOPES", default_value = "", hide_default_value = true)]
    pub(super) scope: String,
    /// The token endpoint of the peer [default: the one that its card or its OpenID provider names]
    #[arg(id = "peer-token-url", long, value_name = "URL", default_value = "", hide_default_value = true)]
    pub(super) token_url: String,
    /// Allow the peer's credentials to be sent to this origin too, if its card names it. May be repeated
    #[arg(id = "peer-allow-origin", long, value_name = "ORIGIN", requires = "peer")]
    pub(super) origins: Vec<String>,
    /// The message that makes the peer show a behaviour, such as `complete=Book a flight`. May be repeated
    #[arg(id = "peer-prompt", long, value_name = "BEHAVIOUR=TEXT", value_parser = prompt, requires = "peer")]
    pub(super) prompts: Vec<(Behaviour, String)>,
}

impl PeerArgs {
    /// The credentials, as those of any agent.
    pub(super) fn credentials(&self) -> CredentialArgs {
        CredentialArgs {
            bearer: self.bearer.clone(),
            basic: self.basic.clone(),
            api_keys: self.api_keys.clone(),
            query_keys: self.query_keys.clone(),
            headers: self.headers.clone(),
            lane_headers: self.lane_headers.clone(),
            client_id: self.client_id.clone(),
            client_secret: self.client_secret.clone(),
            scope: self.scope.clone(),
            token_url: self.token_url.clone(),
            origins: self.origins.clone(),
        }
    }
}

impl std::fmt::Debug for PeerArgs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PeerArgs")
    }
}
