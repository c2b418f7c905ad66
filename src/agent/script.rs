//! What the agent does with a message: keywords at the start of its text, or at the start of its id, to a plan of steps.
//! Names and plans are data. Also honoured are the names that the protocol's own test kit uses.

use serde_json::Value;

use super::fault::{FaultId, Faults};
use super::json_values::{data, elements, fill, text};
use crate::a2a::dialect::v1_0::V1_0;
use crate::a2a::model::TaskState;

/// `names` are lists of a name, the script it calls for, and what is put in place of `{given}` there; of two names that
/// begin alike the longer one comes first. A script is the text of a message, or a plan: for each step the milliseconds
/// after the start, the new state or `artifact`, and the text or the artifact. In both, the message's text is put in place
/// of `{text}`. A part `echo` becomes one of a media type that the client takes.
const SCRIPTS: &str = include_str!("scripts.json");

/// The name of the script for whatever nobody has named.
const DEFAULT: &str = "lifecycle";
/// What the protocol's test kit says to end a conversation.
const KIT_ENDS: &str = "tck-complete-task";
/// How long a plan takes at most when a client must wait for its end, in milliseconds.
const LONGEST_MS: f64 = 8_020.0;
/// A piece that comes after the last one.
const ONE_MORE: &str = r#"{"artifact":{"artifactId":"stream-result","parts":[{"text":" And more.","mediaType":"text/plain"}]},"append":true}"#;

/// Something that happens to a task.
#[derive(Debug, Clone)]
pub(super) struct ScriptStep {
    pub(super) after_ms: f64,
    /// The new state; none for an artifact or a piece of one.
    pub(super) state: Option<TaskState>,
    /// The text of the status, or the artifact as its event shows it.
    pub(super) value: Value,
}

/// What will happen to a task, in order.
pub(super) type TaskPlan = Vec<ScriptStep>;

/// How the agent answers a new message.
#[derive(Debug, Clone)]
pub(super) enum Script {
    /// With a message of this text.
    Message(String),
    /// With a task.
    Task(TaskPlan),
}

/// Whether a text begins with this name as a whole word, without regard to case.
fn begins(text: &str, name: &str) -> bool {
    let head = text.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name));
    head && !text.get(name.len()..).is_some_and(|rest| rest.starts_with(char::is_alphanumeric))
}

/// The entry of the name with which a text begins.
fn named<'a>(scripts: &'a Value, text: &str) -> Option<&'a Value> {
    let names = scripts.get("names")?.as_array()?;
    names.iter().find(|entry| begins(text.trim_start(), word(entry, 0)))
}

fn word(entry: &Value, index: usize) -> &str {
    entry.get(index).and_then(Value::as_str).unwrap_or_default()
}

/// The script of that name.
fn of_name(scripts: &mut Value, name: &str) -> Value {
    scripts.get_mut("scripts").and_then(|scripts| scripts.get_mut(name)).map(Value::take).unwrap_or_default()
}

/// What the agent does with a new message of this id and text.
pub(super) fn script(id: &str, said: &str, modes: &[Value], faults: &Faults) -> Script {
    let mut all = data(SCRIPTS, &[]);
    let entry = named(&all, id).or_else(|| named(&all, said)).cloned().unwrap_or_default();
    let name = Some(word(&entry, 1)).filter(|name| !name.is_empty()).unwrap_or(DEFAULT);
    let mut script = of_name(&mut all, name);
    fill(&mut script, &[("{text}", said.trim()), ("{given}", word(&entry, 2))]);
    match script {
        Value::String(text) => Script::Message(text),
        plan => Script::Task(planned(plan, modes, faults)),
    }
}

/// What the agent does with a message to a task that waits for input.
pub(super) fn follow_up(id: &str, said: &str, modes: &[Value], faults: &Faults) -> TaskPlan {
    let mut all = data(SCRIPTS, &[]);
    let first = said.trim().split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let ends = |text| named(&all, text).is_some_and(|entry| word(entry, 0) == KIT_ENDS);
    let over = first.eq_ignore_ascii_case("done") || ends(id) || ends(said);
    planned(of_name(&mut all, if over { "conversation-over" } else { "another-question" }), modes, faults)
}

/// What the agent does with a message to a task that waits for an authorisation, which no message is.
pub(super) fn still_waiting(faults: &Faults) -> TaskPlan {
    planned(of_name(&mut data(SCRIPTS, &[]), "authorisation"), &[], faults)
}

