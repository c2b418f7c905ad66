//! Judges whether two subscribers of one task saw the same events in the same order.

use crate::a2a::binding::{ReplyKind, StreamItem, StreamItemKind};
use crate::a2a::model::StreamEvent;
use crate::engine::prelude::{Step, count_of};
use crate::suite::streaming::is_end;
use crate::wire::exchange::End;

/// How the updates that one subscriber saw go with those that the other saw.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::suite) enum Agreement {
    /// While both were there, they saw the same.
    Same,
    /// The second of these stands where the other subscriber saw the first.
    Different(String, String),
    /// No update was seen by both: they may not have been there at the same time.
    NothingShared,
}

/// The items of a stream; none where there is no stream.
fn items(step: &Step) -> &[StreamItem] {
    match &step.reply.kind {
        ReplyKind::Stream(items) => items,
        _ => &[],
    }
}

/// The updates of a stream as far as two subscribers can compare them. Snapshots are the subscriber's own: when it came, and how
/// far things were then.
pub(super) fn updates(step: &Step) -> Vec<String> {
    updates_of(items(step))
}

/// The same of the events of a stream.
pub(in crate::suite) fn updates_of(items: &[StreamItem]) -> Vec<String> {
    let describe = |item: &StreamItem| match &item.kind {
        StreamItemKind::Event(StreamEvent::Status(update)) => {
            Some(format!("status {:?} {:?}", update.state, update.timestamp))
        }
        StreamItemKind::Event(StreamEvent::Artifact(update)) => Some(format!(
            "artifact {:?} of {}",
            update.artifact.artifact_id,
            count_of(update.artifact.parts.len(), "part")
        )),
        _ => None,
    };
    items.iter().filter_map(describe).collect()
}

/// Whether the first subscriber had heard of the task before the second one asked. Without that, the second may have come and
/// gone before the first was there.
pub(super) fn came_before(first: &Step, second: &Step) -> bool {
    items(first).first().is_some_and(|item| item.at_ms <= second.exchange.sent_ms)
}

/// Whether the stream of the second subscriber was open when the first saw the end of the task, and never showed it. An update in the middle
/// may be in the snapshot already (T-STR-15), but nobody who heard of a task at work, or of nothing, has heard of its end.
pub(super) fn missed_end(first: &Step, second: &Step) -> bool {
    let is_end = |item: &&StreamItem| matches!(&item.kind, StreamItemKind::Event(event) if is_end(event));
    let opened_ms = second.exchange.response.as_ref().map(|response| response.head_ms);
    let Some((end, opened_ms)) = items(first).iter().find(is_end).zip(opened_ms) else { return false };
    // What a broken connection did not bring, the agent may have sent.
    let is_whole = matches!(second.exchange.end, End::Complete | End::HungUp | End::Deadline(_));
    let was_open = opened_ms < end.at_ms && second.exchange.end_ms >= end.at_ms;
    is_whole && was_open && !items(second).iter().any(|item| is_end(&item))
}

/// Compares the updates of two subscribers, either of whom may have come a little later than the other (T-STR-7).
pub(in crate::suite) fn agreement(all: &[String], some: &[String]) -> Agreement {
    // Updates that look alike may repeat: any place fits at which everything after it does.
    if overlap(all, some) || overlap(some, all) {
        return Agreement::Same;
    }
    let difference = |longer: &[String], shorter: &[String]| {
        let from = longer.iter().position(|update| Some(update) == shorter.first())?;
        let mut pairs = longer.iter().skip(from).zip(shorter);
        pairs.find(|(one, other)| one != other).map(|(one, other)| (one.clone(), other.clone()))
    };
    if let Some((seen, instead)) = difference(all, some) {
        return Agreement::Different(seen, instead);
    }
    match difference(some, all) {
        Some((instead, seen)) => Agreement::Different(seen, instead),
        None => Agreement::NothingShared,
    }
}

/// Whether the later list begins somewhere in the earlier one, and is the same from there.
fn overlap(earlier: &[String], later: &[String]) -> bool {
    !later.is_empty()
        && (0..earlier.len()).any(|from| earlier.iter().skip(from).zip(later).all(|(one, other)| one == other))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(all: &str, some: &str) -> Agreement {
        let updates = |text: &str| text.chars().map(String::from).collect::<Vec<_>>();
        agreement(&updates(all), &updates(some))
    }

    #[test]
    fn either_may_have_come_later_and_left_earlier() {
        for (all, some) in [("abc", "abc"), ("abc", "bc"), ("bc", "abc"), ("abcd", "bc"), ("cd", "abc")] {
            assert_eq!(compared(all, some), Agreement::Same, "{all} {some}");
        }
    }

    #[test]
    fn updates_that_look_alike_may_repeat() {
        assert_eq!(compared("wwab", "wab"), Agreement::Same);
        assert_eq!(compared("wab", "wwa"), Agreement::Same);
    }

    #[test]
    fn another_order_and_another_update_are_differences() {
        assert_eq!(compared("abcd", "acb"), Agreement::Different("b".into(), "c".into()));
        assert_eq!(compared("bxd", "abcd"), Agreement::Different("x".into(), "c".into()));
    }

    #[test]
    fn without_a_shared_update_nothing_is_said() {
        assert_eq!(compared("cd", "ab"), Agreement::NothingShared);
        assert_eq!(compared("", "ab"), Agreement::NothingShared);
    }
}
