//! A task that asks for input, is answered twice and finishes: its question, context and history, waiting for the turn, and a
//! context that does not match.

use crate::a2a::binding::ReplyKind;
use crate::a2a::dialect::write::Outgoing;
use crate::a2a::model::{Payload, StreamEvent, Task, TaskState};
use crate::engine::prelude::{Behaviour, Check, Driver, Judged, Scenario, Step, Transcript, Verdict, task_of};

pub(super) static SCENARIO: Scenario = Scenario {
    id: "multi-turn",
    title: "Hold a conversation of several messages",
    messages: 4,
    rounds: 5,
    after: &["send"],
    judged_after: &["history", "follow-ups"],
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    Check {
        id: "input-required.message",
        title: "A task that requires input explains what it needs",
        why: "The person asked has to know what is needed.",
        fix: "Put the question into status.message when the task asks for input.",
        judge: asks,
        ..Check::tripped_by(&["input-required-silent"])
    },
    Check {
        id: "input-required.continue",
        title: "The next message continues the task",
        why: "The reply to a question belongs to the task that asked it.",
        fix: "When taskId names a task that is waiting for input, continue that task and return it under the same id.",
        requirements: &["input-required.continue", "multi.v01.task-continues"],
        judge: |t| continues(t, SECOND_TURN),
        ..Check::tripped_by(&["follow-up-new-task"])
    },
    Check {
        id: "input-required.third-turn",
        title: "The third message continues the task as well",
        why: "A conversation does not end with the second message, and what the first reply left behind must not be in the way of \
              the next.",
        fix: "Continue the task with every message that names it while it waits for input, and keep its id and context through all \
              turns.",
        requirements: &["input-required.continue", "multi.v01.task-continues"],
        judge: third_turn,
        ..Check::tripped_by(&["third-turn-new-task"])
    },
    Check {
        id: "context.inferred-from-task",
        title: "The context is inferred from the task",
        why: "A client that sends the taskId need not send the contextId too.",
        fix: "Use the task's contextId when the message has only a taskId.",
        judge: same_context,
        ..Check::tripped_by(&["follow-up-new-context", "third-turn-new-context", "follow-up-stream-new-context"])
    },
    Check {
        id: "multi.same-context",
        title: "Every turn stays in the context of its task",
        why: "A client files a conversation by its context; a turn in another one is lost to it.",
        fix: "Store contextId with the task, and return it unchanged with every turn.",
        requirements: &["multi.v03.same-context"],
        judge: same_context,
        ..Check::tripped_by(&["third-turn-new-context", "follow-up-stream-new-context"])
    },
    Check {
        id: "send.history-recent",
        title: "A send keeps the most recent messages of the history",
        why: "The latest messages are the ones a client does not have yet.",
        fix: "Cut the history of the response to a send to its last historyLength messages, not the first ones.",
        requirements: &["get.history-recent"],
        judge: newest_kept,
        ..Check::tripped_by(&["send-history-oldest"])
    },
    Check {
        id: "send.blocking-follow-up",
        title: "A send that goes on with a task waits until the task settles",
        why: "A client that did not ask for an early response treats the one it gets as final.",
        fix: "Hold back the response to every message until the task is terminal or interrupted again, and not only to the one that \
              created it.",
        requirements: &["send.blocking-default", "send.v03.blocking-flag"],
        judge: turns_wait,
        ..Check::tripped_by(&["third-turn-returns-early"])
    },
    Check {
        id: "context.mismatch",
        title: "A contextId that does not match the task is refused",
        why: "Two ids that contradict each other are a mistake the client must learn of; otherwise the message ends \
              up in the wrong conversation.",
        fix: "Compare contextId with the task's own, and refuse the message when they differ.",
        judge: mismatch,
        ..Check::tripped_by(&["context-mismatch-accepted"])
    },
];

/// The step that answers the task for the first time.
pub(super) const SECOND_TURN: &str = "second";

/// The step of another scenario that answers a task by a message that is streamed.
pub(super) const STREAMED: &str = "streamed";

/// The step that ends the conversation. Its answer may show one message of the history.
pub(in crate::suite) const LAST_TURN: &str = "third";

