//! The changes that an agent on an old version needs for the next one. Methods, routes, states, errors and headers are
//! compared in the tables of the two dialects; changes of form are a list of sentences.

use super::transcript::Lane;
use crate::a2a::dialect::{DIALECTS, Dialect};

/// The steps from one version to the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upgrade {
    /// The version that the agent speaks: `0.3`.
    pub from: String,
    /// The next one.
    pub to: String,
    /// The changes.
    pub changes: Vec<UpgradeChange>,
}

/// One change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpgradeChange {
    /// The instruction, in a sentence.
    pub what: String,
    /// The section of the next version's specification: `1.0 §5.3`.
    pub section: String,
}

/// Where a version's specification has its tables.
struct SpecSections {
    version: &'static str,
    methods: &'static str,
    routes: &'static str,
    states: &'static str,
    errors: &'static str,
    header: &'static str,
    /// Changes that are not in the tables: sentence and section.
    forms: &'static [(&'static str, &'static str)],
}

const SPEC_SECTIONS: &[SpecSections] = &[
    SpecSections {
        version: "1.0",
        methods: "5.3",
        routes: "11.3",
        states: "4.1.3, 5.5",
        errors: "5.4",
        header: "3.6.1",
        forms: &[
            (
                "In the card, list every endpoint in supportedInterfaces with url, protocolBinding and \
                 protocolVersion; the top-level url, preferredTransport, additionalInterfaces and protocolVersion no \
                 longer exist.",
                "4.4.1, 4.4.6",
            ),
            (
                "Write security schemes as objects with one member (httpAuthSecurityScheme, apiKeySecurityScheme, \
                 ...), and security as securityRequirements.",
                "4.5",
            ),
            ("Declare the extended card as capabilities.extendedAgentCard.", "A.2.2"),
            (
                "Remove kind everywhere, because the member's name identifies the object. Return {\"task\"} or \
                 {\"message\"} from a send, and stream {\"task\"}, {\"message\"}, {\"statusUpdate\"} and \
                 {\"artifactUpdate\"}.",
                "A.2.1, 3.2.3",
            ),
            (
                "Write parts as {\"text\"}, {\"data\"}, {\"raw\"} or {\"url\"}, with filename and mediaType beside \
                 them instead of name and mimeType inside file.",
                "4.1.6",
            ),
            (
                "Remove final from status updates, because the end of the stream marks the end of the task.",
                "3.1.2, 4.2.1",
            ),
            ("Wait for the task unless a send sets returnImmediately, which replaces blocking.", "3.2.2"),
            (
                "Begin every stream with the task or a message, and refuse to subscribe to finished tasks.",
                "3.1.2, 3.1.6",
            ),
            (
                "Make push notification configs flat, with the task's id in taskId and one authentication scheme, and \
                 return lists as {\"configs\"}.",
                "4.3.1, 3.1.9",
            ),
            (
                "Write roles as ROLE_USER and ROLE_AGENT, and timestamps in UTC with a Z and milliseconds.",
                "4.1.5, 5.6.1",
            ),
            ("Add google.rpc.ErrorInfo with a reason to the details of the protocol's own errors.", "9.5, 11.6"),
        ],
    },
    SpecSections {
        version: "0.3",
        methods: "3.5.6",
        routes: "3.5.3",
        states: "6.3",
        errors: "8.2",
        header: "",
        forms: &[
            ("Serve the card at /.well-known/agent-card.json too.", "5.3"),
            ("Set protocolVersion to 0.3.0 and preferredTransport to the transport at url.", "5.5, 5.6.1"),
            ("If there are several interfaces, list url with its transport among additionalInterfaces too.", "5.6.2"),
        ],
    },
    SpecSections {
        version: "0.2",
        methods: "7",
        routes: "",
        states: "6.3",
        errors: "8.2",
        header: "",
        forms: &[
            (
                "Give the card protocolVersion, description, defaultInputModes and defaultOutputModes, and each skill \
                 a description and tags.",
                "5.5, 5.5.4",
            ),
            ("Write authentication as securitySchemes and security, in the form that OpenAPI uses.", "5.5, 5.5.3"),
            (
                "Generate task ids yourself: a message without a taskId may start a task. contextId replaces \
                 sessionId, and you generate it when the client sends none.",
                "6.1, 6.4",
            ),
            ("Return a task or a message from a send.", "7.1"),
            (
                "Tag tasks, messages, events and parts with kind (task, message, status-update, artifact-update, \
                 text, file, data) instead of tagging parts with type.",
                "6.1, 6.4, 6.5, 7.2",
            ),
            (
                "Give messages a messageId and artifacts an artifactId; append and lastChunk belong to the event.",
                "6.4, 6.7, 7.2.3",
            ),
        ],
    },
];

/// The changes that an agent needs for the version after the newest that it speaks. `None` for an agent that speaks
/// the newest there is, or of which no interface could be called.
#[must_use]
pub fn upgrade<'a>(lanes: impl Iterator<Item = &'a Lane>) -> Option<Upgrade> {
    // Dialects are listed newest first.
    let mut newest: Option<(usize, bool)> = None;
    for lane in lanes {
        let place = DIALECTS.iter().position(|known| known.version == lane.dialect.version)?;
        let over_http = lane.binding.slug == "rest";
        newest = match newest {
            Some((best, http)) if best <= place => Some((best, http || (best == place && over_http))),
            _ => Some((place, over_http)),
        };
    }
    let (place, over_http) = newest?;
    let (from, to) = (DIALECTS.get(place)?, DIALECTS.get(place.checked_sub(1)?)?);
    let sections = SPEC_SECTIONS.iter().find(|sections| sections.version == to.version)?;
    Some(Upgrade {
        from: from.version.to_owned(),
        to: to.version.to_owned(),
        changes: changes(from, to, sections, over_http),
    })
}

