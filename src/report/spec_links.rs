//! Links into the published specification, section by section, and the releases by which each version is judged. Facts only:
//! headings' anchors, no text of the specification.

/// Where it is published.
const SITE: &str = "https://a2a-protocol.org/";

/// Whether a link in a file leads into the published specification and nowhere else, as ours do.
pub(super) fn leads_to_specification(url: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/#%".contains(&byte);
    url.strip_prefix(SITE).is_some_and(|rest| rest.bytes().all(is_plain))
}

/// The link to a section as the requirement table writes it: `9.5`, `4.4.1, 5.7` (the first counts), `A.2.1`,
/// `topics life-of-a-task`, `proto ListTasksRequest`.
///
/// A section without a known anchor leads to the page; `None` where there is no text to show: an unknown version, or a
/// citation in brackets such as `(not in spec)`.
#[must_use]
pub fn spec_url(version: &str, section: &str) -> Option<String> {
    let site = VERSIONS.iter().find(|(known, _)| *known == version).map(|(_, site)| *site)?;
    let first = section.split([',', ';']).next().unwrap_or_default().trim();
    if first.is_empty() || first.starts_with('(') {
        return None;
    }
    let base = format!("{SITE}{site}");
    let mut words = first.split_whitespace();
    let (word, next) = (words.next().unwrap_or_default(), words.next());
    match (word, next) {
        ("topics", Some(topic)) if topic.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-') => {
            Some(format!("{base}/topics/{topic}/"))
        }
        ("proto", _) if site == CURRENT => Some(format!("{base}/definitions/")),
        _ => Some(match anchor(version, word) {
            Some(anchor) => format!("{base}/specification/#{anchor}"),
            None => format!("{base}/specification/"),
        }),
    }
}

/// Every section that a citation names, with its link: `A2A 1.0 §8.2` and `A2A 1.0 §14.3` for `8.2, 14.3`. Empty where there is
/// no text to show.
#[must_use]
pub fn sections(version: &str, cited: &str) -> Vec<(String, String)> {
    let named = cited.split([',', ';']).map(str::trim).filter(|section| !section.is_empty());
    named.filter_map(|section| Some((format!("A2A {version} §{section}"), spec_url(version, section)?))).collect()
}

const CURRENT: &str = "v1.0.1";

/// Where each version is published: its last release, by which it is judged, and never `latest`, which is a draft of the
/// next one.
const VERSIONS: [(&str, &str); 4] = [("1.0", CURRENT), ("0.3", "v0.3.0"), ("0.2", "v0.2.6"), ("0.1", "v0.1.0")];

/// A version that this program knows, by its name.
pub(super) fn version(name: &str) -> Option<&'static str> {
    VERSIONS.iter().map(|(version, _)| *version).find(|version| *version == name)
}

/// The releases of the specification by which is judged, newest first: `v1.0.1`.
pub(super) fn releases() -> impl Iterator<Item = &'static str> {
    VERSIONS.iter().map(|(_, release)| *release)
}

/// The anchor of a section, or of the nearest one around it: the number without dots, and the heading (`95-error-handling`).
fn anchor(version: &str, section: &str) -> Option<String> {
    let mut section = section;
    loop {
        if let Some(heading) = heading(version, section) {
            return Some(format!("{}-{heading}", section.replace('.', "").to_ascii_lowercase()));
        }
        section = section.rsplit_once('.')?.0;
    }
}

/// The heading of a section that the requirement table cites.
fn heading(version: &str, section: &str) -> Option<&'static str> {
    let minor = version.strip_prefix("0.");
    let mut lines = if minor.is_some() { OLDER_SECTIONS } else { SECTIONS }.lines();
    lines.find_map(|line| {
        let line = match minor {
            Some(minor) => line.split_once(' ').filter(|(minors, _)| minors.contains(minor))?.1,
            None => line,
        };
        line.split_once(' ').filter(|(number, _)| *number == section).map(|(_, heading)| heading)
    })
}

