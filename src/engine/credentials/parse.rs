//! What credentials must be like, however people give them: the command line and the page read theirs by these rules, and say in
//! their own words what is wrong. Nothing here reads files or variables, and no error repeats a secret.

use crate::engine::options::{FixedCredentials, OAuthClient, Options};
use crate::wire::base64::STANDARD;
use crate::wire::redact::SHORTEST_SECRET;
use crate::wire::url::{Url, UrlProblem};

const AUTHORIZATION: &str = "Authorization";

/// Why credentials cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GivenError {
    /// A line that is not `NAME: VALUE`.
    #[error("it is not `NAME: VALUE`")]
    NotAField,
    /// A pair for Basic credentials that is not `USER:PASSWORD`.
    #[error("it is not `USER:PASSWORD`")]
    NotUserPassword,
    /// A name that no header can have (RFC 9110 §5.1), or an empty one of a query parameter.
    #[error("{0:?} is not a header name")]
    Name(String),
    /// The value of this header has a character other than visible ASCII, space and tab (RFC 9110 §5.5).
    #[error("the value of {0} contains characters that a header cannot have")]
    Value(String),
    /// A bearer token with a character that no token has (RFC 6750 §2.1).
    #[error("the token contains characters that no token has")]
    Token,
    /// A secret that the redactor cannot take out of text.
    #[error(
        "a secret shorter than {SHORTEST_SECRET} characters cannot be kept out of reports reliably, and is refused"
    )]
    TooShort,
    /// A second header Authorization.
    #[error("there are two credentials for the Authorization header")]
    SecondAuthorization,
    /// A second value for this header.
    #[error("the header {0} has two values")]
    Twice(String),
    /// A second identity without a first.
    #[error("a second identity needs credentials of a first one")]
    SecondAlone,
    /// Two identities with the same credentials.
    #[error("the second identity has the same credentials as the first, and so is the same identity")]
    SameIdentity,
    /// A client that has no id.
    #[error("a client secret needs a client id")]
    NoClientId,
    /// A token endpoint that cannot be requested.
    #[error(transparent)]
    TokenUrl(UrlProblem),
    /// An allowed origin that is not an origin.
    #[error(transparent)]
    Origin(UrlProblem),
}

/// The credentials that were given, each checked as it is added.
#[derive(Debug, Clone, Default)]
pub struct GivenCredentials {
    own: FixedCredentials,
    lanes: Vec<(String, FixedCredentials)>,
    client: Option<OAuthClient>,
    second: FixedCredentials,
    second_lanes: Vec<(String, FixedCredentials)>,
    second_client: Option<OAuthClient>,
    origins: Vec<String>,
}

impl GivenCredentials {
    /// A header for every interface, long enough for a secret, and of another name than those that were given before.
    pub fn header(&mut self, name: &str, value: &str) -> Result<(), GivenError> {
        add_header(&mut self.own.headers, name, value)
    }

    /// Such a header for the interface of this lane, which then has none of the other credentials.
    pub fn lane_header(&mut self, lane: &str, name: &str, value: &str) -> Result<(), GivenError> {
        if let Some((_, credentials)) = self.lanes.iter_mut().find(|(id, _)| id == lane) {
            return add_header(&mut credentials.headers, name, value);
        }
        let mut credentials = FixedCredentials::default();
        add_header(&mut credentials.headers, name, value)?;
        self.lanes.push((lane.to_owned(), credentials));
        Ok(())
    }

