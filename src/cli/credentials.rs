//! Credentials from the command line, the environment and files, in words of the command line, and what a person is asked to confirm
//! (device flow). What they must be like is
//! `engine::credentials::parse`'s business. No message repeats one.

use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};

use super::credential_args::{CredentialArgs, SecondArgs};
use super::input;
use super::peer_args::PeerArgs;
use crate::engine::credentials::parse::{GivenCredentials, GivenError, split_basic, split_field, split_lane};
use crate::engine::options::OAuthClient;
use crate::engine::options::Options;
use crate::report::text::one_line;

/// The longest line that tells a person where to agree, in characters.
const LONGEST_CONFIRMATION: usize = 600;

/// The options by which somebody is identified, and what they are called.
struct IdentityArgs<'a> {
    /// The prefix of the names of the options.
    option: &'static str,
    /// The prefix of the names of the environment variables, if there are any.
    variable: Option<&'static str>,
    given: &'a CredentialArgs,
}

/// Puts the credentials that were given into the options, or says what is wrong with them.
pub(super) fn read(args: &CredentialArgs, second: &SecondArgs, options: &mut Options) -> Result<()> {
    let (mut given, has_own) = identity(&IdentityArgs { option: "--", variable: Some("A2A_"), given: args })?;
    let second = CredentialArgs {
        bearer: second.bearer.clone(),
        basic: second.basic.clone(),
        api_keys: second.api_keys.clone(),
        query_keys: second.query_keys.clone(),
        headers: second.headers.clone(),
        lane_headers: second.lane_headers.clone(),
        client_id: second.client_id.clone(),
        client_secret: second.client_secret.clone(),
        // What is the first one's holds for both.
        scope: args.scope.clone(),
        token_url: args.token_url.clone(),
        origins: Vec::new(),
    };
    let second = IdentityArgs { option: "--second-", variable: Some("A2A_SECOND_"), given: &second };
    let (other, has_other) = identity(&second)?;
    let is_for_client = !args.token_url.is_empty() || !args.scope.is_empty();
    if is_for_client && !has_own && !has_other {
        bail!("--token-url and --scope need --client-id (or A2A_CLIENT_ID)");
    }
    given.second(other)?;
    put(given, "--", &args.origins, options)
}

/// The same for the credentials of another agent, whose options and variables begin like this. Without variables none stands in.
pub(super) fn read_of_agent(
    args: &PeerArgs,
    option: &'static str,
    variable: Option<&'static str>,
    options: &mut Options,
) -> Result<()> {
    let (given, has_client) = identity(&IdentityArgs { option, variable, given: &args.credentials() })?;
    if !has_client && (!args.token_url.is_empty() || !args.scope.is_empty()) {
        let or = variable.map(|prefix| format!(" (or {prefix}CLIENT_ID)")).unwrap_or_default();
        bail!("{option}token-url and {option}scope need {option}client-id{or}");
    }
    put(given, option, &args.origins, options)
}

/// Puts credentials into the options, with the origins that they may be sent to.
fn put(mut given: GivenCredentials, option: &str, origins: &[String], options: &mut Options) -> Result<()> {
    for origin in origins {
        given.origin(origin).with_context(|| format!("{option}allow-origin {origin}"))?;
    }
    given.put_into(options);
    Ok(())
}

impl IdentityArgs<'_> {
    /// The variable that stands in for an option: `A2A_API_KEY` for `--api-key`.
    fn variable(&self, name: &str) -> Option<String> {
        self.variable.map(|prefix| format!("{prefix}{}", name.to_ascii_uppercase().replace('-', "_")))
    }

    /// The value of an option, or else of its environment variable, and which of them it was.
    fn one(&self, name: &str, given: Option<&String>) -> Option<(String, String)> {
        let set = |variable: String| std::env::var(&variable).ok().map(|value| (variable, value));
        match given {
            Some(value) => Some((format!("{}{name}", self.option), value.clone())),
            None => self.variable(name).and_then(set).filter(|(_, value)| !value.is_empty()),
        }
    }

    /// The same for an option that may be repeated.
    fn several(&self, name: &str, given: &[String]) -> Vec<(String, String)> {
        match given {
            [] => self.one(name, None).into_iter().collect(),
            given => self.numbered(name, given).map(|(place, value)| (place, value.clone())).collect(),
        }
    }

    /// Values of an option that no variable stands in for.
    fn numbered<'a>(&self, name: &str, given: &'a [String]) -> impl Iterator<Item = (String, &'a String)> {
        let option = format!("{}{name}", self.option);
        given.iter().enumerate().map(move |(at, value)| (format!("{option} number {}", at + 1), value))
    }
}

/// The credentials of one identity, and whether there is a client among them.
fn identity(args: &IdentityArgs<'_>) -> Result<(GivenCredentials, bool)> {
    let mut given = fixed(args)?;
    let has_client = client(args, &mut given)?;
    for (place, text) in args.numbered("lane-header", &args.given.lane_headers) {
        let Some((lane, line)) = split_lane(text) else { bail!("{place} is not `LANE=NAME: VALUE`") };
        let (name, value) = field(&place, line)?;
        given.lane_header(lane, name, &value).map_err(|problem| explained(&place, problem))?;
    }
    Ok((given, has_client))
}

