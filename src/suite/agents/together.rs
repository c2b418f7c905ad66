//! Both agents are busy with three tasks each at the same time: whether streams, histories and lists hold their own; the
//! conversation is here, judges are in `together_judgement.rs`.

use std::rc::Rc;

use super::busy_tasks::{LISTS, STEPS};
use super::together_judgement::{apart, lists, own_history};
use crate::a2a::dialect::write::ListQuery;
use crate::a2a::model::Operation;
use crate::engine::drive::StepFuture;
use crate::engine::prelude::{Behaviour, Check, Driver, Scenario, Scope, Step, StreamControl, task_of};
use crate::engine::run::CALL;

use crate::suite::streaming::{in_order_beside, own_events, streamed_task};

pub(super) static SCENARIO: Scenario = Scenario {
    id: "agents-together",
    title: "Have two agents work on several tasks at the same time",
    scope: Scope::EachAgent,
    messages: 6,
    rounds: 3,
    after: &[CALL],
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    Check {
        id: "pair.own-events",
        title: "While two agents are busy, each stream holds events of its own task only",
        why: "A client that runs several tasks mixes up their results, or shows them to the wrong user.",
        fix: "Give every stream a queue of its own, and publish the events of a task only to the queues of that task.",
        requirements: &["stream.consistent-ids"],
        judge: |t| t.facts.declared("streaming", |card| card.streaming).and_then(|()| own_events(t, STEPS)),
        ..Check::tripped_by(&["crowd-leaks-update"])
    },
    Check {
        id: "pair.event-order",
        title: "While two agents are busy, each stream keeps the order of its updates",
        why: "A client that appends chunks as they come gets a text that nobody wrote.",
        fix: "Send a task's events through one queue, in the order they were generated.",
        requirements: &["stream.order", "stream.v03.matches-get"],
        judge: |t| t.facts.declared("streaming", |card| card.streaming).and_then(|()| in_order_beside(t, STEPS)),
        ..Check::tripped_by(&["crowd-swaps-updates"])
    },
    Check {
        id: "pair.own-history",
        title: "While two agents are busy, each history holds messages of its own context only",
        why: "A message that appears in somebody else's conversation is disclosed, and answered in the wrong place.",
        fix: "Keep the messages of each context apart.",
        judge: own_history,
        ..Check::tripped_by(&["crowd-shares-history"])
    },
    Check {
        id: "pair.lists",
        title: "While two agents are busy, the list of a context holds its own tasks only",
        why: "A client that lists a conversation finds the tasks of others in it.",
        fix: "Filter the list by contextId.",
        requirements: &["list.filter-context"],
        judge: lists,
        ..Check::tripped_by(&["list-ignores-context"])
    },
    Check {
        id: "pair.apart",
        title: "Nothing of one of two agents appears at the other",
        why: "Messages and tasks of one agent at another are disclosed to whoever may call that one.",
        fix: "Give each agent a store and queues of its own.",
        judge: apart,
        ..Check::tripped_by(&["crowd-shares-history"])
    },
];

async fn drive(d: &Driver) {
    let Some(other) = d.other().filter(|other| !d.is_stopped() && !other.is_stopped()) else { return };
    if !d.lets_tasks_overlap() || !other.lets_tasks_overlap() {
        return;
    }
    let both = [d, other];
    // In turns, so that neither agent is done before the other begins.
    d.together(STEPS.iter().flat_map(|(step, _)| both.map(|driver| begin(driver, step))).flatten()).await;
    let mut reads: Vec<StepFuture<'_>> = Vec::new();
    for driver in both {
        reads.extend(STEPS.iter().filter_map(|(step, read)| {
            let task = streamed_task(&*driver.last(step)?)?;
            Some(driver.get(read, &task, None))
        }));
    }
    d.together(reads).await;
    d.together(both.map(list).into_iter().flatten()).await;
}

/// Sends a message that keeps the agent busy for a moment, and streams the answer where the agent streams.
fn begin<'a>(d: &'a Driver, step: &'static str) -> Option<StepFuture<'a>> {
    let message = d.prompt(Behaviour::Stream)?;
    Some(match d.facts().declares(|card| card.streaming) {
        true => d.open(step, &message, |_| StreamControl::Continue),
        false => d.send(step, &message),
    })
}

/// Lists the context of each task, where the version has lists.
fn list(d: &Driver) -> Vec<StepFuture<'_>> {
    if d.dialect().method(Operation::ListTasks).is_none() {
        return Vec::new();
    }
    let contexts = STEPS.iter().zip(LISTS).filter_map(|((_, read), list)| {
        let context = d.last(read).and_then(|step: Rc<Step>| task_of(&step.reply)?.context_id.clone())?;
        Some(d.call(list, d.list_tasks(&ListQuery { context_id: Some(context), ..ListQuery::default() })))
    });
    contexts.collect()
}
