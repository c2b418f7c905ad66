//! The cards that an agent of ours serves, as the judgement of its clients reads them.

use crate::clients::WatchedCard;
use crate::server::ServedCard;

/// The cards, for a watch.
pub(super) fn watched_cards(cards: Vec<ServedCard>) -> Vec<WatchedCard> {
    let watched = |ServedCard { version, url, meant, served }| WatchedCard { version, url, meant, served };
    cards.into_iter().map(watched).collect()
}
