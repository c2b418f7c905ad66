//! What the user typed besides the address, read and refused with a sentence.

use crate::engine::browser::{AT_ONCE, drops_header};
use crate::engine::credentials::parse::{GivenCredentials, GivenError, split_basic, split_field, split_lane};
use crate::engine::discover::normalise;
use crate::engine::jwks;
use crate::engine::options::{OAuthClient, Options, TimeoutOverrides};
use crate::engine::prompt::{Profile, Texts};
use crate::engine::security_schemes::SecurityScheme;
use crate::wire::redact::SHORTEST_SECRET;

/// What a box says that is ticked.
pub const YES: &str = "yes";

/// What stands between the agents in a packed text, between the parts of one, and between a name and its value: no field
/// holds these.
const NEXT: &str = "\u{1d}";
const APART: &str = "\u{1e}";
const BETWEEN: char = '\u{1f}';

/// What the names of a second identity's fields begin with.
const SECOND: &str = "second:";

/// The form as it was typed. Credentials live here and nowhere else: not in the link, and in storage only for a tab whose
/// user asked for that.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settings {
    /// A bearer token.
    pub bearer: String,
    /// Header lines, `Name: value` each.
    pub headers: String,
    /// What a card asked for besides, by the name of its field: see [`fields`].
    pub given: Vec<(String, String)>,
    /// Whether the credentials may be kept for a reload of this tab.
    pub kept: bool,
    /// The origin of the agent that the credentials were last used for; empty while they are being typed.
    pub owner: String,
    /// What was put aside for other agents, packed.
    pub others: Vec<String>,
    /// How long is waited for what, in seconds, by the places in [`TIMES`]; empty for what is usual.
    times: [String; TIMES.len()],
    /// A prompt for some of the behaviours.
    pub prompts: Texts,
    /// The convention that the agent knows; empty goes by its card.
    pub profile: String,
    /// The ids of the skills to ask an ordinary agent for, separated by commas; empty means all.
    pub skills: String,
    /// The version to judge by; empty goes by the card.
    pub version: String,
    /// The keys that are trusted to sign the card: a key set or its URL.
    pub jwks: String,
}

/// The times that can be set, each with the id of its field, what it is called, and what is usual, in seconds.
pub const TIMES: [(&str, &str, &str); 6] = [
    ("timeout", "Seconds per conversation", "60"),
    ("time-reach", "For the card, also of an agent that has to wake up", "30"),
    ("time-answer", "For the answer to a call", "45"),
    ("time-event", "To the first event of a stream", "45"),
    ("time-idle", "Of silence on a stream", "45"),
    ("time-run", "For the whole run", "900"),
];

/// The shortest and the longest patience, in seconds.
const TIMEOUTS: std::ops::RangeInclusive<u16> = 1..=36_000;

impl Settings {
    /// The options of a run of that address.
    ///
    /// # Errors
    /// One sentence for the user on what cannot be used.
    pub fn options(&self, address: &str) -> Result<Options, String> {
        let address = normalise(address).map_err(|problem| problem.to_string())?.url();
        let mut times = [None; TIMES.len()];
        for (time, typed) in times.iter_mut().zip(&self.times) {
            *time = seconds(typed)?;
        }
        let [scenario, reach, answer, first_event, idle, run] =
            times.map(|time| time.map(|seconds| f64::from(seconds) * 1000.0));
        let (timeout_ms, timeouts) = TimeoutOverrides { scenario, reach, answer, first_event, idle, run }.settle();
        let mut prompts = Texts::default();
        for (behaviour, text) in self.prompts.iter().filter(|(_, text)| !text.trim().is_empty()) {
            prompts.set(behaviour, text.trim().to_owned());
        }
        let mut options = Options {
            address,
            timeout_ms,
            timeouts,
            prompts,
            profile: Profile::parse(&self.profile),
            skills: self.skills.split(',').map(str::trim).filter(|id| !id.is_empty()).map(str::to_owned).collect(),
            concurrency: AT_ONCE,
            version: Some(self.version.clone()).filter(|version| !version.is_empty()),
            jwks: jwks::given(&self.jwks).map_err(|problem| format!("the trusted keys: {problem}"))?,
            ..Options::default()
        };
        self.credentials()?.put_into(&mut options);
        Ok(options)
    }

