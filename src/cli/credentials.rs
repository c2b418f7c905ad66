//! Credentials from the command line, the environment and files. No message repeats one.

use anyhow::{Context, Result, bail};
use reqwest::header::{HeaderName, HeaderValue};

use super::args::CredentialArgs;
use crate::engine::options::Options;
use crate::engine::options::{FixedCredentials, OAuthClient};
use crate::report::text::one_line;
use crate::wire::base64;
use crate::wire::redact::SHORTEST_SECRET;
use crate::wire::url::Url;

/// The longest line that tells a person where to agree, in characters.
const LONGEST_INVITATION: usize = 600;

/// Where the options say who asks, or what is wrong with what was said.
pub(super) fn read(args: &CredentialArgs, options: &mut Options) -> Result<()> {
    let mut fields = HeaderFields::default();
    for (number, line) in args.headers.iter().enumerate() {
        fields.add(&format!("--header number {}", number + 1), line)?;
    }
    let mut query = Vec::new();
    for (place, value) in all("--api-key", &args.api_keys, "A2A_API_KEY") {
        let (name, value) = assigned(&place, &value)?;
        fields.push(&place, field(&name, &value).with_context(|| place.clone())?)?;
    }
    for (place, value) in all("--api-key-query", &args.query_keys, "A2A_API_KEY_QUERY") {
        let (name, value) = assigned(&place, &value)?;
        long_enough(&value).with_context(|| place)?;
        query.push((name, value));
    }
    if let Some((place, token)) = one("--bearer", args.bearer.as_ref(), "A2A_BEARER") {
        let token = secret(&place, &token)?;
        long_enough(&token).with_context(|| place.clone())?;
        let field = field("Authorization", &format!("Bearer {token}")).with_context(|| place.clone())?;
        fields.push(&place, field)?;
    }
    if let Some((place, pair)) = one("--basic", args.basic.as_ref(), "A2A_BASIC") {
        // A file may hold the pair, or the password alone; what it holds names no further file.
        let whole = pair.starts_with('@') && !pair.starts_with("@@");
        let pair = secret(&place, &pair)?;
        let Some((user, password)) = pair.split_once(':') else { bail!("{place} is not `USER:PASSWORD`") };
        let password = if whole { password.to_owned() } else { secret(&place, password)? };
        fields.push(&place, basic(&place, user, &password)?)?;
    }
    finish(args, options, fields, query)
}

fn finish(
    args: &CredentialArgs,
    options: &mut Options,
    mut fields: HeaderFields,
    query: Vec<(String, String)>,
) -> Result<()> {
    options.client = client(args)?;
    if options.client.is_some() && fields.has("authorization") {
        bail!("two credentials were given: a client and an Authorization header");
    }
    for (number, text) in args.lane_headers.iter().enumerate() {
        let place = format!("--lane-header number {}", number + 1);
        let Some((lane, line)) = text.split_once('=').filter(|(lane, _)| !lane.contains(':')) else {
            bail!("{place} is not `LANE=NAME: VALUE`");
        };
        let mut own = HeaderFields::default();
        own.add(&place, line)?;
        match options.lanes.iter_mut().find(|(id, _)| id == lane) {
            Some((_, keys)) => {
                for field in own.0 {
                    if keys.headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(&field.0)) {
                        bail!("{place} sets the header {} of {lane} a second time", field.0);
                    }
                    keys.headers.push(field);
                }
            }
            None => options.lanes.push((lane.to_owned(), FixedCredentials { headers: own.0, query: Vec::new() })),
        }
    }
    for origin in &args.origins {
        let url = Url::parse(origin).with_context(|| format!("--allow-origin {origin}"))?;
        options.origins.push(url.origin());
    }
    options.headers.append(&mut fields.0);
    options.query = query;
    Ok(())
}

fn client(args: &CredentialArgs) -> Result<Option<OAuthClient>> {
    let id = one("--client-id", args.client_id.as_ref(), "A2A_CLIENT_ID");
    let given = one("--client-secret", args.client_secret.as_ref(), "A2A_CLIENT_SECRET");
    let secret = match (&id, given) {
        (Some(_), Some((place, given))) => {
            let secret = secret(&place, &given)?;
            long_enough(&secret).with_context(|| place)?;
            secret
        }
        // Without a secret a person confirms a code.
        (Some(_), None) if args.client_id.is_some() => String::new(),
        // A variable that is there for other programs asks for nothing by itself.
        (Some(_), None) => return Ok(None),
        (None, _) if args.client_secret.is_none() => {
            if !args.token_url.is_empty() || !args.scope.is_empty() {
                bail!("--token-url and --scope need --client-id (or A2A_CLIENT_ID)");
            }
            return Ok(None);
        }
        (None, _) => bail!("--client-secret needs --client-id (or A2A_CLIENT_ID)"),
    };
    if !args.token_url.is_empty() {
        Url::parse(&args.token_url).context("--token-url")?;
    }
    let id = id.map(|(_, id)| id).unwrap_or_default();
    Ok(Some(OAuthClient {
        id,
        secret,
        scope: args.scope.clone(),
        token_url: args.token_url.clone(),
        ..OAuthClient::default()
    }))
}

