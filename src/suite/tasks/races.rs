//! Cancels, messages and subscriptions that meet the end of a task on purpose: how often what a client was told is not so. An
//! ordinary run meets such a moment by chance, which must not decide its verdict.

use std::cell::RefCell;
use std::rc::Rc;

use futures_util::future::{AbortHandle, Aborted, abortable, join, join_all, pending};

use super::{cancel, poll};
use crate::a2a::binding::{ReplyKind, StreamItemKind};
use crate::a2a::dialect::write::Outgoing;
use crate::a2a::model::{Operation, StreamEvent, Task, TaskState};
use crate::engine::prelude::{
    Behaviour, Check, Driver, Judged, Scenario, Step, StreamControl, Transcript, Verdict, task_of,
};
use crate::suite::messaging::makes_tasks;
use crate::suite::streaming::{is_end, stream_matches_get};
use crate::suite::subscribe::updates;
use crate::wire::exchange::End;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "races",
    title: "Meet the end of tasks with cancels, messages and subscriptions",
    messages: 4 * MOMENTS,
    is_thorough: true,
    streams: 1,
    rounds: 12,
    after: &["send", "cancel", "poll", "stream", "subscribe", "finished"],
    // It makes so many tasks that lists would have no others on their first page, and the moments have to be met.
    is_last: true,
    drive: |d| Box::pin(drive(d)),
    ..Scenario::judged_by(CHECKS)
};

const CHECKS: &[Check] = &[
    Check {
        id: "cancel.at-end",
        title: "A task that ends while it is cancelled has one end",
        why: "A client that was told of a result must not find the task canceled, nor the other way round.",
        fix: "Change the state of a task in one step that looks at the state before (compare and set, or under a lock), so that of a \
              cancel and the end of the work only the first counts.",
        requirements: &["task.terminal-immutable"],
        advisory: Some(ADVISORY),
        judge: |t| {
            unless_found(t, "cancel", "cancel.matches-get", cancel::matches_get)?;
            one_end(t, CANCEL, "cancels")
        },
        ..Check::tripped_by(&["cancel-overwrites-just-finished"])
    },
    Check {
        id: "send.at-end",
        title: "A message that meets the end of its task does not begin it again",
        why: "A client that saw a task finish has already acted on it.",
        fix: "Look at the state and take the message in one step, so that a message that comes as the task ends is refused or comes first.",
        requirements: &["task.terminal-immutable"],
        advisory: Some(ADVISORY),
        judge: |t| {
            unless_found(t, "poll", "task.no-way-back", poll::no_way_back)?;
            one_end(t, MESSAGE, "messages")
        },
        ..Check::tripped_by(&["message-reopens-just-finished"])
    },
    Check {
        id: "subscribe.at-end",
        title: "A subscription that meets the end of its task learns of it",
        why: "A client that came at the wrong moment waits for an end that was told before it was there.",
        fix: "Attach the subscriber first and read the task then, so that an end in between is seen in one of the two.",
        requirements: &["subscribe.closes", "subscribe.v03.resubscribe"],
        advisory: Some(ADVISORY),
        judge: subscriptions,
        ..Check::tripped_by(&["subscribe-misses-end", "subscribe-at-work-hangs"])
    },
];

const ADVISORY: &str = "whether a client meets the end of a task is chance";

/// How many requests of each kind are made.
const MOMENTS: u32 = 12;
/// How many of them are under way at once.
const CALLS_AT_ONCE: u32 = 4;
/// How long a task may usually take, in milliseconds, for its end to be waited for so often.
const LONGEST_MS: f64 = 5_000.0;
/// The time between two of the moments, in milliseconds: what an agent does wrong for longer, they meet.
const BETWEEN_MS: f64 = 5.0;

const MADE: &str = "made";
const CANCEL: &str = "cancel";
const MESSAGE: &str = "message";
const SUBSCRIPTION: &str = "subscription";
const AFTER: &str = "after";

