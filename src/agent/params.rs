//! Reads the parameters of a call: types, required members and ranges, by tables, and which violations a fault tolerates; the media
//! types that the agent takes. Every violation names its field. As in ProtoJSON, null is the same as absent, and unknown members
//! are ignored.

use super::served_version::CURRENT;
use serde_json::{Map, Value};

use super::fault::{FaultId, Faults};
use super::json_values::snake_case;
use crate::a2a::model::{Operation, Role, TaskState};
use crate::wire::base64::is_base64;
use crate::wire::json::{self, type_name};
use crate::wire::timestamp;

/// The media types that the agent accepts and produces.
pub(super) const MODES: [&str; 2] = ["text/plain", "application/json"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ViolationKind {
    Missing,
    Type,
    Range,
    Unknown,
}

#[derive(Clone, Copy)]
enum MemberKind {
    Any,
    /// A string. An empty one is the proto's default, and so the same as absent.
    Text,
    /// A string that may be empty.
    Content,
    Base64,
    Time,
    Texts,
    Flag,
    HistoryLength,
    PageSize,
    Role,
    State,
    Object,
    Members(&'static [ParamsMember]),
    Parts,
}

/// The name of a member, its kind, and whether it is required.
type ParamsMember = (&'static str, MemberKind, bool);

const TASK: &[ParamsMember] = &[
    ("tenant", MemberKind::Any, false),
    ("id", MemberKind::Text, true),
    ("historyLength", MemberKind::HistoryLength, false),
];
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
    ("historyLength", MemberKind::HistoryLength, false),
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
    ("historyLength", MemberKind::HistoryLength, false),
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
/// A part has exactly one of the first four (1.0 §4.1.6).
const PART: &[ParamsMember] = &[
    ("text", MemberKind::Content, false),
    ("raw", MemberKind::Base64, false),
    ("url", MemberKind::Content, false),
    ("data", MemberKind::Any, false),
    ("metadata", MemberKind::Object, false),
    ("filename", MemberKind::Text, false),
    ("mediaType", MemberKind::Text, false),
];

/// The members of the push config operations, with whether `url`, `id` and `taskId` are required.
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
/// Without a task: it is that of the message.
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

/// The violations that faults tolerate, by their kind and the end of the field's name; some in one operation alone.
const TOLERATED: &[(FaultId, Option<Operation>, ViolationKind, &str)] = &[
    (FaultId::WrongTypesAccepted, None, ViolationKind::Type, ""),
    (FaultId::SendEmptyAccepted, None, ViolationKind::Missing, "message"),
    (FaultId::IncompleteMessageAccepted, None, ViolationKind::Missing, "message.messageId"),
    (FaultId::IncompleteMessageAccepted, None, ViolationKind::Missing, "message.role"),
    (FaultId::IncompleteMessageAccepted, None, ViolationKind::Missing, "message.parts"),
    (FaultId::EmptyPartsAccepted, None, ViolationKind::Range, "message.parts"),
    (FaultId::EmptyPartAccepted, None, ViolationKind::Missing, "]"),
    (FaultId::UnknownRoleAccepted, None, ViolationKind::Range, "message.role"),
    (FaultId::GetMissingIdAccepted, Some(Operation::GetTask), ViolationKind::Missing, "id"),
    (FaultId::GetAnyNumber, Some(Operation::GetTask), ViolationKind::Type, "historyLength"),
    (FaultId::HistoryNegativeAccepted, None, ViolationKind::Range, "historyLength"),
    (FaultId::ListAnyPageSize, Some(Operation::ListTasks), ViolationKind::Range, "pageSize"),
    (FaultId::ListAnyStatus, Some(Operation::ListTasks), ViolationKind::Range, "status"),
    (FaultId::ListAnyNumber, Some(Operation::ListTasks), ViolationKind::Type, "pageSize"),
    (FaultId::ListAnyNumber, Some(Operation::ListTasks), ViolationKind::Type, "historyLength"),
    (FaultId::ListAnyTimestamp, Some(Operation::ListTasks), ViolationKind::Range, "statusTimestampAfter"),
    (FaultId::PushNoUrlAccepted, None, ViolationKind::Missing, "url"),
];

pub(super) struct ParamsRead<'a> {
    operation: Operation,
    faults: &'a Faults,
    /// The valid members, by their names in JSON.
    pub(super) params: Value,
    /// The field and the description of each violation.
    pub(super) violations: Vec<(String, String)>,
    /// Whether a fault makes the agent hang up because of them.
    pub(super) crash: bool,
}

pub(super) fn read<'a>(operation: Operation, given: Option<&Value>, faults: &'a Faults) -> ParamsRead<'a> {
    let mut reader = ParamsRead { operation, faults, params: Value::Null, violations: Vec::new(), crash: false };
    let none = Map::new();
    let params = match given {
        None | Some(Value::Null) => reader.object("", &none, members(operation)),
        Some(Value::Object(map)) => reader.object("", map, members(operation)),
        Some(other) => {
            reader.mistyped("params", "an object", other);
            none
        }
    };
    reader.params = Value::Object(params);
    reader
}

