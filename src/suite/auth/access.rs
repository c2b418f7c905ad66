//! What the scenarios about access share: for which agents they are, and what counts as being let in.

use crate::a2a::binding::{Call, ReplyKind};
use crate::engine::drive::StepFuture;
use crate::engine::prelude::{Driver, RunFacts, Step, Verdict};
use crate::wire::url::Url;

/// For scenarios that need an agent that asks for credentials; *not applicable* when the card requires none.
pub(super) fn required(facts: &RunFacts) -> Result<(), Verdict> {
    if facts.declares(|card| card.requires_auth) {
        Ok(())
    } else {
        Err(Verdict::excluded_by_card("the card requires no credentials"))
    }
}

/// Whether the agent let a call in: a result, or a stream. What another origin answers is not the agent's word: a page follows
/// redirects that carry no credentials, and often they lead to where people sign in.
pub(super) fn let_in(step: &Step) -> bool {
    let origin = |url: &str| Url::parse(url).map(|url| url.origin()).ok();
    let response = step.exchange.response.as_ref().filter(|response| response.redirected);
    let elsewhere = response.is_some_and(|response| origin(&response.url) != origin(&step.exchange.request.url));
    !elsewhere && matches!(step.reply.kind, ReplyKind::Result(_) | ReplyKind::Stream(_))
}

/// Sends a whole message that should be turned away at the door. It costs the agent something only if it is not.
pub(super) fn send<'a>(d: &'a Driver, name: &'static str, call: Call) -> StepFuture<'a> {
    Box::pin(async move {
        let step = d.call(name, call).await;
        if let_in(&step) {
            d.count_message();
        }
        step
    })
}
