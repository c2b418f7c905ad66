//! The types of a document of tests as it was read: suites, tests, preconditions, steps, what they expect, and how the pause of a
//! repetition grows.

use serde_json::Value;

use super::assertion::Assertion;
use super::dot_path::DotPath;
use super::opening::ConversationOpening;
use super::problem::TextPlace;
use super::sent_file::TestFile;
use super::until::UntilCondition;
use crate::a2a::binding::Credentials;
use crate::a2a::model::Operation;
use crate::engine::requirement::Level;
use crate::wire::http::Method;
use crate::wire::named_enum::named_enum;

/// A file of tests.
#[derive(Debug, Clone, Default)]
pub struct ActsDocument {
    /// Its name, as the user gave it.
    pub file: String,
    /// The version of the format.
    pub acts_version: String,
    /// The version of A2A that the tests are for.
    pub spec_version: String,
    /// Variables for all tests; those of including files are among them.
    pub variables: Vec<(String, String)>,
    /// The names of agents beside the one under test: `x-agents`.
    pub agents: Vec<String>,
    /// Files that tests send and compare with: `x-files`.
    pub files: Vec<TestFile>,
    /// Other files, with the places where they are named.
    pub include: Vec<(String, TextPlace)>,
    /// The suites.
    pub suites: Vec<ActsSuite>,
}

/// A group of tests.
#[derive(Debug, Clone)]
pub struct ActsSuite {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its tests.
    pub tests: Vec<ActsTest>,
}

/// A test.
#[derive(Debug, Clone)]
pub struct ActsTest {
    /// Its id, unique among all files of a run.
    pub id: String,
    /// Where the id stands.
    pub at: TextPlace,
    /// A digest of its text, to tell versions of it apart.
    pub digest: u64,
    /// Its name.
    pub name: String,
    /// What it is about.
    pub description: String,
    /// The place in the specification that it names.
    pub spec_ref: String,
    /// Its level.
    pub level: Level,
    /// Its tags, with those of its suite.
    pub tags: Vec<String>,
    /// The bindings that it is for; empty for all.
    pub transport: Vec<String>,
    /// What the agent must declare.
    pub preconditions: Preconditions,
    /// The behaviours that the agent must have.
    pub behaviors: Vec<String>,
    /// What the runner must be capable of.
    pub runner_requirements: Vec<String>,
    /// How often it is run, and how often it has to pass: `x-trials`, `x-pass-rate`.
    pub trials: Option<(u32, f64)>,
    /// What it is worth: `x-reward`.
    pub reward: Option<f64>,
    /// What stands before the first message of a conversation: `x-system`, `x-tools`.
    pub opening: ConversationOpening,
    /// Its steps.
    pub steps: Vec<ActsStep>,
    /// What is judged when all steps are done.
    pub assertions: Vec<NamedAssertion>,
}

/// What an agent must declare for a test.
#[derive(Debug, Clone, Default)]
pub struct Preconditions {
    /// Members of `capabilities`.
    pub capabilities: Vec<(String, Value)>,
    /// Ids of skills.
    pub skills: Vec<String>,
    /// The bindings.
    pub transport: Vec<String>,
    /// URIs of extensions.
    pub extensions: Vec<String>,
}

/// A step.
#[derive(Debug, Clone)]
pub struct ActsStep {
    /// Its id, unique in the test.
    pub id: String,
    pub action: StepAction,
    pub expect: Option<ExpectBlock>,
    pub expect_error: Option<ExpectError>,
    pub expect_stream: Option<ExpectStream>,
    /// What is kept of the response.
    pub capture: Vec<(String, DotPath)>,
    pub assertions: Vec<NamedAssertion>,
    pub repeat: Option<RepeatRule>,
    /// How long is waited before.
    pub delay_ms: u64,
    /// How long it may take: `x-within-ms`.
    pub within_ms: Option<u64>,
    /// Whose credentials go along: `x-credentials`.
    pub credentials: Option<Credentials>,
    /// The further agent whose operation is called, and never with the user's credentials: `x-agent`.
    pub agent: Option<String>,
}

