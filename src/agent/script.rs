//! What the agent does with a message: keywords at the start of its text, or at the start of its id, to a plan of steps.
//! Also honoured are the names that the protocol's own test kit uses.

use serde_json::{Value, json};

use super::fault::{FaultId, Faults};
use super::message::Incoming;
use crate::a2a::model::TaskState;

/// The eight behaviours that the card offers as skills, by their keywords.
pub(super) const KEYWORDS: [&str; 8] = [
    "message-only",
    "task-lifecycle",
    "task-failure",
    "task-cancel",
    "multi-turn",
    "streaming",
    "long-running",
    "data-types",
];

/// How long one step of the quick behaviours takes, in milliseconds.
const STEP_MS: f64 = 20.0;

/// Something that happens to a task.
#[derive(Debug, Clone)]
pub(super) enum Change {
    /// A new status, with the text of its message.
    Status(TaskState, Option<String>),
    /// An artifact, or a piece of one.
    Artifact { artifact: Value, append: bool, last: bool },
}

/// The steps of a plan: how many milliseconds after its start, and what then.
pub(super) type Plan = Vec<(f64, Change)>;

/// How the agent answers a new message.
#[derive(Debug, Clone)]
pub(super) enum Script {
    /// With a message of this text.
    Message(String),
    /// With a task.
    Task(Plan),
}

/// Which of the agent's behaviours a name calls for.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Behaviour {
    Say(&'static str),
    MessageOnly,
    Help,
    Lifecycle,
    Finish,
    Produce(Product),
    Failure,
    Reject,
    Wait { ms: f64 },
    MultiTurn,
    Chunks(&'static [&'static str]),
    LongRunning,
    DataTypes,
}

/// What a task can produce.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Product {
    Text(&'static str),
    Data,
    File,
    Url,
}

/// Names and what they call for; of two that begin alike the longer one comes first.
const NAMES: &[(&str, Behaviour)] = &[
    ("message-only", Behaviour::MessageOnly),
    ("what can you do", Behaviour::Help),
    ("task-lifecycle", Behaviour::Lifecycle),
    ("task-failure", Behaviour::Failure),
    ("task-reject", Behaviour::Reject),
    ("task-cancel", Behaviour::Wait { ms: 30_000.0 }),
    ("multi-turn", Behaviour::MultiTurn),
    ("streaming", Behaviour::Chunks(&["One ", "artifact, ", "four ", "chunks."])),
    ("long-running", Behaviour::LongRunning),
    ("data-types", Behaviour::DataTypes),
    ("tck-complete-task", Behaviour::Produce(Product::Text("Hello from TCK"))),
    ("tck-artifact-text", Behaviour::Produce(Product::Text("Generated text content"))),
    ("tck-artifact-file-url", Behaviour::Produce(Product::Url)),
    ("tck-artifact-file", Behaviour::Produce(Product::File)),
    ("tck-artifact-data", Behaviour::Produce(Product::Data)),
    ("tck-message-response", Behaviour::Say("Direct message response")),
    ("tck-input-required", Behaviour::MultiTurn),
    ("tck-multi-turn", Behaviour::MultiTurn),
    ("tck-reject-task", Behaviour::Reject),
    ("tck-task-failure", Behaviour::Failure),
    ("tck-cancel", Behaviour::Wait { ms: 30_000.0 }),
    ("tck-long-running", Behaviour::LongRunning),
    ("tck-stream-artifact-chunked", Behaviour::Chunks(&["chunk-1 ", "chunk-2"])),
    ("tck-stream-chunked", Behaviour::Chunks(&["chunk-1 ", "chunk-2"])),
    ("tck-stream-artifact-file", Behaviour::Produce(Product::File)),
    ("tck-stream-artifact-text", Behaviour::Produce(Product::Text("Streamed text content"))),
    ("tck-stream-ordering-001", Behaviour::Produce(Product::Text("Ordered output"))),
    ("tck-stream-002", Behaviour::Finish),
    ("tck-stream", Behaviour::Produce(Product::Text("Stream hello from TCK"))),
    ("test-resubscribe-message-id", Behaviour::Wait { ms: 6_000.0 }),
];

/// The behaviour whose name the text begins with, without regard to case.
fn named(text: &str) -> Option<Behaviour> {
    let text = text.trim_start();
    let begins = |name: &str| {
        let head = text.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name));
        head && !text.get(name.len()..).is_some_and(|rest| rest.starts_with(char::is_alphanumeric))
    };
    NAMES.iter().find(|(name, _)| begins(name)).map(|(_, behaviour)| *behaviour)
}

