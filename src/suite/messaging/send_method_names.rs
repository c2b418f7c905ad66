//! Which method of another version sends messages, where the one of the version does not exist.

use crate::a2a::binding::{Call, ReplyKind};
use crate::a2a::dialect::{DIALECTS, Dialect};
use crate::a2a::model::{ErrorName, Operation};
use crate::engine::prelude::{Driver, Step, Transcript};
use crate::wire::json::Value;

/// The step that calls the method which sends messages in another version.
const OTHER_NAME: &str = "other-name";

/// The names that other versions have for the method that sends messages.
fn other_names(own: &Dialect) -> Vec<&'static str> {
    let mut names = Vec::new();
    for name in DIALECTS.iter().filter_map(|dialect| dialect.method(Operation::SendMessage)) {
        if own.method(Operation::SendMessage) != Some(name) && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

pub(super) fn is_unknown_method(step: &Step) -> bool {
    matches!(&step.reply.kind, ReplyKind::Error(error) if error.name == Some(ErrorName::MethodNotFound))
}

/// Asks whether the agent has the method of another version, without parameters so that nothing is done.
pub(super) async fn ask_other_names(d: &Driver) {
    for other in other_names(d.dialect()) {
        let (id, params) = (Value::from(d.fresh_id()), Some(Value::Object(Default::default())));
        let call = Call { method: Some(other.to_owned()), params, id, ..Call::default() };
        if !is_unknown_method(d.call(OTHER_NAME, call.called("a method of another version")).await.as_ref()) {
            return;
        }
    }
}

/// The method of another version that the agent was seen to have.
pub(super) fn known_other_name(t: &Transcript) -> Option<&'static str> {
    let step = t.step(OTHER_NAME).ok()?;
    let is_known = match &step.reply.kind {
        ReplyKind::Result(_) => true,
        // An agent may call a method that does not exist invalid.
        ReplyKind::Error(error) => !is_unknown_method(step) && !error.is(ErrorName::InvalidRequest),
        _ => false,
    };
    let dialect = t.lane.as_ref()?.dialect;
    other_names(dialect).into_iter().nth(t.every(OTHER_NAME).count().saturating_sub(1)).filter(|_| is_known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_of_another_version_is_asked_for_once() {
        for own in DIALECTS {
            let names = other_names(own);
            assert!(!names.is_empty());
            for (place, name) in names.iter().enumerate() {
                assert_ne!(own.method(Operation::SendMessage), Some(*name), "{}", own.version);
                assert!(!names.iter().skip(place + 1).any(|later| later == name), "{}: {names:?}", own.version);
            }
        }
    }
}
