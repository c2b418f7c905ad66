//! Files that tests send, and that answers are compared with: `x-files`.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::fields::{Fields, Reading, text};
use super::node::{Node, NodeValue};
use crate::a2a::dialect::Tags;
use crate::wire::base64::{STANDARD, decode_any};
use crate::wire::json::brief;
use crate::wire::sample::{MAX_SAMPLE, sample_bytes};

/// A file of a document.
#[derive(Debug, Clone)]
pub struct TestFile {
    /// How the tests call it.
    pub id: String,
    name: String,
    media_type: Option<String>,
    content: FileBytes,
}

#[derive(Debug, Clone)]
enum FileBytes {
    Given(Vec<u8>),
    /// So many bytes of which no part is like another.
    Sample(usize),
}

pub(super) fn read(fields: &Fields<'_>) -> Vec<TestFile> {
    let files = fields.map("x-files", "a map of files").iter();
    files.filter_map(|(key, node)| file(fields.reading, &key.text, node)).collect()
}

fn file(reading: &Reading, id: &str, node: &Node) -> Option<TestFile> {
    const CONTENTS: [&str; 3] = ["text", "base64", "sample_bytes"];
    let fields = Fields::from_node(reading, node, "a file")?;
    fields.only(&["name", "media_type", "text", "base64", "sample_bytes"]);
    let given: Vec<&str> = CONTENTS.into_iter().filter(|name| fields.get(name).is_some()).collect();
    let [kind] = given.as_slice() else {
        reading.note(node.at, format!("a file needs exactly one of the keys {}", CONTENTS.join(", ")));
        return None;
    };
    let content = match *kind {
        "text" => FileBytes::Given(fields.text("text")?.into_bytes()),
        "base64" => {
            let node = fields.get("base64")?;
            FileBytes::Given(reading.found(node, decode_any(&text(reading, node)?), "base64")?)
        }
        _ => {
            let length = usize::try_from(fields.count("sample_bytes")?).ok();
            let length = length.filter(|length| (1..=MAX_SAMPLE).contains(length));
            let expected = format!("a number of bytes from 1 to {MAX_SAMPLE}");
            FileBytes::Sample(reading.found(fields.get("sample_bytes")?, length, &expected)?)
        }
    };
    let name = fields.text("name").unwrap_or_else(|| id.to_owned());
    Some(TestFile { id: id.to_owned(), name, media_type: fields.text("media_type"), content })
}

/// Notes every file that is named in the suites and that the document does not have.
pub(super) fn check_names(reading: &Reading, node: &Node, files: &[TestFile]) {
    node.elements().iter().for_each(|node| check_names(reading, node, files));
    for (key, node) in node.members() {
        match (key.text.as_str(), &node.value) {
            ("x-file" | "x-bytes", NodeValue::Text(name)) if files.iter().all(|file| file.id != *name) => {
                reading.note(node.at, format!("the document's x-files does not have {name}"));
            }
            _ => check_names(reading, node, files),
        }
    }
}

impl TestFile {
    fn bytes(&self) -> Cow<'_, [u8]> {
        match &self.content {
            FileBytes::Given(bytes) => Cow::Borrowed(bytes),
            FileBytes::Sample(length) => Cow::Owned(sample_bytes(*length)),
        }
    }

    /// Writes it into a part, as the version writes files. What else the part says goes before the file's own name and media type.
    pub(super) fn put_in(&self, part: &mut Map<String, Value>, tags: Tags) {
        let bytes = Value::from(STANDARD.encode(&self.bytes()));
        let names = match tags {
            Tags::Members => ["raw", "filename", "mediaType"],
            Tags::Kind | Tags::Either | Tags::Type => ["bytes", "name", "mimeType"],
        };
        let values = [Some(bytes), Some(Value::from(self.name.as_str())), self.media_type.as_deref().map(Value::from)];
        let members = names.into_iter().zip(values).filter_map(|(name, value)| Some((name.to_owned(), value?)));
        if tags == Tags::Members {
            for (name, value) in members {
                part.entry(name).or_insert(value);
            }
            return;
        }
        let tag = if tags == Tags::Type { "type" } else { "kind" };
        part.insert(tag.to_owned(), "file".into());
        part.insert("file".to_owned(), members.collect());
    }

    /// Compares it with what an answer has: a base64 text, a part, the parts of a message or an artifact, or a list of these. The error says
    /// what is expected, and what came.
    pub(super) fn compare_value(&self, value: &Value) -> Result<(), (String, String)> {
        let mut found = Vec::new();
        match add_bytes(value, &mut found) {
            Ok(()) => self.compare(&found),
            Err(what) => Err((self.describe(), what)),
        }
    }

    /// Compares it with these bytes; the error says what is expected, and what came.
    pub(super) fn compare(&self, found: &[u8]) -> Result<(), (String, String)> {
        let wanted = self.bytes();
        if *wanted == *found {
            return Ok(());
        }
        let same = wanted.iter().zip(found).take_while(|(wanted, found)| wanted == found).count();
        Err((self.describe(), format!("{} bytes, of which the first {same} are the same", found.len())))
    }

    fn describe(&self) -> String {
        format!("the {} bytes of {}", self.bytes().len(), self.id)
    }
}

/// Adds the bytes that a value holds; the error says why there are none.
fn add_bytes(value: &Value, bytes: &mut Vec<u8>) -> Result<(), String> {
    match value {
        Value::String(text) => match decode_any(text) {
            Some(decoded) => bytes.extend(decoded),
            None => return Err(format!("{}, which is not base64", brief(value, 40))),
        },
        Value::Array(values) => return values.iter().try_for_each(|value| add_bytes(value, bytes)),
        Value::Object(members) => {
            let file = value.get("file").unwrap_or(value);
            let within = ["raw", "bytes", "fileWithBytes"].iter().find_map(|name| file.get(*name));
            match within.or_else(|| members.get("parts")) {
                Some(within) => return add_bytes(within, bytes),
                None => return Err(format!("{}, which has no bytes", brief(value, 80))),
            }
        }
        other => return Err(brief(other, 40)),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn bytes_are_compared_wherever_they_stand() {
        let file = TestFile {
            id: "f".into(),
            name: "f".into(),
            media_type: None,
            content: FileBytes::Given(vec![0xfb, 0xff, 1]),
        };
        let parts = json!([{ "raw": "+w==" }, { "raw": "_wE" }]);
        for value in [
            json!("+/8B"),
            json!("-_8B"),
            json!({ "raw": "+/8B" }),
            json!({ "kind": "file", "file": { "bytes": "+/8B" } }),
            json!({ "artifactId": "a", "parts": parts }),
            parts,
        ] {
            assert_eq!(file.compare_value(&value), Ok(()), "{value}");
        }
        let misses = |value: Value| file.compare_value(&value).unwrap_err();
        let expected = "the 3 bytes of f".to_owned();
        assert_eq!(misses(json!("+/8C")), (expected.clone(), "3 bytes, of which the first 2 are the same".to_owned()));
        assert_eq!(misses(json!("+/8")).1, "2 bytes, of which the first 2 are the same");
        assert_eq!(misses(json!("?")).1, "\"?\", which is not base64");
        assert_eq!(misses(json!({ "url": "u" })).1, "{\"url\":\"u\"}, which has no bytes");
        assert_eq!(misses(json!(1)), (expected, "1".to_owned()));
    }
}
