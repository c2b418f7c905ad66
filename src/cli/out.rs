//! The program's words: standard output, standard error, and files that are there whole or not at all.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use anyhow::{Context, Result, anyhow, bail};

use crate::report::harmless_json;
use crate::report::text::harmless_lines;
use crate::wire::mask::MASK;

/// What a text is, which says how it may be changed for a terminal, and whether it is of use when its reader leaves before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextKind {
    /// Lines for a person. What an agent wrote in them was made harmless, and what steers a terminal is ours.
    Lines,
    /// JSON.
    Json,
    /// Any other format: Markdown, XML, SVG.
    Markup,
}

/// The draft of the file that is being written.
static DRAFT: Mutex<Option<PathBuf>> = Mutex::new(None);

/// An error of the system in words, without Rust's number of it.
pub(super) fn in_words(error: &io::Error) -> String {
    let text = error.to_string();
    text.split_once(" (os error ").map_or(text.clone(), |(words, _)| words.to_owned())
}

/// Writes to standard output and flushes it. A reader that has gone (`| head`) has seen enough; that is not an error.
pub(super) fn print(text: &str) -> io::Result<()> {
    match put(text) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        done => done,
    }
}

fn put(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush())
}

/// Writes a text of this kind to standard output. One that programs read is of no use to a reader that has gone, or to nobody.
fn print_as(kind: TextKind, text: &str) -> Result<()> {
    let is_terminal = io::stdout().is_terminal();
    let is_discarded = !is_terminal && goes_nowhere();
    if is_discarded && kind != TextKind::Lines {
        bail!("it is closed or discarded; -o FILE keeps the report");
    }
    if is_discarded {
        stderr_line("note: standard output is closed or discarded, so nobody can read the report; -o FILE keeps it");
    }
    let shown = if is_terminal { for_terminal(kind, text) } else { Cow::Borrowed(text) };
    match put(&shown) {
        // Of a text for people a reader may have seen enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe && kind == TextKind::Lines => Ok(()),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => {
            bail!("its reader ended before the report did; -o FILE keeps the report")
        }
        Err(error) => bail!("{}; -o FILE keeps the report elsewhere", in_words(&error)),
        Ok(()) => Ok(()),
    }
}

/// A text in which nothing steers a terminal or turns the direction of writing; JSON is written so that it has the same value.
fn for_terminal(kind: TextKind, text: &str) -> Cow<'_, str> {
    match kind {
        TextKind::Lines => text.into(),
        TextKind::Json => harmless_json(text.to_owned()).into(),
        TextKind::Markup => harmless_lines(text).into(),
    }
}

/// Whether standard output was closed when the program began: Rust then opens the null device in its place, to read and to write. A
/// shell's `> /dev/null` is for writing only, and somebody's wish. Linux tells; where there is no `/proc` nobody knows.
#[cfg(unix)]
fn goes_nowhere() -> bool {
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    let device = |path: &str| fs::metadata(path).ok().filter(|known| known.file_type().is_char_device());
    let is_null = match (device("/proc/self/fd/1"), device("/dev/null")) {
        (Some(stdout), Some(null)) => stdout.rdev() == null.rdev(),
        _ => false,
    };
    let flags = fs::read_to_string("/proc/self/fdinfo/1").unwrap_or_default();
    let flags = flags.lines().find_map(|line| line.strip_prefix("flags:"));
    // fcntl.h: the last two bits say how it was opened; 2 is O_RDWR.
    is_null && flags.is_some_and(|flags| u64::from_str_radix(flags.trim(), 8).is_ok_and(|flags| flags & 3 == 2))
}

#[cfg(not(unix))]
const fn goes_nowhere() -> bool {
    false
}

/// Says a line on standard error, in which nothing steers a terminal, whoever chose its words. When even that is not possible
/// nobody is left to tell.
pub(super) fn stderr_line(line: &str) {
    stderr(&format!("{}\n", harmless_lines(line)));
}

