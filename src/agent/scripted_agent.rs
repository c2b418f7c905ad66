//! The scripted agent: its configuration and state, and the access to tasks and time that its operations share.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use futures_util::future::LocalBoxFuture;

use super::acceptance::Addressed;
use super::clock_reading::{ClockReading, http_date};
use super::declared_cases::DeclaredCases;
use super::fault::{FaultId, Faults};
use super::hosted_files::{HostedFile, HostedFiles};
use super::rejection::Rejection;
use super::served_version::{OLDER, ServedVersion};
use super::task::{ArtifactsShown, HistoryShown, StoredTask, TaskCell, TaskView, User};
use super::task_changed::TaskChanged;
use super::task_store::Store;
use crate::a2a::model::{Operation, TaskState};
use crate::host::{Clock, IdSource};
use crate::wire::http::{Method, Request};
use crate::wire::url::path_of;

/// The agent. A clone is the same agent.
#[derive(Clone)]
pub struct ScriptedAgent(pub(super) Rc<Inner>);

pub(super) struct Inner {
    /// Origin and path prefix, without a slash at the end.
    pub(super) base: String,
    pub(super) clock: Rc<dyn Clock>,
    pub(super) ids: Rc<dyn IdSource>,
    pub(super) faults: Faults,
    pub(super) store: RefCell<Store>,
    pub(super) test_cases: RefCell<DeclaredCases>,
    /// The files whose URLs test cases send.
    pub(super) files: RefCell<HostedFiles>,
    /// When the agent was made, for `Last-Modified`.
    pub(super) created: String,
    /// The number of calls so far, on both bindings.
    pub(super) calls: Cell<u32>,
    pub(super) card_fetches: Cell<u32>,
    /// The user whose call is being answered.
    pub(super) caller: Cell<User>,
    /// Whether it came from a page that another machine serves.
    pub(super) from_elsewhere: Cell<bool>,
    /// The agent that this call is for: the plain one, or one of the acceptance tests.
    pub(super) addressed: Cell<Addressed>,
    /// The number of GetTask calls that the fault `get-changes` has answered.
    pub(super) reads: Cell<i64>,
    /// Whether the fault `parse-error-at-times` has shown at the malformed body before this one.
    pub(super) was_malformed: Cell<bool>,
    /// The id of no task that the fault `unknown-task-remembered` was asked for last.
    pub(super) unknown: RefCell<String>,
    /// Whether the call that is being answered came over JSON-RPC.
    pub(super) over_rpc: Cell<bool>,
    /// Whether a handler has raised so far, over HTTP+JSON and over JSON-RPC.
    pub(super) raised: (Cell<bool>, Cell<bool>),
    /// None while nothing sends notifications, as in the page: then their code is not part of it.
    pub(super) start_webhook: RefCell<Option<Box<StartWebhook>>>,
    /// Takes note of every request. None unless somebody wants to see them.
    pub(super) note_request: RefCell<Option<Rc<NoteRequest>>>,
    /// Calls the agents that messages name. None while nothing sends the calls, as in the page.
    pub(super) delegate: RefCell<Option<Rc<Delegate>>>,
    /// The agent that serves HTTP+JSON, where a fault gives each binding its own tasks.
    pub(super) rest_agent: Option<ScriptedAgent>,
}

