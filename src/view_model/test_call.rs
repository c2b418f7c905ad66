//! A test call: what one call to each interface shows of the credentials that it carries, in one sentence.

use crate::engine::event::{Completion, Event};
use crate::engine::lane_name::lane_name;
use crate::engine::verdict::Outcome;

/// The check whose conversation is the call: it reads a task that does not exist, and makes the agent do nothing.
pub const CHECK: &str = "card.interface-accurate";

/// The outcome of the call.
#[derive(Debug, Default)]
pub struct TestCall {
    /// Of each interface its name, and what kept it from answering, if something did.
    interfaces: Vec<(String, Option<String>)>,
    /// Why nothing could be called at all.
    stopped: Option<String>,
}

impl TestCall {
    /// Takes in an event of the run that makes the call.
    pub fn apply(&mut self, event: &Event) {
        match event {
            Event::Judged { result, .. } if result.row.check.id == CHECK => {
                let lane = result.row.lane.as_ref().map(|lane| lane_name(&lane.id)).unwrap_or_default();
                let answered = matches!(result.verdict.outcome, Outcome::Pass | Outcome::Note);
                self.interfaces.push((lane, (!answered).then(|| result.verdict.message.clone())));
            }
            Event::Finished { completion: Completion::Incomplete(why), .. } => self.stopped = Some(why.clone()),
            _ => {}
        }
    }

    /// The result once the run is over, as a fragment in lower case.
    #[must_use]
    pub fn result(&self) -> String {
        if let Some(why) = &self.stopped {
            return why.clone();
        }
        let troubles = self.interfaces.iter().filter_map(|(lane, why)| Some(format!("{lane}: {}", why.as_ref()?)));
        let troubles: Vec<String> = troubles.collect();
        match (troubles.as_slice(), self.interfaces.is_empty()) {
            (_, true) => "there was no interface to call".to_owned(),
            ([], false) => "a call with these credentials was answered".to_owned(),
            (troubles, false) => troubles.join("; "),
        }
    }
}
