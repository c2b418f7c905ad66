//! Whether a client streams, configures webhooks and asks for the extended card only where the card declares it.

use super::client_check::{ClientCheck, judge_calls};
use super::conversation::{ClientCall, ClientConversation};
use super::push_checks::configs_of;
use crate::a2a::model::Operation;
use crate::engine::check::Check;
use crate::engine::verdict::{Judged, Verdict};

pub(super) static CHECKS: &[ClientCheck] = &[
    Check {
        id: "client.streaming-declared",
        title: "The client streams only where the card declares streaming",
        why: "An agent without streaming refuses the call, and the user sees an error where polling would do.",
        fix: "Look at capabilities.streaming of the card; without it send with SendMessage and poll with GetTask.",
        ..Check::tripped_by(&["stream-undeclared"])
    }
    .judging_clients_by(streaming),
    Check {
        id: "client.push-declared",
        title: "The client configures push notifications only where the card declares them",
        why: "An agent without push notifications refuses the config, or never sends one.",
        fix: "Look at capabilities.pushNotifications of the card before you send a push config.",
        ..Check::tripped_by(&["push-undeclared"])
    }
    .judging_clients_by(push),
    Check {
        id: "client.extended-declared",
        title: "The client fetches the extended card only where the card declares one",
        why: "An agent without an extended card returns an error.",
        fix: "Look at capabilities.extendedAgentCard; in 0.3 at supportsAuthenticatedExtendedCard.",
        ..Check::tripped_by(&["extended-undeclared"])
    }
    .judging_clients_by(extended),
];

/// The verdict over the calls of a lane whose agent does not declare a capability; `uses` says how a call uses it all the same.
fn judge_undeclared(
    c: &ClientConversation<'_>,
    is_declared: bool,
    name: &str,
    uses: impl Fn(&ClientCall) -> bool,
) -> Judged {
    if is_declared {
        return Err(Verdict::excluded_by_card(format!("the card declares {name}")));
    }
    let expected = format!("no use of {name}, which the card does not declare");
    let operations = c.calls().filter(|call| call.operation.is_some());
    judge_calls(operations, "the client called no operation", |call| {
        let used = call.operation.and_then(|operation| call.dialect().method(operation)).unwrap_or("a call");
        uses(call).then(|| call.fail(expected.as_str(), used))
    })
}

fn streaming(c: &ClientConversation<'_>) -> Judged {
    let streams = [Operation::SendStreamingMessage, Operation::SubscribeToTask];
    judge_undeclared(c, c.card.streaming, "streaming", |call| call.is(&streams))
}

fn push(c: &ClientConversation<'_>) -> Judged {
    let operations = [
        Operation::CreatePushConfig,
        Operation::GetPushConfig,
        Operation::ListPushConfigs,
        Operation::DeletePushConfig,
    ];
    let uses = |call: &ClientCall| call.is(&operations) || !configs_of(call).is_empty();
    judge_undeclared(c, c.card.push_notifications, "push notifications", uses)
}

fn extended(c: &ClientConversation<'_>) -> Judged {
    judge_undeclared(c, c.card.extended_card, "an extended card", |call| call.is(&[Operation::GetExtendedCard]))
}
