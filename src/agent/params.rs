//! Reading the parameters of a call: types, required members and ranges, with every violation named by its place. Null is
//! absent and unknown members are ignored, as ProtoJSON has it.

use std::cell::RefCell;

use serde_json::{Map, Value, json};

use super::fault::{FaultId, Faults};
use super::rpc::Refusal;
use super::state::set;
use crate::a2a::dialect::v1_0::V1_0;
use crate::a2a::model::{Operation, TaskState};
use crate::wire::json::type_name;
use crate::wire::timestamp;

/// The media types that the agent takes, and makes.
pub(super) const MODES: [&str; 2] = ["text/plain", "application/json"];

/// Why parameters are not taken.
#[derive(Debug)]
pub(super) enum Unfit {
    /// They are refused.
    Refused(Refusal),
    /// The agent hangs up on them.
    Crash,
}

impl From<Refusal> for Unfit {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// The kinds of violations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Missing,
    Type,
    Range,
    Unknown,
}

#[derive(Debug)]
struct Violation {
    field: String,
    kind: Kind,
    description: String,
}

/// The parameters of one call, and what is wrong with them so far.
pub(super) struct Params<'a> {
    operation: Operation,
    value: Option<&'a Value>,
    faults: &'a Faults,
    violations: RefCell<Vec<Violation>>,
}

/// An object within the parameters; one that is absent has no members.
pub(super) struct Fields<'a, 'p> {
    pub(super) params: &'p Params<'a>,
    pub(super) map: Option<&'a Map<String, Value>>,
    pub(super) at: String,
}

/// The parameters of a list.
#[derive(Debug)]
pub(super) struct ListParams {
    pub(super) context: Option<String>,
    pub(super) state: Option<TaskState>,
    pub(super) page_size: usize,
    pub(super) page_token: Option<String>,
    pub(super) history: Option<usize>,
    /// Nanoseconds since 1970.
    pub(super) since: Option<i128>,
    pub(super) artifacts: bool,
}

impl<'a> Params<'a> {
    pub(super) fn new(operation: Operation, value: Option<&'a Value>, faults: &'a Faults) -> Self {
        Self { operation, value: value.filter(|value| !value.is_null()), faults, violations: RefCell::default() }
    }

    /// Whether there are parameters at all.
    pub(super) fn are_given(&self) -> bool {
        self.value.is_some()
    }

    pub(super) fn root(&self, known: &[&str]) -> Fields<'a, '_> {
        if let Some(value) = self.value.filter(|value| !value.is_object()) {
            self.note("params", Kind::Type, format!("must be an object and is {}", type_name(value)));
        }
        let fields = Fields { params: self, map: self.value.and_then(Value::as_object), at: String::new() };
        fields.known(known);
        fields
    }

    pub(super) fn note(&self, field: impl Into<String>, kind: Kind, description: impl Into<String>) {
        let violation = Violation { field: field.into(), kind, description: description.into() };
        self.violations.borrow_mut().push(violation);
    }

    /// Whether the faults let this violation pass.
    fn forgives(&self, violation: &Violation) -> bool {
        let (field, kind) = (violation.field.as_str(), violation.kind);
        let incomplete = ["message.messageId", "message.role", "message.parts"].contains(&field);
        match kind {
            Kind::Type => self.faults.has(FaultId::WrongTypesAccepted),
            Kind::Missing if incomplete => self.faults.has(FaultId::IncompleteMessageAccepted),
            Kind::Missing if self.operation == Operation::GetTask => self.faults.has(FaultId::GetMissingIdAccepted),
            Kind::Missing if field == "message" => self.faults.has(FaultId::SendEmptyAccepted),
            Kind::Range if field == "message.role" => self.faults.has(FaultId::UnknownRoleAccepted),
            Kind::Range if field.ends_with("historyLength") => self.faults.has(FaultId::HistoryNegativeAccepted),
            Kind::Missing | Kind::Range | Kind::Unknown => false,
        }
    }

    pub(super) fn finish(self) -> Result<(), Unfit> {
        let mut violations = self.violations.take();
        if self.faults.has(FaultId::CrashOnWrongTypes) && violations.iter().any(|v| v.kind == Kind::Type) {
            return Err(Unfit::Crash);
        }
        violations.retain(|violation| !self.forgives(violation));
        if violations.is_empty() {
            return Ok(());
        }
        let fields = violations.into_iter().map(|violation| (violation.field, violation.description)).collect();
        Err(Unfit::Refused(Refusal::invalid_fields(fields)))
    }

    /// Of an operation that names a task: its id and the history length.
    pub(super) fn task(self, known: &[&str]) -> Result<(String, Option<usize>), Unfit> {
        let root = self.root(known);
        let (id, history) = (root.required("id"), root.history());
        self.finish()?;
        Ok((id, history))
    }

    /// Of CancelTask: the id and the metadata.
    pub(super) fn cancel(self) -> Result<(String, Option<Value>), Unfit> {
        let root = self.root(&["tenant", "id", "metadata"]);
        let (id, metadata) = (root.required("id"), root.metadata());
        self.finish()?;
        Ok((id, metadata))
    }

