//! The definition of a dialect: tables of a version, and the functions that shape its requests and read its answers.

use std::sync::LazyLock;

use serde_json::{Map, Value};

use super::write::{ListQuery, Outgoing, PushConfigRequest};
use crate::a2a::cursor::Cursor;
use crate::a2a::model::{Card, ErrorName, Operation, Payload, Role, StreamEvent, TaskState};
use crate::a2a::rule::Notes;
use crate::wire::http::Method;
use crate::wire::protobuf::Schema;

/// The content of one protocol version and its form on the wire.
pub struct Dialect {
    /// The version as interfaces declare it: `1.0`.
    pub version: &'static str,
    /// The member of the card that says how the agent is reached.
    pub card_lists: &'static str,
    /// Where clients of the version look for the card on a host.
    pub card_path: &'static str,
    /// The header that names the version in a request, if the version has one.
    pub version_header: Option<&'static str>,
    /// The header that names extensions in a request, if the version has one.
    pub extensions_header: Option<&'static str>,
    /// The dialect of the same version that HTTP+JSON speaks, where that has words of its own.
    pub over_http: Option<&'static Self>,
    /// The dialect of the same version that gRPC speaks, where that has words of its own.
    pub over_grpc: Option<&'static Self>,
    /// The JSON-RPC method of each operation; an operation that is not in the list does not exist in this version.
    pub methods: &'static [(Operation, &'static str)],
    /// The route of each operation over HTTP: verb, and path under the interface's URL with `{members}` of the parameters.
    pub routes: &'static [(Operation, Method, &'static str)],
    /// The error that an HTTP status stands for when nothing else names it.
    pub statuses: &'static [(u16, &'static [ErrorName])],
    /// Its service over gRPC, if this program knows one.
    pub grpc: Option<GrpcService>,
    /// The names of the states.
    pub states: &'static [(TaskState, &'static str)],
    /// The names of the roles.
    pub roles: &'static [(Role, &'static str)],
    /// The JSON-RPC code of each error.
    pub error_codes: &'static [(ErrorName, i64)],
    /// `ErrorInfo.reason` of each A2A error.
    pub error_reasons: &'static [(ErrorName, &'static str)],
    /// How its objects are written.
    pub forms: ObjectForms,
    /// Whether a list of parts must hold at least one (1.0 §5.7, 0.1 §6.4); 0.2 and 0.3 ask only for the list.
    pub needs_parts: bool,
    /// The other JSON form in which agents of this version and binding are met, for requests.
    pub other_form: Option<&'static Self>,
    /// Reads a card.
    pub read_card: fn(&Cursor<'_>) -> Card,
    /// Reads the result of an operation.
    pub read_result: fn(&Dialect, Operation, &Cursor<'_>, &mut Notes) -> Payload,
    /// Reads one event of a stream.
    pub read_event: fn(&Dialect, &Cursor<'_>, &mut Notes) -> StreamEvent,
    /// Parameters of a send, unary or streaming.
    pub send_params: fn(&Dialect, &Outgoing) -> Value,
    /// Parameters of an operation that names a task: get (with a history length), cancel, subscribe.
    pub task_params: fn(&str, Option<i64>) -> Value,
    /// Parameters of a list.
    pub list_params: fn(&Dialect, &ListQuery) -> Value,
    /// Parameters of the four push config operations.
    pub push_params: fn(Operation, &PushConfigRequest) -> Value,
}

/// The service of a version over gRPC.
pub struct GrpcService {
    /// Its definitions.
    pub schema: &'static LazyLock<Schema>,
    /// The method of each operation.
    pub methods: &'static [(Operation, &'static str)],
    /// The errors that a status code may stand for, by its name.
    pub codes: &'static [(&'static str, &'static [ErrorName])],
    /// Turns the parameters of an operation into the message of its method; the error says what the message has no words for.
    pub pack: fn(Operation, Map<String, Value>) -> PackedMessage,
}

/// The message of a method, or what it has no words for.
pub(super) type PackedMessage = Result<Map<String, Value>, String>;

impl GrpcService {
    /// The method of an operation.
    #[must_use]
    pub fn method(&self, operation: Operation) -> Option<&'static str> {
        self.methods.iter().find(|(known, _)| *known == operation).map(|(_, method)| *method)
    }

    /// The status code of an error.
    #[must_use]
    pub fn code_of(&self, name: ErrorName) -> Option<&'static str> {
        self.codes.iter().find(|(_, names)| names.contains(&name)).map(|(code, _)| *code)
    }

    /// The errors that a status code may stand for.
    #[must_use]
    pub fn errors_of(&self, code: &str) -> &'static [ErrorName] {
        self.codes.iter().find(|(known, _)| *known == code).map_or(&[], |(_, names)| *names)
    }
}

