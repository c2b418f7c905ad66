//! A task after its stream was dropped: whether it goes on, and whether its subscriber saw all of it; for how long it must have
//! stood still.

use std::rc::Rc;

use crate::a2a::binding::{ReplyKind, StreamItemKind};
use crate::a2a::model::{Artifact, StreamEvent, Task, TaskState};
use crate::engine::prelude::{Behaviour, Check, Judged, Scenario, Step, Transcript, Verdict, task_of};
use crate::engine::transcript::whole_ms;
use crate::suite::streaming::{artifact_text, declared};

pub(super) static SCENARIO: Scenario = Scenario {
    needs: declared,
    ..Scenario::of_traffic(
        "subscribe-aftermath",
        "Compare a subscription with the task and with a task that was polled",
        CHECKS,
    )
};

const CHECKS: &[Check] = &[
    Check {
        id: "subscribe.matches-get",
        title: "A subscriber receives all that the task becomes",
        why: "A client that reconnects must end up with the same task as one that never lost its stream.",
        fix: "Send every event of the task to every subscriber, artifacts included, after a snapshot of what came before.",
        judge: matches_get,
        ..Check::tripped_by(&["subscribe-no-artifacts"])
    },
    Check {
        id: "subscribe.task-moves-on",
        title: "A task goes on after its stream was dropped",
        why: "Phones change networks and laptops sleep; the work must not stop because nobody is listening.",
        fix: "Run the task independently of the connection that started it, not inside the response's generator.",
        requirements: &["subscribe.task-survives-disconnect", "subscribe.v03.survives"],
        judge: moves_on,
        ..Check::tripped_by(&["disconnect-stops"])
    },
];

/// A task must have stood still for this long, and for this many times as long as one that was polled, before it counts as
/// abandoned.
const STILL_MS: f64 = 10_000.0;
const STILL_FACTOR: f64 = 5.0;

/// For how long a task must have stood still, in milliseconds, if one that was polled took that long.
pub(super) fn still_ms(usual_ms: f64) -> f64 {
    (usual_ms * STILL_FACTOR).max(STILL_MS)
}

/// The steps of that name in a scenario of the lane, in order.
fn steps<'a>(t: &'a Transcript, scenario: &'a str, name: &'a str) -> impl Iterator<Item = &'a Rc<Step>> {
    t.steps.iter().filter(move |step| step.name == name && step.exchange.scenario == scenario)
}

/// What was read of the task whose stream was dropped, in order.
fn readings(t: &Transcript) -> Vec<(&Rc<Step>, &Task)> {
    // The reading behind a refusal is the last one if it shows the end.
    let names = ["get", "refused-at", "settled"];
    let read = names.into_iter().flat_map(|name| steps(t, "subscribe", name));
    read.filter_map(|step| Some((step, task_of(&step.reply)?))).collect()
}

/// The last reading of the task whose stream was dropped.
fn settled(t: &Transcript) -> Result<(&Rc<Step>, &Task), Verdict> {
    let last = readings(t).into_iter().rfind(|(step, _)| step.name != "get");
    // The checks of the dropped stream report why there is none.
    last.ok_or_else(|| match steps(t, "subscribe", "settled").last() {
        // A subscription that hangs leaves time for a reading or for none, as it happens: both leave this open.
        Some(step) => step.inconclusive("the task was not read after its stream"),
        None => t.stopped_or(|| Verdict::not_applicable("no task of a dropped stream was read afterwards")),
    })
}

/// How many characters an artifact has.
fn length_of(artifact: &Artifact) -> usize {
    artifact_text(artifact).chars().count()
}