/// What the agent does with a new message.
pub(super) fn script(message: &Incoming, modes: &[String], faults: &Faults) -> Script {
    let text = message.text.trim();
    let behaviour = named(&message.id).or_else(|| named(text)).unwrap_or(Behaviour::Lifecycle);
    let wait_ms = |ms: f64| if faults.has(FaultId::ReturnImmediatelyIgnored) { ms.min(8_000.0) } else { ms };
    let plan = match behaviour {
        Behaviour::Say(answer) => return Script::Message(answer.to_owned()),
        Behaviour::MessageOnly => return Script::Message(format!("This is a message and no task: {text}")),
        Behaviour::Help => return Script::Message(format!("Begin a message with one of: {}.", KEYWORDS.join(", "))),
        Behaviour::Lifecycle => worked([whole("result", "Result", vec![echo(text, modes)])]),
        Behaviour::Finish => worked([]),
        Behaviour::Produce(product) => worked([whole("result", "Result", vec![product.part()])]),
        Behaviour::Failure => {
            let text = "task-failure: this task fails, as it was asked to.";
            steps([working(), status(TaskState::Failed, Some(text))])
        }
        Behaviour::Reject => steps([status(TaskState::Rejected, Some("rejected: this agent was asked not to do it."))]),
        Behaviour::Wait { ms } => {
            vec![(STEP_MS, working()), (STEP_MS + wait_ms(ms), status(TaskState::Completed, None))]
        }
        Behaviour::MultiTurn => steps([question()]),
        Behaviour::Chunks(chunks) => chunked(chunks, faults),
        Behaviour::LongRunning => long_running(),
        Behaviour::DataTypes => worked([
            whole("text", "Text", vec![json!({ "text": "Some text.", "mediaType": "text/plain" })]),
            whole("data", "Data", vec![Product::Data.part()]),
            whole(
                "file",
                "File",
                vec![json!({ "raw": SQUARE, "filename": "square.svg", "mediaType": "image/svg+xml" })],
            ),
            whole("url", "File elsewhere", vec![Product::Url.part()]),
            whole("parts", "Several parts", vec![json!({ "text": "Text, and data:" }), Product::Data.part()]),
        ]),
    };
    Script::Task(bent(plan, faults))
}

/// What the agent does with a message to a task that waits for input.
pub(super) fn follow_up(message: &Incoming, modes: &[String], faults: &Faults) -> Plan {
    let text = message.text.trim();
    let done = text.to_ascii_lowercase().split(|c: char| !c.is_alphanumeric()).next() == Some("done");
    let finishes = Some(Behaviour::Produce(Product::Text("Hello from TCK")));
    let mut plan = vec![(0.0, status(TaskState::Working, None))];
    if done || named(&message.id) == finishes || named(text) == finishes {
        plan.push((STEP_MS, whole("result", "Result", vec![echo("The conversation is over.", modes)])));
        plan.push((2.0 * STEP_MS, status(TaskState::Completed, None)));
    } else {
        plan.push((STEP_MS, question()));
    }
    bent(plan, faults)
}

/// The plan of an agent with these faults.
fn bent(mut plan: Plan, faults: &Faults) -> Plan {
    if faults.has(FaultId::ResultsInStatus) {
        let mut output = String::new();
        plan.retain(|(_, change)| match change {
            Change::Artifact { artifact, .. } => {
                output.push_str(&texts(artifact));
                false
            }
            Change::Status(..) => true,
        });
        for (_, change) in &mut plan {
            if let Change::Status(TaskState::Completed, text) = change {
                *text = Some(if output.is_empty() { "Done.".to_owned() } else { output.clone() });
            }
        }
    }
    if faults.has(FaultId::InputRequiredSilent) {
        for (_, change) in &mut plan {
            if let Change::Status(TaskState::InputRequired, text) = change {
                *text = None;
            }
        }
    }
    plan
}

fn texts(artifact: &Value) -> String {
    let parts = artifact.get("parts").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str)).collect()
}

/// A square, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="M1 1h6v6H1z"/></svg>`.
const SQUARE: &str = "PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIHZpZXdCb3g9IjAgMCA4IDgiPjxwYXRoIGQ9Ik0xIDFoNnY2SDF6Ii8+PC9zdmc+";

impl Product {
    fn part(self) -> Value {
        match self {
            Self::Text(text) => json!({ "text": text, "mediaType": "text/plain" }),
            Self::Data => json!({ "data": { "key": "value", "count": 42 }, "mediaType": "application/json" }),
            // "Generated file content"
            Self::File => {
                json!({ "raw": "R2VuZXJhdGVkIGZpbGUgY29udGVudA==", "filename": "output.txt", "mediaType": "text/plain" })
            }
            Self::Url => {
                json!({ "url": "https://example.com/output.txt", "filename": "output.txt", "mediaType": "text/plain" })
            }
        }
    }
}