/// Writes to standard error as it is: for a line that will be written over.
pub(super) fn stderr(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Finds out whether a file can be written, before anything is done for it, and leaves nothing behind. It may still fail later.
pub(super) fn try_place(option: &str, path: Option<&Path>) -> Result<()> {
    let Some(path) = path.filter(|path| *path != Path::new("-")) else { return Ok(()) };
    let said = || format!("{option} {}", path.display());
    let place = place(path);
    if fs::metadata(&place).is_ok_and(|known| !known.is_file() && !known.is_dir()) {
        return Ok(());
    }
    let draft = draft_of(&place).with_context(said)?;
    let tried = fs::File::create_new(&draft);
    // It may not even be there.
    let _ = fs::remove_file(&draft);
    tried.map(drop).map_err(|error| unwritable(&error, &place)).with_context(said)
}

/// Why a file cannot be written, and what to do.
fn unwritable(error: &io::Error, place: &Path) -> anyhow::Error {
    let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let named = folder.display();
    match error.kind() {
        ErrorKind::NotFound if !folder.is_dir() => anyhow!("there is no folder {named}; create it, or name another"),
        ErrorKind::NotADirectory => anyhow!("{named} is not a folder; name one"),
        ErrorKind::PermissionDenied => anyhow!("this user may not write in {named}; name another folder"),
        ErrorKind::ReadOnlyFilesystem => {
            anyhow!("the folder {named} is on a disk that cannot be written to; name another")
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => anyhow!("the disk is full"),
        _ => anyhow!(in_words(error)),
    }
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
pub(super) fn write_file(path: &Path, text: &str) -> Result<()> {
    let place = place(path);
    let known = fs::metadata(&place).ok();
    if known.as_ref().is_some_and(|known| !known.is_file() && !known.is_dir()) {
        return fs::write(&place, text).map_err(|error| unwritable(&error, &place));
    }
    let draft = draft_of(&place)?;
    note_draft(Some(draft.clone()));
    let whole = || {
        let mut file = fs::File::create_new(&draft)?;
        if let Some(known) = &known {
            // A file that others may not read stays so.
            file.set_permissions(known.permissions())?;
        }
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&draft, &place)
    };
    let written = whole().map_err(|error| unwritable(&error, &place));
    if written.is_err() {
        // It may not even be there.
        let _ = fs::remove_file(&draft);
    }
    note_draft(None);
    written
}

/// Where a file really is: through a link to what it points at, so that the link stays.
fn place(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// A name beside this place that nothing has.
fn draft_of(place: &Path) -> Result<PathBuf> {
    if place.is_dir() {
        bail!("it is a folder; name a file in it");
    }
    if place.file_name().is_none() {
        bail!("it names no file");
    }
    // Processes of several containers may have one number and write into one folder.
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let name = OsString::from(format!(".a2a-{}-{}.tmp", std::process::id(), now.as_nanos()));
    Ok(place.with_file_name(name))
}

fn note_draft(draft: Option<PathBuf>) {
    *DRAFT.lock().unwrap_or_else(PoisonError::into_inner) = draft;
}

/// Removes the draft of a file that will not be finished, because the program ends.
pub(super) fn remove_draft() {
    if let Some(draft) = DRAFT.lock().unwrap_or_else(PoisonError::into_inner).take() {
        // It may be in its place by now.
        let _ = fs::remove_file(draft);
    }
}

/// Writes a text to that file; without one, or to `-`, to standard output. An error names the place.
pub(super) fn deliver(kind: TextKind, text: &str, output: Option<&Path>) -> Result<()> {
    match output.filter(|path| *path != Path::new("-")) {
        None => print_as(kind, text).context("standard output"),
        Some(path) => write_file(path, text).with_context(|| path.display().to_string()),
    }
}

/// The same for a text that nobody wants to make again: what cannot be written to its file goes to standard output. Answers whether it
/// is where it was asked for.
pub(super) fn deliver_or_print(kind: TextKind, text: &str, output: Option<&Path>) -> bool {
    let Err(problem) = deliver(kind, text, output) else { return true };
    let is_file = output.is_some_and(|path| path != Path::new("-"));
    let follows = if is_file { "; it follows on standard output" } else { "" };
    stderr_line(&format!("error: the result could not be written: {problem:#}{follows}"));
    if let (true, Err(problem)) = (is_file, print_as(kind, text)) {
        stderr_line(&format!("error: nor could it be written to standard output: {problem:#}"));
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

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
