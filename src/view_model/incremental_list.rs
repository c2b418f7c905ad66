//! How many lines of a long list are made, or taken away, at once, so that the page answers in between.

/// How many new lines are made at once: on a slow machine one takes two milliseconds.
pub const MADE_AT_ONCE: usize = 12;

/// How many lines are taken away at once, which takes a tenth of that.
pub const TAKEN_AWAY_AT_ONCE: usize = 100;

/// The lines that are left when no more than `away` of those that are not wanted are gone, and how many went; `None` when all
/// of them may go at once.
#[must_use]
pub fn thinned(wanted: &[usize], shown: &[usize], away: usize) -> Option<(Vec<usize>, usize)> {
    let is_wanted = marked(wanted, shown);
    let stays = |number: usize| is_wanted.get(number).copied().unwrap_or_default();
    let odd = shown.iter().filter(|number| !stays(**number)).count();
    // The last go first: the reader is at the top of the list more often.
    let mut left = odd.checked_sub(away).filter(|left| *left > 0)?;
    let kept = |number: &usize| {
        stays(*number) || {
            let is_kept = left > 0;
            left = left.saturating_sub(1);
            is_kept
        }
    };
    Some((shown.iter().copied().filter(kept).collect(), away))
}

/// Of every line whether it is one of these, as far as there are any of these or of the others.
fn marked(these: &[usize], others: &[usize]) -> Vec<bool> {
    let mut marks = vec![false; these.iter().chain(others).max().map_or(0, |most| most + 1)];
    for number in these {
        if let Some(mark) = marks.get_mut(*number) {
            *mark = true;
        }
    }
    marks
}

/// The lines to show now, and how many of them are new: of those that are wanted, all that are shown already, and as many
/// others as there is room for, `first` before all.
#[must_use]
pub fn next(wanted: &[usize], shown: &[usize], first: Option<usize>, room: usize) -> (Vec<usize>, usize) {
    let mut is_shown = marked(shown, wanted);
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
    fn many_lines_go_slice_by_slice_the_last_of_them_first() {
        let shown: Vec<usize> = (0..50).collect();
        let wanted = [3, 45];
        let (left, gone) = thinned(&wanted, &shown, 20).unwrap();
        assert_eq!((&*left, gone), (&*(0..29).chain([45]).collect::<Vec<_>>(), 20));
        assert_eq!(thinned(&wanted, &left, 0), Some((left.clone(), 0)));
        assert_eq!(thinned(&wanted, &left, 20), Some(((0..9).chain([45]).collect(), 20)));
        // The rest goes with the next change.
        assert_eq!(thinned(&wanted, &[0, 3, 45], 20), None);
        assert_eq!(thinned(&[], &[], 0), None);
    }

    #[test]
    fn the_line_that_the_reader_is_at_comes_first() {
        assert_eq!(next(&[1, 2, 3, 4], &[], Some(4), 2), (vec![1, 4], 2));
        assert_eq!(next(&[1, 2, 3, 4], &[1, 4], Some(4), 1), (vec![1, 2, 4], 1));
        assert_eq!(next(&[1, 2, 3, 4], &[], Some(7), 1), (vec![1], 1));
        assert_eq!(next(&[1, 2], &[], Some(2), 0), (vec![], 0));
    }
}
