//! Bodies without an end, and frames that lie (RFC 9112 §6, §7).

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::attack::Attack;
use super::attack::Place::{Calls, Sends, Unary};
use super::harm::{acts, as_media, chunked_head, flood, framed, json_head, ok, raw};
use super::server::JSON;

/// A megabyte of white space, which JSON allows anywhere.
fn blanks() -> Vec<u8> {
    vec![b' '; 1 << 20]
}

fn head(fields: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Type: {JSON}\r\n{fields}\r\n\r\n")
}

fn chunks(body: &str, size: usize) -> Vec<u8> {
    let bytes = body
        .as_bytes()
        .chunks(size)
        .map(|piece| [format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat());
    bytes.flatten().chain(*b"0\r\n\r\n").collect()
}

fn with_length(head: &str, length: &str, body: &str) -> Vec<u8> {
    format!("{head}\r\nContent-Length: {length}\r\n\r\n{body}").into_bytes()
}

fn chunked(head: &str, rest: &[u8]) -> Vec<u8> {
    [head.as_bytes(), b"\r\nTransfer-Encoding: chunked\r\n\r\n", rest].concat()
}

/// The attacks of this family.
pub(crate) fn attacks() -> Vec<Attack> {
    [endless(), lengths(), broken_chunks(), codings(), odd_statuses(), media_types()].into_iter().flatten().collect()
}

fn endless() -> Vec<Attack> {
    vec![
        Attack::new("a body that never ends", Sends, flood(json_head(), blanks(), 2048)),
        Attack::new("chunks that never end", Sends, flood(chunked_head(), chunk_of(&blanks()), 2048)),
        Attack::new("200 MB that were announced", Sends, flood(head("Content-Length: 209715200"), blanks(), 200)),
        Attack::new("1 GB announced in one chunk", Sends, flood(chunked_head() + "40000000\r\n", blanks(), 1024)),
        Attack::new("chunks of one byte that never end", Sends, flood(chunked_head(), *b"1\r\n \r\n", 50_000_000))
            .heavy()
            .with(&["--answer-timeout", "2", "--timeout", "4"]),
        Attack::new(
            "an extension of a chunk that never ends",
            Sends,
            flood(chunked_head() + "2;a=", vec![b'x'; 65536], 16_384),
        ),
        Attack::new(
            "100,000 chunks, each with an extension",
            Sends,
            flood(chunked_head(), *b"1;abcdefghijklmnop=q\r\n \r\n", 100_000),
        ),
        Attack::new(
            "trailers that never end",
            Sends,
            flood(chunked_head() + "2\r\n{}\r\n0\r\n", *b"X-Trailer: again\r\n", 10_000_000),
        ),
        Attack::new(
            "a trailer of 10 MB",
            Sends,
            flood(chunked_head() + "2\r\n{}\r\n0\r\nX-Trailer: ", vec![b'x'; 65536], 160),
        ),
        Attack::new("every call answered with 6 MB", Calls, flood(json_head(), blanks(), 6)).heavy(),
    ]
}

fn chunk_of(bytes: &[u8]) -> Vec<u8> {
    [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat()
}

fn lengths() -> Vec<Attack> {
    vec![
        Attack::new(
            "every byte in a packet of its own",
            Sends,
            acts(|strike, stream| {
                let (head, body) = strike.honest();
                let whole = with_length(&head, &body.len().to_string(), &body);
                let _ = stream.set_nodelay(true);
                let _ = whole.chunks(1).try_for_each(|byte| stream.write_all(byte));
            }),
        ),
        Attack::new("every byte in a chunk of its own", Unary, framed(|head, body| chunked(head, &chunks(body, 1)))),
        Attack::new(
            "a length one byte too great",
            Sends,
            framed(|head, body| with_length(head, &(body.len() + 1).to_string(), body)),
        ),
        Attack::new(
            "a length that stops in the middle",
            Sends,
            framed(|head, body| with_length(head, &(body.len() / 2).to_string(), body)),
        ),
        Attack::new("a length of 0 before a body", Sends, framed(|head, body| with_length(head, "0", body))),
        Attack::new("a negative length", Sends, framed(|head, body| with_length(head, "-1", body))),
        Attack::new(
            "a length with a plus sign",
            Sends,
            framed(|head, body| with_length(head, &format!("+{}", body.len()), body)),
        ),
        Attack::new(
            "a length in hexadecimal",
            Sends,
            framed(|head, body| with_length(head, &format!("0x{:x}", body.len()), body)),
        ),
        Attack::new("a length without digits", Sends, framed(|head, body| with_length(head, "", body))),
        Attack::new("a length of 2^64", Sends, framed(|head, body| with_length(head, "18446744073709551616", body))),
        Attack::new("a length of 2^63 - 1", Sends, framed(|head, body| with_length(head, "9223372036854775807", body))),
        Attack::new(
            "the same length twice in one field",
            Sends,
            framed(|head, body| with_length(head, &format!("{0}, {0}", body.len()), body)),
        ),
        Attack::new(
            "two lengths that differ",
            Sends,
            framed(|head, body| with_length(&format!("{head}\r\nContent-Length: 2"), &body.len().to_string(), body)),
        ),
        Attack::new(
            "a length and chunks at once",
            Sends,
            framed(|head, body| chunked(&format!("{head}\r\nContent-Length: 7"), &chunks(body, 100))),
        ),
        Attack::new("a length of 1 GB and nothing more", Sends, raw(head("Content-Length: 1073741824"))),
    ]
}

fn broken_chunks() -> Vec<Attack> {
    let sent = |name, rest: &'static [u8]| Attack::new(name, Sends, raw([chunked_head().as_bytes(), rest].concat()));
    vec![
        sent("a chunk size that is not a number", b"zz\r\n{}\r\n0\r\n\r\n"),
        sent("a negative chunk size", b"-2\r\n{}\r\n0\r\n\r\n"),
        sent("an empty chunk size", b"\r\n{}\r\n0\r\n\r\n"),
        sent("a chunk size of 2^64", b"10000000000000000\r\n{}\r\n0\r\n\r\n"),
        sent("a chunk size of 2^64 - 1", b"ffffffffffffffff\r\n{}\r\n0\r\n\r\n"),
        sent("a chunk without its line end", b"2\r\n{}0\r\n\r\n"),
        sent("a chunk longer than it says", b"1\r\n{}\r\n0\r\n\r\n"),
        sent("the last chunk is missing", b"2\r\n{}\r\n"),
        sent("line feeds alone between chunks", b"2\n{}\n0\n\n"),
        Attack::new(
            "chunks within chunks",
            Sends,
            framed(|head, body| {
                let inner = String::from_utf8(chunks(body, 50)).unwrap();
                [format!("{head}\r\nTransfer-Encoding: chunked, chunked\r\n\r\n").into_bytes(), chunks(&inner, 64)]
                    .concat()
            }),
        ),
        Attack::new(
            "a transfer coding that nobody knows",
            Sends,
            framed(|head, body| format!("{head}\r\nTransfer-Encoding: rot13\r\n\r\n{body}").into_bytes()),
        ),
        Attack::new(
            "the transfer coding identity",
            Sends,
            framed(|head, body| {
                format!("{head}\r\nTransfer-Encoding: identity\r\nContent-Length: {}\r\n\r\n{body}", body.len())
                    .into_bytes()
            }),
        ),
    ]
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn coded(head: &str, codings: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("{head}\r\nContent-Encoding: {codings}\r\nContent-Length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

/// Content codings, which are legal without being asked for (RFC 9110 §8.4, §12.5.3).
fn codings() -> Vec<Attack> {
    let honest = |name, frame: fn(&str, &str) -> Vec<u8>| Attack::new(name, Sends, framed(frame));
    let json = format!("HTTP/1.1 200 OK\r\nContent-Type: {JSON}");
    // RFC 1952 §2.2: members follow each other.
    let bomb = gzip(&blanks()).repeat(10_000);
    vec![
        honest("a body packed in two parts", |head, body| {
            let (first, second) = body.as_bytes().split_at(body.len() / 2);
            coded(head, "gzip", &[gzip(first), gzip(second)].concat())
        }),
        Attack::new("a packed body of 10 GB", Sends, raw(coded(&json, "gzip", &bomb))),
        Attack::new(
            "10 GB that are packed four times",
            Sends,
            raw(coded(&json, "gzip, gzip, gzip, gzip", &gzip(&gzip(&gzip(&bomb))))),
        ),
        honest("a packed body that stops", |head, body| {
            let packed = gzip(body.as_bytes());
            coded(head, "gzip", &packed[..packed.len() / 2])
        }),
        honest("a packed body with a wrong sum", |head, body| {
            let mut packed = gzip(body.as_bytes());
            let place = packed.len() - 6;
            packed[place] ^= 1;
            coded(head, "gzip", &packed)
        }),
        honest("a body that says that it is packed", |head, body| coded(head, "gzip", body.as_bytes())),
        honest("a packed body that does not say so", |head, body| {
            let packed = gzip(body.as_bytes());
            let head = format!("{head}\r\nContent-Length: {}\r\n\r\n", packed.len());
            [head.as_bytes(), &packed].concat()
        }),
        honest("a coding that nobody knows", |head, body| {
            let turned: Vec<u8> = body.bytes().map(|byte| byte ^ 0x80).collect();
            coded(head, "x-\u{e9}vil", &turned)
        }),
        honest("60 codings", |head, body| coded(head, &["gzip"; 60].join(","), &gzip(body.as_bytes()))),
        honest("chunks that are packed", |head, body| {
            let packed = gzip(body.as_bytes());
            let head = format!("{head}\r\nTransfer-Encoding: gzip, chunked\r\n\r\n{:x}\r\n", packed.len());
            [head.as_bytes(), &packed, b"\r\n0\r\n\r\n"].concat()
        }),
        honest("chunks in HTTP/1.0", |head, body| {
            chunked(&head.replacen("HTTP/1.1", "HTTP/1.0", 1), &chunks(body, 100))
        }),
    ]
}

fn odd_statuses() -> Vec<Attack> {
    vec![
        Attack::new(
            "a body on 204",
            Sends,
            raw("HTTP/1.1 204 No Content\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"),
        ),
        Attack::new("a body on 304", Sends, raw("HTTP/1.1 304 Not Modified\r\nContent-Length: 2\r\n\r\n{}")),
        Attack::new("a body on 205", Sends, raw("HTTP/1.1 205 Reset Content\r\nContent-Length: 2\r\n\r\n{}")),
        Attack::new(
            "206 with a part of the body",
            Sends,
            framed(|_, body| {
                let half = &body[..body.len() / 2];
                let range = format!("bytes 0-{}/{}", half.len().saturating_sub(1), body.len());
                let head = format!("HTTP/1.1 206 Partial Content\r\nContent-Type: {JSON}\r\nContent-Range: {range}");
                with_length(&head, &half.len().to_string(), half)
            }),
        ),
        Attack::new("no body at all", Sends, raw(head("Content-Length: 0"))),
        Attack::new("a body of NUL bytes", Sends, raw(ok(JSON, &[0; 100_000]))),
    ]
}

fn media_types() -> Vec<Attack> {
    let long = Box::leak(format!("application/json; x={}", "y".repeat(60_000)).into_boxed_str());
    let page = "<!doctype html><title>Welcome</title><script>location='javascript:alert(1)'</script>";
    vec![
        Attack::new("JSON that calls itself HTML", Sends, as_media("text/html")),
        Attack::new("JSON that calls itself a picture", Sends, as_media("image/png")),
        Attack::new("JSON that calls itself a stream of events", Sends, as_media("text/event-stream")),
        Attack::new("JSON that calls itself UTF-16", Sends, as_media("application/json; charset=utf-16")),
        Attack::new("a media type of 60 KB", Sends, as_media(long)),
        Attack::new("two media types that differ", Sends, as_media("application/json\r\nContent-Type: text/html")),
        Attack::new("no media type", Sends, as_media("")),
        Attack::new("an HTML page for every call", Calls, raw(ok("text/html", page.as_bytes()))),
    ]
}
