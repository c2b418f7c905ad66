//! The rules that reading an answer can find kept or broken, and the notes that a reading leaves behind.
//!
//! Decoding never fails. It returns what it could read, and writes down every place where a rule was met or broken;
//! checks over all traffic are made from these notes.

use crate::wire::json::Pointer;
use crate::wire::limits::MOST_DEVIATIONS;

macro_rules! rules {
    ($( $(#[doc = $doc:literal])* $name:ident, )*) => {
        /// A rule about the form of what an agent sends.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Rule { $( $(#[doc = $doc])* $name, )* }

        impl Rule {
            /// Every rule.
            pub const ALL: &'static [Self] = &[$( Self::$name, )*];
        }
    };
}

rules! {
    /// A unary answer has a media type of the binding.
    MediaType,
    /// A body is UTF-8.
    Utf8,
    /// Behind the JSON document of a body there is nothing.
    JsonBody,
    /// An answer over JSON-RPC is a JSON-RPC response at all.
    RpcResponse,
    /// `jsonrpc` is `"2.0"`.
    RpcVersion,
    /// `id` equals the request's id in value and type.
    RpcId,
    /// Exactly one of `result` and `error`.
    ResultXorError,
    /// `error` has an integer `code` and a string `message`.
    ErrorObject,
    /// An error has a non-empty message for people.
    ErrorMessage,
    /// An error code lies in a standard or an A2A range.
    ErrorCodeRange,
    /// `error.data` is an array.
    ErrorDataArray,
    /// Every error detail has `@type`.
    ErrorDetailType,
    /// An error detail is of one of the well-known types.
    ErrorDetailKnown,
    /// An A2A error carries `ErrorInfo`.
    ErrorInfo,
    /// `ErrorInfo.reason` is the name that belongs to the error.
    ErrorReason,
    /// `ErrorInfo.domain` of an A2A error is A2A's.
    ErrorDomain,
    /// An HTTP error has the JSON form of google.rpc.Status.
    StatusBody,
    /// `error.code` is the HTTP status.
    StatusCode,
    /// `error.status` is the canonical name of a gRPC code.
    StatusName,
    /// An A2A error over HTTP carries `ErrorInfo`.
    StatusInfo,
    /// An A2A error has the HTTP status of its row in the table.
    StatusMap,
    /// A send answers exactly one of `task` and `message`.
    SendPayload,
    /// Get and cancel answer the Task itself.
    BareTask,
    /// A Task has a non-empty string `id`.
    TaskId,
    /// A Task has a `status` object with a `state`.
    TaskStatus,
    /// A Task's other members have their types.
    TaskMembers,
    /// A state has one of the version's names.
    TaskState,
    /// No `..._UNSPECIFIED` value.
    Unspecified,
    /// A role has one of the version's names.
    Role,
    /// A message made by the agent has the agent's role.
    AgentRole,
    /// A Message has `messageId` and `parts`.
    MessageMembers,
    /// A message from the agent carries `contextId`.
    MessageContext,
    /// A Part has exactly one content member.
    PartContent,
    /// `raw` is base64.
    PartRaw,
    /// An Artifact has `artifactId` and `parts`.
    Artifact,
    /// `artifactId`s of one task differ.
    ArtifactIds,
    /// A timestamp is ISO 8601 in UTC ending in `Z`.
    Timestamp,
    /// A timestamp has millisecond precision.
    TimestampMillis,
    /// A file has bytes or a URI, not both, and bytes are base64 (0.x).
    PartFile,
    /// No `kind` on 1.0 objects.
    NoKind,
    /// Tasks, messages and events name their kind (0.2, 0.3).
    Kind,
    /// A stream event has exactly one payload member.
    EventPayload,
    /// A status update has `taskId`, `contextId` and `status`.
    StatusEvent,
    /// An artifact update has `taskId`, `contextId` and `artifact`.
    ArtifactEvent,
    /// No `final` or `kind` on 1.0 stream events.
    EventNoLegacy,
    /// Each SSE `data` is one JSON value.
    SseJson,
    /// Each SSE `data` is what the binding puts there: a complete JSON-RPC response, or a bare event.
    SseEnvelope,
    /// The id inside an SSE payload is the id of the request that opened the stream.
    SseId,
    /// The lines of a stream follow the SSE grammar.
    SseFraming,
    /// A task list has its four required members.
    ListMembers,
    /// `nextPageToken` is always a string.
    ListToken,
    /// A push notification config has `id`, `taskId` and `url`.
    PushConfig,
    /// A list of push notification configs is an object with `configs`.
    PushList,
    /// A deletion answers nothing.
    PushDeleted,
    /// Member names are camelCase.
    CamelCase,
    /// An answer over gRPC ends with a status that has a known code.
    GrpcStatus,
    /// A message over gRPC can be read by the definitions of the specification.
    GrpcMessage,
    /// An A2A error over gRPC has the code of its row in the table.
    GrpcErrorCode,
    /// An A2A error over gRPC carries `ErrorInfo`.
    GrpcErrorInfo,
}

/// One place where a rule was broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deviation {
    /// The rule.
    pub rule: Rule,
    /// Where in the document, or an event and where in its data: `event 2: /result/status/state`.
    pub pointer: String,
    /// The value that should be there.
    pub expected: String,
    /// The value that is there.
    pub actual: String,
}

/// The findings of one reading: each rule's number of places looked at, and the places that break one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Notes {
    seen: Vec<RulePlaces>,
    deviations: Vec<Deviation>,
    /// Put before every pointer: which event of a stream is being read.
    prefix: String,
}

