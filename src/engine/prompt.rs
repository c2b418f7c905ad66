//! Prompts: the behaviours that checks want to see, the profiles of agents, and the message by which each profile asks for a
//! behaviour. When an agent does not show it, the checks that need the behaviour are inconclusive; nothing here is ever asserted.

mod examples;
mod learned;
mod work_times;

use std::rc::Rc;

use crate::a2a::model::{Card, TaskState};
use crate::wire::named_enum::named_enum;
pub use learned::Learned;
pub use work_times::{LASTING_MS, Sighting, WorkTimes};

named_enum! {
    /// Something that checks want to see an agent do.
    pub enum Behaviour {
        Complete = "complete" titled "finishes a task with an artifact",
        MessageOnly = "message-only" titled "is answered with a message, without a task",
        Fail = "fail" titled "makes a task fail",
        Reject = "reject" titled "makes a task be rejected",
        InputRequired = "input-required" titled "makes a task require input",
        More = "more" titled "continues that task without finishing it",
        Done = "done" titled "finishes that task",
        Cancel = "cancel" titled "starts a task that runs until it is cancelled",
        LongRunning = "long-running" titled "starts a task that takes several seconds",
        Stream = "stream" titled "streams its output in several chunks",
        DataTypes = "data-types" titled "produces artifacts with text, data and file parts",
        AuthRequired = "auth-required" titled "makes a task require authorisation",
        Raise = "raise" titled "makes the agent's handler raise an exception",
        Burst = "burst" titled "streams many chunks of an artifact as fast as it can",
    }
}

impl Behaviour {
    /// The reason for a check that needs a prompt that was not given.
    #[must_use]
    pub fn without_prompt(self) -> String {
        let (title, name) = (self.title(), self.as_str());
        format!("no prompt is known for this agent that {title}; to run this check, set the prompt \"{name}\"")
    }

    /// The behaviour of that name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|behaviour| behaviour.as_str() == name)
    }
}

/// The user's own texts, at most one for each behaviour.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Texts(Vec<(Behaviour, String)>);

impl Texts {
    /// The text for a behaviour.
    #[must_use]
    pub fn get(&self, behaviour: Behaviour) -> Option<&str> {
        self.iter().find(|(known, _)| *known == behaviour).map(|(_, text)| text)
    }

    /// Sets the text for a behaviour.
    pub fn set(&mut self, behaviour: Behaviour, text: String) {
        self.0.retain(|(known, _)| *known != behaviour);
        self.0.push((behaviour, text));
    }

    /// The texts, in the order in which they were given.
    pub fn iter(&self) -> impl Iterator<Item = (Behaviour, &str)> {
        self.0.iter().map(|(behaviour, text)| (*behaviour, text.as_str()))
    }
}

named_enum! {
    /// The convention by which an agent is asked for a behaviour.
    #[derive(Default)]
    pub enum Profile {
        /// An ordinary agent: examples of its card, or a greeting.
        #[default]
        Generic = "generic",
        /// Keywords at the start of the text.
        AgentBin = "agentbin",
        /// The names that the protocol's test kit and its acceptance suite use: at the start of the message's id, and as its
        /// text.
        Tck = "tck",
    }
}

impl Profile {
    /// The profile of that name; `acts` is the other suite that uses the kit's names.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        let name = if name == "acts" { "tck" } else { name };
        Self::ALL.into_iter().find(|profile| profile.as_str() == name)
    }

    /// The profile that fits the card: skills and extensions show which convention the agent follows.
    #[must_use]
    pub fn declared_by(card: &Card) -> Self {
        let has = |id: &str| card.skills.iter().any(|skill| skill.id == id);
        if has("task-lifecycle") && has("multi-turn") {
            Self::AgentBin
        } else if card.extensions.iter().any(|(uri, _)| uri.starts_with(TCK_EXTENSIONS)) {
            Self::Tck
        } else {
            Self::Generic
        }
    }
}

/// Extensions of this kind are declared by agents that are made for the test kit.
const TCK_EXTENSIONS: &str = "urn:a2a:tck:";

/// The texts of a run.
#[derive(Debug, Clone, Default)]
pub struct Prompts {
    /// The profile in use.
    pub profile: Profile,
    /// The ids of the card's skills.
    skills: Vec<String>,
    own: Texts,
    /// The examples of the skills that are to be asked for, those first that should be tried first.
    examples: Vec<String>,
    /// The behaviours that the agent's answers have shown so far. Clones share it.
    pub learned: Rc<Learned>,
}

impl Prompts {
    /// Prompts for the agent of that card. The user's own texts win over the profile's. An ordinary agent is asked in the
    /// words of the examples of these skills, or of all when none are named.
    #[must_use]
    pub fn new(card: &Card, own: Texts, profile: Option<Profile>, skills: &[String]) -> Self {
        Self {
            profile: profile.unwrap_or_else(|| Profile::declared_by(card)),
            skills: card.skills.iter().map(|skill| skill.id.clone()).collect(),
            own,
            examples: examples::of_skills(&card.skills, skills),
            learned: Rc::default(),
        }
    }

