//! Several messages sent at the same time: whether each is answered with its own task. Only a thorough run sends them.

use crate::engine::prelude::{Behaviour, Check, Driver, Judged, Scenario, Step, Transcript, Verdict, task_of};

pub(super) static SCENARIO: Scenario = Scenario {
    id: "sends-at-once",
    title: "Send several messages at the same time",
    messages: 4,
    is_thorough: true,
    rounds: 2,
    after: &["send"],
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[Check {
    id: "send.parallel-own-task",
    title: "Messages at the same time are each answered with their own task",
    why: "A client gets what another one asked for, and its own result is lost.",
    fix: "Keep what belongs to a request in that request, and not in a member of the handler that all requests share.",
    requirements: &["send.task-ids-unique"],
    judge: own_task,
    ..Check::tripped_by(&["crowd-answers-swapped"])
}];

const STEPS: [&str; 4] = ["first", "second", "third", "fourth"];

async fn drive(d: &Driver) {
    if !d.lets_tasks_overlap() {
        return;
    }
    // Streaming several chunks takes a moment, so that the tasks are at work at the same time.
    let Some(message) = d.prompt(Behaviour::Stream) else { return };
    let messages = STEPS.map(|_| d.outgoing(message.text.clone()));
    d.together(STEPS.iter().zip(&messages).map(|(step, message)| d.send(step, message))).await;
}

/// The history tells: it is that of another task where it holds a message that was sent at the same time, and not the own one. An
/// agent need not return a history (T-HIST-1), and may keep one for each context.
fn own_task(t: &Transcript) -> Judged {
    t.ran_to_its_end()?;
    let answer = |name| t.task(name).map(|(step, task)| (step, task, step.sent.message_id().unwrap_or_default()));
    let answers = STEPS.into_iter().map(answer).collect::<Result<Vec<_>, _>>()?;
    for (step, task, own) in &answers {
        let holds = |id: &str| task.history.iter().flatten().any(|message| message.message_id.as_deref() == Some(id));
        let context = |step: &Step| task_of(&step.reply).and_then(|task| task.context_id.clone());
        let is_elsewhere = |other: &Step| context(other).is_none() || context(other) != context(step);
        let other = answers.iter().find(|(other, _, id)| id != own && holds(id) && is_elsewhere(other));
        if let Some((other, _, id)) = other.filter(|_| !holds(own)) {
            let actual = format!("one whose history has the message {id}, which was sent at the same time");
            let verdict = step.fail(format!("the task of the message {own}"), actual);
            return Ok(verdict.at(task.at.key("history")).seen_in(other.exchange.id));
        }
    }
    Ok(answers.iter().fold(Verdict::pass(), |verdict, (step, ..)| verdict.seen_in(step.exchange.id)))
}
