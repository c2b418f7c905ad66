//! The versions of the protocol that the agent speaks. All of them share the operations, which know the shapes of 1.0 only:
//! an older version is a table of how its objects differ, and where it is reached.

use super::ScriptedAgent;
use super::fault::FaultId;
use super::mutate::{Mutation, Shape};
use super::translate::{artifact_update, nested_config, number_artifacts, one_list};
use super::{path_of, route_of};
use crate::a2a::dialect::Dialect;
use crate::a2a::dialect::v0_1::V0_1;
use crate::a2a::dialect::v0_2::V0_2;
use crate::a2a::dialect::v0_3::V0_3;
use crate::a2a::dialect::v1_0::V1_0;
use crate::a2a::model::ErrorName;
use crate::wire::http::Request;

/// A version as the agent speaks it.
pub(super) struct ServedVersion {
    /// Its names and codes.
    pub(super) dialect: &'static Dialect,
    /// None for 1.0.
    pub(super) older: Option<OlderVersion>,
}

/// What sets an older version apart.
pub(super) struct OlderVersion {
    /// The path of its agent, under that of the 1.0 agent.
    pub(super) path: &'static str,
    /// Where its card is, under that.
    pub(super) card_path: &'static str,
    /// Where the extended card is fetched, under that, if by GET.
    pub(super) extended_path: &'static str,
    /// What its card says in place of `supportedInterfaces`.
    pub(super) card: &'static str,
    /// Whether its card has `securitySchemes`; before, it named schemes only.
    pub(super) schemes: bool,
    /// The member by which kinds of parts are told apart.
    pub(super) tag: &'static str,
    /// Whether clients name tasks, and every answer is a task.
    pub(super) tasks_only: bool,
    /// Whether it speaks HTTP+JSON.
    pub(super) http: bool,
    /// Whether a finished task can be subscribed to; if not, a stream is refused by the HTTP status, too.
    pub(super) finished_streams: bool,
    /// How its objects differ from those of 1.0.
    pub(super) turns: &'static [(Shape, Mutation)],
}

/// 1.0, and thus the shapes that the operations know.
pub(super) static PLAIN: ServedVersion = ServedVersion { dialect: &V1_0, older: None };

/// The others.
pub(super) static OLDER: [ServedVersion; 3] = [
    ServedVersion {
        dialect: &V0_3,
        older: Some(OlderVersion {
            path: "/0.3",
            card_path: "/.well-known/agent-card.json",
            extended_path: "",
            card: r#"{"protocolVersion":"0.3.0","url":"{base}/0.3/rpc","preferredTransport":"JSONRPC","additionalInterfaces":[{"url":"{base}/0.3/rpc","transport":"JSONRPC"},{"url":"{base}/0.3/rest","transport":"HTTP+JSON"}]}"#,
            schemes: true,
            tag: "kind",
            tasks_only: false,
            http: true,
            // The comments of the proto.
            finished_streams: true,
            turns: OF_KINDS,
        }),
    },
    ServedVersion {
        dialect: &V0_2,
        older: Some(OlderVersion {
            path: "/0.2",
            card_path: "/.well-known/agent.json",
            // 0.2.6 §7.10: beside the endpoint.
            extended_path: "/agent/authenticatedExtendedCard",
            card: r#"{"protocolVersion":"0.2.6","url":"{base}/0.2/rpc","preferredTransport":"JSONRPC","additionalInterfaces":[{"url":"{base}/0.2/rpc","transport":"JSONRPC"},{"url":"{base}/0.2/rest","transport":"HTTP+JSON"}]}"#,
            schemes: true,
            tag: "kind",
            tasks_only: false,
            // 0.2.6 §7 describes it method by method.
            http: true,
            finished_streams: true,
            turns: OF_KINDS,
        }),
    },
    ServedVersion {
        dialect: &V0_1,
        older: Some(OlderVersion {
            path: "/0.1",
            card_path: "/.well-known/agent.json",
            extended_path: "",
            card: r#"{"url":"{base}/0.1/rpc"}"#,
            schemes: false,
            tag: "type",
            tasks_only: true,
            http: false,
            // 0.1 §7.2, §7.7.
            finished_streams: false,
            turns: OF_TYPES,
        }),
    },
];

