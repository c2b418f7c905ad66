//! Reading the parameters of a call: types, required members and ranges by tables, with every violation named by its place.
//! Null is absent and unknown members are ignored, as ProtoJSON has it.

use serde_json::{Map, Value};

use super::fault::{FaultId, Faults};
use crate::a2a::dialect::v1_0::V1_0;
use crate::a2a::model::{Operation, Role, TaskState};
use crate::wire::json::{self, type_name};
use crate::wire::timestamp;

/// The media types that the agent takes, and makes.
pub(super) const MODES: [&str; 2] = ["text/plain", "application/json"];

/// The kinds of violations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ViolationKind {
    Missing,
    Type,
    Range,
    Unknown,
}

/// What a member holds.
#[derive(Clone, Copy)]
enum MemberKind {
    Any,
    /// A text; an empty one is the proto's default and so absent.
    Text,
    /// A text that may be empty.
    Content,
    Base64,
    Time,
    Texts,
    Flag,
    /// How much history is wanted.
    Length,
    PageSize,
    Role,
    State,
    /// Any object.
    Object,
    /// An object of these members.
    Members(&'static [ParamsMember]),
    /// A list of parts.
    Parts,
}

/// A member by its name, what it holds, and whether it must be there.
type ParamsMember = (&'static str, MemberKind, bool);

const TASK: &[ParamsMember] =
    &[("tenant", MemberKind::Any, false), ("id", MemberKind::Text, true), ("historyLength", MemberKind::Length, false)];
const SUBSCRIBE: &[ParamsMember] = &[("tenant", MemberKind::Any, false), ("id", MemberKind::Text, true)];
const CANCEL: &[ParamsMember] =
    &[("tenant", MemberKind::Any, false), ("id", MemberKind::Text, true), ("metadata", MemberKind::Object, false)];
const LIST: &[ParamsMember] = &[
    ("tenant", MemberKind::Any, false),
    ("status", MemberKind::State, false),
    ("pageSize", MemberKind::PageSize, false),
    ("statusTimestampAfter", MemberKind::Time, false),
    ("contextId", MemberKind::Text, false),
    ("pageToken", MemberKind::Text, false),
    ("historyLength", MemberKind::Length, false),
    ("includeArtifacts", MemberKind::Flag, false),
];
const NOTHING: &[ParamsMember] = &[("tenant", MemberKind::Text, false)];
const SEND: &[ParamsMember] = &[
    ("tenant", MemberKind::Any, false),
    ("metadata", MemberKind::Object, false),
    ("message", MemberKind::Members(MESSAGE), true),
    ("configuration", MemberKind::Members(CONFIGURATION), false),
];
const CONFIGURATION: &[ParamsMember] = &[
    ("taskPushNotificationConfig", MemberKind::Members(PUSH_INLINE), false),
    ("historyLength", MemberKind::Length, false),
    ("returnImmediately", MemberKind::Flag, false),
    ("acceptedOutputModes", MemberKind::Texts, false),
];
/// 1.0 §4.1.4.
const MESSAGE: &[ParamsMember] = &[
    ("messageId", MemberKind::Text, true),
    ("role", MemberKind::Role, true),
    ("parts", MemberKind::Parts, true),
    ("metadata", MemberKind::Object, false),
    ("extensions", MemberKind::Texts, false),
    ("referenceTaskIds", MemberKind::Texts, false),
    ("taskId", MemberKind::Text, false),
    ("contextId", MemberKind::Text, false),
];
/// What a part holds is one of the first four (1.0 §4.1.6).
const PART: &[ParamsMember] = &[
    ("text", MemberKind::Content, false),
    ("raw", MemberKind::Base64, false),
    ("url", MemberKind::Content, false),
    ("data", MemberKind::Any, false),
    ("metadata", MemberKind::Object, false),
    ("filename", MemberKind::Text, false),
    ("mediaType", MemberKind::Text, false),
];

/// What is known of a push config wherever one is named; what must be there differs.
macro_rules! push {
    ($url:literal, $id:literal, $task:literal) => {
        &[
            ("tenant", MemberKind::Any, false),
            ("taskId", MemberKind::Text, $task),
            ("id", MemberKind::Text, $id),
            ("url", MemberKind::Text, $url),
            ("token", MemberKind::Text, false),
            ("authentication", MemberKind::Object, false),
            ("pageSize", MemberKind::Any, false),
            ("pageToken", MemberKind::Any, false),
        ]
    };
}
const PUSH_CREATE: &[ParamsMember] = push!(true, false, true);
/// The task is the one that the message makes.
const PUSH_INLINE: &[ParamsMember] = push!(true, false, false);
const PUSH_LIST: &[ParamsMember] = push!(false, false, true);
const PUSH_ONE: &[ParamsMember] = push!(false, true, true);

const fn members(operation: Operation) -> &'static [ParamsMember] {
    match operation {
        Operation::SendMessage | Operation::SendStreamingMessage => SEND,
        Operation::GetTask => TASK,
        Operation::ListTasks => LIST,
        Operation::CancelTask => CANCEL,
        Operation::SubscribeToTask => SUBSCRIBE,
        Operation::CreatePushConfig => PUSH_CREATE,
        Operation::ListPushConfigs => PUSH_LIST,
        Operation::GetPushConfig | Operation::DeletePushConfig => PUSH_ONE,
        Operation::GetExtendedCard => NOTHING,
    }
}

/// The violations that faults let pass, by their kind and how the name of the field ends.
const LENIENT: &[(FaultId, ViolationKind, &str)] = &[
    (FaultId::WrongTypesAccepted, ViolationKind::Type, ""),
    (FaultId::SendEmptyAccepted, ViolationKind::Missing, "message"),
    (FaultId::IncompleteMessageAccepted, ViolationKind::Missing, "message.messageId"),
    (FaultId::IncompleteMessageAccepted, ViolationKind::Missing, "message.role"),
    (FaultId::IncompleteMessageAccepted, ViolationKind::Missing, "message.parts"),
    (FaultId::EmptyPartsAccepted, ViolationKind::Range, "message.parts"),
    (FaultId::EmptyPartAccepted, ViolationKind::Missing, "]"),
    (FaultId::UnknownRoleAccepted, ViolationKind::Range, "message.role"),
    (FaultId::HistoryNegativeAccepted, ViolationKind::Range, "historyLength"),
    (FaultId::ListAnyPageSize, ViolationKind::Range, "pageSize"),
    (FaultId::ListAnyStatus, ViolationKind::Range, "status"),
    (FaultId::ListAnyTimestamp, ViolationKind::Range, "statusTimestampAfter"),
    (FaultId::PushNoUrlAccepted, ViolationKind::Missing, "url"),
];

/// What was read of the parameters of one call.
pub(super) struct ParamsRead {
    /// The members that fit, under their names in JSON.
    pub(super) params: Value,
    /// Field and description of what does not fit.
    pub(super) violations: Vec<(String, String)>,
    /// Whether a fault makes the agent hang up on them.
    pub(super) crash: bool,
}

/// Reads the parameters of a call.
pub(super) fn read(operation: Operation, given: Option<&Value>, faults: &Faults) -> ParamsRead {
    let mut reader = ParamsReader { operation, faults, violations: Vec::new(), crash: false };
    let none = Map::new();
    let params = match given {
        None | Some(Value::Null) => reader.object("", &none, members(operation)),
        Some(Value::Object(map)) => reader.object("", map, members(operation)),
        Some(other) => {
            reader.mistyped("params", "an object", other);
            none
        }
    };
    ParamsRead { params: Value::Object(params), violations: reader.violations, crash: reader.crash }
}

struct ParamsReader<'a> {
    operation: Operation,
    faults: &'a Faults,
    violations: Vec<(String, String)>,
    crash: bool,
}

