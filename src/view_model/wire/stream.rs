//! A summary of a stream's event in one line (`statusUpdate · WORKING`), and how long it may be. Everything in it is the agent's,
//! and text.

use crate::wire::json::{self, Value};

/// How much of an event's data is shown where it cannot be told what it says, in characters.
const BRIEF: usize = 120;
/// How long a word of the agent's may be, in characters.
const WORD: usize = 40;

/// The summary of an event's data: its kind, the state, and its main content; else its beginning, on one line.
#[must_use]
pub fn event_summary(data: &str) -> String {
    json::read(data.as_bytes()).and_then(|value| in_words(&value)).unwrap_or_else(|| one_line(data, BRIEF))
}

fn in_words(document: &Value) -> Option<String> {
    if let Some(error) = document.get("error") {
        let code = error.get("code").map(|code| one_line(&code.to_string(), WORD));
        return Some(joined("error", code.into_iter().collect()));
    }
    let result = document.get("result").unwrap_or(document);
    // 1.0 names the kind by the member, and older versions within the object.
    let named = ["statusUpdate", "artifactUpdate", "task", "message"];
    let wrapped = named.into_iter().find_map(|name| Some((name.to_owned(), result.get(name)?)));
    let (kind, event) = match wrapped {
        Some(wrapped) => wrapped,
        None => (one_line(result.get("kind")?.as_str()?, WORD), result),
    };
    let mut details = Vec::new();
    if let Some(state) = event.get("status").and_then(|status| status.get("state")).and_then(Value::as_str) {
        details.push(one_line(state.strip_prefix("TASK_STATE_").unwrap_or(state), WORD));
    }
    for flag in ["append", "lastChunk", "final"] {
        if event.get(flag) == Some(&Value::from(true)) {
            details.push(flag.to_owned());
        }
    }
    Some(joined(&kind, details))
}

fn joined(kind: &str, details: Vec<String>) -> String {
    [vec![kind.to_owned()], details].concat().join(" \u{b7} ")
}

fn one_line(text: &str, max: usize) -> String {
    let mut line: String = text.chars().take(max).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if line.len() < text.len() {
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::event_summary;

    #[test]
    fn an_event_is_named_with_its_state_and_its_flags_in_every_version() {
        for (data, words) in [
            (
                r#"{"jsonrpc":"2.0","id":1,"result":{"statusUpdate":{"taskId":"t","status":{"state":"TASK_STATE_WORKING"}}}}"#,
                "statusUpdate \u{b7} WORKING",
            ),
            (
                r#"{"artifactUpdate":{"artifact":{},"append":true,"lastChunk":true}}"#,
                "artifactUpdate \u{b7} append \u{b7} lastChunk",
            ),
            (r#"{"artifactUpdate":{"artifact":{},"append":false}}"#, "artifactUpdate"),
            (r#"{"task":{"id":"t","status":{"state":"TASK_STATE_SUBMITTED"}}}"#, "task \u{b7} SUBMITTED"),
            (r#"{"message":{"role":"ROLE_AGENT"}}"#, "message"),
            (
                r#"{"id":1,"result":{"kind":"status-update","final":true,"status":{"state":"completed"}}}"#,
                "status-update \u{b7} completed \u{b7} final",
            ),
            (r#"{"id":1,"error":{"code":-32001,"message":"x"}}"#, "error \u{b7} -32001"),
        ] {
            assert_eq!(event_summary(data), words, "{data}");
        }
    }

    #[test]
    fn what_is_no_event_is_shown_as_it_came_and_nothing_is_long() {
        assert_eq!(event_summary("hello\nworld"), "hello world");
        assert_eq!(event_summary(r#"{"a":1}"#), r#"{"a":1}"#);
        let long = format!(
            r#"{{"statusUpdate":{{"status":{{"state":"{}"}}}}}}"#,
            "x\u{1b}".repeat(500).replace('\u{1b}', "\\u001b")
        );
        assert!(event_summary(&long).chars().count() < 70 && !event_summary(&long).contains('\u{1b}'));
        assert!(event_summary(&"y".repeat(1000)).chars().count() <= 121);
    }
}
