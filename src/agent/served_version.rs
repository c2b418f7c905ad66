//! The versions of the protocol that the agent serves: where each is served, and tables of how the objects of older ones differ
//! from 1.0. The operations know the shapes of 1.0 only, and an older version is a value.

use super::json_values::Mutation;
use super::older_shapes::{chunk_flags_into_artifact, nest_config, number_artifacts, schemes_as_list, unwrap_member};
use super::proto_shapes::{config_to_proto, part_to_proto, state_to_proto};
use super::shape::Shape;
use crate::a2a::dialect::v0_1::V0_1;
use crate::a2a::dialect::v0_2::V0_2;
use crate::a2a::dialect::v0_3::V0_3;
use crate::a2a::dialect::v1_0::V1_0;
use crate::a2a::dialect::{Dialect, GrpcService};
use crate::a2a::model::ErrorName;

pub(super) struct ServedVersion {
    pub(super) dialect: &'static Dialect,
    /// None for 1.0.
    pub(super) older: Option<OlderVersion>,
}

/// How an older version differs from 1.0.
pub(super) struct OlderVersion {
    /// The path of its agent, below the base URL.
    pub(super) path: &'static str,
    /// The path of its card, below `path`.
    pub(super) card_path: &'static str,
    /// The path of its extended card below `path`, if that is fetched by GET.
    pub(super) extended_path: &'static str,
    /// The members of its card in place of `supportedInterfaces`.
    pub(super) card: &'static str,
    /// Whether its card has `securitySchemes`; 0.1 names schemes only.
    pub(super) security_schemes: bool,
    /// The member of a part that tells its kind.
    pub(super) part_tag: &'static str,
    /// Whether clients choose the ids of tasks, and every answer is a task.
    pub(super) tasks_only: bool,
    /// Whether it is served over HTTP+JSON.
    pub(super) http: bool,
    /// Whether a finished task can be subscribed to. Where not, a refused stream has an HTTP status of an error, too.
    pub(super) finished_streams: bool,
    /// How its objects differ from those of 1.0.
    pub(super) changes: &'static [(Shape, Mutation)],
    /// How its messages over gRPC differ from those of 1.0.
    pub(super) proto_changes: &'static [(Shape, Mutation)],
}

pub(super) static CURRENT: ServedVersion = ServedVersion { dialect: &V1_0, older: None };

/// 0.3, from which 0.2 differs in a few places.
const OF_0_3: OlderVersion = OlderVersion {
    path: "/0.3",
    card_path: "/.well-known/agent-card.json",
    extended_path: "",
    card: r#"{"protocolVersion":"0.3.0","url":"{base}/0.3/rpc","preferredTransport":"JSONRPC","additionalInterfaces":[{"url":"{base}/0.3/rpc","transport":"JSONRPC"},{"url":"{base}/0.3/rest","transport":"HTTP+JSON"}]}"#,
    security_schemes: true,
    part_tag: "kind",
    tasks_only: false,
    // 0.2.6 §7 describes it method by method.
    http: true,
    // By the comments of the proto.
    finished_streams: true,
    changes: CHANGES_IN_0_3,
    proto_changes: CHANGES_IN_PROTO_OF_0_3,
};

/// The older versions, newest first.
pub(super) static OLDER: [ServedVersion; 3] = [
    ServedVersion { dialect: &V0_3, older: Some(OF_0_3) },
    ServedVersion {
        dialect: &V0_2,
        older: Some(OlderVersion {
            path: "/0.2",
            card_path: "/.well-known/agent.json",
            // 0.2.6 §7.10: beside the endpoint.
            extended_path: "/agent/authenticatedExtendedCard",
            card: r#"{"protocolVersion":"0.2.6","url":"{base}/0.2/rpc","preferredTransport":"JSONRPC","additionalInterfaces":[{"url":"{base}/0.2/rpc","transport":"JSONRPC"},{"url":"{base}/0.2/rest","transport":"HTTP+JSON"}]}"#,
            proto_changes: &[],
            ..OF_0_3
        }),
    },
    ServedVersion {
        dialect: &V0_1,
        older: Some(OlderVersion {
            path: "/0.1",
            card_path: "/.well-known/agent.json",
            extended_path: "",
            card: r#"{"url":"{base}/0.1/rpc"}"#,
            security_schemes: false,
            part_tag: "type",
            tasks_only: true,
            http: false,
            // 0.1 §7.2, §7.7.
            finished_streams: false,
            changes: CHANGES_IN_0_1,
            proto_changes: &[],
        }),
    },
];

