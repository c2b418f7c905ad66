//! What a caller decides about a run.

use crate::engine::options::{self, TimeoutOverrides};

/// The settings of a run.
#[derive(Debug, Clone)]
pub struct Options {
    pub(super) inner: options::Options,
    timeouts: TimeoutOverrides,
}

impl Options {
    /// Checks the agent at this address: an origin, a base path or the URL of its card.
    #[must_use]
    pub fn new(address: impl Into<String>) -> Self {
        let inner = options::Options { address: address.into(), ..options::Options::default() };
        Self { inner, timeouts: TimeoutOverrides::default() }
    }

    /// Sends a bearer token with every request to the agent. It never reaches a report.
    #[must_use]
    pub fn bearer(self, token: &str) -> Self {
        self.header("Authorization", format!("Bearer {token}"))
    }

    /// Sends a header field with every request to the agent: credentials. Its value never reaches a report.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.inner.headers.push((name.into(), value.into()));
        self
    }

    /// Sends a bearer token with the calls of a second identity, which must not see the tasks of the first: with it, the run
    /// checks that the agent keeps the two apart. It never reaches a report.
    #[must_use]
    pub fn second_bearer(self, token: &str) -> Self {
        self.second_header("Authorization", format!("Bearer {token}"))
    }

    /// Sends a header field with the calls of the second identity, and none of the first one's: credentials. Its value never
    /// reaches a report.
    #[must_use]
    pub fn second_header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.inner.second.headers.push((name.into(), value.into()));
        self
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