    /// The time in the field of that id, as it was typed.
    #[must_use]
    pub fn time(&self, id: &str) -> &str {
        self.times
            .iter()
            .zip(TIMES)
            .find(|(_, (known, ..))| *known == id)
            .map(|(typed, _)| typed.as_str())
            .unwrap_or("")
    }

    /// Types a time into the field of that id.
    pub fn set_time(&mut self, id: &str, typed: String) {
        if let Some((time, _)) = self.times.iter_mut().zip(TIMES).find(|(_, (known, ..))| *known == id) {
            *time = typed;
        }
    }

    /// Waits so many seconds for what was not waited for long enough, the card or an answer, and gives its conversation
    /// at least as much.
    pub fn wait(&mut self, id: &str, long: u32) {
        self.set_time(id, long.to_string());
        if seconds(self.time("timeout")).is_ok_and(|typed| typed.is_some_and(|typed| u32::from(typed) < long)) {
            self.set_time("timeout", String::new());
        }
    }

    /// What was typed into a field that the card asked for.
    #[must_use]
    pub fn given(&self, name: &str) -> &str {
        self.given.iter().find(|(known, _)| known == name).map(|(_, value)| value.trim()).unwrap_or_default()
    }

    /// Types something into such a field.
    pub fn give(&mut self, name: &str, value: String) {
        self.given.retain(|(known, _)| known != name);
        if !value.is_empty() {
            self.given.push((name.to_owned(), value));
        }
    }

