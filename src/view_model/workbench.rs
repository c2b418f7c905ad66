//! The workbench as plain values: what somebody chose, the request that comes of it, what came back, and the conversation.
//! All of it is made in the checker (`checker/workbench`) and shown by the page.

use super::evidence::Evidence;
use super::reach::Panel;
use super::settings::Settings;
use crate::engine::requirement::Level;
use crate::host::probe::PageOrigin;
use crate::view_model::binary_encoding::binary_encoding;

/// The exchanges of the workbench have numbers above this one, so that none is taken for one of a run.
pub const FIRST: u32 = 1_000_000;

/// The title of an exchange: its number in its run, or in the workbench.
#[must_use]
pub fn exchange_title(id: u32, step: &str) -> String {
    match id.checked_sub(FIRST) {
        Some(number) => format!("Workbench {number}: {step}"),
        None => format!("Exchange {id}: {step}"),
    }
}

/// The questions of the page to the workbench; the answer's type is beside each.
#[derive(Debug, Clone)]
pub enum Ask {
    /// The request that the choices amount to. `Composed`
    Compose,
    /// Fetch the agent's card first. `Composed`
    ReadCard,
    /// Send this request. `Result<(), String>`, at once: why it is not sent.
    Send {
        /// The request as it is in the editor.
        request: Typed,
        /// Even if its body is not what it says it is.
        as_it_is: bool,
    },
    /// Go on in the conversation. `Result<(), String>`, at once: why nothing is sent.
    Talk {
        /// The action.
        act: ConversationAction,
        /// The text of the message.
        text: String,
    },
    /// The state of the exchange after that many events. `ExchangeProgress`, as soon as there is more, or it is over.
    Hear(u32),
    /// Hang up; what came until then stays. `()`
    Stop,
}

binary_encoding! { enum Ask { Compose, ReadCard, Send { request, as_it_is }, Talk { act, text }, Hear(of), Stop } }

/// An action in a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConversationAction {
    /// Send a message.
    Say,
    /// Send a message and watch what comes of it.
    Stream,
    /// Look at the task again.
    Look,
    /// Watch the task.
    Watch,
    /// Cancel the task.
    Cancel,
    /// Begin a new conversation. Nothing is sent.
    Restart,
}

binary_encoding! { enum ConversationAction { Say, Stream, Look, Watch, Cancel, Restart } }

/// The agent that the workbench asks, and the choices of the form.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bench {
    /// The address of the form.
    pub address: String,
    /// The rest of the form.
    pub settings: Box<Settings>,
    /// The address that the page was loaded from.
    pub home: PageOrigin,
    /// The faults of the demo agent.
    pub faults: Vec<String>,
    /// The choices of the form.
    pub draft: Draft,
}

binary_encoding! { struct Bench { address, settings, home, faults, draft } }

/// The choices of the form, by the names of its fields. A field that is missing has its default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Draft(Vec<(String, String)>);

binary_encoding! { struct Draft { 0 } }

impl Draft {
    /// The value of a field.
    #[must_use]
    pub fn get(&self, name: &str) -> &str {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str()).unwrap_or_default()
    }

    /// Types something into a field.
    pub fn set(&mut self, name: &str, value: &str) {
        self.0.retain(|(known, _)| known != name);
        self.0.push((name.to_owned(), value.to_owned()));
    }

    /// Whether it is the demo agent that is asked.
    #[must_use]
    pub fn is_demo(&self) -> bool {
        self.get("agent") == "demo"
    }
}

/// A request in an editor.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Typed {
    /// The method.
    pub method: String,
    /// The URL.
    pub url: String,
    /// The header fields, `Name: value` on each line.
    pub headers: String,
    /// The body.
    pub body: String,
}

binary_encoding! { struct Typed { method, url, headers, body } }

/// A list to choose from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choice {
    /// Its name in the draft.
    pub name: String,
    /// The value that is chosen.
    pub chosen: String,
    /// The values, what they are called, and whether each can be chosen.
    pub options: Vec<(String, String, bool)>,
}

binary_encoding! { struct Choice { name, chosen, options } }

/// The request that the choices amount to, and what there is to say about it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Composed {
    /// A sentence on the agent and its card.
    pub agent: String,
    /// Whether its card is known.
    pub has_card: bool,
    /// The lists; those that do not apply are missing.
    pub choices: Vec<Choice>,
    /// The names of the fields that the request has room for.
    pub fields: Vec<String>,
    /// The request; what it was before where there is a problem.
    pub request: Option<Typed>,
    /// A description of the format.
    pub about: String,
    /// A warning about what is not checked or not declared; empty for none.
    pub warning: String,
    /// A sentence on what is added when the request is sent.
    pub credentials: String,
    /// Why there is no request; empty where there is one.
    pub problem: String,
    /// Whether the conversation can be had: the format is one of A2A's own.
    pub can_talk: bool,
    /// Whether the agent streams, as far as is known.
    pub streams: bool,
}

