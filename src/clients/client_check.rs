//! A check of clients: a declaration like that of any check, and a judgement over what a client sent.

use super::conversation::{ClientCall, ClientConversation};
use crate::engine::check::Check;
use crate::engine::verdict::{Judged, Verdict};
use crate::wire::received::ClientRequest;

/// A check that judges a client.
pub struct ClientCheck {
    /// Its declaration, whose own judgement is never asked.
    pub declared: Check,
    /// The judgement. Pure: the same conversation gives the same verdict.
    pub judge: fn(&ClientConversation<'_>) -> Judged,
}

impl Check {
    /// A check of clients with this declaration.
    pub(super) const fn judging_clients_by(self, judge: fn(&ClientConversation<'_>) -> Judged) -> ClientCheck {
        ClientCheck { declared: self, judge }
    }
}

impl std::fmt::Debug for ClientCheck {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ClientCheck({})", self.declared.id)
    }
}

/// The verdict over places of requests that all have to keep a rule: not applicable without any, else the first breach, or a pass.
pub(super) fn judge_places<'a, R: AsRef<ClientRequest> + 'a, P>(
    places: impl IntoIterator<Item = (&'a R, P)>,
    without: &str,
    breach: impl Fn(&'a R, P) -> Option<Verdict>,
) -> Judged {
    let mut seen = None;
    for (request, place) in places {
        if let Some(verdict) = breach(request, place) {
            return Ok(verdict);
        }
        seen.get_or_insert(request.as_ref().id());
    }
    seen.map(|exchange| Verdict::pass().seen_in(exchange)).ok_or_else(|| Verdict::not_applicable(without))
}

/// The same over whole calls.
pub(super) fn judge_calls<'a>(
    calls: impl IntoIterator<Item = &'a ClientCall>,
    without: &str,
    breach: impl Fn(&'a ClientCall) -> Option<Verdict>,
) -> Judged {
    judge_places(calls.into_iter().map(|call| (call, ())), without, |call, ()| breach(call))
}
