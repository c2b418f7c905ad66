//! Answers of an agent that compresses them with gzip, as some do behind a gateway, whether they are asked to or not (RFC 9110 §12.5.3).

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::StreamExt;
use futures_util::stream::{iter, once};

use crate::host::StreamedResponse;
use crate::wire::grpc::is_grpc;

/// The answer with its body in gzip. Each piece can be read as soon as it has arrived. Over gRPC, which has codings of its own, it stays
/// as it is, and so does one without a body.
pub(super) fn compressed(answer: StreamedResponse) -> StreamedResponse {
    let StreamedResponse { mut head, mut body } = answer;
    if is_grpc(&head.headers) {
        return StreamedResponse { head, body };
    }
    head.headers.remove("content-length");
    head.headers.push("Content-Encoding", "gzip");
    let coded = async move {
        let Some(first) = body.next().await else { return futures_util::stream::empty().boxed_local() };
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        let chunks = iter([first]).chain(body).map(Some).chain(iter([None]));
        let coded = chunks.map(move |chunk| match chunk {
            Some(Ok(bytes)) => flushed(&mut encoder, &bytes).map_err(|error| error.to_string()),
            Some(Err(detail)) => Err(detail),
            None => {
                let ended = encoder.try_finish().map(|()| std::mem::take(encoder.get_mut()));
                ended.map_err(|error| error.to_string())
            }
        });
        coded.boxed_local()
    };
    StreamedResponse { head, body: once(coded).flatten().boxed_local() }
}

/// What comes out for these bytes.
fn flushed(encoder: &mut GzEncoder<Vec<u8>>, bytes: &[u8]) -> io::Result<Vec<u8>> {
    encoder.write_all(bytes)?;
    encoder.flush()?;
    Ok(std::mem::take(encoder.get_mut()))
}
