//! One sort for all types. Each type that the library's own sorts by itself is 4 KB of the page's checker.

use std::cmp::Ordering;

/// Sorts a list; what is equal keeps its order.
pub fn sort_by<T>(list: &mut Vec<T>, compare: impl Fn(&T, &T) -> Ordering) {
    let order = places(list.len(), &|one, other| match (list.get(one), list.get(other)) {
        (Some(one), Some(other)) => compare(one, other),
        _ => Ordering::Equal,
    });
    let mut taken: Vec<Option<T>> = std::mem::take(list).into_iter().map(Some).collect();
    list.extend(order.into_iter().filter_map(|place| taken.get_mut(place)?.take()));
}

/// The same by a key.
pub fn sort_by_key<T, K: Ord>(list: &mut Vec<T>, key: impl Fn(&T) -> K) {
    sort_by(list, |one, other| key(one).cmp(&key(other)));
}

/// The places of a list of that length in their order.
fn places(length: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut places: Vec<usize> = (0..length).collect();
    places.sort_by(|one, other| compare(*one, *other));
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_as_the_library_sorts_them() {
        for length in 0..200_u32 {
            let mut list: Vec<(u32, String)> =
                (0..length).map(|at| (at.wrapping_mul(7_919) % 13, at.to_string())).collect();
            let mut expected = list.clone();
            expected.sort_by_key(|(key, _)| *key);
            sort_by_key(&mut list, |(key, _)| *key);
            assert_eq!(list, expected);
            expected.sort_by(|one, other| other.1.cmp(&one.1));
            sort_by(&mut list, |one, other| other.1.cmp(&one.1));
            assert_eq!(list, expected);
        }
    }
}
