//! Why nothing was relayed to an agent, where that is so.

use crate::a2a::binding::ReplyKind;
use crate::engine::prelude::{Transcript, Verdict};

/// Why nothing was relayed to an agent.
pub(super) fn nothing_relayed(t: &Transcript) -> Verdict {
    let other = t.peer.as_ref().and_then(|peer| peer.transcripts.first());
    match other.map(|other| other.answered("produce").map(|step| &step.reply.kind)) {
        Some(Ok(ReplyKind::Result(_))) => {
            Verdict::inconclusive("the other agent put out nothing of a media type that this one takes")
        }
        _ => Verdict::blocked("the other agent put out nothing that could be relayed: see pair.accepts"),
    }
}
