//! Long lists are made in slices, so that the page answers in between.

/// How many new lines are made at once: on a slow machine one takes a millisecond.
pub const AT_ONCE: usize = 20;

/// The lines to show now, and how many of them are new: of those that are wanted, all that are shown already, and as many
/// others as there is room for, `first` before all.
#[must_use]
pub fn next(wanted: &[usize], shown: &[usize], first: Option<usize>, room: usize) -> (Vec<usize>, usize) {
    let mut is_shown = vec![false; wanted.iter().chain(shown).max().map_or(0, |most| most + 1)];
    for number in shown {
        if let Some(known) = is_shown.get_mut(*number) {
            *known = true;
        }
    }
    let mut made = 0;
    if let Some(first) = first.filter(|first| room > 0 && wanted.contains(first))
        && let Some(known) = is_shown.get_mut(first).filter(|known| !**known)
    {
        *known = true;
        made = 1;
    }
    let shows = |number: &usize| {
        let known = is_shown.get(*number).copied().unwrap_or_default();
        let is_new = !known && made < room;
        made += usize::from(is_new);
        known || is_new
    };
    let next = wanted.iter().copied().filter(shows).collect();
    (next, made)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_list_grows_slice_by_slice() {
        let wanted: Vec<usize> = (0..50).rev().collect();
        let (first, made) = next(&wanted, &[], None, 20);
        assert_eq!((&*first, made), (&wanted[..20], 20));
        let (second, made) = next(&wanted, &first, None, 20);
        assert_eq!((&*second, made), (&wanted[..40], 20));
        assert_eq!(next(&wanted, &second, None, 20), (wanted.clone(), 10));
        assert_eq!(next(&wanted, &wanted, None, 20), (wanted.clone(), 0));
        assert_eq!(next(&wanted, &first, None, 0), (first, 0));
        assert_eq!(next(&[], &wanted, None, 20), (Vec::new(), 0));
    }

    #[test]
    fn what_is_shown_stays_and_takes_no_room() {
        // Another filter: 3 and 9 were shown, 7 was not.
        assert_eq!(next(&[9, 7, 3, 8], &[1, 3, 9], None, 1), (vec![9, 7, 3], 1));
        assert_eq!(next(&[9, 7, 3, 8], &[1, 3, 9], None, 0), (vec![9, 3], 0));
    }

    #[test]
    fn the_line_that_the_reader_is_at_comes_first() {
        assert_eq!(next(&[1, 2, 3, 4], &[], Some(4), 2), (vec![1, 4], 2));
        assert_eq!(next(&[1, 2, 3, 4], &[1, 4], Some(4), 1), (vec![1, 2, 4], 1));
        assert_eq!(next(&[1, 2, 3, 4], &[], Some(7), 1), (vec![1], 1));
        assert_eq!(next(&[1, 2], &[], Some(2), 0), (vec![], 0));
    }
}
