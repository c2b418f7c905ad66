//! ListTasks: filters, order and pages (1.0 §3.1.4).

use serde_json::{Value, json};

use super::ScriptedAgent;
use super::fault::FaultId;
use super::params::{ListParams, Params, Unfit};
use super::rpc::Refusal;
use super::state::{Artifacts, History, Task, TaskCell, View};

/// A place in the list: tasks stand newest first, by the time of their status and then by their number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Cursor {
    at_ms: i64,
    number: u64,
}

impl Cursor {
    const fn of(task: &Task) -> Self {
        Self { at_ms: task.status.at_ms, number: task.number }
    }

    /// The cursor as a page token; meant to be opaque.
    fn to_token(self) -> String {
        format!("{:016x}{:08x}", self.at_ms, self.number)
    }

    fn parse(token: &str) -> Option<Self> {
        let (at_ms, number) = token.split_at_checked(16)?;
        let cursor =
            Self { at_ms: i64::from_str_radix(at_ms, 16).ok()?, number: u64::from_str_radix(number, 16).ok()? };
        (cursor.to_token() == token).then_some(cursor)
    }
}

impl ScriptedAgent {
    pub(super) fn list(&self, params: Params<'_>) -> Result<Value, Unfit> {
        let has = |fault| self.0.faults.has(fault);
        if !params.are_given() && has(FaultId::ListParamsRequired) {
            return Err(Refusal::invalid("params", "is required").into());
        }
        let params = params.list()?;
        let page_size = if has(FaultId::ListIgnoresPageSize) { 50 } else { params.page_size };
        let start = match &params.page_token {
            Some(token) => Some(
                Cursor::parse(token).ok_or_else(|| Refusal::invalid("pageToken", "is none that this agent gave"))?,
            ),
            None => None,
        };
        let mut tasks: Vec<TaskCell> = self.0.store.borrow().all().cloned().collect();
        tasks.iter().for_each(|task| self.advance(task));
        tasks.retain(|task| self.matches(&task.borrow(), &params));
        tasks.sort_by_key(|task| std::cmp::Reverse(Cursor::of(&task.borrow())));
        let total = tasks.len();
        tasks.retain(|task| start.is_none_or(|start| Cursor::of(&task.borrow()) < start));
        let more = tasks.len() > page_size;
        tasks.truncate(page_size);
        let token = tasks.last().filter(|_| more).map(|task| Cursor::of(&task.borrow()).to_token());
        let artifacts = if params.artifacts {
            Artifacts::Always
        } else if has(FaultId::ListWithArtifacts) {
            Artifacts::IfAny
        } else {
            Artifacts::Never
        };
        // 1.0 §3.2.4 leaves the amount of history to the agent when none is asked for; a list shows none.
        let none = View { history: History::Newest(0), artifacts };
        let view = params.history.map_or(none, |length| View { artifacts, ..self.view(Some(length)) });
        let shown: Vec<_> = tasks.iter().map(|task| task.borrow().to_value(view)).collect();
        let last = token.is_none();
        let mut page = json!({
            "tasks": shown,
            "nextPageToken": token.unwrap_or_default(),
            "pageSize": page_size,
            "totalSize": total,
        });
        if has(FaultId::ListEmpty) {
            page = json!({ "tasks": [], "nextPageToken": "", "pageSize": page_size, "totalSize": 0 });
        }
        if let Some(map) = page.as_object_mut() {
            if has(FaultId::ListNoTotal) {
                map.shift_remove("totalSize");
            }
            if has(FaultId::ListNoToken) && last {
                map.shift_remove("nextPageToken");
            }
        }
        Ok(page)
    }

    fn matches(&self, task: &Task, params: &ListParams) -> bool {
        let any_context = self.0.faults.has(FaultId::ListIgnoresContext);
        let at_ns = i128::from(task.status.at_ms) * 1_000_000;
        params.context.as_ref().is_none_or(|context| any_context || *context == task.context)
            && params.state.is_none_or(|state| state == task.status.state)
            && params.since.is_none_or(|since| at_ns >= since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_reads_back_and_others_are_refused() {
        let cursor = Cursor { at_ms: 1_770_091_506_789, number: 7 };
        assert_eq!(Cursor::parse(&cursor.to_token()), Some(cursor));
        for bad in ["", "x", "not-a-token", "0123456789abcdef", "0123456789ABCDEF00000001", "€€€€€€€€"]
        {
            assert_eq!(Cursor::parse(bad), None, "{bad}");
        }
    }
}