/// The sections of 1.0 that the requirement table cites, a line each, with their headings as mkdocs writes them.
const SECTIONS: &str = "\
3.1 core-operations
3.1.1 send-message
3.1.2 send-streaming-message
3.1.3 get-task
3.1.4 list-tasks
3.1.5 cancel-task
3.1.6 subscribe-to-task
3.1.7 create-push-notification-config
3.1.8 get-push-notification-config
3.1.9 list-push-notification-configs
3.1.10 delete-push-notification-config
3.1.11 get-extended-agent-card
3.2.2 sendmessageconfiguration
3.2.3 stream-response
3.2.4 history-length-semantics
3.2.5 metadata
3.2.6 service-parameters
3.3.1 idempotency
3.3.2 error-handling
3.3.4 capability-validation
3.4 multi-turn-interactions
3.4.1 context-identifier-semantics
3.4.2 task-identifier-semantics
3.4.3 multi-turn-conversation-patterns
3.5.2 streaming-event-delivery
3.6 versioning
3.6.1 client-responsibilities
3.6.2 server-responsibilities
3.7 messages-and-artifacts
4.1.1 task
4.1.2 taskstatus
4.1.3 taskstate
4.1.4 message
4.1.5 role
4.1.6 part
4.1.7 artifact
4.2 streaming-events
4.2.1 taskstatusupdateevent
4.2.2 taskartifactupdateevent
4.3.1 pushnotificationconfig
4.3.3 push-notification-payload
4.4.1 agentcard
4.4.2 agentprovider
4.4.3 agentcapabilities
4.4.4 agentextension
4.4.5 agentskill
4.4.6 agentinterface
4.4.7 agentcardsignature
4.5.1 securityscheme
4.5.2 apikeysecurityscheme
4.5.3 httpauthsecurityscheme
4.5.4 oauth2securityscheme
4.5.5 openidconnectsecurityscheme
4.5.7 oauthflows
4.5.8 authorizationcodeoauthflow
4.5.9 clientcredentialsoauthflow
4.5.10 devicecodeoauthflow
4.6.1 extension-declaration
4.6.3 extension-versioning-and-compatibility
5.1 functional-equivalence-requirements
5.2 protocol-selection-and-negotiation
5.3 method-mapping-reference
5.4 error-code-mappings
5.5 json-field-naming-convention
5.6.1 timestamps
5.7 field-presence-and-optionality
5.8 custom-binding-identification
6.5 task-listing-and-management
7.1 protocol-security
7.3 client-authentication-process
7.4 server-authentication-responsibilities
7.6.1 in-task-authorization-agent-responsibilities
8.1 purpose
8.2 discovery-mechanisms
8.3 protocol-declaration-requirements
8.3.1 supported-interfaces-declaration
8.3.2 client-protocol-selection
8.4.1 canonicalization-requirements
8.4.2 signature-format
8.4.3 signature-verification
8.5 sample-agent-card
8.6 caching
8.6.1 server-requirements
9.1 protocol-requirements
9.2 service-parameter-transmission
9.3 base-request-structure
9.4 core-methods
9.4.1 sendmessage
9.4.2 sendstreamingmessage
9.4.3 gettask
9.4.4 listtasks
9.4.6 subscribetotask
9.4.8 getextendedagentcard
9.5 error-handling
10.1 protocol-requirements
10.2 service-parameter-transmission
10.3 service-definition
10.4 core-methods
10.4.2 sendstreamingmessage
10.4.6 subscribetotask
10.4.7 createtaskpushnotificationconfig
10.4.10 deletetaskpushnotificationconfig
10.6 error-handling
10.7 streaming
11.1 protocol-requirements
11.2 service-parameter-transmission
11.3 url-patterns-and-http-methods
11.3.2 task-operations
11.4 requestresponse-format
11.5 query-parameter-naming-for-request-parameters
11.6 error-handling
11.7 streaming
12.7 agent-card-declaration
13.1 data-access-and-authorization-scoping
13.2 push-notification-security
13.3 extended-agent-card-access-control
13.4 general-security-best-practices
14.1 media-type-registration
14.1.1 applicationa2ajson
14.3 well-known-uri-registration
A.2.1 breaking-change-kind-discriminator-removed
A.2.2 breaking-change-extended-agent-card-field-relocated
";

