//! The decoders of content codings, which all work alike: they are given coded bytes and return a bounded piece of what those contain.

use std::io::Write;

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
use flate2::write::GzDecoder;
use flate2::{Decompress, FlushDecompress, Status};

/// The codings, as they are told.
pub(super) const DECODED_CODINGS: &str = "gzip, deflate and br";

/// How many decoded bytes a decoder is asked for at a time.
const PIECE: usize = 32 * 1024;

/// The data are not what their coding makes.
#[derive(Debug)]
pub(super) struct DamagedData;

/// What a decoder made of some bytes. When it used none and nothing came out, more have to come first.
pub(super) struct DecodedPiece {
    /// How many of the bytes were used.
    pub(super) used: usize,
    /// What came out.
    pub(super) piece: Vec<u8>,
    /// Whether what comes behind is not part of the data any more.
    pub(super) has_ended: bool,
}

/// Decodes one body.
pub(super) trait CodingDecoder {
    /// Decodes from the beginning of these bytes, as long as the data have not ended.
    fn decode(&mut self, coded: &[u8]) -> Result<DecodedPiece, DamagedData>;

    /// Whether the data may end here although they do not say so.
    fn is_whole(&mut self) -> bool {
        false
    }
}

/// The decoder of the coding of that name (RFC 9110 §8.4.1, RFC 7932). `zstd` is none of them: a stream would come out only at its end.
pub(super) fn decoder(name: &str) -> Option<Box<dyn CodingDecoder>> {
    match name.to_ascii_lowercase().as_str() {
        // RFC 9110 §8.4.1.3: x-gzip is the same.
        "gzip" | "x-gzip" => Some(Box::new(Gzip(GzDecoder::new(Vec::new())))),
        "deflate" => Some(Box::new(Deflate(None))),
        "br" => Some(Box::new(Brotli(Box::new(strict_state())))),
        _ => None,
    }
}

/// One or more members of gzip (RFC 1952 §2.2). Other bytes behind a member are ignored, as clients do.
struct Gzip(GzDecoder<Vec<u8>>);

impl CodingDecoder for Gzip {
    fn decode(&mut self, coded: &[u8]) -> Result<DecodedPiece, DamagedData> {
        if coded.is_empty() {
            return Ok(DecodedPiece { used: 0, piece: Vec::new(), has_ended: false });
        }
        let mut used = self.0.write(coded).map_err(|_| DamagedData)?;
        let mut piece = std::mem::take(self.0.get_mut());
        if used == 0 {
            self.0.try_finish().map_err(|_| DamagedData)?;
            piece.append(self.0.get_mut());
            self.0 = GzDecoder::new(Vec::new());
            // RFC 1952 §2.3.1: a member begins with 31 and 139.
            if coded.first() != Some(&31) {
                return Ok(DecodedPiece { used, piece, has_ended: true });
            }
            used = self.0.write(coded).map_err(|_| DamagedData)?;
        }
        if used == coded.len() {
            // What it keeps back may be the end of an event.
            self.0.flush().map_err(|_| DamagedData)?;
            piece.append(self.0.get_mut());
        }
        Ok(DecodedPiece { used, piece, has_ended: false })
    }

    fn is_whole(&mut self) -> bool {
        self.0.try_finish().is_ok()
    }
}

/// The data of zlib (RFC 1950), or without its frame, which some servers leave out (RFC 9110 §8.4.1.2 notes it).
struct Deflate(Option<Decompress>);

impl CodingDecoder for Deflate {
    fn decode(&mut self, coded: &[u8]) -> Result<DecodedPiece, DamagedData> {
        if self.0.is_none() && coded.is_empty() {
            return Ok(DecodedPiece { used: 0, piece: Vec::new(), has_ended: false });
        }
        // RFC 1950 §2.2: the first byte ends with the method, which is 8. As the beginning of bare data it would be a block with bits set
        // that no encoder sets.
        let has_frame = || coded.first().is_some_and(|first| first & 0x0f == 8);
        let data = self.0.get_or_insert_with(|| Decompress::new(has_frame()));
        let before = data.total_in();
        let mut piece = Vec::with_capacity(PIECE);
        let status = data.decompress_vec(coded, &mut piece, FlushDecompress::None).map_err(|_| DamagedData)?;
        let used = usize::try_from(data.total_in() - before).unwrap_or_default();
        Ok(DecodedPiece { used, piece, has_ended: status == Status::StreamEnd })
    }
}

/// The data of brotli (RFC 7932), whose window is at most 16 MB.
struct Brotli(Box<BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>>);

fn strict_state() -> BrotliState<StandardAlloc, StandardAlloc, StandardAlloc> {
    BrotliState::new_strict(StandardAlloc::default(), StandardAlloc::default(), StandardAlloc::default())
}

impl CodingDecoder for Brotli {
    fn decode(&mut self, coded: &[u8]) -> Result<DecodedPiece, DamagedData> {
        let mut piece = vec![0; PIECE];
        let (mut left, mut used, mut room, mut length, mut total) = (coded.len(), 0, PIECE, 0, 0);
        let result = BrotliDecompressStream(
            &mut left,
            &mut used,
            coded,
            &mut room,
            &mut length,
            &mut piece,
            &mut total,
            &mut self.0,
        );
        let has_ended = match result {
            BrotliResult::ResultFailure => return Err(DamagedData),
            BrotliResult::ResultSuccess => true,
            BrotliResult::NeedsMoreInput | BrotliResult::NeedsMoreOutput => false,
        };
        piece.truncate(length);
        Ok(DecodedPiece { used, piece, has_ended })
    }
}