async fn drive(d: &Driver) {
    if let Some(Err(why)) = d.earlier("send").map(|transcript| makes_tasks(transcript)) {
        return d.stop(why);
    }
    let Some(text) = d.prompt(Behaviour::Complete).map(|message| message.text) else { return };
    let Some(usual_ms) = d.facts().prompts.learned.work_times.usual_ms(&text) else {
        return d.stop(Verdict::inconclusive("no task was seen to end, so that nobody knows when to meet one"));
    };
    if usual_ms > LONGEST_MS {
        return d.stop(Verdict::inconclusive("the tasks of this agent take too long to wait for the end of so many"));
    }
    let _hurry = d.hurry();
    let streams = d.facts().declares(|card| card.streaming);
    let kinds: &[&'static str] = if streams { &[CANCEL, MESSAGE, SUBSCRIPTION] } else { &[CANCEL, MESSAGE] };
    for kind in kinds.iter().copied() {
        for first in (0..MOMENTS).step_by(CALLS_AT_ONCE as usize) {
            if !d.has_time() {
                return;
            }
            join_all((first..first + CALLS_AT_ONCE).map(|number| meet(d, &text, kind, Meeting::new(number, usual_ms))))
                .await;
            // One that waits for nothing shows what the others would.
            if d.every(SUBSCRIPTION).iter().any(|step| step.exchange.end.cut().is_some()) {
                return;
            }
        }
    }
}

/// When a request is made.
#[derive(Debug, Clone, Copy)]
enum Meeting {
    /// As soon as a stream shows the end.
    AtEnd,
    /// So many milliseconds after the message that began the task.
    After(f64),
}

impl Meeting {
    /// Every third is triggered by the end itself, the others lie around the usual one.
    fn new(number: u32, usual_ms: f64) -> Self {
        match number % 3 {
            0 => Self::AtEnd,
            _ => Self::After((usual_ms + BETWEEN_MS * (f64::from(number) - f64::from(MOMENTS) / 2.0)).max(0.0)),
        }
    }
}

/// A signal that may be given before anybody waits for it.
fn signal() -> (impl Future<Output = Result<(), Aborted>>, AbortHandle) {
    abortable(pending::<()>())
}

/// Makes a task, makes a request of that kind when it is about to end, and reads it afterwards.
async fn meet(d: &Driver, text: &str, kind: &'static str, moment: Meeting) {
    let begun_ms = d.now_ms();
    let task: RefCell<Option<String>> = RefCell::default();
    let (known, is_known) = signal();
    let (ended, is_over) = signal();
    let make = async {
        if d.facts().declares(|card| card.streaming) {
            let watch = |item: &StreamItemKind| {
                if let StreamItemKind::Event(event) = item {
                    if let Some(named) = task_named(event) {
                        task.borrow_mut().get_or_insert(named);
                        is_known.abort();
                    }
                    if is_end(event) {
                        is_over.abort();
                    }
                }
                StreamControl::Continue
            };
            d.open(MADE, &d.outgoing(text), watch).await;
        } else {
            let sent = d.send(MADE, &Outgoing { return_immediately: Some(true), ..d.outgoing(text) }).await;
            *task.borrow_mut() = task_of(&sent.reply).and_then(|task| task.id.clone());
        }
        is_known.abort();
        is_over.abort();
    };
    let request = async {
        let _: Result<(), Aborted> = known.await;
        let id = task.borrow().clone()?;
        match moment {
            Meeting::AtEnd => {
                let _: Result<(), Aborted> = ended.await;
            }
            Meeting::After(ms) => d.pause((begun_ms + ms - d.now_ms()).max(0.0)).await,
        }
        match kind {
            CANCEL => d.cancel(CANCEL, &id).await,
            MESSAGE => d.send(MESSAGE, &Outgoing { task_id: Some(id.clone()), ..d.outgoing(text) }).await,
            _ => d.subscribe(SUBSCRIPTION, &id, |_| StreamControl::Continue).await,
        };
        Some(id)
    };
    if let ((), Some(id)) = join(make, request).await {
        d.get(AFTER, &id, None).await;
    }
}

fn task_named(event: &StreamEvent) -> Option<String> {
    match event {
        StreamEvent::Task(task) => task.id.clone(),
        StreamEvent::Status(update) => update.task_id.clone(),
        _ => None,
    }
}

/// Nothing is left to say where the agent does so always: *blocked* where that check fails on the conversation of an earlier scenario.
fn unless_found(t: &Transcript, scenario: &str, check: &str, judge: fn(&Transcript) -> Judged) -> Result<(), Verdict> {
    let found = t.earlier(scenario).is_ok_and(|earlier| judge(earlier).is_ok_and(|verdict| verdict.expected.is_some()));
    if found { Err(Verdict::blocked(format!("it does so whenever it is asked: see {check}"))) } else { Ok(()) }
}

/// The requests of a kind that were answered or left without an answer until the time was over, each with its task.
fn met<'t>(t: &'t Transcript, kind: &'t str) -> Result<Vec<(&'t Rc<Step>, &'t str)>, Verdict> {
    t.ran_to_its_end()?;
    unless_found(t, "stream", "stream.matches-get", stream_matches_get)?;
    let is_over = |step: &&Rc<Step>| step.has_answer() || matches!(step.exchange.end, End::Deadline(_));
    let met: Vec<_> = t.every(kind).filter(is_over).filter_map(|step| Some((step, step.addressed_task()?))).collect();
    // Fewer make no rate.
    if met.len() < CALLS_AT_ONCE as usize {
        return Err(Verdict::inconclusive("too few requests met the end of a task"));
    }
    Ok(met)
}

