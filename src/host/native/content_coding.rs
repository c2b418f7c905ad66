//! Content codings of answers (RFC 9110 §8.4): a body is decoded as it arrives and a bounded piece at a time, so that whoever reads it can
//! stop at its own limits, which count what comes out. Requests name no coding, and then any is acceptable (RFC 9110 §12.5.3).

use futures_util::StreamExt;
use futures_util::stream::{once, unfold};

use super::decoder::{CodingDecoder, DECODED_CODINGS, DecodedPiece, decoder};
use crate::host::BodyStream;
use crate::wire::http::Headers;

/// How many codings of one body are decoded. No server applies more than one; each of them costs memory.
const MOST_CODINGS: usize = 5;

/// How many coded bytes may follow each other without anything coming out: an endless body of empty blocks has to end, too.
const MOST_IDLE: usize = 1024 * 1024;

/// The body without the codings that the head names. What cannot be decoded ends it with an error that names the coding.
pub(super) fn decoded(headers: &Headers, body: BodyStream) -> BodyStream {
    let values = headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("content-encoding"));
    let names = values.flat_map(|(_, value)| value.split(',')).map(str::trim);
    let codings: Vec<&str> = names.filter(|name| !name.is_empty() && !name.eq_ignore_ascii_case("identity")).collect();
    if codings.len() > MOST_CODINGS {
        let why = format!("the body has {} content codings, and at most {MOST_CODINGS} are decoded", codings.len());
        return refused(body, why, |_| false);
    }
    // RFC 9110 §8.4: they are listed in the order in which they were applied.
    codings.into_iter().rev().fold(body, |body, name| match decoder(name) {
        Some(decoder) => decoding(body, name.to_ascii_lowercase(), decoder),
        None => {
            let shown: String = name.chars().take(40).collect();
            let why = format!("the body has the content coding {shown:?}, and only {DECODED_CODINGS} are decoded");
            // Servers that take the field for that of the character set send a body without any coding, which clients read as it is.
            refused(body, why, is_text)
        }
    })
}

/// The body as it is if it is empty or its beginning is harmless, and otherwise an error in its place.
fn refused(mut body: BodyStream, why: String, is_harmless: fn(&[u8]) -> bool) -> BodyStream {
    let first = async move {
        match body.next().await {
            Some(Ok(chunk)) if !is_harmless(&chunk) => once(async { Err(why) }).boxed_local(),
            Some(first) => once(async { first }).chain(body).boxed_local(),
            None => body,
        }
    };
    once(first).flatten().fuse().boxed_local()
}

/// Whether bytes are the beginning of a text: coded ones are not.
fn is_text(bytes: &[u8]) -> bool {
    let is_control = |byte: &u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
    // A chunk may end within a character.
    let is_utf8 = std::str::from_utf8(bytes).err().is_none_or(|error| error.error_len().is_none());
    is_utf8 && !bytes.iter().any(is_control)
}

/// A body that is being decoded from one coding.
struct CodedBody {
    body: BodyStream,
    /// The coding, as it is told.
    name: String,
    decoder: Box<dyn CodingDecoder>,
    /// The chunk that is being decoded, and how much of it is.
    chunk: Vec<u8>,
    used: usize,
    /// How many coded bytes were used since something came out.
    idle: usize,
    /// Whether anything has arrived.
    has_begun: bool,
    /// Whether what comes behind is not part of the data any more.
    has_ended: bool,
}

fn decoding(body: BodyStream, name: String, decoder: Box<dyn CodingDecoder>) -> BodyStream {
    let (has_begun, has_ended) = (false, false);
    let coded = CodedBody { body, name, decoder, chunk: Vec::new(), used: 0, idle: 0, has_begun, has_ended };
    unfold(Some(coded), |coded| async {
        let mut coded = coded?;
        match coded.next_piece().await.transpose()? {
            Ok(piece) => Some((Ok(piece), Some(coded))),
            Err(why) => Some((Err(why), None)),
        }
    })
    // To ask once more after the end is harmless, where the stream alone would panic.
    .fuse()
    .boxed_local()
}

