//! The condition under which a repetition (`repeat`) ends: `status.state in [A, B]`.

use serde_json::Value;

use super::dot_path::DotPath;
use super::matching::{is_equal, shown};
use super::scope::TestScope;

/// A condition for a response.
#[derive(Debug, Clone, PartialEq)]
pub struct UntilCondition {
    path: DotPath,
    /// Whether the value must not be one of the values.
    is_negated: bool,
    values: Vec<Value>,
    text: String,
}

impl UntilCondition {
    /// Reads a condition; the error says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let forms = "path == value, path != value, or path in [value, value]";
        let wrong = || format!("{text:?} is not a condition; expected {forms}");
        let (path, is_negated, values) = if let Some((path, value)) = text.split_once("==") {
            (path, false, vec![literal(value)])
        } else if let Some((path, value)) = text.split_once("!=") {
            (path, true, vec![literal(value)])
        } else {
            let (path, list) = text.split_once(" in ").ok_or_else(wrong)?;
            let list = list.trim().strip_prefix('[').and_then(|list| list.strip_suffix(']')).ok_or_else(wrong)?;
            (path, false, list.split(',').map(literal).collect())
        };
        if values.iter().any(|value| value.as_str().is_some_and(str::is_empty)) {
            return Err(wrong());
        }
        Ok(Self { path: DotPath::parse(path.trim())?, is_negated, values, text: text.to_owned() })
    }

    /// Whether a response meets it; the error names a reference without a value.
    pub(super) fn holds(&self, root: &Value, scope: &TestScope<'_>) -> Result<bool, String> {
        let found = self.path.value(root);
        for value in &self.values {
            let value = scope.fill(value)?;
            if found.is_some_and(|found| is_equal(found, &value)) {
                return Ok(!self.is_negated);
            }
        }
        Ok(self.is_negated)
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The value that it looks at, for a message.
    pub(super) fn found(&self, root: &Value) -> String {
        shown(self.path.value(root))
    }
}

/// A literal: a number, `true`, `false`, `null`, or a text with or without quotes.
fn literal(text: &str) -> Value {
    let text = text.trim();
    let quoted = |quote: char| text.strip_prefix(quote).and_then(|text| text.strip_suffix(quote));
    match quoted('"').or_else(|| quoted('\'')) {
        Some(text) => Value::from(text),
        None => serde_json::from_str(text).unwrap_or_else(|_| Value::from(text)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::acts::scope::TestScope;
    use crate::acts::settings::TestSettings;

    #[test]
    fn a_condition_looks_at_one_value() {
        let root = json!({ "status": { "state": "B" }, "n": 2, "ok": true });
        let settings = TestSettings::default();
        let scope = TestScope::new((&[], &[]), &settings, &String::new, "");
        for (text, holds) in [
            ("status.state == B", true),
            ("status.state == \"B\"", true),
            ("status.state != B", false),
            ("status.state != 'C'", true),
            ("status.state in [A, B]", true),
            ("status.state in [A, C]", false),
            ("n == 2", true),
            ("ok == true", true),
            ("missing == 1", false),
            ("missing != 1", true),
        ] {
            assert_eq!(UntilCondition::parse(text).unwrap().holds(&root, &scope), Ok(holds), "{text}");
        }
        for text in ["", "state", "state in A", "state ==", "a..b == 1"] {
            assert!(UntilCondition::parse(text).is_err(), "{text}");
        }
    }
}
