//! The card's content, judged from the one recording that discovery made.

use crate::a2a::look::Look;
use crate::engine::run::DISCOVERY;
use crate::engine::take::Take;
use crate::engine::verdict::Verdict;

crate::area! {
    /// Required members and their types.
    members,
    /// Interfaces and capabilities.
    interfaces,
    /// Skills and modes.
    skills,
    /// Security schemes and requirements.
    security,
    /// Signatures.
    signatures,
    /// The extended card.
    extended,
}

/// The card as it was received, and the exchange it came in.
///
/// # Errors
/// *Blocked* when there is no card.
fn card(t: &Take) -> Result<(u32, Look<'_>), Verdict> {
    let none = || Verdict::blocked("there is no agent card to look at");
    let step = t.earlier(DISCOVERY).and_then(|take| take.step("card")).map_err(|_| none())?;
    let document = step.reply.document.as_ref().filter(|document| document.is_object()).ok_or_else(none)?;
    Ok((step.exchange.id, Look::root(document)))
}

/// A finding about a place of the card.
fn finding(id: u32, look: &Look<'_>, expected: &str) -> Verdict {
    Verdict::fail(id, expected, look.describe()).at(look.at.as_str())
}

/// A finding about a member that is not there.
fn missing(id: u32, holder: &Look<'_>, name: &str, expected: &str) -> Verdict {
    Verdict::fail(id, expected, "missing or empty").at(holder.at.key(name).as_str())
}
