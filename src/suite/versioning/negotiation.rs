//! Calls that name a version that nobody has, none at all, or the declared one with a patch number: whether the agent refuses,
//! falls back or takes them.

use crate::a2a::binding::jsonrpc::JSONRPC;
use crate::a2a::binding::{Call, ReplyKind, VersionSelection};
use crate::a2a::model::ErrorName;
use crate::engine::prelude::{Check, Driver, Judged, Scenario, Transcript, Verdict};
use crate::suite::transport::repeat_working_call;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "versions",
    title: "Request other versions",
    after: &["probe"],
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

/// The version of a call without the header (1.0 §3.6.2).
const WITHOUT_HEADER: &str = "0.3";

const CHECKS: &[Check] = &[
    Check {
        id: "version.unsupported",
        title: "An unsupported version returns VersionNotSupportedError",
        why: "A client of a later version would misread 1.0 responses.",
        fix: "Compare A2A-Version with the versions that the interface declares, and return -32009 \
              (VersionNotSupportedError) for others.",
        requirements: &["version.unsupported", "version.grpc-metadata", "grpc.metadata"],
        judge: unsupported,
        ..Check::tripped_by(&["version-ignored", "grpc-metadata-ignored"])
    },
    Check {
        id: "version.empty-is-03",
        title: "A call without a version is not treated as 1.0",
        why: "A call without the header is a 0.3 call; a 1.0 response breaks 0.3 clients.",
        fix: "Treat a missing A2A-Version as 0.3, and return -32009 when the interface does not serve 0.3.",
        advisory: Some("many servers are lenient here on purpose, and no 1.0 client is harmed"),
        judge: absent,
        ..Check::tripped_by(&["version-absent-accepted"])
    },
    Check {
        id: "version.patch-ignored",
        title: "Patch numbers are ignored",
        why: "Patch releases do not change the messages exchanged.",
        fix: "Compare only the major and minor number of A2A-Version.",
        judge: patch,
        ..Check::tripped_by(&["version-patch-refused"])
    },
];

async fn drive(d: &Driver) {
    let asked = [
        ("unsupported", VersionSelection::Other("99.0".to_owned())),
        ("absent", VersionSelection::Absent),
        ("patch", VersionSelection::Other(format!("{}.7", d.version()))),
    ];
    let calls = asked.into_iter().filter_map(|(name, version)| {
        let call = repeat_working_call(d)?;
        Some(d.call(name, Call { version, ..call }))
    });
    d.together(calls.collect::<Vec<_>>()).await;
}

fn unsupported(t: &Transcript) -> Judged {
    t.refused_as("unsupported", "A2A-Version: 99.0", &[ErrorName::VersionNotSupported])
}

fn absent(t: &Transcript) -> Judged {
    let serves_it =
        t.facts.declares(|card| card.interfaces.iter().any(|interface| interface.version.starts_with(WITHOUT_HEADER)));
    if t.facts.without_card {
        return Err(Verdict::not_applicable("there is no card, so the agent may serve 0.3 as well"));
    }
    // Where methods have the same name in both versions, or another address, the call may be one of 0.3.
    let has_methods = t.lane.as_ref().is_some_and(|lane| lane.binding.id == JSONRPC.id);
    if serves_it && !has_methods {
        return Err(Verdict::not_applicable("the agent declares 0.3 as well"));
    }
    let step = t.answered("absent")?;
    let id = step.exchange.id;
    match &step.reply.kind {
        // T-VER-2: the refusal may come from the version check or from the dispatcher.
        ReplyKind::Error(error) if error.is(ErrorName::VersionNotSupported) || error.is(ErrorName::MethodNotFound) => {
            Ok(step.pass())
        }
        other => {
            let code = t.lane.as_ref().map(|lane| lane.error_code(ErrorName::VersionNotSupported)).unwrap_or_default();
            let expected = format!("VersionNotSupportedError ({code}) for a call without A2A-Version");
            Ok(Verdict::not_refused(id, expected, other.describe()))
        }
    }
}

fn patch(t: &Transcript) -> Judged {
    let step = t.answered("patch")?;
    match &step.reply.kind {
        ReplyKind::Error(error) if error.name == Some(ErrorName::VersionNotSupported) => {
            Ok(step.fail("the same response as with the declared version", error.describe()).at(&error.at))
        }
        ReplyKind::Error(_) | ReplyKind::Result(_) => Ok(step.pass()),
        other => Err(step.blocked(format!("the call was answered with {}", other.describe()))),
    }
}
