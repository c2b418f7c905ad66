//! Reading the body of a request: how long it may be, how long it may take, and how much is held over all connections at once.

use std::cell::Cell;
use std::error::Error;
use std::rc::Rc;
use std::time::Duration;

use http::StatusCode;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use tokio::time::{Instant, timeout_at};

/// How long a client may take for the next piece of a body, and for all of it.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
const LONGEST: Duration = Duration::from_secs(120);
/// How many bytes of bodies that are not answered yet are held at once.
const MOST_HELD: usize = 128 << 20;
/// How many values a JSON body may have: each takes many times the memory of its text.
const MOST_VALUES: usize = 100_000;
/// A shorter body cannot have so many that they matter.
const FEW_BYTES: usize = 100_000;

/// The bytes of bodies that a server holds. A clone is the same count.
#[derive(Debug, Clone, Default)]
pub struct HeldBodies(Rc<Cell<usize>>);

/// A body that was read. It counts until it is dropped.
#[derive(Debug)]
pub(super) struct HeldBody {
    pub(super) bytes: Vec<u8>,
    counted: usize,
    held: HeldBodies,
}

/// Why a body was not read.
#[derive(Debug)]
pub(super) enum BodyProblem {
    /// It is refused, with this status and this sentence.
    Refused(StatusCode, String),
    /// The connection broke.
    Broken(Box<dyn Error + Send + Sync>),
}

impl Drop for HeldBody {
    fn drop(&mut self) {
        self.held.0.set(self.held.0.get().saturating_sub(self.counted));
    }
}

impl HeldBody {
    fn add(&mut self, piece: &[u8], most: usize) -> Result<(), BodyProblem> {
        if self.bytes.len() + piece.len() > most {
            let mib = most >> 20;
            let sentence =
                format!("The body of the request is longer than {mib} MiB, which is the most that is read here.\n");
            return Err(BodyProblem::Refused(StatusCode::PAYLOAD_TOO_LARGE, sentence));
        }
        if self.held.0.get() + piece.len() > MOST_HELD {
            let sentence = format!(
                "The bodies of the requests that are under way are longer than {} MiB together, which is the most that is \
                 held here. Send the request again when others have been answered.\n",
                MOST_HELD >> 20
            );
            return Err(BodyProblem::Refused(StatusCode::SERVICE_UNAVAILABLE, sentence));
        }
        self.counted += piece.len();
        self.held.0.set(self.held.0.get() + piece.len());
        self.bytes.extend_from_slice(piece);
        Ok(())
    }
}

impl HeldBodies {
    /// Reads a body of at most so many bytes.
    pub(super) async fn read(&self, mut body: Incoming, most: usize) -> Result<HeldBody, BodyProblem> {
        let mut read = HeldBody { bytes: Vec::new(), counted: 0, held: self.clone() };
        let end = Instant::now() + LONGEST;
        loop {
            match timeout_at(end.min(Instant::now() + LONGEST_PAUSE), body.frame()).await {
                Ok(None) => break,
                Ok(Some(Ok(frame))) => read.add(frame.data_ref().map(|data| &**data).unwrap_or_default(), most)?,
                Ok(Some(Err(error))) => return Err(BodyProblem::Broken(error.into())),
                Err(_) => {
                    let sentence = format!(
                        "The body of the request did not come: nothing of it in {} seconds, or not all of it in {}.\n",
                        LONGEST_PAUSE.as_secs(),
                        LONGEST.as_secs()
                    );
                    return Err(BodyProblem::Refused(StatusCode::REQUEST_TIMEOUT, sentence));
                }
            }
        }
        Ok(read)
    }
}

/// The sentence about a body of JSON with more values than are read.
pub(super) fn too_many_values(body: &[u8]) -> Option<String> {
    let first = body.iter().find(|byte| !byte.is_ascii_whitespace());
    let is_json = matches!(first, Some(b'{' | b'['));
    (is_json && body.len() > FEW_BYTES && most_values(body) > MOST_VALUES).then(|| {
        format!(
            "The body of the request has more than {MOST_VALUES} JSON values, which is the most that is read here.\n"
        )
    })
}

/// How many values a text of JSON has at most: one more than it has commas, colons and beginnings of objects and arrays.
fn most_values(body: &[u8]) -> usize {
    let (mut count, mut in_string, mut is_escaped) = (1, false, false);
    for byte in body {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_string => is_escaped = true,
            b'"' => in_string = !in_string,
            b',' | b'[' | b'{' if !in_string => count += 1,
            _ => {}
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_in_strings_is_no_value() {
        assert_eq!(most_values(br#"{"a":"[,{\"[,","b":[1,2]}"#), 5);
        let text = format!("[\"{}\"]", ",".repeat(2 * MOST_VALUES));
        assert_eq!(too_many_values(text.as_bytes()), None);
        let values = format!("[{}0]", "0,".repeat(MOST_VALUES));
        assert!(too_many_values(values.as_bytes()).is_some());
        // Of another form, such as a message over gRPC.
        assert_eq!(too_many_values(&values.as_bytes()[1..]), None);
    }
}
