//! What the user says about the tests of a run.

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
