//! Canonical A2A: operations, states, tasks, messages, events, errors and cards, whatever version and binding wrote them.
//! Everything an agent may leave out is optional.

use serde_json::Value;

use crate::wire::json::{Pointer, SharedValue};
use crate::wire::named_enum::named_enum;

/// An operation of the protocol (1.0 §5.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operation {
    /// Send a message and wait for the answer.
    SendMessage,
    /// Send a message and stream what happens.
    SendStreamingMessage,
    /// Read a task.
    GetTask,
    /// List tasks.
    ListTasks,
    /// Cancel a task.
    CancelTask,
    /// Stream what happens to a task that runs.
    SubscribeToTask,
    /// Store a push notification config.
    CreatePushConfig,
    /// Read a push notification config.
    GetPushConfig,
    /// List a task's push notification configs.
    ListPushConfigs,
    /// Delete a push notification config.
    DeletePushConfig,
    /// Read the extended agent card.
    GetExtendedCard,
}

impl Operation {
    /// All eleven.
    pub const ALL: [Self; 11] = [
        Self::SendMessage,
        Self::SendStreamingMessage,
        Self::GetTask,
        Self::ListTasks,
        Self::CancelTask,
        Self::SubscribeToTask,
        Self::CreatePushConfig,
        Self::GetPushConfig,
        Self::ListPushConfigs,
        Self::DeletePushConfig,
        Self::GetExtendedCard,
    ];

    /// Whether its answer is a stream of events.
    #[must_use]
    pub const fn streams(self) -> bool {
        matches!(self, Self::SendStreamingMessage | Self::SubscribeToTask)
    }
}

/// A state of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum TaskState {
    /// Accepted, not begun.
    #[default]
    Submitted,
    /// Being worked on.
    Working,
    /// Finished well.
    Completed,
    /// Finished with an error.
    Failed,
    /// Cancelled.
    Canceled,
    /// Waiting for the user's next message.
    InputRequired,
    /// Refused by the agent.
    Rejected,
    /// Waiting for an authorisation.
    AuthRequired,
    /// The placeholder that should not be sent.
    Unspecified,
}

impl TaskState {
    /// Whether the task will never change again (1.0 §4.1.3).
    #[must_use]
    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Canceled | Self::Rejected)
    }

    /// Whether the task waits for somebody else.
    #[must_use]
    pub const fn is_interrupted(self) -> bool {
        matches!(self, Self::InputRequired | Self::AuthRequired)
    }
}

/// The sender of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// The client.
    User,
    /// The agent.
    Agent,
    /// The placeholder that should not be sent.
    Unspecified,
}

/// A task as an answer showed it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Task {
    /// Its id.
    pub id: Option<String>,
    /// The context it belongs to.
    pub context_id: Option<String>,
    /// Its state; `None` when it has none that the version knows.
    pub state: Option<TaskState>,
    /// The state as it was written.
    pub state_text: Option<String>,
    /// The message of its status.
    pub status_message: Option<Message>,
    /// When the status was set, as it was written.
    pub timestamp: Option<String>,
    /// Its output. `None` when the member is absent.
    pub artifacts: Option<Vec<Artifact>>,
    /// Its messages. `None` when the member is absent.
    pub history: Option<Vec<Message>>,
    /// Where it stands in the answer.
    pub at: Pointer,
    /// As it was received.
    pub raw: SharedValue,
}

impl Task {
    /// Whether it will never change again.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.state.is_some_and(TaskState::is_terminal)
    }

    /// Where its state stands in the answer.
    #[must_use]
    pub fn place_of_state(&self) -> String {
        format!("{}/status/state", self.at)
    }
}

/// A message as an answer showed it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Message {
    /// Its id.
    pub message_id: Option<String>,
    /// The context it belongs to.
    pub context_id: Option<String>,
    /// The task it belongs to.
    pub task_id: Option<String>,
    /// The sender.
    pub role: Option<Role>,
    /// Its parts.
    pub parts: Vec<Part>,
    /// Where it stands in the answer.
    pub at: Pointer,
}

/// The content of a part.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Text.
    Text(String),
    /// Bytes, as so many characters of base64.
    Raw(usize),
    /// A file elsewhere.
    Url(String),
    /// Structured data.
    Data(Value),
}

