//! Chooses what the agent does with a message, by a keyword at the start of its text or of its id: keywords and scripts, with their
//! times and texts, are data in `scripts.json`. The keywords of the protocol's own test kit (TCK) are among them.

use super::served_version::CURRENT;
use serde_json::Value;

use super::declared_turn::EventContent;
use super::directives::after_test_case;
use super::fault::{FaultId, Faults};
use super::json_values::{data, elements, fill, set, text};
use crate::a2a::model::TaskState;

/// Each of `names` is a keyword, the script that it chooses, and the text for `{given}` in that script. Of two keywords
/// where one begins with the other, the longer comes first. A script is the text of a message, or a plan: for each step the
/// milliseconds after the start, the new state or `artifact`, and the text or the artifact. In both, `{text}` stands for
/// the text of the client's message. A part `echo` becomes one of a media type that the client accepts.
const SCRIPTS: &str = include_str!("scripts.json");

thread_local! {
    /// The same as a value: every message looks for its keyword in it.
    static READ_SCRIPTS: Value = data(SCRIPTS, &[]);
}

/// The script for messages without a keyword.
const DEFAULT: &str = "lifecycle";
/// The keyword by which the TCK ends a conversation.
const TCK_COMPLETE: &str = "tck-complete-task";
/// The keyword by which ACTS asks for a message that names no context unless the client did.
pub(super) const TCK_MESSAGE: &str = "tck-message-response";
/// The keyword of the skill whose handler raises.
pub(super) const RAISE: &str = "raise";
/// The keyword of the skill that emits many updates at once.
pub(super) const BURST: &str = "burst";
const BURST_CHUNKS: u32 = 40;
/// The keyword of the skill that streams several chunks.
pub(super) const STREAMING: &str = "streaming";
/// The keyword by which ACTS asks for the client's context to be refused.
pub(super) const TCK_NO_CONTEXT: &str = "tck-complete-task reject client context id";
/// The longest plan of an agent with the fault `return-immediately-ignored`, in milliseconds: clients wait for its end.
const LONGEST_MS: f64 = 8_020.0;
/// A chunk of an artifact after its last one.
const EXTRA_CHUNK: &str = r#"{"artifact":{"artifactId":"stream-result","parts":[{"text":" And more.","mediaType":"text/plain"}]},"append":true}"#;

#[derive(Debug, Clone)]
pub(super) struct ScriptStep {
    pub(super) after_ms: f64,
    pub(super) change: TaskChange,
}

#[derive(Debug, Clone)]
pub(super) enum TaskChange {
    /// A new state, and the text of its status; no message if that is empty.
    Status(TaskState, String),
    /// An artifact or a chunk of one, as its event shows it.
    Artifact(Value),
    Declared(EventContent),
}

/// The changes still to come to a task, in order.
pub(super) type TaskPlan = Vec<ScriptStep>;

/// How the agent answers a new message.
#[derive(Debug, Clone)]
pub(super) enum Script {
    /// With a message of this text.
    Message(String),
    Task(TaskPlan),
}

/// Whether a text begins with this keyword as a whole word, without regard to case.
fn starts_with_word(text: &str, keyword: &str) -> bool {
    let head = text.get(..keyword.len()).is_some_and(|head| head.eq_ignore_ascii_case(keyword));
    head && !text.get(keyword.len()..).is_some_and(|rest| rest.starts_with(char::is_alphanumeric))
}

/// The entry of the keyword with which a text begins.
fn find_keyword<'a>(scripts: &'a Value, text: &str) -> Option<&'a Value> {
    let names = scripts.get("names")?.as_array()?;
    names.iter().find(|entry| starts_with_word(after_test_case(text), text_at(entry, 0)))
}

fn text_at(entry: &Value, index: usize) -> &str {
    entry.get(index).and_then(Value::as_str).unwrap_or_default()
}

fn script_named(name: &str) -> Value {
    READ_SCRIPTS.with(|all| all.get("scripts").and_then(|scripts| scripts.get(name)).cloned().unwrap_or_default())
}

/// Whether a message of this text begins with one of the keywords above.
pub(super) fn asks_for(keyword: &str, message_text: &str) -> bool {
    starts_with_word(after_test_case(message_text), keyword)
}

