//! JSON Schema, as far as expectations need it: `x-schema`. A keyword that is not known is a mistake, so that nothing passes
//! because it was not looked at.

use regex_lite::Regex;
use serde_json::Value;

use super::dot_path::{indexed, joined};
use super::equality::is_equal;
use super::fields::{Fields, Reading, list, text, word};
use super::node::{Node, NodeValue};
use crate::wire::json::brief;

const TYPES: [&str; 7] = ["string", "number", "integer", "boolean", "array", "object", "null"];
const KEYWORDS: [&str; 24] = [
    "$schema",
    "$id",
    "title",
    "description",
    "type",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "enum",
    "const",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "pattern",
    "minItems",
    "maxItems",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "default",
    "examples",
];
/// How many characters of a value a message shows.
const SHOWN: usize = 80;

/// A schema.
#[derive(Debug, Clone, Default)]
pub struct JsonSchema {
    types: Vec<&'static str>,
    properties: Vec<(String, JsonSchema)>,
    required: Vec<String>,
    /// Whether members without a schema are refused.
    is_closed: bool,
    items: Option<Box<JsonSchema>>,
    values: Option<Vec<Value>>,
    /// The keyword of a limit, and the limit.
    limits: Vec<(&'static str, f64)>,
    pattern: Option<String>,
    /// The keyword of a combination, and what it combines.
    combined: Vec<(&'static str, Vec<JsonSchema>)>,
}

/// Reads a schema. Mistakes are noted.
pub(super) fn read(reading: &Reading, node: &Node) -> JsonSchema {
    let Some(fields) = Fields::of(reading, node, "a JSON Schema") else { return JsonSchema::default() };
    fields.only(&KEYWORDS);
    let types = fields.get("type").map(|node| match &node.value {
        NodeValue::List(nodes) => nodes.iter().filter_map(|node| word(reading, node, &TYPES)).collect(),
        _ => word(reading, node, &TYPES).into_iter().collect(),
    });
    let properties = fields.get("properties").map(Node::members).unwrap_or_default().iter();
    let constant = fields.get("const").map(|node| vec![node.to_json()]);
    let values =
        fields.get("enum").map(|node| list(reading, node, "a list of values").iter().map(Node::to_json).collect());
    let limits = ["minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"].into_iter();
    let combined = ["allOf", "anyOf", "oneOf"].into_iter().filter_map(|name| {
        let nodes = list(reading, fields.get(name)?, "a list of schemas");
        Some((name, nodes.iter().map(|node| read(reading, node)).collect()))
    });
    let negated = fields.get("not").map(|node| ("not", vec![read(reading, node)]));
    JsonSchema {
        types: types.unwrap_or_default(),
        properties: properties.map(|(key, node)| (key.text.clone(), read(reading, node))).collect(),
        required: fields.texts("required"),
        is_closed: fields.get("additionalProperties").is_some_and(|node| is_false(reading, node)),
        items: fields.get("items").map(|node| Box::new(read(reading, node))),
        values: constant.or(values),
        limits: limits.filter_map(|name| Some((name, limit(reading, fields.get(name)?)?))).collect(),
        pattern: fields.get("pattern").and_then(|node| pattern(reading, node)),
        combined: combined.chain(negated).collect(),
    }
}

fn is_false(reading: &Reading, node: &Node) -> bool {
    if !matches!(node.value, NodeValue::Bool(_)) {
        reading.expected(node, "true or false");
    }
    node.value == NodeValue::Bool(false)
}

fn limit(reading: &Reading, node: &Node) -> Option<f64> {
    match &node.value {
        NodeValue::Number(number) => number.as_f64(),
        _ => {
            reading.expected(node, "a number");
            None
        }
    }
}

fn pattern(reading: &Reading, node: &Node) -> Option<String> {
    let pattern = text(reading, node)?;
    if let Err(problem) = Regex::new(&pattern) {
        reading.note(node.at, format!("expected a pattern without look-around and back-references: {problem}"));
    }
    Some(pattern)
}

/// What of a value does not fit: where, what was expected, and what came.
pub(super) type Misfit = (String, String, String);

impl JsonSchema {
    /// Holds the schema against a value.
    pub(super) fn check(&self, value: &Value, path: &str) -> Result<(), Misfit> {
        let misfit = |expected: String| Err((path.to_owned(), expected, brief(value, SHOWN)));
        if !self.types.is_empty() && !self.types.iter().any(|name| is_of_type(value, name)) {
            return misfit(self.types.join(" or "));
        }
        if let Some(values) = self.values.as_ref().filter(|values| !values.iter().any(|known| is_equal(known, value))) {
            return misfit(values.iter().map(Value::to_string).collect::<Vec<_>>().join(" or "));
        }
        for (name, limit) in &self.limits {
            if !keeps(name, *limit, value) {
                return misfit(format!("{name} {limit}"));
            }
        }
        if let (Some(pattern), Some(text)) = (&self.pattern, value.as_str())
            && !Regex::new(pattern).is_ok_and(|pattern| pattern.is_match(text))
        {
            return misfit(format!("a text that matches {pattern:?}"));
        }
        for (name, schemas) in &self.combined {
            let fitting = schemas.iter().filter(|schema| schema.check(value, path).is_ok()).count();
            let holds = match *name {
                "allOf" => fitting == schemas.len(),
                "anyOf" => fitting > 0,
                "oneOf" => fitting == 1,
                _ => fitting == 0,
            };
            if !holds {
                return misfit(format!("{name} of {} to hold, {fitting} of which does", schemas.len()));
            }
        }
        self.check_members(value, path)?;
        match (&self.items, value.as_array()) {
            (Some(items), Some(elements)) => {
                let mut places = elements.iter().enumerate();
                places.try_for_each(|(index, element)| items.check(element, &indexed(path, index)))
            }
            _ => Ok(()),
        }
    }

    fn check_members(&self, value: &Value, path: &str) -> Result<(), Misfit> {
        let Some(members) = value.as_object() else { return Ok(()) };
        if let Some(missing) = self.required.iter().find(|name| !members.contains_key(*name)) {
            return Err((joined(path, missing), "a value, which is required".to_owned(), "nothing".to_owned()));
        }
        let schema_of = |name: &str| self.properties.iter().find(|(known, _)| known == name).map(|(_, schema)| schema);
        for (name, member) in members {
            match schema_of(name) {
                Some(schema) => schema.check(member, &joined(path, name))?,
                None if self.is_closed => {
                    return Err((joined(path, name), "nothing".to_owned(), brief(member, SHOWN)));
                }
                None => {}
            }
        }
        Ok(())
    }
}

fn is_of_type(value: &Value, name: &str) -> bool {
    match name {
        "string" => value.is_string(),
        "number" => value.is_number(),
        // 1.0 is an integer too (JSON Schema 2020-12, core §4.2.3).
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => value.is_null(),
    }
}

/// Whether a value keeps a limit. Limits of other types say nothing of it.
fn keeps(keyword: &str, limit: f64, value: &Value) -> bool {
    let measure = match keyword {
        "minimum" | "maximum" => value.as_f64(),
        "minLength" | "maxLength" => value.as_str().map(|text| text.chars().count() as f64),
        _ => value.as_array().map(|elements| elements.len() as f64),
    };
    measure.is_none_or(|measure| if keyword.starts_with("min") { measure >= limit } else { measure <= limit })
}

#[cfg(test)]
mod tests {
    use serde_json::{from_str, json};

    use super::*;
    use crate::acts::yaml;

    /// Whether a schema takes a value, as the reference implementation among the development dependencies says too.
    fn takes(schema: &Value, value: &Value) -> bool {
        let reading = Reading::new("schema");
        let node = yaml::parse(&schema.to_string()).unwrap();
        let ours = read(&reading, &node).check(value, "").is_ok();
        assert!(reading.into_problems().is_empty(), "{schema}");
        assert_eq!(ours, jsonschema::is_valid(schema, value), "{schema} {value}");
        ours
    }

    #[test]
    fn every_keyword_takes_what_json_schema_takes() {
        let values: Vec<Value> = from_str(
            r#"[null, true, 0, 1.0, 1.5, -3, "", "abc", "abcdef", [], [1], [1, "x", 2], {}, {"a": 1}, {"a": "x", "b": 2}]"#,
        )
        .unwrap();
        for schema in [
            json!({ "type": "integer" }),
            json!({ "type": ["string", "null"] }),
            json!({ "enum": [1, "abc", null] }),
            json!({ "const": { "a": 1 } }),
            json!({ "minimum": 1, "maximum": 1.5 }),
            json!({ "minLength": 1, "maxLength": 3 }),
            json!({ "pattern": "^ab" }),
            json!({ "minItems": 1, "maxItems": 2, "items": { "type": "number" } }),
            json!({ "type": "object", "required": ["a"], "properties": { "a": { "type": "number" } } }),
            json!({ "properties": { "a": {} }, "additionalProperties": false }),
            json!({ "anyOf": [{ "type": "string" }, { "minimum": 1 }] }),
            json!({ "allOf": [{ "type": "number" }, { "minimum": 1 }] }),
            json!({ "oneOf": [{ "type": "number" }, { "minimum": 1 }] }),
            json!({ "not": { "type": "object" }, "title": "t", "description": "d" }),
        ] {
            let taken = values.iter().filter(|value| takes(&schema, value)).count();
            assert!(taken > 0 && taken < values.len(), "{schema} tells nothing apart");
        }
    }
}