    /// What was given under names with this beginning, without it.
    fn of<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.given.iter().filter_map(move |(name, value)| Some((name.strip_prefix(kind)?, value.trim())))
    }

    /// The credentials in the form.
    fn credentials(&self) -> Result<GivenCredentials, String> {
        let mut given = GivenCredentials::default();
        if !self.bearer.trim().is_empty() {
            given.bearer(&self.bearer).map_err(sentence)?;
        }
        for (number, line) in self.headers.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            add_line(&mut given, line).map_err(|problem| match problem {
                Refused::Given(GivenError::NotAField | GivenError::Name(_)) => {
                    format!("line {} of the headers does not have the form \u{201c}Name: value\u{201d}", number + 1)
                }
                problem => problem.sentence(),
            })?;
        }
        for (name, value) in self.of("") {
            add_field(&mut given, name, value).map_err(Refused::sentence)?;
        }
        let [id, secret, scope, token_url, refresh] =
            ["id", "secret", "scope", "token", "refresh"].map(|name| self.given(name).to_owned());
        given.client(OAuthClient { id, secret, scope, token_url, refresh }).map_err(sentence)?;
        let mut second = GivenCredentials::default();
        for (name, value) in self.of(SECOND) {
            let added = add_field(&mut second, name, value);
            added.map_err(|problem| format!("of the second identity: {}", problem.sentence()))?;
        }
        given.second(second).map_err(sentence)?;
        for (origin, _) in self.of("allow:").filter(|(_, value)| *value == YES) {
            given.origin(origin).map_err(sentence)?;
        }
        Ok(given)
    }

    /// Whether there are any credentials.
    #[must_use]
    pub fn has_credentials(&self) -> bool {
        !self.bearer.trim().is_empty() || !self.headers.trim().is_empty() || !self.given.is_empty()
    }

    /// Before a run of that address. Credentials belong to the agent that they were used for: those of another are put
    /// aside, and those that were put aside for this one are taken up.
    ///
    /// # Errors
    /// One sentence when what is in the form was changed, which nobody has looked at yet.
    pub fn turn_to(&mut self, address: &str) -> Result<(), String> {
        let Some(origin) = origin_of(address) else { return Ok(()) };
        let strange = self.has_credentials() && !self.owner.is_empty() && self.owner != origin;
        let old = self.owner.clone();
        if strange {
            self.others.push(self.pack());
            self.take_up("");
        }
        if !self.has_credentials() {
            let mine = |packed: &String| packed.split(APART).next() == Some(origin.as_str());
            if let Some(at) = self.others.iter().position(mine) {
                let packed = self.others.remove(at);
                self.take_up(&packed);
            }
        }
        self.owner = origin;
        match (strange, self.has_credentials()) {
            (false, _) => Ok(()),
            (true, true) => Err(format!(
                "the credentials in the form were for {old}; they have been replaced by those for this agent, so run \
                 once more"
            )),
            (true, false) => Err(format!(
                "the credentials in the form were for {old} and have been put aside; enter those for this agent, or \
                 run without"
            )),
        }
    }

    /// Takes in something that is typed among the credentials: it is meant for the agent at the address that is there now,
    /// and what was used for another is put aside first.
    ///
    /// # Errors
    /// As [`Settings::turn_to`].
    pub fn meant_for(&mut self, address: &str, change: impl FnOnce(&mut Self)) -> Result<(), String> {
        let turned = self.turn_to(address);
        change(self);
        // Where no agent can be told from the address, they stay whose they were.
        if origin_of(address).is_some() {
            self.owner.clear();
        }
        turned
    }

    fn pack(&self) -> String {
        let given = self.given.iter().map(|(name, value)| format!("{name}{BETWEEN}{value}"));
        let parts = [self.owner.clone(), self.bearer.clone(), self.headers.clone()];
        parts.into_iter().chain(given).collect::<Vec<_>>().join(APART)
    }

    fn take_up(&mut self, packed: &str) {
        let mut parts = packed.split(APART).map(str::to_owned);
        let mut next = || parts.next().unwrap_or_default();
        (self.owner, self.bearer, self.headers) = (next(), next(), next());
        self.given.clear();
        for part in parts {
            if let Some((name, value)) = part.split_once(BETWEEN) {
                self.give(name, value.to_owned());
            }
        }
    }

    /// The credentials of every agent as one text, to be kept for a reload of the tab. Those in the form are the agent's at
    /// that address, if they were not used yet.
    #[must_use]
    pub fn packed(&self, address: &str) -> String {
        let mut own = self.clone();
        if own.owner.is_empty() {
            own.owner = origin_of(address).unwrap_or_default();
        }
        [vec![own.pack()], self.others.clone()].concat().join(NEXT)
    }

    /// Takes up what [`Settings::packed`] gave.
    pub fn unpack(&mut self, text: &str) {
        self.others = text.split(NEXT).map(str::to_owned).collect();
        if !self.others.is_empty() {
            let own = self.others.remove(0);
            self.take_up(&own);
        }
        if self.owner.is_empty() {
            // Nobody knows whose they are.
            self.take_up("");
        }
        self.kept = true;
    }

    /// Whether anything is set that the closed disclosure would hide.
    #[must_use]
    pub fn summary(&self) -> String {
        let mut parts = Vec::new();
        if self.has_credentials() {
            parts.push("with credentials");
        }
        if self.times.iter().any(|typed| !typed.trim().is_empty()) {
            parts.push("own times");
        }
        if self.prompts.iter().any(|(_, text)| !text.trim().is_empty()) {
            parts.push("own prompts");
        }
        if !self.profile.is_empty() {
            parts.push("a chosen convention");
        }
        if !self.skills.trim().is_empty() {
            parts.push("chosen skills");
        }
        if !self.version.is_empty() {
            parts.push("a forced version");
        }
        parts.join(", ")
    }
}

/// A time that was typed; `None` where nothing stands.
fn seconds(typed: &str) -> Result<Option<u16>, String> {
    let typed = typed.trim();
    match typed.parse::<u16>() {
        _ if typed.is_empty() => Ok(None),
        Ok(seconds) if TIMEOUTS.contains(&seconds) => Ok(Some(seconds)),
        _ => Err(format!(
            "\u{201c}{typed}\u{201d} is not a whole number of seconds from {} to {}",
            TIMEOUTS.start(),
            TIMEOUTS.end()
        )),
    }
}

/// A field for something that the card asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Its name among what is given: `basic`, `key:NAME`, `query:NAME`, `allow:ORIGIN`; `id`, `secret`, `scope`, `token` and
    /// `refresh` of a client; behind `second:` the first three, `bearer` and `header` of a second identity.
    pub name: String,
    /// What it is called.
    pub label: String,
}

