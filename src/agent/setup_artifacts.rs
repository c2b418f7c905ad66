//! Files that a test case sets up once and names in the parts of its events: `{"setup_artifact": "report.csv"}`. A part has the
//! bytes, or a URL at which the agent has them.

use std::cell::Cell;
use std::rc::Rc;

use serde_json::Value;

use super::declared_turn::InvalidResponses;
use super::hosted_files::HostedFile;
use super::json_values::{data, set, set_text, text};
use crate::wire::base64::{STANDARD, decode_any};
use crate::wire::sample::{MAX_SAMPLE, sample_bytes};

/// The members of which a file has exactly one.
const CONTENTS: [&str; 3] = ["content", "content_base64", "sample_bytes"];

#[derive(Debug, Default)]
pub(super) struct SetupArtifacts {
    /// The agent's base, under which it has files.
    base: String,
    files: Vec<SetupFile>,
}

#[derive(Debug)]
struct SetupFile {
    file: Rc<HostedFile>,
    /// Whether a part has its URL.
    is_hosted: Cell<bool>,
}

impl SetupArtifacts {
    /// Reads the list of files, if there is one. A file has its content as text or as base64, or is a sample of some length.
    pub(super) fn read(list: &Value, root: &str, base: &str) -> Result<Self, InvalidResponses> {
        let files = match list {
            Value::Null => return Ok(Self::default()),
            Value::Array(files) => files,
            _ => return Err(InvalidResponses::at(format!("{root}.setup_artifacts"), "must be an array of files")),
        };
        let mut artifacts = Self { base: base.to_owned(), files: Vec::new() };
        for (index, file) in files.iter().enumerate() {
            let problem =
                |description: &str| InvalidResponses::at(format!("{root}.setup_artifacts[{index}]"), description);
            let name = text(file, "filename");
            if name.is_empty() {
                return Err(problem("has no filename"));
            }
            let bytes = content(file).map_err(|description| problem(&description))?;
            let media_type = text(file, "mime_type").to_owned();
            let file = Rc::new(HostedFile { name: name.to_owned(), media_type, bytes });
            artifacts.files.push(SetupFile { file, is_hosted: Cell::new(false) });
        }
        Ok(artifacts)
    }

    /// Replaces a part that names a file by the part with its content, or with its URL.
    pub(super) fn put_in(&self, part: &mut Value, place: &str) -> Result<(), InvalidResponses> {
        let Some(name) = part.get("setup_artifact") else { return Ok(()) };
        let Some(SetupFile { file, is_hosted }) = self.files.iter().find(|known| *name == *known.file.name) else {
            let unknown = format!("names the setup artifact {name}, which setup_artifacts does not have");
            return Err(InvalidResponses::at(place, unknown));
        };
        let mut full = data("{}", &[]);
        match part.get("as").map(Value::as_str) {
            None | Some(Some("bytes")) => set_text(&mut full, "raw", &STANDARD.encode(&file.bytes)),
            Some(Some("url")) => {
                is_hosted.set(true);
                set_text(&mut full, "url", &format!("{}{}", self.base, file.path()));
            }
            Some(_) => return Err(InvalidResponses::at(format!("{place}.as"), "must be bytes or url")),
        }
        set_text(&mut full, "filename", &file.name);
        let media_type = Some(file.media_type.as_str()).filter(|media_type| !media_type.is_empty());
        set(&mut full, "mediaType", media_type.map(Value::from).unwrap_or_default());
        *part = full;
        Ok(())
    }

    /// The files whose URLs are in parts.
    pub(super) fn hosted(&self) -> Vec<Rc<HostedFile>> {
        let hosted = self.files.iter().filter(|known| known.is_hosted.get());
        hosted.map(|known| Rc::clone(&known.file)).collect()
    }
}

fn content(file: &Value) -> Result<Vec<u8>, String> {
    if CONTENTS.iter().filter(|name| file.get(**name).is_some()).count() != 1 {
        return Err("must have exactly one of content, content_base64 and sample_bytes".to_owned());
    }
    match (file.get("content"), file.get("content_base64"), file.get("sample_bytes")) {
        (Some(Value::String(text)), ..) => Ok(text.clone().into_bytes()),
        (_, Some(Value::String(coded)), _) => {
            decode_any(coded).ok_or_else(|| "has a content_base64 that is not base64".to_owned())
        }
        (.., Some(length)) => {
            let length = length.as_u64().and_then(|length| usize::try_from(length).ok());
            let length = length.filter(|length| (1..=MAX_SAMPLE).contains(length));
            length.map(sample_bytes).ok_or_else(|| format!("has sample_bytes that are not from 1 to {MAX_SAMPLE}"))
        }
        _ => Err("must have its content as a string".to_owned()),
    }
}
