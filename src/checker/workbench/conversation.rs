//! A conversation: what answers and events add to it, how it goes on, and how many turns and how much of a text are shown.

use crate::a2a::binding::{ReplyKind, StreamItemKind};
use crate::a2a::model::{
    Artifact, ArtifactUpdate, Content, Message, Operation, Part, Payload, StatusUpdate, StreamEvent, Task, TaskState,
};
use crate::view_model::workbench::{ConversationAction, ConversationEntry, ConversationView};
use crate::wire::json::{brief, clip};

/// How much of a text of the agent's is shown, in characters.
const MOST: usize = 20_000;
const TURNS: usize = 200;

#[derive(Debug, Default)]
pub(super) struct Conversation {
    shown: ConversationView,
    /// The artifacts of the task, with the places of their turns.
    artifacts: Vec<(String, usize)>,
    /// The task that was spoken of last.
    task: String,
    state: Option<TaskState>,
    /// The status message that was shown last.
    said: String,
}

impl Conversation {
    pub(super) fn shown(&self) -> ConversationView {
        self.shown.clone()
    }

    /// The task that the next message continues: one that asks its user, or is still at work.
    pub(super) fn open_task(&self) -> Option<String> {
        let is_open = self.state.is_some_and(|state| !state.is_terminal());
        Some(self.task.clone()).filter(|task| is_open && !task.is_empty())
    }

    pub(super) fn context(&self) -> Option<String> {
        Some(self.shown.context.clone()).filter(|context| !context.is_empty())
    }

    /// The operation of an act upon the task; `None` for those that send a message or nothing.
    pub(super) const fn operation(act: ConversationAction) -> Option<Operation> {
        match act {
            ConversationAction::Look => Some(Operation::GetTask),
            ConversationAction::Watch => Some(Operation::SubscribeToTask),
            ConversationAction::Cancel => Some(Operation::CancelTask),
            ConversationAction::Say | ConversationAction::Stream | ConversationAction::Restart => None,
        }
    }

    pub(super) fn say(&mut self, text: &str) {
        if self.open_task().is_none() {
            // The artifacts of a new task are new.
            self.artifacts.clear();
            self.state = None;
            self.task.clear();
        }
        self.turn("you", "You", text.to_owned());
        self.go_on();
    }

    /// Takes in a whole reply. Events of a stream were taken in one by one.
    pub(super) fn reply(&mut self, reply: &ReplyKind) {
        match reply {
            ReplyKind::Result(Payload::Sent { task: Some(task), .. } | Payload::Task(task)) => self.task(task),
            ReplyKind::Result(Payload::Sent { message: Some(message), .. }) => self.message(message),
            ReplyKind::Stream(_) | ReplyKind::Result(_) => {}
            other => self.turn("error", "Answer", other.describe()),
        }
        self.go_on();
    }

    pub(super) fn event(&mut self, item: &StreamItemKind) {
        match item {
            StreamItemKind::Event(StreamEvent::Task(task)) => self.task(task),
            StreamItemKind::Event(StreamEvent::Message(message)) => self.message(message),
            StreamItemKind::Event(StreamEvent::Status(update)) => self.status(update),
            StreamItemKind::Event(StreamEvent::Artifact(update)) => self.chunk(update),
            StreamItemKind::Event(StreamEvent::Other(value)) => self.turn("error", "Unknown event", brief(value, 200)),
            StreamItemKind::Error(error) => self.turn("error", "Error", error.describe()),
            StreamItemKind::Unreadable(what) => self.turn("error", "Unreadable event", what.clone()),
        }
        self.go_on();
    }

    fn message(&mut self, message: &Message) {
        self.ids(message.task_id.as_deref(), message.context_id.as_deref());
        self.turn("agent", "Agent", text_of(&message.parts));
    }

    fn task(&mut self, task: &Task) {
        self.ids(task.id.as_deref(), task.context_id.as_deref());
        self.turn_state(task.state, task.status_message.as_ref());
        for artifact in task.artifacts.iter().flatten() {
            self.artifact(artifact, false);
        }
    }

    fn status(&mut self, update: &StatusUpdate) {
        self.ids(update.task_id.as_deref(), update.context_id.as_deref());
        self.turn_state(update.state, update.message.as_ref());
    }

    fn chunk(&mut self, update: &ArtifactUpdate) {
        self.ids(update.task_id.as_deref(), update.context_id.as_deref());
        self.artifact(&update.artifact, update.append);
    }

    fn turn_state(&mut self, state: Option<TaskState>, message: Option<&Message>) {
        if state.is_some() && state != self.state {
            self.state = state;
            let text = state.map(in_words).unwrap_or_default();
            self.turn("state", "Task", text.to_owned());
        }
        let Some(message) = message else { return };
        let (text, id) = (text_of(&message.parts), message.message_id.clone().unwrap_or_default());
        // A status that is shown again says its message again.
        let said = format!("{id} {text}");
        if !text.is_empty() && said != self.said {
            self.said = said;
            self.turn("agent", "Agent", text);
        }
    }

    fn artifact(&mut self, artifact: &Artifact, append: bool) {
        let id = artifact.artifact_id.clone().unwrap_or_default();
        let text = text_of(&artifact.parts);
        let known = self.artifacts.iter().find(|(known, _)| *known == id).map(|(_, place)| *place);
        match known.and_then(|place| self.shown.turns.get_mut(place)) {
            Some(turn) if append => {
                turn.text.push_str(&text);
                turn.text = clip(&turn.text, MOST);
            }
            Some(turn) => turn.text = text,
            None => {
                let title = if id.is_empty() { "Artifact".to_owned() } else { format!("Artifact {}", short(&id)) };
                self.turn("artifact", &title, text);
                self.artifacts.push((id, self.shown.turns.len().saturating_sub(1)));
            }
        }
    }

