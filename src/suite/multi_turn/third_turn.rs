//! A task that asks for input twice, and whose second answer is streamed: whether that continues it. Only a thorough run sends it.

use super::follow_ups::{tells_of_task, waits};
use super::turns::{LAST_TURN, SECOND_TURN, STREAMED, asked, continues};
use crate::a2a::dialect::write::Outgoing;
use crate::a2a::model::Task;
use crate::engine::prelude::{Behaviour, Check, Driver, Judged, Scenario, StreamControl, Transcript, Verdict, task_of};

pub(super) static SCENARIO: Scenario = Scenario {
    id: "third-turn",
    title: "Stream the third message of a conversation",
    messages: 3,
    is_thorough: true,
    streams: 1,
    rounds: 3,
    after: &["send"],
    judged_after: &["multi-turn", "follow-ups", "stream"],
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[Check {
    id: "input-required.third-streamed",
    title: "The third message continues the task when it is streamed as well",
    why: "A client that streams shows nothing of the answer if the stream of a later turn stays empty.",
    fix: "Stream the events of the task for every message that continues it, and not only for the first.",
    requirements: &["input-required.continue"],
    judge,
    ..Check::tripped_by(&["third-turn-stream-empty"])
}];

/// The step that is streamed.
const THIRD: &str = "third";

async fn drive(d: &Driver) {
    let Some(message) = d.prompt(Behaviour::InputRequired) else { return };
    let first = d.send("first", &message).await;
    let Some(task) = task_of(&first.reply).filter(|task| waits(task)) else { return };
    let text = |behaviour| d.facts().prompts.text(behaviour);
    let Some(more) = text(Behaviour::More).or_else(|| text(Behaviour::Done)) else { return };
    let turn = |task: &Task| Outgoing {
        task_id: task.id.clone(),
        context_id: task.context_id.clone(),
        ..d.outgoing(more.clone())
    };
    let second = d.send(SECOND_TURN, &turn(task)).await;
    // An agent that moved the task to another context has to accept that one.
    if let Some(task) = task_of(&second.reply).filter(|task| waits(task))
        && d.facts().declares(|card| card.streaming)
    {
        d.open(THIRD, &turn(task), |_| StreamControl::Continue).await;
    }
}

fn judge(t: &Transcript) -> Judged {
    t.facts.declared("streaming", |card| card.streaming)?;
    asked(t)?;
    t.step(THIRD).map_err(|_| Verdict::inconclusive("the task did not ask for input again"))?;
    let verdict = tells_of_task(t, THIRD)?;
    if verdict.expected.is_none() {
        return Ok(verdict);
    }
    let (turns, others) = (t.earlier("multi-turn")?, t.earlier("follow-ups")?);
    if [continues(turns, SECOND_TURN)?, continues(turns, LAST_TURN)?].iter().any(|verdict| verdict.expected.is_some()) {
        return Err(Verdict::blocked("a follow-up that waits does not continue the task either"));
    }
    if tells_of_task(others, STREAMED)?.expected.is_some() {
        return Err(Verdict::blocked("the second message cannot be streamed either: see input-required.streamed"));
    }
    Ok(verdict)
}
