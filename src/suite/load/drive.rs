//! Drives a load: a conversation of each kind alone, then many side by side, begun at a steady rate whatever the agent does (its
//! limits: `engine/load.rs`).

use std::collections::BTreeMap;

use futures_util::StreamExt;
use futures_util::future::{Either, LocalBoxFuture, select};
use futures_util::stream::FuturesUnordered;

use super::conversation::LoadConversation;
use super::ids::{CANCEL_RACE, COMPLETE, LEAVING, LISTS, ORDER, OWN_EVENTS, RETURNING, STREAMS_AGREE};
use super::judgement::{LOAD, document, finding};
use super::kinds::{ConversationKind, TURNS, converse};
use super::marks::Marks;
use super::tally::{Course, LoadTally};
use crate::a2a::model::Operation;
use crate::engine::drive::Driver;
use crate::engine::load::{DRAIN_MS, LoadFigures, LoadOptions};
use crate::engine::prompt::Behaviour;
use crate::engine::verdict::Verdict;

/// A kind of conversation as this agent is asked for it.
struct AskedConversation {
    kind: ConversationKind,
    text: String,
    /// How long one took that was alone, in milliseconds.
    alone_ms: f64,
}

/// When a conversation is due, and when the last was.
struct LoadPace {
    begun_ms: f64,
    options: LoadOptions,
}

impl LoadPace {
    /// When the conversation of that number is due, in milliseconds since the run began; `None` after the end of the load.
    fn due_ms(&self, number: u32) -> Option<f64> {
        let after_ms = f64::from(number) * 1000.0 / self.options.rate;
        (after_ms < self.options.duration_ms).then_some(self.begun_ms + after_ms)
    }

    fn end_ms(&self) -> f64 {
        self.begun_ms + self.options.duration_ms
    }

    /// How many conversations are due by the end.
    fn due(&self) -> u64 {
        // The cast saturates.
        (self.options.duration_ms * self.options.rate / 1000.0).ceil() as u64
    }
}

pub(super) async fn drive(d: &Driver) {
    let Some(options) = d.load() else {
        return d.stop(Verdict::not_run("no load was asked for"));
    };
    let tally = LoadTally::new(Marks::new(&d.fresh_id()));
    let Some(asked) = alone(d, &tally).await else { return };
    tally.begin();
    let pace = LoadPace { begun_ms: d.now_ms(), options };
    run(d, &tally, &asked, &pace).await;
    d.record_load(figures(d, &tally, &pace));
    record(d, &tally, &asked);
}

/// The kinds of conversations that this agent takes part in. Each is had alone once, which shows how long it takes and what is odd about
/// it by itself.
async fn alone(d: &Driver, tally: &LoadTally) -> Option<Vec<AskedConversation>> {
    let first = d.prompt(Behaviour::Complete)?;
    // On the record, as every other call of a run: it shows which form of a message the agent takes.
    let step = d.send(LOAD, &first).await;
    if !matches!(step.reply.kind, crate::a2a::binding::ReplyKind::Result(_)) {
        let why = format!("a message that is sent alone is answered with {}", step.reply.kind.describe());
        d.stop(step.blocked(why));
        return None;
    }
    let streams = d.facts().declares(|card| card.streaming);
    let several = d.facts().prompts.text(Behaviour::Stream);
    let mut asked: Vec<AskedConversation> = Vec::new();
    let numbers = u32::MAX - 10..;
    for (kind, number) in
        [ConversationKind::Send, ConversationKind::Stream, ConversationKind::Subscribers, ConversationKind::CancelRace]
            .into_iter()
            .zip(numbers)
    {
        let has_method = |operation| d.dialect().method(operation).is_some();
        let text = match kind {
            ConversationKind::Send => Some(first.text.clone()),
            _ if !streams || !has_method(Operation::SendStreamingMessage) => None,
            ConversationKind::Stream => several.clone().or_else(|| Some(first.text.clone())),
            ConversationKind::Subscribers if !has_method(Operation::SubscribeToTask) => None,
            ConversationKind::Subscribers | ConversationKind::CancelRace => several.clone(),
        };
        let Some(text) = text else { continue };
        let begun_ms = d.now_ms();
        // How long the work takes is known from the stream, when the cancel comes.
        let alone_ms =
            asked.iter().find(|asked| asked.kind == ConversationKind::Stream).map_or(0.0, |asked| asked.alone_ms);
        let course = converse(LoadConversation::new(d, tally, number, begun_ms, alone_ms), kind, &text).await;
        let took_ms = if kind == ConversationKind::CancelRace { alone_ms } else { d.now_ms() - begun_ms };
        if course.is_accepted {
            asked.push(AskedConversation { kind, text, alone_ms: took_ms });
        }
    }
    if asked.is_empty() {
        d.stop(Verdict::blocked("no conversation came about that was alone"));
        return None;
    }
    Some(asked)
}