/// Starts the notifications for the push config of a task with this id, with the task's events after so many.
pub(super) type StartWebhook = dyn Fn(&ScriptedAgent, &'static ServedVersion, &TaskCell, &str, usize);

pub(super) type NoteRequest = dyn Fn(&ScriptedAgent, &Request);

/// Calls the peer that a request names, and makes of the request one whose message is answered with what came back.
pub(super) type Delegate = dyn Fn(&ScriptedAgent, &Request) -> Option<LocalBoxFuture<'static, Request>>;

impl ScriptedAgent {
    /// An agent that can be reached under `base`, an origin with an optional path: `http://127.0.0.1:9999`. Its card is at
    /// `{base}/.well-known/agent-card.json`, its JSON-RPC endpoint at `{base}/rpc`, and its routes are below `{base}/rest`.
    /// Under `{base}/0.3`, `{base}/0.2` and `{base}/0.1` it is an agent of that version, with the same tasks.
    pub fn new(base: impl Into<String>, clock: Rc<dyn Clock>, ids: Rc<dyn IdSource>, faults: Faults) -> Self {
        let base = base.into().trim_end_matches('/').to_owned();
        let rest_agent = faults.has(FaultId::BindingsOwnStores).then(|| {
            let faults = faults.iter().filter(|fault| *fault != FaultId::BindingsOwnStores).collect();
            Self::new(base.as_str(), Rc::clone(&clock), Rc::clone(&ids), faults)
        });
        let created = http_date(ClockReading::from_clock(&*clock).epoch_ms());
        Self(Rc::new(Inner {
            base,
            clock,
            ids,
            faults,
            store: RefCell::default(),
            test_cases: RefCell::default(),
            files: RefCell::default(),
            created,
            calls: Cell::default(),
            card_fetches: Cell::default(),
            caller: Cell::default(),
            from_elsewhere: Cell::default(),
            addressed: Cell::default(),
            reads: Cell::default(),
            was_malformed: Cell::default(),
            unknown: RefCell::default(),
            over_rpc: Cell::default(),
            raised: Default::default(),
            start_webhook: RefCell::default(),
            note_request: RefCell::default(),
            delegate: RefCell::default(),
            rest_agent,
        }))
    }

    /// The older versions that the agent serves, each with its path below the agent's base.
    pub fn older() -> impl Iterator<Item = (&'static str, &'static str)> {
        let path = |served_version: &'static ServedVersion| served_version.older.as_ref().map(|older| older.path);
        OLDER.iter().filter_map(move |served_version| Some((served_version.dialect.version, path(served_version)?)))
    }

    /// Origin and path prefix under which the agent can be reached, without a slash at the end.
    #[must_use]
    pub fn base(&self) -> &str {
        &self.0.base
    }

    pub(super) fn has(&self, fault: FaultId) -> bool {
        self.0.faults.has(fault)
    }

    /// Whether a fault makes the agent take this task, which has finished, for one that still runs.
    pub(super) fn takes_for_running(&self, task: &StoredTask) -> bool {
        matches!(task.state, TaskState::Failed | TaskState::Rejected) && self.has(FaultId::FailedNotTerminal)
    }

    /// Whether the agent has this fault and misses that a task has completed, which it did less than 10 ms ago.
    pub(super) fn misses_end(&self, task: &StoredTask, fault: FaultId) -> bool {
        task.state == TaskState::Completed && self.has(fault) && self.reading().epoch_ms() - task.at_ms < 10
    }

    pub(super) fn path_below_base<'a>(&self, path: &'a str) -> &'a str {
        let prefix = path_of(&self.0.base).trim_end_matches('/');
        path.strip_prefix(prefix).unwrap_or(path)
    }

    /// The file that a request asks for, and its test case.
    pub(super) fn hosted_file(&self, request: &Request) -> Option<(String, Rc<HostedFile>)> {
        let found = self.0.files.borrow().find(self.path_below_base(path_of(&request.url))).cloned();
        found.filter(|_| request.method == Method::Get)
    }

    pub(super) fn reading(&self) -> ClockReading {
        ClockReading::from_clock(&*self.0.clock)
    }

    /// The task with this id, brought up to date, if an operation of the caller sees it.
    pub(super) fn look_up(&self, operation: Operation, id: &str) -> Option<TaskCell> {
        let task = self.0.store.borrow().get(id, |task| self.sees(operation, task))?;
        self.advance(&task);
        Some(task)
    }

    /// Refuses a task that is not there, and says so if it may have been.
    pub(super) fn no_such_task(&self, id: &str) -> Rejection {
        Rejection::task_not_found(id).and_says(&self.0.store.borrow().told_of_forgotten())
    }

    pub(super) fn advance(&self, task: &TaskCell) {
        task.borrow_mut().advance(self.reading(), &*self.0.ids);
    }

    pub(super) fn set_status_now(&self, task: &mut StoredTask, state: TaskState, text: &str) {
        task.set_status_now(state, text, self.reading(), &*self.0.ids);
    }

    /// Waits until the task may have changed.
    pub(super) fn wait_for_change(&self, task: &TaskCell) -> TaskChanged {
        self.wait_until(task, f64::INFINITY)
    }

    /// The same, but no longer than to this time of the clock.
    pub(super) fn wait_until(&self, task: &TaskCell, deadline_ms: f64) -> TaskChanged {
        // At least a millisecond, so that a timer that fires a little early does not make this a busy loop.
        let due =
            task.borrow().next_due().or(deadline_ms.is_finite().then_some(deadline_ms)).map(|due| due.min(deadline_ms));
        TaskChanged::new(task, due.map(|due| self.0.clock.sleep((due - self.0.clock.now_ms()).max(1.0))))
    }

    /// The part of a task to show for a `historyLength` (1.0 §3.2.4).
    pub(super) fn view(&self, length: Option<usize>) -> TaskView {
        let history = match length {
            None => HistoryShown::All,
            Some(0) if self.has(FaultId::HistoryZeroIgnored) => HistoryShown::All,
            Some(n) if n > 0 && self.has(FaultId::HistoryUnbounded) => HistoryShown::All,
            Some(n) if self.has(FaultId::HistoryOldest) => HistoryShown::Oldest(n),
            Some(n) => HistoryShown::Newest(n),
        };
        TaskView { history, artifacts: ArtifactsShown::IfAny }
    }

    /// A task that no message made and that is not stored, for faults that answer about tasks that do not exist.
    pub(super) fn made_up_task(&self, id: &str, context: &str, state: TaskState) -> StoredTask {
        let mut task = StoredTask::new(id.to_owned(), context.to_owned(), self.reading());
        self.set_status_now(&mut task, state, "");
        task
    }
}
