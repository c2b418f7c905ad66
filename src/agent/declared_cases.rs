//! The test cases whose responses the agent keeps.

use std::rc::Rc;

use super::declared_turn::DeclaredCase;
use super::invalid_responses::InvalidResponses;
use super::turn_reader::turns_of_base64;

/// How many test cases are kept, the newest ones.
const MAX_CASES: usize = 100;
/// How many contexts of a test case are kept, the newest ones.
const MAX_CONTEXTS: usize = 100;

/// The test cases, oldest first.
#[derive(Debug, Default)]
pub(super) struct DeclaredCases(Vec<Rc<DeclaredCase>>);

impl DeclaredCases {
    pub(super) fn get(&self, id: &str) -> Option<Rc<DeclaredCase>> {
        self.0.iter().find(|case| case.id == id).cloned()
    }

    /// The test case with these responses. One with a name replaces the one of that name, unless it is the same.
    pub(super) fn declare(&mut self, id: &str, source: &str) -> Result<Rc<DeclaredCase>, InvalidResponses> {
        if let Some(known) = self.get(id).filter(|case| case.source == source) {
            return Ok(known);
        }
        let turns = turns_of_base64(source)?;
        let case =
            Rc::new(DeclaredCase { id: id.to_owned(), source: source.to_owned(), turns, contexts: Default::default() });
        if !id.is_empty() {
            self.0.retain(|known| known.id != id);
            let surplus = (self.0.len() + 1).saturating_sub(MAX_CASES);
            self.0.drain(..surplus);
            self.0.push(Rc::clone(&case));
        }
        Ok(case)
    }

    /// Forgets this test case, or all of them.
    pub(super) fn forget(&mut self, id: Option<&str>) {
        self.0.retain(|case| id.is_some_and(|id| case.id != id));
    }
}

impl DeclaredCase {
    /// How many messages of a context were answered without a task.
    pub(super) fn turns_in(&self, context: &str) -> usize {
        self.contexts.borrow().iter().find(|(known, _)| known == context).map_or(0, |(_, turns)| *turns)
    }

    /// Notes that another message of a context was answered without a task.
    pub(super) fn count_turn_in(&self, context: &str) {
        let turns = self.turns_in(context) + 1;
        let mut contexts = self.contexts.borrow_mut();
        contexts.retain(|(known, _)| known != context);
        let surplus = (contexts.len() + 1).saturating_sub(MAX_CONTEXTS);
        contexts.drain(..surplus);
        contexts.push((context.to_owned(), turns));
    }
}
