//! Takes turns among the lists of the page, so that all of them together make no more lines at once than one may.

use std::cell::Cell;
use std::time::Duration;

use leptos::prelude::*;

use crate::view_model::incremental_list::{MADE_AT_ONCE, TAKEN_AWAY_AT_ONCE, next, thinned};

/// Between two slices the browser paints and answers its user.
const PAUSE: Duration = Duration::from_millis(16);

thread_local! {
    /// How many lines may still be made before the next pause.
    static ROOM: Cell<usize> = const { Cell::new(MADE_AT_ONCE) };
    /// How many may still be taken away.
    static AWAY: Cell<usize> = const { Cell::new(TAKEN_AWAY_AT_ONCE) };
    /// Whether a list waits for room.
    static WAITS: Cell<bool> = const { Cell::new(false) };
    static IS_PAUSE: Cell<bool> = const { Cell::new(false) };
    /// Changes when there is room again.
    static TURN: ArcRwSignal<u32> = ArcRwSignal::new(0);
    static BUSY: ArcRwSignal<bool> = ArcRwSignal::new(false);
}

/// Whether some lines are still to come; tracks.
pub(super) fn is_busy() -> bool {
    BUSY.with(|busy| busy.get())
}

/// Does this with the first frame after which no lines are to come.
pub(super) fn when_complete(then: impl FnOnce() + 'static) {
    wait_for_lines(Box::new(then));
}

fn wait_for_lines(then: Box<dyn FnOnce()>) {
    request_animation_frame(move || if BUSY.with(|busy| busy.get_untracked()) { wait_for_lines(then) } else { then() });
}

/// The same numbers, slice by slice; `first` before all.
pub(super) fn sliced(numbers: Memo<Vec<usize>>, first: Memo<Option<usize>>) -> Memo<Vec<usize>> {
    let shown = RwSignal::new(Vec::new());
    let turn = TURN.with(Clone::clone);
    Effect::new(move || {
        turn.track();
        let first = first.get_untracked();
        let (now, is_work, waits) = numbers.with(|numbers| {
            shown.with_untracked(|shown| {
                if let Some((left, gone)) = thinned(numbers, shown, AWAY.get()) {
                    AWAY.set(AWAY.get() - gone);
                    return (left, true, true);
                }
                let (now, made) = next(numbers, shown, first, ROOM.get());
                let gone = (shown.len() + made) - now.len();
                ROOM.set(ROOM.get() - made);
                AWAY.set(AWAY.get().saturating_sub(gone));
                let waits = now.len() < numbers.len();
                (now, made + gone > 0, waits)
            })
        });
        if waits || is_work {
            pause(waits);
        }
        if shown.with_untracked(|shown| *shown != now) {
            shown.set(now);
        }
    });
    Memo::new(move |_| shown.get())
}

/// Lets every list make all of its lines, before the next pause: paper does not wait.
pub(super) fn all_at_once() {
    ROOM.set(usize::MAX);
    AWAY.set(usize::MAX);
    take_turns();
}

fn pause(waits: bool) {
    if waits {
        WAITS.set(true);
        BUSY.with(|busy| busy.set(true));
    }
    if !IS_PAUSE.replace(true) {
        set_timeout(
            || {
                IS_PAUSE.set(false);
                ROOM.set(MADE_AT_ONCE);
                AWAY.set(TAKEN_AWAY_AT_ONCE);
                if WAITS.replace(false) {
                    take_turns();
                    // The list that waited may be gone by now, and say nothing more.
                    pause(false);
                } else {
                    BUSY.with(|busy| busy.set(false));
                }
            },
            PAUSE,
        );
    }
}

fn take_turns() {
    TURN.with(|turn| turn.update(|turn| *turn = turn.wrapping_add(1)));
}
