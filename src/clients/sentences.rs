//! The sentences of the specification behind the requirements of clients, from `sentences.txt`.

use crate::engine::requirement::lines_of;

/// `REQUIREMENT | VERSION §SECTION | sentence`, as it stands there without emphasis and link targets.
const SENTENCES: &str = include_str!("sentences.txt");

/// A sentence that stands behind a requirement in a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grounds {
    /// The requirement.
    pub requirement: &'static str,
    /// The version.
    pub version: &'static str,
    /// The section of its specification.
    pub section: &'static str,
    /// The sentence.
    pub sentence: &'static str,
}

/// The sentences, in the order of the table.
pub fn grounds() -> impl Iterator<Item = Grounds> {
    lines_of(SENTENCES).filter_map(|line| {
        let mut columns = line.splitn(3, " | ");
        let (requirement, place, sentence) = (columns.next()?, columns.next()?, columns.next()?);
        let (version, section) = place.split_once(" §")?;
        Some(Grounds { requirement, version, section, sentence })
    })
}
