//! Which version a request is in, and whether it is one that the agent serves (1.0 §3.6).

use super::acceptance::Addressed;
use super::fault::FaultId;
use super::rejection::Rejection;
use super::request::{is_endpoint, query_value, route_of};
use super::scripted_agent::ScriptedAgent;
use super::served_version::{CURRENT, OLDER, ServedVersion};
use crate::a2a::model::ErrorName;
use crate::wire::grpc::is_grpc;
use crate::wire::http::Request;
use crate::wire::url::path_of;

impl ScriptedAgent {
    /// Whether a request is one over gRPC, which only a variant of the agent serves.
    pub(super) fn is_grpc(&self, request: &Request) -> bool {
        self.has(FaultId::Grpc) && is_grpc(&request.headers)
    }

    /// The version that a request is in, and its path below the agent of that version.
    pub(super) fn served_version<'a>(&self, request: &'a Request) -> (&'static ServedVersion, &'a str) {
        let path = path_of(&request.url);
        if self.is_grpc(request) {
            return (ServedVersion::of_service(path).unwrap_or(&CURRENT), path);
        }
        let below = self.path_below_base(path);
        for served_version in &OLDER {
            let rest = served_version.older.as_ref().and_then(|older| below.strip_prefix(older.path));
            if let Some(rest) = rest.filter(|rest| rest.starts_with('/')) {
                return (served_version, rest);
            }
        }
        if let Some((agent, rest)) = Addressed::from_path(below) {
            return (agent.served_version(), rest);
        }
        // The routes of 0.3 begin with `/v1`, so their paths tell the version.
        let endpoint = is_endpoint(below) || route_of(below).is_some_and(|route| route.starts_with("/v1/"));
        // 1.0 §3.6.2: no version means 0.3.
        let version = match self.requested_version(request) {
            "" => "0.3",
            version => version,
        };
        let [first, ..] = &OLDER;
        let hybrid = endpoint && self.has(FaultId::Hybrid) && version == first.dialect.version;
        (if hybrid { first } else { &CURRENT }, below)
    }

    /// The version that a request names; empty if it names none.
    fn requested_version<'a>(&self, request: &'a Request) -> &'a str {
        let in_query = || query_value(&request.url, "a2a-version").filter(|_| !self.has(FaultId::VersionQueryIgnored));
        request.headers.get("a2a-version").or_else(in_query).unwrap_or_default().trim()
    }

    /// Refuses a version that is not served. Only the major and minor numbers count, and no version means 0.3 (1.0 §3.6).
    pub(super) fn check_version(&self, served_version: &ServedVersion, request: &Request) -> Result<(), Rejection> {
        let requested = self.requested_version(request);
        if served_version.dialect.version_header.is_none() {
            let refuses = !requested.is_empty() && self.has(FaultId::VersionHeaderRefused);
            let rejection = || Rejection::new(ErrorName::InvalidRequest, "this agent does not support versions");
            return if refuses { Err(rejection()) } else { Ok(()) };
        }
        let patch = requested.strip_prefix(CURRENT.dialect.version);
        let served = if self.has(FaultId::VersionRefused) {
            false
        } else if requested.is_empty() {
            self.has(FaultId::VersionAbsentAccepted)
        } else if self.has(FaultId::VersionPatchRefused) {
            patch == Some("")
        } else {
            patch.is_some_and(|patch| patch.is_empty() || patch.starts_with('.')) || self.has(FaultId::VersionIgnored)
        };
        if served {
            return Ok(());
        }
        let version = if requested.is_empty() { "0.3" } else { requested };
        let message = format!("version {version} is not served here; version {} is", CURRENT.dialect.version);
        Err(Rejection::new(ErrorName::VersionNotSupported, &message).with("version", version))
    }
}
