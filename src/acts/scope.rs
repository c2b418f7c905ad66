//! The values that references have in a test: variables, captures, responses, files, and the agent's address.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::Value;

use super::dot_path::DotPath;
use super::reference::{ARTIFACTS, RESPONSE, Reference, TOOL_CALLS, TextPiece, pieces};
use super::response_content::artifacts;
use super::sent_file::TestFile;
use super::settings::TestSettings;
use super::tool_calls::tool_calls;
use crate::engine::transcript::Lane;

/// How often a variable may stand for another.
const MAX_CHAIN: usize = 10;
/// The names under which the agent's address is known where the file gives them no value.
const BASE_URL: [&str; 2] = ["baseUrl", "SUT_BASE_URL"];

/// An interface of a further agent that a test calls (`x-agents`, `x-agent`).
#[derive(Debug, Clone)]
pub(super) struct FurtherAgent {
    /// The interface, under the id of the lane that the test is on: its exchanges are part of that result.
    pub(super) lane: Rc<Lane>,
    pub(super) extensions: Vec<String>,
}

/// The values that references have in one test.
pub(super) struct TestScope<'a> {
    variables: &'a [(String, String)],
    files: &'a [TestFile],
    settings: &'a TestSettings,
    ids: &'a dyn Fn() -> String,
    base_url: String,
    /// The variables that have their value: one for each test.
    known: RefCell<BTreeMap<String, Value>>,
    responses: RefCell<Vec<(String, Value)>>,
    captured: RefCell<Vec<(String, String, Value)>>,
    further: RefCell<Vec<(String, FurtherAgent)>>,
    /// Texts that were sent in other words: expectations mean these.
    reworded: RefCell<Vec<(String, String)>>,
}

impl<'a> TestScope<'a> {
    pub(super) fn new(
        (variables, files): (&'a [(String, String)], &'a [TestFile]),
        settings: &'a TestSettings,
        ids: &'a dyn Fn() -> String,
        base_url: &str,
    ) -> Self {
        Self {
            variables,
            files,
            settings,
            ids,
            base_url: base_url.trim_end_matches('/').to_owned(),
            known: RefCell::default(),
            responses: RefCell::default(),
            captured: RefCell::default(),
            further: RefCell::default(),
            reworded: RefCell::default(),
        }
    }

    /// Keeps the response of a step. A step that is repeated has its last one.
    pub(super) fn keep_response(&self, step: &str, response: Value) {
        let mut responses = self.responses.borrow_mut();
        responses.retain(|(known, _)| known != step);
        responses.push((step.to_owned(), response));
    }

    pub(super) fn response(&self, step: &str) -> Option<Value> {
        self.responses.borrow().iter().find(|(known, _)| known == step).map(|(_, response)| response.clone())
    }

    pub(super) fn further(&self, name: &str) -> Option<FurtherAgent> {
        self.further.borrow().iter().find(|(known, _)| known == name).map(|(_, agent)| agent.clone())
    }

    pub(super) fn keep_further(&self, name: &str, agent: FurtherAgent) {
        self.further.borrow_mut().push((name.to_owned(), agent));
    }

    pub(super) fn file(&self, id: &str) -> Result<&'a TestFile, String> {
        self.files.iter().find(|file| file.id == id).ok_or_else(|| format!("there is no file {id}"))
    }

    pub(super) fn capture(&self, step: &str, name: &str, value: Value) {
        self.captured.borrow_mut().push((step.to_owned(), name.to_owned(), value));
    }

    /// Notes that a text was sent in other words.
    pub(super) fn reword(&self, text: &str, words: &str) {
        self.reworded.borrow_mut().push((text.to_owned(), words.to_owned()));
    }

    /// A value whose texts have their references filled in. A text that is one reference becomes what that stands for, of
    /// whatever type.
    pub(super) fn fill(&self, value: &Value) -> Result<Value, String> {
        Ok(match value {
            Value::String(text) => self.value(text, 0)?,
            Value::Array(values) => {
                Value::Array(values.iter().map(|value| self.fill(value)).collect::<Result<_, _>>()?)
            }
            Value::Object(members) => {
                let members = members.iter().map(|(name, value)| Ok((name.clone(), self.fill(value)?)));
                Value::Object(members.collect::<Result<_, String>>()?)
            }
            other => other.clone(),
        })
    }

    /// A text with its references filled in.
    pub(super) fn text(&self, text: &str) -> Result<String, String> {
        self.value(text, 0).map(into_text)
    }

    fn value(&self, text: &str, depth: usize) -> Result<Value, String> {
        let pieces = pieces(text)?;
        if let [TextPiece::Reference(reference)] = pieces.as_slice() {
            return self.resolve(reference, depth);
        }
        let mut filled = String::new();
        for piece in pieces {
            match piece {
                TextPiece::Plain(text) => filled.push_str(&text),
                TextPiece::Reference(reference) => filled.push_str(&into_text(self.resolve(&reference, depth)?)),
            }
        }
        for (text, words) in self.reworded.borrow().iter() {
            filled = filled.replace(text, words);
        }
        Ok(Value::String(filled))
    }

    /// The value of a reference. Values that a step captured take precedence over the document's variables, and these over the environment.
    fn resolve(&self, reference: &Reference, depth: usize) -> Result<Value, String> {
        match reference {
            Reference::Uuid => Ok(Value::from((self.ids)())),
            Reference::Environment(name) => {
                let found = self.settings.environment.iter().find(|(known, _)| known == name);
                let found = found.map(|(_, value)| Value::from(value.as_str()));
                found.ok_or_else(|| format!("the environment has no variable {name}"))
            }
            Reference::OfStep { step, name, path } => self.of_step(step, name, path.as_ref()),
            Reference::Variable(name) => self.variable(name, depth),
        }
    }

    fn of_step(&self, step: &str, name: &str, path: Option<&DotPath>) -> Result<Value, String> {
        let captured = self.captured.borrow();
        let found = captured.iter().rev().find(|(of, known, _)| of == step && known == name);
        let found = found.map(|(_, _, value)| value.clone()).or_else(|| match name {
            RESPONSE => self.response(step),
            TOOL_CALLS => Some(tool_calls(&self.response(step)?)),
            ARTIFACTS => Some(artifacts(&self.response(step)?)),
            // The events of a stream are a member of its response.
            name => self.response(step)?.get(name).cloned(),
        });
        let found = match (found, path) {
            (Some(found), Some(path)) => path.value(&found).cloned(),
            (found, _) => found,
        };
        found.ok_or_else(|| format!("the step {step} has no value {name}"))
    }

    fn variable(&self, name: &str, depth: usize) -> Result<Value, String> {
        if let Some(known) = self.known.borrow().get(name) {
            return Ok(known.clone());
        }
        if depth >= MAX_CHAIN {
            return Err(format!("the variable {name} stands for itself"));
        }
        let of = |list: &'a [(String, String)]| list.iter().find(|(known, _)| known == name).map(|(_, value)| value);
        let found = match of(&self.settings.variables).or_else(|| of(self.variables)) {
            Some(text) => self.value(text, depth + 1),
            None => Err(format!("the variable {name} has no value; give it one with --var {name}=VALUE")),
        };
        let found = match found {
            Err(_) if BASE_URL.contains(&name) && !self.base_url.is_empty() => Ok(Value::from(self.base_url.as_str())),
            found => found,
        }?;
        self.known.borrow_mut().insert(name.to_owned(), found.clone());
        Ok(found)
    }
}

fn into_text(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}
