//! The test cases whose responses the agent keeps: how many and how much, and which messages they answer.

use std::cell::RefCell;
use std::rc::Rc;

use serde_json::Value;

use super::declared_turn::{DeclaredCase, DeclaredTurn, InvalidResponses};
use super::hosted_files::HostedFile;
use super::json_values::text;
use super::turn_reader::{DeclaredResponses, responses_of_base64, responses_of_json};
use crate::wire::base64::decode_any;

/// How many test cases are kept, the newest ones.
const MAX_CASES: usize = 100;
/// How many bytes of base64 are kept.
const MAX_BYTES: usize = 32 << 20;
/// How many contexts of a test case are kept, the newest ones.
const MAX_CONTEXTS: usize = 100;

/// The test cases, oldest first.
#[derive(Debug, Default)]
pub(super) struct DeclaredCases(Vec<Rc<DeclaredCase>>);

impl DeclaredCases {
    pub(super) fn get(&self, id: &str) -> Option<Rc<DeclaredCase>> {
        self.0.iter().find(|case| case.id == id).cloned()
    }

    /// The test case whose id is in a message, if it is one that needs no directive.
    pub(super) fn of_message(&self, message: &Value) -> Option<Rc<DeclaredCase>> {
        // In a page nobody declares such responses.
        if cfg!(target_arch = "wasm32") || !self.0.iter().any(|case| case.is_known_by_contents) {
            return None;
        }
        let contents = contents_of(message);
        let is_of = |case: &&Rc<DeclaredCase>| contents.iter().any(|content| content.contains(&case.id));
        self.0.iter().filter(|case| case.is_known_by_contents).find(is_of).cloned()
    }

    /// The test case with these responses, and the files whose URLs are in them. One with a name replaces the one of that name,
    /// unless it is the same.
    pub(super) fn declare(
        &mut self,
        id: &str,
        source: &str,
        base: &str,
    ) -> Result<(Rc<DeclaredCase>, Vec<Rc<HostedFile>>), InvalidResponses> {
        if let Some(known) = self.get(id).filter(|case| case.source == source) {
            return Ok((known, Vec::new()));
        }
        let DeclaredResponses { turns, files } = responses_of_base64(source, base)?;
        let case = Rc::new(DeclaredCase::new(id, source, false, turns));
        if !id.is_empty() {
            self.keep(Rc::clone(&case));
        }
        Ok((case, files))
    }

    /// Declares the responses, in JSON, to every message that holds this text.
    pub(super) fn declare_for_contents(&mut self, text: &str, json: &str) -> Result<(), InvalidResponses> {
        let turns = responses_of_json(json.as_bytes(), "")?.turns;
        self.keep(Rc::new(DeclaredCase::new(text, json, true, turns)));
        Ok(())
    }

    /// Keeps a test case in the place of the one of its name; the oldest make room.
    fn keep(&mut self, case: Rc<DeclaredCase>) {
        self.0.retain(|known| known.id != case.id);
        self.0.push(case);
        let bytes = |cases: &[Rc<DeclaredCase>]| cases.iter().map(|case| case.source.len()).sum::<usize>();
        while self.0.len() > MAX_CASES || (self.0.len() > 1 && bytes(&self.0) > MAX_BYTES) {
            self.0.remove(0);
        }
    }

    /// Forgets this test case, or all of them.
    pub(super) fn forget(&mut self, id: Option<&str>) {
        self.0.retain(|case| id.is_some_and(|id| case.id != id));
    }
}

/// The texts of a message, and the files in it as texts.
fn contents_of(message: &Value) -> Vec<String> {
    let mut contents = Vec::new();
    for part in message.get("parts").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default() {
        contents.push(part.to_string());
        let coded = ["raw", "text"].into_iter().filter_map(|member| decode_any(text(part, member)));
        contents.extend(coded.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()));
    }
    contents
}

impl DeclaredCase {
    fn new(id: &str, source: &str, is_known_by_contents: bool, turns: Vec<Rc<DeclaredTurn>>) -> Self {
        let (id, source) = (id.to_owned(), source.to_owned());
        Self { id, source, is_known_by_contents, turns, contexts: RefCell::default() }
    }

    /// How many messages of a context were answered without a task.
    pub(super) fn turns_in(&self, context: &str) -> usize {
        self.contexts.borrow().iter().find(|(known, _)| known == context).map_or(0, |(_, turns)| *turns)
    }

    pub(super) fn count_turn_in(&self, context: &str) {
        let turns = self.turns_in(context) + 1;
        let mut contexts = self.contexts.borrow_mut();
        contexts.retain(|(known, _)| known != context);
        let surplus = (contexts.len() + 1).saturating_sub(MAX_CONTEXTS);
        contexts.drain(..surplus);
        contexts.push((context.to_owned(), turns));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::base64::STANDARD;

    #[test]
    fn the_oldest_test_cases_make_room() {
        let mut cases = DeclaredCases::default();
        for number in 0..=MAX_CASES {
            cases.declare(&number.to_string(), "W1tdXQ==", "").unwrap();
        }
        assert!(cases.get("0").is_none() && cases.get("1").is_some());
        // One that is declared anew is new.
        cases.declare("1", "W1tdLFtdXQ==", "").unwrap();
        let large = STANDARD.encode(format!(r#"[[{{"raw":"{}"}}]]"#, "x".repeat(13 << 20)).as_bytes());
        cases.declare("large", &large, "").unwrap();
        assert!(cases.get("1").is_some());
        cases.declare("as large", &large, "").unwrap();
        assert!(cases.get("1").is_none() && cases.get("large").is_none() && cases.get("as large").is_some());
    }
}
