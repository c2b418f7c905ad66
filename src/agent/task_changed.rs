//! Waiting for a task: for a time, or for a request that changes what is to come.

use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;

use super::task::TaskCell;

/// Completes at a given time, or earlier when a request changes the task's plan: cancels it or gives it input.
pub(super) struct TaskChanged {
    task: TaskCell,
    seen: u64,
    watcher: Option<u64>,
    time: Option<LocalBoxFuture<'static, ()>>,
}

impl TaskChanged {
    pub(super) fn new(task: &TaskCell, time: Option<LocalBoxFuture<'static, ()>>) -> Self {
        Self { seen: task.borrow().plan_changes, task: Rc::clone(task), watcher: None, time }
    }

    fn stop_watching(&mut self) {
        if let Some(number) = self.watcher.take() {
            self.task.borrow_mut().watchers.retain(|(known, _)| *known != number);
        }
    }
}

impl Future for TaskChanged {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        self.stop_watching();
        if self.time.as_mut().is_some_and(|time| time.poll_unpin(context).is_ready()) {
            return Poll::Ready(());
        }
        let mut task = self.task.borrow_mut();
        if task.plan_changes != self.seen {
            return Poll::Ready(());
        }
        task.last_watcher += 1;
        let number = task.last_watcher;
        task.watchers.push((number, context.waker().clone()));
        drop(task);
        self.watcher = Some(number);
        Poll::Pending
    }
}

impl Drop for TaskChanged {
    fn drop(&mut self) {
        self.stop_watching();
    }
}
