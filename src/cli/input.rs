//! Files that the user names, and standard input: read up to a limit, and in words when they cannot be read.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use super::out;

const KB: u64 = 1024;
const MB: u64 = 1024 * KB;

/// The most that is read of a secret; a server refuses longer fields.
pub(super) const SECRET: u64 = 64 * KB;
/// Of a card, a key set, a file of tests or a list of agents; nor is more of a body read.
pub(super) const DOCUMENT: u64 = 5 * MB;
/// Of responses for the scripted agent, which reads no longer message.
pub(super) const RESPONSES: u64 = 24 * MB;
/// Of a report; nor does the page open a longer one.
pub(super) const REPORT: u64 = 100 * MB;

/// After how long a file that does not end is told.
const PATIENCE: Duration = Duration::from_secs(3);

/// Why a file cannot be read, and what to do. It does not name the file: what was meant as a secret may stand in that place.
#[derive(Debug, thiserror::Error)]
pub(super) enum InputError {
    #[error("there is no such file; correct its name")]
    Missing,
    #[error("it is a folder; name a file in it")]
    Folder,
    #[error("this user may not read it; change its permissions")]
    Forbidden,
    #[error("it is longer than {}, which is the most that is read of such a file", size(*.0))]
    TooLong(u64),
    #[error("it is UTF-16, as some shells write what is redirected to a file; save it as UTF-8")]
    Utf16,
    #[error("it is not text: byte {0} is not UTF-8; save it as UTF-8")]
    NotText(usize),
    #[error("{0}")]
    Other(String),
}

fn size(bytes: u64) -> String {
    if bytes < MB { format!("{} KB", bytes / KB) } else { format!("{} MB", bytes / MB) }
}

impl From<io::Error> for InputError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::NotFound => Self::Missing,
            ErrorKind::IsADirectory => Self::Folder,
            ErrorKind::PermissionDenied => Self::Forbidden,
            _ => Self::Other(out::in_words(&error)),
        }
    }
}

/// The bytes of a file; `-` is standard input.
pub(super) fn bytes(path: &Path, limit: u64) -> Result<Vec<u8>, InputError> {
    if path == Path::new("-") {
        return unended("standard input", || up_to(io::stdin(), limit));
    }
    let known = fs::metadata(path)?;
    if known.is_dir() {
        return Err(InputError::Folder);
    }
    if known.is_file() {
        return up_to(File::open(path)?, limit);
    }
    // A pipe cannot even be opened before somebody writes to it.
    unended("a pipe or a device", || up_to(File::open(path)?, limit))
}

/// The same, which is text.
pub(super) fn text(path: &Path, limit: u64) -> Result<String, InputError> {
    String::from_utf8(bytes(path, limit)?).map_err(|problem| {
        let is_utf16 = matches!(problem.as_bytes(), [0xff, 0xfe, ..] | [0xfe, 0xff, ..]);
        if is_utf16 { InputError::Utf16 } else { InputError::NotText(problem.utf8_error().valid_up_to() + 1) }
    })
}

fn up_to(source: impl Read, limit: u64) -> Result<Vec<u8>, InputError> {
    let mut bytes = Vec::new();
    source.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit { Err(InputError::TooLong(limit)) } else { Ok(bytes) }
}

/// Reads what ends when somebody else ends it, and says so when that takes its time.
fn unended(what: &str, read: impl FnOnce() -> Result<Vec<u8>, InputError> + Send) -> Result<Vec<u8>, InputError> {
    std::thread::scope(|scope| {
        let (done, is_done) = mpsc::channel();
        scope.spawn(move || done.send(read()));
        is_done.recv_timeout(PATIENCE).or_else(|_| {
            out::stderr_line(&format!("waiting for {what} that is to be read to its end; Ctrl-C stops it"));
            is_done.recv()
        })
    })
    .unwrap_or_else(|_| Err(InputError::Other("it could not be read".to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_up_to_its_limit_and_what_is_no_text_is_told() {
        let folder = std::env::temp_dir().join(format!("a2a-input-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join("file");
        let read = |content: &[u8]| {
            fs::write(&file, content).unwrap();
            text(&file, 10).map_err(|problem| problem.to_string())
        };
        assert_eq!(read(b"0123456789").unwrap(), "0123456789");
        assert_eq!(read(b"").unwrap(), "");
        let limit = "it is longer than 0 KB, which is the most that is read of such a file";
        assert_eq!(read(b"0123456789a").unwrap_err(), limit);
        assert!(read(b"abc\xffd").unwrap_err().starts_with("it is not text: byte 4 is not UTF-8"));
        assert!(read(b"\xff\xfe{\0").unwrap_err().starts_with("it is UTF-16"));
        assert!(matches!(bytes(&folder, 10), Err(InputError::Folder)));
        assert!(matches!(bytes(&folder.join("none"), 10), Err(InputError::Missing)));
        fs::remove_dir_all(&folder).unwrap();
    }
}
