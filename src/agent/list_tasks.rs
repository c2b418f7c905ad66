//! ListTasks: filters, order, pages and their usual size (1.0 §3.1.4).

use super::served_version::CURRENT;
use serde_json::{Value, json};

use super::clock_reading::timestamp;
use super::fault::FaultId;
use super::json_values::text;
use super::operation_reply::OperationReply;
use super::operations::rewrite_canceled;
use super::params::{epoch_ns, history_length};
use super::rejection::Rejection;
use super::scripted_agent::ScriptedAgent;
use super::task::{ArtifactsShown, HistoryShown, StoredTask, TaskCell, TaskView, User};
use crate::a2a::model::{Operation, TaskState};

/// The page token after which a task comes, opaque to clients. The list is sorted by the time of the status and then by
/// number, newest first. Tokens sort the same way, since all have the same length.
fn page_token(task: &StoredTask) -> String {
    format!("{:016x}{:08x}", task.at_ms, task.number)
}

/// A token before every task of a list that has the newest first.
const FIRST: &str = "ffffffffffffffffffffffff";

fn is_page_token(text: &str) -> bool {
    text.len() == 24 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

impl ScriptedAgent {
    pub(super) fn list_tasks(&self, params: &Value) -> Result<OperationReply, Rejection> {
        let breaks = [(FaultId::ListStatusInternal, "status"), (FaultId::ListContextInternal, "contextId")];
        if breaks.into_iter().any(|(fault, filter)| self.has(fault) && !text(params, filter).is_empty()) {
            return Err(Rejection::internal());
        }
        let size = params.get("pageSize").filter(|_| !self.has(FaultId::ListIgnoresPageSize));
        let default = if self.has(FaultId::ListDefaultHundred) { 100 } else { 50 };
        let size = size.and_then(Value::as_u64).unwrap_or(default);
        let start = self.page_start(params)?;
        let all_contexts = text(params, "contextId").is_empty();
        let oldest_first = self.has(FaultId::ListOldestFirst) || (all_contexts && self.has(FaultId::ListAllUnsorted));
        let before = |a: &str, b: &str| if oldest_first { a < b } else { a > b };
        let mut tasks = self.matching_tasks(params, before);
        if self.has(FaultId::ListHidesNewest) && !tasks.is_empty() {
            tasks.remove(0);
        }
        if !all_contexts && !tasks.is_empty() && self.fails_under_load(FaultId::LoadLosesListed) {
            tasks.remove(0);
        }
        let caller = self.0.caller.get();
        let opens_next = self.has(FaultId::ForeignPageListed) && caller == User::Second && start.is_empty();
        if opens_next {
            tasks.retain(|(_, task)| task.borrow().owner == caller);
        }
        let view = self.list_view(params);
        let mut shown = Vec::new();
        let (mut last, mut next) = ("", "");
        let by_offset = self.has(FaultId::ListByOffset);
        let offsets: Vec<String> = (0..=tasks.len()).map(|place| format!("{place:024x}")).collect();
        for (place, (token, task)) in tasks.iter().enumerate() {
            // A token names the last task of the page; an offset names the first of the next one.
            let (here, behind) = match (offsets.get(place), offsets.get(place + 1)) {
                (Some(here), Some(behind)) if by_offset => (start <= here.as_str(), behind),
                _ => (before(start, token), token),
            };
            let repeats = token.as_str() == start && self.has(FaultId::ListPageRepeats);
            if !(start.is_empty() || here || repeats) {
                continue;
            }
            if shown.len() as u64 >= size {
                next = last;
                break;
            }
            let task = task.borrow();
            let mut value = task.to_value(view);
            if let Some(status) = value.get_mut("status").filter(|_| self.has(FaultId::ListRewritesCanceled)) {
                rewrite_canceled(&task, &task.canceled_shown.1, status);
            }
            shown.push(value);
            last = behind;
        }
        if opens_next && next.is_empty() {
            next = FIRST;
        }
        let short = usize::from(self.has(FaultId::ListTotalShort));
        let total = match tasks.len() {
            _ if self.has(FaultId::ListTotalOfPage) => shown.len(),
            _ if self.has(FaultId::ListTotalOfAll) => self.0.store.borrow().tasks.len(),
            matches if self.has(FaultId::ListTotalGrows) && !start.is_empty() => matches + 5,
            matches => matches.saturating_sub(short),
        };
        let page = json!({"tasks": shown, "nextPageToken": next, "pageSize": size, "totalSize": total});
        Ok(OperationReply::Result(page))
    }

    /// The token after which the page begins; empty for the first page.
    fn page_start<'a>(&self, params: &'a Value) -> Result<&'a str, Rejection> {
        match text(params, "pageToken") {
            token if token.is_empty() || is_page_token(token) => Ok(token),
            _ if self.has(FaultId::ListAnyToken) => Ok(""),
            _ => Err(Rejection::invalid("pageToken", "was not issued by this agent")),
        }
    }

    /// The tasks that match the filters, in the order of their tokens.
    fn matching_tasks(&self, params: &Value, before: impl Fn(&str, &str) -> bool) -> Vec<(String, TaskCell)> {
        let all: Vec<TaskCell> = self.0.store.borrow().tasks.clone();
        let mut tasks: Vec<(String, TaskCell)> = Vec::new();
        for task in all {
            self.advance(&task);
            if self.matches(&task.borrow(), params) {
                let token = page_token(&task.borrow());
                let place = tasks.partition_point(|(other, _)| before(other, &token));
                tasks.insert(place, (token, task));
            }
        }
        tasks
    }

    fn list_view(&self, params: &Value) -> TaskView {
        let include = params.get("includeArtifacts").and_then(Value::as_bool) == Some(true);
        let artifacts = match include {
            true if self.has(FaultId::ListNeverArtifacts) => ArtifactsShown::Never,
            true => ArtifactsShown::Always,
            false if self.has(FaultId::ListWithArtifacts) => ArtifactsShown::IfAny,
            false => ArtifactsShown::Never,
        };
        // 1.0 §3.2.4 lets the agent choose how much history to show when the client does not say; a list shows none.
        let history = match history_length(params) {
            Some(_) if self.has(FaultId::ListIgnoresHistory) => HistoryShown::All,
            Some(length) if self.has(FaultId::ListHistoryOldest) => HistoryShown::Oldest(length),
            Some(length) => self.view(Some(length)).history,
            None => HistoryShown::Newest(0),
        };
        TaskView { history, artifacts }
    }

    fn matches(&self, task: &StoredTask, params: &Value) -> bool {
        let (context, state) = (text(params, "contextId"), text(params, "status"));
        let at_ns = i128::from(task.at_ms) * 1_000_000;
        let in_context = context.is_empty() || context == task.context || self.has(FaultId::ListIgnoresContext);
        let since = epoch_ns(text(params, "statusTimestampAfter")).filter(|_| !self.has(FaultId::ListIgnoresTimestamp));
        let late_enough = since.is_none_or(|since| {
            let is_before_as_text = || *timestamp(task.at_ms) < *text(params, "statusTimestampAfter");
            (at_ns > since || (at_ns == since && !self.has(FaultId::ListTimestampExclusive)))
                && !(self.has(FaultId::ListTimestampText) && is_before_as_text())
        });
        let in_state = state.is_empty()
            || CURRENT.dialect.state(state) == Some(task.state)
            || self.has(FaultId::ListIgnoresStatus);
        let either = !state.is_empty() && since.is_some() && self.has(FaultId::ListAnyFilter);
        let hidden = match task.state {
            TaskState::Failed | TaskState::Rejected => self.has(FaultId::ListHidesFailed),
            TaskState::Submitted | TaskState::Working => self.has(FaultId::ListHidesRunning),
            _ => false,
        };
        let opened =
            self.has(FaultId::ForeignPageListed) || (!context.is_empty() && self.has(FaultId::ForeignContextListed));
        let shown = in_context && !hidden && (opened || self.sees(Operation::ListTasks, task));
        shown && if either { in_state || late_enough } else { in_state && late_enough }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::clock_reading::ClockReading;
    use crate::agent::tests::ManualClock;

    #[test]
    fn a_token_is_known_and_others_are_refused() {
        let mut task = StoredTask::new("t".into(), "c".into(), ClockReading::from_clock(&ManualClock::default()));
        let first = page_token(&task);
        task.number = 7;
        assert!(is_page_token(&first) && is_page_token(&page_token(&task)) && first < page_token(&task));
        for bad in ["", "x", "not-a-token", "0123456789abcdef", "0123456789ABCDEF00000001", "€€€€€€€€"]
        {
            assert!(!is_page_token(bad), "{bad}");
        }
    }
}
