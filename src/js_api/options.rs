//! Reads the options of a script into the options of a run. The command line's options of the same meaning have the same
//! names, as a script writes them: `--token-url` is `tokenUrl`. A test holds that none is missing here.

use super::problem::{Code, Problem};
use crate::a2a::binding::base_url;
use crate::a2a::binding::grpc::GRPC;
use crate::engine::browser::{AT_ONCE, drops_header};
use crate::engine::credentials::parse::{GivenCredentials, GivenError, split_basic};
use crate::engine::detect::versions;
use crate::engine::discover::normalise;
use crate::engine::jwks;
use crate::engine::options::{Endpoint, MOST_RUNS, OAuthClient, Options, Source, TWO_AGENTS_ONCE, matches};
use crate::engine::prompt::{Behaviour, Profile, Texts};
use crate::engine::timeouts::TimeoutOverrides;
use crate::suite;
use crate::wire::json::{Map, Value};

/// Takes the value of one option in.
type OptionReader = fn(&mut GivenOptions, &str, &Value) -> Result<(), Problem>;

/// Finds one of the limits.
type Limit = fn(&mut TimeoutOverrides) -> &mut Option<f64>;

/// Every option with what takes it in. Those that only JavaScript can hold are taken out before.
const OPTIONS: [(&str, OptionReader); 53] = [
    ("url", |asked, name, value| put(&mut asked.url, name, value)),
    ("card", take_card),
    ("endpoint", |asked, name, value| put(&mut asked.endpoint, name, value)),
    ("binding", take_binding),
    ("declares", take_declares),
    ("tenant", |asked, name, value| {
        asked.described = name.to_owned();
        asked.interface.tenant = Some(text(name, value)?);
        Ok(())
    }),
    ("extensions", |asked, name, value| {
        asked.described = name.to_owned();
        asked.interface.extensions = texts(name, value)?;
        Ok(())
    }),
    ("bearer", |asked, name, value| given(name, asked.first.bearer(&text(name, value)?))),
    ("basic", |asked, name, value| take_basic(&mut asked.first, name, value)),
    ("headers", |asked, name, value| {
        let in_browser = asked.in_browser;
        take_headers(name, value, in_browser, |header, value| asked.first.header(header, value))
    }),
    ("query", |asked, name, value| take_query(&mut asked.first, name, value)),
    ("laneHeaders", |asked, name, value| {
        for (lane, headers) in object(name, value)? {
            let in_browser = asked.in_browser;
            take_headers(name, headers, in_browser, |header, value| asked.first.lane_header(lane, header, value))?;
        }
        Ok(())
    }),
    ("clientId", |asked, name, value| put(&mut asked.client.id, name, value)),
    ("clientSecret", |asked, name, value| put(&mut asked.client.secret, name, value)),
    ("scope", |asked, name, value| put(&mut asked.client.scope, name, value)),
    ("tokenUrl", |asked, name, value| put(&mut asked.client.token_url, name, value)),
    ("refreshToken", |asked, name, value| put(&mut asked.client.refresh, name, value)),
    ("allowOrigins", |asked, name, value| {
        texts(name, value)?.iter().try_for_each(|origin| given(name, asked.first.origin(origin)))
    }),
    ("secondBearer", |asked, name, value| given(name, asked.second.bearer(&text(name, value)?))),
    ("secondBasic", |asked, name, value| take_basic(&mut asked.second, name, value)),
    ("secondHeaders", |asked, name, value| {
        let in_browser = asked.in_browser;
        take_headers(name, value, in_browser, |header, value| asked.second.header(header, value))
    }),
    ("secondLaneHeaders", |asked, name, value| {
        for (lane, headers) in object(name, value)? {
            let in_browser = asked.in_browser;
            take_headers(name, headers, in_browser, |header, value| asked.second.lane_header(lane, header, value))?;
        }
        Ok(())
    }),
    ("secondQuery", |asked, name, value| take_query(&mut asked.second, name, value)),
    ("secondClientId", |asked, name, value| put(&mut asked.second_client.id, name, value)),
    ("secondClientSecret", |asked, name, value| put(&mut asked.second_client.secret, name, value)),
    ("secondRefreshToken", |asked, name, value| put(&mut asked.second_client.refresh, name, value)),
    ("jwks", |asked, name, value| {
        // A key set is an object of JSON: a script may have it as one.
        let set = if value.is_object() { value.to_string() } else { text(name, value)? };
        asked.options.jwks = jwks::parse_jwks(&set).map_err(|problem| Problem::because(name, &problem))?;
        Ok(())
    }),
    ("protocolVersion", take_version),
    ("profile", take_profile),
    ("prompts", |asked, name, value| take_prompts(&mut asked.options.prompts, name, value)),
    ("skills", |asked, name, value| {
        asked.options.skills = texts(name, value)?;
        Ok(())
    }),
    ("only", take_only),
    ("thorough", |asked, name, value| {
        asked.options.is_thorough =
            value.as_bool().ok_or_else(|| Problem::invalid(name, format!("`{name}` is not true or false")))?;
        Ok(())
    }),
    ("repeat", |asked, name, value| {
        asked.options.repeat = whole_number(name, value, u64::from(MOST_RUNS))?;
        Ok(())
    }),
    ("interfaces", |asked, name, value| {
        asked.options.most_interfaces = whole_number(name, value, u64::from(u32::MAX))?;
        Ok(())
    }),
    ("concurrency", |asked, name, value| {
        asked.options.concurrency = whole_number(name, value, MOST_AT_ONCE)?;
        Ok(())
    }),
    ("timeoutSeconds", |asked, name, value| seconds(&mut asked.times.scenario, name, value)),
    ("timeouts", take_timeouts),
    ("via", |asked, name, value| put(&mut asked.via, name, value)),
    ("peer", |asked, name, value| put(&mut asked.peer.url, name, value)),
    ("peerBearer", |asked, name, value| {
        name.clone_into(&mut asked.peer.described);
        given(name, asked.peer.credentials.bearer(&text(name, value)?))
    }),
    ("peerBasic", |asked, name, value| {
        name.clone_into(&mut asked.peer.described);
        take_basic(&mut asked.peer.credentials, name, value)
    }),
    ("peerHeaders", |asked, name, value| {
        name.clone_into(&mut asked.peer.described);
        let in_browser = asked.in_browser;
        take_headers(name, value, in_browser, |header, value| asked.peer.credentials.header(header, value))
    }),
    ("peerQuery", |asked, name, value| {
        name.clone_into(&mut asked.peer.described);
        take_query(&mut asked.peer.credentials, name, value)
    }),
    ("peerLaneHeaders", |asked, name, value| {
        name.clone_into(&mut asked.peer.described);
        for (lane, headers) in object(name, value)? {
            let (in_browser, credentials) = (asked.in_browser, &mut asked.peer.credentials);
            take_headers(name, headers, in_browser, |header, value| credentials.lane_header(lane, header, value))?;
        }
        Ok(())
    }),
    ("peerClientId", |asked, name, value| asked.peer.of_client(name, value, |client| &mut client.id)),
    ("peerClientSecret", |asked, name, value| asked.peer.of_client(name, value, |client| &mut client.secret)),
    ("peerScope", |asked, name, value| asked.peer.of_client(name, value, |client| &mut client.scope)),
    ("peerTokenUrl", |asked, name, value| asked.peer.of_client(name, value, |client| &mut client.token_url)),
    ("peerAllowOrigins", |asked, name, value| {
        name.clone_into(&mut asked.peer.described);
        texts(name, value)?.iter().try_for_each(|origin| given(name, asked.peer.credentials.origin(origin)))
    }),
    ("peerPrompts", |asked, name, value| {
        name.clone_into(&mut asked.peer.described);
        take_prompts(&mut asked.peer.prompts, name, value)
    }),
    ("onEvent", held),
    ("signal", held),
];