/// The script for a new message with this id and text.
pub(super) fn script_for(id: &str, message_text: &str, modes: &[Value], faults: &Faults) -> Script {
    let find = |all: &Value| find_keyword(all, id).or_else(|| find_keyword(all, message_text)).cloned();
    let entry = READ_SCRIPTS.with(find).unwrap_or_default();
    let name = Some(text_at(&entry, 1)).filter(|name| !name.is_empty()).unwrap_or(DEFAULT);
    let mut script = script_named(name);
    if name == BURST {
        repeat_chunk(&mut script);
    }
    fill(&mut script, &[("{text}", message_text.trim()), ("{given}", text_at(&entry, 2))]);
    match script {
        Value::String(text) => Script::Message(text),
        plan => Script::Task(read_plan(plan, modes, faults)),
    }
}

/// Makes a burst of the chunk in the middle of a plan, which holds its number.
fn repeat_chunk(plan: &mut Value) {
    let Some(steps) = plan.as_array_mut() else { return };
    let template = steps.remove(2);
    for number in (2..=BURST_CHUNKS).rev() {
        let mut chunk = template.clone();
        fill(&mut chunk, &[("{number}", &number.to_string())]);
        if let Some(update) = chunk.get_mut(2).filter(|_| number == BURST_CHUNKS) {
            set(update, "lastChunk", true.into());
        }
        steps.insert(2, chunk);
    }
}

/// The plan for a message to a task that waits for input.
pub(super) fn follow_up_plan(id: &str, message_text: &str, modes: &[Value], faults: &Faults) -> TaskPlan {
    let first = after_test_case(message_text).split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let ends = |text: &str| {
        READ_SCRIPTS.with(|all| find_keyword(all, text).is_some_and(|entry| text_at(entry, 0) == TCK_COMPLETE))
    };
    let done = first.eq_ignore_ascii_case("done") || ends(id) || ends(message_text) || faults.has(FaultId::AsksOnce);
    read_plan(script_named(if done { "conversation-over" } else { "another-question" }), modes, faults)
}

/// The plan for a message to a task that waits for an authorisation, which a message cannot give.
pub(super) fn still_unauthorised_plan(faults: &Faults) -> TaskPlan {
    read_plan(script_named("authorisation"), &[], faults)
}