/// 0.2 and 0.3 (0.3 §6, §7): objects tell their kind by a member, and most are not wrapped.
const CHANGES_IN_0_3: &[(Shape, Mutation)] = &[
    (Shape::Message, Mutation::Put("/kind", r#""message""#)),
    (Shape::Task, Mutation::Put("/kind", r#""task""#)),
    (Shape::StatusUpdate, Mutation::Put("/kind", r#""status-update""#)),
    (Shape::ArtifactUpdate, Mutation::Put("/kind", r#""artifact-update""#)),
    (Shape::PushConfig, Mutation::Do(nest_config)),
    (Shape::PushConfigs, Mutation::Do(|list| unwrap_member(list, "configs"))),
    (Shape::List, Mutation::Do(|list| unwrap_member(list, "tasks"))),
];

/// The proto of 0.3, whose messages are nearer to those of 1.0 than the objects of its text.
const CHANGES_IN_PROTO_OF_0_3: &[(Shape, Mutation)] = &[
    (Shape::Part, Mutation::Do(part_to_proto)),
    (Shape::Message, Mutation::Rename("parts", "content")),
    (Shape::Message, Mutation::Remove("/referenceTaskIds")),
    (Shape::Status, Mutation::Do(state_to_proto)),
    (Shape::Authentication, Mutation::Do(schemes_as_list)),
    (Shape::PushConfig, Mutation::Do(config_to_proto)),
];

/// 0.1 §6, §7: clients choose the ids of tasks, messages have no ids, and artifacts have numbers.
const CHANGES_IN_0_1: &[(Shape, Mutation)] = &[
    (Shape::Message, Mutation::Remove("/messageId")),
    (Shape::Message, Mutation::Remove("/contextId")),
    (Shape::Message, Mutation::Remove("/taskId")),
    (Shape::Message, Mutation::Remove("/referenceTaskIds")),
    (Shape::Message, Mutation::Remove("/extensions")),
    (Shape::Artifact, Mutation::Remove("/artifactId")),
    (Shape::Artifact, Mutation::Remove("/extensions")),
    (Shape::Task, Mutation::Rename("contextId", "sessionId")),
    (Shape::Task, Mutation::Do(number_artifacts)),
    (Shape::StatusUpdate, Mutation::Rename("taskId", "id")),
    (Shape::StatusUpdate, Mutation::Remove("/contextId")),
    (Shape::ArtifactUpdate, Mutation::Rename("taskId", "id")),
    (Shape::ArtifactUpdate, Mutation::Remove("/contextId")),
    (Shape::ArtifactUpdate, Mutation::Do(chunk_flags_into_artifact)),
    (Shape::PushConfig, Mutation::Remove("/id")),
    (Shape::PushConfig, Mutation::Do(nest_config)),
    (Shape::PushConfig, Mutation::Rename("taskId", "id")),
];

impl ServedVersion {
    /// The version whose gRPC service a path names: `/a2a.v1.A2AService/GetTask`.
    pub(super) fn of_service(path: &str) -> Option<&'static Self> {
        let (before, _) = path.rsplit_once('/')?;
        let service = before.rsplit('/').next()?;
        let is_its = |known: &&'static Self| known.grpc().is_some_and(|known| known.schema.service() == service);
        std::iter::once(&CURRENT).chain(&OLDER).find(is_its)
    }

    pub(super) fn grpc(&self) -> Option<&'static GrpcService> {
        self.dialect.over("GRPC").grpc.as_ref()
    }

    pub(super) fn tasks_only(&self) -> bool {
        self.older.as_ref().is_some_and(|older| older.tasks_only)
    }

    /// Whether the extended card is fetched by GET at this path.
    pub(super) fn serves_extended_card_at(&self, below: &str) -> bool {
        self.older.as_ref().is_some_and(|older| !below.is_empty() && older.extended_path == below)
    }

    /// The header that names extensions, in requests and answers; empty if there is none.
    pub(super) fn extensions_header(&self) -> &'static str {
        self.dialect.extensions_header.unwrap_or_default()
    }

    /// The error of this version for one that it may lack.
    pub(super) fn error(&self, name: ErrorName) -> ErrorName {
        if self.dialect.error_code(name) == 0 { ErrorName::UnsupportedOperation } else { name }
    }
}
