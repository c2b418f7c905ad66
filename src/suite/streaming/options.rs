//! A streamed message with options of unary answers: returnImmediately does not end the stream, and historyLength is respected.

use super::events::{declared, shows_end, task_events};
use crate::a2a::dialect::write::Outgoing;
use crate::a2a::model::StreamEvent;
use crate::engine::prelude::{Behaviour, Check, Driver, Judged, Scenario, StreamControl, Transcript, count_of};
use crate::wire::exchange::End;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "stream-options",
    title: "Stream with returnImmediately and historyLength",
    messages: 1,
    streams: 1,
    rounds: 2,
    after: &["stream"],
    needs: declared,
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    Check {
        id: "stream.return-immediately-ignored",
        title: "returnImmediately does not end a stream",
        why: "returnImmediately applies to unary calls; a stream that ends at once because of it leaves the client \
              without a result.",
        fix: "Ignore returnImmediately when the message is streamed.",
        judge: runs_on,
        ..Check::tripped_by(&["stream-returns-immediately"])
    },
    Check {
        id: "stream.history-max",
        title: "Streamed tasks respect historyLength",
        why: "A client that wants no history wants none in a stream either.",
        fix: "Cut the history of every Task in a stream to its last historyLength messages.",
        judge: history,
        ..Check::tripped_by(&["stream-full-history"])
    },
];

async fn drive(d: &Driver) {
    let Some(message) = d.prompt(Behaviour::Stream) else { return };
    let message = Outgoing { return_immediately: Some(true), history_length: Some(0), ..message };
    d.open("stream", &message, |_| StreamControl::Continue).await;
}

fn runs_on(t: &Transcript) -> Judged {
    let (plain, before) = task_events(t.earlier("stream")?, "stream")?;
    if !shows_end(&before) {
        return Err(
            plain.inconclusive("the stream without returnImmediately does not reach the end of the task either")
        );
    }
    let (step, events) = task_events(t, "stream")?;
    let cut_short = step.exchange.end == End::Complete && !shows_end(&events);
    let actual = format!("the end after {}", count_of(events.len(), "event"));
    step.claim(!cut_short, "a stream that continues to the end of the task", actual, "")
}

fn history(t: &Transcript) -> Judged {
    let (step, events) = task_events(t, "stream")?;
    for (number, event) in events {
        let StreamEvent::Task(task) = event else { continue };
        let length = task.history.as_ref().map_or(0, Vec::len);
        if length > 0 {
            let place = format!("event {number}: {}", task.at.key("history").as_str());
            return step.claim(false, "no history", count_of(length, "message"), place);
        }
    }
    Ok(step.pass())
}