    /// A bearer token, with or without the word before it, where there is no header Authorization.
    pub fn bearer(&mut self, token: &str) -> Result<(), GivenError> {
        let token = token.trim();
        let token = match token.split_once(' ') {
            Some((scheme, rest)) if scheme.eq_ignore_ascii_case("bearer") => rest.trim(),
            _ => token,
        };
        if !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(GivenError::Token);
        }
        long_enough(token)?;
        self.header(AUTHORIZATION, &format!("Bearer {token}"))
    }

    /// A user and a password (RFC 7617), where there is no header Authorization.
    pub fn basic(&mut self, user: &str, password: &str) -> Result<(), GivenError> {
        long_enough(password)?;
        let pair = STANDARD.encode(format!("{user}:{password}").as_bytes());
        self.header(AUTHORIZATION, &format!("Basic {pair}"))
    }

    /// A key in the query, by its name, and long enough for a secret.
    pub fn query(&mut self, name: &str, value: &str) -> Result<(), GivenError> {
        if name.is_empty() {
            return Err(GivenError::Name(String::new()));
        }
        long_enough(value)?;
        self.own.query.push((name.to_owned(), value.to_owned()));
        Ok(())
    }

    /// A client that fetches tokens; one whose members are all empty is ignored. Others have an id, and if any, a secret that is long
    /// enough and a token endpoint that can be requested.
    pub fn client(&mut self, client: OAuthClient) -> Result<(), GivenError> {
        if client == OAuthClient::default() {
            return Ok(());
        }
        if client.id.is_empty() {
            return Err(GivenError::NoClientId);
        }
        // A public client has no secret, and most have no refresh token.
        for secret in [&client.secret, &client.refresh] {
            if !secret.is_empty() {
                long_enough(secret)?;
            }
        }
        if !client.token_url.is_empty() {
            Url::parse(&client.token_url).map_err(GivenError::TokenUrl)?;
        }
        self.client = Some(client);
        Ok(())
    }

    /// The headers, the query and the client of a second identity, once those of the first are there, which must be others; if all are
    /// empty, there is no second identity.
    pub fn second(&mut self, second: Self) -> Result<(), GivenError> {
        if second.own.is_empty() && second.lanes.is_empty() && second.client.is_none() {
            return Ok(());
        }
        if self.own.is_empty() && self.lanes.is_empty() && self.client.is_none() {
            return Err(GivenError::SecondAlone);
        }
        // On each interface: one that has credentials of its own has no others.
        let lanes = self.lanes.iter().chain(&second.lanes).map(|(lane, _)| lane.as_str());
        let is_same = |lane: &str| match (of_lane(&self.lanes, lane), of_lane(&second.lanes, lane)) {
            (Some(first), Some(other)) => first == other,
            (Some(first), None) => second.client.is_none() && *first == second.own,
            (None, Some(other)) => self.client.is_none() && *other == self.own,
            (None, None) => false,
        };
        let has_shared = !second.own.is_empty() || second.client.is_some();
        let is_same_elsewhere = self.own == second.own && is_same_client(self.client.as_ref(), second.client.as_ref());
        if has_shared && is_same_elsewhere || { lanes }.any(is_same) {
            return Err(GivenError::SameIdentity);
        }
        self.second = second.own;
        self.second_lanes = second.lanes;
        self.second_client = second.client;
        Ok(())
    }

    /// The origin of a URL, besides the agent's own, that credentials may go to.
    pub fn origin(&mut self, url: &str) -> Result<(), GivenError> {
        let url = Url::parse(url).map_err(GivenError::Origin)?;
        self.origins.push(url.origin());
        Ok(())
    }

    /// Whether there is a header Authorization for every interface.
    #[must_use]
    pub fn has_authorization(&self) -> bool {
        has(&self.own.headers, AUTHORIZATION)
    }

    /// Puts all of them into the options of a run.
    pub fn put_into(self, options: &mut Options) {
        options.headers = self.own.headers;
        options.query = self.own.query;
        options.lanes = self.lanes;
        options.client = self.client;
        options.second = self.second;
        options.second_lanes = self.second_lanes;
        options.second_client = self.second_client;
        options.origins = self.origins;
    }
}

/// Name and value of a line `NAME: VALUE`, if there is a colon.
pub fn split_field(line: &str) -> Result<(&str, &str), GivenError> {
    let (name, value) = line.split_once(':').ok_or(GivenError::NotAField)?;
    Ok((name.trim(), value.trim()))
}

