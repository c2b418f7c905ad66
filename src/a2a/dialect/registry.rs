//! The dialects that this build speaks.

use super::definition::Dialect;
use super::v0_1::V0_1;
use super::v0_2::V0_2;
use super::v0_3::V0_3;
use super::v1_0::V1_0;
use crate::wire::limits::LONGEST_VERSION;

/// Every dialect this build speaks, newest first.
pub static DIALECTS: &[&Dialect] = &[NEWEST, &V0_3, &V0_2, &V0_1];
const NEWEST: &Dialect = &V1_0;

impl Dialect {
    /// That of the newest version.
    #[must_use]
    pub fn newest() -> &'static Self {
        NEWEST
    }

    /// Whether this is one of the newest version.
    #[must_use]
    pub fn is_newest(&self) -> bool {
        self.version == NEWEST.version
    }

    /// Whether its cards have the layout of the newest version's: they list interfaces, each with its version.
    #[must_use]
    pub fn lists_interfaces(&self) -> bool {
        self.card_lists == NEWEST.card_lists
    }

    /// The dialect of a declared version: patch numbers do not count (1.0 §3.6).
    #[must_use]
    pub fn of_version(version: &str) -> Option<&'static Self> {
        let mut numbers = version.trim().split('.');
        let wanted = (numbers.next()?, numbers.next().unwrap_or("0"));
        DIALECTS.iter().copied().find(|dialect| dialect.version.split_once('.') == Some(wanted))
    }

    /// The newest dialect that is not newer than a version; the oldest if all are. `None` if the version is not of numbers, or too long
    /// to be one: it names the interface in every row.
    #[must_use]
    pub fn nearest(version: &str) -> Option<&'static Self> {
        let wanted = numbers(version).filter(|_| version.len() <= LONGEST_VERSION)?;
        let is_older = |dialect: &&'static Self| numbers(dialect.version).is_some_and(|known| known <= wanted);
        DIALECTS.iter().copied().find(is_older).or_else(|| DIALECTS.last().copied())
    }
}

fn numbers(version: &str) -> Option<(u32, u32)> {
    let mut numbers = version.trim().split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next().unwrap_or("0").parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patch_numbers_do_not_choose_the_dialect() {
        assert_eq!(Dialect::of_version("1.0").map(|d| d.version), Some("1.0"));
        assert_eq!(Dialect::of_version("1.0.7").map(|d| d.version), Some("1.0"));
        assert_eq!(Dialect::of_version("1").map(|d| d.version), Some("1.0"));
        assert_eq!(Dialect::of_version("0.3.0").map(|d| d.version), Some("0.3"));
        assert_eq!(Dialect::of_version("0.2.6").map(|d| d.version), Some("0.2"));
        assert!(Dialect::of_version("9.9").is_none());
        assert!(Dialect::of_version("").is_none());
    }

    #[test]
    fn the_nearest_dialect_is_the_newest_that_is_not_newer() {
        for (version, nearest) in [
            ("1.1", Some("1.0")),
            ("2.0.3", Some("1.0")),
            ("2", Some("1.0")),
            ("0.9", Some("0.3")),
            ("0.0", Some("0.1")),
            ("latest", None),
            ("", None),
        ] {
            assert_eq!(Dialect::nearest(version).map(|dialect| dialect.version), nearest, "{version}");
        }
    }
}
