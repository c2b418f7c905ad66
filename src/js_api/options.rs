//! Reads the options of a script into the options of a run, with the largest values, and words what is wrong with one. The command
//! line's options of the same meaning have the same names, as a script writes them: `--token-url` is `tokenUrl`. A test holds that
//! none is missing here.

use super::problem::{Code, Problem};
use crate::a2a::binding::base_url;
use crate::a2a::binding::grpc::GRPC;
use crate::engine::browser::{CONNECTIONS_PER_ORIGIN, drops_header};
use crate::engine::credentials::parse::{GivenCredentials, GivenError, split_basic};
use crate::engine::detect::versions;
use crate::engine::discover::normalise;
use crate::engine::jwks;
use crate::engine::options::{Endpoint, MOST_RUNS, OAuthClient, Options, Source, TWO_AGENTS_ONCE};
use crate::engine::prompt::{Behaviour, Profile, Texts};
use crate::engine::timeouts::TimeoutOverrides;
use crate::suite;
use crate::wire::json::{Map, Value};

type OptionReader = fn(&mut GivenOptions, GivenOption<'_>) -> Result<(), Problem>;

/// Takes in what identifies somebody.
type CredentialReader = fn(&mut GivenIdentity, GivenOption<'_>) -> Result<(), Problem>;

type Limit = fn(&mut TimeoutOverrides) -> &mut Option<f64>;

/// A table of options with what takes them in. Their types and texts are for `index.d.ts` and `docs/SCRIPTS.md`, which are made of them.
macro_rules! options {
    ($table:ident, $texts:ident, ($names:ty, $reader:ty), $($(#[doc = $line:literal])+ option $name:tt: $type:literal, $read:expr;)+) => {
        const $table: &[($names, $reader)] = &[$(($name, $read)),+];
        #[cfg(test)]
        pub(super) const $texts: &[($names, &str, &[&str])] = &[$(($name, $type, &[$($line),+])),+];
    };
}

/// What is checked.
const SOURCES: &[(&str, OptionReader)] = &[
    ("url", |asked, option| put(&mut asked.url, option.text())),
    ("card", take_card),
    ("endpoint", |asked, option| put(&mut asked.endpoint, option.text())),
    ("binding", |asked, option| {
        option.name.clone_into(&mut asked.described);
        put(&mut asked.interface.binding, option.one_of(&option.text()?, &BINDINGS).map(str::to_owned))
    }),
    ("declares", take_declares),
    ("tenant", |asked, option| {
        option.name.clone_into(&mut asked.described);
        put(&mut asked.interface.tenant, option.text().map(Some))
    }),
    ("extensions", |asked, option| {
        option.name.clone_into(&mut asked.described);
        put(&mut asked.interface.extensions, option.texts())
    }),
];

// Each with its names for the agent, for the second identity and for the peer; empty where it has none.
options! { CREDENTIALS, CREDENTIAL_TEXTS, ([&str; 3], CredentialReader),
    /// A bearer token, sent with every request.
    option ["bearer", "secondBearer", "peerBearer"]: "string",
    |given, option| option.explained(given.credentials.bearer(&option.text()?));
    /// `USER:PASSWORD`, sent as Basic credentials with every request.
    option ["basic", "secondBasic", "peerBasic"]: "string",
    |given, option| {
        let pair = option.text()?;
        option.explained(split_basic(&pair).and_then(|(user, password)| given.credentials.basic(user, password)))
    };
    /// Headers, sent with every request; their values are secrets: `{ 'X-Api-Key': '…' }`.
    option ["headers", "secondHeaders", "peerHeaders"]: "Record<string, string>",
    |given, option| option.headers(|name, value| given.credentials.header(name, value));
    /// Keys in the query of every request; their values are secrets.
    option ["query", "secondQuery", "peerQuery"]: "Record<string, string>",
    |given, option| {
        let mut parameters = option.object()?.iter();
        parameters.try_for_each(|(name, value)| {
            option.explained(given.credentials.query(name, &option.with(value).text()?))
        })
    };
    /// Headers of single interfaces, by the names of their lanes, which then have no other credentials:
    /// `{ 'rest-1.0': { 'X-Api-Key': '…' } }`.
    option ["laneHeaders", "secondLaneHeaders", "peerLaneHeaders"]: "Record<string, Record<string, string>>",
    |given, option| {
        option.object()?.iter().try_for_each(|(lane, headers)| {
            option.with(headers).headers(|name, value| given.credentials.lane_header(lane, name, value))
        })
    };
    /// The client that gets tokens by OAuth 2.0. Without a secret, the event `confirm` says where a person confirms a code.
    option ["clientId", "secondClientId", "peerClientId"]: "string",
    |given, option| put(&mut given.client.id, option.text());
    /// The secret of that client.
    option ["clientSecret", "secondClientSecret", "peerClientSecret"]: "string",
    |given, option| put(&mut given.client.secret, option.text());
    /// The scopes to request, separated by spaces; a client of the second identity requests the same.
    option ["scope", "", "peerScope"]: "string",
    |given, option| put(&mut given.client.scope, option.text());
    /// The token endpoint, if it is not the one that the card or its OpenID provider names; it is also that of the second identity.
    option ["tokenUrl", "", "peerTokenUrl"]: "string",
    |given, option| put(&mut given.client.token_url, option.text());
    /// The refresh token that renews the bearer token.
    option ["refreshToken", "secondRefreshToken", ""]: "string",
    |given, option| put(&mut given.client.refresh, option.text());
    /// Origins that credentials may go to besides the agent's own, if the card names them.
    option ["allowOrigins", "", "peerAllowOrigins"]: "string[]",
    |given, option| option.texts()?.iter().try_for_each(|origin| option.explained(given.credentials.origin(origin)));
}

// Those that only JavaScript can hold are taken out before.
options! { SETTINGS, SETTING_TEXTS, (&str, OptionReader),
    /// Only checks whose id matches one of these patterns, in which `*` stands for anything; `checkList()` resolves to the `id`, `title` and
    /// `level` of each check.
    option "only": "string[]",
    |asked, option| put(&mut asked.options.only, option.texts());
    /// Drives scenarios, too, that cost many messages for what they find, such as bursts; false, unless given.
    option "thorough": "boolean",
    |asked, option| put(&mut asked.options.is_thorough, option.flag());
    /// How many times the agent is checked, one run after another, with one report: 1 to 100. What fails in each run is a fail. What
    /// differs is inconclusive, counted as `unsteady` in the summary, and says in `repeated` which runs concluded what, with the
    /// exchanges of each kind. Not with `card`, `peer` or a refresh token.
    option "repeat": "number",
    |asked, option| put(&mut asked.options.repeat, option.whole_number(u64::from(MOST_RUNS)));
    /// How many interfaces of the card are called at most: 16, unless given. If it lists more, the report names the others, and the
    /// run is incomplete.
    option "interfaces": "number",
    |asked, option| put(&mut asked.options.most_interfaces, option.whole_number(u64::from(u32::MAX)));
    /// The version to judge by, whatever the card declares.
    option "protocolVersion": "'1.0' | '0.3' | '0.2' | '0.1'",
    |asked, option| {
        let known: Vec<&str> = versions().collect();
        put(&mut asked.options.version, option.one_of(&option.text()?, &known).map(|version| Some(version.to_owned())))
    };
    /// The messages that make the agent show a behaviour: `{ 'input-required': 'Book a flight' }`.
    option "prompts": "Partial<Record<Behaviour, string>>",
    |asked, option| option.prompts(&mut asked.options.prompts);
    /// The convention for the prompts; otherwise the card chooses.
    option "profile": "'generic' | 'agentbin' | 'tck' | 'acts'", take_profile;
    /// The ids of the skills whose examples an ordinary agent is asked in; all otherwise.
    option "skills": "string[]",
    |asked, option| put(&mut asked.options.skills, option.texts());
    /// The keys that are trusted to sign the card: a JSON Web Key Set, as an object or as text, or its URL.
    option "jwks": "string | { keys: object[] }",
    |asked, option| {
        // A key set is an object of JSON: a script may have it as one.
        let set = if option.value.is_object() { option.value.to_string() } else { option.text()? };
        put(&mut asked.options.jwks, jwks::parse_jwks(&set).map_err(|problem| Problem::because(option.name, &problem)))
    };
    /// How many requests may be under way at once: 6 in a browser and 8 elsewhere, unless given.
    option "concurrency": "number",
    |asked, option| put(&mut asked.options.concurrency, option.whole_number(MOST_AT_ONCE));
    /// How long a scenario may take: 60 seconds, unless given.
    option "timeoutSeconds": "number",
    |asked, option| option.seconds(&mut asked.times.scenario);
    /// How long to wait for what, in seconds: `reach` for the card (30), `answer` for the answer to a call (45), `event` for the first
    /// event of a stream and `idle` for the next one (as for an answer), and `run` for the whole run (900).
    option "timeouts": "Partial<Record<'reach' | 'answer' | 'event' | 'idle' | 'run', number>>", take_timeouts;
    /// The address of a gateway in front of the agent: its answers are compared with those that come through it.
    option "via": "string | URL",
    |asked, option| put(&mut asked.via, option.text());
    /// Another agent, with which this one is checked together: an origin, a base path or the URL of its card. Each is checked alone, and
    /// then both. The report is about both; those of each alone are its `agents`.
    option "peer": "string | URL",
    |asked, option| put(&mut asked.peer.url, option.text());
    /// The messages that make the other agent show a behaviour.
    option "peerPrompts": "Partial<Record<Behaviour, string>>",
    |asked, option| {
        option.name.clone_into(&mut asked.peer.described);
        option.prompts(&mut asked.peer.prompts)
    };
    /// An `AbortSignal` that ends the run. The promise then rejects with an error whose `report` holds what was seen until then.
    option "signal": "AbortSignal", held;
    /// A function that is told what happens. What it throws ends the run.
    option "onEvent": "((event: CheckEvent) => void)", held;
}

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
    let credentials = CREDENTIALS.iter().flat_map(|(names, _)| *names).filter(|name| !name.is_empty());
    SOURCES.iter().chain(SETTINGS).map(|(name, _)| *name).chain(credentials)
}

#[derive(Default)]
struct GivenOptions {
    options: Options,
    url: String,
    card: Vec<u8>,
    endpoint: String,
    interface: Endpoint,
    /// An option that describes the endpoint.
    described: String,
    first: GivenIdentity,
    second: GivenIdentity,
    via: String,
    peer: GivenPeer,
    times: TimeoutOverrides,
}

/// The credentials of somebody, as far as they were read.
#[derive(Default)]
struct GivenIdentity {
    credentials: GivenCredentials,
    client: OAuthClient,
}

/// The other agent, as far as it was read.
#[derive(Default)]
struct GivenPeer {
    url: String,
    /// An option that says something of it.
    described: String,
    identity: GivenIdentity,
    prompts: Texts,
}

#[derive(Clone, Copy)]
struct GivenOption<'a> {
    name: &'a str,
    value: &'a Value,
    in_browser: bool,
}

impl GivenPeer {
    /// The options of its run beside those of the first agent; `None` without one.
    fn finish(self, first: &Options) -> Result<Option<Options>, Problem> {
        if self.url.is_empty() {
            let message = || format!("`{}` is about a `peer`, and none was given", self.described);
            return if self.described.is_empty() { Ok(None) } else { Err(missing("peer", &message())) };
        }
        if !matches!(first.source, Source::Discovery) {
            return Err(Problem::invalid("peer", "`peer` needs an agent with a `url` beside it".to_owned()));
        }
        let mut options = Options { prompts: self.prompts, ..first.of_peer(address("peer", &self.url)?) };
        let GivenIdentity { mut credentials, client } = self.identity;
        given("peerClientId", credentials.client(client))?;
        credentials.put_into(&mut options);
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
/// which headers are sent, and how many requests at once. The error is about the first thing that cannot be used.
pub fn read(asked: &Value, in_browser: bool) -> Result<GivenRun, Problem> {
    let whole = GivenOption { name: "options", value: asked, in_browser };
    let mut read = GivenOptions::default();
    if in_browser {
        read.options.concurrency = CONNECTIONS_PER_ORIGIN;
    }
    for (name, value) in whole.object()? {
        known(name)?;
        if !value.is_null() {
            read.take(GivenOption { name, value, in_browser })?;
        }
    }
    read.finish()
}

/// Whether there is such an option; the error has the nearest name.
pub fn known(name: &str) -> Result<(), Problem> {
    if names().any(|known| known == name) {
        return Ok(());
    }
    let nearest = names().min_by_key(|known| strsim::levenshtein(name, known)).unwrap_or_default();
    let message = format!("there is no option `{name}`; the nearest is `{nearest}`");
    Err(Problem { code: Code::UnknownOption, option: name.to_owned(), message })
}

impl GivenOptions {
    fn take(&mut self, option: GivenOption<'_>) -> Result<(), Problem> {
        if let Some((_, take)) = SOURCES.iter().chain(SETTINGS).find(|(name, _)| *name == option.name) {
            return take(self, option);
        }
        for ([own, second, peer], take) in CREDENTIALS {
            if option.name == *own {
                return take(&mut self.first, option);
            } else if option.name == *second {
                return take(&mut self.second, option);
            } else if option.name == *peer {
                option.name.clone_into(&mut self.peer.described);
                return take(&mut self.peer.identity, option);
            }
        }
        Ok(())
    }

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
        let (GivenIdentity { mut credentials, client }, mut second) = (self.first, self.second);
        if !(second.client.id.is_empty() && second.client.secret.is_empty() && second.client.refresh.is_empty()) {
            let (scope, token_url) = (client.scope.clone(), client.token_url.clone());
            given("secondClientId", second.credentials.client(OAuthClient { scope, token_url, ..second.client }))?;
        }
        given("clientId", credentials.client(client))?;
        credentials
            .second(second.credentials)
            .map_err(|problem| Problem::invalid("secondBearer", problem.to_string()))?;
        credentials.put_into(&mut self.options);
        (self.options.timeout_ms, self.options.timeouts) = self.times.settle();
        let peer = self.peer.finish(&self.options)?;
        self.options.via = gateway(&self.via, &self.options)?;
        if let Some(pattern) = suite::matching_nothing(&self.options.only, peer.is_some()) {
            let message = format!("`only`: no check matches \u{201c}{pattern}\u{201d}; checkList() lists them");
            return Err(Problem::invalid("only", message));
        }
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

impl<'a> GivenOption<'a> {
    /// The same option with a part of its value.
    const fn with(self, value: &'a Value) -> Self {
        Self { value, ..self }
    }

    fn problem(self, what: &str) -> Problem {
        Problem::invalid(self.name, format!("`{}` {what}", self.name))
    }

    fn explained(self, result: Result<(), GivenError>) -> Result<(), Problem> {
        given(self.name, result)
    }

    fn text(self) -> Result<String, Problem> {
        self.value.as_str().map(str::to_owned).ok_or_else(|| self.problem("is not a string"))
    }

    fn texts(self) -> Result<Vec<String>, Problem> {
        let Value::Array(items) = self.value else { return Err(self.problem("is not an array of strings")) };
        items.iter().map(|item| self.with(item).text()).collect()
    }

    fn object(self) -> Result<&'a Map<String, Value>, Problem> {
        self.value.as_object().ok_or_else(|| self.problem("is not an object"))
    }

    fn flag(self) -> Result<bool, Problem> {
        self.value.as_bool().ok_or_else(|| self.problem("is not true or false"))
    }

    fn whole_number<T: TryFrom<u64>>(self, most: u64) -> Result<T, Problem> {
        let number = self.value.as_u64().filter(|number| (1..=most).contains(number));
        let number = number.and_then(|number| number.try_into().ok());
        number.ok_or_else(|| self.problem(&format!("is not a whole number from 1 to {most}")))
    }

    fn seconds(self, limit: &mut Option<f64>) -> Result<(), Problem> {
        match self.value.as_f64().filter(|seconds| *seconds > 0.0 && *seconds <= LONGEST_SECONDS) {
            Some(seconds) => *limit = Some(seconds * 1000.0),
            None => return Err(self.problem("is not a number of seconds between 0 and 86400")),
        }
        Ok(())
    }

    /// One of the texts that it knows.
    fn one_of<'b>(self, text: &str, known: &[&'b str]) -> Result<&'b str, Problem> {
        let found = known.iter().copied().find(|known| *known == text);
        found.ok_or_else(|| {
            self.problem(&format!("does not know \u{201c}{text}\u{201d}; it knows {}", known.join(", ")))
        })
    }

    fn headers(self, mut add: impl FnMut(&str, &str) -> Result<(), GivenError>) -> Result<(), Problem> {
        for (header, value) in self.object()? {
            if self.in_browser && drops_header(header) {
                let message = format!("`{}`: browsers do not let a page send the header {header}", self.name);
                return Err(Problem::invalid(self.name, message));
            }
            self.explained(add(header, &self.with(value).text()?))?;
        }
        Ok(())
    }

    fn prompts(self, prompts: &mut Texts) -> Result<(), Problem> {
        for (behaviour, prompt) in self.object()? {
            self.one_of(behaviour, &Behaviour::ALL.map(Behaviour::as_str))?;
            let prompt = self.with(prompt).text()?;
            if prompt.trim().is_empty() {
                let message = format!("`{}`: the text for {behaviour} is empty", self.name);
                return Err(Problem::invalid(self.name, message));
            }
            if let Some(behaviour) = Behaviour::parse(behaviour) {
                prompts.set(behaviour, prompt.trim().to_owned());
            }
        }
        Ok(())
    }
}

fn take_card(asked: &mut GivenOptions, option: GivenOption<'_>) -> Result<(), Problem> {
    let card = option.value.as_str().map_or_else(|| option.value.to_string(), str::to_owned).into_bytes();
    if card.len() > MAX_CARD {
        return Err(option.problem(&format!("is longer than {} MB", MAX_CARD / 1024 / 1024)));
    }
    if !crate::wire::json::parse(&card).value.is_some_and(|card| card.is_object()) {
        return Err(option.problem("is not a card: a card is one JSON object"));
    }
    asked.card = card;
    Ok(())
}

fn take_declares(asked: &mut GivenOptions, option: GivenOption<'_>) -> Result<(), Problem> {
    option.name.clone_into(&mut asked.described);
    for capability in option.texts()? {
        match option.one_of(&capability, &CAPABILITIES)? {
            "streaming" => asked.interface.streaming = true,
            "pushNotifications" => asked.interface.push_notifications = true,
            _ => asked.interface.extended_card = true,
        }
    }
    Ok(())
}

fn take_profile(asked: &mut GivenOptions, option: GivenOption<'_>) -> Result<(), Problem> {
    let profile = option.text()?;
    asked.options.profile = Profile::parse(&profile);
    if asked.options.profile.is_none() {
        option.one_of(&profile, &Profile::ALL.map(Profile::as_str))?;
    }
    Ok(())
}

fn take_timeouts(asked: &mut GivenOptions, option: GivenOption<'_>) -> Result<(), Problem> {
    for (limit, value) in option.object()? {
        option.one_of(limit, &TIMES.map(|(known, _)| known))?;
        if let Some((_, of)) = TIMES.iter().find(|(known, _)| known == limit) {
            option.with(value).seconds(of(&mut asked.times))?;
        }
    }
    Ok(())
}

/// JavaScript values that JSON cannot express: the caller takes them out before. They are null in what is read here.
fn held(_: &mut GivenOptions, option: GivenOption<'_>) -> Result<(), Problem> {
    Err(option.problem("cannot be given as JSON"))
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

/// Puts a value where it belongs, if it is one.
fn put<T>(place: &mut T, value: Result<T, Problem>) -> Result<(), Problem> {
    *place = value?;
    Ok(())
}

fn missing(option: &str, message: &str) -> Problem {
    Problem { code: Code::MissingOption, option: option.to_owned(), message: message.to_owned() }
}

fn given(name: &str, result: Result<(), GivenError>) -> Result<(), Problem> {
    result.map_err(|problem| Problem::because(name, &problem))
}
