//! What the user says about the tests of a run: variables, environment, words for behaviours, and URLs of further agents.

/// The user's decisions about the tests of a run.
#[derive(Debug, Clone, Default)]
pub struct TestSettings {
    /// Variables that go before those of the documents.
    pub variables: Vec<(String, String)>,
    /// The environment, for `{{env.NAME}}`.
    pub environment: Vec<(String, String)>,
    /// Texts that bring a behaviour about with this agent, by its prefix. An empty text: the agent does not have it.
    pub behaviors: Vec<(String, String)>,
    /// Further agents that files name (`x-agents`), with their URLs.
    pub agents: Vec<(String, String)>,
}

impl TestSettings {
    /// The values of the variables that are secrets, by their names.
    #[must_use]
    pub fn secrets(&self) -> Vec<String> {
        let is_secret = |name: &str| ["TOKEN", "SECRET", "PASSWORD", "KEY"].iter().any(|word| name.contains(word));
        let all = self.environment.iter().chain(&self.variables);
        all.filter(|(name, _)| is_secret(&name.to_ascii_uppercase())).map(|(_, value)| value.clone()).collect()
    }

    /// The URL of a further agent; the error says how to give one.
    pub(super) fn agent_url(&self, name: &str) -> Result<&str, String> {
        let found = self.agents.iter().find(|(known, _)| known == name).map(|(_, url)| url.as_str());
        found.ok_or_else(|| format!("the agent {name} has no URL; give it with --agent {name}=URL"))
    }
}
