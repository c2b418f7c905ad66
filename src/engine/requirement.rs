//! What a requirement is (level, basis, section by version), reading the tables of them, and finding one by its id.

use std::sync::{LazyLock, OnceLock};

use super::requirement_table::{GATEWAYS, LOADS, PAIRS, PROFILES, TABLE};
use crate::wire::named_enum::named_enum;

named_enum! {
    /// How strongly the specification puts a requirement.
    pub enum Level {
        /// Never counts.
        May = "may" titled "optional",
        /// Counts as advice.
        Should = "should" titled "recommended",
        /// Counts.
        Must = "must" titled "required",
    }
}

named_enum! {
    /// Where a statement comes from.
    pub enum Basis {
        /// A normative word or table says it.
        Explicit = "explicit",
        /// A REQUIRED mark, a type or a comment of the schema says it.
        Schema = "schema",
        /// It follows from several statements together.
        Implied = "implied",
        /// It is not in the specification; never non-conformance.
        Practical = "practical",
        /// It is on the acceptance list of a profile, and not in the specification; never non-conformance.
        Profile = "profile",
        /// Two agents need it to work together. It is not in the specification, and says nothing about one agent alone.
        Pair = "pair",
        /// It is asked of a gateway before the agent, by what the specification says of the agent; never non-conformance of the agent.
        Gateway = "gateway",
    }
}

/// One normative statement.
#[derive(Debug)]
pub struct Requirement {
    /// Its stable id.
    pub id: &'static str,
    /// The demand, in one line.
    pub title: &'static str,
    /// How strongly the text puts it.
    pub level: Level,
    /// Where it comes from.
    pub basis: Basis,
    /// The bindings it holds for: `any`, or some of `jsonrpc`, `rest` and `grpc`, separated by spaces.
    pub bindings: &'static str,
    /// The versions it holds for, each with the section of its specification.
    pub spec: Vec<(&'static str, &'static str)>,
    /// The versions whose text puts it at another level.
    pub other_levels: Vec<(&'static str, Level)>,
}

impl Basis {
    /// Whether the specification says it.
    #[must_use]
    pub const fn is_specification(self) -> bool {
        !matches!(self, Self::Practical | Self::Profile | Self::Pair | Self::Gateway)
    }
}

impl Requirement {
    /// The level that results have: good practice never counts.
    #[must_use]
    pub fn effective_level(&self) -> Level {
        if self.basis == Basis::Practical { Level::May } else { self.level }
    }

    /// The level in a version's text.
    #[must_use]
    pub fn stated_level_in(&self, version: &str) -> Level {
        self.other_levels.iter().find(|(known, _)| *known == version).map_or(self.level, |(_, level)| *level)
    }

    /// The level that results have in a version.
    #[must_use]
    pub fn level_in(&self, version: &str) -> Level {
        if self.basis == Basis::Practical { Level::May } else { self.stated_level_in(version) }
    }

    /// The section of a version's specification; `None` if it does not hold for that version.
    #[must_use]
    pub fn section(&self, version: &str) -> Option<&'static str> {
        self.spec.iter().find(|(known, _)| *known == version).map(|(_, section)| *section)
    }

    /// The section in a version, as reports cite it: `1.0 §9.5`.
    #[must_use]
    pub fn cite(&self, version: &str) -> String {
        match self.section(version) {
            Some(_) if self.basis == Basis::Practical => "good practice, not in the specification".to_owned(),
            Some(list) if self.basis == Basis::Profile => format!("{list}’s acceptance list, not in the specification"),
            Some(_) if self.basis == Basis::Pair => {
                "what two agents need to work together, not in the specification".to_owned()
            }
            Some(section) if self.basis == Basis::Gateway => {
                format!("{version} §{section}, asked of the gateway and not of the agent")
            }
            Some(section) => format!("{version} §{section}"),
            None => format!("{version} (no section)"),
        }
    }