/// The fields that a card calls for, and those in which something stands: nothing is sent that is not shown.
#[must_use]
pub fn fields(asks: &[SecurityScheme], elsewhere: &[String], given: &[(String, String)]) -> Vec<Field> {
    let mut names: Vec<String> = Vec::new();
    for asked in asks {
        match asked {
            SecurityScheme::Basic => names.push("basic".to_owned()),
            SecurityScheme::Key { name, in_query: false } => names.push(format!("key:{name}")),
            SecurityScheme::Key { name, in_query: true } => names.push(format!("query:{name}")),
            SecurityScheme::OAuth { .. } | SecurityScheme::OpenId { .. } => {
                names.extend(["id", "secret", "scope", "token", "refresh"].map(str::to_owned));
            }
            SecurityScheme::Bearer | SecurityScheme::Other(_) => {}
        }
    }
    names.extend(elsewhere.iter().map(|origin| format!("allow:{origin}")));
    names.extend(given.iter().map(|(name, _)| name.clone()).filter(|name| !name.starts_with(SECOND)));
    once_each(names)
}

/// The fields for the credentials of a second identity: those that any agent may take, and those that this one's card calls
/// for.
#[must_use]
pub fn second_fields(asks: &[SecurityScheme], given: &[(String, String)]) -> Vec<Field> {
    let asked = fields(asks, &[], &[]).into_iter().map(|field| format!("{SECOND}{}", field.name));
    let alike =
        |name: &String| ["second:basic", "second:key:", "second:query:"].iter().any(|kind| name.starts_with(kind));
    let names = ["second:bearer", "second:header"].map(str::to_owned).into_iter().chain(asked.filter(alike));
    let own = given.iter().map(|(name, _)| name.clone()).filter(|name| name.starts_with(SECOND));
    once_each(names.chain(own).collect())
}

fn once_each(names: Vec<String>) -> Vec<Field> {
    let mut fields: Vec<Field> = Vec::new();
    for name in names {
        if fields.iter().all(|known| known.name != name) {
            fields.push(Field { label: label(&name), name });
        }
    }
    fields
}

/// The origin of the agent at an address as it is typed.
fn origin_of(address: &str) -> Option<String> {
    normalise(address).ok().map(|address| address.parsed().origin())
}

fn label(name: &str) -> String {
    match name.split_once(':') {
        Some(("second", name)) => label(name),
        Some(("key", name)) => format!("Key in the header {name}"),
        Some(("query", name)) => format!("Key in the query parameter {name}"),
        Some((_, origin)) => format!("Credentials may also go to {origin}, which the card names"),
        None => match name {
            "bearer" => "Bearer token",
            "header" => "Another header, as \u{201c}Name: value\u{201d}",
            "basic" => "User:password",
            "id" => "Client id, to get a token",
            "secret" => "Client secret; without one, sign in, or run and confirm a code",
            "scope" => "Scopes",
            "refresh" => "Refresh token, if there is one",
            _ => "Token endpoint, if not the card\u{2019}s",
        }
        .to_owned(),
    }
}

/// Why a line of the headers cannot be used.
enum Refused {
    /// By the rules for every host.
    Given(GivenError),
    /// No browser sends a header of that name.
    Forbidden(String),
}

impl Refused {
    fn sentence(self) -> String {
        match self {
            Self::Given(problem) => sentence(problem),
            Self::Forbidden(name) => {
                format!("browsers do not let a page send the header {name}; use the command line for that")
            }
        }
    }
}

/// Adds a line of the headers: `Name: value` for every interface, `LANE=Name: value` for one.
fn add_line(given: &mut GivenCredentials, line: &str) -> Result<(), Refused> {
    let (lane, field) = split_lane(line).map_or((None, line), |(lane, field)| (Some(lane), field));
    let (name, value) = split_field(field).map_err(Refused::Given)?;
    sendable(name)?;
    let added = match lane {
        Some(lane) => given.lane_header(lane, name, value),
        None => given.header(name, value),
    };
    added.map_err(Refused::Given)
}

/// Adds what was typed into a field for credentials that are sent as they are; other fields are somebody else's matter.
fn add_field(given: &mut GivenCredentials, name: &str, value: &str) -> Result<(), Refused> {
    let added = match name.split_once(':') {
        _ if value.is_empty() => Ok(()),
        Some(("key", name)) => {
            sendable(name)?;
            given.header(name, value)
        }
        Some(("query", name)) => given.query(name, value),
        None if name == "basic" => split_basic(value).and_then(|(user, password)| given.basic(user, password)),
        None if name == "bearer" => given.bearer(value),
        None if name == "header" => {
            let (name, value) = split_field(value).map_err(Refused::Given)?;
            sendable(name)?;
            given.header(name, value)
        }
        _ => Ok(()),
    };
    added.map_err(Refused::Given)
}

