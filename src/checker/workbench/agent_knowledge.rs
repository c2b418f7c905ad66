//! The workbench's knowledge of an agent: its card, if one was read, and the ids that its answers named.

use std::rc::Rc;

use crate::a2a::binding::ReplyKind;
use crate::a2a::dialect::Dialect;
use crate::a2a::model::{Card, Payload, StreamEvent};
use crate::engine::detect::{Detected, detect, force, read};
use crate::engine::discover;
use crate::engine::transcript::Lane;
use crate::wire::json::Value;

/// The agent's card, and its interfaces.
#[derive(Debug, Default)]
pub(super) struct KnownCard {
    pub(super) card: Option<Rc<Card>>,
    pub(super) lanes: Vec<Rc<Lane>>,
    /// Whether the card fits two versions, so that only answers would tell.
    pub(super) is_open: bool,
    /// Why there is no card, if one was asked for.
    pub(super) problem: String,
}

/// The ids that the answers so far named last.
#[derive(Debug, Default, Clone)]
pub(super) struct LatestIds {
    pub(super) task: String,
    pub(super) context: String,
    pub(super) config: String,
}

impl KnownCard {
    /// Reads a card by the version that the user chose.
    pub(super) fn chosen(document: &Value, version: &'static Dialect) -> Self {
        let (card, _) = force(document, version);
        let (lanes, _) = discover::lanes(&card);
        Self { card: Some(Rc::new(card)), lanes, ..Self::default() }
    }

    /// Reads a card. `settled` is the version of its rules, if a run has settled it.
    pub(super) fn of_card(document: &Value, settled: Option<&str>) -> Self {
        let detected = match settled.and_then(Dialect::of_version) {
            Some(dialect) => Detected::new(dialect, ""),
            None => detect(document),
        };
        let card = read(document, &detected);
        let (lanes, _) = discover::lanes(&card);
        Self { card: Some(Rc::new(card)), lanes, is_open: detected.open, problem: String::new() }
    }

    /// The extensions that the card requires of every call.
    pub(super) fn required_extensions(&self) -> Vec<String> {
        let declared = self.card.iter().flat_map(|card| card.extensions.iter());
        declared.filter(|(_, required)| *required).map(|(uri, _)| uri.clone()).collect()
    }
}

impl LatestIds {
    pub(super) fn note(&mut self, reply: &ReplyKind) {
        match reply {
            ReplyKind::Result(Payload::Sent { task: Some(task), .. } | Payload::Task(task)) => {
                self.ids(task.id.as_deref(), task.context_id.as_deref());
            }
            ReplyKind::Result(Payload::Sent { message: Some(message), .. }) => {
                self.ids(None, message.context_id.as_deref());
            }
            ReplyKind::Result(Payload::Tasks(list)) => {
                let first = list.tasks.first();
                self.ids(first.and_then(|task| task.id.as_deref()), None);
            }
            ReplyKind::Result(Payload::PushConfig(config)) => {
                if let Some(id) = &config.id {
                    self.config.clone_from(id);
                }
            }
            ReplyKind::Stream(items) => {
                for event in items.iter().filter_map(|item| item.kind.event()) {
                    match event {
                        StreamEvent::Message(message) => self.ids(None, message.context_id.as_deref()),
                        event => self.ids(event.task_id(), event.context_id()),
                    }
                }
            }
            _ => {}
        }
    }

    fn ids(&mut self, task: Option<&str>, context: Option<&str>) {
        if let Some(task) = task {
            task.clone_into(&mut self.task);
        }
        if let Some(context) = context {
            context.clone_into(&mut self.context);
        }
    }
}