    /// The texts that should be tried, to see what they bring about: none when the first is the only one, for that is sent
    /// anyway, or when the user described what could be found.
    #[must_use]
    pub fn examples_to_try(&self) -> &[String] {
        const DISCOVERABLE: [Behaviour; 4] =
            [Behaviour::MessageOnly, Behaviour::InputRequired, Behaviour::LongRunning, Behaviour::DataTypes];
        let is_described = DISCOVERABLE.iter().all(|behaviour| self.own.get(*behaviour).is_some());
        if self.profile != Profile::Generic || is_described || self.examples.len() < 2 {
            return &[];
        }
        &self.examples
    }

    /// Prompts for an agent of which no more is known.
    #[must_use]
    pub fn without_card(own: Texts, profile: Option<Profile>) -> Self {
        Self { profile: profile.unwrap_or_default(), own, ..Self::default() }
    }

    /// The text that should bring a behaviour about; `None` when none is known, because asking without one would only cost
    /// the agent's owner money.
    #[must_use]
    pub fn text(&self, behaviour: Behaviour) -> Option<String> {
        if let Some(own) = self.own.get(behaviour) {
            return Some(own.to_owned());
        }
        match self.profile {
            Profile::AgentBin => {
                let text = agentbin_text(behaviour);
                // Newer keywords: only agents with a skill of that name know them.
                let known = !matches!(behaviour, Behaviour::AuthRequired | Behaviour::Raise | Behaviour::Burst)
                    || self.skills.iter().any(|id| id == behaviour.as_str());
                known.then(|| text.to_owned())
            }
            Profile::Tck => tck_text(behaviour).map(str::to_owned),
            Profile::Generic => self.generic(behaviour),
        }
    }

    fn generic(&self, behaviour: Behaviour) -> Option<String> {
        let own = |behaviour| self.own.get(behaviour).map(str::to_owned);
        let learned = &self.learned;
        let plain = || {
            let known =
                own(Behaviour::Complete).or_else(|| learned.completed()).or_else(|| self.examples.first().cloned());
            known.unwrap_or_else(|| "Hello! What can you do for me?".to_owned())
        };
        match behaviour {
            // Any prompt may stream: it costs one ordinary message and is worth a try.
            Behaviour::Complete | Behaviour::Stream => Some(plain()),
            // The same for slowness, when none was seen to be slow.
            Behaviour::Cancel => Some(own(Behaviour::LongRunning).or_else(|| learned.slow()).unwrap_or_else(plain)),
            Behaviour::LongRunning => Some(own(Behaviour::Cancel).or_else(|| learned.slow()).unwrap_or_else(plain)),
            Behaviour::MessageOnly => learned.message(),
            Behaviour::Fail => learned.reached(TaskState::Failed),
            Behaviour::Reject => learned.reached(TaskState::Rejected),
            Behaviour::InputRequired => learned.reached(TaskState::InputRequired),
            Behaviour::AuthRequired => learned.reached(TaskState::AuthRequired),
            Behaviour::DataTypes => learned.data(),
            Behaviour::More | Behaviour::Done | Behaviour::Raise | Behaviour::Burst => None,
        }
    }
}

/// The keywords of the acceptance scenarios.
const fn agentbin_text(behaviour: Behaviour) -> &'static str {
    match behaviour {
        Behaviour::Complete => "task-lifecycle process this data",
        Behaviour::MessageOnly => "message-only hello world",
        Behaviour::Fail => "task-failure trigger error",
        Behaviour::Reject => "task-reject refuse this",
        Behaviour::InputRequired => "multi-turn start conversation",
        Behaviour::More => "here is more input",
        Behaviour::Done => "done",
        Behaviour::Cancel => "task-cancel start",
        Behaviour::LongRunning => "long-running start process",
        Behaviour::Stream => "streaming generate output",
        Behaviour::DataTypes => "data-types show all",
        Behaviour::AuthRequired => "auth-required open the safe",
        Behaviour::Raise => "raise an exception",
        Behaviour::Burst => "burst many updates at once",
    }
}

/// The names of the test kit.
const fn tck_text(behaviour: Behaviour) -> Option<&'static str> {
    match behaviour {
        Behaviour::Complete | Behaviour::Done => Some("tck-complete-task"),
        Behaviour::MessageOnly => Some("tck-message-response"),
        Behaviour::Fail => Some("tck-task-failure"),
        Behaviour::Reject => Some("tck-reject-task"),
        Behaviour::InputRequired => Some("tck-input-required"),
        Behaviour::Cancel => Some("tck-cancel"),
        Behaviour::LongRunning => Some("tck-long-running"),
        Behaviour::Stream => Some("tck-stream-artifact-chunked"),
        Behaviour::DataTypes => Some("tck-artifact-data"),
        Behaviour::More | Behaviour::AuthRequired | Behaviour::Raise | Behaviour::Burst => None,
    }
}

/// The prefix that the id of a message needs to ask for the same behaviour as its text; empty for most texts.
#[must_use]
pub fn id_prefix(text: &str) -> &str {
    // Only prompts for agents that are made for the kit look like this.
    if text.starts_with("tck-") && !text.contains(char::is_whitespace) { text } else { "" }
}