/// 0.3 §6, §7: objects say what they are, and nothing else does.
const OF_KINDS: &[(Shape, Mutation)] = &[
    (Shape::Message, Mutation::Put("/kind", r#""message""#)),
    (Shape::Task, Mutation::Put("/kind", r#""task""#)),
    (Shape::StatusUpdate, Mutation::Put("/kind", r#""status-update""#)),
    (Shape::ArtifactUpdate, Mutation::Put("/kind", r#""artifact-update""#)),
    (Shape::PushConfig, Mutation::Do(nested_config)),
    (Shape::PushConfigs, Mutation::Do(|list| one_list(list, "configs"))),
    (Shape::List, Mutation::Do(|list| one_list(list, "tasks"))),
];

/// 0.1 §6, §7: tasks by their clients' ids, messages without ids, artifacts by number.
const OF_TYPES: &[(Shape, Mutation)] = &[
    (Shape::Message, Mutation::Remove("/messageId")),
    (Shape::Message, Mutation::Remove("/contextId")),
    (Shape::Message, Mutation::Remove("/taskId")),
    (Shape::Message, Mutation::Remove("/referenceTaskIds")),
    (Shape::Message, Mutation::Remove("/extensions")),
    (Shape::Artifact, Mutation::Remove("/artifactId")),
    (Shape::Artifact, Mutation::Remove("/extensions")),
    (Shape::Task, Mutation::Name("contextId", "sessionId")),
    (Shape::Task, Mutation::Do(number_artifacts)),
    (Shape::StatusUpdate, Mutation::Name("taskId", "id")),
    (Shape::StatusUpdate, Mutation::Remove("/contextId")),
    (Shape::ArtifactUpdate, Mutation::Name("taskId", "id")),
    (Shape::ArtifactUpdate, Mutation::Remove("/contextId")),
    (Shape::ArtifactUpdate, Mutation::Do(artifact_update)),
    (Shape::PushConfig, Mutation::Remove("/id")),
    (Shape::PushConfig, Mutation::Do(nested_config)),
    (Shape::PushConfig, Mutation::Name("taskId", "id")),
];

impl ScriptedAgent {
    /// The version that a request is in, and its path under the agent of that version.
    pub(super) fn served_version<'a>(&self, request: &'a Request) -> (&'static ServedVersion, &'a str) {
        let below = self.below(path_of(&request.url));
        for served_version in &OLDER {
            let rest = served_version.older.as_ref().and_then(|older| below.strip_prefix(older.path));
            if let Some(rest) = rest.filter(|rest| rest.starts_with('/')) {
                return (served_version, rest);
            }
        }
        // The routes of 0.3 begin with their version, and so they are told apart by their paths already.
        let endpoint = below == "/rpc" || route_of(below).is_some_and(|route| route.starts_with("/v1/"));
        // 1.0 §3.6.2: no version is 0.3.
        let version = match self.asked_version(request) {
            "" => "0.3",
            version => version,
        };
        let [first, ..] = &OLDER;
        let hybrid = endpoint && self.has(FaultId::Hybrid) && version == first.dialect.version;
        (if hybrid { first } else { &PLAIN }, below)
    }
}

impl ServedVersion {
    /// Whether clients name tasks, and every answer is a task.
    pub(super) fn tasks_only(&self) -> bool {
        self.older.as_ref().is_some_and(|older| older.tasks_only)
    }

    /// Whether the extended card is fetched at this path.
    pub(super) fn extended_at(&self, below: &str) -> bool {
        self.older.as_ref().is_some_and(|older| !below.is_empty() && older.extended_path == below)
    }

    /// The header that names extensions, in requests and answers.
    pub(super) fn extensions_header(&self) -> &'static str {
        self.dialect.extensions_header.unwrap_or_default()
    }

    /// The error that this version has for one that is only newer or only older.
    pub(super) fn error(&self, name: ErrorName) -> ErrorName {
        if self.dialect.error_code(name) == 0 { ErrorName::UnsupportedOperation } else { name }
    }
}
