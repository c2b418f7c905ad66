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
        _ => Some(match anchor(site, word) {
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

/// The anchors of the numbered headings on the published page: the name of a release, and a line for each of its anchors.
const ANCHORS: &str = include_str!("../../docs/spec-anchors.txt");

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
fn anchor(release: &str, section: &str) -> Option<&'static str> {
    let of_release = ANCHORS.lines().skip_while(|line| *line != release).skip(1);
    let of_release = of_release.take_while(|line| !line.starts_with('v'));
    let mut section = section;
    loop {
        let number = section.replace('.', "").to_ascii_lowercase();
        let is_of = |line: &&str| line.strip_prefix(&*number).is_some_and(|rest| rest.starts_with('-'));
        let mut found = of_release.clone().filter(is_of);
        // Both §1.1 and §11 begin with `11-`, and the chapter stands behind.
        let found = if section.contains('.') { found.next() } else { found.last() };
        if found.is_some() {
            return found;
        }
        section = section.rsplit_once('.')?.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::requirement::known;

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
                linked += 1;
            }
        }
        assert!(linked > 500, "{linked}");
    }

    #[test]
    fn the_first_section_of_a_citation_is_linked() {
        for (version, section, expected) in [
            ("1.0", "9.5", Some("v1.0.1/specification/#95-error-handling")),
            ("1.0", "4.4.1, 5.7", Some("v1.0.1/specification/#441-agentcard")),
            ("1.0", "9.5 (SHOULD since 1.0.1, MUST in 1.0.0)", Some("v1.0.1/specification/#95-error-handling")),
            ("1.0", "A.2.1, 4.2.1", Some("v1.0.1/specification/#a21-breaking-change-kind-discriminator-removed")),
            ("1.0", "9.5.77", Some("v1.0.1/specification/#95-error-handling")),
            ("1.0", "11", Some("v1.0.1/specification/#11-httpjsonrest-protocol-binding")),
            ("1.0", "1.1", Some("v1.0.1/specification/#11-key-goals-of-a2a")),
            ("1.0", "99", Some("v1.0.1/specification/")),
            ("1.0", "topics extensions", Some("v1.0.1/topics/extensions/")),
            ("1.0", "proto ListTasksRequest; 6.5 (example)", Some("v1.0.1/definitions/")),
            ("1.0", "(not in spec; needed by 3.6.1)", None),
            ("1.0", "", None),
            ("0.3", "7.10, 3.5.6", Some("v0.3.0/specification/#710-agentgetauthenticatedextendedcard")),
            ("0.3", "9.99", Some("v0.3.0/specification/#9-common-workflows-examples")),
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
