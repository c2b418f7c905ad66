//! ListTasks: filters, order and pages (1.0 §3.1.4).

use serde_json::Value;

use super::ScriptedAgent;
use super::fault::FaultId;
use super::json_values::{data, set, text};
use super::operations::OperationReply;
use super::params::{epoch_ns, history_length};
use super::rpc::Rejection;
use super::state::{ArtifactsShown, HistoryShown, Task, TaskCell, TaskView};
use crate::a2a::dialect::v1_0::V1_0;

/// A place in the list, as a page token that is meant to be opaque. Tasks stand newest first, by the time of their status
/// and then by their number; so do their tokens as texts, since all have the same length.
fn token_of(task: &Task) -> String {
    format!("{:016x}{:08x}", task.at_ms, task.number)
}

fn is_token(text: &str) -> bool {
    text.len() == 24 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

impl ScriptedAgent {
    pub(super) fn list(&self, params: &Value) -> Result<OperationReply, Rejection> {
        let size = params.get("pageSize").filter(|_| !self.has(FaultId::ListIgnoresPageSize));
        let usual = if self.has(FaultId::ListDefaultHundred) { 100 } else { 50 };
        let size = size.and_then(Value::as_u64).unwrap_or(usual);
        let mut start = text(params, "pageToken");
        if !start.is_empty() && !is_token(start) {
            if !self.has(FaultId::ListAnyToken) {
                return Err(Rejection::invalid("pageToken", "was not issued by this agent"));
            }
            start = "";
        }
        let oldest_first = self.has(FaultId::ListOldestFirst);
        let before = |a: &str, b: &str| if oldest_first { a < b } else { a > b };
        let all: Vec<TaskCell> = self.0.store.borrow().tasks.clone();
        let mut tasks: Vec<(String, TaskCell)> = Vec::new();
        for task in all {
            self.advance(&task);
            if self.matches(&task.borrow(), params) {
                let token = token_of(&task.borrow());
                let place = tasks.partition_point(|(other, _)| before(other, &token));
                tasks.insert(place, (token, task));
            }
        }
        let asked = params.get("includeArtifacts").and_then(Value::as_bool) == Some(true);
        let artifacts = match asked {
            true if self.has(FaultId::ListNeverArtifacts) => ArtifactsShown::Never,
            true => ArtifactsShown::Always,
            false if self.has(FaultId::ListWithArtifacts) => ArtifactsShown::IfAny,
            false => ArtifactsShown::Never,
        };
        // 1.0 §3.2.4 leaves the amount of history to the agent when none is asked for; a list shows none.
        let view = match history_length(params) {
            Some(_) if self.has(FaultId::ListIgnoresHistory) => TaskView { history: HistoryShown::All, artifacts },
            Some(length) => TaskView { artifacts, ..self.view(Some(length)) },
            None => TaskView { history: HistoryShown::Newest(0), artifacts },
        };
        let mut shown = Vec::new();
        let (mut last, mut next) = ("", "");
        for (token, task) in &tasks {
            let repeats = token.as_str() == start && self.has(FaultId::ListPageRepeats);
            if !(start.is_empty() || before(start, token) || repeats) {
                continue;
            }
            if shown.len() as u64 >= size {
                next = last;
                break;
            }
            shown.push(task.borrow().to_value(view));
            last = token;
        }
        let mut page = data(r#"{"tasks":[],"nextPageToken":"{next}"}"#, &[("{next}", next)]);
        let total = if self.has(FaultId::ListTotalOfPage) { shown.len() } else { tasks.len() };
        set(&mut page, "tasks", shown.into());
        set(&mut page, "pageSize", size.into());
        set(&mut page, "totalSize", total.into());
        Ok(OperationReply::Result(page))
    }

    fn matches(&self, task: &Task, params: &Value) -> bool {
        let (context, state) = (text(params, "contextId"), text(params, "status"));
        let at_ns = i128::from(task.at_ms) * 1_000_000;
        let in_context = context.is_empty() || context == task.context || self.has(FaultId::ListIgnoresContext);
        let since = epoch_ns(text(params, "statusTimestampAfter")).filter(|_| !self.has(FaultId::ListIgnoresTimestamp));
        let late_enough =
            since.is_none_or(|since| at_ns > since || (at_ns == since && !self.has(FaultId::ListTimestampExclusive)));
        let in_state =
            state.is_empty() || V1_0.state(state) == Some(task.state) || self.has(FaultId::ListIgnoresStatus);
        let either = !state.is_empty() && since.is_some() && self.has(FaultId::ListAnyFilter);
        in_context && if either { in_state || late_enough } else { in_state && late_enough }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::clock_reading::ClockReading;
    use crate::agent::tests::ManualClock;

    #[test]
    fn a_token_is_known_and_others_are_refused() {
        let mut task = Task::new("t".into(), "c".into(), ClockReading::of(&ManualClock::default()));
        let first = token_of(&task);
        task.number = 7;
        assert!(is_token(&first) && is_token(&token_of(&task)) && first < token_of(&task));
        for bad in ["", "x", "not-a-token", "0123456789abcdef", "0123456789ABCDEF00000001", "€€€€€€€€"]
        {
            assert!(!is_token(bad), "{bad}");
        }
    }
}