/// Two answers about a task: one that shows its end, and one to a later request that shows something else.
fn contradiction<'t>(t: &'t Transcript, id: &str) -> Option<(&'t Rc<Step>, TaskState, &'t Rc<Step>, TaskState)> {
    let of_task = || t.steps.iter().filter(|step| step.addressed_task() == Some(id) || step.name == MADE);
    let state_in = |step: &Step| task_of(&step.reply).filter(|task| task.id.as_deref() == Some(id))?.state;
    let mut ends = of_task().flat_map(|step| told_ends(step, id).into_iter().map(move |told| (step, told)));
    ends.find_map(|(before, (end, at_ms))| {
        let mut later = of_task().filter(|step| step.exchange.sent_ms >= at_ms && matches!(step.name, CANCEL | AFTER));
        later.find_map(|after| Some((before, end, after, state_in(after).filter(|now| *now != end)?)))
    })
}

/// The ends of a task that a step shows, each with the time at which it came.
fn told_ends(step: &Step, id: &str) -> Vec<(TaskState, f64)> {
    let shown = step.shown_tasks().into_iter().filter(|shown| shown.id == Some(id));
    shown.filter_map(|shown| Some((shown.state.filter(|state| state.is_terminal())?, shown.at_ms))).collect()
}

/// Judges whether no task that was met at its end left it.
fn one_end(t: &Transcript, kind: &str, what: &str) -> Judged {
    let met = met(t, kind)?;
    let found: Vec<_> = met.iter().filter_map(|(step, id)| Some((step, contradiction(t, id)?))).collect();
    let Some((step, (before, end, after, now))) = found.first() else {
        return Ok(Verdict::pass_with(format!("{} {what} around the end of a task", met.len())));
    };
    let (end, now) = (t.state_name(*end), t.state_name(*now));
    let actual = format!("in {} of {} {what} a task that was {end} became {now}", found.len(), met.len());
    let verdict = after.fail("a task that ended to stay as it was", actual);
    Ok(verdict.seen_in(before.exchange.id).seen_in(step.exchange.id))
}

const fn is_known(event: &StreamEvent) -> bool {
    !matches!(event, StreamEvent::Other(_))
}

/// Judges whether every subscription that was taken around the end of a task showed it.
fn subscriptions(t: &Transcript) -> Judged {
    unless_found(t, "subscribe", "subscribe.updates", updates)?;
    let finished = t.earlier("finished").ok();
    if finished.is_some_and(|earlier| earlier.step("subscribe").is_ok_and(|step| earlier.is_never_answered(step))) {
        return Err(Verdict::blocked("it is never answered once a task is over: see transport.answers"));
    }
    // By the time at which one that was left waiting was tried again, the agent had its end.
    let first_try = |id: &str| {
        t.first_tries()
            .find(|step| step.sent.operation == Some(Operation::SubscribeToTask) && step.addressed_task() == Some(id))
    };
    let met: Vec<_> = met(t, SUBSCRIPTION)?.into_iter().map(|(step, id)| (first_try(id).unwrap_or(step), id)).collect();
    // T-STR-6, T-03-5: a refusal, or an end without an event, tells a client to read the task.
    let misses_end = |step: &Step| {
        let ReplyKind::Stream(items) = &step.reply.kind else { return matches!(step.exchange.end, End::Deadline(_)) };
        let is_read = items.iter().all(|item| matches!(&item.kind, StreamItemKind::Event(event) if is_known(event)));
        let states: Vec<_> = step.shown_tasks().iter().filter_map(|shown| shown.state).collect();
        is_read && !states.is_empty() && !states.iter().any(|state| state.is_terminal())
    };
    let taken = || met.iter().filter(|(step, _)| matches!(step.reply.kind, ReplyKind::Stream(_)));
    if taken().next().is_some() && taken().all(|(step, _)| misses_end(step)) {
        return Err(Verdict::blocked("no subscription shows the end of its task: see stream.lasts"));
    }
    let shows_end = |step: &&Rc<Step>| task_of(&step.reply).is_some_and(Task::is_over);
    let is_over = |id: &str| t.every(AFTER).filter(|step| step.addressed_task() == Some(id)).find(shows_end);
    let missed: Vec<_> =
        met.iter().filter(|(step, _)| misses_end(step)).filter_map(|(step, id)| Some((step, is_over(id)?))).collect();
    let Some((step, read)) = missed.first() else {
        return Ok(Verdict::pass_with(format!("{} subscriptions around the end of a task", met.len())));
    };
    let actual =
        format!("in {} of {} subscriptions around the end of a task its end was not told", missed.len(), met.len());
    let verdict = step.fail("a refusal, or the end of the task", actual);
    Ok(verdict.seen_in(read.exchange.id))
}
