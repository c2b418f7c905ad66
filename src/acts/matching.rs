//! Holds one assertion against one value, and words what was expected and what came.

use regex_lite::Regex;
use serde_json::Value;

use super::assertion::{Assertion, Operator, sign};
use super::dot_path::{indexed, joined};
use super::scope::TestScope;
use crate::engine::verdict::Verdict;
use crate::wire::json::{brief, type_name};

/// How many characters of a value a message shows.
const SHOWN: usize = 120;

/// Why an assertion was not met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Unmet {
    Mismatch {
        path: String,
        expected: String,
        actual: String,
    },
    /// A reference in the assertion has no value.
    Unresolved(String),
}

impl Unmet {
    /// The verdict on a test of which this step was not met; `exchange` shows it, if it is not 0.
    pub(super) fn verdict(self, step: &str, exchange: u32) -> Verdict {
        match self {
            Self::Unresolved(why) => Verdict::blocked(format!("step {step}: {why}")),
            Self::Mismatch { path, expected, actual } => {
                let place = if path.is_empty() { String::new() } else { format!(" at {path}") };
                let because = format!("step {step}: expected {expected}{place}, got {actual}");
                let verdict = Verdict::fail(exchange, expected, actual);
                let mut verdict = verdict.because(because).at(format!("{step}: {path}"));
                verdict.exchanges.retain(|id| *id > 0);
                verdict
            }
        }
    }
}

pub(super) type Met = Result<(), Unmet>;

pub(super) fn mismatch(path: &str, expected: impl Into<String>, actual: impl Into<String>) -> Unmet {
    Unmet::Mismatch { path: path.to_owned(), expected: expected.into(), actual: actual.into() }
}

/// Whether an assertion is met; the error is that it cannot be told.
pub(super) fn holds(met: Met) -> Result<bool, Unmet> {
    match met {
        Ok(()) => Ok(true),
        Err(Unmet::Mismatch { .. }) => Ok(false),
        Err(unresolved) => Err(unresolved),
    }
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

/// The same for an assertion that a file may leave out.
pub(super) fn judge_given(wanted: Option<&Assertion>, value: Option<&Value>, path: &str, scope: &TestScope<'_>) -> Met {
    wanted.map_or(Ok(()), |wanted| judge(wanted, value, path, scope))
}

fn judge_operator(operator: &Operator, value: Option<&Value>, path: &str, scope: &TestScope<'_>) -> Met {
    let fails = || Err(mismatch(path, operator.describe(), shown(value)));
    let text = value.and_then(Value::as_str);
    let holds = match operator {
        // Types are described as findings name those of values.
        Operator::Type(_) => value.is_some_and(|value| type_name(value) == operator.describe()),
        Operator::Exists => value.is_some(),
        Operator::Absent => value.is_none(),
        // It was read before, so that it can be read now.
        Operator::Text("matches", pattern) => {
            text.is_some_and(|text| Regex::new(pattern).is_ok_and(|pattern| pattern.is_match(text)))
        }
        Operator::Text(name, wanted) => {
            let wanted = scope.text(wanted).map_err(Unmet::Unresolved)?;
            text.is_some_and(|text| match *name {
                "starts_with" => text.starts_with(&wanted),
                "ends_with" => text.ends_with(&wanted),
                _ => text.contains(&wanted),
            })
        }
        Operator::Number(name, wanted) => {
            value.and_then(Value::as_f64).is_some_and(|number| compares(name, number, *wanted))
        }
        Operator::Count(name, wanted) => {
            value.and_then(Value::as_array).is_some_and(|elements| compares(name, elements.len() as u64, *wanted))
        }
        Operator::AnyOf(alternatives) => {
            // With a single alternative we know what is wrong.
            if let [only] = alternatives.as_slice() {
                return judge(only, value, path, scope);
            }
            for alternative in alternatives {
                if self::holds(judge(alternative, value, path, scope))? {
                    return Ok(());
                }
            }
            false
        }
        Operator::AllOf(all) => return all.iter().try_for_each(|each| judge(each, value, path, scope)),
        Operator::Not(inner) => !self::holds(judge(inner, value, path, scope))?,
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

fn compares<T: PartialOrd>(operator: &str, value: T, wanted: T) -> bool {
    match sign(operator) {
        ">=" => value >= wanted,
        "<=" => value <= wanted,
        ">" => value > wanted,
        "<" => value < wanted,
        _ => value == wanted,
    }
}

/// Whether two values are the same; 1 and 1.0 are.
pub(super) fn is_equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_equal(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| is_equal(a, b)))
        }
        _ => a == b,
    }
}
