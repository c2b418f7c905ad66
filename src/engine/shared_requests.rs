//! Which requests the scenarios of a lane share, and the answers to them; `drive/shared_calls.rs` makes the calls. Each is sent
//! once, and whoever comes meanwhile waits for its answer.

use std::cell::RefCell;
use std::future::poll_fn;
use std::task::{Poll, Waker};

/// A request that several scenarios share. It changes nothing, and the answer that they want depends neither on when it
/// is asked nor on what was asked before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SharedQuestion {
    /// A get of a task that does not exist.
    GetUnknown,
    /// A cancel of a task that does not exist.
    CancelUnknown,
    /// A list of tasks, whatever they are.
    List,
    /// A message that is not there.
    EmptyMessage,
}

/// The questions that were asked so far.
#[derive(Debug)]
pub struct Asked<T> {
    questions: RefCell<Vec<(SharedQuestion, QuestionState<T>)>>,
}

#[derive(Debug)]
enum QuestionState<T> {
    /// Somebody asks; these wait for what is answered.
    UnderWay(Vec<Waker>),
    Answered(T),
}

impl<T> Default for Asked<T> {
    fn default() -> Self {
        Self { questions: RefCell::default() }
    }
}

/// The right to ask a question. Without an answer it passes to the next when it is dropped.
#[derive(Debug)]
pub struct Turn<'a, T> {
    asked: &'a Asked<T>,
    question: SharedQuestion,
}

impl<T> Turn<'_, T> {
    /// Keeps the answer for the others.
    pub fn answer(self, answer: T) {
        self.asked.settle(self.question, Some(answer));
    }
}

impl<T> Drop for Turn<'_, T> {
    fn drop(&mut self) {
        self.asked.settle(self.question, None);
    }
}

impl<T: Clone> Asked<T> {
    /// The answer to a question, if there is one by now.
    pub fn answer(&self, question: SharedQuestion) -> Option<T> {
        self.questions.borrow().iter().find_map(|(known, progress)| match progress {
            QuestionState::Answered(answer) if *known == question => Some(answer.clone()),
            _ => None,
        })
    }

    /// The answer to a question, once there is one; where nobody has asked, an error, which is the right to ask it.
    pub async fn known(&self, question: SharedQuestion) -> Result<T, Turn<'_, T>> {
        poll_fn(|cx| {
            let mut questions = self.questions.borrow_mut();
            match questions.iter_mut().find(|(known, _)| *known == question) {
                Some((_, QuestionState::Answered(answer))) => Poll::Ready(Ok(answer.clone())),
                Some((_, QuestionState::UnderWay(waiting))) => {
                    waiting.push(cx.waker().clone());
                    Poll::Pending
                }
                None => {
                    questions.push((question, QuestionState::UnderWay(Vec::new())));
                    Poll::Ready(Err(Turn { asked: self, question }))
                }
            }
        })
        .await
    }
}

impl<T> Asked<T> {
    /// Keeps an answer that came of itself, unless there is one.
    pub fn keep(&self, question: SharedQuestion, answer: T) {
        let mut questions = self.questions.borrow_mut();
        if !questions.iter().any(|(known, _)| *known == question) {
            questions.push((question, QuestionState::Answered(answer)));
        }
    }

    /// Ends the asking of a question, and wakes those who wait for it.
    fn settle(&self, question: SharedQuestion, answer: Option<T>) {
        let mut questions = self.questions.borrow_mut();
        let under_way = |(known, progress): &(SharedQuestion, QuestionState<T>)| {
            *known == question && matches!(progress, QuestionState::UnderWay(_))
        };
        let Some(index) = questions.iter().position(under_way) else { return };
        let (_, ended) = questions.swap_remove(index);
        questions.extend(answer.map(|answer| (question, QuestionState::Answered(answer))));
        drop(questions);
        if let QuestionState::UnderWay(waiting) = ended {
            waiting.into_iter().for_each(Waker::wake);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use futures_util::future::{join3, select};

    use super::*;
    use crate::host::Clock;
    use crate::host::virtual_clock::VirtualClock;

    #[test]
    fn those_who_ask_the_same_at_once_get_one_answer() {
        let (asked, clock, times) = (Asked::default(), VirtualClock::default(), Cell::new(0));
        let ask = async || match asked.known(SharedQuestion::List).await {
            Ok(answer) => answer,
            Err(turn) => {
                times.set(times.get() + 1);
                clock.sleep(10.0).await;
                turn.answer("tasks");
                "tasks"
            }
        };
        assert_eq!(clock.block_on(join3(ask(), ask(), ask())), ("tasks", "tasks", "tasks"));
        assert_eq!((times.get(), clock.now_ms()), (1, 10.0));
        asked.keep(SharedQuestion::List, "others");
        assert_eq!(clock.block_on(ask()), "tasks");
    }

    #[test]
    fn who_gets_no_answer_leaves_the_question_to_the_next() {
        let (asked, clock) = (Asked::<()>::default(), VirtualClock::default());
        let hopeless = async {
            let turn = asked.known(SharedQuestion::GetUnknown).await;
            clock.sleep(1000.0).await;
            drop(turn);
        };
        let next = async {
            clock.sleep(1.0).await;
            asked.known(SharedQuestion::GetUnknown).await.is_err()
        };
        let given_up = async {
            select(Box::pin(hopeless), clock.sleep(5.0)).await;
        };
        let (_, is_asking, _) = clock.block_on(join3(given_up, next, async {}));
        assert!(is_asking);
        assert_eq!(clock.now_ms(), 5.0);
    }
}
