//! A check of clients: a declaration like that of any check, and a judgement over what a client sent.

use super::conversation::ClientConversation;
use crate::engine::check::Check;
use crate::engine::verdict::{Judged, Verdict};

/// A check that judges a client.
pub struct ClientCheck {
    /// Its declaration, whose own judgement is never asked.
    pub declared: Check,
    /// The judgement. Pure: the same conversation gives the same verdict.
    pub judge: fn(&ClientConversation<'_>) -> Judged,
}

impl std::fmt::Debug for ClientCheck {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ClientCheck({})", self.declared.id)
    }
}

/// The verdict over places that all have to keep a rule: not applicable without any, else the first breach, or a pass.
pub(super) fn judge_places<T>(
    places: impl IntoIterator<Item = T>,
    exchange_of: impl Fn(&T) -> u32,
    breach: impl Fn(&T) -> Option<Verdict>,
    without: &str,
) -> Judged {
    let mut seen = None;
    for place in places {
        if let Some(verdict) = breach(&place) {
            return Ok(verdict);
        }
        seen.get_or_insert(exchange_of(&place));
    }
    match seen {
        Some(exchange) => Ok(Verdict::pass().seen_in(exchange)),
        None => Err(Verdict::not_applicable(without)),
    }
}
