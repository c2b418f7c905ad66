//! How gRPC frames messages and reports status: length-prefixed messages, and trailers in the form of gRPC-Web, in which every
//! host hands them on. No HTTP, and no schema.

use super::http::Headers;
use super::limits::MOST_FIELDS;
use super::url::encode_all_but;

/// The media type of gRPC with Protocol Buffers.
pub const MEDIA_TYPE: &str = "application/grpc+proto";
/// The media type of gRPC-Web with Protocol Buffers.
pub const WEB_MEDIA_TYPE: &str = "application/grpc-web+proto";

/// The bit of a prefix that says that the message is compressed.
const COMPRESSED: u8 = 0x01;
/// The bit of a prefix that says that trailers follow (gRPC-Web).
const TRAILERS: u8 = 0x80;
/// How many bytes stand before a message.
const PREFIX: usize = 5;

/// The status codes by their numbers: the name, and the HTTP status that belongs to it (google.rpc.Code).
const CODES: [(&str, u16); 17] = [
    ("OK", 200),
    ("CANCELLED", 499),
    ("UNKNOWN", 500),
    ("INVALID_ARGUMENT", 400),
    ("DEADLINE_EXCEEDED", 504),
    ("NOT_FOUND", 404),
    ("ALREADY_EXISTS", 409),
    ("PERMISSION_DENIED", 403),
    ("RESOURCE_EXHAUSTED", 429),
    ("FAILED_PRECONDITION", 400),
    ("ABORTED", 409),
    ("OUT_OF_RANGE", 400),
    ("UNIMPLEMENTED", 501),
    ("INTERNAL", 500),
    ("UNAVAILABLE", 503),
    ("DATA_LOSS", 500),
    ("UNAUTHENTICATED", 401),
];

/// Whether an error can have a status code of that name.
#[must_use]
pub fn is_error_code(name: &str) -> bool {
    code_of(name).is_some_and(|code| code > 0)
}

/// The name of a status code; `None` for a number that is not one.
#[must_use]
pub fn code_name(code: u32) -> Option<&'static str> {
    CODES.get(usize::try_from(code).ok()?).map(|(name, _)| *name)
}

/// The number of a status code.
#[must_use]
pub fn code_of(name: &str) -> Option<u32> {
    CODES.iter().position(|(known, _)| *known == name).and_then(|at| u32::try_from(at).ok())
}

/// Whether a message is one of gRPC or gRPC-Web, by its media type.
#[must_use]
pub fn is_grpc(headers: &Headers) -> bool {
    headers.media_type().is_some_and(|media| {
        media.strip_prefix("application/grpc").is_some_and(|rest| rest.is_empty() || rest.starts_with(['+', '-']))
    })
}

/// A message with its prefix.
#[must_use]
pub fn frame(message: &[u8]) -> Vec<u8> {
    framed(0, message)
}

/// Trailers as gRPC-Web writes them: a frame of lines like those of HTTP/1.1.
#[must_use]
pub fn trailers_frame(trailers: &Headers) -> Vec<u8> {
    let line = |(name, value): (&str, &str)| format!("{}: {value}\r\n", name.to_ascii_lowercase());
    let text: String = trailers.iter().map(line).collect();
    framed(TRAILERS, text.as_bytes())
}

fn framed(flags: u8, content: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(PREFIX + content.len());
    out.push(flags);
    out.extend(u32::try_from(content.len()).unwrap_or(u32::MAX).to_be_bytes());
    out.extend(content);
    out
}

/// A piece of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// A message.
    Message {
        /// Its bytes.
        bytes: Vec<u8>,
        /// Whether it is marked as compressed. Only allowed where the other side offered a compression.
        is_compressed: bool,
    },
    /// The trailers.
    Trailers(Headers),
}

/// Cuts a body into its pieces, chunk by chunk.
#[derive(Debug, Default)]
pub struct FrameReader {
    rest: Vec<u8>,
}

impl FrameReader {
    /// The pieces that are complete with this chunk.
    pub fn push(&mut self, chunk: &[u8]) -> Vec<Piece> {
        self.rest.extend(chunk);
        let mut pieces = Vec::new();
        let mut read = 0;
        while let Some((flags, content, length)) = self.rest.get(read..).and_then(first_frame) {
            pieces.push(if flags & TRAILERS == 0 {
                Piece::Message { bytes: content.to_vec(), is_compressed: flags & COMPRESSED != 0 }
            } else {
                Piece::Trailers(fields(content))
            });
            read += length;
        }
        self.rest.drain(..read);
        pieces
    }