impl CodedBody {
    /// The next decoded bytes; `None` at the end.
    async fn next_piece(&mut self) -> Result<Option<Vec<u8>>, String> {
        while !self.has_ended {
            let coded = self.chunk.get(self.used..).unwrap_or_default();
            let Ok(DecodedPiece { used, piece, has_ended }) = self.decoder.decode(coded) else {
                return Err(format!("the body cannot be decoded from {}: its data are damaged", self.name));
            };
            self.has_ended = has_ended;
            self.used += used;
            self.idle += used;
            if !piece.is_empty() {
                self.idle = 0;
                return Ok(Some(piece));
            }
            if self.idle > MOST_IDLE && !has_ended {
                return Err(format!("{MOST_IDLE} bytes of {} data in a row contain nothing", self.name));
            }
            if used > 0 || has_ended {
                continue;
            }
            match self.body.next().await {
                Some(chunk) => (self.chunk, self.used) = (chunk?, 0),
                // An answer without a body may have the field, too, such as one to HEAD or with status 304.
                None if !self.has_begun || self.decoder.is_whole() => return Ok(None),
                None => {
                    return Err(format!("the body ends in the middle of its {} data, or they are damaged", self.name));
                }
            }
            self.has_begun |= !self.chunk.is_empty();
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
    use futures_util::stream::iter;

    use super::*;
    use crate::host::native::block_on;

    const TEXT: &[u8] =
        br#"{"name":"An agent","text":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}"#;
    /// `TEXT` from the reference encoder of brotli.
    const AS_BROTLI: &[u8] = &[
        0x1b, 0x61, 0x00, 0xf8, 0x1d, 0xa7, 0xc5, 0x9a, 0x13, 0x24, 0xce, 0x61, 0x2d, 0x12, 0x16, 0xb4, 0x37, 0x75,
        0x58, 0xfa, 0xc2, 0xad, 0xef, 0x90, 0x44, 0x93, 0x55, 0x24, 0x0d, 0x4f, 0x0c, 0xe4, 0x35, 0x36, 0x48, 0x82,
        0x8b, 0x2a, 0x0d,
    ];

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zlib(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn bare_deflate(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn coded(codings: &[&str], pieces: Vec<Vec<u8>>) -> BodyStream {
        let headers: Headers = codings.iter().map(|coding| ("Content-Encoding", *coding)).collect();
        decoded(&headers, iter(pieces.into_iter().map(Ok)).boxed_local())
    }

    /// The whole body, or how it ends.
    fn read(codings: &[&str], pieces: Vec<Vec<u8>>) -> Result<Vec<u8>, String> {
        block_on(async {
            let mut body = coded(codings, pieces);
            let mut all = Vec::new();
            while let Some(piece) = body.next().await {
                all.extend(piece?);
            }
            assert!(body.next().await.is_none_or(|piece| piece.is_ok()), "an end is one");
            Ok(all)
        })
    }

    fn in_pieces(bytes: &[u8], length: usize) -> Vec<Vec<u8>> {
        bytes.chunks(length).map(<[u8]>::to_vec).collect()
    }

    #[test]
    fn a_body_is_read_whatever_its_coding_and_however_it_is_cut() {
        let twice = [gzip(&TEXT[..20]), gzip(&TEXT[20..])].concat();
        let padded = [gzip(TEXT), vec![0; 9]].concat();
        let cases: [(&[&str], Vec<u8>); 12] = [
            (&["gzip"], gzip(TEXT)),
            (&["X-GZip"], gzip(TEXT)),
            (&["gzip"], twice),
            (&["gzip"], padded),
            (&["deflate"], zlib(TEXT)),
            (&["deflate"], bare_deflate(TEXT)),
            (&["br"], AS_BROTLI.to_vec()),
            (&["identity"], TEXT.to_vec()),
            (&["utf-8"], TEXT.to_vec()),
            (&["gzip, identity , deflate"], zlib(&gzip(TEXT))),
            (&["gzip", "gzip"], gzip(&gzip(TEXT))),
            (&["br,gzip"], gzip(AS_BROTLI)),
        ];
        for (codings, bytes) in cases {
            for length in [1, 7, bytes.len()] {
                assert_eq!(read(codings, in_pieces(&bytes, length)).as_deref(), Ok(TEXT), "{codings:?}, {length}");
            }
        }
        assert_eq!(read(&["gzip"], Vec::new()), Ok(Vec::new()));
        assert_eq!(read(&["gzip"], vec![Vec::new()]), Ok(Vec::new()));
        assert_eq!(read(&["foo"], Vec::new()), Ok(Vec::new()));
    }

    #[test]
    fn each_event_of_a_stream_is_out_as_soon_as_it_is_in() {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        let mut flushed = |text: &str| {
            encoder.write_all(text.as_bytes()).unwrap();
            encoder.flush().unwrap();
            std::mem::take(encoder.get_mut())
        };
        let pieces = vec![flushed("data: 1\n\n"), flushed("data: 2\n\n")];
        block_on(async {
            // After these two nothing comes any more, and nothing ends.
            let body = iter(pieces.into_iter().map(Ok)).chain(futures_util::stream::pending()).boxed_local();
            let headers: Headers = [("content-encoding", "gzip")].into_iter().collect();
            let mut body = decoded(&headers, body);
            assert_eq!(body.next().await, Some(Ok(b"data: 1\n\n".to_vec())));
            assert_eq!(body.next().await, Some(Ok(b"data: 2\n\n".to_vec())));
        });
    }

    #[test]
    fn what_cannot_be_decoded_is_told_with_the_name_of_the_coding() {
        for (name, bytes) in [("gzip", gzip(TEXT)), ("deflate", zlib(TEXT)), ("br", AS_BROTLI.to_vec())] {
            for length in 1..bytes.len() {
                let end = read(&[name], vec![bytes[..length].to_vec()]).unwrap_err();
                assert_eq!(
                    end,
                    format!("the body ends in the middle of its {name} data, or they are damaged"),
                    "{length}"
                );
            }
            // As bare deflate the first is a block of a type that does not exist (RFC 1951 §3.2.3).
            let end = read(&[name], vec![b"\x07 is not coded".to_vec()]).unwrap_err();
            assert_eq!(end, format!("the body cannot be decoded from {name}: its data are damaged"));
        }
        let mut damaged = gzip(TEXT);
        let last = damaged.len() - 6;
        damaged[last] ^= 1;
        assert!(read(&["gzip"], vec![damaged]).unwrap_err().contains("damaged"), "its checksum");
        let unknown = read(&["gzip, f\"oo"], vec![gzip(TEXT)]).unwrap_err();
        assert_eq!(unknown, "the body has the content coding \"f\\\"oo\", and only gzip, deflate and br are decoded");
        let many = read(&[&"gzip, ".repeat(1000)], vec![gzip(TEXT)]).unwrap_err();
        assert_eq!(many, "the body has 1000 content codings, and at most 5 are decoded");
    }

    #[test]
    fn a_bomb_comes_out_in_small_pieces_and_nothing_is_decoded_that_nobody_reads() {
        let zeros = vec![0; 8 << 20];
        // RFC 1952 §2.2: several members are what they contain, one after the other.
        let once = gzip(&zeros[..1 << 20]).repeat(64);
        let bombs: [(&[&str], Vec<u8>); 3] =
            [(&["gzip"], once.clone()), (&["gzip, gzip"], gzip(&once)), (&["deflate"], zlib(&zeros))];
        for (codings, bytes) in bombs {
            assert!(bytes.len() < 100_000, "{}", bytes.len());
            block_on(async {
                let mut body = coded(codings, vec![bytes]);
                let mut count = 0;
                while count < 5 << 20 {
                    let piece = body.next().await.unwrap().unwrap();
                    assert!(piece.len() <= 256 * 1024, "{}", piece.len());
                    count += piece.len();
                }
            });
        }
    }

    #[test]
    fn data_that_contain_nothing_end() {
        // Stored blocks without a byte (RFC 1951 §3.2.4), without end.
        let empty = [0, 0, 0, 0xff, 0xff].repeat(2000);
        let end = block_on(async {
            let headers: Headers = [("content-encoding", "deflate")].into_iter().collect();
            let mut body = decoded(&headers, iter(std::iter::repeat_with(move || Ok(empty.clone()))).boxed_local());
            body.next().await
        });
        assert_eq!(end, Some(Err("1048576 bytes of deflate data in a row contain nothing".to_owned())));
    }
}
