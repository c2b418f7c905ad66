//! `Options`: a caller's decisions about a run, each a method over those of the engine, and the errors of credentials.

use crate::engine::credentials::parse::{GivenCredentials, GivenError};
use crate::engine::options;
use crate::engine::timeouts::TimeoutOverrides;

/// The settings of a run.
#[derive(Debug, Clone)]
pub struct Options {
    pub(super) inner: options::Options,
    timeouts: TimeoutOverrides,
    own: GivenCredentials,
    second: GivenCredentials,
}

/// Why credentials cannot be used; its text repeats none of them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(transparent)]
pub struct CredentialError(#[from] GivenError);

impl Options {
    /// Checks the agent at this address: an origin, a base path or the URL of its card.
    #[must_use]
    pub fn new(address: impl Into<String>) -> Self {
        let inner = options::Options { address: address.into(), ..options::Options::default() };
        let (timeouts, own, second) = Default::default();
        Self { inner, timeouts, own, second }
    }

    /// Sends a bearer token with every request to the agent. It never reaches a report.
    ///
    /// # Errors
    /// When it has characters that no token has, is too short to be kept out of a report, or there is a header
    /// `Authorization` already.
    pub fn bearer(mut self, token: &str) -> Result<Self, CredentialError> {
        self.own.bearer(token)?;
        self.identified()
    }

    /// Sends a header field with every request to the agent: credentials. Its value never reaches a report.
    ///
    /// ```
    /// use a2a_conformance::Options;
    ///
    /// let options = Options::new("https://agent.example").header("X-Api-Key", "3f9a7c")?;
    /// // A name with a space in it, a second value for the header, and a value that occurs in other texts by chance.
    /// assert!(options.clone().header("Api Key", "3f9a7c").is_err());
    /// assert!(options.clone().header("x-api-key", "b81e02").is_err());
    /// assert!(options.header("X-Other-Key", "abc").is_err());
    /// # Ok::<(), a2a_conformance::CredentialError>(())
    /// ```
    ///
    /// # Errors
    /// When the name or the value cannot be a header's, the value is too short to be kept out of a report, or the header has
    /// a value already.
    pub fn header(mut self, name: &str, value: &str) -> Result<Self, CredentialError> {
        self.own.header(name, value)?;
        self.identified()
    }

    /// Sends a bearer token with the calls of a second identity, which must not see the tasks of the first: with it, the run
    /// checks that the agent keeps the two apart. It never reaches a report.
    ///
    /// # Errors
    /// As [`Self::bearer`], and when there are no credentials of a first identity yet, or they are the same.
    pub fn second_bearer(mut self, token: &str) -> Result<Self, CredentialError> {
        self.second.bearer(token)?;
        self.identified()
    }

    /// Sends a header field with the calls of the second identity, and none of the first one's: credentials. Its value never
    /// reaches a report.
    ///
    /// # Errors
    /// As [`Self::header`], and when there are no credentials of a first identity yet, or they are the same.
    pub fn second_header(mut self, name: &str, value: &str) -> Result<Self, CredentialError> {
        self.second.header(name, value)?;
        self.identified()
    }

    /// Takes over the credentials of both identities.
    fn identified(mut self) -> Result<Self, CredentialError> {
        let mut given = self.own.clone();
        given.second(self.second.clone())?;
        given.put_into(&mut self.inner);
        Ok(self)
    }

    /// Trusts the keys of this JSON Web Key Set, or of the one at this URL, to sign the agent's card.
    #[must_use]
    pub fn jwks(mut self, set: impl Into<String>) -> Self {
        self.inner.jwks = set.into();
        self
    }

    /// Runs only checks whose id matches this pattern, in which `*` stands for any characters. May be said again.
    #[must_use]
    pub fn only(mut self, pattern: impl Into<String>) -> Self {
        self.inner.only.push(pattern.into());
        self
    }

    /// Drives scenarios, too, that cost many messages for what they find, such as bursts of updates.
    #[must_use]
    pub fn thorough(mut self) -> Self {
        self.inner.is_thorough = true;
        self
    }

    /// Checks the agent so many times, one run after another: 1 to 100, and the nearest of these for any other number. The report is about
    /// all runs; only what fails in each of them fails, and what differs is [`Outcome::Unsteady`](crate::Outcome::Unsteady).
    #[must_use]
    pub fn repeat(mut self, runs: u32) -> Self {
        self.inner.repeat = runs.clamp(1, options::MOST_RUNS);
        self
    }

    /// Judges by this version of the protocol (`1.0`, `0.3`, `0.2`, `0.1`), whatever the card declares.
    #[must_use]
    pub fn protocol_version(mut self, version: impl Into<String>) -> Self {
        self.inner.version = Some(version.into());
        self
    }

    /// How long a scenario may take, in milliseconds; 60 000 otherwise.
    #[must_use]
    pub fn scenario_timeout_ms(mut self, ms: f64) -> Self {
        self.timeouts.scenario = Some(ms);
        self.settle()
    }

    /// How long the whole run may take, in milliseconds; 900 000 otherwise.
    #[must_use]
    pub fn run_timeout_ms(mut self, ms: f64) -> Self {
        self.timeouts.run = Some(ms);
        self.settle()
    }

    /// Asks an ordinary agent in the words of this skill's examples only, and not of all skills. May be said again.
    #[must_use]
    pub fn skill(mut self, id: impl Into<String>) -> Self {
        self.inner.skills.push(id.into());
        self
    }

    /// Calls so many interfaces of the card at most, and at least one; 16 otherwise. If it lists more, the report names the others, and the
    /// run is incomplete.
    #[must_use]
    pub fn interfaces(mut self, most: usize) -> Self {
        self.inner.most_interfaces = most.max(1);
        self
    }

    /// How many requests may be under way at once; 8 otherwise. With 1 it is one scenario after another.
    #[must_use]
    pub fn concurrency(mut self, requests: usize) -> Self {
        self.inner.concurrency = requests.max(1);
        self
    }

    fn settle(mut self) -> Self {
        (self.inner.timeout_ms, self.inner.timeouts) = self.timeouts.settle();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(change: impl FnOnce(Options) -> Result<Options, CredentialError>) -> Result<options::Options, String> {
        let options = change(Options::new("https://agent.example"));
        options.map(|options| options.inner).map_err(|problem| problem.to_string())
    }

    #[test]
    fn credentials_are_held_to_the_rules_of_the_command_line_and_the_page() {
        for (problem, part) in [
            (with(|options| options.header("X Key", "canary")), "not a header name"),
            (with(|options| options.header("", "canary")), "not a header name"),
            (with(|options| options.header("X-Key", "canary\r\nX-Other: 1")), "the value of X-Key"),
            (with(|options| options.header("X-Key", "can")), "shorter"),
            (with(|options| options.bearer("a canary")), "token"),
            (with(|options| options.bearer("canary")?.header("authorization", "Basic canary")), "Authorization"),
            (with(|options| options.header("X-Key", "canary")?.header("x-key", "canary")), "x-key has two values"),
            (with(|options| options.second_bearer("canary")), "first"),
            (with(|options| options.bearer("canary")?.second_bearer("canary")), "same"),
            (with(|options| options.bearer("canary")?.second_header("X Key", "canary")), "not a header name"),
        ] {
            let problem = problem.map(|_| ()).unwrap_err();
            assert!(problem.contains(part) && !problem.contains("canary"), "{problem}");
        }
    }

    #[test]
    fn credentials_of_both_identities_reach_the_run() {
        let options =
            with(|options| options.bearer("Bearer first")?.header("X-Key", "both-1")?.second_bearer("second"));
        let options = options.unwrap();
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(options.headers, [pair("Authorization", "Bearer first"), pair("X-Key", "both-1")]);
        assert_eq!(options.second.headers, [pair("Authorization", "Bearer second")]);
        assert_eq!(options.address, "https://agent.example");
    }
}