/// Begins conversations when they are due, as far as there is room, and waits for those that are under way at the end.
async fn run(d: &Driver, tally: &LoadTally, asked: &[AskedConversation], pace: &LoadPace) {
    let mut running = FuturesUnordered::new();
    let mut number = 0;
    while let Some(due_ms) = pace.due_ms(number) {
        let now_ms = d.now_ms();
        if now_ms >= pace.end_ms() {
            break;
        }
        let has_room = running.len() < pace.options.conversations;
        if now_ms >= due_ms && has_room {
            running.push(one(d, tally, asked, number, due_ms));
            number += 1;
        }
        let until_ms = match pace.due_ms(number) {
            Some(due_ms) if running.len() < pace.options.conversations => due_ms,
            _ => pace.end_ms(),
        };
        wait(d, &mut running, until_ms).await;
    }
    let last_ms = d.now_ms() + DRAIN_MS;
    while !running.is_empty() && d.now_ms() < last_ms {
        wait(d, &mut running, last_ms).await;
    }
}

/// Waits until that time, or until a conversation is over. Even when the time has come, all others get their turn.
async fn wait(d: &Driver, running: &mut FuturesUnordered<LocalBoxFuture<'_, Course>>, until_ms: f64) {
    let pause = d.sleep((until_ms - d.now_ms()).max(0.0));
    if running.is_empty() {
        return pause.await;
    }
    match select(running.next(), pause).await {
        Either::Left(_) | Either::Right(_) => {}
    }
}

/// One conversation of the load.
fn one<'a>(
    d: &'a Driver,
    tally: &'a LoadTally,
    asked: &'a [AskedConversation],
    number: u32,
    due_ms: f64,
) -> LocalBoxFuture<'a, Course> {
    Box::pin(async move {
        tally.note_beginning();
        let turn = usize::try_from(number).unwrap_or_default();
        let kind = TURNS.get(turn % TURNS.len()).copied().unwrap_or(ConversationKind::Send);
        let found = asked.iter().find(|asked| asked.kind == kind).or_else(|| asked.get(turn % asked.len().max(1)));
        let Some(AskedConversation { kind, text, alone_ms }) = found else { return Course::default() };
        let course = converse(LoadConversation::new(d, tally, number, due_ms, *alone_ms), *kind, text).await;
        tally.note_end(course);
        course
    })
}

fn figures(d: &Driver, tally: &LoadTally, pace: &LoadPace) -> LoadFigures {
    let LoadOptions { duration_ms, rate, conversations, .. } = pace.options;
    let mut counts = tally.state().counts;
    counts.due = pace.due();
    let round = |figure: f64| (figure * 100.0).round() / 100.0;
    LoadFigures {
        lane: d.lane().map(|lane| lane.id.clone()).unwrap_or_default(),
        duration_ms,
        rate,
        conversations_at_once: conversations,
        took_ms: round(d.now_ms() - pace.begun_ms),
        achieved_rate: round(counts.begun as f64 * 1000.0 / duration_ms),
        conversations: counts,
        requests: tally.state().requests,
        errors: tally.errors(),
        latencies: tally.latencies(),
    }
}

/// Puts on the record what the checks are to judge.
fn record(d: &Driver, tally: &LoadTally, asked: &[AskedConversation]) {
    let Some(step) = d.last(LOAD) else { return };
    let missing = missing(d, asked);
    d.record_finding(LOAD, &step, document(&tally.state().seen, &missing));
    let state = tally.state();
    for (&check, found) in &state.found {
        let evidence = found.kept.first().unwrap_or(&step);
        d.record_finding(check, evidence, finding(found, state.counts.begun));
    }
}

/// Why some checks see nothing on this agent, whatever the load.
fn missing(d: &Driver, asked: &[AskedConversation]) -> BTreeMap<&'static str, &'static str> {
    let has = |kind| asked.iter().any(|asked| asked.kind == kind);
    let mut missing = BTreeMap::new();
    if !has(ConversationKind::Stream) {
        let why = "the agent streams no tasks, or does not declare streaming";
        missing.extend([COMPLETE, ORDER, OWN_EVENTS].map(|check| (check, why)));
    }
    if !has(ConversationKind::Subscribers) {
        let why = "no streams can be opened of a task at work; to run this check, use a prompt \"stream\"";
        missing.extend([STREAMS_AGREE, LEAVING, RETURNING].map(|check| (check, why)));
    }
    if !has(ConversationKind::CancelRace) {
        let why = "no task is known that works for a while; to run this check, use a prompt \"stream\"";
        missing.insert(CANCEL_RACE, why);
    }
    if d.dialect().method(Operation::ListTasks).is_none() {
        missing.insert(LISTS, "the version has no list of tasks");
    }
    missing
}