/// A part of a message or an artifact.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Part {
    /// Its content, if that could be read.
    pub content: Option<Content>,
    /// Its media type.
    pub media_type: Option<String>,
}

impl Part {
    /// Its text, if it is one.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match &self.content {
            Some(Content::Text(text)) => Some(text),
            _ => None,
        }
    }
}

/// Something a task produced.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Artifact {
    /// Its id.
    pub artifact_id: Option<String>,
    /// Its parts.
    pub parts: Vec<Part>,
    /// Where it stands in the answer.
    pub at: Pointer,
}

/// An event of a stream.
#[derive(Debug, Clone, PartialEq)]
pub enum StreamEvent {
    /// A snapshot of the task.
    Task(Task),
    /// The whole answer as a message.
    Message(Message),
    /// A new status.
    Status(StatusUpdate),
    /// New output.
    Artifact(ArtifactUpdate),
    /// None of these, or several at once.
    Other(Value),
}

impl StreamEvent {
    /// The id of the task that it tells of, if it names one.
    #[must_use]
    pub fn task_id(&self) -> Option<&str> {
        match self {
            Self::Task(task) => task.id.as_deref(),
            Self::Status(update) => update.task_id.as_deref(),
            Self::Artifact(update) => update.task_id.as_deref(),
            Self::Message(_) | Self::Other(_) => None,
        }
    }

    /// The context of that task, if it names one.
    #[must_use]
    pub fn context_id(&self) -> Option<&str> {
        match self {
            Self::Task(task) => task.context_id.as_deref(),
            Self::Status(update) => update.context_id.as_deref(),
            Self::Artifact(update) => update.context_id.as_deref(),
            Self::Message(_) | Self::Other(_) => None,
        }
    }

    /// The state that it shows, if it shows one.
    #[must_use]
    pub const fn state(&self) -> Option<TaskState> {
        match self {
            Self::Task(task) => task.state,
            Self::Status(update) => update.state,
            _ => None,
        }
    }
}

/// A status update.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StatusUpdate {
    /// The task.
    pub task_id: Option<String>,
    /// Its context.
    pub context_id: Option<String>,
    /// The new state.
    pub state: Option<TaskState>,
    /// When, as it was written.
    pub timestamp: Option<String>,
    /// The status message.
    pub message: Option<Message>,
    /// Whether the event says it is the last (0.x).
    pub last: Option<bool>,
    /// Where it stands in its frame.
    pub at: Pointer,
}

/// An artifact update.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ArtifactUpdate {
    /// The task.
    pub task_id: Option<String>,
    /// Its context.
    pub context_id: Option<String>,
    /// The chunk.
    pub artifact: Artifact,
    /// Whether it continues an artifact sent before.
    pub append: bool,
    /// Whether it is the artifact's last chunk.
    pub last_chunk: bool,
    /// Where it stands in its frame.
    pub at: Pointer,
}

/// A page of tasks.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TaskList {
    /// The tasks.
    pub tasks: Vec<Task>,
    /// Where the next page begins; `""` on the last page.
    pub next_page_token: Option<String>,
    /// The page size used.
    pub page_size: Option<i64>,
    /// How many tasks match.
    pub total_size: Option<i64>,
    /// Where it stands in the answer.
    pub at: Pointer,
}

/// A push notification config.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PushConfig {
    /// Its id.
    pub id: Option<String>,
    /// Its task.
    pub task_id: Option<String>,
    /// Where notifications go.
    pub url: Option<String>,
    /// Where it stands in the answer.
    pub at: Pointer,
}

/// The content of a successful answer, by operation.
#[derive(Debug, Clone, PartialEq)]
pub enum Payload {
    /// Of a send: a task or a message; both are `None` when it held neither.
    Sent {
        /// The task, if one was made.
        task: Option<Task>,
        /// The message, if the agent answered with one.
        message: Option<Message>,
    },
    /// Of get and cancel.
    Task(Task),
    /// Of list.
    Tasks(TaskList),
    /// Of create and get of a push config.
    PushConfig(PushConfig),
    /// Of the list of push configs.
    PushConfigs(Vec<PushConfig>),
    /// Of a delete.
    Nothing,
    /// Of the extended card: as it was received.
    Card(Value),
}