/// The credentials of one identity that are sent as they are.
fn fixed(args: &IdentityArgs<'_>) -> Result<GivenCredentials> {
    let mut given = GivenCredentials::default();
    for (place, line) in args.numbered("header", &args.given.headers) {
        let (name, value) = field(&place, line)?;
        given.header(name, &value).map_err(|problem| explained(&place, problem))?;
    }
    for (place, value) in args.several("api-key", &args.given.api_keys) {
        let (name, value) = name_and_value(&place, &value)?;
        given.header(&name, &value).map_err(|problem| explained(&place, problem))?;
    }
    for (place, value) in args.several("api-key-query", &args.given.query_keys) {
        let (name, value) = name_and_value(&place, &value)?;
        given.query(&name, &value).map_err(|problem| explained(&place, problem))?;
    }
    if let Some((place, token)) = args.one("bearer", args.given.bearer.as_ref()) {
        given.bearer(&secret_or_file(&place, &token)?).map_err(|problem| explained(&place, problem))?;
    }
    if let Some((place, pair)) = args.one("basic", args.given.basic.as_ref()) {
        // A file may hold the pair, or the password alone; what it holds names no further file.
        let whole = pair.starts_with('@') && !pair.starts_with("@@");
        let pair = secret_or_file(&place, &pair)?;
        let (user, password) = split_basic(&pair).map_err(|problem| explained(&place, problem))?;
        let password = if whole { password.to_owned() } else { secret_or_file(&place, password)? };
        given.basic(user, &password).map_err(|problem| explained(&place, problem))?;
    }
    Ok(given)
}

/// The client of one identity; returns whether there is one.
fn client(args: &IdentityArgs<'_>, given: &mut GivenCredentials) -> Result<bool> {
    let id_option = format!("{}client-id", args.option);
    let id = args.one("client-id", args.given.client_id.as_ref());
    let (place, secret) = match (&id, args.one("client-secret", args.given.client_secret.as_ref())) {
        (Some(_), Some((place, text))) => {
            let secret = secret_or_file(&place, &text)?;
            // A public client is one that names no secret, not one that has an empty one.
            if secret.is_empty() {
                return Err(explained(&place, GivenError::TooShort));
            }
            (place, secret)
        }
        // Without a secret a person confirms a code.
        (Some(_), None) if args.given.client_id.is_some() => (String::new(), String::new()),
        // A variable that is there for other programs asks for nothing by itself.
        (Some(_), None) => return Ok(true),
        (None, _) if args.given.client_secret.is_none() => return Ok(false),
        (None, _) => {
            let or = args.variable("client-id").map(|name| format!(" (or {name})")).unwrap_or_default();
            bail!("{}client-secret needs {id_option}{or}", args.option)
        }
    };
    // In the page signing in gives a client its first token. Here nothing does, so one of the two is a mistake.
    if given.has_authorization() {
        bail!("two credentials were given: a client and an Authorization header");
    }
    let client = OAuthClient {
        id: id.map(|(_, id)| id).unwrap_or_default(),
        secret,
        scope: args.given.scope.clone(),
        token_url: args.given.token_url.clone(),
        ..OAuthClient::default()
    };
    given.client(client).map_err(|problem| match problem {
        GivenError::TokenUrl(_) => explained("--token-url", problem),
        GivenError::NoClientId => explained(&id_option, problem),
        problem => explained(&place, problem),
    })?;
    Ok(true)
}

/// The message for a person who has to agree elsewhere. All of it comes from a server, so that it is shown as one line.
pub(super) fn confirmation(whom: &str, url: &str, complete: &str, code: &str) -> String {
    let at_once = if complete.is_empty() { String::new() } else { format!(", or open {complete}") };
    one_line(&format!("To give {whom} access, open {url} and enter the code {code}{at_once}"), LONGEST_CONFIRMATION)
}

/// An error in the credentials of an option or a variable.
fn explained(place: &str, problem: GivenError) -> anyhow::Error {
    match problem {
        GivenError::NotAField => anyhow!("{place} is not `NAME: VALUE`"),
        GivenError::NotUserPassword => anyhow!("{place} is not `USER:PASSWORD`"),
        GivenError::SecondAuthorization => anyhow!("two credentials were given: {place} and an Authorization header"),
        GivenError::Twice(name) => anyhow!("the header {name} has two values; {place} gives the second"),
        problem => anyhow::Error::new(problem).context(place.to_owned()),
    }
}

/// Name and value of a field that is written as a line; the value may name a file.
fn field<'a>(place: &str, line: &'a str) -> Result<(&'a str, String)> {
    let (name, value) = split_field(line).map_err(|problem| explained(place, problem))?;
    Ok((name, secret_or_file(place, value)?))
}

/// A secret as it is given: itself, or where it stands.
fn secret_or_file(place: &str, given: &str) -> Result<String> {
    let text = match given.strip_prefix('@') {
        None => given.to_owned(),
        Some(rest) if rest.starts_with('@') => rest.to_owned(),
        // A secret whose @ was not doubled must not appear in a message.
        Some(path) => input::text(Path::new(path), input::SECRET)
            .with_context(|| format!("{place} names a file with @, and it cannot be read"))?,
    };
    Ok(text.trim().to_owned())
}

fn name_and_value(place: &str, text: &str) -> Result<(String, String)> {
    let Some((name, value)) = text.split_once('=').filter(|(name, _)| !name.is_empty()) else {
        bail!("{place} is not `NAME=VALUE`");
    };
    Ok((name.trim().to_owned(), secret_or_file(place, value)?))
}