/// The text as a part that suits the media types a client takes (1.0 §3.2.2: agents should tailor their output).
fn echo(text: &str, modes: &[String]) -> Value {
    let takes = |wanted: &[&str]| modes.iter().any(|mode| wanted.iter().any(|w| mode.eq_ignore_ascii_case(w)));
    if takes(&["application/json"]) && !takes(&["text/plain", "text/*", "*/*"]) {
        return json!({ "data": { "text": text }, "mediaType": "application/json" });
    }
    json!({ "text": text, "mediaType": "text/plain" })
}

fn status(state: TaskState, text: Option<&str>) -> Change {
    Change::Status(state, text.map(str::to_owned))
}

fn working() -> Change {
    status(TaskState::Working, Some("Working on it."))
}

fn question() -> Change {
    status(TaskState::InputRequired, Some("What else? Say \"done\" to finish."))
}

/// An artifact in one piece.
fn whole(id: &str, name: &str, parts: Vec<Value>) -> Change {
    Change::Artifact { artifact: json!({ "artifactId": id, "name": name, "parts": parts }), append: false, last: true }
}

/// These changes, one per step.
fn steps(changes: impl IntoIterator<Item = Change>) -> Plan {
    changes.into_iter().zip(1_u8..).map(|(change, n)| (f64::from(n) * STEP_MS, change)).collect()
}

/// A task that works, produces this and completes.
fn worked(products: impl IntoIterator<Item = Change>) -> Plan {
    steps([working()].into_iter().chain(products).chain([status(TaskState::Completed, None)]))
}

fn chunked(chunks: &[&str], faults: &Faults) -> Plan {
    let chunk = |text: &str, append: bool, last: bool| {
        let mut artifact =
            json!({ "artifactId": "stream-result", "parts": [{ "text": text, "mediaType": "text/plain" }] });
        if !append {
            super::state::set(&mut artifact, "name", Some("Streamed result"));
        }
        Change::Artifact { artifact, append, last }
    };
    let mut at = STEP_MS;
    let mut plan = vec![(at, working())];
    for (index, text) in chunks.iter().enumerate() {
        at += 120.0;
        plan.push((at, chunk(text, index > 0, index + 1 == chunks.len())));
    }
    if faults.has(FaultId::ChunkAfterLast) {
        at += STEP_MS;
        plan.push((at, chunk(" And more.", true, false)));
    }
    plan.push((at + STEP_MS, status(TaskState::Completed, None)));
    plan
}

fn long_running() -> Plan {
    let mut plan = vec![(STEP_MS, working())];
    for n in 1..=6_u8 {
        plan.push((f64::from(n) * 200.0, status(TaskState::Working, Some(&format!("Step {n} of 6.")))));
    }
    let text = json!({ "text": "All six steps are done.", "mediaType": "text/plain" });
    plan.push((1200.0 + STEP_MS, whole("result", "Result", vec![text])));
    plan.push((1200.0 + 2.0 * STEP_MS, status(TaskState::Completed, None)));
    plan
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_counts_only_at_the_start_and_as_a_whole_word() {
        assert_eq!(named("  TASK-Failure now"), Some(Behaviour::Failure));
        assert_eq!(named("task-failure"), Some(Behaviour::Failure));
        assert_eq!(named("task-failures"), None);
        assert_eq!(named("please task-failure"), None);
        assert_eq!(named("täsk"), None);
        assert_eq!(named("tck-artifact-file-url-1"), Some(Behaviour::Produce(Product::Url)));
        assert_eq!(named("tck-artifact-file-1"), Some(Behaviour::Produce(Product::File)));
        assert_eq!(named("tck-stream-002-x"), Some(Behaviour::Finish));
    }

    #[test]
    fn no_name_hides_a_longer_one() {
        for (place, (name, _)) in NAMES.iter().enumerate() {
            assert!(NAMES.iter().skip(place + 1).all(|(later, _)| !later.starts_with(name)), "{name}");
        }
        assert!(KEYWORDS.iter().all(|keyword| named(keyword).is_some()));
    }

    #[test]
    fn steps_stand_in_the_order_of_their_times() {
        for (name, _) in NAMES {
            let message = Incoming { text: (*name).to_owned(), ..Incoming::default() };
            if let Script::Task(plan) = script(&message, &[], &Faults::none()) {
                assert!(plan.is_sorted_by(|(a, _), (b, _)| a < b), "{name}");
                assert!(
                    matches!(plan.last(), Some((_, Change::Status(state, _))) if state.is_terminal() || state.is_interrupted())
                );
            }
        }
    }
}
