//! Reads the turns of `responses_json` with delays, files and chunks, and says where and why they cannot be read.

use std::rc::Rc;

use serde_json::Value;

use super::declared_turn::{DeclaredEvent, DeclaredTurn, EventContent, InvalidResponses, MAX_EVENTS};
use super::hosted_files::HostedFile;
use super::json_values::{elements, set, set_text, take, text};
use super::setup_artifacts::SetupArtifacts;
use super::turn_shapes::event_to_1_0;
use crate::wire::base64::{STANDARD, URL_SAFE, decode_any};
use crate::wire::json::parse;

/// The longest wait before an event, in milliseconds.
const MAX_DELAY_MS: f64 = 600_000.0;

/// The directive's name, with which the places of problems begin.
const ROOT: &str = "responses_json";

/// What a test case declares: its turns, and the files whose URLs are in them.
#[derive(Debug)]
pub(super) struct DeclaredResponses {
    pub(super) turns: Vec<Rc<DeclaredTurn>>,
    pub(super) files: Vec<Rc<HostedFile>>,
}

/// The responses in a base64 of either alphabet, which white space may interrupt.
pub(super) fn responses_of_base64(coded: &str, base: &str) -> Result<DeclaredResponses, InvalidResponses> {
    let mut digits = String::new();
    for (place, digit) in coded.trim_end().trim_end_matches('=').char_indices() {
        match digit {
            '+' => digits.push('-'),
            '/' => digits.push('_'),
            _ if digit.is_ascii_whitespace() => {}
            _ if digit.is_ascii_alphanumeric() || matches!(digit, '-' | '_') => digits.push(digit),
            _ => return Err(InvalidResponses::at(ROOT, format!("is not base64: byte {place} is {digit:?}"))),
        }
    }
    let Some(bytes) = URL_SAFE.decode(&digits) else {
        return Err(InvalidResponses::at(ROOT, "is not base64: its last group has one character only"));
    };
    responses_of_json(&bytes, base)
}

/// The responses in a JSON text: an array of turns, or an object that has them as `turns` beside `setup_artifacts`. The files of
/// an agent are below its `base`.
pub(super) fn responses_of_json(text: &[u8], base: &str) -> Result<DeclaredResponses, InvalidResponses> {
    let parsed = parse(text);
    let flaw = parsed.flaws.first().map(ToString::to_string);
    let (Some(mut document), None) = (parsed.value, &flaw) else {
        return Err(InvalidResponses::at(ROOT, format!("is not JSON: {}", flaw.unwrap_or_default())));
    };
    let mut artifacts = SetupArtifacts::default();
    if document.is_object() {
        artifacts = SetupArtifacts::read(&take(&mut document, "setup_artifacts"), ROOT, base)?;
        document = take(&mut document, "turns");
    }
    let Value::Array(turns) = document else {
        return Err(InvalidResponses::mistyped(ROOT, "an array of turns", &document));
    };
    let mut read = Vec::new();
    for (index, turn) in turns.into_iter().enumerate() {
        read.push(Rc::new(read_turn(turn, &artifacts, &format!("{ROOT}[{index}]"))?));
    }
    if read.is_empty() {
        return Err(InvalidResponses::at(ROOT, "has no turns"));
    }
    Ok(DeclaredResponses { turns: read, files: artifacts.hosted() })
}

fn read_turn(turn: Value, artifacts: &SetupArtifacts, place: &str) -> Result<DeclaredTurn, InvalidResponses> {
    let Value::Array(events) = turn else {
        return Err(InvalidResponses::mistyped(place, "an array of events", &turn));
    };
    let mut turn = DeclaredTurn::default();
    for (index, event) in events.into_iter().enumerate() {
        let place = format!("{place}[{index}]");
        if !event.is_object() {
            return Err(InvalidResponses::mistyped(&place, "an event", &event));
        }
        read_event(event, artifacts, &place, index == 0, &mut turn)?;
    }
    if turn.events.len() > MAX_EVENTS {
        return Err(InvalidResponses::at(place, format!("has more than {MAX_EVENTS} events")));
    }
    let messages = turn.events.iter().filter(|event| matches!(event.content, EventContent::Message(_))).count();
    if messages > 1 || (messages == 1 && turn.has_task()) {
        return Err(InvalidResponses::at(place, "has a message beside other events; a message is the whole answer"));
    }
    Ok(turn)
}

