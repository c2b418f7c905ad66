//! The verdict of every check that needs a card which could not be read.

use crate::engine::verdict::Verdict;

/// Blocked by what kept the card from being read, which is a check of discovery's to judge.
pub(super) fn no_card(why: &Verdict) -> Verdict {
    let blocked = Verdict::blocked(format!("nothing can be asked without a card: {}", why.message));
    why.exchanges.iter().fold(blocked, |blocked, exchange| blocked.seen_in(*exchange))
}
