//! A body over HTTP+JSON that is not JSON: whether it is refused with a 4xx status.

use super::hang_up::{hung_up, repeat_closed};
use crate::a2a::binding::{Call, ReplyKind};
use crate::a2a::model::Operation;
use crate::engine::prelude::{Check, Driver, Judged, Scenario, Transcript, Verdict};

pub(super) static SCENARIO: Scenario = Scenario {
    id: "malformed-http",
    title: "Post a body that is not JSON",
    after: &["probe"],
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[Check {
    id: "rest.malformed-json",
    title: "A body that is not JSON is refused with a 4xx status",
    why: "A 5xx status says that the agent is broken, so clients try the same request again.",
    fix: "Catch the JSON parser's error and return 400 with an error in the form of the protocol.",
    requirements: &["rest.malformed-json", "rest.v03.status-codes"],
    judge: refused,
    ..Check::tripped_by(&["parse-error-wrong-code", "crash-on-malformed-json"])
}];

async fn drive(d: &Driver) {
    let body = format!(r#"{{{}"message":{{"messageId":"cut-off","role":"#, d.tenant_member());
    let call = |_: &str| {
        let body = Some(body.clone().into_bytes());
        let call = Call { operation: Some(Operation::SendMessage), body, ..Call::default() };
        Some(call.called("a truncated body"))
    };
    let steps = d.together(call("").map(|call| d.call("truncated", call))).await;
    repeat_closed(d, &steps, call).await;
}

fn refused(t: &Transcript) -> Judged {
    if let Some(verdict) = hung_up(t, "truncated", "a status of 400 to 499 for a truncated body") {
        return Ok(verdict);
    }
    let step = t.answered("truncated")?;
    let not_refused = |expected| Ok(Verdict::not_refused(step.exchange.id, expected, step.reply.kind.describe()));
    match step.exchange.status() {
        // Another check reports a route that does not exist.
        Some(404 | 405 | 501) => {
            Err(Verdict::blocked(format!("the message route was answered with {}", step.reply.kind.describe())))
        }
        Some(400..500) => Ok(step.pass()),
        Some(500..) => not_refused("a status of 400 to 499 for a truncated body"),
        // Where the form of errors is open, an error may come with status 200: another check reports that.
        _ if matches!(step.reply.kind, ReplyKind::Error(_)) => {
            Err(Verdict::blocked(format!("the body was refused with {}", step.reply.kind.describe())))
        }
        _ => not_refused("an error for a truncated body"),
    }
}
