//! Asks for parts of every kind, for the checks over all traffic to look at: the form of files, and historyLength of a send.

use super::send::finished;
use crate::a2a::dialect::write::Outgoing;
use crate::a2a::model::Operation;
use crate::a2a::rule::Rule;
use crate::engine::prelude::{Behaviour, Check, Driver, Judged, Scenario, Transcript, Verdict, count_of};
use crate::suite::multi_turn::LAST_TURN;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "data-types",
    title: "Ask for artifacts of every kind",
    messages: 1,
    after: &["send", "context"],
    judged_after: &["multi-turn"],
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    Check {
        id: "send.history-max",
        title: "A send respects configuration.historyLength",
        why: "A limit on history must hold in the response to a send too, not only in GetTask.",
        fix: "Apply configuration.historyLength when building the response to SendMessage.",
        requirements: &["send.history-max", "send.v03.history-max"],
        judge: history_max,
        ..Check::tripped_by(&["history-unbounded"])
    },
    Check {
        id: "part.file",
        title: "Files have either bytes or a URI",
        why: "Clients cannot read a file that has both, or neither.",
        fix: "Give a file exactly one of bytes (in base64) and uri.",
        requirements: &["part.v03.file", "part.v01.type"],
        judge: files,
        ..Check::tripped_by(&["file-two-contents"])
    },
];

async fn drive(d: &Driver) {
    // The cap can be seen on any task; with no prompt for every kind of part, the plain one does.
    let prompt = d.facts().prompts.text(Behaviour::DataTypes).or_else(|| d.facts().prompts.text(Behaviour::Complete));
    let Some(text) = prompt else { return };
    // Where no list has one created, this is the third task of a context.
    let before = d.earlier("send").filter(|_| d.dialect().method(Operation::ListTasks).is_none());
    let context_id = before.and_then(|send| finished(send).ok()?.context_id.clone());
    let message = Outgoing { history_length: Some(1), context_id, ..d.outgoing(text) };
    d.send("send", &message).await;
}

fn files(t: &Transcript) -> Judged {
    t.answered("send")?;
    Ok(t.rule(Rule::PartFile, || Verdict::not_applicable("the agent sent no file")))
}

/// A conversation of several turns has more to cut than a task that was just made.
fn history_max(t: &Transcript) -> Judged {
    let turns = t.earlier("multi-turn").and_then(|turns| turns.task(LAST_TURN));
    let (step, task) = turns.or_else(|_| t.task("send"))?;
    match &task.history {
        Some(history) if history.len() > 1 => {
            let actual = count_of(history.len(), "message");
            Ok(step.fail("at most 1 message of history", actual).at(task.at.key("history")))
        }
        Some(_) => Ok(step.pass()),
        // T-HIST-1: no history is always legal.
        None => Ok(step.pass_with("the response contains no history")),
    }
}