/// The limits of `timeouts`, each in seconds.
const TIMES: [(&str, Limit); 5] = [
    ("reach", |times| &mut times.reach),
    ("answer", |times| &mut times.answer),
    ("event", |times| &mut times.first_event),
    ("idle", |times| &mut times.idle),
    ("run", |times| &mut times.run),
];

/// The bindings, and what a card may declare, as cards name them.
const BINDINGS: [&str; 3] = ["JSONRPC", "HTTP+JSON", GRPC.id];
const CAPABILITIES: [&str; 3] = ["streaming", "pushNotifications", "extendedAgentCard"];
/// A longer card is read to no use: an agent could not serve it either.
const MAX_CARD: usize = 5 * 1024 * 1024;
/// A day is longer than anybody waits, and well within what timers can count.
const LONGEST_SECONDS: f64 = 86_400.0;
/// The most conversations at once that still make sense.
const MOST_AT_ONCE: u64 = 64;

/// The names of all options.
pub fn names() -> impl Iterator<Item = &'static str> {
    OPTIONS.iter().map(|(name, _)| *name)
}

/// The options that were read so far.
#[derive(Default)]
struct GivenOptions {
    in_browser: bool,
    options: Options,
    url: String,
    card: Vec<u8>,
    endpoint: String,
    interface: Endpoint,
    /// An option that describes the endpoint.
    described: String,
    first: GivenCredentials,
    second: GivenCredentials,
    client: OAuthClient,
    /// The scopes and the token endpoint are those of the first.
    second_client: OAuthClient,
    via: String,
    peer: GivenPeer,
    times: TimeoutOverrides,
}

