//! The program's words: standard output, standard error, and files that are there whole or not at all.

use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use anyhow::{Context, Result};

use crate::wire::mask::MASK;

/// Writes to standard output and flushes it. A reader that has gone (`| head`) has seen enough; that is not an error.
pub(super) fn print(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        done => done,
    }
}

/// Says a line on standard error. When even that is not possible nobody is left to tell.
pub(super) fn stderr_line(line: &str) {
    stderr(&format!("{line}\n"));
}

/// Writes to standard error as it is: for a line that will be written over.
pub(super) fn stderr(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// A text without the credentials that stand in URLs (RFC 3986 §3.2.1): an address that is refused is quoted.
pub(super) fn without_passwords(text: &str) -> String {
    let mut pieces = text.split("//");
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let end = piece.find(|c: char| c.is_whitespace() || "/?#\"".contains(c)).unwrap_or(piece.len());
        let host = piece.get(..end).and_then(|authority| authority.rfind('@'));
        out.push_str("//");
        match host.and_then(|at| piece.get(at..)) {
            Some(host) => out.extend([MASK, host]),
            None => out.push_str(piece),
        }
    }
    out
}

/// Writes a file beside its place and moves it there, so that nobody finds half a report. Anything other than a regular file
/// (a device, a pipe) is written to directly.
/// When that fails, the old file, if there was one, is untouched.
pub(super) fn write_file(path: &Path, text: &str) -> io::Result<()> {
    // Through a link to what it points at, so that the link stays.
    let place = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if fs::metadata(&place).is_ok_and(|known| !known.is_file()) {
        return fs::write(&place, text);
    }
    let mut name = OsString::from(".");
    name.push(place.file_name().ok_or_else(|| io::Error::new(ErrorKind::InvalidInput, "it names no file"))?);
    name.push(format!(".{}.tmp", std::process::id()));
    let draft = place.with_file_name(name);
    let written = write_whole(&draft, text).and_then(|()| fs::rename(&draft, &place));
    if written.is_err() {
        // It may not even be there.
        let _ = fs::remove_file(&draft);
    }
    written
}

/// Writes a text to that file; without one, or to `-`, to standard output. An error names the place.
pub(super) fn deliver(text: &str, output: Option<&Path>) -> Result<()> {
    match output.filter(|path| *path != Path::new("-")) {
        None => print(text).context("standard output"),
        Some(path) => write_file(path, text).with_context(|| path.display().to_string()),
    }
}

fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let mut file = fs::File::create(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::write_file;

    #[test]
    fn a_file_is_replaced_whole_and_nothing_is_left_beside_it() {
        let folder = std::env::temp_dir().join(format!("a2a-out-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("report.json");
        write_file(&file, "a long first text").unwrap();
        write_file(&file, "short").unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "short");
        assert!(write_file(&folder, "a folder").is_err());
        assert!(write_file(&folder.join("none").join("report.json"), "no folder").is_err());
        let left: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["report.json"]);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
