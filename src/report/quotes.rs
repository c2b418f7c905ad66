//! Quotations of the specification for the page, from `quotes.txt`: one sentence for each must, cut short. The sentences in full
//! are in `docs/statements.txt`, which the page does not carry.

use crate::engine::requirement::lines_of;
use crate::report::spec_links::spec_url;

/// The quotations, and after them the musts, each with the number of its quotation for each version.
pub const TABLE: &str = include_str!("quotes.txt");

/// A sentence of the specification, or of a document that it makes binding; cut short.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quotation {
    /// `1.0 §9.3`, `RFC 8259 §8.1`.
    pub place: &'static str,
    /// The text.
    pub text: &'static str,
}

impl Quotation {
    /// Where it is published.
    #[must_use]
    pub fn url(&self) -> Option<String> {
        let Some((document, section)) = self.place.split_once(" §") else {
            return Some("https://spec.openapis.org/oas/v3.0.3.html#security-requirement-object".to_owned());
        };
        let section = section.split(' ').next().unwrap_or_default();
        if document.starts_with("JSON-RPC") {
            let anchor = if section == "5.1" { "error_object" } else { "response_object" };
            return Some(format!("https://www.jsonrpc.org/specification#{anchor}"));
        }
        match document.strip_prefix("RFC ") {
            Some(number) => Some(format!("https://www.rfc-editor.org/rfc/rfc{number}#section-{section}")),
            // A correction of a release is published with it: `1.0.1`.
            None => spec_url(document.get(..3)?, section),
        }
    }
}

/// The sentence that states the rule of a must in a version; `None` where it is not a must, or only general sentences oblige.
#[must_use]
pub fn quoted(requirement: &str, version: &str) -> Option<Quotation> {
    let must =
        lines_of(TABLE).skip_while(|line| *line != "-").find(|line| line.split(' ').next() == Some(requirement))?;
    let number = must.split(' ').find_map(|column| column.strip_prefix(version)?.strip_prefix('='))?;
    let line = lines_of(TABLE).nth(number.parse().ok()?)?;
    let (place, text) = line.split_once(" | ")?;
    Some(Quotation { place, text })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::detect::versions;
    use crate::engine::requirement::{Basis, Level, Requirement, known};

    /// The requirements in each version, and whether they are a must there.
    fn requirements() -> impl Iterator<Item = (&'static Requirement, &'static str, bool)> {
        known().iter().flat_map(|known| versions().map(move |version| (known, version))).map(|(known, version)| {
            let holds = known.section(version).is_some() && known.basis != Basis::Practical;
            (known, version, holds && known.level_in(version) == Level::Must)
        })
    }

    #[test]
    fn only_musts_are_quoted_each_with_its_place() {
        for (requirement, version, is_must) in requirements() {
            let quote = quoted(requirement.id, version);
            let Some(quote) = quote else { continue };
            assert!(is_must, "{} {version}", requirement.id);
            let url = quote.url().unwrap_or_else(|| panic!("{} has no link", quote.place));
            let is_of_a2a = quote.place.starts_with(|c: char| c.is_ascii_digit());
            assert_eq!(url.starts_with("https://a2a-protocol.org/v"), is_of_a2a, "{url}");
            assert!(!is_of_a2a || quote.place.starts_with(version), "{} quotes {}", requirement.id, quote.place);
        }
        let quote = quoted("card.interface-accurate", "1.0").unwrap();
        assert_eq!(quote.text, "Each interface MUST accurately declare its transport protocol and URL");
        assert!(quote.url().is_some_and(|url| url.contains("/v1.0.1/specification/#831-")));
    }

    /// A sentence that obliges to everything says nothing about what failed.
    #[test]
    fn no_quotation_is_general_and_only_one_rule_has_none() {
        let (quotations, _) = TABLE.split_once("\n-\n").unwrap();
        for general in ["functionally equivalent representations", "single authoritative normative definition"] {
            assert!(!quotations.contains(general), "{general}");
        }
        let mut without = Vec::new();
        for (requirement, version, is_must) in requirements() {
            if is_must && quoted(requirement.id, version).is_none() {
                without.push((requirement.id, version));
            }
        }
        // There the rule comes from gRPC's own document.
        assert_eq!(without, [("grpc.status", "1.0"), ("grpc.status", "0.3")]);
    }
}
