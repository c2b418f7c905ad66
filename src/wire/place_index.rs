//! Finds the place of an entry in a growing list by the texts that identify it, without looking through the list. The library's
//! maps are kilobytes of the page's checker.

/// The places of entries, by the hash of what identifies them. The list itself stays with its owner, who says which entry is meant.
#[derive(Debug, Clone, Default)]
pub struct PlaceIndex {
    /// Open addressing: each entry stands in the first free slot from where its hash points.
    slots: Vec<Option<IndexedPlace>>,
    held: usize,
}

#[derive(Debug, Clone, Copy)]
struct IndexedPlace {
    hash: u32,
    place: usize,
}

impl PlaceIndex {
    /// The place of the entry that these texts identify. `is_at` says whether the entry at a place is that one.
    #[must_use]
    pub fn find(&self, identity: &[&str], is_at: impl Fn(usize) -> bool) -> Option<usize> {
        let hash = hash(identity);
        // Half of the slots are free, so that the search ends at one.
        let from = self.around(hash).map_while(|slot| self.slots.get(slot).copied().flatten());
        from.filter(|known| known.hash == hash).map(|known| known.place).find(|place| is_at(*place))
    }

    /// Adds the place of an entry that is not in it yet.
    pub fn insert(&mut self, identity: &[&str], place: usize) {
        if (self.held + 1) * 2 > self.slots.len() {
            let larger = vec![None; (self.slots.len() * 2).max(16)];
            for known in std::mem::replace(&mut self.slots, larger).into_iter().flatten() {
                self.put(known);
            }
        }
        self.put(IndexedPlace { hash: hash(identity), place });
        self.held += 1;
    }

    fn put(&mut self, entry: IndexedPlace) {
        let free = self.around(entry.hash).find(|slot| matches!(self.slots.get(*slot), Some(None)));
        if let Some(slot) = free.and_then(|slot| self.slots.get_mut(slot)) {
            *slot = Some(entry);
        }
    }

    /// Every slot once, from the one that a hash points to.
    fn around(&self, hash: u32) -> impl Iterator<Item = usize> + use<> {
        let slots = self.slots.len();
        let first = usize::try_from(hash).unwrap_or_default().checked_rem(slots).unwrap_or_default();
        (first..slots).chain(0..first)
    }
}

/// A set of what several texts identify together.
#[derive(Debug, Clone, Default)]
pub struct IdentitySet {
    known: Vec<String>,
    places: PlaceIndex,
}

impl IdentitySet {
    /// Whether what these texts identify is in it.
    #[must_use]
    pub fn has(&self, identity: &[&str]) -> bool {
        self.has_written(&written(identity))
    }

    /// Adds what these texts identify; answers whether it is new.
    pub fn add(&mut self, identity: &[&str]) -> bool {
        let written = written(identity);
        let is_new = !self.has_written(&written);
        if is_new {
            self.places.insert(&[&written], self.known.len());
            self.known.push(written);
        }
        is_new
    }

    fn has_written(&self, written: &str) -> bool {
        let is_at = |place: usize| self.known.get(place).is_some_and(|known| known == written);
        self.places.find(&[written], is_at).is_some()
    }
}

/// The texts as one, each with its length, so that no other texts read the same.
fn written(identity: &[&str]) -> String {
    identity.iter().map(|text| format!("{}:{text}", text.len())).collect()
}

/// FNV-1a over the texts, each with its end.
fn hash(identity: &[&str]) -> u32 {
    let bytes = identity.iter().flat_map(|text| text.bytes().chain([0xff]));
    bytes.fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn each_of_many_entries_is_found_where_it_stands_and_no_other_is() {
        let list: Vec<(String, String)> =
            (0..20_000).map(|at: u32| (format!("check-{}", at % 100), format!("lane-{}", at / 100))).collect();
        let mut index = PlaceIndex::default();
        let compared = Cell::new(0);
        let find = |index: &PlaceIndex, check: &str, lane: &str| {
            index.find(&[check, lane], |place| {
                compared.set(compared.get() + 1);
                list.get(place).is_some_and(|known| (&*known.0, &*known.1) == (check, lane))
            })
        };
        for (place, (check, lane)) in list.iter().enumerate() {
            assert_eq!(find(&index, check, lane), None);
            index.insert(&[check, lane], place);
        }
        for (place, (check, lane)) in list.iter().enumerate() {
            assert_eq!(find(&index, check, lane), Some(place));
        }
        assert_eq!(find(&index, "check-1lane-", "1"), None);
        assert_eq!(find(&PlaceIndex::default(), "check-1", "lane-1"), None);
        // Hardly two of them have the same hash.
        assert!(compared.get() < 20_100, "{}", compared.get());
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