/// How many places of a rule were looked at, and how many break it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct RulePlaces {
    rule: Rule,
    seen: u32,
    broken: u32,
}

impl Notes {
    /// From now on the pointers are within this part (`event 2: `).
    pub fn within(&mut self, prefix: impl Into<String>) {
        self.prefix = prefix.into();
    }

    /// One more place where the rule was looked at and holds.
    pub fn holds(&mut self, rule: Rule) {
        self.add(&RulePlaces { rule, seen: 1, broken: 0 });
    }

    fn add(&mut self, places: &RulePlaces) {
        match self.seen.iter_mut().find(|known| known.rule == places.rule) {
            Some(known) => {
                known.seen += places.seen;
                known.broken += places.broken;
            }
            None => self.seen.push(places.clone()),
        }
    }

    /// Whether a place that breaks a rule is kept: it is not one of a great many.
    fn keeps(&self, rule: Rule) -> bool {
        self.breaches(rule) < MOST_DEVIATIONS
    }

    /// A place where the rule is broken.
    pub fn breaks(&mut self, rule: Rule, at: &Pointer, expected: impl Into<String>, actual: impl Into<String>) {
        if self.keeps(rule) {
            let pointer = format!("{}{}", self.prefix, at.as_str());
            self.deviations.push(Deviation { rule, pointer, expected: expected.into(), actual: actual.into() });
        }
        self.add(&RulePlaces { rule, seen: 1, broken: 1 });
    }

    /// Looks at a place: it holds the rule, or breaks it by what was expected there and what there is.
    pub fn judge(&mut self, rule: Rule, holds: bool, at: &Pointer, finding: (impl Into<String>, impl Into<String>)) {
        if holds { self.holds(rule) } else { self.breaks(rule, at, finding.0, finding.1) }
    }

    /// Empty notes about the same part.
    #[must_use]
    pub fn aside(&self) -> Self {
        Self { prefix: self.prefix.clone(), ..Self::default() }
    }

    /// Takes over the notes about the rules that count.
    pub fn absorb(&mut self, other: Self, counts: impl Fn(Rule) -> bool) {
        let deviations = other.deviations.into_iter().filter(|deviation| counts(deviation.rule));
        let kept: Vec<_> = deviations.filter(|deviation| self.keeps(deviation.rule)).collect();
        self.deviations.extend(kept);
        for places in other.seen.iter().filter(|places| counts(places.rule)) {
            self.add(places);
        }
    }

    /// How many places of that rule were looked at.
    #[must_use]
    pub fn seen(&self, rule: Rule) -> u32 {
        self.seen.iter().find(|known| known.rule == rule).map_or(0, |known| known.seen)
    }

    /// How many of them break it.
    #[must_use]
    pub fn breaches(&self, rule: Rule) -> u32 {
        self.seen.iter().find(|known| known.rule == rule).map_or(0, |known| known.broken)
    }

    /// The broken places, in reading order: of each rule the first.
    pub fn deviations(&self) -> impl Iterator<Item = &Deviation> {
        self.deviations.iter()
    }

    /// The first place where that rule is broken.
    #[must_use]
    pub fn broken(&self, rule: Rule) -> Option<&Deviation> {
        self.deviations.iter().find(|deviation| deviation.rule == rule)
    }
}
