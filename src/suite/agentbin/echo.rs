//! AgentBin's test of the echo: the simplest exchange there is.

use super::applicability::echo_only;
use super::judging::{expect, message, of_message, test, text};
use crate::engine::prelude::{Check, Driver, Judged, Scenario, Transcript};

pub(super) static SCENARIO: Scenario = Scenario {
    id: "agentbin-echo",
    title: "AgentBin: send a message to the echo",
    messages: 1,
    needs: echo_only,
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[test(
    "echo-send-message",
    "A message is answered with a Message that has its text",
    "Answer with a Message of the agent's role that repeats the text, and create no task.",
    &["send-both"],
    echo,
)];

/// The text that must come back.
const TEXT: &str = "hello world";

async fn drive(d: &Driver) {
    d.send("send", &d.outgoing(TEXT)).await;
}

fn echo(t: &Transcript) -> Judged {
    let (step, answer) = message(t, "send")?;
    let [role, id, parts] = of_message(answer);
    let given = text(answer);
    expect(step, &[role, id, parts, (given.contains(TEXT), "the text \"hello world\"", format!("{given:?}"))])
}