/// The lane and the field of a line `LANE=NAME: VALUE`; `None` when it names no lane. An equals sign behind the colon is
/// part of the value.
#[must_use]
pub fn split_lane(line: &str) -> Option<(&str, &str)> {
    let (lane, field) = line.split_once('=')?;
    let lane = lane.trim();
    (!lane.is_empty() && !lane.contains(':')).then_some((lane, field))
}

/// User and password of a pair `USER:PASSWORD`, if there is a colon. A user has none (RFC 7617 §2), a password may.
pub fn split_basic(pair: &str) -> Result<(&str, &str), GivenError> {
    pair.split_once(':').ok_or(GivenError::NotUserPassword)
}

/// The credentials of a lane that has its own.
fn of_lane<'a>(lanes: &'a [(String, FixedCredentials)], lane: &str) -> Option<&'a FixedCredentials> {
    lanes.iter().find(|(id, _)| id == lane).map(|(_, own)| own)
}

/// Whether two clients get tokens for the same identity. One without a secret gets them for whoever agrees.
fn is_same_client(first: Option<&OAuthClient>, second: Option<&OAuthClient>) -> bool {
    let (Some(first), Some(second)) = (first, second) else { return first.is_none() && second.is_none() };
    let keys = |client: &OAuthClient| (client.id.clone(), client.secret.clone(), client.refresh.clone());
    let is_anybodys = first.secret.is_empty() && first.refresh.is_empty();
    !is_anybodys && keys(first) == keys(second)
}

fn add_header(headers: &mut Vec<(String, String)>, name: &str, value: &str) -> Result<(), GivenError> {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if name.is_empty() || !name.bytes().all(is_token) {
        return Err(GivenError::Name(name.to_owned()));
    }
    if !value.bytes().all(|byte| byte.is_ascii_graphic() || matches!(byte, b' ' | b'\t')) {
        return Err(GivenError::Value(name.to_owned()));
    }
    long_enough(value)?;
    if has(headers, name) {
        return Err(match name.eq_ignore_ascii_case(AUTHORIZATION) {
            true => GivenError::SecondAuthorization,
            false => GivenError::Twice(name.to_owned()),
        });
    }
    headers.push((name.to_owned(), value.to_owned()));
    Ok(())
}

fn has(headers: &[(String, String)], name: &str) -> bool {
    headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(name))
}