    pub(super) fn list(self) -> Result<ListParams, Unfit> {
        let root = self.root(&[
            "tenant",
            "contextId",
            "status",
            "pageSize",
            "pageToken",
            "historyLength",
            "statusTimestampAfter",
            "includeArtifacts",
        ]);
        let state = root.get("status").and_then(|value| {
            let state = value.as_str().and_then(|name| V1_0.state(name));
            if state.is_none() {
                let kind = if value.is_string() { Kind::Range } else { Kind::Type };
                self.note("status", kind, "must be the name of a state");
            }
            // The placeholder is the proto's default, and so it is no filter.
            state.filter(|state| *state != TaskState::Unspecified)
        });
        let page_size = root.integer("pageSize").unwrap_or(50);
        if !(1..=100).contains(&page_size) {
            self.note("pageSize", Kind::Range, "must be from 1 to 100");
        }
        let since = root.text("statusTimestampAfter").and_then(|text| {
            let parsed = timestamp::parse(&text);
            if parsed.is_none() {
                self.note("statusTimestampAfter", Kind::Range, "must be a timestamp such as 2026-02-03T04:05:06.789Z");
            }
            parsed.map(|(seconds, nanos)| i128::from(seconds) * 1_000_000_000 + i128::from(nanos))
        });
        let read = ListParams {
            context: root.text("contextId"),
            state,
            page_size: usize::try_from(page_size).unwrap_or(50),
            page_token: root.text("pageToken"),
            history: root.history(),
            since,
            artifacts: root.flag("includeArtifacts"),
        };
        self.finish()?;
        Ok(read)
    }

    /// Of the push config operations: the task, the config's id if it is there, and the config without either.
    pub(super) fn push(self, required: &[&str]) -> Result<(String, Option<String>, Value), Unfit> {
        let known = ["tenant", "taskId", "id", "url", "token", "authentication", "pageSize", "pageToken"];
        let root = self.root(&known);
        let (task, id) = (root.required("taskId"), root.text("id"));
        let mut config = json!({});
        for name in ["url", "token"] {
            set(&mut config, name, root.text(name));
        }
        set(&mut config, "authentication", root.object("authentication").and_then(|fields| fields.map.cloned()));
        for name in required {
            root.required(name);
        }
        self.finish()?;
        Ok((task, id, config))
    }

    /// Of an operation that needs nothing.
    pub(super) fn nothing(self) -> Result<(), Unfit> {
        self.root(&["tenant"]).text("tenant");
        self.finish()
    }
}

impl<'a, 'p> Fields<'a, 'p> {
    pub(super) fn place(&self, name: &str) -> String {
        if self.at.is_empty() { name.to_owned() } else { format!("{}.{name}", self.at) }
    }

    /// The member under its name, or under the proto's: ProtoJSON readers take both.
    pub(super) fn get(&self, name: &str) -> Option<&'a Value> {
        let map = self.map?;
        map.get(name).or_else(|| map.get(&snake_case(name))).filter(|value| !value.is_null())
    }

    pub(super) fn known(&self, known: &[&str]) {
        if self.params.faults.has(FaultId::UnknownFieldsRefused) {
            let names = self.map.into_iter().flat_map(Map::keys);
            for name in names.filter(|name| !known.iter().any(|k| k == name || snake_case(k) == **name)) {
                self.params.note(self.place(name), Kind::Unknown, "is not a known member");
            }
        }
    }

    pub(super) fn missing(&self, name: &str) {
        if self.map.is_none() && self.params.are_given() {
            // They are no object, which has been noted.
            return;
        }
        self.params.note(self.place(name), Kind::Missing, "is required");
    }

    /// The member as `read` takes it; a violation if it is there and `read` does not take it.
    pub(super) fn typed<T>(&self, name: &str, wanted: &str, read: impl Fn(&'a Value) -> Option<T>) -> Option<T> {
        let value = self.get(name)?;
        let typed = read(value);
        if typed.is_none() {
            self.params.note(self.place(name), Kind::Type, format!("must be {wanted} and is {}", type_name(value)));
        }
        typed
    }

    /// A text; an empty one is the proto's default and so absent.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.typed(name, "a string", |value| value.as_str().map(str::to_owned)).filter(|text| !text.is_empty())
    }

    pub(super) fn required(&self, name: &str) -> String {
        if self.get(name).is_none_or(|value| value.as_str() == Some("")) {
            self.missing(name);
        }
        self.text(name).unwrap_or_default()
    }

    pub(super) fn flag(&self, name: &str) -> bool {
        self.typed(name, "a boolean", Value::as_bool).unwrap_or_default()
    }

    fn integer(&self, name: &str) -> Option<i64> {
        self.typed(name, "an integer", Value::as_i64)
    }

    pub(super) fn history(&self) -> Option<usize> {
        let length = self.integer("historyLength")?;
        if length < 0 {
            self.params.note(self.place("historyLength"), Kind::Range, "must not be negative");
        }
        Some(usize::try_from(length).unwrap_or(0))
    }

    pub(super) fn object(&self, name: &str) -> Option<Self> {
        let map = self.typed(name, "an object", Value::as_object)?;
        Some(Self { params: self.params, map: Some(map), at: self.place(name) })
    }

    pub(super) fn metadata(&self) -> Option<Value> {
        self.object("metadata").and_then(|fields| fields.map.cloned()).map(Value::Object)
    }

    pub(super) fn texts(&self, name: &str) -> Option<Vec<String>> {
        self.typed(name, "a list of strings", |value| {
            value.as_array()?.iter().map(|entry| entry.as_str().map(str::to_owned)).collect()
        })
    }
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
