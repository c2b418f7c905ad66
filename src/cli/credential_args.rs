//! The arguments that hold credentials, of the agent and of a second identity; those of the second agent are in `peer_args.rs`.
//! They have no `Debug`, which would print them, and nor has what holds them.

use clap::Args;

// The user's credentials. No doc comment: clap would show it as the description of the command.
#[derive(Args, Default)]
#[command(next_help_heading = "Credentials (a value that begins with @ names a file that holds the secret)")]
pub(super) struct CredentialArgs {
    /// Send `Authorization: Bearer TOKEN` with every request (or the environment variable A2A_BEARER)
    #[arg(long, value_name = "TOKEN")]
    pub(super) bearer: Option<String>,
    /// Send `Authorization: Basic` with every request (or A2A_BASIC)
    #[arg(long, value_name = "USER:PASSWORD")]
    pub(super) basic: Option<String>,
    /// Send this key in a header with every request (or A2A_API_KEY). May be repeated
    #[arg(long = "api-key", value_name = "NAME=VALUE")]
    pub(super) api_keys: Vec<String>,
    /// Send this key in the query of every request (or A2A_API_KEY_QUERY). May be repeated
    #[arg(long = "api-key-query", value_name = "NAME=VALUE")]
    pub(super) query_keys: Vec<String>,
    /// Send this header with every request; its value is treated as a secret. May be repeated
    #[arg(long = "header", value_name = "NAME: VALUE")]
    pub(super) headers: Vec<String>,
    /// Send this header, and no other credentials, to one interface, by its id (`rest-1.0`). May be repeated
    #[arg(long = "lane-header", value_name = "LANE=NAME: VALUE")]
    pub(super) lane_headers: Vec<String>,
    /// Get a token by OAuth 2.0 as this client (or A2A_CLIENT_ID), and a new one when it expires. Without a secret, you
    /// are shown a code and where to confirm it (device flow)
    #[arg(long, value_name = "ID")]
    pub(super) client_id: Option<String>,
    /// The client's secret (or A2A_CLIENT_SECRET)
    #[arg(long, value_name = "SECRET")]
    pub(super) client_secret: Option<String>,
    /// The scopes to request
    #[arg(long, value_name = "SCOPES", default_value = "", hide_default_value = true)]
    pub(super) scope: String,
    /// The token endpoint [default: the one that the card or its OpenID provider names]
    #[arg(long, value_name = "URL", default_value = "", hide_default_value = true)]
    pub(super) token_url: String,
    /// Allow credentials to be sent to this origin too, if the card names it. May be repeated
    #[arg(long = "allow-origin", value_name = "ORIGIN")]
    pub(super) origins: Vec<String>,
}

// The credentials of another user. No doc comment, as above.
#[derive(Args, Default)]
#[command(
    next_help_heading = "A second identity, which must not see the first one's tasks: the run checks that the agent \
                               keeps the two apart"
)]
pub(super) struct SecondArgs {
    /// Send `Authorization: Bearer TOKEN` as the second identity (or the environment variable A2A_SECOND_BEARER)
    #[arg(id = "second-bearer", long, value_name = "TOKEN")]
    pub(super) bearer: Option<String>,
    /// Send `Authorization: Basic` as the second identity (or A2A_SECOND_BASIC)
    #[arg(id = "second-basic", long, value_name = "USER:PASSWORD")]
    pub(super) basic: Option<String>,
    /// Send this key in a header as the second identity (or A2A_SECOND_API_KEY). May be repeated
    #[arg(id = "second-api-key", long, value_name = "NAME=VALUE")]
    pub(super) api_keys: Vec<String>,
    /// Send this key in the query as the second identity (or A2A_SECOND_API_KEY_QUERY). May be repeated
    #[arg(id = "second-api-key-query", long, value_name = "NAME=VALUE")]
    pub(super) query_keys: Vec<String>,
    /// Get a token for the second identity as this client (or A2A_SECOND_CLIENT_ID), with the --scope and the --token-url of
    /// the first. Without a secret, you are shown a code for the second identity to confirm
    #[arg(id = "second-client-id", long, value_name = "ID")]
    pub(super) client_id: Option<String>,
    /// The secret of the second identity's client (or A2A_SECOND_CLIENT_SECRET)
    #[arg(id = "second-client-secret", long, value_name = "SECRET")]
    pub(super) client_secret: Option<String>,
    /// Send this header as the second identity, also one that both have in common. May be repeated
    #[arg(id = "second-header", long, value_name = "NAME: VALUE")]
    pub(super) headers: Vec<String>,
    /// Send this header as the second identity, and no other credentials of it, to one interface, by its id. May be
    /// repeated
    #[arg(id = "second-lane-header", long, value_name = "LANE=NAME: VALUE")]
    pub(super) lane_headers: Vec<String>,
}
