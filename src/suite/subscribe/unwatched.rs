//! A stream that its client leaves for good, and nobody subscribes again: whether the task comes to its end.

use std::rc::Rc;

use super::after_disconnect::{polled_ms, stands_still, still_ms};
use crate::a2a::model::TaskState;
use crate::engine::prelude::{Behaviour, Check, Driver, Judged, Scenario, StreamControl, Transcript, Verdict, task_of};
use crate::suite::streaming::{declared, streamed_task};

pub(super) static SCENARIO: Scenario = Scenario {
    id: "unwatched",
    title: "Leave a stream, and only read its task",
    messages: 1,
    streams: 1,
    rounds: 3,
    after: &["poll"],
    needs: declared,
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[Check {
    id: "subscribe.unwatched-ends",
    title: "A task that nobody watches any more comes to its end",
    why: "A client that lost its stream and cannot subscribe again reads the task until it is over.",
    fix: "Read the events of the agent's work in a task of its own and store each of them, whether a client listens or not.",
    requirements: &["subscribe.v03.survives"],
    judge,
    ..Check::tripped_by(&["unwatched-not-stored"])
}];

async fn drive(d: &Driver) {
    let Some(message) = d.prompt(Behaviour::LongRunning) else { return };
    let stream = d.open("stream", &message, |_| StreamControl::HangUp).await;
    let Some(id) = streamed_task(&stream) else { return };
    let patience_ms = || still_ms(d.polled_ms().unwrap_or(f64::INFINITY));
    d.poll_while_it_moves("settled", &id, Box::new(patience_ms)).await;
}

fn judge(t: &Transcript) -> Judged {
    let (stream, _) = t.stream("stream")?;
    if streamed_task(stream).is_none() {
        return Err(stream.inconclusive("the stream shows no task"));
    }
    let readings: Vec<_> = t.every("settled").filter_map(|step: &Rc<_>| Some((step, task_of(&step.reply)?))).collect();
    let Some((read, task)) = readings.last() else {
        return Err(stream.blocked("the task cannot be read after its stream"));
    };
    match task.state {
        None => Err(Verdict::blocked("the task's state is not one that this version defines")),
        Some(TaskState::Submitted | TaskState::Working) => {
            stands_still(&readings, t.earlier("poll").ok().and_then(|poll| polled_ms(poll)), "left for good")
        }
        Some(_) => Ok(stream.pass().seen_in(read.exchange.id)),
    }
}