/// The steps of a plan, as an agent with these faults takes them for a client that takes these media types.
fn planned(mut plan: Value, modes: &[Value], faults: &Faults) -> TaskPlan {
    let mut steps = TaskPlan::new();
    let mut output = String::new();
    let in_status = faults.has(FaultId::ResultsInStatus);
    let mut later_ms = 0.0;
    for step in plan.as_array_mut().map(Vec::as_mut_slice).unwrap_or_default() {
        let mut after_ms = step.get(0).and_then(Value::as_f64).unwrap_or_default() + later_ms;
        let state = V1_0.state(word(step, 1));
        let mut value = step.get_mut(2).map(Value::take).unwrap_or_default();
        for part in value.get_mut("artifact").map(|artifact| elements(artifact, "parts")).unwrap_or_default() {
            if let Some(echo) = part.get("echo").and_then(Value::as_str) {
                *part = suited(echo, modes, faults);
            }
            output.push_str(text(part, "text"));
        }
        match state {
            None if in_status => continue,
            Some(TaskState::Completed) if in_status => {
                let output = if output.is_empty() { "Done." } else { output.as_str() };
                value = data(r#"{"text":"{output}"}"#, &[("{output}", output)]);
            }
            Some(TaskState::AuthRequired) if faults.has(FaultId::AuthRequiredSilent) => value = Value::Null,
            Some(TaskState::InputRequired) if faults.has(FaultId::InputRequiredSilent) => value = Value::Null,
            _ => {}
        }
        if faults.has(FaultId::ReturnImmediatelyIgnored) {
            after_ms = after_ms.min(LONGEST_MS);
        }
        let last = value.get("append").is_some() && value.get("lastChunk").is_some();
        steps.push(ScriptStep { after_ms, state, value });
        if last && faults.has(FaultId::ChunkAfterLast) {
            later_ms = 20.0;
            steps.push(ScriptStep { after_ms: after_ms + later_ms, state: None, value: data(ONE_MORE, &[]) });
        }
    }
    // Who waits for the end of such a task would wait for ever.
    if faults.has(FaultId::TaskNeverEnds) && steps.last().is_some_and(|step| step.after_ms > 1_000.0) {
        steps.pop();
    }
    steps
}

/// The plan of a task that says a text and is done.
pub(super) fn told(said: &str) -> TaskPlan {
    let value = data(r#"{"text":"{text}"}"#, &[("{text}", said)]);
    vec![ScriptStep { after_ms: 20.0, state: Some(TaskState::Completed), value }]
}

/// The text as a part that suits the media types a client takes (1.0 §3.2.2: agents should tailor their output).
fn suited(text: &str, modes: &[Value], faults: &Faults) -> Value {
    let takes = |wanted: &str| modes.iter().filter_map(Value::as_str).any(|mode| mode.eq_ignore_ascii_case(wanted));
    let json = takes("application/json") && !["text/plain", "text/*", "*/*"].into_iter().any(takes);
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

    fn name_in(text: &str) -> String {
        let all = data(SCRIPTS, &[]);
        named(&all, text).map(|entry| word(entry, 0).to_owned()).unwrap_or_default()
    }

    #[test]
    fn a_name_counts_only_at_the_start_and_as_a_whole_word() {
        assert_eq!(name_in("  TASK-Failure now"), "task-failure");
        assert_eq!(name_in("task-failure"), "task-failure");
        assert_eq!(name_in("task-failures"), "");
        assert_eq!(name_in("please task-failure"), "");
        assert_eq!(name_in("täsk"), "");
        assert_eq!(name_in("tck-artifact-file-url-1"), "tck-artifact-file-url");
        assert_eq!(name_in("tck-artifact-file-1"), "tck-artifact-file");
        assert_eq!(name_in("tck-stream-002-x"), "tck-stream-002");
    }

    #[test]
    fn every_name_has_its_script_and_none_hides_a_longer_one() {
        let all: Value = serde_json::from_str(SCRIPTS).unwrap();
        let names = all["names"].as_array().unwrap();
        for (place, entry) in names.iter().enumerate() {
            let name = word(entry, 0);
            assert!(all["scripts"].get(word(entry, 1)).is_some(), "{name}");
            assert!(names.iter().skip(place + 1).all(|later| !word(later, 0).starts_with(name)), "{name}");
        }
    }

    #[test]
    fn each_skill_of_the_card_is_a_name_and_the_help_lists_them() {
        let all = data(SCRIPTS, &[]);
        let card: Value = serde_json::from_str(crate::agent::card::CARD).unwrap();
        let skills: Vec<_> = card["skills"].as_array().unwrap().iter().map(|skill| text(skill, "id")).collect();
        assert!(skills.iter().all(|skill| name_in(skill) == *skill));
        assert_eq!(text(&all["scripts"], "help"), format!("Begin a message with one of: {}.", skills.join(", ")));
    }

    #[test]
    fn steps_stand_in_the_order_of_their_times() {
        for (name, script) in data(SCRIPTS, &[])["scripts"].as_object().unwrap() {
            if script.is_array() {
                let plan = planned(script.clone(), &[], &Faults::none());
                assert!(plan.is_sorted_by(|a, b| a.after_ms < b.after_ms), "{name}");
                let state = plan.last().and_then(|step| step.state).unwrap();
                assert!(state.is_terminal() || state.is_interrupted(), "{name}");
            }
        }
    }
}