impl ParamsRead<'_> {
    /// Adds a violation, unless a fault tolerates it.
    fn add_violation(&mut self, field: &str, kind: ViolationKind, description: &str) {
        self.crash |= kind == ViolationKind::Type && self.faults.has(FaultId::CrashOnWrongTypes);
        let is_tolerated = TOLERATED.iter().any(|(fault, operation, of, end)| {
            let is_meant = operation.is_none_or(|operation| operation == self.operation);
            is_meant && *of == kind && field.ends_with(end) && self.faults.has(*fault)
        });
        if !is_tolerated {
            self.violations.push((field.to_owned(), description.to_owned()));
        }
    }

    fn mistyped(&mut self, field: &str, wanted: &str, value: &Value) {
        self.add_violation(field, ViolationKind::Type, &format!("must be {wanted}, not {}", type_name(value)));
    }

    /// Reads the members of the object at the path `at`.
    fn object(&mut self, at: &str, given: &Map<String, Value>, members: &[ParamsMember]) -> Map<String, Value> {
        let path = |name: &str| if at.is_empty() { name.to_owned() } else { format!("{at}.{name}") };
        if self.faults.has(FaultId::UnknownFieldsRefused) {
            for name in given.keys() {
                if !members.iter().any(|(known, ..)| known == name || snake_case(known) == *name) {
                    self.add_violation(&path(name), ViolationKind::Unknown, "is not a known member");
                }
            }
        }
        let mut read = Map::new();
        for (name, kind, required) in members {
            // ProtoJSON readers accept the name in JSON and that of the proto.
            let value = given.get(*name).or_else(|| given.get(&snake_case(name))).unwrap_or(&Value::Null);
            // In `data` null is a value like others.
            let absent = match kind {
                MemberKind::Any => !given.contains_key(*name),
                MemberKind::Text => value.is_null() || value == "",
                _ => value.is_null(),
            };
            if !absent {
                if let Some(value) = self.member(&path(name), *kind, value) {
                    read.insert((*name).to_owned(), value);
                }
            } else if *required {
                self.add_violation(&path(name), ViolationKind::Missing, "is required");
            }
        }
        read
    }

    /// Reads a member that is present; none if it is invalid.
    fn member(&mut self, at: &str, kind: MemberKind, value: &Value) -> Option<Value> {
        let (wanted, fits) = match kind {
            MemberKind::Any => ("anything", true),
            MemberKind::Text | MemberKind::Content | MemberKind::Base64 | MemberKind::Time => {
                ("a string", value.is_string())
            }
            MemberKind::Flag => ("a boolean", value.is_boolean()),
            MemberKind::HistoryLength | MemberKind::PageSize => ("an integer", value.is_i64()),
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
        let out_of_range = match kind {
            MemberKind::HistoryLength if number < 0 => "must not be negative",
            MemberKind::PageSize if !(1..=100).contains(&number) => "must be from 1 to 100",
            MemberKind::Base64 if !is_base64(text) => "must be base64",
            MemberKind::Time if epoch_ns(text).is_none() => "must be a timestamp such as 2026-02-03T04:05:06.789Z",
            _ => "",
        };
        if !out_of_range.is_empty() {
            self.add_violation(at, ViolationKind::Range, out_of_range);
        }
        Some(match (kind, value) {
            (MemberKind::Members(members), Value::Object(map)) => Value::Object(self.object(at, map, members)),
            (MemberKind::Parts, Value::Array(list)) => Value::Array(self.parts(at, list)),
            _ => value.clone(),
        })
    }

    /// ProtoJSON accepts an enum by name or by number; unspecified is the same as absent.
    fn role(&mut self, at: &str, value: &Value) -> Option<Value> {
        let known = match value.as_i64() {
            Some(0) => Some(Role::Unspecified),
            Some(1) => Some(Role::User),
            Some(2) => Some(Role::Agent),
            _ => value.as_str().and_then(|name| CURRENT.dialect.role(name)),
        };
        match known {
            Some(Role::Unspecified) => self.add_violation(at, ViolationKind::Missing, "is required"),
            Some(role) => return Some(CURRENT.dialect.role_name(role).into()),
            None if value.is_string() || value.is_i64() => {
                self.add_violation(at, ViolationKind::Range, "must be ROLE_USER")
            }
            None => self.add_violation(at, ViolationKind::Type, "must be the name of a role"),
        }
        None
    }

    /// Reads a state by its name. Unspecified is the proto's default, and so the same as absent.
    fn state(&mut self, at: &str, value: &Value) -> Option<Value> {
        let state = value.as_str().and_then(|name| CURRENT.dialect.state(name));
        if state.is_none() {
            let kind = if value.is_string() { ViolationKind::Range } else { ViolationKind::Type };
            self.add_violation(at, kind, "must be the name of a state");
        }
        state.filter(|state| *state != TaskState::Unspecified).map(|_| value.clone())
    }

    fn parts(&mut self, at: &str, list: &[Value]) -> Vec<Value> {
        if list.is_empty() {
            self.add_violation(at, ViolationKind::Range, "must hold at least one part");
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
                self.add_violation(&at, kind, "must have exactly one of text, raw, url and data");
            }
            parts.push(Value::Object(read));
        }
        parts
    }
}

/// The JSON value of a query parameter (1.0 §11.5). Text that is not of the member's kind stays text, to be refused later.
pub(super) fn query_param_value(operation: Operation, name: &str, text: &str) -> Value {
    let kind = members(operation).iter().find(|(known, ..)| *known == name).map(|(_, kind, _)| *kind);
    let json = match kind {
        Some(MemberKind::Flag | MemberKind::HistoryLength | MemberKind::PageSize) => json::read(text.as_bytes()),
        _ => None,
    };
    json.filter(|value| value.is_boolean() || value.is_number()).unwrap_or_else(|| text.into())
}

/// A `historyLength`; negative ones, which a fault lets pass, count as 0.
pub(super) fn history_length(object: &Value) -> Option<usize> {
    let length = object.get("historyLength")?.as_i64()?;
    Some(usize::try_from(length).unwrap_or(0))
}

/// Nanoseconds since 1970 of a timestamp.
pub(super) fn epoch_ns(text: &str) -> Option<i128> {
    let (seconds, nanos) = timestamp::parse(text)?;
    Some(i128::from(seconds) * 1_000_000_000 + i128::from(nanos))
}
