//! Links into the published specification: from a section number, as the requirement table cites it, to the page and the
//! heading that mkdocs gives that section. Facts only: headings' anchors, no text of the specification.

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
    let base = format!("https://a2a-protocol.org/{site}");
    let mut words = first.split_whitespace();
    let (word, next) = (words.next().unwrap_or_default(), words.next());
    match (word, next) {
        ("topics", Some(topic)) if topic.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-') => {
            Some(format!("{base}/topics/{topic}/"))
        }
        ("proto", _) if site == CURRENT => Some(format!("{base}/definitions/")),
        _ => Some(match anchor(word).filter(|_| site == CURRENT) {
            Some(anchor) => format!("{base}/specification/#{anchor}"),
            None => format!("{base}/specification/"),
        }),
    }
}

const CURRENT: &str = "latest";

/// Where each version is published, as its own page links them. An older version's sections have numbers of their own,
/// and no anchors are known for them here.
const VERSIONS: [(&str, &str); 4] = [("1.0", CURRENT), ("0.3", "v0.3.0"), ("0.2", "v0.2.6"), ("0.1", "v0.1.0")];

/// The anchor of a section, or of the nearest section around it.
fn anchor(section: &str) -> Option<&'static str> {
    let mut section = section;
    loop {
        if let Some((_, anchor)) = ANCHORS.iter().find(|(known, _)| *known == section) {
            return Some(anchor);
        }
        section = section.rsplit_once('.')?.0;
    }
}

