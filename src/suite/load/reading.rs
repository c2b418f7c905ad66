//! How a conversation of a load reads and lists its task, how long it waits for it to end, and what it compares.

use super::conversation::{LoadConversation, is_at_rest, text_of};
use super::ids::{AGREES, ENDS, KEPT, LISTS, OWN_ANSWERS};

use crate::a2a::dialect::write::ListQuery;
use crate::a2a::model::{Artifact, ErrorName, Operation, Task, TaskState};
use crate::engine::drive::list_of;
use crate::engine::plural::count_of;

/// The first wait before a task is read again, in milliseconds; each is longer than the one before.
const POLL_MS: f64 = 100.0;
/// The longest of these waits.
const LONGEST_POLL_MS: f64 = 2_000.0;
/// For how long a task is read again at least until it counts as one that does not end, in milliseconds.
const PATIENCE_MS: f64 = 15_000.0;
/// The same at most.
const MOST_PATIENCE_MS: f64 = 55_000.0;
/// How much longer than alone a task may take under load.
const SLOWDOWN: f64 = 20.0;
/// One in so many conversations lists its tasks.
const LISTS_EVERY: u32 = 3;

impl LoadConversation<'_> {
    /// Reads the task; nothing when it cannot be read.
    pub(super) async fn get(&mut self, id: &str) -> Option<(usize, Task)> {
        let at = self.call("get", self.d.about_task(Operation::GetTask, id)).await;
        let Some(task) = self.task(at) else {
            let kind = self.answer(at).map(|answer| &answer.reply.kind);
            if let Some(kind) = kind.filter(|kind| kind.is_error(ErrorName::TaskNotFound)) {
                let actual = kind.describe();
                self.seen(KEPT);
                self.observe(KEPT, format!("the task {id}, which was just made"), actual, "", &[at]);
            }
            return None;
        };
        self.seen(KEPT);
        self.seen(OWN_ANSWERS);
        if task.id.as_deref() != Some(id) {
            let actual = task.id.clone().unwrap_or_else(|| "none".to_owned());
            self.observe(OWN_ANSWERS, format!("the task {id}"), actual, task.at.key("id"), &[at]);
            return None;
        }
        self.look_through(at, &task);
        Some((at, task))
    }

    /// Reads the task once where the answer at that place showed it in a state of rest, else until it is in one.
    pub(super) async fn read_at_rest(
        &mut self,
        shown: Option<TaskState>,
        id: &str,
        shown_at: usize,
    ) -> Option<(usize, Task)> {
        if !is_at_rest(shown) {
            return self.settle(id, shown_at).await;
        }
        self.seen(ENDS);
        self.course.is_ended = true;
        self.get(id).await
    }

    /// Reads the task until it has ended or waits for its client, but no longer after the last sign of it in the answer at that place than
    /// is fair after how long it took alone.
    async fn settle(&mut self, id: &str, shown_at: usize) -> Option<(usize, Task)> {
        let patience_ms = (self.alone_ms * SLOWDOWN).clamp(PATIENCE_MS, MOST_PATIENCE_MS);
        let begun_ms = self.answer(shown_at).map_or(0.0, |answer| answer.last_event_ms().unwrap_or(answer.ended_ms));
        let mut wait_ms = POLL_MS;
        loop {
            let read = self.get(id).await;
            let is_late = self.d.now_ms() - begun_ms > patience_ms;
            if let Some((at, task)) = read {
                self.seen(ENDS);
                if is_at_rest(task.state) {
                    self.course.is_ended = true;
                    return Some((at, task));
                }
                if is_late {
                    let state = task.state_text.unwrap_or_default();
                    let seconds = (patience_ms / 1000.0).round();
                    let actual = format!("{state}, {seconds} s after the last sign of it");
                    let expected = "a state in which the task has ended or waits for its client";
                    self.observe(ENDS, expected, actual, "", &[at]);
                    return None;
                }
                // Only the last reading is of interest, unless it showed something.
                if self.observed.iter().all(|known| !known.answers.contains(&at)) {
                    self.answers.truncate(at);
                }
            } else if is_late || self.has_found(KEPT) {
                // It cannot be read now, or not at all.
                return None;
            }
            self.d.sleep(wait_ms).await;
            wait_ms = (wait_ms * 1.5).min(LONGEST_POLL_MS);
        }
    }

    /// Compares what an answer said of a task that had ended with what is read now.
    pub(super) fn compare(&mut self, said_at: usize, said: (TaskState, Option<&Task>), read_at: usize, read: &Task) {
        let (state, whole) = said;
        if !state.is_terminal() {
            return;
        }
        self.seen(AGREES);
        if read.state != Some(state) {
            let expected = format!("{}, as was said before", self.d.dialect().state_name(state));
            let actual = read.state_text.clone().unwrap_or_else(|| "no state".to_owned());
            let place = read.place_of_state();
            self.observe(AGREES, expected, actual, place, &[said_at, read_at]);
            return;
        }
        let Some(said) = whole else { return };
        for artifact in said.artifacts.iter().flatten() {
            let same = |known: &&Artifact| known.artifact_id == artifact.artifact_id;
            let stored = read.artifacts.iter().flatten().find(same);
            if stored.map(|stored| text_of(&stored.parts)) != Some(text_of(&artifact.parts)) {
                let id = artifact.artifact_id.as_deref().unwrap_or_default();
                let expected = format!("the artifact \"{id}\" as the first answer shows it");
                let actual = if stored.is_some() { "another text" } else { "none" };
                self.observe(AGREES, expected, actual, read.at.key("artifacts"), &[said_at, read_at]);
                return;
            }
        }
    }

    /// Lists the tasks of the context, which are this one, where the version has lists and the context is the conversation's own.
    pub(super) async fn list(&mut self, id: &str, context: Option<&str>) {
        let is_turn = self.tally.is_alone() || self.number.is_multiple_of(LISTS_EVERY);
        let Some(context) = context.filter(|_| self.has_own_context && is_turn) else { return };
        if self.d.dialect().method(Operation::ListTasks).is_none() {
            return;
        }
        let query = ListQuery { context_id: Some(context.to_owned()), ..ListQuery::default() };
        let at = self.call("list", self.d.list_tasks(&query)).await;
        let Some(list) = self.answer(at).and_then(|answer| list_of(&answer.reply)).cloned() else { return };
        self.seen(LISTS);
        let ids: Vec<&str> = list.tasks.iter().filter_map(|task| task.id.as_deref()).collect();
        let place = list.at.key("tasks");
        let of_other = |id: &&&str| self.tally.conversation_of(id).is_some_and(|other| other != self.number);
        if let Some(other) = ids.iter().find(of_other) {
            let actual = format!("{other}, the task of another context");
            self.observe(LISTS, format!("tasks of the context {context}"), actual, place, &[at]);
            return;
        }
        if !ids.contains(&id) {
            // It may be gone altogether, which is another finding.
            if let Some((read_at, _)) = self.get(id).await {
                let actual = format!("{} without it, while GetTask returns it", count_of(ids.len(), "task"));
                let expected = format!("the task {id} in the list of its context");
                self.observe(LISTS, expected, actual, place, &[at, read_at]);
            }
            return;
        }
        let is_whole = list.next_page_token.as_deref().unwrap_or_default().is_empty();
        let counted = i64::try_from(ids.len()).unwrap_or_default();
        if let Some(total) = list.total_size.filter(|total| is_whole && *total != counted) {
            let expected = format!("totalSize {counted}, as many tasks as are listed");
            self.observe(LISTS, expected, total.to_string(), list.at.key("totalSize"), &[at]);
        }
    }
}