    /// How many bytes at the end belong to no complete piece.
    #[must_use]
    pub fn left(&self) -> usize {
        self.rest.len()
    }
}

/// The flags and the content of the first frame, and its length altogether, once it is complete.
fn first_frame(bytes: &[u8]) -> Option<(u8, &[u8], usize)> {
    let ([flags, length @ ..], _) = bytes.split_first_chunk::<PREFIX>()?;
    let length = PREFIX.checked_add(usize::try_from(u32::from_be_bytes(*length)).ok()?)?;
    Some((*flags, bytes.get(PREFIX..length)?, length))
}

/// The fields of gRPC-Web's trailers.
fn fields(content: &[u8]) -> Headers {
    let text = String::from_utf8_lossy(content);
    let lines = text.lines().filter_map(|line| line.split_once(':'));
    // Whoever reads them learns from one more than the limit that they exceed it.
    let lines = lines.take(MOST_FIELDS + 1);
    lines.map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim().to_owned())).collect()
}

/// A text as a value of `grpc-message`, which [`decode`](super::url::decode) reads.
#[must_use]
pub fn encode_message(text: &str) -> String {
    encode_all_but(text, |byte| matches!(byte, b' '..=b'~') && byte != b'%')
}

/// The HTTP status that belongs to a status code, for whoever knows only those.
#[must_use]
pub fn http_status(code: u32) -> u16 {
    usize::try_from(code).ok().and_then(|code| CODES.get(code)).map_or(500, |(_, status)| *status)
}

/// The status code of an answer that has none, by its HTTP status ("HTTP to gRPC Status Code Mapping").
#[must_use]
pub const fn code_of_status(status: u16) -> u32 {
    match status {
        400 => 13,
        401 => 16,
        403 => 7,
        404 => 12,
        429 | 502..=504 => 14,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::wire::url::decode;

    fn message(text: &[u8]) -> Piece {
        Piece::Message { bytes: text.to_vec(), is_compressed: false }
    }

    #[test]
    fn a_body_is_cut_into_the_same_pieces_however_it_arrives() {
        let trailers: Headers = [("Grpc-Status", "5"), ("grpc-message", "no%20task: x")].into_iter().collect();
        let body = [frame(b"one"), frame(b""), trailers_frame(&trailers)].concat();
        let read: Headers = [("grpc-status", "5"), ("grpc-message", "no%20task: x")].into_iter().collect();
        let expected = [message(b"one"), message(b""), Piece::Trailers(read)];
        for size in 1..=body.len() {
            let mut reader = FrameReader::default();
            let pieces: Vec<_> = body.chunks(size).flat_map(|chunk| reader.push(chunk)).collect();
            assert_eq!(pieces, expected, "{size}");
            assert_eq!(reader.left(), 0);
        }
    }

    #[test]
    fn a_frame_that_is_not_complete_is_no_piece() {
        let mut reader = FrameReader::default();
        assert_eq!(reader.push(&[1, 0, 0, 0, 3, b'a', b'b']), []);
        assert_eq!(reader.left(), 7);
        let compressed = Piece::Message { bytes: b"abc".to_vec(), is_compressed: true };
        assert_eq!(reader.push(b"c"), [compressed]);
        assert_eq!(reader.push(&[0, 0xff, 0xff, 0xff, 0xff]), []);
    }

    #[test]
    fn media_types_of_grpc_are_known() {
        for (media, known) in [
            ("application/grpc", true),
            ("Application/grpc+proto; x=y", true),
            ("application/grpc-web+proto", true),
            ("application/grpcx", false),
            ("application/json", false),
        ] {
            assert_eq!(is_grpc(&[("content-type", media)].into_iter().collect()), known, "{media}");
        }
    }

    #[test]
    fn codes_have_names_and_statuses() {
        assert_eq!((code_name(5), code_name(16), code_name(17)), (Some("NOT_FOUND"), Some("UNAUTHENTICATED"), None));
        assert_eq!(code_of("FAILED_PRECONDITION"), Some(9));
        for code in [7, 16] {
            assert_eq!(code_of_status(http_status(code)), code);
        }
    }

    proptest! {
        #[test]
        fn a_message_for_people_comes_back_as_it_was(text in ".*") {
            let coded = encode_message(&text);
            prop_assert!(coded.bytes().all(|byte| (b' '..=b'~').contains(&byte)));
            prop_assert_eq!(decode(&coded), text);
        }

        #[test]
        fn no_bytes_break_the_reader(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let mut reader = FrameReader::default();
            let _ = reader.push(&bytes);
            let _ = decode(&String::from_utf8_lossy(&bytes));
        }
    }
}