/// Reads an event with its options: its content, raw text, or the end of the connection, which may come after a content.
fn read_event(
    mut event: Value,
    artifacts: &SetupArtifacts,
    place: &str,
    first: bool,
    turn: &mut DeclaredTurn,
) -> Result<(), InvalidResponses> {
    let problem = |member: &str, description: &str| InvalidResponses::at(format!("{place}.{member}"), description);
    let delay_ms = take_option(&mut event, place, "delayMs", "must be a number from 0 to 600000", |given| {
        given.as_f64().filter(|ms| (0.0..=MAX_DELAY_MS).contains(ms))
    })?;
    let mut delay_ms = delay_ms.unwrap_or_default();
    if !first && event.get("httpStatus").is_some_and(|given| !given.is_null()) {
        return Err(problem("httpStatus", "stands in the first event of a turn, since a status comes first"));
    }
    let status = take_option(&mut event, place, "httpStatus", "must be from 200 to 599", |given| {
        u16::try_from(given.as_u64()?).ok().filter(|status| (200..=599).contains(status))
    })?;
    turn.http_status = status.or(turn.http_status);
    let raw = take_option(&mut event, place, "raw", "must be a string", |given| {
        given.as_str().map(|text| EventContent::Raw(text.to_owned()))
    })?;
    let drops = take_option(&mut event, place, "drop", "must be true or false", Value::as_bool)? == Some(true);
    let chunk_bytes = take_option(&mut event, place, "chunkBytes", "must be a whole number from 1", |given| {
        usize::try_from(given.as_u64()?).ok().filter(|length| *length > 0)
    })?;
    let has_options = delay_ms > 0.0 || raw.is_some() || drops || turn.http_status.is_some();
    let is_empty = event.as_object().is_some_and(|members| members.is_empty());
    let content = if is_empty && has_options {
        None
    } else {
        put_files_in(&mut event, artifacts, place)?;
        Some(event_to_1_0(event, place)?)
    };
    let content = match (content, chunk_bytes) {
        (Some(content), Some(length)) => {
            chunks_of(content, length).map_err(|description| problem("chunkBytes", description))?
        }
        (None, Some(_)) => return Err(problem("chunkBytes", "is for artifact updates")),
        (content, None) => content.into_iter().collect(),
    };
    if !content.is_empty() && raw.is_some() {
        return Err(problem("raw", "is sent in place of a content, and this event has one"));
    }
    for content in content.into_iter().chain(raw).chain(drops.then_some(EventContent::Drop)) {
        turn.events.push(DeclaredEvent { delay_ms, content });
        delay_ms = 0.0;
    }
    Ok(())
}

/// Takes an option out of an event; null is the same as absent.
fn take_option<T>(
    event: &mut Value,
    place: &str,
    name: &str,
    description: &str,
    read: impl Fn(&Value) -> Option<T>,
) -> Result<Option<T>, InvalidResponses> {
    match take(event, name) {
        Value::Null => Ok(None),
        given => match read(&given) {
            Some(value) => Ok(Some(value)),
            None => Err(InvalidResponses::at(format!("{place}.{name}"), description)),
        },
    }
}

/// Puts the files of the setup into the parts that name them, wherever an event has parts.
fn put_files_in(event: &mut Value, artifacts: &SetupArtifacts, place: &str) -> Result<(), InvalidResponses> {
    match event {
        Value::Object(members) => {
            for (name, member) in members.iter_mut() {
                if name != "parts" {
                    put_files_in(member, artifacts, place)?;
                }
            }
            for part in elements(event, "parts") {
                artifacts.put_in(part, place)?;
            }
        }
        Value::Array(list) => {
            for entry in list {
                put_files_in(entry, artifacts, place)?;
            }
        }
        _ => {}
    }
    Ok(())
}

/// An artifact with one file as several updates, each of which appends some bytes: `chunkBytes` of an event. The error says why it
/// cannot be cut.
fn chunks_of(content: EventContent, length: usize) -> Result<Vec<EventContent>, &'static str> {
    let EventContent::Artifact(update) = content else { return Err("is for artifact updates") };
    let parts = update.get("artifact").and_then(|artifact| artifact.get("parts")).and_then(Value::as_array);
    let [part] = parts.map(Vec::as_slice).unwrap_or_default() else { return Err("needs an artifact with one part") };
    let Some(bytes) = decode_any(text(part, "raw")).filter(|bytes| !bytes.is_empty()) else {
        return Err("needs an artifact with the bytes of a file");
    };
    let count = bytes.len().div_ceil(length);
    let chunk = |(index, bytes): (usize, &[u8])| {
        let mut update = update.clone();
        if index > 0 {
            set(&mut update, "append", true.into());
        }
        let is_last = index + 1 == count;
        set(&mut update, "lastChunk", is_last.then_some(true).into());
        if let Some(artifact) = update.get_mut("artifact") {
            for part in elements(artifact, "parts") {
                set_text(part, "raw", &STANDARD.encode(bytes));
            }
        }
        EventContent::Artifact(update)
    };
    Ok(bytes.chunks(length).enumerate().map(chunk).collect())
}