async fn drive(d: &Driver) {
    let Some(message) = d.prompt(Behaviour::InputRequired) else { return };
    let first = d.send("first", &message).await;
    let Some(task) = task_of(&first.reply).cloned() else { return };
    let Some(id) = task.id.clone() else { return };
    if task.state != Some(TaskState::InputRequired) {
        return d.stop(Verdict::inconclusive(format!(
            "the task did not require input (it is {}); to run this check, use a prompt \"input-required\" that \
             does",
            task.state_text.as_deref().unwrap_or("in no known state")
        )));
    }
    let done = d.facts().prompts.text(Behaviour::Done).unwrap_or_else(|| "Please go on.".to_owned());
    let more = d.facts().prompts.text(Behaviour::More).unwrap_or_else(|| done.clone());
    // First the refused one: an accepted mismatch must not be taken for the follow-up.
    let stray = Outgoing { task_id: Some(id.clone()), context_id: Some(d.fresh_id()), ..d.outgoing(more.clone()) };
    if d.has_check("context.mismatch") {
        d.send("mismatch", &stray).await;
    }
    // Where it need not follow from the task, the context is named too.
    let context_id = task.context_id.clone().filter(|_| !d.has_check("context.inferred-from-task"));
    let second = d.send(SECOND_TURN, &Outgoing { task_id: Some(id.clone()), context_id, ..d.outgoing(more) }).await;
    let waits = task_of(&second.reply).is_some_and(|task| task.state == Some(TaskState::InputRequired));
    if waits {
        // An agent that moved the task to another context has to accept that one.
        let moved = task_of(&second.reply).and_then(|task| task.context_id.clone());
        let context_id = moved.or(task.context_id);
        let last = Outgoing { task_id: Some(id.clone()), context_id, history_length: Some(1), ..d.outgoing(done) };
        d.send(LAST_TURN, &last).await;
    }
    d.get("get", &id, None).await;
}

pub(super) fn asked(t: &Transcript) -> Result<&Task, Verdict> {
    let (_, task) = t.task("first")?;
    if task.state == Some(TaskState::InputRequired) {
        return Ok(task);
    }
    Err(t.stopped.clone().unwrap_or_else(|| Verdict::inconclusive("the task did not require input")))
}

fn asks(t: &Transcript) -> Judged {
    let task = asked(t)?;
    let (step, _) = t.task("first")?;
    let explains = task.status_message.as_ref().is_some_and(|message| !message.parts.is_empty());
    let place = task.at.key("status").key("message");
    step.claim(explains, "a status message that explains what is needed", "none", place)
}

/// The third turn has a finding of its own where the second has none.
fn third_turn(t: &Transcript) -> Judged {
    if continues(t, SECOND_TURN)?.expected.is_some() {
        return Err(Verdict::blocked("the second message does not continue the task either"));
    }
    t.step(LAST_TURN).map_err(|_| Verdict::inconclusive("the task did not ask for input again"))?;
    continues(t, LAST_TURN)
}

pub(super) fn continues(t: &Transcript, turn: &str) -> Judged {
    let task = asked(t)?;
    let step = t.answered(turn)?;
    match &step.reply.kind {
        ReplyKind::Result(Payload::Sent { task: Some(answer), .. }) => {
            let expected = format!("the task {}", task.id.as_deref().unwrap_or_default());
            let actual = format!("the task {}", answer.id.as_deref().unwrap_or("without an id"));
            step.claim(answer.id == task.id, &expected, actual, answer.at.key("id"))
        }
        // An answer by message is the agent's choice here too (T-TASK-1).
        ReplyKind::Result(Payload::Sent { message: Some(_), .. }) => {
            Err(step.inconclusive("the agent answered the follow-up with a Message"))
        }
        ReplyKind::Error(error) => Ok(step.fail("the task to continue", error.describe()).at(&error.at)),
        other => Ok(step.fail("the task to continue", other.describe())),
    }
}

/// Judges the second turn, the third where there is one, and the reply that was streamed: what holds once holds every time.
fn same_context(t: &Transcript) -> Judged {
    let second = inferred(t, SECOND_TURN)?;
    if second.expected.is_some() {
        return Ok(second);
    }
    let is_finding = |verdict: &Verdict| verdict.expected.is_some();
    let third = t.step(LAST_TURN).and_then(|_| inferred(t, LAST_TURN)).ok().filter(is_finding);
    let streamed = || t.earlier("follow-ups").ok().and_then(|others| moved_in_stream(others));
    Ok(third.or_else(streamed).unwrap_or(second))
}

fn inferred(t: &Transcript, turn: &str) -> Judged {
    let task = asked(t)?;
    let (step, answer) = t.task(turn)?;
    if task.context_id.is_none() {
        return Err(Verdict::inconclusive("the task has no contextId"));
    }
    if answer.id != task.id {
        return Err(Verdict::blocked("the follow-up did not continue the task"));
    }
    let expected = format!("contextId {}", task.context_id.as_deref().unwrap_or_default());
    let actual = answer.context_id.clone().unwrap_or_else(|| "none".to_owned());
    step.claim(answer.context_id == task.context_id, &expected, actual, answer.at.key("contextId"))
}

