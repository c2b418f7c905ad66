//! The dialects that this build speaks.

use super::definition::Dialect;
use super::v0_1::V0_1;
use super::v0_2::V0_2;
use super::v0_3::V0_3;
use super::v1_0::V1_0;

/// Every dialect this build speaks, newest first.
pub static DIALECTS: &[&Dialect] = &[&V1_0, &V0_3, &V0_2, &V0_1];

impl Dialect {
    /// The dialect of a declared version: patch numbers do not count (1.0 §3.6).
    #[must_use]
    pub fn of(version: &str) -> Option<&'static Self> {
        let mut numbers = version.trim().split('.');
        let wanted = (numbers.next()?, numbers.next().unwrap_or("0"));
        DIALECTS.iter().copied().find(|dialect| dialect.version.split_once('.') == Some(wanted))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patch_numbers_do_not_choose_the_dialect() {
        assert_eq!(Dialect::of("1.0").map(|d| d.version), Some("1.0"));
        assert_eq!(Dialect::of("1.0.7").map(|d| d.version), Some("1.0"));
        assert_eq!(Dialect::of("1").map(|d| d.version), Some("1.0"));
        assert_eq!(Dialect::of("0.3.0").map(|d| d.version), Some("0.3"));
        assert_eq!(Dialect::of("0.2.6").map(|d| d.version), Some("0.2"));
        assert!(Dialect::of("9.9").is_none());
        assert!(Dialect::of("").is_none());
    }
}