/// The other agent, as far as it was read.
#[derive(Default)]
struct GivenPeer {
    url: String,
    /// An option that says something of it.
    described: String,
    credentials: GivenCredentials,
    client: OAuthClient,
    prompts: Texts,
}

impl GivenPeer {
    fn of_client(
        &mut self,
        name: &str,
        value: &Value,
        member: fn(&mut OAuthClient) -> &mut String,
    ) -> Result<(), Problem> {
        name.clone_into(&mut self.described);
        put(member(&mut self.client), name, value)
    }

    /// The options of its run beside those of the first agent; `None` without one.
    fn finish(mut self, first: &Options) -> Result<Option<Options>, Problem> {
        if self.url.is_empty() {
            let message = || format!("`{}` is about a `peer`, and none was given", self.described);
            return if self.described.is_empty() { Ok(None) } else { Err(missing("peer", &message())) };
        }
        if !matches!(first.source, Source::Discovery) {
            return Err(Problem::invalid("peer", "`peer` needs an agent with a `url` beside it".to_owned()));
        }
        let mut options = Options { prompts: self.prompts, ..first.of_peer(address("peer", &self.url)?) };
        given("peerClientId", self.credentials.client(self.client))?;
        self.credentials.put_into(&mut options);
        Ok(Some(options))
    }
}

/// What a script asks for.
#[derive(Debug)]
pub struct GivenRun {
    /// The run of the agent.
    pub first: Options,
    /// That of another agent, with which the first is checked together.
    pub peer: Option<Options>,
}

/// Reads what a script asks for. A member that is null is one that was not given. `in_browser` says that a browser decides
/// which headers are sent, and how many requests at once.
///
/// # Errors
/// The first thing that cannot be used.
pub fn read(asked: &Value, in_browser: bool) -> Result<GivenRun, Problem> {
    let members = object("options", asked)?;
    let mut read = GivenOptions { in_browser, ..GivenOptions::default() };
    if in_browser {
        read.options.concurrency = AT_ONCE;
    }
    for (name, value) in members {
        let take = take(name)?;
        if !value.is_null() {
            take(&mut read, name, value)?;
        }
    }
    read.finish()
}