/// The finding about the reply that was streamed, if one of its events names another context than the task that asked.
fn moved_in_stream(t: &Transcript) -> Option<Verdict> {
    let task = asked(t).ok()?;
    let (step, events) = t.events(STREAMED).ok()?;
    let wanted = task.context_id.as_deref()?;
    // Where the task comes first, another check judges whether the updates agree with it.
    let judged = if matches!(events.first(), Some((_, StreamEvent::Task(_)))) { 1 } else { events.len() };
    for (number, event) in events.into_iter().take(judged) {
        // Events of another task are the finding of another check.
        let is_own = event.task_id().is_none_or(|id| Some(id) == task.id.as_deref());
        if let Some(found) = event.context_id().filter(|found| is_own && *found != wanted) {
            let verdict = step.fail(format!("contextId {wanted}"), found);
            return Some(verdict.at(format!("event {number}")));
        }
    }
    None
}

/// What holds for the message that makes a task holds for those that go on with it. An agent that never waits has one finding, and that of
/// another check.
fn turns_wait(t: &Transcript) -> Judged {
    let task = asked(t)?;
    let settles = |answer: &Task| answer.state.is_some_and(|state| state.is_terminal() || state.is_interrupted());
    let first = t.earlier("send").ok().and_then(|sent| sent.task("send").ok());
    if first.is_some_and(|(_, answer)| !settles(answer)) {
        return Err(Verdict::blocked("the response to the first message of a task does not wait either"));
    }
    let mut judged = None;
    for turn in [SECOND_TURN, LAST_TURN] {
        let Ok((step, answer)) = t.task(turn) else { continue };
        if answer.id != task.id || answer.state.is_none() {
            continue;
        }
        judged = Some(step);
        if !settles(answer) {
            let actual = answer.state_text.clone().unwrap_or_default();
            return step.claim(false, "a terminal or interrupted state", actual, answer.place_of_state());
        }
    }
    let step =
        judged.ok_or_else(|| Verdict::inconclusive("no further message was answered with the task that asked"))?;
    Ok(step.pass())
}

/// The last turn asked for one message. Which one is the latest may have changed since, but it is not the first of three.
fn newest_kept(t: &Transcript) -> Judged {
    asked(t)?;
    let (step, answer) = t.task(LAST_TURN)?;
    keeps_newest(t, t, (step, answer), 3)
}

/// Judges a task as an answer shows it that was asked for one message of its history (1.0 §3.2.4), by the conversation that the task comes
/// from, whose history has to have that many messages.
pub(in crate::suite) fn keeps_newest(
    t: &Transcript,
    talk: &Transcript,
    (step, shown): (&Step, &Task),
    least: usize,
) -> Judged {
    let (read, whole) = talk.task("get")?;
    let whole = whole.history.as_ref().filter(|history| history.len() >= least);
    let (Some([only]), Some([oldest, ..])) = (shown.history.as_deref(), whole.map(Vec::as_slice)) else {
        let why = format!(
            "the answer does not have exactly one message of a history of {least} or more, which is allowed or reported by another check"
        );
        return Err(step.inconclusive(why));
    };
    if only.message_id.is_none() {
        return Err(Verdict::blocked("the messages have no ids to compare"));
    }
    // A history that begins with another message may have the newest first.
    let first = talk.step("first")?;
    let said = first.sent.message_id();
    if said.is_none() || said != oldest.message_id.as_deref() {
        return Err(read.inconclusive("the history does not begin with the message that made the task"));
    }
    // An agent that cuts every history like this has one finding, and that of another check.
    let cut = t.earlier("history").ok().and_then(|history| history.task("one").ok());
    if cut.and_then(|(_, task)| task.history.as_ref()?.first()?.message_id.as_deref()) == said {
        return Err(Verdict::blocked("a get keeps the oldest messages too"));
    }
    let actual = format!("the oldest, {}", only.message_id.as_deref().unwrap_or_default());
    let place = only.at.key("messageId");
    let verdict = step.claim(only.message_id != oldest.message_id, "the latest message", actual, place)?;
    Ok(verdict.seen_in(read.exchange.id))
}

fn mismatch(t: &Transcript) -> Judged {
    let task = asked(t)?;
    if task.context_id.is_none() {
        return Err(Verdict::inconclusive("the task has no contextId that another could contradict"));
    }
    t.refused_somehow("mismatch", "a contextId that is not the task's")
}
