//! The kinds of conversations of which a load is a mix, and what each does when: cancels, lost streams, second subscribers.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::task::{Poll, Waker};

use futures_util::future::join;

use super::conversation::{LoadConversation, is_at_rest, last_state};
use super::ids::{CANCEL_RACE, LEAVING, RETURNING, STREAMS_AGREE};
use super::streamed::compare_artifacts;
use super::tally::Course;
use crate::a2a::binding::{ReplyKind, StreamItem, StreamItemKind};
use crate::a2a::model::{ErrorName, Operation, Payload, StreamEvent, TaskState};
use crate::engine::drive::UnrecordedAnswer;
use crate::engine::session::StreamControl;
use crate::suite::subscribe::{Agreement, agreement, updates_of};
use crate::wire::exchange::End;

/// How long a client that lost its stream is away, in milliseconds.
const AWAY_MS: f64 = 30.0;
/// How long after a cancel the task is read once more, in milliseconds: what works on it may not have heard of the cancel.
const SECOND_LOOK_MS: f64 = 400.0;
/// When a cancel is sent, as a share of the time that such a task took alone: around its end, where the race is.
const CANCEL_AT: [f64; 6] = [0.3, 0.9, 0.95, 0.98, 1.0, 1.03];

/// How the kinds take turns.
pub(super) const TURNS: [ConversationKind; 6] = [
    ConversationKind::Send,
    ConversationKind::Stream,
    ConversationKind::Subscribers,
    ConversationKind::Send,
    ConversationKind::Stream,
    ConversationKind::CancelRace,
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConversationKind {
    /// A message, a look at its task, and sometimes a list.
    Send,
    /// The same with a stream.
    Stream,
    /// Several streams of one task, one of which is left and opened again.
    Subscribers,
    /// A cancel that comes about when the task ends.
    CancelRace,
}

/// A conversation with its kind and the text that it sends.
pub(super) async fn converse(mut c: LoadConversation<'_>, kind: ConversationKind, text: &str) -> Course {
    match kind {
        ConversationKind::Send => send(&mut c, text).await,
        ConversationKind::Stream => stream(&mut c, text).await,
        ConversationKind::Subscribers => subscribers(&mut c, text).await,
        ConversationKind::CancelRace => cancel_race(&mut c, text).await,
    }
    c.finish()
}

async fn send(c: &mut LoadConversation<'_>, text: &str) {
    let message = c.message(text);
    let at = c.call("send", c.d.sending(Operation::SendMessage, &message)).await;
    if let Some(ReplyKind::Result(Payload::Sent { message: Some(message), task: None })) =
        c.answer(at).map(|answer| answer.reply.kind.clone())
    {
        return c.take_message(at, &message);
    }
    let Some(task) = c.task(at) else { return };
    let Some(id) = task.id.clone() else { return };
    c.look_through(at, &task);
    c.meet(at, &id, task.context_id.as_deref());
    let read = c.read_at_rest(task.state, &id, at).await;
    if let (Some((read_at, read)), Some(state)) = (&read, task.state) {
        c.compare(at, (state, Some(&task)), *read_at, read);
    }
    c.list(&id, task.context_id.as_deref()).await;
}

async fn stream(c: &mut LoadConversation<'_>, text: &str) {
    let message = c.message(text);
    let at = c.call("stream", c.d.sending(Operation::SendStreamingMessage, &message)).await;
    if let Some(id) = take_stream(c, at, false).await {
        let items = c.items(at);
        c.list(&id, context_of(&items, &id).as_deref()).await;
    }
}

/// Looks through the stream of a send, and compares it with its task, unless a cancel races with it. Returns the task's id, if there is
/// one.
async fn take_stream(c: &mut LoadConversation<'_>, at: usize, is_race: bool) -> Option<String> {
    let items = c.items(at);
    if let Some(StreamItemKind::Event(StreamEvent::Message(message))) = items.first().map(|item| &item.kind) {
        c.take_message(at, message);
        return None;
    }
    let own = own_task(&items)?;
    c.look_through_stream(at, &items, &own);
    c.meet(at, &own, context_of(&items, &own).as_deref());
    let last = last_state(&items, &own);
    let read = c.read_at_rest(last, &own, at).await;
    if let (Some((read_at, read)), Some(state), false) = (&read, last, is_race) {
        c.compare(at, (state, None), *read_at, read);
        if state.is_terminal() && read.state == Some(state) && is_whole(c, at) {
            compare_artifacts(c, (at, &items, &own), (*read_at, read));
        }
    }
    Some(own)
}

/// Whether the stream at that place was read to where its agent ended it.
fn is_whole(c: &LoadConversation<'_>, at: usize) -> bool {
    c.answer(at).is_some_and(|answer| answer.end().cut().is_none())
}

/// The task that a stream is of: an update of another one may have come before it.
fn own_task(items: &[StreamItem]) -> Option<String> {
    let events = || items.iter().filter_map(|item| item.kind.event());
    let whole = events().find(|event| matches!(event, StreamEvent::Task(_))).and_then(StreamEvent::task_id);
    whole.or_else(|| events().find_map(StreamEvent::task_id)).map(str::to_owned)
}

/// The context that the events of a task name.
fn context_of(items: &[StreamItem], own: &str) -> Option<String> {
    let mut own_events = items.iter().filter_map(|item| item.kind.event()).filter(|event| event.task_id() == Some(own));
    own_events.find_map(StreamEvent::context_id).map(str::to_owned)
}

/// A stream of a send that others act upon while it lasts.
#[derive(Default)]
struct OpenedStream {
    task: RefCell<Option<String>>,
    is_over: Cell<bool>,
    /// Who waits for the task's id.
    waker: RefCell<Option<Waker>>,
}

impl OpenedStream {
    /// Streams a message to its end.
    async fn run(&self, c: &LoadConversation<'_>, text: &str) -> UnrecordedAnswer {
        let message = c.message(text);
        let watch = |item: &StreamItemKind| {
            if let StreamItemKind::Event(event @ (StreamEvent::Task(_) | StreamEvent::Status(_))) = item
                && let Some(id) = event.task_id()
                && self.task.borrow().is_none()
            {
                *self.task.borrow_mut() = Some(id.to_owned());
                self.wake();
            }
            StreamControl::Continue
        };
        let answer = c.d.call_apart("stream", c.d.sending(Operation::SendStreamingMessage, &message), watch).await;
        self.is_over.set(true);
        self.wake();
        answer
    }

    fn wake(&self) {
        if let Some(waker) = self.waker.borrow_mut().take() {
            waker.wake();
        }
    }

    /// The id of the task as soon as the stream names it; nothing when it ends first.
    async fn task(&self) -> Option<String> {
        poll_fn(|context| {
            if self.is_over.get() {
                return Poll::Ready(None);
            }
            if let Some(id) = self.task.borrow().clone() {
                return Poll::Ready(Some(id));
            }
            *self.waker.borrow_mut() = Some(context.waker().clone());
            Poll::Pending
        })
        .await
    }
}

async fn subscribers(c: &mut LoadConversation<'_>, text: &str) {
    let opened = OpenedStream::default();
    let shared: &LoadConversation<'_> = c;
    let others = async {
        let id = opened.task().await?;
        let subscribe = || shared.d.about_task(Operation::SubscribeToTask, &id);
        let stays = shared.d.call_apart("subscribe", subscribe(), |_| StreamControl::Continue);
        let comes_back = async {
            let leaves = |item: &StreamItemKind| match item {
                StreamItemKind::Event(StreamEvent::Status(_) | StreamEvent::Artifact(_)) => StreamControl::HangUp,
                _ => StreamControl::Continue,
            };
            let left = shared.d.call_apart("leave", subscribe(), leaves).await;
            shared.d.sleep(AWAY_MS).await;
            let back = shared.d.call_apart("return", subscribe(), |_| StreamControl::Continue).await;
            (left, back)
        };
        Some(join(stays, comes_back).await)
    };
    let (first, others) = join(opened.run(shared, text), others).await;
    let first_at = c.note(first);
    let own = take_stream(c, first_at, false).await;
    let Some((stayed, (left, back))) = others else { return };
    let (stayed_at, left_at, back_at) = (c.note(stayed), c.note(left), c.note(back));
    if let Some(own) = own {
        judge_subscribers(c, &own, [first_at, stayed_at, left_at, back_at]).await;
    }
}

/// What several streams of one task showed. The first is that of the send, the second subscribed and stayed, the third left, and the
/// fourth is the one with which it came back.
async fn judge_subscribers(c: &mut LoadConversation<'_>, own: &str, [first, stayed, left, back]: [usize; 4]) {
    let streams = [first, stayed, left, back].map(|at| c.items(at));
    let [of_first, of_stayed, of_left, of_back] = &streams;
    for (at, items) in [(stayed, of_stayed), (left, of_left), (back, of_back)] {
        c.look_through_stream(at, items, own);
    }
    let both_whole = is_whole(c, first) && is_whole(c, stayed);
    if both_whole && !of_stayed.is_empty() {
        c.seen(STREAMS_AGREE);
        // An update of another task is another finding.
        let own_updates = |items: &[StreamItem]| {
            let is_own =
                |item: &&StreamItem| item.kind.event().and_then(StreamEvent::task_id).is_none_or(|id| id == own);
            updates_of(&items.iter().filter(is_own).cloned().collect::<Vec<_>>())
        };
        if let Agreement::Different(seen, instead) = agreement(&own_updates(of_first), &own_updates(of_stayed)) {
            c.observe(STREAMS_AGREE, format!("{seen}, as the other stream has it"), instead, "", &[stayed, first]);
        }
    }
    let has_left = c.answer(left).is_some_and(|answer| *answer.end() == End::HungUp);
    let ended_ms = |at: usize| c.answer(at).map(|answer| answer.ended_ms);
    let stayed_longer = ended_ms(stayed) >= ended_ms(left);
    let is_ended = c.answer(stayed).is_some_and(|answer| *answer.end() == End::Complete);
    if has_left && stayed_longer && is_ended && !of_stayed.is_empty() {
        c.seen(LEAVING);
        if !is_at_rest(last_state(of_stayed, own)) {
            let expected = "a stream that lasts until the task has ended, although another was closed";
            c.observe(LEAVING, expected, "the end of the stream before that", "", &[stayed, left]);
        }
    }
    let is_complete = c.answer(back).is_some_and(|answer| *answer.end() == End::Complete);
    if has_left && is_complete && !of_back.is_empty() {
        c.seen(RETURNING);
        let Some((read_at, read)) = c.get(own).await else { return };
        let last = last_state(of_back, own);
        if is_at_rest(read.state) && last != read.state {
            let dialect = c.d.dialect();
            let actual = last.map_or("no state", |state| dialect.state_name(state)).to_owned();
            let expected = format!("{}, as GetTask shows it", read.state_text.unwrap_or_default());
            c.observe(RETURNING, expected, actual, "", &[back, read_at]);
        }
    }
}

async fn cancel_race(c: &mut LoadConversation<'_>, text: &str) {
    let opened = OpenedStream::default();
    let shared: &LoadConversation<'_> = c;
    // The kinds take turns, so that the number of the conversation alone would choose the same share each time.
    let turn = usize::try_from(shared.number).unwrap_or_default() / TURNS.len();
    let share = CANCEL_AT.get(turn % CANCEL_AT.len()).copied();
    let canceling = async {
        let begun_ms = shared.d.now_ms();
        let id = opened.task().await?;
        // Alone it is cancelled early, so that it is seen what a cancel does.
        let share = if shared.tally.is_alone() { 0.3 } else { share.unwrap_or(1.0) };
        let due_ms = begun_ms + shared.alone_ms * share;
        shared.d.sleep((due_ms - shared.d.now_ms()).max(0.0)).await;
        let call = shared.d.about_task(Operation::CancelTask, &id);
        Some((id, shared.d.call_apart("cancel", call, |_| StreamControl::Continue).await))
    };
    let (streamed, canceled) = join(opened.run(shared, text), canceling).await;
    let stream_at = c.note(streamed);
    let own = take_stream(c, stream_at, true).await;
    let Some((id, canceled)) = canceled.filter(|(id, _)| own.as_deref() == Some(id)) else { return };
    let cancel_at = c.note(canceled);
    if c.get(&id).await.is_none() {
        return;
    }
    c.d.sleep(SECOND_LOOK_MS).await;
    if let Some((read_at, read)) = c.get(&id).await {
        judge_race(c, stream_at, cancel_at, (read_at, read.state, read.state_text.unwrap_or_default()), &id);
    }
}

/// A cancel that races with the end of the task either comes in time, and the task is canceled, or it does not, and the agent says so.
fn judge_race(
    c: &mut LoadConversation<'_>,
    stream_at: usize,
    cancel_at: usize,
    (read_at, read, read_text): (usize, Option<TaskState>, String),
    id: &str,
) {
    let Some(kind) = c.answer(cancel_at).map(|answer| answer.reply.kind.clone()) else { return };
    let streamed = last_state(&c.items(stream_at), id);
    let canceled = c.d.dialect().state_name(TaskState::Canceled);
    // Whatever the cancel was answered with, a task that has ended stays as it is.
    if let Some(state) = streamed.filter(|state| state.is_terminal() && read.is_some_and(TaskState::is_terminal)) {
        c.seen(CANCEL_RACE);
        if read != Some(state) {
            let expected =
                format!("{}, with which the stream said that the task had ended", c.d.dialect().state_name(state));
            return c.observe(CANCEL_RACE, expected, read_text, "", &[stream_at, cancel_at, read_at]);
        }
    }
    match &kind {
        ReplyKind::Result(Payload::Task(task)) if task.state == Some(TaskState::Canceled) => {
            c.seen(CANCEL_RACE);
            if read != Some(TaskState::Canceled) {
                let expected = format!("{canceled}, as the answer to the cancel said");
                c.observe(CANCEL_RACE, expected, read_text, "", &[cancel_at, read_at, stream_at]);
            }
        }
        kind if kind.is_error(ErrorName::TaskNotCancelable) => {
            c.seen(CANCEL_RACE);
            if read == Some(TaskState::Canceled) {
                let expected = "another state than that of a canceled task, as the cancel was refused";
                c.observe(CANCEL_RACE, expected, read_text, "", &[cancel_at, read_at]);
            }
        }
        _ => {}
    }
}