/// Reads the steps of a plan, for an agent with these faults and a client that accepts these media types.
fn read_plan(mut plan: Value, modes: &[Value], faults: &Faults) -> TaskPlan {
    let mut steps = TaskPlan::new();
    let mut output = String::new();
    let in_status = faults.has(FaultId::ResultsInStatus);
    let mut later_ms = 0.0;
    for step in plan.as_array_mut().map(Vec::as_mut_slice).unwrap_or_default() {
        let mut after_ms = step.get(0).and_then(Value::as_f64).unwrap_or_default() + later_ms;
        let mut state = CURRENT.dialect.state(text_at(step, 1));
        let mut value = step.get_mut(2).map(Value::take).unwrap_or_default();
        for part in value.get_mut("artifact").map(|artifact| elements(artifact, "parts")).unwrap_or_default() {
            if let Some(echo) = part.get("echo").and_then(Value::as_str) {
                *part = part_for(echo, modes, faults);
            }
            output.push_str(text(part, "text"));
        }
        match state {
            None if in_status => continue,
            Some(TaskState::Completed) if in_status => {
                let output = if output.is_empty() { "Done." } else { output.as_str() };
                value = data(r#"{"text":"{output}"}"#, &[("{output}", output)]);
            }
            Some(TaskState::Completed) if faults.has(FaultId::TasksAllFail) => state = Some(TaskState::Failed),
            Some(TaskState::Completed) if faults.has(FaultId::TasksNeverComplete) => {
                state = Some(TaskState::InputRequired);
                value = data(r#"{"text":"What else?"}"#, &[]);
            }
            Some(TaskState::Failed) if faults.has(FaultId::FailureSilent) => value = Value::Null,
            Some(TaskState::AuthRequired) if faults.has(FaultId::AuthRequiredSilent) => value = Value::Null,
            Some(TaskState::InputRequired) if faults.has(FaultId::InputRequiredSilent) => value = Value::Null,
            _ => {}
        }
        if faults.has(FaultId::ReturnImmediatelyIgnored) || faults.has(FaultId::BlockingFalseIgnored) {
            after_ms = after_ms.min(LONGEST_MS);
        }
        let last = value.get("append").is_some() && value.get("lastChunk").is_some();
        let change = match state {
            Some(state) => TaskChange::Status(state, text(&value, "text").to_owned()),
            None => TaskChange::Artifact(value),
        };
        steps.push(ScriptStep { after_ms, change });
        if last && faults.has(FaultId::ChunkAfterLast) {
            later_ms = 20.0;
            let change = TaskChange::Artifact(data(EXTRA_CHUNK, &[]));
            steps.push(ScriptStep { after_ms: after_ms + later_ms, change });
        }
    }
    // Short tasks still end, since most calls wait for their end.
    if faults.has(FaultId::TaskNeverEnds) && steps.last().is_some_and(|step| step.after_ms > 1_000.0) {
        steps.pop();
    }
    steps
}

/// The plan of a task that is completed with this text.
pub(super) fn plan_with_text(status_text: &str, faults: &Faults) -> TaskPlan {
    let state = if faults.has(FaultId::TasksAllFail) {
        TaskState::Failed
    } else if faults.has(FaultId::TasksNeverComplete) {
        TaskState::InputRequired
    } else {
        TaskState::Completed
    };
    vec![ScriptStep { after_ms: 20.0, change: TaskChange::Status(state, status_text.to_owned()) }]
}

/// The text as a part of a media type that the client accepts (1.0 §3.2.2: agents should tailor their output).
fn part_for(text: &str, modes: &[Value], faults: &Faults) -> Value {
    let accepts = |wanted: &str| modes.iter().filter_map(Value::as_str).any(|mode| mode.eq_ignore_ascii_case(wanted));
    let json = accepts("application/json") && !["text/plain", "text/*", "*/*"].into_iter().any(accepts);
    let ignored = !modes.is_empty() && faults.has(FaultId::OutputModesIgnored);
    let part = match json || ignored {
        true => r#"{"data":{"text":"{text}"},"mediaType":"application/json"}"#,
        false => r#"{"text":"{text}","mediaType":"text/plain"}"#,
    };
    data(part, &[("{text}", text)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keyword_in(text: &str) -> String {
        let all = data(SCRIPTS, &[]);
        find_keyword(&all, text).map(|entry| text_at(entry, 0).to_owned()).unwrap_or_default()
    }

    #[test]
    fn a_keyword_counts_only_at_the_start_and_as_a_whole_word() {
        assert_eq!(keyword_in("  TASK-Failure now"), "task-failure");
        assert_eq!(keyword_in("task-failure"), "task-failure");
        assert_eq!(keyword_in("task-failures"), "");
        assert_eq!(keyword_in("please task-failure"), "");
        assert_eq!(keyword_in("täsk"), "");
        assert_eq!(keyword_in("tck-artifact-file-url-1"), "tck-artifact-file-url");
        assert_eq!(keyword_in("tck-artifact-file-1"), "tck-artifact-file");
        assert_eq!(keyword_in("tck-stream-002-x"), "tck-stream-002");
        assert_eq!(keyword_in(" [test_case_id=a] [test_case_id=b]tck-cancel x"), "tck-cancel");
        assert_eq!(keyword_in("[test_case_id=a tck-cancel"), "");
    }

    #[test]
    fn every_keyword_has_its_script_and_none_hides_a_longer_one() {
        let all: Value = serde_json::from_str(SCRIPTS).unwrap();
        let names = all["names"].as_array().unwrap();
        for (place, entry) in names.iter().enumerate() {
            let name = text_at(entry, 0);
            assert!(all["scripts"].get(text_at(entry, 1)).is_some(), "{name}");
            assert!(names.iter().skip(place + 1).all(|later| !text_at(later, 0).starts_with(name)), "{name}");
        }
    }

    #[test]
    fn each_skill_of_the_card_is_a_keyword_and_the_help_lists_them() {
        let all = data(SCRIPTS, &[]);
        let card: Value = serde_json::from_str(crate::agent::card::CARD).unwrap();
        let skills: Vec<_> = card["skills"].as_array().unwrap().iter().map(|skill| text(skill, "id")).collect();
        assert!(skills.iter().all(|skill| keyword_in(skill) == *skill));
        assert_eq!(text(&all["scripts"], "help"), format!("Begin a message with one of: {}.", skills.join(", ")));
    }

    #[test]
    fn steps_are_in_the_order_of_their_times() {
        for (name, script) in data(SCRIPTS, &[])["scripts"].as_object().unwrap() {
            if script.is_array() {
                let plan = read_plan(script.clone(), &[], &Faults::none());
                assert!(plan.is_sorted_by(|a, b| a.after_ms < b.after_ms), "{name}");
                let TaskChange::Status(state, _) = plan.last().unwrap().change else { panic!("{name}") };
                assert!(state.is_terminal() || state.is_interrupted(), "{name}");
            }
        }
    }
}