named_enum! {
    /// The errors that A2A and JSON-RPC name, with the names that the specification gives them.
    pub enum ErrorName {
        /// The text is not JSON.
        Parse = "JSONParseError",
        /// The JSON is not a request.
        InvalidRequest = "InvalidRequestError",
        /// No such method.
        MethodNotFound = "MethodNotFoundError",
        /// The parameters do not fit.
        InvalidParams = "InvalidParamsError",
        /// The agent broke.
        Internal = "InternalError",
        /// No such task.
        TaskNotFound = "TaskNotFoundError",
        /// The task cannot be cancelled (any more).
        TaskNotCancelable = "TaskNotCancelableError",
        /// No push notifications here.
        PushNotificationNotSupported = "PushNotificationNotSupportedError",
        /// Not offered, or not in this state.
        UnsupportedOperation = "UnsupportedOperationError",
        /// A media type that the agent does not take.
        ContentTypeNotSupported = "ContentTypeNotSupportedError",
        /// The agent made an answer that does not fit.
        InvalidAgentResponse = "InvalidAgentResponseError",
        /// An extended card is declared but there is none.
        ExtendedCardNotConfigured = "ExtendedAgentCardNotConfiguredError",
        /// A required extension was not asked for.
        ExtensionSupportRequired = "ExtensionSupportRequiredError",
        /// The version is not served.
        VersionNotSupported = "VersionNotSupportedError",
        /// No streams here (0.1).
        StreamingNotSupported = "StreamingNotSupportedError",
        /// Credentials are missing (0.1).
        AuthenticationRequired = "AuthenticationRequiredError",
        /// Credentials do not suffice (0.1).
        AuthorizationFailed = "AuthorizationFailedError",
        /// The task's state does not allow that (0.1).
        InvalidTaskState = "InvalidTaskStateError",
        /// Too many requests (0.1).
        RateLimitExceeded = "RateLimitExceededError",
        /// Something needed is not there for now (0.1).
        ResourceUnavailable = "ResourceUnavailableError",
    }
}

/// An error that an agent answered.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AgentError {
    /// The code as it was written, if it is an integer.
    pub code: Option<i64>,
    /// The name of its status code over gRPC.
    pub grpc_code: Option<&'static str>,
    /// Which error that code is in this dialect and binding.
    pub name: Option<ErrorName>,
    /// The message.
    pub message: Option<String>,
    /// `ErrorInfo.reason`, if there is one.
    pub reason: Option<String>,
    /// The errors that its HTTP status stands for, in a binding that tells by the status where nothing else names it.
    pub may_be: &'static [ErrorName],
    /// The HTTP status it came with.
    pub status: u16,
    /// Where it stands in the answer.
    pub at: Pointer,
}

impl AgentError {
    /// Whether it is that error, or may be it as far as the agent's answer shows.
    #[must_use]
    pub fn is(&self, name: ErrorName) -> bool {
        self.name == Some(name) || self.may_be.contains(&name)
    }

    /// Whether it is gRPC's own that there is no such method: before 1.0 errors of A2A may have the same code, and only the words tell
    /// that nobody has written the method (`grpcio`, `grpc-java`, `grpc-go`, `grpc-js`, .NET; tonic says nothing).
    #[must_use]
    pub fn is_missing_method(&self) -> bool {
        const WORDS: [&str; 6] = [
            "method not",
            "method unimplemented",
            "is unimplemented",
            "unknown method",
            "unknown service",
            "does not implement",
        ];
        if self.grpc_code != Some("UNIMPLEMENTED") || self.reason.is_some() {
            return false;
        }
        let message = self.message.as_deref().unwrap_or_default().to_ascii_lowercase();
        let is_sure = self.may_be.iter().all(|name| *name == ErrorName::MethodNotFound);
        is_sure || message.trim().is_empty() || WORDS.iter().any(|words| message.contains(words))
    }

    /// Whether only its HTTP status says what it is, and that is one of these, which web frameworks return where there is no route. Over
    /// gRPC the words say so.
    #[must_use]
    pub fn is_no_route(&self, statuses: &[u16]) -> bool {
        if self.grpc_code.is_some() {
            self.is_missing_method()
        } else {
            self.name.is_none() && statuses.contains(&self.status)
        }
    }

