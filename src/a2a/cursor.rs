//! A place in a JSON document: a value and its pointer, read member by member while notes are taken.

use std::rc::Rc;

use super::rule::{Notes, Rule};
use crate::wire::json::{Pointer, SharedValue, Value, brief, type_name};

/// The integer that a value is (T-RPC-18): 10, 10.0 and 1e1 are one number, and ProtoJSON reads all of them.
#[must_use]
pub fn integer(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_f64()?.to_string().parse().ok())
}

/// A value and where it stands.
#[derive(Debug, Clone)]
pub struct Cursor<'a> {
    /// The value.
    pub value: &'a Value,
    /// Its place in the document that was received.
    pub at: Pointer,
    /// The whole document, if it is kept for longer than it is read.
    kept: Option<&'a Rc<Value>>,
}

impl<'a> Cursor<'a> {
    /// The whole document.
    #[must_use]
    pub fn root(value: &'a Value) -> Self {
        Self { value, at: Pointer::root(), kept: None }
    }

    /// The whole of a document that is kept: what is read in it need not copy it.
    #[must_use]
    pub fn kept(document: &'a Rc<Value>) -> Self {
        Self { kept: Some(document), ..Self::root(document) }
    }

    /// Another value of the same document.
    #[must_use]
    pub const fn elsewhere(&self, value: &'a Value, at: Pointer) -> Self {
        Self { value, at, kept: self.kept }
    }

    /// The value for as long as somebody needs it.
    #[must_use]
    pub fn shared(&self) -> SharedValue {
        self.kept
            .map_or_else(|| SharedValue::of(self.value.clone()), |document| SharedValue::within(document, &self.at))
    }

    /// A member of an object. `null` counts as absent: ProtoJSON readers take it so, and 0.x writers send it.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<Self> {
        let value = self.value.get(name).filter(|value| !value.is_null())?;
        Some(self.elsewhere(value, self.at.key(name)))
    }

    /// Whether the object has that member at all, `null` included.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.value.get(name).is_some()
    }

    /// The elements of an array; none if it is not an array.
    pub fn elements(&self) -> impl Iterator<Item = Cursor<'a>> + use<'a> {
        let own = self.clone();
        let list = self.value.as_array().map_or(&[][..], Vec::as_slice);
        list.iter().enumerate().map(move |(index, value)| own.elsewhere(value, own.at.index(index)))
    }

    /// The elements of a member; none if there is no such array.
    pub fn elements_of(&self, name: &str) -> impl Iterator<Item = Cursor<'a>> + use<'a> {
        self.member(name).into_iter().flat_map(|list| list.elements())
    }

    /// The members of an object; none if it is not an object.
    pub fn members(&self) -> impl Iterator<Item = (&'a str, Cursor<'a>)> + use<'a> {
        let own = self.clone();
        let map = self.value.as_object();
        map.into_iter().flatten().map(move |(name, value)| (name.as_str(), own.elsewhere(value, own.at.key(name))))
    }

    /// A string member, or `None` when it is missing or something else.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<String> {
        self.member(name)?.value.as_str().map(str::to_owned)
    }

    /// Whether a member is `true`.
    #[must_use]
    pub fn flag(&self, name: &str) -> bool {
        self.value.get(name) == Some(&Value::Bool(true))
    }

    /// What stands in place of a member that is not there, for a finding.
    #[must_use]
    pub fn absence(&self, name: &str) -> &'static str {
        if self.value.get(name).is_some_and(Value::is_null) { "null" } else { "missing or empty" }
    }

    /// A member that must be a non-empty string. ProtoJSON leaves empty strings out, so "missing or empty" is one finding.
    pub fn required_text(&self, name: &str, rule: Rule, notes: &mut Notes) -> Option<String> {
        let member = self.member(name);
        let text = member.as_ref().and_then(|member| member.value.as_str());
        let (expected, actual) = match (&member, text) {
            (_, Some(text)) if !text.is_empty() => {
                notes.holds(rule);
                return Some(text.to_owned());
            }
            (Some(_), Some(_)) => ("a non-empty string", "an empty string".to_owned()),
            (Some(member), None) => ("a string", member.describe()),
            (None, _) => ("a non-empty string", self.absence(name).to_owned()),
        };
        notes.breaks(rule, &self.at.key(name), format!("{expected} {name}"), actual);
        None
    }

    /// A member that may be absent but, when there, must satisfy `is`; `what` names the type for the finding.
    pub fn optional(
        &self,
        name: &str,
        rule: Rule,
        what: &str,
        is: fn(&Value) -> bool,
        notes: &mut Notes,
    ) -> Option<Self> {
        let member = self.member(name)?;
        notes.judge(rule, is(member.value), &member.at, (format!("{name} to be {what}"), member.describe()));
        Some(member).filter(|member| is(member.value))
    }

    /// A member that may be absent but, when there, must be `true` or `false`: whether it is `true`.
    pub fn optional_flag(&self, name: &str, rule: Rule, notes: &mut Notes) -> bool {
        self.optional(name, rule, "a boolean", Value::is_boolean, notes).is_some() && self.flag(name)
    }

    /// The members of which there should be exactly one, for a finding: their names, or if there are none the whole value.
    #[must_use]
    pub fn these_or_all(&self, names: &[&str]) -> String {
        if names.is_empty() { self.describe() } else { names.join(" and ") }
    }

    /// The value in a few words, for a finding.
    #[must_use]
    pub fn describe(&self) -> String {
        match self.value {
            Value::Object(map) if map.is_empty() => "an empty object".to_owned(),
            Value::Array(list) if list.is_empty() => "an empty array".to_owned(),
            Value::Object(_) | Value::Array(_) => format!("{}: {}", type_name(self.value), brief(self.value, 80)),
            other => brief(other, 80),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Cursor;

    #[test]
    fn a_value_is_described_by_its_kind_and_what_is_in_it() {
        for (value, words) in [
            (json!([]), "an empty array"),
            (json!([1, 2]), "an array: [1,2]"),
            (json!({}), "an empty object"),
            (json!({ "a": 1 }), "an object: {\"a\":1}"),
            (json!("a"), "\"a\""),
        ] {
            assert_eq!(Cursor::root(&value).describe(), words);
        }
    }
}
