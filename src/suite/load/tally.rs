//! What a load has shown so far: counts, latencies, and of findings a few with their evidence. It takes the same memory however
//! long the load lasts, but for some bytes for each task id and context id.

use std::cell::{Cell, Ref, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use super::marks::Marks;
use super::trouble::AnswerTrouble;
use crate::engine::load::{ConversationCounts, LatencyFigures, LatencyHistogram};
use crate::engine::transcript::Step;

/// How many conversations with the same finding are kept as evidence.
const SAMPLES: u64 = 2;
/// How many kinds of errors are told apart. What an agent sends does not make the list longer.
const MAX_KINDS: usize = 30;

/// A finding, as a conversation observed it.
#[derive(Debug, Clone)]
pub(super) struct LoadObservation {
    pub(super) check: &'static str,
    pub(super) expected: String,
    pub(super) actual: String,
    pub(super) at: String,
    /// The answers of the conversation that show it, by their places.
    pub(super) answers: Vec<usize>,
}

/// What is known of a check's findings.
#[derive(Debug, Clone)]
pub(super) struct Found {
    /// The first.
    pub(super) first: LoadObservation,
    /// How many conversations show it.
    pub(super) conversations: u64,
    /// Whether a conversation showed it that was alone.
    pub(super) is_seen_alone: bool,
    /// The evidence.
    pub(super) kept: Vec<Rc<Step>>,
}

/// What a load has shown so far.
pub(super) struct LoadTally {
    pub(super) marks: Marks,
    is_alone: Cell<bool>,
    state: RefCell<LoadState>,
}

#[derive(Default)]
pub(super) struct LoadState {
    tasks: HashMap<u64, u32>,
    contexts: HashMap<u64, u32>,
    pub(super) found: BTreeMap<&'static str, Found>,
    /// How many conversations showed what each check judges.
    pub(super) seen: BTreeMap<&'static str, u64>,
    pub(super) counts: ConversationCounts,
    under_way: u64,
    pub(super) requests: u64,
    errors: Vec<(String, u64)>,
    latencies: BTreeMap<&'static str, LatencyHistogram>,
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Course {
    pub(super) is_accepted: bool,
    pub(super) is_ended: bool,
    pub(super) is_turned_away: bool,
}

fn digest(id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}

impl LoadTally {
    /// Of a load that has not begun: its conversations come one by one for now.
    pub(super) fn new(marks: Marks) -> Self {
        Self { marks, is_alone: Cell::new(true), state: RefCell::default() }
    }

    /// From now on conversations come side by side, and are counted.
    pub(super) fn begin(&self) {
        self.is_alone.set(false);
        self.state.borrow_mut().seen.clear();
    }

    /// Whether conversations come one by one.
    pub(super) const fn is_alone(&self) -> bool {
        self.is_alone.get()
    }

    /// Notes the task of a conversation; returns the other conversation that got the same id.
    pub(super) fn note_task(&self, id: &str, number: u32) -> Option<u32> {
        let first = *self.state.borrow_mut().tasks.entry(digest(id)).or_insert(number);
        (first != number).then_some(first)
    }

    /// The conversation that a task is of, if it is of one.
    pub(super) fn conversation_of(&self, id: &str) -> Option<u32> {
        self.state.borrow().tasks.get(&digest(id)).copied()
    }

    /// Notes the context of a conversation; returns whether it is its own. An agent may give several conversations one.
    pub(super) fn has_own_context(&self, id: &str, number: u32) -> bool {
        *self.state.borrow_mut().contexts.entry(digest(id)).or_insert(number) == number
    }

    /// Whether a context is not known to be another conversation's.
    pub(super) fn may_be_context_of(&self, id: &str, number: u32) -> bool {
        self.state.borrow().contexts.get(&digest(id)).is_none_or(|first| *first == number)
    }

    pub(super) fn note_beginning(&self) {
        let mut state = self.state.borrow_mut();
        state.under_way += 1;
        state.counts.begun += 1;
        state.counts.most_at_once = state.counts.most_at_once.max(state.under_way);
    }

    pub(super) fn note_end(&self, course: Course) {
        let mut state = self.state.borrow_mut();
        state.under_way = state.under_way.saturating_sub(1);
        state.counts.accepted += u64::from(course.is_accepted);
        state.counts.ended += u64::from(course.is_accepted && course.is_ended);
        state.counts.turned_away += u64::from(course.is_turned_away);
    }

    /// Notes a request, and what came instead of an answer.
    pub(super) fn note_request(&self, trouble: Option<&AnswerTrouble>) {
        if self.is_alone() {
            return;
        }
        let mut state = self.state.borrow_mut();
        state.requests += 1;
        let Some(trouble) = trouble else { return };
        let kind = trouble.kind();
        let is_full = state.errors.len() >= MAX_KINDS;
        match state.errors.iter_mut().find(|(known, _)| known == kind) {
            Some((_, count)) => *count += 1,
            None if !is_full => state.errors.push((kind.to_owned(), 1)),
            None => {
                if let Some((_, count)) = state.errors.last_mut() {
                    *count += 1;
                }
            }
        }
    }

    pub(super) fn note_latency(&self, what: &'static str, ms: f64) {
        if self.is_alone() {
            return;
        }
        self.state.borrow_mut().latencies.entry(what).or_default().add(ms);
    }

    /// Notes that a conversation showed what this check judges.
    pub(super) fn note_seen(&self, check: &'static str) {
        *self.state.borrow_mut().seen.entry(check).or_default() += 1;
    }

    /// Notes a finding. Returns whether its evidence is wanted.
    pub(super) fn note_found(&self, observation: &LoadObservation) -> bool {
        let is_seen_alone = self.is_alone();
        let new = || Found { first: observation.clone(), conversations: 0, is_seen_alone, kept: Vec::new() };
        let mut state = self.state.borrow_mut();
        let found = state.found.entry(observation.check).or_insert_with(new);
        found.conversations += 1;
        found.conversations <= SAMPLES
    }

    pub(super) fn keep(&self, check: &'static str, step: Rc<Step>) {
        if let Some(found) = self.state.borrow_mut().found.get_mut(check) {
            found.kept.push(step);
        }
    }

    /// What it has shown so far.
    pub(super) fn state(&self) -> Ref<'_, LoadState> {
        self.state.borrow()
    }

    /// What came instead of answers, the most frequent first.
    pub(super) fn errors(&self) -> Vec<(String, u64)> {
        let mut errors = self.state.borrow().errors.clone();
        errors.sort_by(|(one, few), (other, many)| many.cmp(few).then_with(|| one.cmp(other)));
        errors
    }

    pub(super) fn latencies(&self) -> Vec<LatencyFigures> {
        self.state.borrow().latencies.iter().filter_map(|(what, histogram)| histogram.figures(what)).collect()
    }
}