binary_encoding! { struct Composed {
    agent, has_card, choices, fields, request, about, warning, credentials, problem, can_talk, streams,
} }

impl Composed {
    /// The list of that name, if it applies.
    #[must_use]
    pub fn choice(&self, name: &str) -> Option<&Choice> {
        self.choices.iter().find(|choice| choice.name == name)
    }

    /// Whether the request has room for that field.
    #[must_use]
    pub fn has(&self, field: &str) -> bool {
        self.fields.iter().any(|known| known == field)
    }
}

/// The state of an exchange that goes on, or of the last one.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ExchangeProgress {
    /// Whether nothing more comes.
    pub is_over: bool,
    /// How many events came.
    pub count: u32,
    /// The last of them: when each came, and what it says.
    pub events: Vec<(String, String)>,
    /// The answer, once it is over.
    pub ended: Option<Box<FinishedExchange>>,
    /// Why nothing was sent; empty where something was.
    pub problem: String,
    /// The conversation.
    pub talk: ConversationView,
}

binary_encoding! { struct ExchangeProgress { is_over, count, events, ended, problem, talk } }

/// An answer that is over.
#[derive(Debug, Clone, PartialEq)]
pub struct FinishedExchange {
    /// The exchange.
    pub evidence: Evidence,
    /// The judgement of it.
    pub judged: AnswerJudgement,
    /// The diagnosis of the way, where no answer could be seen.
    pub way: Option<Panel>,
}

binary_encoding! { struct FinishedExchange { evidence, judged, way } }

/// The judgement of one answer by the passive checks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AnswerJudgement {
    /// `pass`, `advisory`, `fail`, or `skip` where nothing was judged.
    pub tone: String,
    /// A sentence on what was judged, and with which result.
    pub sentence: String,
    /// The rules that are broken.
    pub broken: Vec<BrokenRule>,
}

binary_encoding! { struct AnswerJudgement { tone, sentence, broken } }

/// A rule that an answer breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenRule {
    /// The key of its row, which a run has too.
    pub key: String,
    /// The title of the check.
    pub title: String,
    /// The rule's level; may for a note.
    pub level: Level,
    /// Expected and received, and the place.
    pub found: String,
}

binary_encoding! { struct BrokenRule { key, title, level, found } }

/// A conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConversationView {
    /// The entries of the conversation, in order.
    pub turns: Vec<ConversationEntry>,
    /// The next step, in a sentence.
    pub next: String,
    /// The kind of wait: `input` while the agent asks its user, `work` while it works, else empty.
    pub waits: String,
    /// The task, as long as it goes on; else empty.
    pub task: String,
    /// The context that the next message goes on in; empty before there is one.
    pub context: String,
}

binary_encoding! { struct ConversationView { turns, next, waits, task, context } }

/// Something that was said or made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationEntry {
    /// `you`, `agent`, `state`, `artifact`, `error`.
    pub who: String,
    /// Its title.
    pub title: String,
    /// Its text.
    pub text: String,
}

binary_encoding! { struct ConversationEntry { who, title, text } }

/// The line and the column, from 1, of a place in a text; columns count characters.
#[must_use]
pub fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset.min(text.len())).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (line, column)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_in_a_text_has_a_line_and_a_column() {
        for (offset, place) in [(0, (1, 1)), (2, (1, 3)), (3, (2, 1)), (8, (2, 5)), (99, (3, 2))] {
            assert_eq!(line_and_column("ab\nc\u{e9}dx\ny", offset), place, "{offset}");
        }
    }

    #[test]
    fn a_draft_keeps_what_was_typed_last() {
        let mut draft = Draft::default();
        assert_eq!((draft.get("text"), draft.is_demo()), ("", false));
        draft.set("text", "one");
        draft.set("agent", "demo");
        draft.set("text", "two");
        assert_eq!((draft.get("text"), draft.is_demo()), ("two", true));
    }

    #[test]
    fn exchanges_of_the_workbench_are_told_from_those_of_a_run() {
        assert_eq!(exchange_title(7, "send"), "Exchange 7: send");
        assert_eq!(exchange_title(FIRST + 2, "GetTask"), "Workbench 2: GetTask");
    }
}