/// The sections of 1.0 that the requirement table cites, with the anchors that mkdocs makes of their headings.
#[rustfmt::skip]
const ANCHORS: &[(&str, &str)] = &[
    ("3.1", "31-core-operations"),
    ("3.1.1", "311-send-message"),
    ("3.1.2", "312-send-streaming-message"),
    ("3.1.3", "313-get-task"),
    ("3.1.4", "314-list-tasks"),
    ("3.1.5", "315-cancel-task"),
    ("3.1.6", "316-subscribe-to-task"),
    ("3.1.7", "317-create-push-notification-config"),
    ("3.1.8", "318-get-push-notification-config"),
    ("3.1.9", "319-list-push-notification-configs"),
    ("3.1.10", "3110-delete-push-notification-config"),
    ("3.1.11", "3111-get-extended-agent-card"),
    ("3.2.2", "322-sendmessageconfiguration"),
    ("3.2.3", "323-stream-response"),
    ("3.2.4", "324-history-length-semantics"),
    ("3.2.5", "325-metadata"),
    ("3.2.6", "326-service-parameters"),
    ("3.3.1", "331-idempotency"),
    ("3.3.2", "332-error-handling"),
    ("3.3.4", "334-capability-validation"),
    ("3.4", "34-multi-turn-interactions"),
    ("3.4.1", "341-context-identifier-semantics"),
    ("3.4.2", "342-task-identifier-semantics"),
    ("3.4.3", "343-multi-turn-conversation-patterns"),
    ("3.5.2", "352-streaming-event-delivery"),
    ("3.6", "36-versioning"),
    ("3.6.1", "361-client-responsibilities"),
    ("3.6.2", "362-server-responsibilities"),
    ("3.7", "37-messages-and-artifacts"),
    ("4.1.1", "411-task"),
    ("4.1.2", "412-taskstatus"),
    ("4.1.3", "413-taskstate"),
    ("4.1.4", "414-message"),
    ("4.1.5", "415-role"),
    ("4.1.6", "416-part"),
    ("4.1.7", "417-artifact"),
    ("4.2", "42-streaming-events"),
    ("4.2.1", "421-taskstatusupdateevent"),
    ("4.2.2", "422-taskartifactupdateevent"),
    ("4.3.1", "431-pushnotificationconfig"),
    ("4.3.3", "433-push-notification-payload"),
    ("4.4.1", "441-agentcard"),
    ("4.4.2", "442-agentprovider"),
    ("4.4.3", "443-agentcapabilities"),
    ("4.4.4", "444-agentextension"),
    ("4.4.5", "445-agentskill"),
    ("4.4.6", "446-agentinterface"),
    ("4.4.7", "447-agentcardsignature"),
    ("4.5.1", "451-securityscheme"),
    ("4.5.2", "452-apikeysecurityscheme"),
    ("4.5.3", "453-httpauthsecurityscheme"),
    ("4.5.4", "454-oauth2securityscheme"),
    ("4.5.5", "455-openidconnectsecurityscheme"),
    ("4.5.7", "457-oauthflows"),
    ("4.5.8", "458-authorizationcodeoauthflow"),
    ("4.5.9", "459-clientcredentialsoauthflow"),
    ("4.5.10", "4510-devicecodeoauthflow"),
    ("4.6.1", "461-extension-declaration"),
    ("4.6.3", "463-extension-versioning-and-compatibility"),
    ("5.1", "51-functional-equivalence-requirements"),
    ("5.2", "52-protocol-selection-and-negotiation"),
    ("5.3", "53-method-mapping-reference"),
    ("5.4", "54-error-code-mappings"),
    ("5.5", "55-json-field-naming-convention"),
    ("5.6.1", "561-timestamps"),
    ("5.7", "57-field-presence-and-optionality"),
    ("5.8", "58-custom-binding-identification"),
    ("6.5", "65-task-listing-and-management"),
    ("7.1", "71-protocol-security"),
    ("7.3", "73-client-authentication-process"),
    ("7.4", "74-server-authentication-responsibilities"),
    ("7.6.1", "761-in-task-authorization-agent-responsibilities"),
    ("8.1", "81-purpose"),
    ("8.2", "82-discovery-mechanisms"),
    ("8.3", "83-protocol-declaration-requirements"),
    ("8.3.1", "831-supported-interfaces-declaration"),
    ("8.3.2", "832-client-protocol-selection"),
    ("8.4.1", "841-canonicalization-requirements"),
    ("8.4.2", "842-signature-format"),
    ("8.4.3", "843-signature-verification"),
    ("8.5", "85-sample-agent-card"),
    ("8.6", "86-caching"),
    ("8.6.1", "861-server-requirements"),
    ("9.1", "91-protocol-requirements"),
    ("9.2", "92-service-parameter-transmission"),
    ("9.3", "93-base-request-structure"),
    ("9.4", "94-core-methods"),
    ("9.4.1", "941-sendmessage"),
    ("9.4.2", "942-sendstreamingmessage"),
    ("9.4.3", "943-gettask"),
    ("9.4.4", "944-listtasks"),
    ("9.4.6", "946-subscribetotask"),
    ("9.4.8", "948-getextendedagentcard"),
    ("9.5", "95-error-handling"),
    ("10.1", "101-protocol-requirements"),
    ("10.2", "102-service-parameter-transmission"),
    ("10.3", "103-service-definition"),
    ("10.4", "104-core-methods"),
    ("10.4.2", "1042-sendstreamingmessage"),
    ("10.4.6", "1046-subscribetotask"),
    ("10.4.7", "1047-createtaskpushnotificationconfig"),
    ("10.4.10", "10410-deletetaskpushnotificationconfig"),
    ("10.6", "106-error-handling"),
    ("10.7", "107-streaming"),
    ("11.1", "111-protocol-requirements"),
    ("11.2", "112-service-parameter-transmission"),
    ("11.3", "113-url-patterns-and-http-methods"),
    ("11.3.2", "1132-task-operations"),
    ("11.4", "114-requestresponse-format"),
    ("11.5", "115-query-parameter-naming-for-request-parameters"),
    ("11.6", "116-error-handling"),
    ("11.7", "117-streaming"),
    ("12.7", "127-agent-card-declaration"),
    ("13.1", "131-data-access-and-authorization-scoping"),
    ("13.2", "132-push-notification-security"),
    ("13.3", "133-extended-agent-card-access-control"),
    ("13.4", "134-general-security-best-practices"),
    ("14.1", "141-media-type-registration"),
    ("14.1.1", "1411-applicationa2ajson"),
    ("14.3", "143-well-known-uri-registration"),
    ("A.2.1", "a21-breaking-change-kind-discriminator-removed"),
    ("A.2.2", "a22-breaking-change-extended-agent-card-field-relocated"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::requirement::known;

    #[test]
    fn every_section_that_a_requirement_of_the_current_version_cites_has_its_anchor() {
        for requirement in known() {
            let Some(section) = requirement.section("1.0") else { continue };
            let url = spec_url("1.0", section);
            let numbered = section.starts_with(|c: char| c.is_ascii_digit() || c == 'A');
            if !numbered {
                let elsewhere = ["(", "proto ", "topics "].iter().any(|start| section.starts_with(start));
                assert!(elsewhere && url.is_none_or(|url| !url.contains('#')), "{section}");
                continue;
            }
            let url = url.unwrap_or_default();
            let number =
                section.split([',', ';', ' ']).next().unwrap_or_default().replace('.', "").to_ascii_lowercase();
            let prefix = format!("https://a2a-protocol.org/latest/specification/#{number}-");
            assert!(url.starts_with(&prefix), "{}: {section} leads to {url}", requirement.id);
        }
    }

    #[test]
    fn the_first_section_of_a_citation_is_linked() {
        for (version, section, expected) in [
            ("1.0", "9.5", Some("latest/specification/#95-error-handling")),
            ("1.0", "4.4.1, 5.7", Some("latest/specification/#441-agentcard")),
            ("1.0", "9.5 (SHOULD since 1.0.1, MUST in 1.0.0)", Some("latest/specification/#95-error-handling")),
            ("1.0", "A.2.1, 4.2.1", Some("latest/specification/#a21-breaking-change-kind-discriminator-removed")),
            ("1.0", "9.5.77", Some("latest/specification/#95-error-handling")),
            ("1.0", "99", Some("latest/specification/")),
            ("1.0", "topics extensions", Some("latest/topics/extensions/")),
            ("1.0", "proto ListTasksRequest; 6.5 (example)", Some("latest/definitions/")),
            ("1.0", "(not in spec; needed by 3.6.1)", None),
            ("1.0", "", None),
            ("0.3", "9.5", Some("v0.3.0/specification/")),
            ("0.2", "7.1", Some("v0.2.6/specification/")),
            ("7.0", "9.5", None),
        ] {
            let expected = expected.map(|path| format!("https://a2a-protocol.org/{path}"));
            assert_eq!(spec_url(version, section), expected, "{version} {section}");
        }
    }
}