/// Whether there is such an option.
///
/// # Errors
/// When there is none; the text has the nearest name.
pub fn known(name: &str) -> Result<(), Problem> {
    take(name).map(|_| ())
}

fn take(name: &str) -> Result<OptionReader, Problem> {
    OPTIONS.iter().find(|(known, _)| *known == name).map(|(_, take)| *take).ok_or_else(|| {
        let message = format!("there is no option `{name}`; the nearest is `{}`", nearest(name, names()));
        Problem { code: Code::UnknownOption, option: name.to_owned(), message }
    })
}

impl GivenOptions {
    /// The problems that show only when every option was read.
    fn finish(mut self) -> Result<GivenRun, Problem> {
        let sources =
            [("url", self.url.is_empty()), ("card", self.card.is_empty()), ("endpoint", self.endpoint.is_empty())];
        let mut sources = sources.iter().filter(|(_, is_empty)| !is_empty).map(|(name, _)| *name);
        let (from, other) = (sources.next(), sources.next());
        if let (Some(from), Some(other)) = (from, other) {
            return Err(Problem::invalid(
                other,
                format!("`{from}` and `{other}` were given; a run begins with one of them"),
            ));
        }
        if from != Some("endpoint") && !self.described.is_empty() {
            let message = format!("`{}` describes an `endpoint`, and none was given", self.described);
            return Err(Problem::invalid(&self.described, message));
        }
        match from {
            Some("card") => {
                self.options.address = "the given card".to_owned();
                self.options.source = Source::Card(self.card);
            }
            Some("endpoint") => {
                if self.interface.binding.is_empty() {
                    return Err(missing("binding", "an `endpoint` needs its `binding`"));
                }
                let is_grpc = self.interface.binding == GRPC.id;
                let url = if is_grpc { base_url(&self.endpoint) } else { Ok(self.endpoint) };
                let url = url.map_err(|problem| Problem::invalid("endpoint", problem.to_string()))?;
                self.options.address = address("endpoint", &url)?;
                self.options.source = Source::Endpoint(self.interface);
            }
            Some(_) => self.options.address = address("url", &self.url)?,
            None => return Err(missing("url", "there is nothing to check: give a `url`, a `card` or an `endpoint`")),
        }
        let second = &self.second_client;
        if !(second.id.is_empty() && second.secret.is_empty() && second.refresh.is_empty()) {
            let (scope, token_url) = (self.client.scope.clone(), self.client.token_url.clone());
            given("secondClientId", self.second.client(OAuthClient { scope, token_url, ..self.second_client }))?;
        }
        given("clientId", self.first.client(self.client))?;
        self.first.second(self.second).map_err(|problem| Problem::invalid("secondBearer", problem.to_string()))?;
        self.first.put_into(&mut self.options);
        (self.options.timeout_ms, self.options.timeouts) = self.times.settle();
        let peer = self.peer.finish(&self.options)?;
        self.options.via = gateway(&self.via, &self.options)?;
        matching_something(&self.options.only, peer.is_some())?;
        if self.options.repeat > 1 {
            let of_two = peer.as_ref().map(|_| TWO_AGENTS_ONCE);
            if let Some(why) = of_two.or_else(|| self.options.once_only()) {
                let message = format!("`repeat`: this cannot be checked several times: {why}");
                return Err(Problem::invalid("repeat", message));
            }
        }
        Ok(GivenRun { first: self.options, peer })
    }
}

fn take_card(asked: &mut GivenOptions, name: &str, value: &Value) -> Result<(), Problem> {
    let card = value.as_str().map_or_else(|| value.to_string(), str::to_owned).into_bytes();
    if card.len() > MAX_CARD {
        return Err(Problem::invalid(name, format!("`{name}` is longer than {} MB", MAX_CARD / 1024 / 1024)));
    }
    if !crate::wire::json::parse(&card).value.is_some_and(|card| card.is_object()) {
        return Err(Problem::invalid(name, format!("`{name}` is not a card: a card is one JSON object")));
    }
    asked.card = card;
    Ok(())
}

