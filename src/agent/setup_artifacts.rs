//! Files that a test case sets up once and names in the parts of its events: `{"setup_artifact": "report.csv"}`.

use serde_json::Value;

use super::invalid_responses::InvalidResponses;
use super::json_values::{data, set, set_text, text};
use crate::wire::base64::{STANDARD, is_base64};

/// The files by their names, each as a part of 1.0.
#[derive(Debug, Default)]
pub(super) struct SetupArtifacts(Vec<(String, Value)>);

impl SetupArtifacts {
    /// Reads the list of files, if there is one. A file has its content as text or as base64.
    pub(super) fn read(list: &Value, root: &str) -> Result<Self, InvalidResponses> {
        let files = match list {
            Value::Null => return Ok(Self::default()),
            Value::Array(files) => files,
            _ => return Err(InvalidResponses::at(format!("{root}.setup_artifacts"), "must be an array of files")),
        };
        let mut artifacts = Self::default();
        for (index, file) in files.iter().enumerate() {
            let problem =
                |description: &str| InvalidResponses::at(format!("{root}.setup_artifacts[{index}]"), description);
            let (name, content, coded) = (text(file, "filename"), text(file, "content"), text(file, "content_base64"));
            if name.is_empty() {
                return Err(problem("has no filename"));
            }
            if file.get("content").is_some() == file.get("content_base64").is_some() {
                return Err(problem("must have either content or content_base64, as a string"));
            }
            if !is_base64(coded) {
                return Err(problem("has a content_base64 that is not base64"));
            }
            let raw = if coded.is_empty() { STANDARD.encode(content.as_bytes()) } else { coded.to_owned() };
            let mut part = data("{}", &[]);
            set_text(&mut part, "raw", &raw);
            set_text(&mut part, "filename", name);
            set(&mut part, "mediaType", file.get("mime_type").cloned().unwrap_or_default());
            artifacts.0.push((name.to_owned(), part));
        }
        Ok(artifacts)
    }

    /// Replaces a part that names a file by the part with its content.
    pub(super) fn put_in(&self, part: &mut Value, place: &str) -> Result<(), InvalidResponses> {
        let Some(name) = part.get("setup_artifact") else { return Ok(()) };
        match self.0.iter().find(|(known, _)| name == known) {
            Some((_, file)) => *part = file.clone(),
            None => {
                let unknown = format!("names the setup artifact {name}, which setup_artifacts does not have");
                return Err(InvalidResponses::at(place, unknown));
            }
        }
        Ok(())
    }
}
