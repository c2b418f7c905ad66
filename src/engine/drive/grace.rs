//! How long a stream may stay open after the event that should be its last.

use crate::a2a::binding::StreamItemKind;
use crate::a2a::model::StreamEvent;
use crate::engine::session::StreamControl;

/// How long a stream may stay open after its terminal event (T-STR-12: never zero tolerance).
pub const GRACE_MS: f64 = 5000.0;
/// How long a stream may stay open after an event with which the agent waits for its client.
const INTERRUPTED_GRACE_MS: f64 = 1500.0;

/// Looks at each event of a stream and says whether to go on.
pub(super) type EventWatcher<'a> = Box<dyn FnMut(&StreamItemKind) -> StreamControl + 'a>;

/// Once an event is terminal (or interrupted, after which a stream may stay open: T-STR-2), the stream gets a grace
/// period and no more.
pub(super) fn with_grace(mut watch: EventWatcher<'_>) -> EventWatcher<'_> {
    Box::new(move |item| {
        let control = watch(item);
        if control != StreamControl::Continue {
            return control;
        }
        let state = match item {
            StreamItemKind::Event(StreamEvent::Task(task)) => task.state,
            StreamItemKind::Event(StreamEvent::Status(update)) => update.state,
            StreamItemKind::Event(StreamEvent::Message(_)) | StreamItemKind::Error(_) => {
                return StreamControl::Grace(GRACE_MS);
            }
            _ => None,
        };
        match state {
            Some(state) if state.is_terminal() => StreamControl::Grace(GRACE_MS),
            Some(state) if state.is_interrupted() => StreamControl::Grace(INTERRUPTED_GRACE_MS),
            _ => StreamControl::Continue,
        }
    })
}
