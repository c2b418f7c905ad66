//! Paths into a response: `task.artifacts[0].parts[*].text`.

use serde_json::Value;

/// A path.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DotPath(Vec<DotSegment>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum DotSegment {
    Member(String),
    Element(usize),
    EveryElement,
}

impl DotPath {
    /// Reads a path; the error says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = |what: &str| Err(format!("{text:?} is not a path such as task.artifacts[0].parts[*].text: {what}"));
        let mut segments = Vec::new();
        for piece in text.split('.') {
            let (name, mut rest) = piece.split_at(piece.find('[').unwrap_or(piece.len()));
            match name {
                "" if rest.is_empty() || !segments.is_empty() => return wrong("a name is empty"),
                "" => {}
                name => segments.push(DotSegment::Member(name.to_owned())),
            }
            while !rest.is_empty() {
                let Some((index, after)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) else {
                    return wrong("expected [ and ] around an index");
                };
                segments.push(match (index, index.parse()) {
                    ("*", _) => DotSegment::EveryElement,
                    (_, Ok(index)) => DotSegment::Element(index),
                    (_, Err(_)) => return wrong("an index is a number or *"),
                });
                rest = after;
            }
        }
        Ok(Self(segments))
    }

    /// The value that it leads to.
    #[must_use]
    pub fn value<'v>(&self, root: &'v Value) -> Option<&'v Value> {
        self.values(root).into_iter().next().map(|(_, value)| value)
    }

    /// Every value that it leads to, with where it stands.
    #[must_use]
    pub fn values<'v>(&self, root: &'v Value) -> Vec<(String, &'v Value)> {
        let mut found = vec![(String::new(), root)];
        for segment in &self.0 {
            found = found.into_iter().flat_map(|(path, value)| step(segment, &path, value)).collect();
        }
        found
    }
}

fn step<'v>(segment: &DotSegment, path: &str, value: &'v Value) -> Vec<(String, &'v Value)> {
    match segment {
        DotSegment::Member(name) => value.get(name).map(|value| (joined(path, name), value)).into_iter().collect(),
        DotSegment::Element(index) => {
            value.get(index).map(|value| (indexed(path, *index), value)).into_iter().collect()
        }
        DotSegment::EveryElement => {
            let elements = value.as_array().map(Vec::as_slice).unwrap_or_default();
            elements.iter().enumerate().map(|(index, value)| (indexed(path, index), value)).collect()
        }
    }
}

pub(super) fn joined(path: &str, name: &str) -> String {
    match (path, name) {
        ("", name) => name.to_owned(),
        (path, "") => path.to_owned(),
        (path, name) if name.starts_with('[') => format!("{path}{name}"),
        (path, name) => format!("{path}.{name}"),
    }
}

pub(super) fn indexed(path: &str, index: usize) -> String {
    format!("{path}[{index}]")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_path_leads_to_values_and_says_where_they_are() {
        let root =
            json!({ "task": { "artifacts": [{ "parts": [{ "text": "a" }] }, { "parts": [{ "text": "b" }, {}] }] } });
        let path = DotPath::parse("task.artifacts[*].parts[*].text").unwrap();
        let found = path.values(&root);
        let found: Vec<_> = found.iter().map(|(path, value)| (path.as_str(), value.as_str().unwrap())).collect();
        assert_eq!(found, [("task.artifacts[0].parts[0].text", "a"), ("task.artifacts[1].parts[0].text", "b")]);
        assert_eq!(DotPath::parse("task.artifacts[1].parts[0].text").unwrap().value(&root), Some(&json!("b")));
        assert_eq!(DotPath::parse("task.x").unwrap().value(&root), None);
        assert_eq!(DotPath::parse("[0].a").unwrap().value(&json!([{ "a": 1 }])), Some(&json!(1)));
    }

    #[test]
    fn what_is_not_a_path_is_refused() {
        for text in ["", "a..b", "a[x]", "a[1", "a]1[", ".a"] {
            assert!(DotPath::parse(text).is_err(), "{text}");
        }
    }
}