/// The same of the older versions: before the number stand the versions with that section, `23` for 0.2 and 0.3.
const OLDER_SECTIONS: &str = "\
3 3.1 transport-layer-requirements
12 3.1 transport-protocol
12 3.2 data-format
3 3.2.1 json-rpc-20-transport
3 3.2.2 grpc-transport
3 3.2.3 httpjsonrest-transport
123 3.3 streaming-transport-server-sent-events
3 3.3.2 grpc-streaming
3 3.3.1 json-rpc-20-streaming
3 3.3.3 httpjsonrest-streaming
3 3.4.1 functional-equivalence-requirements
3 3.5.6 method-mapping-reference-table
12 4.1 transport-security
123 4.3 clientuser-identity-authentication-process
123 4.4 server-responsibilities-for-authentication
23 4.5 in-task-authentication-secondary-credentials
123 4.6 authorization
123 5.1 purpose
123 5.3 recommended-location
123 5.4 security-of-agent-cards
123 5.5 agentcard-object-structure
123 5.5.1 agentprovider-object
123 5.5.2 agentcapabilities-object
23 5.5.2.1 agentextension-object
1 5.5.3 agentauthentication-object
23 5.5.3 securityscheme-object
123 5.5.4 agentskill-object
23 5.5.5 agentinterface-object
3 5.5.6 agentcardsignature-object
3 5.6.1 main-url-and-preferred-transport
3 5.6.2 additional-interfaces
3 5.6.4 validation-requirements
123 6.1 task-object
123 6.2 taskstatus-object
123 6.3 taskstate-enum
123 6.4 message-object
123 6.5 part-union-type
23 6.6.1 filewithbytes-object
123 6.7 artifact-object
123 6.11.1 jsonrpcrequest-object
123 6.11.2 jsonrpcresponse-object
123 6.12 jsonrpcerror-object
123 7 protocol-rpc-methods
23 7.1 messagesend
1 7.1 taskssend
23 7.1.1 messagesendparams-object
1 7.1.1 tasksendparams-object
23 7.2 messagestream
1 7.2 taskssendsubscribe
23 7.2.1 sendstreamingmessageresponse-object
1 7.2.1 sendtaskstreamingresponse-object
123 7.2.2 taskstatusupdateevent-object
23 7.2.3 taskartifactupdateevent-object
123 7.3 tasksget
123 7.3.1 taskqueryparams-object
123 7.4 taskscancel
23 7.5 taskspushnotificationconfigset
1 7.5 taskspushnotificationset
23 7.6 taskspushnotificationconfigget
23 7.7 taskspushnotificationconfiglist
1 7.7 tasksresubscribe
23 7.8 taskspushnotificationconfigdelete
23 7.9 tasksresubscribe
2 7.10 agentauthenticatedextendedcard
3 7.10 agentgetauthenticatedextendedcard
123 8.1 standard-json-rpc-errors
123 8.2 a2a-specific-errors
23 9.4 multi-turn-interaction-input-required
1 9.4 push-notification-setup-and-usage
23 9.5 push-notification-setup-and-usage
123 10.2 security-considerations-summary
3 11.1.2 core-method-implementation
";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::requirement::known;

    /// The anchors of the numbered headings on the specification's page, as published with each release.
    const PUBLISHED: &str = include_str!("../../docs/spec-anchors.txt");

    #[test]
    fn a_link_of_a_file_leads_to_the_specification_or_is_none() {
        for section in ["9.5", "proto Task", "topics life-of-a-task", "nothing"] {
            assert!(leads_to_specification(&spec_url("1.0", section).unwrap()));
        }
        for other in
            ["javascript:alert(1)", "https://a2a-protocol.org.evil.example/", "https://a2a-protocol.org/) ![](http://h"]
        {
            assert!(!leads_to_specification(other), "{other}");
        }
    }

    #[test]
    fn every_section_that_a_requirement_cites_leads_to_its_heading_on_the_published_page() {
        let mut linked = 0;
        for (version, release) in VERSIONS {
            for requirement in known() {
                let Some(section) = requirement.section(version) else { continue };
                let url = spec_url(version, section);
                if !section.starts_with(|c: char| c.is_ascii_digit() || c == 'A') {
                    let elsewhere = ["(", "proto ", "topics "].iter().any(|start| section.starts_with(start));
                    assert!(elsewhere && url.is_none_or(|url| !url.contains('#')), "{section}");
                    continue;
                }
                let cited = section.split([',', ';', ' ']).next().unwrap_or_default();
                let number = cited.replace('.', "").to_ascii_lowercase();
                let url = url.unwrap_or_default();
                let page = format!("https://a2a-protocol.org/{release}/specification/#");
                let anchor = url.strip_prefix(&page).unwrap_or_else(|| panic!("{version} §{section} leads to {url}"));
                assert_eq!(anchor.split('-').next(), Some(number.as_str()), "{version} §{section}");
                assert!(
                    PUBLISHED.lines().any(|line| line == format!("{release} {anchor}")),
                    "{release} has no {anchor}"
                );
                linked += 1;
            }
        }
        assert!(linked > 500, "{linked}");
    }

    #[test]
    fn every_known_section_is_on_the_published_page() {
        let older = OLDER_SECTIONS.lines().flat_map(|line| {
            let (minors, section) = line.split_once(' ').unwrap();
            minors.chars().map(move |minor| (format!("0.{minor}"), section))
        });
        for (version, section) in SECTIONS.lines().map(|section| ("1.0".to_owned(), section)).chain(older) {
            let (number, _) = section.split_once(' ').unwrap();
            let (_, release) = VERSIONS.iter().find(|(known, _)| *known == version).unwrap();
            let anchor = anchor(&version, number).unwrap();
            assert!(PUBLISHED.lines().any(|line| line == format!("{release} {anchor}")), "{release} has no {anchor}");
        }
    }

    #[test]
    fn the_first_section_of_a_citation_is_linked() {
        for (version, section, expected) in [
            ("1.0", "9.5", Some("v1.0.1/specification/#95-error-handling")),
            ("1.0", "4.4.1, 5.7", Some("v1.0.1/specification/#441-agentcard")),
            ("1.0", "9.5 (SHOULD since 1.0.1, MUST in 1.0.0)", Some("v1.0.1/specification/#95-error-handling")),
            ("1.0", "A.2.1, 4.2.1", Some("v1.0.1/specification/#a21-breaking-change-kind-discriminator-removed")),
            ("1.0", "9.5.77", Some("v1.0.1/specification/#95-error-handling")),
            ("1.0", "99", Some("v1.0.1/specification/")),
            ("1.0", "topics extensions", Some("v1.0.1/topics/extensions/")),
            ("1.0", "proto ListTasksRequest; 6.5 (example)", Some("v1.0.1/definitions/")),
            ("1.0", "(not in spec; needed by 3.6.1)", None),
            ("1.0", "", None),
            ("0.3", "7.10, 3.5.6", Some("v0.3.0/specification/#710-agentgetauthenticatedextendedcard")),
            ("0.3", "9.9", Some("v0.3.0/specification/")),
            ("0.2", "7.1", Some("v0.2.6/specification/#71-messagesend")),
            ("0.2", "3.2.1", Some("v0.2.6/specification/#32-data-format")),
            ("0.1", "7.1", Some("v0.1.0/specification/#71-taskssend")),
            ("0.1", "5.5.5", Some("v0.1.0/specification/#55-agentcard-object-structure")),
            ("7.0", "9.5", None),
        ] {
            let expected = expected.map(|path| format!("https://a2a-protocol.org/{path}"));
            assert_eq!(spec_url(version, section), expected, "{version} {section}");
        }
    }
}
