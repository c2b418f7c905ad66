//! The directives in the text of a message: `[test_case_id=...]` and `[responses_json=...]`, anywhere in it.

use serde_json::Value;

use super::declared_turn::InvalidResponses;
use super::json_values::text;
use super::turn_reader::responses_of_json;
use crate::wire::base64::STANDARD;

/// The longest name of a test case, in bytes.
const MAX_TEST_CASE: usize = 200;

const TEST_CASE: &str = "[test_case_id=";
const RESPONSES: &str = "[responses_json=";

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Directives<'a> {
    /// Empty if there is none.
    pub(super) test_case: &'a str,
    /// The base64 of the responses.
    pub(super) responses: Option<&'a str>,
}

impl<'a> Directives<'a> {
    /// The first directive of each kind in the texts of a message.
    pub(super) fn from_message(message: &'a Value) -> Result<Self, InvalidResponses> {
        let mut found = Self::default();
        for part in message.get("parts").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default() {
            if let (true, Some(test_case)) = (found.test_case.is_empty(), value_of(TEST_CASE, text(part, "text"))) {
                found.test_case = checked(test_case.unwrap_or_default())?;
            }
            if let (None, Some(responses)) = (found.responses, value_of(RESPONSES, text(part, "text"))) {
                let unclosed = || InvalidResponses::at("responses_json", "has no closing bracket");
                found.responses = Some(responses.ok_or_else(unclosed)?);
            }
        }
        Ok(found)
    }
}

/// The name of the test case in the body of a request, whatever the body is; empty if there is none.
pub(super) fn test_case_in(body: &str) -> &str {
    value_of(TEST_CASE, body).flatten().map_or("", |name| checked(name).unwrap_or_default())
}

/// The text behind the names of test cases at its beginning, where keywords stand.
pub(super) fn after_test_case(text: &str) -> &str {
    let text = text.trim_start();
    match text.strip_prefix(TEST_CASE).and_then(|rest| rest.split_once(']')) {
        Some((_, rest)) => after_test_case(rest),
        None => text,
    }
}

/// The value of the first directive that begins so; the inner option is `None` where the directive has no end.
fn value_of<'a>(start: &str, text: &'a str) -> Option<Option<&'a str>> {
    let (_, rest) = text.split_once(start)?;
    Some(rest.split_once(']').map(|(value, _)| value.trim()))
}

fn checked(test_case: &str) -> Result<&str, InvalidResponses> {
    let fits = !test_case.is_empty() && test_case.len() <= MAX_TEST_CASE;
    let description = format!("must have from 1 to {MAX_TEST_CASE} bytes and a closing bracket");
    fits.then_some(test_case).ok_or_else(|| InvalidResponses::at("test_case_id", description))
}

/// The directives to put into a message, so that the scripted agent answers with these turns: `json` is an array of turns as
/// `docs/TEST-AGENT.md` describes it.
///
/// # Errors
/// [`InvalidResponses`] names the place of the first problem.
pub fn responses_directive(test_case: &str, json: &str) -> Result<String, InvalidResponses> {
    let test_case = checked(test_case.trim())?;
    if test_case.contains(['[', ']', '\n', '"', '\\']) {
        return Err(InvalidResponses::at("test_case_id", "must not have brackets, quotes, backslashes or line breaks"));
    }
    responses_of_json(json.as_bytes(), "")?;
    Ok(format!("{TEST_CASE}{test_case}] {RESPONSES}{}]", STANDARD.encode(json.as_bytes())))
}