/// What a step does.
#[derive(Debug, Clone)]
pub enum StepAction {
    Call(ActsOperation, Value),
    /// Sends a request as it is written.
    Raw(RawRequest),
    /// Reads a payload as a client would.
    Client {
        /// Of which operation it is the answer.
        operation: ActsOperation,
        payload: Value,
        /// What has to be read out of it.
        expect_parsed: Assertion,
    },
    /// Judges an earlier response.
    Assert(NamedAssertion),
}

/// An operation that a step may name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActsOperation {
    /// One that interfaces have.
    Call(Operation),
    /// Fetching the card.
    Card,
}

/// A request as it is written.
#[derive(Debug, Clone)]
pub struct RawRequest {
    /// The further agent that it goes to, and never with the user's credentials; `None` for the agent under test.
    pub agent: Option<String>,
    /// The test case about which that agent is asked what it received: `x-received`.
    pub received_for: Option<String>,
    pub method: Method,
    /// The path, or a URL.
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: Option<Value>,
    /// The body, where it is not JSON.
    pub body_raw: Option<String>,
}

/// What a response has to be.
#[derive(Debug, Clone, Default)]
pub struct ExpectBlock {
    pub status: Option<Assertion>,
    /// Whether the status is the word `error`: any error will do.
    pub is_error: bool,
    pub body: Option<Assertion>,
    /// Header fields, with names in lower case: `x-headers`.
    pub headers: Vec<(String, Assertion)>,
    /// The tool calls in it: `x-tool-calls`.
    pub tool_calls: Option<Assertion>,
    /// The file that the body is, byte for byte: `x-bytes`.
    pub bytes: Option<String>,
}

/// What error has to come.
#[derive(Debug, Clone, Default)]
pub struct ExpectError {
    /// Its name; `None` for any.
    pub error_type: Option<Assertion>,
    pub message: Option<Assertion>,
    /// The details or metadata of which some have to be so.
    pub details: Option<Assertion>,
    /// Its data, as it stands on the wire.
    pub data: Option<Assertion>,
}

/// What a stream has to be.
#[derive(Debug, Clone, Default)]
pub struct ExpectStream {
    pub min_count: Option<u64>,
    pub max_count: Option<u64>,
    pub timeout_ms: Option<u64>,
    /// Whether states must not go back: the rule `monotonic_state`.
    pub is_monotonic: bool,
    pub events: Vec<ExpectEvent>,
    pub final_event: Option<Assertion>,
    pub each_event: Option<Assertion>,
}

/// What one event of a stream has to be.
#[derive(Debug, Clone)]
pub struct ExpectEvent {
    pub description: String,
    /// Its place; `None` for any.
    pub index: Option<usize>,
    pub assertion: Assertion,
}

/// What is judged of an earlier response.
#[derive(Debug, Clone)]
pub struct NamedAssertion {
    pub description: String,
    /// Which response or value, as it was written.
    pub source: String,
    pub path: Option<DotPath>,
    pub matches: Option<Assertion>,
    /// What some, all or none of its elements have to be.
    pub of_elements: Vec<(Quantity, DotPath, Assertion)>,
}

named_enum! {
    /// How many elements have to be so.
    pub enum Quantity {
        /// At least one.
        Any = "any",
        /// Every one.
        All = "all",
        /// None.
        Zero = "none",
    }
}

/// How a step is repeated.
#[derive(Debug, Clone)]
pub struct RepeatRule {
    pub until: UntilCondition,
    pub max_attempts: u64,
    pub delay_ms: u64,
    pub backoff: Backoff,
}

named_enum! {
    /// How a delay grows from attempt to attempt.
    pub enum Backoff {
        /// Not at all.
        Constant = "none",
        /// By itself each time.
        Linear = "linear",
        /// Twofold each time.
        Exponential = "exponential",
    }
}

impl RepeatRule {
    /// How long is waited after that attempt, from 1.
    pub(super) fn delay_after(&self, attempt: u64) -> f64 {
        let factor = match self.backoff {
            Backoff::Constant => 1.0,
            Backoff::Linear => attempt as f64,
            Backoff::Exponential => f64::powi(2.0, i32::try_from(attempt.saturating_sub(1)).unwrap_or(30).min(30)),
        };
        self.delay_ms as f64 * factor
    }
}
