//! Whether the agent is behind the gateway at all.

use super::pairs::{Pair, pair, pairs};
use super::steps::{CANCEL, KNOWN, MALFORMED, UNKNOWN, VERSION};
use crate::a2a::binding::ReplyKind;
use crate::engine::prelude::{Transcript, Verdict};

/// That the agent is behind the gateway at all: it has answered a request that came that way, or refused it. Else *blocked*, since nothing
/// can be said of what the gateway changes.
pub(super) fn arrived(t: &Transcript) -> Result<(), Verdict> {
    let is_answer = |pair: &Pair<'_>| pair.is_same() || pair.unexplained().is_err();
    let all = pairs(t, &[UNKNOWN, CANCEL, KNOWN, MALFORMED, VERSION]);
    let refused = |pair: &Pair<'_>| matches!(&pair.through.reply.kind, ReplyKind::Error(error) if error.name.is_some());
    if all.is_empty() {
        pair(t, UNKNOWN)?;
    }
    if all.iter().any(|pair| is_answer(pair) || refused(pair)) {
        return Ok(());
    }
    Err(Verdict::blocked("no request reaches the agent through the gateway; see gateway.requests-arrive"))
}
