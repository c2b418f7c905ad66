//! Finds the place of an entry in a growing list by the texts that identify it, without looking through the list. Beneath is the map of
//! JSON objects, which the page's checker carries anyway, and whose order of search no agent can foresee.

use super::json::{Map, Value};

/// The places of entries, by the texts that identify them. The list itself stays with its owner.
#[derive(Debug, Clone, Default)]
pub struct PlaceIndex(Map<String, Value>);

impl PlaceIndex {
    /// The place of the entry that these texts identify.
    #[must_use]
    pub fn find(&self, identity: &[&str]) -> Option<usize> {
        let place = self.0.get(&written(identity))?.as_u64()?;
        usize::try_from(place).ok()
    }

    /// Adds the place of an entry; one that is in it stays where it is.
    pub fn insert(&mut self, identity: &[&str], place: usize) {
        self.0.entry(written(identity)).or_insert_with(|| Value::from(place));
    }
}

/// A set of what several texts identify together.
#[derive(Debug, Clone, Default)]
pub struct IdentitySet(Map<String, Value>);

impl IdentitySet {
    /// Whether what these texts identify is in it.
    #[must_use]
    pub fn has(&self, identity: &[&str]) -> bool {
        self.0.contains_key(&written(identity))
    }

    /// Adds what these texts identify; answers whether it is new.
    pub fn add(&mut self, identity: &[&str]) -> bool {
        self.0.insert(written(identity), Value::Null).is_none()
    }
}

/// The texts as one, each with its length, so that no other texts read the same.
fn written(identity: &[&str]) -> String {
    identity.iter().map(|text| format!("{}:{text}", text.len())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_of_many_entries_is_found_where_it_stands_and_no_other_is() {
        let list: Vec<(String, String)> =
            (0..20_000).map(|at: u32| (format!("check-{}", at % 100), format!("lane-{}", at / 100))).collect();
        let mut index = PlaceIndex::default();
        for (place, (check, lane)) in list.iter().enumerate() {
            assert_eq!(index.find(&[check, lane]), None);
            index.insert(&[check, lane], place);
        }
        for (place, (check, lane)) in list.iter().enumerate() {
            assert_eq!(index.find(&[check, lane]), Some(place));
        }
        assert_eq!(index.find(&["check-1lane-", "1"]), None);
        assert_eq!(PlaceIndex::default().find(&["check-1", "lane-1"]), None);
    }

    #[test]
    fn a_set_tells_apart_what_reads_the_same_in_a_row() {
        let mut set = IdentitySet::default();
        assert!(set.add(&["a", "bc"]));
        assert!(!set.add(&["a", "bc"]));
        assert!(!set.has(&["ab", "c"]) && !set.has(&["a:b", "c"]));
        assert!(set.add(&["ab", "c"]));
        assert!(set.has(&["a", "bc"]));
    }
}