/// What is said when a person has to agree elsewhere. All of it comes from a server, so that it is shown as one line.
pub(super) fn invitation(url: &str, complete: &str, code: &str) -> String {
    let at_once = if complete.is_empty() { String::new() } else { format!(", or open {complete}") };
    one_line(&format!("To give this run access, open {url} and enter the code {code}{at_once}"), LONGEST_INVITATION)
}

/// Header fields, each name once.
#[derive(Default)]
struct HeaderFields(Vec<(String, String)>);

impl HeaderFields {
    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(known, _)| known.eq_ignore_ascii_case(name))
    }

    /// Adds a field that is written as a line.
    fn add(&mut self, place: &str, line: &str) -> Result<()> {
        let Some((name, value)) = line.split_once(':') else { bail!("{place} is not `NAME: VALUE`") };
        let value = secret(place, value.trim())?;
        let field = field(name.trim(), &value).with_context(|| place.to_owned())?;
        self.push(place, field)
    }

    fn push(&mut self, place: &str, field: (String, String)) -> Result<()> {
        if field.0.eq_ignore_ascii_case("authorization") && self.has("authorization") {
            bail!("two credentials were given: {place} and an Authorization header");
        }
        if self.has(&field.0) {
            bail!("the header {} has two values; {place} gives the second", field.0);
        }
        self.0.push(field);
        Ok(())
    }
}

/// What an option says, or else an environment variable, and which of them it was.
fn one(option: &str, given: Option<&String>, variable: &str) -> Option<(String, String)> {
    let set = || std::env::var(variable).ok().filter(|value| !value.is_empty());
    match given {
        Some(value) => Some((option.to_owned(), value.clone())),
        None => set().map(|value| (variable.to_owned(), value)),
    }
}

/// The same for an option that may be repeated.
fn all(option: &str, given: &[String], variable: &str) -> Vec<(String, String)> {
    let numbered = |(index, value): (usize, &String)| (format!("{option} number {}", index + 1), value.clone());
    match given {
        [] => one(option, None, variable).into_iter().collect(),
        given => given.iter().enumerate().map(numbered).collect(),
    }
}

/// A secret as it is given: itself, or where it stands.
fn secret(place: &str, given: &str) -> Result<String> {
    let text = match given.strip_prefix('@') {
        None => given.to_owned(),
        Some(rest) if rest.starts_with('@') => rest.to_owned(),
        // Who forgot to double the @ of a secret must not find it in a message.
        Some(path) => std::fs::read_to_string(path).map_err(|problem| {
            anyhow::anyhow!("{place} names a file with @, and it cannot be read: {}", problem.kind())
        })?,
    };
    Ok(text.trim().to_owned())
}

fn assigned(place: &str, text: &str) -> Result<(String, String)> {
    let Some((name, value)) = text.split_once('=').filter(|(name, _)| !name.is_empty()) else {
        bail!("{place} is not `NAME=VALUE`");
    };
    Ok((name.trim().to_owned(), secret(place, value)?))
}

fn basic(place: &str, user: &str, password: &str) -> Result<(String, String)> {
    long_enough(password).with_context(|| place.to_owned())?;
    field("Authorization", &format!("Basic {}", base64::encode(format!("{user}:{password}").as_bytes())))
        .with_context(|| place.to_owned())
}

fn field(name: &str, value: &str) -> Result<(String, String)> {
    if HeaderName::from_bytes(name.as_bytes()).is_err() {
        bail!("{name:?} is not a header name");
    }
    if HeaderValue::from_str(value).is_err() {
        bail!("the value of {name} contains characters that a header cannot have");
    }
    long_enough(value).with_context(|| format!("the value of {name}"))?;
    Ok((name.to_owned(), value.to_owned()))
}

fn long_enough(secret: &str) -> Result<()> {
    if secret.len() < SHORTEST_SECRET {
        bail!(
            "a secret shorter than {SHORTEST_SECRET} characters cannot be kept out of reports reliably, and is refused"
        );
    }
    Ok(())
}