    /// The error in one phrase: `-32001 (TaskNotFoundError) "no such task"`.
    #[must_use]
    pub fn describe(&self) -> String {
        let code = match self.code {
            Some(code) => format!("error {code}"),
            None if self.grpc_code.is_some() => self.grpc_code.unwrap_or_default().to_owned(),
            None if self.status >= 400 => format!("HTTP {}", self.status),
            None => "an error without a code".to_owned(),
        };
        let name = self.name.map(|name| format!(" ({})", name.as_str())).unwrap_or_default();
        let message: String = self.message.iter().flat_map(|text| text.chars().take(120)).collect();
        if message.is_empty() { format!("{code}{name}") } else { format!("{code}{name} \"{message}\"") }
    }
}

/// An agent card in canonical form.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Card {
    /// The agent's name.
    pub name: Option<String>,
    /// The agent's version.
    pub version: Option<String>,
    /// How it can be reached, in the order of the card.
    pub interfaces: Vec<Interface>,
    /// Whether it streams. Absent is `false` (1.0 §4.4.3).
    pub streaming: bool,
    /// Whether it sends push notifications.
    pub push_notifications: bool,
    /// Whether it has an extended card.
    pub extended_card: bool,
    /// Whether it keeps the history of states (0.x).
    pub state_history: bool,
    /// The URIs of the extensions it declares, and whether it requires them.
    pub extensions: Vec<(String, bool)>,
    /// Its skills.
    pub skills: Vec<Skill>,
    /// Its default input modes.
    pub input_modes: Vec<String>,
    /// Whether some credential is required.
    pub requires_auth: bool,
    /// As it was received.
    pub raw: Value,
}

impl Card {
    /// Whether an agent with this card has to have an operation: every agent has it, or the card declares it.
    #[must_use]
    pub const fn offers(&self, operation: Operation) -> bool {
        match operation {
            Operation::SendMessage | Operation::GetTask | Operation::ListTasks | Operation::CancelTask => true,
            Operation::SendStreamingMessage | Operation::SubscribeToTask => self.streaming,
            Operation::GetExtendedCard => self.extended_card,
            Operation::CreatePushConfig
            | Operation::GetPushConfig
            | Operation::ListPushConfigs
            | Operation::DeletePushConfig => self.push_notifications,
        }
    }

    /// Whether its default input modes include text, or name none at all.
    #[must_use]
    pub fn takes_text(&self) -> bool {
        self.input_modes.is_empty() || self.input_modes.iter().any(|mode| is_text(mode))
    }

    /// Whether a message must bring JSON: the input modes of the card include JSON, and neither they nor those of a skill, which
    /// take their place (1.0 §4.4.5), include text.
    #[must_use]
    pub fn takes_only_data(&self) -> bool {
        let skills = self.raw.get("skills").and_then(Value::as_array).into_iter().flatten();
        let of_skills = skills.filter_map(|skill| skill.get("inputModes")?.as_array()).flatten();
        let is_data = |mode: &String| {
            let essence = mode.split(';').next().unwrap_or_default().trim();
            matches!(essence, "application/json" | "application/*" | "json" | "data") || essence.ends_with("+json")
        };
        !self.takes_text() && self.input_modes.iter().any(is_data) && !of_skills.filter_map(Value::as_str).any(is_text)
    }
}

/// Whether an input mode includes text. Cards of older versions name modes by bare words.
fn is_text(mode: &str) -> bool {
    mode.starts_with("text/") || mode.starts_with("*/") || matches!(mode, "text" | "*")
}

/// One declared interface.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Interface {
    /// Where.
    pub url: String,
    /// `JSONRPC`, `HTTP+JSON`, `GRPC` or the URI of a custom binding.
    pub binding: String,
    /// The protocol version it speaks.
    pub version: String,
    /// The routing string that requests to it must carry.
    pub tenant: Option<String>,
}

/// A skill, as far as a checker needs it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Skill {
    /// Its id.
    pub id: String,
    /// Example prompts.
    pub examples: Vec<String>,
}