impl ParamsReader<'_> {
    /// Notes a violation, unless a fault lets it pass.
    fn note(&mut self, field: &str, kind: ViolationKind, description: &str) {
        self.crash |= kind == ViolationKind::Type && self.faults.has(FaultId::CrashOnWrongTypes);
        let forgiven = |(fault, of, end): &(FaultId, ViolationKind, &str)| {
            *of == kind && field.ends_with(end) && self.faults.has(*fault)
        };
        let no_id = kind == ViolationKind::Missing && self.operation == Operation::GetTask;
        if !(LENIENT.iter().any(forgiven) || (no_id && self.faults.has(FaultId::GetMissingIdAccepted))) {
            self.violations.push((field.to_owned(), description.to_owned()));
        }
    }

    fn mistyped(&mut self, field: &str, wanted: &str, value: &Value) {
        self.note(field, ViolationKind::Type, &format!("must be {wanted}, not {}", type_name(value)));
    }

    /// The members of an object that stands at `at`.
    fn object(&mut self, at: &str, given: &Map<String, Value>, members: &[ParamsMember]) -> Map<String, Value> {
        let place = |name: &str| if at.is_empty() { name.to_owned() } else { format!("{at}.{name}") };
        if self.faults.has(FaultId::UnknownFieldsRefused) {
            for name in given.keys() {
                if !members.iter().any(|(known, ..)| known == name || snake_case(known) == *name) {
                    self.note(&place(name), ViolationKind::Unknown, "is not a known member");
                }
            }
        }
        let mut read = Map::new();
        for (name, takes, required) in members {
            // ProtoJSON readers take the name in JSON and the proto's.
            let value = given.get(*name).or_else(|| given.get(&snake_case(name))).unwrap_or(&Value::Null);
            // Null is a value of its own in `data`.
            let absent = match takes {
                MemberKind::Any => !given.contains_key(*name),
                MemberKind::Text => value.is_null() || value == "",
                _ => value.is_null(),
            };
            if !absent {
                if let Some(value) = self.member(&place(name), *takes, value) {
                    read.insert((*name).to_owned(), value);
                }
            } else if *required {
                self.note(&place(name), ViolationKind::Missing, "is required");
            }
        }
        read
    }

    /// A member that is there; none if it does not fit.
    fn member(&mut self, at: &str, takes: MemberKind, value: &Value) -> Option<Value> {
        let (wanted, fits) = match takes {
            MemberKind::Any => ("anything", true),
            MemberKind::Text | MemberKind::Content | MemberKind::Base64 | MemberKind::Time => {
                ("a string", value.is_string())
            }
            MemberKind::Flag => ("a boolean", value.is_boolean()),
            MemberKind::Length | MemberKind::PageSize => ("an integer", value.is_i64()),
            MemberKind::Object | MemberKind::Members(_) => ("an object", value.is_object()),
            MemberKind::Parts => ("an array", value.is_array()),
            MemberKind::Texts => {
                ("a list of strings", value.as_array().is_some_and(|list| list.iter().all(Value::is_string)))
            }
            MemberKind::Role => return self.role(at, value),
            MemberKind::State => return self.state(at, value),
        };
        if !fits {
            self.mistyped(at, wanted, value);
            return None;
        }
        let number = value.as_i64().unwrap_or_default();
        let text = value.as_str().unwrap_or_default();
        let broken = match takes {
            MemberKind::Length if number < 0 => "must not be negative",
            MemberKind::PageSize if !(1..=100).contains(&number) => "must be from 1 to 100",
            MemberKind::Base64 if !is_base64(text) => "must be base64",
            MemberKind::Time if epoch_ns(text).is_none() => "must be a timestamp such as 2026-02-03T04:05:06.789Z",
            _ => "",
        };
        if !broken.is_empty() {
            self.note(at, ViolationKind::Range, broken);
        }
        Some(match (takes, value) {
            (MemberKind::Members(members), Value::Object(map)) => Value::Object(self.object(at, map, members)),
            (MemberKind::Parts, Value::Array(list)) => Value::Array(self.parts(at, list)),
            _ => value.clone(),
        })
    }

    /// ProtoJSON takes an enum by name or by number; the placeholder is as good as absent.
    fn role(&mut self, at: &str, value: &Value) -> Option<Value> {
        let known = match value.as_i64() {
            Some(0) => Some(Role::Unspecified),
            Some(1) => Some(Role::User),
            Some(2) => Some(Role::Agent),
            _ => value.as_str().and_then(|name| V1_0.role(name)),
        };
        match known {
            Some(Role::Unspecified) => self.note(at, ViolationKind::Missing, "is required"),
            Some(role) => return Some(V1_0.role_name(role).into()),
            None if value.is_string() || value.is_i64() => self.note(at, ViolationKind::Range, "must be ROLE_USER"),
            None => self.note(at, ViolationKind::Type, "must be the name of a role"),
        }
        None
    }

    /// The name of a state. The placeholder is the proto's default, and so it is no filter.
    fn state(&mut self, at: &str, value: &Value) -> Option<Value> {
        let state = value.as_str().and_then(|name| V1_0.state(name));
        if state.is_none() {
            let kind = if value.is_string() { ViolationKind::Range } else { ViolationKind::Type };
            self.note(at, kind, "must be the name of a state");
        }
        state.filter(|state| *state != TaskState::Unspecified).map(|_| value.clone())
    }

    fn parts(&mut self, at: &str, list: &[Value]) -> Vec<Value> {
        if list.is_empty() {
            self.note(at, ViolationKind::Range, "must hold at least one part");
        }
        let mut parts = Vec::new();
        for (index, part) in list.iter().enumerate() {
            let at = format!("{at}[{index}]");
            let Value::Object(map) = part else {
                self.mistyped(&at, "an object", part);
                continue;
            };
            let read = self.object(&at, map, PART);
            let given = PART
                .iter()
                .take(4)
                .filter(|(name, ..)| map.get(*name).is_some_and(|value| !value.is_null() || *name == "data"));
            let kind = match given.count() {
                0 => Some(ViolationKind::Missing),
                1 => None,
                _ => Some(ViolationKind::Range),
            };
            if let Some(kind) = kind {
                self.note(&at, kind, "must have exactly one of text, raw, url and data");
            }
            parts.push(Value::Object(read));
        }
        parts
    }
}

