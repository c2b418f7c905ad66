//! The requirement tables: one normative statement of an A2A version each, with its level and section.

use std::collections::HashMap;
use std::sync::OnceLock;

use serde::Deserialize;

/// How strongly the specification puts a requirement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Level {
    /// Never counts.
    May,
    /// Counts as advice.
    Should,
    /// Counts.
    Must,
}

impl Level {
    /// `must`, `should` or `may`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Must => "must",
            Self::Should => "should",
            Self::May => "may",
        }
    }
}

/// Where a statement comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    /// A normative word or table says it.
    Explicit,
    /// A REQUIRED mark, a type or a comment of the schema says it.
    Schema,
    /// It follows from several statements together.
    Implied,
    /// It is not in the specification; never non-conformance.
    Practical,
}

/// One normative statement.
#[derive(Debug, Clone, Deserialize)]
pub struct Requirement {
    /// Its stable id.
    pub id: String,
    /// What it demands, in one line.
    pub title: String,
    /// The word of the text.
    pub level: Level,
    /// The versions it holds for.
    pub versions: Vec<String>,
    /// The bindings it holds for: `any`, `jsonrpc`, `rest`, `grpc`.
    pub bindings: Vec<String>,
    /// Section of that version's specification, by version.
    pub spec: HashMap<String, String>,
    /// Where it comes from.
    pub basis: Basis,
}

impl Requirement {
    /// The level that results have: good practice is never more than advice that does not count.
    #[must_use]
    pub fn effective_level(&self) -> Level {
        if self.basis == Basis::Practical { Level::May } else { self.level }
    }

    /// The section in a version, as reports cite it: `1.0 §9.5`.
    #[must_use]
    pub fn cite(&self, version: &str) -> String {
        match self.spec.get(version) {
            Some(_) if self.basis == Basis::Practical => "good practice, not in the specification".to_owned(),
            Some(section) => format!("{version} §{section}"),
            None => format!("{version} (no section)"),
        }
    }

    /// Whether it holds for a version and a binding (`jsonrpc`, `rest`; `None` for the card).
    #[must_use]
    pub fn holds_for(&self, version: &str, binding: Option<&str>) -> bool {
        self.versions.iter().any(|known| known == version)
            && binding.is_none_or(|binding| self.bindings.iter().any(|known| known == "any" || known == binding))
    }
}

static TABLE: OnceLock<HashMap<String, Requirement>> = OnceLock::new();

/// The requirements by id. The data file is compiled in and a test reads it, so that reading it here cannot fail.
#[must_use]
pub fn known() -> &'static HashMap<String, Requirement> {
    TABLE.get_or_init(|| {
        let list: Vec<Requirement> = serde_json::from_str(SOURCE).unwrap_or_default();
        list.into_iter().map(|requirement| (requirement.id.clone(), requirement)).collect()
    })
}

/// The data file: an array of [`Requirement`]s. How each can be observed, and what to know about it, is in
/// `docs/requirements-notes.json`, which no visitor of the page has to download.
pub const SOURCE: &str = include_str!("requirements.json");
