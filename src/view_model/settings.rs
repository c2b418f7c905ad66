//! The settings of the form as they were typed, the credentials among them, and the agent that these belong to; made into the
//! options of a run.

use super::choices::{CHOICES, ChoicePlace, RunChoice, seconds};
use super::form::{Refused, SECOND, YES, add_field, add_line, once_only, sentence};
use super::pasted;
use super::second_address::{SecondAddress, SecondKind};
use crate::engine::browser::CONNECTIONS_PER_ORIGIN;
use crate::engine::credentials::parse::{GivenCredentials, GivenError};
use crate::engine::discover::normalise;
use crate::engine::options::{OAuthClient, Options, Source};
use crate::engine::prompt::Texts;
use crate::engine::timeouts::TimeoutOverrides;
use crate::view_model::binary_encoding::binary_encoding;

/// The separators of a packed text: between agents, between the parts of one, and between a name and its value. No field
/// contains these.
const NEXT: &str = "\u{1d}";
const APART: &str = "\u{1e}";
const BETWEEN: char = '\u{1f}';

/// The form as it was typed. Credentials live here and nowhere else: not in the link, and in storage only for a tab whose
/// user asked for that.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settings {
    /// A bearer token.
    pub bearer: String,
    /// Header lines, `Name: value` each.
    pub headers: String,
    /// The fields that a card asked for besides, by name: see [`super::form::fields`].
    pub given: Vec<(String, String)>,
    /// Whether the credentials may be kept for a reload of this tab.
    pub kept: bool,
    /// The origin of the agent that the credentials were last used for; empty while they are being typed.
    pub owner: String,
    /// The settings that were put aside for other agents, packed.
    pub others: Vec<String>,
    /// What stands in the fields of the choices, by the places in [`CHOICES`].
    choices: [String; CHOICES.len()],
    /// A prompt for some of the behaviours.
    pub prompts: Texts,
    /// Another agent, or a gateway.
    pub second: SecondAddress,
}

binary_encoding! { struct Settings {
    bearer, headers, given, kept, owner, others, choices, prompts, second,
} }

impl Settings {
    /// The options of a run of the agent at that address, or of the card that was pasted there; or one sentence for the user on what
    /// cannot be used.
    pub fn options(&self, address: &str) -> Result<Options, String> {
        let mut options = self.first_options(address)?;
        self.second.add_to(&mut options)?;
        Ok(options)
    }

    /// The same without the second address.
    pub fn first_options(&self, address: &str) -> Result<Options, String> {
        let (address, source) = match pasted::card(address) {
            Some(card) => (pasted::CARD.to_owned(), Source::Card(card?)),
            None => (normalise(address).map_err(|problem| problem.to_string())?.url(), Source::Discovery),
        };
        let mut prompts = Texts::default();
        for (behaviour, text) in self.prompts.iter().filter(|(_, text)| !text.trim().is_empty()) {
            prompts.set(behaviour, text.trim().to_owned());
        }
        let mut options =
            Options { address, source, prompts, concurrency: CONNECTIONS_PER_ORIGIN, ..Options::default() };
        let mut times = TimeoutOverrides::default();
        for (choice, typed) in self.choices() {
            (choice.put)(&mut options, &mut times, typed)?;
        }
        (options.timeout_ms, options.timeouts) = times.settle();
        self.credentials()?.put_into(&mut options);
        match options.once_only().filter(|_| options.repeat > 1) {
            Some(why) => Err(once_only(why)),
            None => Ok(options),
        }
    }

    /// The same of the runs of the agent at that address and of the other agent, if the second address is that of one.
    pub fn both_options(&self, address: &str) -> Result<Option<[Options; 2]>, String> {
        let first = self.options(address)?;
        let second = self.second.peer(&first)?;
        Ok(second.map(|second| [first, second]))
    }

    /// The choices that were made, each with what was typed.
    pub fn choices(&self) -> impl Iterator<Item = (&'static RunChoice, &str)> {
        let typed = CHOICES.iter().zip(&self.choices).map(|(choice, typed)| (choice, typed.trim()));
        typed.filter(|(_, typed)| !typed.is_empty())
    }

    /// The text in the field of that id.
    #[must_use]
    pub fn choice(&self, id: &str) -> &str {
        CHOICES.iter().zip(&self.choices).find(|(choice, _)| choice.id == id).map_or("", |(_, typed)| typed)
    }