fn matches_get(t: &Transcript) -> Judged {
    let Some(step) = steps(t, "subscribe", "subscription").last() else {
        return Err(t.stopped_or(|| Verdict::not_applicable("the task was not subscribed to")));
    };
    // Whether a task that is over soon was still there to subscribe to is chance.
    if let Some(sent) = steps(t, "subscribe", "stream").last().filter(|_| t.missing(step).is_none()) {
        t.lasts(sent, Behaviour::LongRunning)?;
    }
    let ReplyKind::Stream(items) = &step.reply.kind else {
        return Err(Verdict::not_applicable("there was no subscription to the task").seen_in(step.exchange.id));
    };
    let (read, task) = settled(t)?;
    // How much text of each artifact the subscriber has.
    let mut received: Vec<(&str, usize)> = Vec::new();
    let mut last = None;
    let unreadable = || step.blocked("not all events of the subscription can be read");
    for item in items {
        let StreamItemKind::Event(event) = &item.kind else { return Err(unreadable()) };
        last = event.state().or(last);
        let (artifacts, append) = match event {
            StreamEvent::Task(task) => (task.artifacts.as_deref().unwrap_or_default(), false),
            StreamEvent::Artifact(update) => (std::slice::from_ref(&update.artifact), update.append),
            StreamEvent::Status(_) => continue,
            _ => return Err(unreadable()),
        };
        for artifact in artifacts {
            let Some(id) = artifact.artifact_id.as_deref() else { continue };
            match received.iter_mut().find(|(known, _)| *known == id) {
                Some((_, length)) if append => *length += length_of(artifact),
                Some((_, length)) => *length = length_of(artifact),
                None => received.push((id, length_of(artifact))),
            }
        }
    }
    if !last.is_some_and(TaskState::is_terminal) || task.state != last {
        // Another check reports that the end itself was missing.
        return Err(step.inconclusive("the subscription does not reach the end of the task"));
    }
    for artifact in task.artifacts.iter().flatten() {
        let Some(id) = artifact.artifact_id.as_deref() else { continue };
        let length = received.iter().find(|(known, _)| *known == id).map(|(_, length)| *length);
        let wanted = length_of(artifact);
        if length.is_none_or(|length| length < wanted) {
            let expected = format!("the artifact \"{id}\", as GetTask shows it");
            let actual = match length {
                None => "no event with this artifact".to_owned(),
                Some(length) => format!("{length} of its {wanted} characters"),
            };
            return Ok(step.fail(expected, actual).seen_in(read.exchange.id));
        }
    }
    Ok(step.pass().seen_in(read.exchange.id))
}

/// How long a task that was made by the same prompt took when it was polled.
pub(super) fn polled_ms(t: &Transcript) -> Option<f64> {
    let sent = steps(t, "poll", "send").last()?;
    let over = |step: &&Rc<Step>| task_of(&step.reply).is_some_and(Task::is_over);
    let end = std::iter::once(sent).chain(steps(t, "poll", "poll")).find(over)?;
    Some(end.exchange.end_ms - sent.exchange.sent_ms)
}

fn moves_on(t: &Transcript) -> Judged {
    settled(t)?;
    let Some(sent) = steps(t, "subscribe", "stream").last() else { return went_on(t) };
    t.lasts(sent, Behaviour::LongRunning).map_err(|why| why.met_by_chance(went_on(t)))?;
    went_on(t)
}

fn went_on(t: &Transcript) -> Judged {
    let (read, task) = settled(t)?;
    if !matches!(task.state, Some(TaskState::Submitted | TaskState::Working)) {
        return match task.state {
            // An end of any kind is judged by the check of the dropped stream.
            Some(_) => Ok(read.pass()),
            None => Err(Verdict::blocked("the task's state is not one that this version defines")),
        };
    }
    stands_still(&readings(t), polled_ms(t), "dropped")
}

/// Judges a task that is still at work when it was read last. T-STR-14: work of which nothing is seen may go on all the same, so
/// what counts is that another task was done long before.
pub(super) fn stands_still(readings: &[(&Rc<Step>, &Task)], usual_ms: Option<f64>, lost: &str) -> Judged {
    let Some((read, task)) = readings.last() else { return Err(Verdict::blocked("the task was not read")) };
    let artifacts = |task: &Task| task.artifacts.iter().flatten().map(length_of).sum::<usize>();
    let shown = |task: &Task| (task.state, task.timestamp.clone(), artifacts(task));
    // The agent may have noticed the loss of the stream only after its next actions.
    let since = readings.iter().rev().take_while(|(_, other)| shown(other) == shown(task)).last();
    let running = || read.inconclusive("the task was still running when the time ended");
    let (Some((first, _)), Some(usual_ms)) = (since, usual_ms) else { return Err(running()) };
    let waited_ms = read.exchange.sent_ms - first.exchange.sent_ms;
    if waited_ms < still_ms(usual_ms) {
        return Err(running());
    }
    let expected = format!(
        "the task to go on after its stream was {lost} (the same prompt took {} ms when it was polled)",
        whole_ms(usual_ms)
    );
    let state = task.state_text.as_deref().unwrap_or_default();
    let actual = format!("{state} without any change for {} ms", whole_ms(waited_ms));
    Ok(read.fail(expected, actual).at(format!("{}/status", task.at)).seen_in(first.exchange.id))
}

#[cfg(test)]
mod tests {
    use super::still_ms;

    #[test]
    fn a_task_that_takes_long_may_stand_still_for_longer() {
        assert_eq!([100.0, 4_000.0].map(still_ms), [10_000.0, 20_000.0]);
    }
}
