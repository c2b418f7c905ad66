//! Which of several lanes tries the examples of an agent: the first that comes to it. The others wait.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::task::{Poll, Waker};

/// Whether the examples were tried.
#[derive(Debug, Default)]
pub(super) struct ExamplesState {
    stage: Cell<ExamplesStage>,
    waiting: RefCell<Vec<Waker>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum ExamplesStage {
    #[default]
    Ahead,
    UnderWay,
    Done,
}

impl ExamplesState {
    /// Whether the caller has to try them: true once.
    pub(super) fn claim(&self) -> bool {
        let is_ahead = self.stage.get() == ExamplesStage::Ahead;
        if is_ahead {
            self.stage.set(ExamplesStage::UnderWay);
        }
        is_ahead
    }

    /// They were tried.
    pub(super) fn finish(&self) {
        self.stage.set(ExamplesStage::Done);
        self.waiting.take().into_iter().for_each(Waker::wake);
    }

    /// Waits until they were.
    pub(super) async fn finished(&self) {
        poll_fn(|cx| {
            if self.stage.get() == ExamplesStage::Done {
                return Poll::Ready(());
            }
            self.waiting.borrow_mut().push(cx.waker().clone());
            Poll::Pending
        })
        .await;
    }
}