fn sendable(name: &str) -> Result<(), Refused> {
    if drops_header(name) { Err(Refused::Forbidden(name.to_owned())) } else { Ok(()) }
}

/// What is wrong with the credentials, in words for the form.
fn sentence(problem: GivenError) -> String {
    match problem {
        GivenError::NotUserPassword => "user and password need a colon between them".to_owned(),
        GivenError::Value(name) => format!("the value of {name} contains characters that a header cannot have"),
        GivenError::Token => {
            "the bearer token contains characters that no token has; paste only the token itself".to_owned()
        }
        GivenError::TooShort => {
            format!("a secret shorter than {SHORTEST_SECRET} characters cannot be kept out of reports reliably")
        }
        GivenError::SecondAuthorization => {
            "there are two credentials for the Authorization header; keep only one".to_owned()
        }
        GivenError::Twice(name) => format!("the header {name} has two values; keep only one"),
        GivenError::NoClientId => "a client secret needs a client id".to_owned(),
        GivenError::TokenUrl(problem) => format!("the token endpoint cannot be used: {problem}"),
        GivenError::NotAField
        | GivenError::Name(_)
        | GivenError::Origin(_)
        | GivenError::SecondAlone
        | GivenError::SameIdentity => problem.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::options::Timeouts;

    #[test]
    fn what_the_card_asks_for_becomes_credentials() {
        let asks = [
            SecurityScheme::Bearer,
            SecurityScheme::Basic,
            SecurityScheme::Key { name: "X-Key".into(), in_query: false },
            SecurityScheme::Key { name: "k".into(), in_query: true },
            SecurityScheme::OAuth { token_url: String::new(), authorize_url: String::new(), device_url: String::new() },
            SecurityScheme::OpenId { url: String::new() },
        ];
        let elsewhere = ["https://id.example".to_owned()];
        let names = |given: &[(String, String)]| {
            fields(&asks, &elsewhere, given).into_iter().map(|field| field.name).collect::<Vec<_>>()
        };
        let expected =
            ["basic", "key:X-Key", "query:k", "id", "secret", "scope", "token", "refresh", "allow:https://id.example"];
        assert_eq!(names(&[]), expected);
        let mut settings = Settings::default();
        for name in expected {
            settings.give(name, "a:bcde".to_owned());
        }
        settings.give("token", "https://id.example/token".to_owned());
        settings.give("allow:https://id.example", YES.to_owned());
        assert_eq!(names(&settings.given).len(), expected.len());
        assert_eq!(fields(&[], &[], &settings.given).len(), expected.len());
        let options = settings.options("h.example").unwrap();
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(options.headers, [pair("Authorization", "Basic YTpiY2Rl"), pair("X-Key", "a:bcde")]);
        assert_eq!(options.query, [pair("k", "a:bcde")]);
        assert_eq!(options.origins, ["https://id.example"]);
        assert_eq!(options.client.as_ref().map(|client| client.secret.as_str()), Some("a:bcde"));

        settings.headers = "X-B: 2345".to_owned();
        let mut again = Settings::default();
        again.unpack(&settings.packed("h.example"));
        assert_eq!(again, Settings { kept: true, owner: "https://h.example".to_owned(), ..settings.clone() });

        settings.bearer = "token".to_owned();
        assert!(settings.options("h.example").unwrap_err().contains("two credentials"));
        let half = Settings { given: vec![pair("secret", "canary")], ..Settings::default() };
        assert!(half.options("h.example").unwrap_err().contains("id"));
    }

    #[test]
    fn a_second_identity_has_fields_of_its_own_and_only_those() {
        let asks = [
            SecurityScheme::Basic,
            SecurityScheme::Key { name: "X-Key".into(), in_query: false },
            SecurityScheme::Key { name: "k".into(), in_query: true },
            SecurityScheme::OpenId { url: String::new() },
        ];
        let names: Vec<_> = second_fields(&asks, &[]).into_iter().map(|field| field.name).collect();
        let expected = ["second:bearer", "second:header", "second:basic", "second:key:X-Key", "second:query:k"];
        assert_eq!(names, expected);
        let mut settings = Settings { bearer: "first".to_owned(), ..Settings::default() };
        for (name, value) in [
            ("second:basic", "a:bcde"),
            ("second:key:X-Key", "other"),
            ("second:query:k", "other"),
            ("second:header", "X-B: 2345"),
        ] {
            settings.give(name, value.to_owned());
        }
        assert!(fields(&[], &[], &settings.given).is_empty());
        assert_eq!(second_fields(&[], &settings.given).len(), expected.len());
        let options = settings.options("h.example").unwrap();
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(options.headers, [pair("Authorization", "Bearer first")]);
        let second = [pair("Authorization", "Basic YTpiY2Rl"), pair("X-Key", "other"), pair("X-B", "2345")];
        assert_eq!(options.second.headers, second);
        assert_eq!(options.second.query, [pair("k", "other")]);
        // They belong to the agent of the first identity, and are put aside with its credentials.
        assert_eq!(settings.turn_to("one.example"), Ok(()));
        assert!(settings.turn_to("two.example").is_err() && settings.given.is_empty());

        for (bearer, name, value, part) in [
            ("", "second:bearer", "canary", "first"),
            ("canary", "second:bearer", "canary", "same"),
            ("first", "second:bearer", "a canary", "second identity"),
            ("first", "second:header", "Cookie: canary", "browsers do not"),
            ("first", "second:header", "canary", "NAME: VALUE"),
        ] {
            let mut settings = Settings { bearer: bearer.to_owned(), ..Settings::default() };
            settings.give(name, value.to_owned());
            let problem = settings.options("h.example").unwrap_err();
            assert!(problem.contains(part) && !problem.contains("canary"), "{problem}");
        }
    }

    #[test]
    fn credentials_belong_to_the_agent_that_they_were_used_for() {
        let mut settings = Settings { bearer: "first".to_owned(), ..Settings::default() };
        assert_eq!(settings.turn_to("one.example/a"), Ok(()));
        assert_eq!(settings.turn_to("https://one.example"), Ok(()));
        // A link or a slip of the hand leads elsewhere: nothing goes along.
        assert!(settings.turn_to("two.example").unwrap_err().contains("https://one.example"));
        assert!(!settings.has_credentials());
        assert_eq!(settings.turn_to("two.example"), Ok(()));
        settings.bearer = "second".to_owned();
        let mut again = Settings::default();
        again.unpack(&settings.packed("two.example"));
        assert!(again.turn_to("one.example").unwrap_err().contains("once more"));
        assert_eq!(again.bearer, "first");
        assert!(again.turn_to("two.example").is_err());
        assert_eq!(again.bearer, "second");
        // What is typed anew is meant for the address that is there, and takes nothing of another agent's along.
        again.give("key:X", "of the second".to_owned());
        assert!(again.meant_for("three.example", |again| again.bearer = "third".to_owned()).is_err());
        assert_eq!((again.turn_to("three.example"), again.bearer.as_str()), (Ok(()), "third"));
        assert_eq!(again.given("key:X"), "");
        assert!(again.turn_to("two.example").is_err());
        assert_eq!((again.bearer.as_str(), again.given("key:X")), ("second", "of the second"));
        // While the address cannot be read they stay whose they were.
        assert_eq!(again.meant_for("", |again| again.bearer.push('!')), Ok(()));
        assert!(again.turn_to("four.example").is_err() && !again.has_credentials());
        // Kept without anybody knowing for whom.
        again.owner.clear();
        again.unpack(&Settings { bearer: "x".to_owned(), ..Settings::default() }.packed(""));
        assert!(!again.has_credentials());
    }

    #[test]
    fn a_line_may_be_for_one_interface() {
        let settings = Settings {
            headers: "X-A: k=12\nrest-1.0=Authorization: Bearer token\nrest-1.0 = X-B: 2345".to_owned(),
            ..Settings::default()
        };
        let options = settings.options("h.example").unwrap();
        assert_eq!(options.headers, [("X-A".to_owned(), "k=12".to_owned())]);
        let [(lane, keys)] = options.lanes.as_slice() else { panic!("{:?}", options.lanes) };
        assert_eq!((lane.as_str(), keys.headers.len()), ("rest-1.0", 2));
        let wrong = Settings { headers: "rest-1.0=canary".to_owned(), ..Settings::default() };
        assert!(!wrong.options("h.example").unwrap_err().contains("canary"));
    }

    fn headers(bearer: &str, lines: &str) -> Result<Vec<(String, String)>, String> {
        let settings = Settings { bearer: bearer.to_owned(), headers: lines.to_owned(), ..Settings::default() };
        settings.options("h.example").map(|options| options.headers)
    }

    #[test]
    fn a_token_and_lines_become_headers() {
        let fields = headers(" Bearer abc.def ", "X-Api-Key: k : 1\n\n  X-B:2345 ").unwrap();
        let fields: Vec<_> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(fields, [("Authorization", "Bearer abc.def"), ("X-Api-Key", "k : 1"), ("X-B", "2345")]);
    }

    #[test]
    fn a_bad_header_is_named_without_its_value() {
        for (bearer, lines, part) in [
            ("a canary", "", "token"),
            ("", "X-A: 1234\ncanary", "line 2"),
            ("", "X-A: 1234\n\nrest-1.0=canary", "line 3"),
            ("", "X-A: 123", "shorter"),
            ("123", "", "shorter"),
            ("", ": canary", "line 1"),
            ("", "X A: canary", "line 1"),
            ("", "Cookie: canary", "browsers do not"),
            ("", "Sec-Fetch-Mode: canary", "browsers do not"),
            ("", "rest-1.0=Cookie: canary", "browsers do not"),
            ("", "X-A: canary\u{7f}", "the value of X-A"),
            ("", "X-A: canary \u{2713}", "the value of X-A"),
            ("", "X-A: canary\nx-a: canary", "the header x-a has two values"),
            ("", "rest-1.0=X-A: canary\nrest-1.0=X-A: canary", "the header X-A has two values"),
            ("canary", "authorization: canary", "two credentials"),
        ] {
            let problem = headers(bearer, lines).unwrap_err();
            assert!(problem.contains(part) && !problem.contains("canary"), "{problem}");
        }
    }

    #[test]
    fn the_convention_goes_by_the_card_unless_one_is_chosen() {
        let options = |profile: &str| Settings { profile: profile.into(), ..Settings::default() }.options("h.example");
        assert_eq!(options("").unwrap().profile, None);
        assert_eq!(options("tck").unwrap().profile, Some(Profile::Kit));
        let skills = Settings { skills: " talk, ,ask".into(), ..Settings::default() };
        assert_eq!(skills.options("h.example").unwrap().skills, ["talk", "ask"]);
        assert_eq!(skills.summary(), "chosen skills");
    }

    #[test]
    fn the_timeout_is_seconds() {
        for (id, ..) in TIMES {
            let settings = |typed: &str| {
                let mut settings = Settings::default();
                settings.set_time(id, typed.into());
                settings
            };
            assert_eq!(settings("").options("h.example").unwrap(), {
                Options { address: "https://h.example/".into(), concurrency: AT_ONCE, ..Options::default() }
            });
            let options = settings(" 2 ").options("h.example").unwrap();
            assert_ne!((options.timeout_ms, options.timeouts), (60_000.0, Timeouts::default()), "{id}");
            for text in ["0", "-1", "NaN", "inf", "1e9", "soon", "36001"] {
                assert!(settings(text).options("h.example").is_err(), "{id} {text}");
            }
            assert_eq!(settings("2").summary(), "own times");
        }
        assert!(Settings::default().options("ftp://h").is_err());
    }

    #[test]
    fn to_wait_longer_reaches_what_was_too_short() {
        let mut settings = Settings::default();
        settings.set_time("timeout", "2".into());
        settings.wait("time-reach", 30);
        let options = settings.options("h.example").unwrap();
        assert_eq!((options.timeout_ms, options.timeouts.reach_ms), (60_000.0, 30_000.0));
        settings.set_time("timeout", "100".into());
        settings.wait("time-answer", 90);
        let options = settings.options("h.example").unwrap();
        assert_eq!((options.timeout_ms, options.timeouts.answer_ms), (100_000.0, 90_000.0));
        settings.wait("time-answer", 270);
        assert_eq!(settings.options("h.example").unwrap().timeout_ms, 270_000.0);
    }
}
