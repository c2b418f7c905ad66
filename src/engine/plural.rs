//! Numbers with their nouns: `1 must`, `2 musts`.

/// `1 must`, `2 musts`: nouns whose plural is an `s` behind the singular.
#[must_use]
pub fn count(number: u32, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// As [`count`], of a length.
#[must_use]
pub fn count_of(number: usize, noun: &str) -> String {
    count(u32::try_from(number).unwrap_or(u32::MAX), noun)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_is_no_plural() {
        assert_eq!([0, 1, 2].map(|number| count(number, "must")), ["0 musts", "1 must", "2 musts"]);
        assert_eq!(count_of(1, "place"), "1 place");
    }
}
