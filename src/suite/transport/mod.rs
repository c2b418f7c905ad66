//! The interface itself: whether it answers, and the form of every byte it sends.

crate::area! {
    /// The first call.
    probe,
    /// Envelopes, media types and errors of all traffic.
    envelope,
    /// Errors of all traffic over HTTP+JSON.
    http_form,
    /// Routes, media types and queries of HTTP+JSON.
    routes,
    /// Names, enums, timestamps and members of all traffic.
    formats,
}

use crate::a2a::rule::Rule;
use crate::engine::take::Take;
use crate::engine::verdict::{Judged, Verdict};

/// Judges a rule over all traffic of a lane.
fn everywhere(t: &Take, rule: Rule, what: &str) -> Judged {
    Ok(t.rule(rule, || match &t.stopped {
        Some(why) => why.clone(),
        None => Verdict::not_applicable(format!("the agent sent no {what}")),
    }))
}
