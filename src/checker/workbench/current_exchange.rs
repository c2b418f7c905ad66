//! The exchange of a workbench that is under way, or the last one: its events, how it ended, and who waits for news of it.

use std::task::Waker;

use crate::view_model::workbench::{ConversationView, ExchangeProgress, FinishedExchange};

/// How many events of a stream are shown while it goes on.
const SHOWN: usize = 60;

/// The exchange under way, or the last one.
#[derive(Default)]
pub(super) struct Live {
    is_under_way: bool,
    count: u32,
    events: Vec<(String, String)>,
    ended: Option<Box<FinishedExchange>>,
    /// Why nothing was sent.
    problem: String,
    listeners: Vec<Waker>,
}

impl Live {
    pub(super) const fn is_under_way(&self) -> bool {
        self.is_under_way
    }

    /// A new exchange begins. Those who waited for news of the last one wait for news of this one.
    pub(super) fn begin(&mut self) {
        *self = Self { is_under_way: true, listeners: std::mem::take(&mut self.listeners), ..Self::default() };
    }

    /// An event came, at that time after the beginning.
    pub(super) fn add_event(&mut self, at: String, text: String) {
        self.count += 1;
        if self.events.len() >= SHOWN {
            self.events.remove(0);
        }
        self.events.push((at, text));
    }

    /// The exchange is over; or nothing was sent, because of the problem.
    pub(super) fn finish(&mut self, ended: Option<Box<FinishedExchange>>, problem: String) {
        (self.is_under_way, self.ended, self.problem) = (false, ended, problem);
        self.wake();
    }

    pub(super) fn wake(&mut self) {
        for listener in self.listeners.drain(..) {
            listener.wake();
        }
    }

    /// Whether there are more events than these, or the exchange is over.
    pub(super) const fn has_news(&self, known: u32) -> bool {
        !self.is_under_way || self.count > known
    }

    /// Wakes this task at the next news.
    pub(super) fn wait(&mut self, waker: Waker) {
        self.listeners.push(waker);
    }

    /// The state of the exchange, with what a person has to do before it goes on.
    pub(super) fn shown(&self, confirm: &str, talk: ConversationView) -> ExchangeProgress {
        ExchangeProgress {
            is_over: !self.is_under_way,
            count: self.count,
            events: self.events.clone(),
            ended: self.ended.clone(),
            problem: if self.is_under_way { confirm.to_owned() } else { self.problem.clone() },
            talk,
        }
    }
}