fn changes(from: &Dialect, to: &Dialect, sections: &SpecSections, over_http: bool) -> Vec<UpgradeChange> {
    let mut changes = Vec::new();
    let mut add = |what: String, section: &str| {
        changes.push(UpgradeChange { what, section: format!("{} §{section}", to.version) });
    };
    let methods = |dialect: &Dialect, operation| dialect.method(operation).map(str::to_owned);
    let names = to.methods.iter().map(|(operation, name)| (methods(from, *operation), (*name).to_owned()));
    add_names(&mut add, names, ("Rename methods", "Add methods"), sections.methods);
    if over_http {
        let route = |dialect: &Dialect, operation| {
            dialect.route(operation).map(|(verb, path)| format!("{} {path}", verb.as_str()))
        };
        let routes = to
            .routes
            .iter()
            .map(|(operation, verb, path)| (route(from, *operation), format!("{} {path}", verb.as_str())));
        add_names(&mut add, routes, ("Move routes", "Add routes"), sections.routes);
    }
    let states = to.states.iter().filter(|(state, name)| to.state_name(*state) == *name).map(|(state, name)| {
        (Some(from.state_name(*state)).filter(|known| !known.is_empty()).map(str::to_owned), (*name).to_owned())
    });
    add_names(&mut add, states, ("Rename states", "Support the new states"), sections.states);
    if let (None, Some(header)) = (from.version_header, to.version_header) {
        let what = format!(
            "Read the {header} header: refuse versions that you do not serve with VersionNotSupportedError, and treat \
             a missing header as 0.3."
        );
        add(what, sections.header);
    }
    let errors = to.error_codes.iter().filter(|(name, _)| from.error_code(*name) == 0);
    let errors: Vec<_> = errors.map(|(name, code)| format!("{} ({code})", name.as_str())).collect();
    if !errors.is_empty() {
        add(format!("Use the new errors where they apply: {}.", errors.join(", ")), sections.errors);
    }
    for (what, section) in sections.forms {
        add((*what).to_owned(), section);
    }
    changes
}

/// Adds the names that changed and those that are new.
fn add_names(
    add: &mut dyn FnMut(String, &str),
    names: impl Iterator<Item = (Option<String>, String)>,
    (rename, new): (&str, &str),
    section: &str,
) {
    let (mut renamed, mut added) = (Vec::new(), Vec::new());
    for (before, after) in names {
        match before {
            Some(before) if before == after => {}
            Some(before) => renamed.push(format!("{before} to {after}")),
            None => added.push(after),
        }
    }
    for (what, list) in [(rename, renamed), (new, added)] {
        if !list.is_empty() {
            add(format!("{what}: {}.", list.join(", ")), section);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::a2a::binding::Binding;
    use crate::a2a::model::Card;
    use crate::a2a::model::Interface;
    use crate::engine::discover::lanes;

    fn agent(interfaces: &[(&str, &str)]) -> Option<Upgrade> {
        let interface = |(binding, version): &(&str, &str)| Interface {
            url: "https://a.test/".to_owned() + binding,
            binding: (*binding).to_owned(),
            version: (*version).to_owned(),
            ..Interface::default()
        };
        assert!(interfaces.iter().all(|(binding, _)| Binding::named(binding).is_some()));
        let card = Card { interfaces: interfaces.iter().map(interface).collect(), ..Card::default() };
        upgrade(lanes(&card).0.iter().map(|lane| &**lane))
    }

    fn says(upgrade: &Upgrade, words: &str) -> bool {
        upgrade.changes.iter().any(|change| change.what.contains(words))
    }

    #[test]
    fn an_agent_of_the_newest_version_has_nothing_to_change() {
        assert_eq!(agent(&[("JSONRPC", "1.0")]), None);
        assert_eq!(agent(&[("JSONRPC", "0.3"), ("HTTP+JSON", "1.0")]), None);
        assert_eq!(agent(&[]), None);
    }

    #[test]
    fn names_that_changed_come_from_the_tables_of_two_versions() {
        let upgrade = agent(&[("JSONRPC", "0.3")]).unwrap();
        assert_eq!((upgrade.from.as_str(), upgrade.to.as_str()), ("0.3", "1.0"));
        assert!(says(&upgrade, "message/send to SendMessage, message/stream to SendStreamingMessage"));
        assert!(says(&upgrade, "Add methods: ListTasks."));
        assert!(says(&upgrade, "input-required to TASK_STATE_INPUT_REQUIRED"));
        assert!(says(&upgrade, "VersionNotSupportedError (-32009)"));
        assert!(!says(&upgrade, "Move routes"));
        assert!(upgrade.changes.iter().all(|change| change.section.starts_with("1.0 §") && change.section.len() > 6));

        let upgrade = agent(&[("JSONRPC", "0.3"), ("HTTP+JSON", "0.3")]).unwrap();
        assert!(says(&upgrade, "Move routes: POST /v1/message:send to POST /message:send"));
    }

    #[test]
    fn the_oldest_version_is_upgraded_to_the_one_after_it() {
        let upgrade = agent(&[("JSONRPC", "0.1")]).unwrap();
        assert_eq!((upgrade.from.as_str(), upgrade.to.as_str()), ("0.1", "0.2"));
        assert!(says(&upgrade, "tasks/send to message/send, tasks/sendSubscribe to message/stream"));
        assert!(says(&upgrade, "Support the new states: rejected, auth-required"));
        let upgrade = agent(&[("JSONRPC", "0.2")]).unwrap();
        assert_eq!((upgrade.from.as_str(), upgrade.to.as_str()), ("0.2", "0.3"));
        assert!(says(&upgrade, "/.well-known/agent-card.json"));
    }
}