    /// Types something into the field of that id.
    pub fn set_choice(&mut self, id: &str, typed: String) {
        if let Some((_, choice)) = CHOICES.iter().zip(&mut self.choices).find(|(choice, _)| choice.id == id) {
            *choice = typed;
        }
    }

    /// Waits so many seconds for what was not waited for long enough, the card or an answer, and gives its conversation
    /// at least as much.
    pub fn wait(&mut self, id: &str, long: u32) {
        self.set_choice(id, long.to_string());
        if seconds(self.choice("timeout").trim()).is_ok_and(|typed| u32::from(typed) < long) {
            self.set_choice("timeout", String::new());
        }
    }

    /// The text of a field that the card asked for.
    #[must_use]
    pub fn field(&self, name: &str) -> &str {
        self.given.iter().find(|(known, _)| known == name).map(|(_, value)| value.trim()).unwrap_or_default()
    }

    /// Types something into such a field.
    pub fn set_field(&mut self, name: &str, value: String) {
        self.given.retain(|(known, _)| known != name);
        if !value.is_empty() {
            self.given.push((name.to_owned(), value));
        }
    }

    /// The values whose names have this beginning; the names without it.
    fn of_kind<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.given.iter().filter_map(move |(name, value)| Some((name.strip_prefix(kind)?, value.trim())))
    }

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
        for (name, value) in self.of_kind("") {
            add_field(&mut given, name, value).map_err(Refused::sentence)?;
        }
        let [id, secret, scope, token_url, refresh] =
            ["id", "secret", "scope", "token", "refresh"].map(|name| self.field(name).to_owned());
        given.client(OAuthClient { id, secret, scope, token_url, refresh }).map_err(sentence)?;
        let mut second = GivenCredentials::default();
        for (name, value) in self.of_kind(SECOND) {
            let added = add_field(&mut second, name, value);
            added.map_err(|problem| format!("of the second identity: {}", problem.sentence()))?;
        }
        let [id, secret, refresh] =
            ["second:id", "second:secret", "second:refresh"].map(|name| self.field(name).to_owned());
        if !(id.is_empty() && secret.is_empty() && refresh.is_empty()) {
            let [scope, token_url] = ["scope", "token"].map(|name| self.field(name).to_owned());
            let client = OAuthClient { id, secret, scope, token_url, refresh };
            second.client(client).map_err(|problem| format!("of the second identity: {}", sentence(problem)))?;
        }
        given.second(second).map_err(sentence)?;
        for (origin, _) in self.of_kind("allow:").filter(|(_, value)| *value == YES) {
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
    /// aside, and those that were put aside for this one are taken up. The error is one sentence, when what is in the form was changed, which
    /// nobody has looked at yet.
    pub fn switch_to(&mut self, address: &str) -> Result<(), String> {
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
    /// and what was used for another is put aside first, with the error of [`Settings::switch_to`].
    pub fn meant_for(&mut self, address: &str, change: impl FnOnce(&mut Self)) -> Result<(), String> {
        let turned = self.switch_to(address);
        change(self);
        // When the address names no agent, they keep the one that they had.
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
                self.set_field(name, value.to_owned());
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
            // Their owner is unknown.
            self.take_up("");
        }
        self.kept = true;
    }

    /// Whether anything is set that the closed disclosure would hide.
    #[must_use]
    pub fn summary(&self) -> String {
        let parts = [
            (self.has_credentials(), "with credentials"),
            (self.choices().any(|(choice, _)| choice.place == ChoicePlace::Times), "waiting times"),
            (self.prompts.iter().any(|(_, text)| !text.trim().is_empty()), "prompts"),
        ];
        let mut parts: Vec<&str> = parts.into_iter().filter(|(is_set, _)| *is_set).map(|(_, words)| words).collect();
        parts.extend(self.choices().map(|(choice, _)| choice.noted).filter(|noted| !noted.is_empty()));
        if self.second.is_given() {
            parts.push(match self.second.kind {
                SecondKind::Peer => "with another agent",
                SecondKind::Gateway => "through a gateway",
            });
        }
        parts.join(", ")
    }
}

/// The origin of the agent at an address as it is typed.
fn origin_of(address: &str) -> Option<String> {
    normalise(address).ok().map(|address| address.parsed().origin())
}

#[cfg(test)]
mod tests;