/// A parameter of a query as the JSON that its text stands for (1.0 §11.5). What does not fit stays a text, to be refused.
pub(super) fn of_query(operation: Operation, name: &str, text: &str) -> Value {
    let takes = members(operation).iter().find(|(known, ..)| *known == name).map(|(_, takes, _)| *takes);
    let written = match takes {
        Some(MemberKind::Flag | MemberKind::Length | MemberKind::PageSize) => json::read(text.as_bytes()),
        _ => None,
    };
    written.filter(|value| value.is_boolean() || value.is_number()).unwrap_or_else(|| text.into())
}

/// A `historyLength`; a fault can let it be negative.
pub(super) fn history_length(object: &Value) -> Option<usize> {
    let length = object.get("historyLength")?.as_i64()?;
    Some(usize::try_from(length).unwrap_or(0))
}

/// Nanoseconds since 1970 of a timestamp.
pub(super) fn epoch_ns(text: &str) -> Option<i128> {
    let (seconds, nanos) = timestamp::parse(text)?;
    Some(i128::from(seconds) * 1_000_000_000 + i128::from(nanos))
}

/// Standard or URL-safe alphabet, padded or not.
fn is_base64(text: &str) -> bool {
    let body = text.trim_end_matches('=');
    text.len() - body.len() <= 2
        && body.len() % 4 != 1
        && body.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'-' | b'_'))
}

/// The proto's name of a member: `contextId` is `context_id`.
pub(super) fn snake_case(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}
