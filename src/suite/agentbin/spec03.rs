//! AgentBin's tests for `/spec03`: a client finds out that the agent speaks 0.3, and gets the same answers.

use super::answers::lifecycle;
use super::applicability::spec_only;
use super::judging::{expect, message, of_message, test};
use super::streams::{STREAMED, streams_to_the_end};
use crate::engine::prelude::{Check, Driver, Judged, Scenario, StreamControl, Transcript};

pub(super) static SCENARIO: Scenario = Scenario {
    id: "agentbin-spec03",
    title: "AgentBin: the agent of 0.3",
    messages: 3,
    streams: 1,
    rounds: 3,
    needs: spec_only,
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    test(
        "spec03-send-message",
        "message-only is answered with a Message of 0.3",
        "Answer message/send with a message whose kind is \"message\", and create no task.",
        &["message-no-parts"],
        send,
    ),
    test(
        "spec03-task-lifecycle",
        "task-lifecycle completes in 0.3",
        "Complete the task with an artifact, and name its state \"completed\".",
        &["tasks-all-fail"],
        lifecycle,
    ),
    test(
        "spec03-streaming",
        "streaming streams to a terminal state in 0.3",
        "Answer message/stream with status and artifact updates, and end it with a terminal state.",
        &["streaming-missing"],
        |t| streams_to_the_end(t, "streaming"),
    ),
];

async fn drive(d: &Driver) {
    d.send("message", &d.outgoing("message-only hello")).await;
    d.send("lifecycle", &d.outgoing("task-lifecycle process")).await;
    d.open("streaming", &d.outgoing(STREAMED), |_| StreamControl::Continue).await;
}

fn send(t: &Transcript) -> Judged {
    let (step, answer) = message(t, "message")?;
    expect(step, &of_message(answer))
}