/// How a version writes its objects, as far as versions differ.
pub struct ObjectForms {
    /// How objects and parts are told apart.
    pub tags: Tags,
    /// The member that joins tasks and messages.
    pub context: &'static str,
    /// Whether a task must name its context.
    pub task_has_context: bool,
    /// Whether messages and artifacts have ids.
    pub ids: bool,
    /// Where a message's parts stand.
    pub message_parts: &'static [&'static str],
    /// Whether the last event of a stream is marked `final`.
    pub marks_last: bool,
    /// Whether timestamps are in UTC and end in `Z`.
    pub utc: bool,
    /// Whether a `null` stands for a member that is not there, in envelopes too.
    pub nulls: bool,
    /// Whether any error may be answered with id null, as the samples of 0.1 do.
    pub errors_without_id: bool,
    /// Whether member names are camelCase by a rule of their own (1.0 §5.5): what breaks it is read all the same.
    pub camel_case: bool,
    /// Whether errors over HTTP have the form of google.rpc.Status; else they are any JSON object.
    pub rpc_status: bool,
}

/// How objects and parts are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tags {
    /// By the members that they have (1.0).
    Members,
    /// By a member `kind` (0.2, 0.3).
    Kind,
    /// Parts by a member `type` (0.1).
    Type,
    /// By `kind` or by members: HTTP of 0.3, where both are met.
    Either,
}

impl Dialect {
    /// The dialect as a binding speaks it.
    #[must_use]
    pub fn over(&'static self, binding: &str) -> &'static Self {
        let other = match binding {
            "HTTP+JSON" => self.over_http,
            "GRPC" => self.over_grpc,
            _ => None,
        };
        other.unwrap_or(self)
    }

    /// Whether the two are of one version, whatever binding they are for.
    #[must_use]
    pub fn is_version_of(&self, other: &Self) -> bool {
        self.version == other.version
    }

    /// The JSON-RPC method of an operation.
    #[must_use]
    pub fn method(&self, operation: Operation) -> Option<&'static str> {
        self.methods.iter().find(|(known, _)| *known == operation).map(|(_, method)| *method)
    }

    /// The HTTP route of an operation.
    #[must_use]
    pub fn route(&self, operation: Operation) -> Option<(Method, &'static str)> {
        self.routes.iter().find(|(known, ..)| *known == operation).map(|(_, method, path)| (*method, *path))
    }

    /// The errors that an HTTP status may stand for.
    #[must_use]
    pub fn errors_of(&self, status: u16) -> &'static [ErrorName] {
        self.statuses.iter().find(|(known, _)| *known == status).map_or(&[], |(_, names)| *names)
    }

    /// The HTTP status of an error. The table may have several; the first is that of the newest text.
    #[must_use]
    pub fn status_of(&self, name: ErrorName) -> u16 {
        self.statuses.iter().find(|(_, names)| names.contains(&name)).map_or(500, |(status, _)| *status)
    }

    /// The error whose `ErrorInfo.reason` is that.
    #[must_use]
    pub fn error_of_reason(&self, reason: &str) -> Option<ErrorName> {
        self.error_reasons.iter().find(|(_, known)| *known == reason).map(|(name, _)| *name)
    }

    /// The state of that name.
    #[must_use]
    pub fn state(&self, name: &str) -> Option<TaskState> {
        self.states.iter().find(|(_, known)| *known == name).map(|(state, _)| *state)
    }

    /// The name of that state; empty if the version has none.
    #[must_use]
    pub fn state_name(&self, state: TaskState) -> &'static str {
        self.states.iter().find(|(known, _)| *known == state).map_or("", |(_, name)| *name)
    }

    /// The role of that name.
    #[must_use]
    pub fn role(&self, name: &str) -> Option<Role> {
        self.roles.iter().find(|(_, known)| *known == name).map(|(role, _)| *role)
    }

    /// The name of that role; empty if the version has none.
    #[must_use]
    pub fn role_name(&self, role: Role) -> &'static str {
        self.roles.iter().find(|(known, _)| *known == role).map_or("", |(_, name)| *name)
    }

    /// The error that a code names.
    #[must_use]
    pub fn error_name(&self, code: i64) -> Option<ErrorName> {
        self.error_codes.iter().find(|(_, known)| *known == code).map(|(name, _)| *name)
    }

    /// The code of an error; 0 if the version does not have it.
    #[must_use]
    pub fn error_code(&self, name: ErrorName) -> i64 {
        self.error_codes.iter().find(|(known, _)| *known == name).map_or(0, |(_, code)| *code)
    }

    /// `ErrorInfo.reason` of an error, if it is one of A2A's own.
    #[must_use]
    pub fn error_reason(&self, name: ErrorName) -> Option<&'static str> {
        self.error_reasons.iter().find(|(known, _)| *known == name).map(|(_, reason)| *reason)
    }
}

impl std::fmt::Debug for Dialect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Dialect({})", self.version)
    }
}