    fn ids(&mut self, task: Option<&str>, context: Option<&str>) {
        if let Some(task) = task.filter(|task| *task != self.task) {
            task.clone_into(&mut self.task);
            self.artifacts.clear();
            self.state = None;
        }
        if let Some(context) = context {
            context.clone_into(&mut self.shown.context);
        }
    }

    fn turn(&mut self, who: &str, title: &str, text: String) {
        if self.shown.turns.len() >= TURNS {
            self.shown.turns.remove(0);
            self.artifacts.retain_mut(|(_, place)| {
                let stays = *place > 0;
                *place = place.saturating_sub(1);
                stays
            });
        }
        self.shown.turns.push(ConversationEntry { who: who.to_owned(), title: title.to_owned(), text });
    }

    fn go_on(&mut self) {
        let (waits, next) = match self.state {
            Some(TaskState::InputRequired) => {
                ("input", "The agent asks for your answer; your next message continues this task.")
            }
            Some(TaskState::AuthRequired) => {
                ("input", "The agent waits for an authorisation that is given elsewhere; then continue this task.")
            }
            Some(state) if state.is_terminal() => {
                ("", "The task is over; your next message begins another in the same context.")
            }
            Some(_) => ("work", "The agent is working: refresh, watch the task, or cancel it."),
            None => ("", ""),
        };
        self.shown.task = self.open_task().unwrap_or_default();
        (self.shown.waits, self.shown.next) = (waits.to_owned(), next.to_owned());
    }
}

const fn in_words(state: TaskState) -> &'static str {
    match state {
        TaskState::Submitted => "submitted",
        TaskState::Working => "working",
        TaskState::Completed => "completed",
        TaskState::Failed => "failed",
        TaskState::Canceled => "canceled",
        TaskState::InputRequired => "input required",
        TaskState::Rejected => "rejected",
        TaskState::AuthRequired => "authorisation required",
        TaskState::Unspecified => "unspecified",
    }
}

/// The texts of parts, one after another.
fn text_of(parts: &[Part]) -> String {
    let of = |part: &Part| match &part.content {
        Some(Content::Text(text)) => text.clone(),
        Some(Content::Data(value)) => brief(value, 2_000),
        Some(Content::Raw(length)) => {
            let media = part.media_type.as_deref().unwrap_or("a file");
            format!("[{}, {length} characters of base64]", short(media))
        }
        Some(Content::Url(url)) => format!("[a file at {}]", short(url)),
        None => "[a part that cannot be read]".to_owned(),
    };
    clip(&parts.iter().map(of).collect::<Vec<_>>().join("\n"), MOST)
}

fn short(text: &str) -> String {
    text.chars().take(80).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Vec<Part> {
        vec![Part { content: Some(Content::Text(text.to_owned())), media_type: None }]
    }

    fn task(state: TaskState) -> Task {
        let id = |id: &str| Some(id.to_owned());
        Task { id: id("t"), context_id: id("c"), state: Some(state), ..Task::default() }
    }

    fn chunk(text: &str, append: bool) -> StreamItemKind {
        let artifact = Artifact { artifact_id: Some("a".to_owned()), parts: parts(text), ..Artifact::default() };
        let update = ArtifactUpdate { task_id: Some("t".to_owned()), artifact, append, ..ArtifactUpdate::default() };
        StreamItemKind::Event(StreamEvent::Artifact(update))
    }

    fn texts(conversation: &Conversation) -> Vec<String> {
        conversation.shown().turns.into_iter().map(|turn| format!("{}: {}", turn.who, turn.text)).collect()
    }

    #[test]
    fn a_task_that_needs_input_is_continued_and_a_finished_one_is_not() {
        let mut talk = Conversation::default();
        talk.say("book a flight");
        assert_eq!((talk.open_task(), talk.context()), (None, None));
        let asks = Message { parts: parts("Where to?"), ..Message::default() };
        let waiting = Task { status_message: Some(asks), ..task(TaskState::InputRequired) };
        talk.reply(&ReplyKind::Result(Payload::Sent { task: Some(waiting.clone()), message: None }));
        assert_eq!((talk.open_task().as_deref(), talk.context().as_deref()), (Some("t"), Some("c")));
        assert_eq!(talk.shown().waits, "input");
        // The same status again adds nothing.
        talk.reply(&ReplyKind::Result(Payload::Task(waiting)));
        assert_eq!(texts(&talk), ["you: book a flight", "state: input required", "agent: Where to?"]);
        talk.say("Lisbon");
        talk.reply(&ReplyKind::Result(Payload::Task(task(TaskState::Completed))));
        assert_eq!((talk.open_task(), talk.context().as_deref()), (None, Some("c")));
        assert!(talk.shown().next.contains("the same context"));
    }

    #[test]
    fn an_artifact_grows_in_its_place() {
        let mut talk = Conversation::default();
        talk.event(&StreamItemKind::Event(StreamEvent::Task(task(TaskState::Working))));
        assert_eq!(talk.shown().waits, "work");
        talk.event(&chunk("one, ", false));
        talk.event(&chunk("two", true));
        assert_eq!(texts(&talk), ["state: working", "artifact: one, two"]);
        talk.event(&chunk("three", false));
        assert_eq!(texts(&talk), ["state: working", "artifact: three"]);
    }

    #[test]
    fn a_long_conversation_keeps_its_end_and_its_artifacts() {
        let mut talk = Conversation::default();
        talk.event(&chunk("x", false));
        for number in 0..TURNS {
            talk.say(&number.to_string());
        }
        talk.event(&chunk("y", true));
        let texts = texts(&talk);
        assert_eq!((texts.len(), texts.last().map(String::as_str)), (TURNS, Some("artifact: y")));
    }
}