const fn long_enough(secret: &str) -> Result<(), GivenError> {
    if secret.len() < SHORTEST_SECRET { Err(GivenError::TooShort) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(name: &str, value: &str) -> (String, String) {
        (name.to_owned(), value.to_owned())
    }

    #[test]
    fn every_kind_ends_up_in_the_options() {
        let mut given = GivenCredentials::default();
        given.header("X-A", "k : 1").unwrap();
        given.bearer(" bearer abc.def ").unwrap();
        given.query("key", "s3cret").unwrap();
        given.lane_header("rest-1.0", "Authorization", "Bearer other").unwrap();
        given.lane_header("rest-1.0", "X-B", "2345").unwrap();
        given.origin("https://id.example:443/token?x").unwrap();
        let client = OAuthClient { id: "me".to_owned(), secret: "s3cret".to_owned(), ..OAuthClient::default() };
        given.client(client.clone()).unwrap();
        assert!(given.has_authorization());
        let mut options = Options::default();
        given.put_into(&mut options);
        assert_eq!(options.headers, [pair("X-A", "k : 1"), pair("Authorization", "Bearer abc.def")]);
        assert_eq!(options.query, [pair("key", "s3cret")]);
        let [(lane, own)] = options.lanes.as_slice() else { panic!("{:?}", options.lanes) };
        assert_eq!(lane, "rest-1.0");
        assert_eq!(own.headers, [pair("Authorization", "Bearer other"), pair("X-B", "2345")]);
        assert_eq!(options.origins, ["https://id.example"]);
        assert_eq!(options.client, Some(client));
    }

    #[test]
    fn user_and_password_are_coded_and_only_the_first_colon_divides_them() {
        assert_eq!(split_basic("me:pass:word"), Ok(("me", "pass:word")));
        assert_eq!(split_basic("me"), Err(GivenError::NotUserPassword));
        let mut given = GivenCredentials::default();
        given.basic("a", "bcde").unwrap();
        assert_eq!(given.own.headers, [pair("Authorization", "Basic YTpiY2Rl")]);
    }

    #[test]
    fn a_header_that_is_given_twice_is_refused_whatever_its_case_and_lane() {
        let mut given = GivenCredentials::default();
        given.bearer("first").unwrap();
        assert_eq!(given.header("authorization", "Basic c2Vjb25k"), Err(GivenError::SecondAuthorization));
        assert_eq!(given.basic("me", "second"), Err(GivenError::SecondAuthorization));
        given.header("X-Key", "first").unwrap();
        assert_eq!(given.header("x-key", "second"), Err(GivenError::Twice("x-key".to_owned())));
        given.lane_header("rest-1.0", "X-Key", "own").unwrap_err();
        given.lane_header("rest-1.0", "X-Key", "its own").unwrap();
        assert_eq!(given.lane_header("rest-1.0", "x-key", "second"), Err(GivenError::Twice("x-key".to_owned())));
        given.lane_header("jsonrpc-1.0", "X-Key", "another").unwrap();
        assert_eq!(given.own.headers.len(), 2);
    }

    #[test]
    fn what_cannot_be_sent_or_kept_secret_is_refused_and_not_repeated() {
        let header = |name: &str, value: &str| GivenCredentials::default().header(name, value).unwrap_err();
        assert_eq!(header("X Y", "canary"), GivenError::Name("X Y".to_owned()));
        assert_eq!(header("", "canary"), GivenError::Name(String::new()));
        for value in ["canary\u{1}", "canary\u{7f}", "canary \u{e9}", "canary\r\nX: y"] {
            assert_eq!(header("X-A", value), GivenError::Value("X-A".to_owned()));
            assert!(!header("X-A", value).to_string().contains("canary"));
        }
        assert_eq!(header("X-A", "123"), GivenError::TooShort);
        for (token, problem) in
            [("a canary", GivenError::Token), ("123", GivenError::TooShort), ("Bearer 123", GivenError::TooShort)]
        {
            assert_eq!(GivenCredentials::default().bearer(token), Err(problem), "{token}");
        }
        assert_eq!(GivenCredentials::default().basic("long user", "123"), Err(GivenError::TooShort));
        assert_eq!(GivenCredentials::default().query("key", "123"), Err(GivenError::TooShort));
        assert_eq!(GivenCredentials::default().query("", "canary"), Err(GivenError::Name(String::new())));
        assert_eq!(GivenCredentials::default().origin("nonsense"), {
            Err(GivenError::Origin(UrlProblem::Scheme("nonsense".to_owned())))
        });
    }

    #[test]
    fn a_client_has_an_id_and_may_have_everything_else() {
        let read = |client: OAuthClient| {
            let mut given = GivenCredentials::default();
            given.client(client).map(|()| given.client.is_some())
        };
        let client = OAuthClient { id: "me".to_owned(), ..OAuthClient::default() };
        assert_eq!(read(OAuthClient::default()), Ok(false));
        assert_eq!(read(client.clone()), Ok(true));
        assert_eq!(read(OAuthClient { scope: "a".to_owned(), ..OAuthClient::default() }), Err(GivenError::NoClientId));
        assert_eq!(read(OAuthClient { secret: "123".to_owned(), ..client.clone() }), Err(GivenError::TooShort));
        assert_eq!(read(OAuthClient { refresh: "123".to_owned(), ..client.clone() }), Err(GivenError::TooShort));
        assert!(matches!(read(OAuthClient { token_url: "x".to_owned(), ..client }), Err(GivenError::TokenUrl(_))));
    }

    #[test]
    fn a_second_identity_needs_a_first_and_is_another() {
        let of = |token: &str| {
            let mut given = GivenCredentials::default();
            given.bearer(token).unwrap();
            given
        };
        assert_eq!(GivenCredentials::default().second(of("second")), Err(GivenError::SecondAlone));
        assert_eq!(of("first").second(of("first")), Err(GivenError::SameIdentity));
        let mut lane = GivenCredentials::default();
        lane.lane_header("rest-1.0", "Authorization", "Bearer first").unwrap();
        assert_eq!(lane.second(of("first")), Err(GivenError::SameIdentity));
        let of_lane = |lane: &str, token: &str| {
            let mut given = GivenCredentials::default();
            given.lane_header(lane, "Authorization", &format!("Bearer {token}")).unwrap();
            given
        };
        assert_eq!(of("first").second(of_lane("rest-1.0", "first")), Err(GivenError::SameIdentity));
        assert_eq!(of_lane("rest-1.0", "first").second(of_lane("rest-1.0", "first")), Err(GivenError::SameIdentity));
        let mut lanes = of_lane("rest-1.0", "first");
        lanes.second(of_lane("rest-1.0", "second")).unwrap();
        let mut of_lanes = Options::default();
        lanes.put_into(&mut of_lanes);
        let [(lane, own)] = of_lanes.second_lanes.as_slice() else { panic!("{:?}", of_lanes.second_lanes) };
        assert_eq!(
            (lane.as_str(), own.headers.as_slice()),
            ("rest-1.0", &[pair("Authorization", "Bearer second")][..])
        );
        assert!(of_lanes.has_second_identity());
        assert!(!of_lanes.redactor().text("Bearer second").contains("second"));
        assert_eq!(GivenCredentials::default().second(GivenCredentials::default()), Ok(()));
        let (mut first, mut options) = (of("first"), Options::default());
        first.second(of("second")).unwrap();
        first.put_into(&mut options);
        assert_eq!(options.headers, [pair("Authorization", "Bearer first")]);
        assert_eq!(options.second.headers, [pair("Authorization", "Bearer second")]);
        assert!(options.has_second_identity());
        // Two clients are two identities, and so are two persons who agree for one client that has no secret.
        let client = |id: &str, secret: &str| {
            let mut given = GivenCredentials::default();
            let (id, secret) = (id.to_owned(), secret.to_owned());
            given.client(OAuthClient { id, secret, ..OAuthClient::default() }).unwrap();
            given
        };
        assert_eq!(GivenCredentials::default().second(client("me", "s3cret")), Err(GivenError::SecondAlone));
        assert_eq!(client("me", "s3cret").second(client("me", "s3cret")), Err(GivenError::SameIdentity));
        let mut clients = client("me", "s3cret");
        clients.second(client("you", "s3cret")).unwrap();
        let mut of_clients = Options::default();
        clients.put_into(&mut of_clients);
        assert_eq!(of_clients.second_client.as_ref().map(|client| client.id.as_str()), Some("you"));
        assert!(of_clients.has_second_identity());
        assert_eq!(client("app", "").second(client("app", "")), Ok(()));
        assert_eq!(client("me", "s3cret").second(of("second")), Ok(()));
        // Credentials of one identity leave nothing to tell apart.
        assert!(!Options { second: FixedCredentials::default(), ..options.clone() }.has_second_identity());
        assert!(!Options { headers: Vec::new(), ..options }.has_second_identity());
    }

    #[test]
    fn a_line_names_a_lane_before_its_colon_only() {
        assert_eq!(split_lane(" rest-1.0 = X-B: 2345"), Some(("rest-1.0", " X-B: 2345")));
        assert_eq!(split_lane("X-A: k=12"), None);
        assert_eq!(split_lane("=X-A: k"), None);
        assert_eq!(split_field(" X-B:2345 "), Ok(("X-B", "2345")));
        assert_eq!(split_field("canary"), Err(GivenError::NotAField));
    }
}
