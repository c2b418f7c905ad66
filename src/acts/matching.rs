//! Holds assertions against values.

use regex_lite::Regex;
use serde_json::Value;

use super::assertion::{Assertion, Operator};
use super::dot_path::{indexed, joined};
use super::equality::is_equal;
use super::scope::TestScope;
use crate::wire::json::brief;

/// How many characters of a value a message shows.
const SHOWN: usize = 120;

/// Why an assertion was not met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Unmet {
    /// The value is another one.
    Mismatch {
        /// Where it stands.
        path: String,
        /// What was expected.
        expected: String,
        /// What came.
        actual: String,
    },
    /// A reference in the assertion has no value.
    Unresolved(String),
}

/// The outcome of an assertion.
pub(super) type Met = Result<(), Unmet>;

/// A mismatch.
pub(super) fn mismatch(path: &str, expected: impl Into<String>, actual: impl Into<String>) -> Unmet {
    Unmet::Mismatch { path: path.to_owned(), expected: expected.into(), actual: actual.into() }
}

/// A value for a message.
pub(super) fn shown(value: Option<&Value>) -> String {
    value.map_or_else(|| "nothing".to_owned(), |value| brief(value, SHOWN))
}

/// Holds an assertion against a value, or against there being none.
pub(super) fn judge(assertion: &Assertion, value: Option<&Value>, path: &str, scope: &TestScope<'_>) -> Met {
    match assertion {
        Assertion::Equals(wanted) => {
            let wanted = scope.fill(wanted).map_err(Unmet::Unresolved)?;
            if value.is_some_and(|value| is_equal(value, &wanted)) {
                return Ok(());
            }
            Err(mismatch(path, brief(&wanted, SHOWN), shown(value)))
        }
        Assertion::Elements(wanted) => {
            let Some(Value::Array(elements)) = value else {
                return Err(mismatch(path, assertion.describe(), shown(value)));
            };
            let mut places = wanted.iter().enumerate();
            places.try_for_each(|(index, wanted)| judge(wanted, elements.get(index), &indexed(path, index), scope))
        }
        Assertion::Map { operators, members } => {
            operators.iter().try_for_each(|operator| judge_operator(operator, value, path, scope))?;
            match value {
                None if operators.is_empty() => {
                    // Members that must not be there are not there.
                    if !members.is_empty() && members.iter().all(|(_, wanted)| wanted.is_absent()) {
                        return Ok(());
                    }
                    return Err(mismatch(path, assertion.describe(), "nothing"));
                }
                Some(value) if !value.is_object() && operators.is_empty() => {
                    return Err(mismatch(path, assertion.describe(), shown(Some(value))));
                }
                _ => {}
            }
            members.iter().try_for_each(|(name, wanted)| {
                judge(wanted, value.and_then(|value| value.get(name)), &joined(path, name), scope)
            })
        }
    }
}

fn judge_operator(operator: &Operator, value: Option<&Value>, path: &str, scope: &TestScope<'_>) -> Met {
    let fails = || Err(mismatch(path, operator.describe(), shown(value)));
    let text = value.and_then(Value::as_str);
    let holds = match operator {
        Operator::Type(name) => value.is_some_and(|value| is_of_type(value, name)),
        Operator::Exists => value.is_some(),
        Operator::Absent => value.is_none(),
        Operator::Contains(wanted) => holds_text(text, wanted, scope, |text, wanted| text.contains(wanted))?,
        Operator::StartsWith(wanted) => holds_text(text, wanted, scope, |text, wanted| text.starts_with(wanted))?,
        Operator::EndsWith(wanted) => holds_text(text, wanted, scope, |text, wanted| text.ends_with(wanted))?,
        Operator::Matches(pattern) => {
            // It was read before, so that it can be read now.
            text.is_some_and(|text| Regex::new(pattern).is_ok_and(|pattern| pattern.is_match(text)))
        }
        Operator::Number(name, wanted) => {
            value.and_then(Value::as_f64).is_some_and(|number| compares(name, number, *wanted))
        }
        Operator::Count(name, wanted) => value.and_then(Value::as_array).is_some_and(|elements| {
            let (length, wanted) = (elements.len() as u64, *wanted);
            match *name {
                "count_gte" => length >= wanted,
                "count_lte" => length <= wanted,
                _ => length == wanted,
            }
        }),
        Operator::AnyOf(alternatives) => {
            let mut unmet = None;
            for alternative in alternatives {
                match judge(alternative, value, path, scope) {
                    Ok(()) => return Ok(()),
                    Err(Unmet::Unresolved(why)) => return Err(Unmet::Unresolved(why)),
                    Err(mismatch) => unmet = Some(mismatch),
                }
            }
            // With a single alternative we know what is wrong.
            return match unmet {
                Some(unmet) if alternatives.len() == 1 => Err(unmet),
                _ => fails(),
            };
        }
        Operator::AllOf(all) => return all.iter().try_for_each(|each| judge(each, value, path, scope)),
        Operator::Not(inner) => match judge(inner, value, path, scope) {
            Ok(()) => false,
            Err(Unmet::Mismatch { .. }) => true,
            Err(unresolved) => return Err(unresolved),
        },
        Operator::Bytes(file) => {
            let Some(value) = value else { return fails() };
            let compared = scope.file(file).map_err(Unmet::Unresolved)?.compare_value(value);
            return compared.map_err(|(expected, actual)| mismatch(path, expected, actual));
        }
        Operator::EveryItem(wanted) => {
            let Some(elements) = value.and_then(Value::as_array) else { return fails() };
            let mut places = elements.iter().enumerate();
            return places.try_for_each(|(index, value)| judge(wanted, Some(value), &indexed(path, index), scope));
        }
    };
    if holds { Ok(()) } else { fails() }
}

fn holds_text(
    text: Option<&str>,
    wanted: &str,
    scope: &TestScope<'_>,
    holds: fn(&str, &str) -> bool,
) -> Result<bool, Unmet> {
    let wanted = scope.text(wanted).map_err(Unmet::Unresolved)?;
    Ok(text.is_some_and(|text| holds(text, &wanted)))
}

fn compares(operator: &str, number: f64, wanted: f64) -> bool {
    match operator {
        "gte" => number >= wanted,
        "lte" => number <= wanted,
        "gt" => number > wanted,
        _ => number < wanted,
    }
}

fn is_of_type(value: &Value, name: &str) -> bool {
    match name {
        "string" => value.is_string(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => value.is_null(),
    }
}