fn take_binding(asked: &mut GivenOptions, name: &str, value: &Value) -> Result<(), Problem> {
    name.clone_into(&mut asked.described);
    asked.interface.binding = one_of(name, &text(name, value)?, &BINDINGS)?.to_owned();
    Ok(())
}

fn take_declares(asked: &mut GivenOptions, name: &str, value: &Value) -> Result<(), Problem> {
    name.clone_into(&mut asked.described);
    for capability in texts(name, value)? {
        match one_of(name, &capability, &CAPABILITIES)? {
            "streaming" => asked.interface.streaming = true,
            "pushNotifications" => asked.interface.push_notifications = true,
            _ => asked.interface.extended_card = true,
        }
    }
    Ok(())
}

fn take_basic(credentials: &mut GivenCredentials, name: &str, value: &Value) -> Result<(), Problem> {
    let pair = text(name, value)?;
    given(name, split_basic(&pair).and_then(|(user, password)| credentials.basic(user, password)))
}

fn take_headers(
    name: &str,
    value: &Value,
    in_browser: bool,
    mut add: impl FnMut(&str, &str) -> Result<(), GivenError>,
) -> Result<(), Problem> {
    for (header, value) in object(name, value)? {
        if in_browser && drops_header(header) {
            let message = format!("`{name}`: browsers do not let a page send the header {header}");
            return Err(Problem::invalid(name, message));
        }
        given(name, add(header, &text(name, value)?))?;
    }
    Ok(())
}

fn take_query(credentials: &mut GivenCredentials, name: &str, value: &Value) -> Result<(), Problem> {
    for (parameter, value) in object(name, value)? {
        given(name, credentials.query(parameter, &text(name, value)?))?;
    }
    Ok(())
}

fn take_version(asked: &mut GivenOptions, name: &str, value: &Value) -> Result<(), Problem> {
    let known: Vec<&str> = versions().collect();
    asked.options.version = Some(one_of(name, &text(name, value)?, &known)?.to_owned());
    Ok(())
}

fn take_profile(asked: &mut GivenOptions, name: &str, value: &Value) -> Result<(), Problem> {
    let profile = text(name, value)?;
    asked.options.profile = Profile::parse(&profile);
    if asked.options.profile.is_none() {
        one_of(name, &profile, &Profile::ALL.map(Profile::as_str))?;
    }
    Ok(())
}

fn take_prompts(prompts: &mut Texts, name: &str, value: &Value) -> Result<(), Problem> {
    for (behaviour, prompt) in object(name, value)? {
        one_of(name, behaviour, &Behaviour::ALL.map(Behaviour::as_str))?;
        let prompt = text(name, prompt)?;
        if prompt.trim().is_empty() {
            return Err(Problem::invalid(name, format!("`{name}`: the text for {behaviour} is empty")));
        }
        if let Some(behaviour) = Behaviour::parse(behaviour) {
            prompts.set(behaviour, prompt.trim().to_owned());
        }
    }
    Ok(())
}

fn take_only(asked: &mut GivenOptions, name: &str, value: &Value) -> Result<(), Problem> {
    asked.options.only = texts(name, value)?;
    Ok(())
}

/// That each of these patterns matches a check, of two agents only where there are two.
fn matching_something(only: &[String], are_two: bool) -> Result<(), Problem> {
    for pattern in only {
        let of_pairs = suite::pair_declarations().filter(|_| are_two);
        if !suite::every_declaration().chain(of_pairs).any(|(.., check)| matches(pattern, check.id)) {
            let message = format!("`only`: no check matches \u{201c}{pattern}\u{201d}; checkList() lists them");
            return Err(Problem::invalid("only", message));
        }
    }
    Ok(())
}