    /// Whether it holds for a version and a binding (`jsonrpc`, `rest`; `None` for the card).
    #[must_use]
    pub fn holds_for(&self, version: &str, binding: Option<&str>) -> bool {
        self.section(version).is_some()
            && binding.is_none_or(|binding| self.bindings.split(' ').any(|known| known == "any" || known == binding))
    }

    /// Reads the columns of a statement; `None` when they do not have the form that the head of `docs/statements.txt` describes.
    #[must_use]
    pub fn of_columns(mut columns: impl Iterator<Item = &'static str>) -> Option<Self> {
        let (id, traits, title) = (columns.next()?, columns.next()?, columns.next()?);
        let (level, traits) = traits.split_once(' ')?;
        let (basis, bindings) = traits.split_once(' ')?;
        let level = level_of(level)?;
        let basis = Basis::ALL.into_iter().find(|known| known.as_str() == basis)?;
        let mut spec = Vec::new();
        let mut other_levels = Vec::new();
        for column in columns {
            let (version, section) = column.split_once(" §")?;
            let version = match version.split_once(' ') {
                Some((other, version)) => {
                    other_levels.push((version, level_of(other)?));
                    version
                }
                None => version,
            };
            spec.push((version, section));
        }
        Some(Self { id, title, level, basis, bindings, spec, other_levels })
    }
}

/// The level that a word of the table means.
fn level_of(text: &str) -> Option<Level> {
    Level::ALL.into_iter().find(|level| level.as_str().eq_ignore_ascii_case(text))
}

/// A table that is read when it is first needed.
type RequirementTable = LazyLock<Vec<Requirement>>;

/// The requirements of a table with one of them in a line.
fn read_table(table: &'static str) -> Vec<Requirement> {
    lines_of(table).filter_map(|line| Requirement::of_columns(line.split(" | "))).collect()
}

/// The requirements, in the order of the table. A line that cannot be read would be left out; a test reads every line.
#[must_use]
pub fn known() -> &'static [Requirement] {
    static READ: RequirementTable = RequirementTable::new(|| read_table(TABLE));
    &READ
}

/// What the acceptance lists of profiles ask for.
pub static OF_PROFILES: RequirementTable = RequirementTable::new(|| read_table(PROFILES));
/// What is asked of a gateway before an agent.
static OF_GATEWAYS: RequirementTable = RequirementTable::new(|| read_table(GATEWAYS));
/// What two agents need to work together.
static OF_PAIRS: RequirementTable = RequirementTable::new(|| read_table(PAIRS));
/// What only a load is judged by.
static OF_LOADS: RequirementTable = RequirementTable::new(|| read_table(LOADS));

/// A table of requirements that only some programs have: what clients have to keep, which no page judges.
static FURTHER: OnceLock<Vec<Requirement>> = OnceLock::new();

/// Adds a table of this form to those in which [`find`] looks. There is one such table, so that the first one stays.
pub fn add_table(table: &'static str) {
    FURTHER.get_or_init(|| read_table(table));
}

/// The requirements of the table that was added.
#[must_use]
pub fn further() -> &'static [Requirement] {
    FURTHER.get().map_or(&[], Vec::as_slice)
}

/// Whether the requirement of that id is in the tables of every program, a page included.
#[must_use]
pub fn is_in_every_program(id: &str) -> bool {
    known().iter().chain(&*OF_PROFILES).any(|requirement| requirement.id == id)
}

/// The requirement of that id, of the specification, of a profile, of gateways, of pairs, of loads or of clients.
#[must_use]
pub fn find(id: &str) -> Option<&'static Requirement> {
    let others = [&OF_PROFILES, &OF_GATEWAYS, &OF_PAIRS, &OF_LOADS].into_iter().flat_map(|table| table.iter());
    known().iter().chain(others).chain(further()).find(|requirement| requirement.id == id)
}

/// Whether the requirement of that id holds for a version and a binding.
#[must_use]
pub fn holds(id: &str, version: &str, binding: Option<&str>) -> bool {
    find(id).is_some_and(|requirement| requirement.holds_for(version, binding))
}

/// The lines of a table of this form without its comments.
pub fn lines_of(table: &'static str) -> impl Iterator<Item = &'static str> {
    table.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}
