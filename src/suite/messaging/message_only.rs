//! A message that the agent answers with a message, without making a task: the form of that answer.

use crate::a2a::model::Payload;
use crate::a2a::rule::Rule;
use crate::engine::prelude::{Behaviour, Check, Driver, Judged, Scenario, Transcript, Verdict};
use crate::suite::noted_failure::broken;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "message-only",
    title: "Send a message that is answered with a Message",
    messages: 1,
    after: &["send"],
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    Check {
        id: "send.message-answer",
        title: "A Message response is in the message member",
        why: "A client that does not find it there treats the response as empty.",
        fix: "Return {\"message\": {...}} as result, with nothing beside it.",
        requirements: &["send.task-or-message"],
        judge: stands_alone,
        ..Check::tripped_by(&["send-unwrapped", "send-both"])
    },
    Check {
        id: "send.message-kind",
        title: "A Message response has its kind",
        why: "Clients tell a message from a task by its kind.",
        fix: "Return the message itself as result, with kind \"message\", messageId, role and parts.",
        requirements: &["send.v03.message-shape"],
        judge: says_kind,
        ..Check::tripped_by(&["message-no-kind"])
    },
];

async fn drive(d: &Driver) {
    // With an ordinary agent nothing is known that would bring a message about; its first answer may be one.
    let Some(message) = d.prompt(Behaviour::MessageOnly) else { return };
    d.send("send", &message).await;
}

fn stands_alone(t: &Transcript) -> Judged {
    let (step, payload) = t.succeeded("send")?;
    match (step.reply.notes.broken(Rule::SendPayload), payload) {
        (Some(place), _) => Ok(broken(step, place)),
        (None, Payload::Sent { message: Some(_), .. }) => Ok(step.pass()),
        (None, _) => Err(step.inconclusive("the agent answered with a task")),
    }
}

fn says_kind(t: &Transcript) -> Judged {
    let (step, payload) = t.succeeded("send")?;
    let Payload::Sent { message: Some(_), .. } = payload else {
        return Err(Verdict::inconclusive("the agent created a task, which is allowed"));
    };
    for rule in [Rule::SendPayload, Rule::Kind, Rule::MessageMembers] {
        if let Some(place) = step.reply.notes.broken(rule) {
            return Ok(broken(step, place));
        }
    }
    Ok(step.pass())
}