fn whole_number<T: TryFrom<u64>>(name: &str, value: &Value, most: u64) -> Result<T, Problem> {
    let number = value.as_u64().filter(|number| (1..=most).contains(number));
    let number = number.and_then(|number| number.try_into().ok());
    number.ok_or_else(|| Problem::invalid(name, format!("`{name}` is not a whole number from 1 to {most}")))
}

fn take_timeouts(asked: &mut GivenOptions, name: &str, value: &Value) -> Result<(), Problem> {
    for (limit, value) in object(name, value)? {
        one_of(name, limit, &TIMES.map(|(known, _)| known))?;
        if let Some((_, of)) = TIMES.iter().find(|(known, _)| known == limit) {
            seconds(of(&mut asked.times), name, value)?;
        }
    }
    Ok(())
}

/// JavaScript values that JSON cannot express: the caller takes them out before. They are null in what is read here.
fn held(_: &mut GivenOptions, name: &str, _: &Value) -> Result<(), Problem> {
    Err(Problem::invalid(name, format!("`{name}` cannot be given as JSON")))
}

fn seconds(limit: &mut Option<f64>, name: &str, value: &Value) -> Result<(), Problem> {
    match value.as_f64().filter(|seconds| *seconds > 0.0 && *seconds <= LONGEST_SECONDS) {
        Some(seconds) => *limit = Some(seconds * 1000.0),
        None => return Err(Problem::invalid(name, format!("`{name}` is not a number of seconds between 0 and 86400"))),
    }
    Ok(())
}

fn address(name: &str, url: &str) -> Result<String, Problem> {
    normalise(url).map(|address| address.url()).map_err(|problem| Problem::because(name, &problem))
}

/// The gateway before an agent, if one was given.
fn gateway(via: &str, agent: &Options) -> Result<Option<String>, Problem> {
    if via.is_empty() {
        return Ok(None);
    }
    if !matches!(agent.source, Source::Discovery) {
        return Err(Problem::invalid("via", "`via` needs an agent with a `url` behind it".to_owned()));
    }
    let accepted = normalise(&agent.address).map_or(Ok(()), |agent| agent.accepts_gateway(via));
    accepted.map_err(|problem| Problem::invalid("via", format!("`via` {via}{problem}")))?;
    Ok(Some(via.to_owned()))
}

fn put(place: &mut String, name: &str, value: &Value) -> Result<(), Problem> {
    *place = text(name, value)?;
    Ok(())
}

fn text(name: &str, value: &Value) -> Result<String, Problem> {
    value.as_str().map(str::to_owned).ok_or_else(|| Problem::invalid(name, format!("`{name}` is not a string")))
}

fn texts(name: &str, value: &Value) -> Result<Vec<String>, Problem> {
    let Value::Array(items) = value else {
        return Err(Problem::invalid(name, format!("`{name}` is not an array of strings")));
    };
    items.iter().map(|item| text(name, item)).collect()
}

fn object<'a>(name: &str, value: &'a Value) -> Result<&'a Map<String, Value>, Problem> {
    value.as_object().ok_or_else(|| Problem::invalid(name, format!("`{name}` is not an object")))
}

fn missing(option: &str, message: &str) -> Problem {
    Problem { code: Code::MissingOption, option: option.to_owned(), message: message.to_owned() }
}

fn given(name: &str, result: Result<(), GivenError>) -> Result<(), Problem> {
    result.map_err(|problem| Problem::because(name, &problem))
}

/// One of the texts that an option knows.
fn one_of<'a>(name: &str, text: &str, known: &[&'a str]) -> Result<&'a str, Problem> {
    known.iter().copied().find(|known| *known == text).ok_or_else(|| {
        let message = format!("`{name}` does not know \u{201c}{text}\u{201d}; it knows {}", known.join(", "));
        Problem::invalid(name, message)
    })
}

fn nearest<'a>(given: &str, known: impl Iterator<Item = &'a str>) -> &'a str {
    known.min_by_key(|known| strsim::levenshtein(given, known)).unwrap_or_default()
}
